"""A training as it runs, and what it has learned when it ends."""

from itertools import accumulate

import streamlit as st

from pages.ui import state
from pages.ui.cached import reference_counts
from pages.ui.charts import token_curve
from pages.ui.jobs import registry
from pages.ui.merges import choice_rows, merge_rows
from pages.ui.navigation import go
from pages.ui.setup import PACES
from pages.ui.token_view import Column, Drawing, token_payload, token_view
from pages.ui.words import error_sentence, language, names, section, t, told
from tokenizer_core.errors import ModelFileError
from tokenizer_core.history import joining_merges
from tokenizer_core.job import Choice, Job
from tokenizer_core.minbpe_files import model_text, vocab_text
from tokenizer_core.patterns import SPLIT_PATTERNS
from tokenizer_core.tokenizer import BYTES, Tokenizer

REFRESH_SECONDS = 0.5
PAUSED_SECONDS = 2.0
"""A pause may be ended elsewhere, in another tab of the same training."""
CLICK_WAIT = 0.15
"""Seconds a click waits for the worker's answer, so that a step shows at once."""
NEWEST = 8
SAMPLE_CHARACTERS = 2_000


def studio(job: Job) -> None:
    """Controls, progress, newest merges, the curve and the sample text; renewed while the training runs."""
    refresh = None if job.ended else PAUSED_SECONDS if job.state == "paused" else REFRESH_SECONDS
    live = st.fragment(_live, run_every=refresh)
    live(job, job.state)


def _live(job: Job, state_at_start: str) -> None:
    """All that changes while the training runs; a fragment's errors do not reach the frame."""
    registry().get(job.id)  # notes that somebody watches it
    with told():
        _draw(job, state_at_start)


def _draw(job: Job, state_at_start: str) -> None:
    """The studio of this moment."""
    if job.state != state_at_start and (job.ended or "paused" in (job.state, state_at_start)):
        st.rerun()  # the timer must start or stop, and downloads appear
    st.caption(
        t(
            "studio.what",
            corpus=job.training.corpus_name,
            size=job.training.vocab_size,
            pattern=_pattern_name(job),
        )
    )
    _progress(job)
    if job.failure is not None:
        st.error(error_sentence(job.failure), icon=":material/error:")
        if job.merges:
            st.info(t("studio.kept_after_failure", merges=len(job.merges)))
    if not job.ended:
        _controls(job)
    elif job.merges or not job.failure:
        _summary(job)
        _ways_on(job)
    if (not job.ended and not job.curve) or not registry().is_warm:
        st.skeleton(height=320)  # nothing to show yet, or this process is still compiling what draws it
        return
    tokenizer = job.tokenizer()
    sample, newest = st.columns([3, 2], gap="large")
    with sample:
        _sample(job, tokenizer)
    with newest:
        if job.choice is not None:
            _choice(job.choice, tokenizer)
        st.header(t("studio.newest"), anchor=False)
        merges = job.merges[: len(tokenizer.merges)][-NEWEST:]
        st.html(merge_rows(merges, tokenizer.vocabulary, t("studio.no_merges")))
    st.header(t("studio.curve"), anchor=False)
    _curve(job)


def _pattern_name(job: Job) -> str:
    known = job.training.pattern in SPLIT_PATTERNS
    return t(f"pattern.{job.training.pattern}_name") if known else t("pattern.custom_name")


def _progress(job: Job) -> None:
    """How far it is: merges, share, rate and time left, or what is being waited for."""
    if job.ended:
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
    """Seconds, or minutes and seconds, in words."""
    minutes, rest = divmod(round(seconds), 60)
    return t("studio.minutes", minutes=minutes, seconds=rest) if minutes else t("studio.seconds", seconds=rest)


def _controls(job: Job) -> None:
    """Pause or resume, step, speed, stop and keep."""

    def click(command: str, *values: int) -> None:
        getattr(job, command)(*values)
        job.wait(CLICK_WAIT)

    paused = job.state == "paused"
    running = job.state == "running"
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        # One key for both, so that the keyboard stays on the button when it changes its meaning.
        st.button(
            t("studio.resume" if paused else "studio.pause"),
            icon=":material/play_arrow:" if paused else ":material/pause:",
            type="primary",
            on_click=click,
            args=("resume" if paused else "pause",),
            disabled=not (running or paused),
            key="pause",
            shortcut="P",
        )
        st.button(
            t("studio.step"),
            icon=":material/skip_next:",
            on_click=click,
            args=("step",),
            disabled=not (running or paused),
            key="step",
            shortcut="S",
        )
        st.button(
            t("studio.step_ten"),
            icon=":material/keyboard_double_arrow_right:",
            on_click=click,
            args=("step", 10),
            disabled=not (running or paused),
            key="step_ten",
        )
        st.button(t("studio.stop"), icon=":material/stop:", on_click=click, args=("stop",), key="stop")
        _pace_control(job)


def _pace_control(job: Job) -> None:
    """How fast merges come, from now on."""

    def change_pace() -> None:
        job.set_pace(PACES[st.session_state["studio_pace"]])

    current = next((name for name, pace in PACES.items() if pace == job.pace), "full")
    st.segmented_control(
        t("train.pace"),
        list(PACES),
        format_func=names("train.pace_{}", PACES),
        default=current,
        required=True,
        key="studio_pace",
        on_change=change_pace,
        label_visibility="collapsed",
        wrap=True,
    )


