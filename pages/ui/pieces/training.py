"""A training of the visitor, of SentencePiece or WordPiece: its start, its progress, and what it gives."""

import threading
from typing import Any

import streamlit as st

from pages.ui.frame import visitor
from pages.ui.frame.frame import bring_into_view
from pages.ui.frame.navigation import page
from pages.ui.i18n import error_sentence, errors_shown, t
from pages.ui.inputs.corpus import Corpus
from pages.ui.inputs.opened_files import SavedFiles, saved_files
from pages.ui.limits import MAX_TRAININGS, MAX_WORKER_BYTES
from pages.ui.pieces.chips import ShownLane
from pages.ui.run_registry.registry import registry
from pages.ui.session import Maybe, Value
from pages.ui.widgets.controls import fold, save_button
from tokenizer_core.analysis.entries import vocab_size_with_special
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError
from tokenizer_core.workers.sentencepiece_job import SentencePieceJob, SentencePieceSettings
from tokenizer_core.workers.training_settings import StopRules, Training
from tokenizer_core.workers.word_piece_job import WordPieceJob

AWAITED: Value[bool] = Value("pieces_awaited", bool)
"""Whether the training goes to the top of the page as soon as it is done."""
JOB: Maybe[SentencePieceJob | WordPieceJob] = Maybe("pieces_job")
SAVED: Maybe[SavedFiles] = Maybe("pieces_saved")
"""Where the tokenizer of the training is saved, or why it is not."""
LEARNED_FROM: Maybe[Corpus] = Maybe("pieces_learned_from")
"""The text of the training, until our BPE learns from it too."""
RESULT: Maybe[SentencePieceJob | WordPieceJob] = Maybe("pieces_result")
"""The last training that succeeded: a later one that fails or is stopped takes nothing away."""
BESIDE: Maybe[str] = Maybe("pieces_beside")
"""The id of the run of our BPE at the same size, on the same text as the result."""

REFRESH_SECONDS = 0.4
SHOWN_LOG_LINES = 400
FIRST_WAIT = 1.0
"""Seconds to wait for a training at its start: a small one is done by then."""
TURNS = threading.Semaphore(MAX_TRAININGS)
"""Turns for the trainings of all visitors: this many run at the same time, others wait."""


def start(corpus: Corpus, settings: SentencePieceSettings | int) -> None:
    """Start the training in place of the one before, or say why it cannot start; WordPiece has only a size."""
    if (before := JOB.get()) is not None:
        before.stop()
    saved = saved_files()
    try:
        with st.spinner(t("pieces.starting"), show_time=True):
            options: dict[str, Any] = {
                "name": corpus.name,
                "turns": TURNS,
                "memory_bytes": MAX_WORKER_BYTES,
                "keep": saved.store_trained,
            }
            job = (
                WordPieceJob(corpus.texts, settings, **options)
                if isinstance(settings, int)
                else SentencePieceJob(corpus.texts, settings, **options)
            )
            JOB.put(job)
            SAVED.put(saved)
            LEARNED_FROM.put(corpus)
            AWAITED.put(True)
            job.wait(FIRST_WAIT)
    except TokenizerError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return
    st.rerun()


def result() -> SentencePieceJob | WordPieceJob | None:
    """Return the last training that succeeded."""
    job = JOB.get()
    if job is not None and job.tokenizer is not None and job is not RESULT.get():
        RESULT.put(job)
        BESIDE.forget()
    return RESULT.get()


def _start_ours_beside(job: SentencePieceJob | WordPieceJob) -> None:
    """Train our BPE at the same size on the same text, once the other has succeeded."""
    corpus = LEARNED_FROM.get()
    size = job.vocab_size
    if result() is not job or corpus is None or BESIDE.get() is not None or size <= BYTES:
        return
    training = Training(corpus.texts, size, stop=StopRules(min_count=2), corpus_name=corpus.name)
    LEARNED_FROM.forget()  # if our BPE cannot start, the page says so once
    with errors_shown():
        BESIDE.put(registry().start(training, owner=visitor.owner()).id)


def is_ours_on_its_way() -> bool:
    """Whether our BPE is still to be trained for the result, or trains."""
    job, beside = result(), registry().get(BESIDE.get())
    if job is None or job.vocab_size <= BYTES:
        return False
    return not beside.ended if beside is not None else LEARNED_FROM.get() is not None


def own_lanes() -> list[ShownLane]:
    """Return what the visitor trained with another library, and our BPE at the same size as far as it has got."""
    job = result()
    assert job is not None
    assert job.tokenizer is not None
    caption = t("pieces.entries", count=vocab_size_with_special(job.tokenizer))
    called = "SentencePiece" if isinstance(job, SentencePieceJob) else "WordPiece"
    lanes = [ShownLane(called, job.tokenizer, caption)]
    beside = registry().get(BESIDE.get())
    if beside is not None and beside.merges:
        ours = beside.tokenizer()
        lanes.append(ShownLane("pieces.ours", ours, t("pieces.entries", count=ours.vocab_size)))
    return lanes


