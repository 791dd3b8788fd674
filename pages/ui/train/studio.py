"""The view of a training: its progress while it runs, and what it has learned when it ends."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import streamlit as st

from pages.ui.choices.corpus_names import corpus_called
from pages.ui.choices.counts_upload import pattern_said, recipe_sentences
from pages.ui.choices.first_training import text_to_train_on
from pages.ui.choices.parallel_texts import NamedTexts
from pages.ui.choices.run_names import pattern_name
from pages.ui.choices.samples import SAMPLES, sample_texts
from pages.ui.choices.tokenizers import reference_counts
from pages.ui.deck import Slide, present
from pages.ui.deck.keys import Entry
from pages.ui.deck.mine import add_button
from pages.ui.limits import MAX_TRAININGS
from pages.ui.shell import visitor
from pages.ui.shell.navigation import page
from pages.ui.shell.sessions import spaced
from pages.ui.stage import MOST_CHARACTERS, options, stage
from pages.ui.token_view.chips import plain_token
from pages.ui.train import keys
from pages.ui.train.continuing import continue_offer, known_training
from pages.ui.train.merges import choice_rows
from pages.ui.train.race import race, race_address
from pages.ui.train.race_texts import choose_race_texts
from pages.ui.train.recipes import recipe_outcome, show_recipe
from pages.ui.train.take_along import take_run_along
from pages.ui.train.watch_link import watch_link
from pages.ui.train.what_if_view import what_if_answer, what_if_asker
from pages.ui.trainings.registry import registry
from pages.ui.widgets import written
from pages.ui.widgets.fold import fold
from pages.ui.words import as_plain_markdown, error_sentence, t, told
from tokenizer_core.errors import ModelFileError
from tokenizer_core.jobs.counted import CountedCorpus
from tokenizer_core.jobs.job import ENDED, Choice, Job
from tokenizer_core.measures.ratios import characters_per_token
from tokenizer_core.segments import TextMap
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Candidate
from tokenizer_core.vocabulary import BYTES

REFRESH_SECONDS = 1.0
RACE_SECONDS = 2.0
PAUSED_SECONDS = 1.0
"""Another tab with the same training may end a pause, so a paused training is refreshed too."""
STOP_WAIT = 0.2
SENTENCE_CHARACTERS = 80
"""Characters of the sentence that the corpus gives: they fit in three lines of large type."""
NAMED_TIES = 3
MOSTLY_THAI = 1.5
"""Bytes of a character: English has 1, Thai 3, and of a half-Thai text each has 2."""


def studio(job: Job) -> None:
    """Draw the stage, which plays the training by itself; below it what goes with it, redrawn while it runs."""
    shown = st.container()
    text = _sentence(job)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        texts, pairs_in_files = choose_race_texts()
        add_button(Entry(text=text), key="add_stage", job=job)
        watch_link(job)
        st.space("stretch")
        st.caption(_what(job))
    is_warm = registry().is_warm
    with shown, told():  # a split pattern of one's own may be too slow for the sentence
        if is_warm:
            levels = reference_counts(text)
            drawn = options(
                job, text, levels, title=t("train.title"), what=_what(job), race=race_address(job, texts)
            )
            if not present(lambda: [Slide("stage", stage={**drawn, "presents": True})]):
                _take(job, stage(drawn))
        else:
            st.skeleton(height=480)  # this process still compiles what cuts the sentence
    if job.training.counts is not None:
        _counts_said(job.training.counts)
    continue_offer(job)
    # A run of the library, which has ended, may be opened before this process is warm.
    redraws = not (job.ended and is_warm)
    refresh = PAUSED_SECONDS if job.state == "paused" else REFRESH_SECONDS
    st.fragment(_live, run_every=spaced(refresh) if redraws else None)(job, job.state, is_warm)
    with st.container():  # always one element, so that Streamlit does not redraw what follows
        take_run_along(job)
    what_if_answer(job)
    race_refresh = spaced(max(refresh, RACE_SECONDS)) if redraws else None
    st.fragment(_race, run_every=race_refresh)(job, texts, pairs_in_files)


def _take(job: Job, typed: str | None) -> None:
    """Show another sentence if the visitor typed one on the stage."""
    if typed is not None:
        keys.sentence_of(job).put(typed)
        st.rerun()


def _counts_said(counts: CountedCorpus) -> None:
    """Say that only counts were there to learn from, what was counted, and what they cannot answer."""
    with fold(t("counts.title"), key="counts_fold", icon=":material/tag:"):
        st.markdown(" ".join(recipe_sentences(counts.recipe, counts.distinct)))
        st.caption(f"{pattern_said(counts.recipe)} {t('counts.cannot')}")


def _live(job: Job, state_at_start: str, was_warm: bool) -> None:
    """Draw what changes while the training runs, and any error: a fragment's errors do not reach the frame."""
    registry().get(job.id)  # notes that it was viewed
    drawn = job.state
    with told():
        _draw(job)
    changed = drawn != state_at_start and (drawn in ENDED or "paused" in (drawn, state_at_start))
    if changed or registry().is_warm != was_warm:
        st.rerun()  # the timer must start, stop or slow down; only now, so that a click shows at once