def _summary(job: Job) -> None:
    """What was learned, in numbers, and the way on."""
    learned = len(job.merges)
    vocab_size = BYTES + learned
    if job.state == "stopped":
        st.info(t("studio.stopped", merges=learned, goal=job.merge_goal), icon=":material/stop_circle:")
    elif job.too_long:
        st.info(t("studio.too_long", size=vocab_size, wanted=job.training.vocab_size), icon=":material/info:")
    elif job.out_of_pairs and learned < job.merge_goal:
        st.info(t("studio.out_of_pairs", size=vocab_size, wanted=job.training.vocab_size), icon=":material/info:")
    elif job.state == "done":
        st.success(t("studio.done", merges=learned), icon=":material/check_circle:")
    if not job.curve:
        return
    before, after = job.curve[0][1], job.curve[-1][1]
    figures = st.columns(4)
    figures[0].metric(
        t("studio.metric_size"), f"{vocab_size:,}", help=t("studio.metric_size_help", bytes=BYTES, merges=learned)
    )
    figures[1].metric(t("studio.metric_tokens"), f"{after:,}", help=t("studio.metric_tokens_help", before=before))
    per_token = f"{job.corpus_characters / after:.2f}" if after else "–"
    figures[2].metric(t("studio.metric_characters"), per_token, help=t("studio.metric_characters_help"))
    figures[3].metric(
        t("studio.metric_seconds"),
        t("studio.seconds_exact", seconds=f"{job.seconds:,.2f}"),
        help=t("studio.metric_seconds_help"),
    )


def _curve(job: Job) -> None:
    """Tokens of the corpus against merges."""
    if len(job.curve) < 2:
        st.skeleton(height=260)
        return
    points = list(job.curve)
    rows, spec = token_curve(points, job.merge_goal, t("studio.axis_merges"), t("studio.axis_tokens"))
    first, last = points[0][1], points[-1][1]
    sentence = t("studio.curve_says", first=first, last=last, merges=points[-1][0])
    st.vega_lite_chart(rows, spec, key="curve", alt=sentence)
    st.caption(sentence)


def _choice(choice: Choice, tokenizer: Tokenizer) -> None:
    """The pairs that could be merged next, and why the first one wins."""
    st.header(t("studio.choice"), anchor=False)
    known = [each for each in choice.candidates if max(each.left, each.right) < tokenizer.vocab_size]
    if not known:
        st.caption(t("studio.choice_none"))
        return
    st.html(choice_rows(known, tokenizer.vocabulary))
    if choice.ties:
        st.caption(t("studio.tie", ties=choice.ties, count=known[0].count))
    else:
        st.caption(t("studio.no_tie"))


def _next_pair(job: Job, tokenizer: Tokenizer, text: str) -> list[tuple[int, int]]:
    """Where the pair that is merged next stands in a text: bytes, by start and end."""
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
    """A sample text, at first the beginning of the corpus, in the tokens of this moment."""
    head, change = st.columns([4, 1], vertical_alignment="center")
    head.header(t("studio.sample"), anchor=False)
    with (
        change,
        st.container(horizontal_alignment="right"),
        st.popover(t("studio.sample_change"), type="tertiary"),
    ):
        text = st.text_area(
            t("studio.sample_label"),
            key=state.remembered(f"studio_sample_{job.id}", job.opening),
            persist_state="session",
            height=140,
            help=t("studio.sample_help", characters=SAMPLE_CHARACTERS),
        )
    text = text or ""
    if len(text) > SAMPLE_CHARACTERS:
        st.caption(t("studio.sample_cut", shown=SAMPLE_CHARACTERS, characters=len(text)))
    text = text[:SAMPLE_CHARACTERS]
    caption = t("tokenizers.entries", count=tokenizer.vocab_size)
    ids = tokenizer.encode(text)
    column = Column(
        t("tokenizers.mine"),
        caption,
        ids,
        tokenizer,
        merges=tokenizer.merges,
        counts=[merge.count for merge in job.merges[: len(tokenizer.merges)]],
        joined=joining_merges(ids, tokenizer),
        levels=reference_counts(text),
    )
    payload = token_payload(
        text,
        [column],
        labels=section("token_view"),
        locale=language(),
        outlined=_next_pair(job, tokenizer, text),
    )
    token_view(Drawing(payload), key="live_sample", ruler=False, large=True, toolbar="none", max_height=None)


def _ways_on(job: Job) -> None:
    """Take the tokenizer away, compare it, or train another."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if job.merges:
            if st.button(t("studio.compare"), type="primary", icon=":material/compare_arrows:", key="to_compare"):
                go("compare")
            try:
                tokenizer = job.tokenizer()
                model = model_text(tokenizer)
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
                    vocab_text(tokenizer),
                    "tokenizer.vocab",
                    "text/plain",
                    on_click="ignore",
                    icon=":material/download:",
                )
            except ModelFileError as error:
                st.warning(error_sentence(error))
        if st.button(
            t("studio.again"),
            icon=":material/restart_alt:",
            key="again",
            type="secondary" if job.merges else "primary",
        ):
            state.show_setup(True)
            st.rerun()