def progress() -> None:
    """Draw how far the training is, and what came of it; while it runs, again and again."""
    job = JOB.get()
    if job is None:
        return
    _start_ours_beside(job)
    beside = registry().get(BESIDE.get())
    pending = not job.ended or (beside is not None and not beside.ended)
    if not job.ended:
        bring_into_view("pieces_row", str(id(job)))  # a phone has no room below its button
    st.fragment(_live, run_every=REFRESH_SECONDS if pending else None)(job, pending)


def _live(job: SentencePieceJob | WordPieceJob, was_pending: bool) -> None:
    """Draw the state of a training, and any error: a fragment's errors do not reach the frame."""
    beside = registry().get(BESIDE.get())
    with errors_shown():
        if was_pending and job.ended and (beside is None or beside.ended):
            st.rerun()  # the tokens at the top are new, and the timer stops
        if not job.ended:
            _show_progress(job)
            st.button(t("pieces.stop"), icon=":material/stop:", key="pieces_stop", on_click=job.stop)
        elif job.failure is not None:
            st.error(error_sentence(job.failure), icon=":material/error:")
        elif job.stopped:
            st.info(t("pieces.stopped"), icon=":material/stop_circle:")
        elif isinstance(job, SentencePieceJob):
            _say_done(job)
        else:
            _say_word_piece_done(job)
        if isinstance(job, SentencePieceJob) and job.log.lines:
            with fold(t("pieces.log"), icon=":material/terminal:", key="pieces_log"):
                st.code("\n".join(job.log.lines[-SHOWN_LOG_LINES:]), language=None, height=280)


def _show_progress(job: SentencePieceJob | WordPieceJob) -> None:
    if job.waits:
        st.info(t("pieces.waiting", limit=MAX_TRAININGS), icon=":material/hourglass_empty:")
        return
    if isinstance(job, WordPieceJob):  # the library does not tell how far it is
        st.progress(0.0, text=t("pieces.phase_learning"))
        return
    learning = job.log.phase == "learning"
    words = t(f"pieces.phase_{job.log.phase}") + (f" · {job.log.share:.0%}" if learning else "")
    st.progress(job.log.share if learning else 0.0, text=words)


def _say_done(job: SentencePieceJob) -> None:
    """Say what was learned, from how much, and let it be saved."""
    tokenizer = job.tokenizer
    assert tokenizer is not None
    seconds = f"{job.seconds:.1f}"
    kind = t(f"pieces.model_type_{job.settings.model_type}")
    lines = job.log.sentences or 0
    _say_learned(t("pieces.done", kind=kind, size=tokenizer.vocab_size, lines=lines, seconds=seconds))
    if job.log.skipped:
        said = t("pieces.skipped", lines=job.log.skipped, limit=job.settings.max_sentence_length)
        st.warning(said, icon=":material/info:")
    _say_kept()
    with st.container(horizontal=True):
        for suffix, content in (("model", tokenizer.content), ("vocab", tokenizer.vocab_text().encode())):
            label, key = t(f"pieces.download_{suffix}"), f"pieces_download_{suffix}"
            save_button(label, content, f"sentencepiece.{suffix}", key=key)


def _say_word_piece_done(job: WordPieceJob) -> None:
    """Say how much was learned, and let it be saved."""
    tokenizer = job.tokenizer
    assert tokenizer is not None
    size = vocab_size_with_special(tokenizer)
    words = t("pieces.done_word_piece", size=size, seconds=f"{job.seconds:.1f}")
    if size < job.vocab_size:
        words += " " + t("pieces.fewer_word_piece", asked=job.vocab_size)
    _say_learned(words)
    _say_kept()
    label = t("pieces.download_word_piece")
    save_button(label, tokenizer.content, "tokenizer.json", key="pieces_download_word_piece")


def _say_learned(words: str) -> None:
    """Say that the training is done, and lead to its tokens at the top of the page."""
    st.success(words, icon=":material/check_circle:")
    label, icon = t("pieces.see"), ":material/arrow_upward:"
    if st.button(label, icon=icon, key="pieces_see", on_click=AWAITED.put, args=(True,)):
        st.rerun()  # not only what follows the training


def _say_kept() -> None:
    """Say where the model is kept, or why it is not."""
    saved = SAVED.get()
    if saved is None or saved.saved is None:
        return
    if saved.trouble is not None:
        st.warning(t("compare.not_kept", why=error_sentence(saved.trouble)), icon=":material/save:")
    else:
        st.page_link(page("train"), label=t("pieces.kept"), icon=":material/inventory_2:")
