"""The view of a training: its progress while it runs, and what it has learned when it ends."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

import streamlit as st

from pages.ui.choices.tokenizers import reference_counts
from pages.ui.limits import MAX_TRAININGS
from pages.ui.session import remembered
from pages.ui.shell import visitor
from pages.ui.shell.navigation import page
from pages.ui.token_view import token_view
from pages.ui.token_view.drawings import Drawing
from pages.ui.token_view.lanes import History, Label, Lane
from pages.ui.token_view.payload import token_payload
from pages.ui.train.controls import controls
from pages.ui.train.curves import curves
from pages.ui.train.merges import choice_rows, merge_rows, plain_token
from pages.ui.train.race import race
from pages.ui.train.recipes import recipe_outcome, show_recipe
from pages.ui.train.runs import pattern_name
from pages.ui.train.what_if_view import what_if_answer, what_if_asker
from pages.ui.trainings.registry import registry
from pages.ui.widgets import written
from pages.ui.widgets.charts import thinned
from pages.ui.words import as_plain_markdown, error_sentence, language, section, t, told
from tokenizer_core.errors import ModelFileError
from tokenizer_core.jobs.job import ENDED, Choice, Job
from tokenizer_core.measures.history import joining_merges
from tokenizer_core.measures.ratios import characters_per_token
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Candidate
from tokenizer_core.vocabulary import BYTES

REFRESH_SECONDS = 0.5
CHARTS_SECONDS = 1.0
PAUSED_SECONDS = 2.0
"""Another tab with the same training may end a pause, so a paused training is refreshed too."""
NEWEST = 8
SAMPLE_CHARACTERS = 2_000
NAMED_TIES = 3


def studio(job: Job) -> None:
    """Draw controls, progress, newest merges, sample text and curves; redraw them while the training runs."""
    refresh = None if job.ended else PAUSED_SECONDS if job.state == "paused" else REFRESH_SECONDS
    st.fragment(_live, run_every=refresh)(job, job.state)
    what_if_answer(job)
    st.fragment(_charts, run_every=None if refresh is None else max(refresh, CHARTS_SECONDS))(job)


def _live(job: Job, state_at_start: str) -> None:
    """Draw what changes while the training runs, and any error: a fragment's errors do not reach the frame."""
    registry().get(job.id)  # notes that it was viewed
    drawn = job.state
    with told():
        _draw(job)
    if drawn != state_at_start and (drawn in ENDED or "paused" in (drawn, state_at_start)):
        st.rerun()  # the timer must start, stop or slow down; only now, so that a click shows at once


def _charts(job: Job) -> None:
    """Draw the curves and the race, in a fragment of their own, because they are the slowest to draw."""
    if job.curve and registry().is_warm:
        with told():
            tokenizer = job.tokenizer()
            curves(job, tokenizer)
            race(job, tokenizer)


def _draw(job: Job) -> None:
    """Draw the current state of the training."""
    what = t(
        "studio.what", corpus=job.training.corpus_name, size=job.training.vocab_size, pattern=pattern_name(job)
    )
    st.caption(what)
    recipe_outcome(job)
    _progress(job)
    if job.failure is not None:
        st.error(error_sentence(job.failure), icon=":material/error:")
        if job.merges:
            st.info(t("studio.kept_after_failure", merges=len(job.merges)))
    if not visitor.owns(job):
        st.info(t("studio.somebody_elses"), icon=":material/visibility:")
    if not job.ended:
        if visitor.owns(job):
            controls(job)
        else:
            _train_another()
    elif job.merges or not job.failure:
        _summary(job)
        _ways_on(job)
    if (not job.ended and not job.curve) or not registry().is_warm:
        st.skeleton(height=320)  # nothing to show yet, or this process still compiles what draws it
        return
    tokenizer = job.tokenizer()
    sample, newest = st.columns([3, 2], gap="large")
    with sample:
        _sample(job, tokenizer)
    with newest:
        if job.choice is not None:
            _choice(job, job.choice, tokenizer)
        st.header(t("studio.newest"), anchor=False)
        merges = job.merges[: len(tokenizer.merges)][-NEWEST:]
        st.html(merge_rows(merges, tokenizer.vocabulary, t("studio.no_merges")))