def _race(job: Job, texts: NamedTexts, pairs_in_files: int) -> None:
    """Say who is ahead in the race, in a fragment of its own, because counting takes longest."""
    if job.curve and registry().is_warm:
        with told():
            race(job, job.tokenizer(), texts, pairs_in_files)


def _what(job: Job) -> str:
    """Say what is trained: corpus, size and pattern."""
    return t(
        "studio.what",
        corpus=corpus_called(job.training.corpus_name),
        size=job.training.vocab_size,
        pattern=pattern_name(job),
    )


def _draw(job: Job) -> None:
    """Draw the current state of the training."""
    recipe_outcome(job)
    if job.failure is not None:
        st.error(error_sentence(job.failure), icon=":material/error:")
        if job.merges:
            st.info(t("studio.kept_after_failure", merges=len(job.merges)))
    place = registry().place(job)
    if place is not None:
        st.info(t("studio.waiting", place=place, limit=MAX_TRAININGS), icon=":material/hourglass_empty:")
    if not visitor.owns(job):
        st.info(t("studio.somebody_elses"), icon=":material/visibility:")
    if not job.ended:
        with st.container(horizontal=True, vertical_alignment="center", key="controls"):
            if visitor.owns(job):
                st.button(t("studio.stop"), key="stop", icon=":material/stop:", on_click=_stop, args=(job,))
            else:
                _train_another()
    elif job.merges or not job.failure:
        _summary(job)
        _ways_on(job)
    if job.choice is not None and registry().is_warm:
        _choice(job, job.choice, job.tokenizer())


def _stop(job: Job) -> None:
    """End the training and keep what it learned; wait a moment, so that the page shows it at once."""
    job.stop()
    job.wait(STOP_WAIT, lambda: job.ended)


def _summary(job: Job) -> None:
    """Say why the training ended, and show in numbers what it learned."""
    learned = len(job.merges)
    vocab_size = BYTES + learned
    _say_why_it_ended(job, learned, vocab_size)
    if not job.curve:
        return
    before, after = job.curve[0][1], job.curve[-1][1]
    figures = st.columns(4)
    figures[0].metric(
        t("studio.metric_size"), f"{vocab_size:,}", help=t("studio.metric_size_help", bytes=BYTES, merges=learned)
    )
    figures[1].metric(t("studio.metric_tokens"), f"{after:,}", help=t("studio.metric_tokens_help", before=before))
    per_token = written.ratio_or_none(characters_per_token(job.corpus_characters, after))
    figures[2].metric(t("studio.metric_characters"), per_token, help=t("studio.metric_characters_help"))
    figures[3].metric(
        t("studio.metric_seconds"),
        t("studio.seconds_exact", seconds=_seconds(job.work_seconds)),
        help=t("studio.metric_seconds_help"),
    )
    figures[3].caption(t("studio.seconds_watched", seconds=_seconds(job.seconds)))


def _seconds(seconds: float) -> str:
    """Write seconds with two decimals below 10, and with none from 10 up.

    >>> _seconds(0.004), _seconds(0.913), _seconds(57.2)
    ('<0.01', '0.91', '57')
    """
    return "<0.01" if seconds < 0.005 else f"{seconds:.2f}" if seconds < 9.995 else f"{seconds:,.0f}"


