"""A SentencePiece training of the visitor: its start, its progress from the library's log, and what it gives."""

import threading

import streamlit as st

from pages.ui.choices.corpus import Corpus
from pages.ui.choices.kept_files import Shelf
from pages.ui.limits import MAX_TRAININGS, MAX_WORKER_BYTES
from pages.ui.pieces import keys
from pages.ui.pieces.lessons import ShownLane
from pages.ui.shell import visitor
from pages.ui.shell.navigation import page
from pages.ui.trainings.registry import registry
from pages.ui.widgets.fold import fold
from pages.ui.words import error_sentence, t, told
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.sentencepiece_job import SentencePieceJob
from tokenizer_core.jobs.sentencepiece_settings import SentencePieceSettings
from tokenizer_core.jobs.training import StopRules, Training
from tokenizer_core.vocabulary import BYTES

REFRESH_SECONDS = 0.4
SHOWN_LOG_LINES = 400
FIRST_WAIT = 1.0
"""Seconds to wait for a training at its start: a small one is done by then."""
TURNS = threading.Semaphore(MAX_TRAININGS)
"""Turns for the trainings of all visitors: this many run at the same time, others wait."""


def start(corpus: Corpus, settings: SentencePieceSettings) -> None:
    """Start the training, and end the one before."""
    before = keys.JOB.get()
    if before is not None:
        before.stop()
    shelf = Shelf.of_visitor()
    job = SentencePieceJob(
        corpus.texts,
        settings,
        name=corpus.name,
        turns=TURNS,
        memory_bytes=MAX_WORKER_BYTES,
        keep=shelf.store_trained,
    )
    keys.JOB.put(job)
    keys.SHELF.put(shelf)
    keys.BESIDE.forget()
    keys.LEARNED_FROM.put(corpus)
    keys.AWAITED.put(True)
    job.wait(FIRST_WAIT)


def _start_ours_beside(job: SentencePieceJob) -> None:
    """Train our BPE at the same size on the same text, once SentencePiece has succeeded."""
    corpus = keys.LEARNED_FROM.get()
    size = job.settings.vocab_size
    if job.tokenizer is None or corpus is None or keys.BESIDE.get() is not None or size <= BYTES:
        return
    training = Training(corpus.texts, size, stop=StopRules(min_count=2), corpus_name=corpus.name)
    keys.LEARNED_FROM.forget()  # if our BPE cannot start, the page says so once
    with told():
        keys.BESIDE.put(registry().start(training, owner=visitor.owner()).id)


def own_lanes() -> list[ShownLane]:
    """Return what the visitor trained: SentencePiece, and our BPE at the same size as far as it has got."""
    job = keys.JOB.get()
    assert job is not None
    assert job.tokenizer is not None
    lanes = [ShownLane("SentencePiece", job.tokenizer, t("pieces.entries", count=job.tokenizer.vocab_size))]
    beside = registry().get(keys.BESIDE.get())
    if beside is not None and beside.merges:
        ours = beside.tokenizer()
        lanes.append(ShownLane("pieces.ours", ours, t("pieces.entries", count=ours.vocab_size)))
    return lanes


def progress() -> None:
    """Draw how far the training is, and what came of it; while it runs, again and again."""
    job = keys.JOB.get()
    if job is None:
        return
    _start_ours_beside(job)
    beside = registry().get(keys.BESIDE.get())
    pending = not job.ended or (beside is not None and not beside.ended)
    st.fragment(_live, run_every=REFRESH_SECONDS if pending else None)(job, pending)


def _live(job: SentencePieceJob, was_pending: bool) -> None:
    """Draw the state of a training, and any error: a fragment's errors do not reach the frame."""
    beside = registry().get(keys.BESIDE.get())
    with told():
        if was_pending and job.ended and (beside is None or beside.ended):
            st.rerun()  # the tokens at the top are new, and the timer stops
        if not job.ended:
            _show_progress(job)
            st.button(t("pieces.stop"), icon=":material/stop:", key="pieces_stop", on_click=job.stop)
        elif job.failure is not None:
            st.error(error_sentence(job.failure), icon=":material/error:")
        elif job.stopped:
            st.info(t("pieces.stopped"), icon=":material/stop_circle:")
        else:
            _say_done(job)
        if job.log.lines:
            with fold(t("pieces.log"), icon=":material/terminal:", key="pieces_log"):
                st.code("\n".join(job.log.lines[-SHOWN_LOG_LINES:]), language=None, height=280)


def _show_progress(job: SentencePieceJob) -> None:
    if job.waits:
        st.info(t("pieces.waiting", limit=MAX_TRAININGS), icon=":material/hourglass_empty:")
        return
    learning = job.log.phase == "learning"
    words = t(f"pieces.phase_{job.log.phase}") + (f" · {job.log.share:.0%}" if learning else "")
    st.progress(job.log.share if learning else 0.0, text=words)


def _say_done(job: SentencePieceJob) -> None:
    """Say what was learned, from how much, and let it be saved."""
    tokenizer = job.tokenizer
    assert tokenizer is not None
    words = t("pieces.done", size=tokenizer.vocab_size, lines=job.log.sentences or 0, seconds=f"{job.seconds:.1f}")
    st.success(words, icon=":material/check_circle:")
    if job.log.skipped:
        said = t("pieces.skipped", lines=job.log.skipped, limit=job.settings.max_sentence_length)
        st.warning(said, icon=":material/info:")
    _say_kept()
    with st.container(horizontal=True):
        for suffix, content in (("model", tokenizer.content), ("vocab", tokenizer.vocab_text().encode())):
            st.download_button(
                t(f"pieces.download_{suffix}"),
                content,
                f"sentencepiece.{suffix}",
                "application/octet-stream" if suffix == "model" else "text/plain",
                on_click="ignore",
                icon=":material/download:",
                key=f"pieces_download_{suffix}",
            )


def _say_kept() -> None:
    """Say where the model is kept, or why it is not."""
    shelf = keys.SHELF.get()
    if shelf is None or shelf.library is None:
        return
    if shelf.trouble is not None:
        st.warning(t("compare.not_kept", why=error_sentence(shelf.trouble)), icon=":material/save:")
    else:
        st.page_link(page("train"), label=t("pieces.kept"), icon=":material/inventory_2:")


def start_told(corpus: Corpus, settings: SentencePieceSettings) -> None:
    """Start the training, or say why it cannot start."""
    try:
        with st.spinner(t("pieces.starting"), show_time=True):
            start(corpus, settings)
    except TokenizerError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return
    st.rerun()