def _progress(job: Job) -> None:
    """Show the progress: merges, share, rate and time left, or what the training waits for."""
    if job.ended:
        return
    place = registry().place(job)
    if place is not None:
        st.info(t("studio.waiting", place=place, limit=MAX_TRAININGS), icon=":material/hourglass_empty:")
    if job.state == "waiting":
        return
    if job.state in ("starting", "counting"):
        st.progress(0.0, text=t(f"studio.{job.state}"))
        return
    learned, goal = len(job.merges), job.merge_goal
    rate = learned / job.seconds if job.seconds else 0.0
    values = {"merges": learned, "goal": goal, "percent": f"{learned / goal:.0%}", "rate": f"{rate:,.0f}"}
    if job.state == "paused":
        text = t("studio.progress_paused", **values)
    else:
        pace = job.pace or rate
        left = _duration((goal - learned) / pace) if pace else "…"
        text = t("studio.progress", left=left, **values)
    st.progress(min(1.0, learned / goal), text=text)


def _duration(seconds: float) -> str:
    """Write seconds, or minutes and seconds, in words."""
    minutes, rest = divmod(round(seconds), 60)
    return t("studio.minutes", minutes=minutes, seconds=rest) if minutes else t("studio.seconds", seconds=rest)


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
        t("studio.seconds_exact", seconds=f"{job.seconds:,.2f}"),
        help=t("studio.metric_seconds_help"),
    )


def _say_why_it_ended(job: Job, learned: int, vocab_size: int) -> None:
    """Say that the training is done, or which rule ended it early."""
    training = job.training
    values = {"size": vocab_size, "wanted": training.vocab_size, "merges": learned, "goal": job.merge_goal}
    match job.ending:
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


def _next_pair(job: Job, tokenizer: Tokenizer, text: str) -> list[tuple[int, int]]:
    """Return where the pair that is merged next occurs in a text, as (start, end) in bytes."""
    choice = job.choice
    if choice is None or not choice.candidates or choice.after != len(tokenizer.merges):
        return []
    best = choice.candidates[0]
    after = Tokenizer([*tokenizer.merges, (best.left, best.right)], pattern=tokenizer.pattern)
    ids = after.encode(text)
    ends = accumulate(len(after.token_bytes(token_id)) for token_id in ids)
    size = len(after.token_bytes(after.vocab_size - 1))
    return [(end - size, end) for token_id, end in zip(ids, ends, strict=True) if token_id == after.vocab_size - 1]


def _sample(job: Job, tokenizer: Tokenizer) -> None:
    """Show a sample text in the current tokens."""
    text = _sample_text(job)
    caption = t("tokenizers.entries", count=tokenizer.vocab_size)
    ids = tokenizer.encode(text)
    lane = Lane(
        f"{job.id}@{tokenizer.vocab_size}",
        Label(t("tokenizers.mine"), caption),
        tokenizer,
        ids,
        is_own=True,
        counts=[merge.count for merge in job.merges[: len(tokenizer.merges)]],
        history=History(joining_merges(ids, tokenizer), reference_counts(text), thinned(list(job.curve))),
    )
    payload = token_payload(
        text,
        [lane],
        labels=section("token_view"),
        locale=language(),
        outlined=_next_pair(job, tokenizer, text),
    )
    token_view(Drawing(payload), key="live_sample", ruler=False, large=True, toolbar="none", max_height=None)


def _sample_text(job: Job) -> str:
    """Draw the heading, and return the text that the visitor set; at first it is the beginning of the corpus."""
    head, change = st.columns([4, 1], vertical_alignment="center")
    head.header(t("studio.sample"), anchor=False)
    with (
        change,
        st.container(horizontal_alignment="right"),
        st.popover(t("studio.sample_change"), type="tertiary"),
    ):
        text = st.text_area(
            t("studio.sample_label"),
            key=remembered(f"studio_sample_{job.id}", job.opening),
            persist_state="session",
            height=140,
            help=t("studio.sample_help", characters=SAMPLE_CHARACTERS),
        )
    text = text or ""
    if len(text) > SAMPLE_CHARACTERS:
        st.caption(t("studio.sample_cut", shown=SAMPLE_CHARACTERS, characters=len(text)))
    return text[:SAMPLE_CHARACTERS]


def _ways_on(job: Job) -> None:
    """Let the visitor compare the tokenizer, save it, or train another one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if job.merges:
            # A link, not a button: a click on a button may get lost while the page is redrawn.
            with st.container(key="to_compare", width="content"):
                st.page_link(page("compare"), label=t("studio.compare"), icon=":material/compare_arrows:")
            try:
                tokenizer = job.tokenizer()
                model = tokenizer.model_text()
                st.download_button(
                    t("studio.download_model"),
                    model,
                    "tokenizer.model",
                    "text/plain",
                    on_click="ignore",
                    icon=":material/download:",
                )
                st.download_button(
                    t("studio.download_vocab"),
                    tokenizer.vocab_text(),
                    "tokenizer.vocab",
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