def _say_why_it_ended(job: Job, learned: int, vocab_size: int) -> None:
    """Say that the training is done, or which rule ended it early."""
    training = job.training
    values = {"size": vocab_size, "wanted": training.vocab_size, "merges": learned, "goal": job.merge_goal}
    match job.ending:
        case "interrupted":
            st.info(t("studio.interrupted", **values), icon=":material/pause_circle:")
        case "stopped":
            st.info(t("studio.stopped", **values), icon=":material/stop_circle:")
        case "length":
            st.info(t("studio.too_long", **values), icon=":material/info:")
        case "pairs" if learned < job.merge_goal:
            key = "studio.out_of_pairs" if training.stop.min_count == 2 else "studio.out_of_frequent_pairs"
            st.info(t(key, count=training.stop.min_count, **values), icon=":material/info:")
        case "time":
            minutes = f"{(training.stop.max_seconds or 0) / 60:g}"
            st.info(t("studio.time_is_up", minutes=minutes, **values), icon=":material/timer:")
        case "beaten" if goal := training.stop.beat:
            st.success(
                t("studio.beaten", name=t(f"tokenizers.{goal.reference}"), tokens=goal.tokens, **values),
                icon=":material/flag:",
            )
        case "size" | "pairs":
            st.success(t("studio.done", **values), icon=":material/check_circle:")


def _choice(job: Job, choice: Choice, tokenizer: Tokenizer) -> None:
    """Show the pairs that could be merged next, and say why the first one wins."""
    st.header(t("studio.choice"), anchor=False)
    known = [each for each in choice.candidates if max(each.left, each.right) < tokenizer.vocab_size]
    if not known:
        st.caption(t("studio.choice_none"))
        return
    st.html(choice_rows(known, tokenizer.vocabulary))
    st.caption(_tie_sentence(choice, known, tokenizer))
    if visitor.owns(job):
        what_if_asker(job, choice, tokenizer)


def _tie_sentence(choice: Choice, known: Sequence[Candidate], tokenizer: Tokenizer) -> str:
    """Say whether the first pair is tied, with which pairs, and what decides."""
    if not choice.ties:
        return t("studio.no_tie")
    tied = [pair for pair in known[1:] if pair.count == known[0].count][:NAMED_TIES]
    pairs = [[plain_token(tokenizer.vocabulary[part]) for part in (pair.left, pair.right)] for pair in tied]
    named = ", ".join(as_plain_markdown(" + ".join(pair)) for pair in pairs)
    if choice.ties > len(tied):
        named = t("studio.tie_more", pairs=named, more=choice.ties - len(tied))
    return t("studio.tie", pairs=named, count=known[0].count)


def _sentence(job: Job) -> str:
    """Return the sentence on the stage: the visitor's, or an example, or what the corpus begins with."""
    typed = keys.sentence_of(job).get()
    return first_sentence(job)[:MOST_CHARACTERS] if typed is None else typed


def first_sentence(job: Job) -> str:
    """Return a sentence that is in no bundled text, for those and for counts; for other texts, the first line.

    A long line is cut at a space, or else where a letter with its marks ends. The library and counts have no text,
    and a link shows none.
    """
    if job.training.counts is not None:
        return t("examples.thai" if job.training.counts.bytes_each > MOSTLY_THAI else "examples.english")
    known = known_training(job)
    texts = known.texts if known else ()
    is_ours = bool(texts) and texts[0] in (sample_texts()[0], text_to_train_on(SAMPLES["th"][0]))
    if not job.opening or is_ours or not visitor.owns(job):
        return t("examples.thai")
    line = next((line.strip() for line in job.opening.split("\n") if line.strip()), "")
    if len(line) <= SENTENCE_CHARACTERS:
        return line
    ends = np.flatnonzero(TextMap(line).cluster_starts)
    cut = line[: int(ends[ends <= SENTENCE_CHARACTERS][-1])]
    return cut.rpartition(" ")[0] or cut


def _ways_on(job: Job) -> None:
    """Let the visitor compare the tokenizer, save it, or train another one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if job.merges:
            # A link, not a button: a click on a button may get lost while the page is redrawn.
            with st.container(key="to_compare", width="content"):
                st.page_link(page("compare"), label=t("studio.compare"), icon=":material/compare_arrows:")
            st.page_link(page("vocabulary"), label=t("studio.vocabulary"), icon=":material/menu_book:")
            try:
                model = job.tokenizer().model_text()
                st.download_button(
                    t("studio.download_model"),
                    model,
                    "tokenizer.model",
                    "text/plain",
                    on_click="ignore",
                    icon=":material/download:",
                )
            except ModelFileError as error:
                st.warning(error_sentence(error))
            show_recipe(job)
        _train_another("secondary" if job.merges else "primary")


def _train_another(kind: Literal["primary", "secondary"] = "secondary") -> None:
    """Lead to the settings of a training of the visitor's own."""
    if st.button(t("studio.again"), icon=":material/restart_alt:", key="again", type=kind):
        visitor.show_setup(True)
        st.rerun()
