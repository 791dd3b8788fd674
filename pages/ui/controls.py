"""The controls of a training: pause, step, speed, to the end, stop and keep."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.ui.jobs import registry
from pages.ui.setup import PACES
from pages.ui.state import remembered
from pages.ui.words import names, t
from tokenizer_core.job import Job

CLICK_WAIT = 0.2
"""Seconds a click waits for the worker's answer, so that a step shows at once."""


def controls(job: Job) -> None:
    """Pause or resume, step, speed, run to the end, stop and keep."""

    def click(action: Callable[[], None]) -> None:
        before, learned = job.state, len(job.merges)
        steps = isinstance(action, partial) and action.func == job.step
        action()
        job.wait(CLICK_WAIT, lambda: len(job.merges) > learned if steps else job.state != before)

    def run_to_the_end() -> None:
        job.set_pace(None)
        registry().resume(job)
        st.session_state["studio_pace"] = "full"

    waits = registry().place(job) is not None
    paused = job.state == "paused"
    running = job.state == "running"
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        # One key for both, so that the keyboard stays on the button when it changes its meaning.
        st.button(
            t("studio.resume" if paused else "studio.pause"),
            icon=":material/play_arrow:" if paused else ":material/pause:",
            type="primary",
            on_click=click,
            args=(partial(registry().resume, job) if paused else job.pause,),
            disabled=waits or not (running or paused),
            key="pause",
            shortcut="P",
        )
        st.button(
            t("studio.step"),
            icon=":material/skip_next:",
            on_click=click,
            args=(partial(job.step, 1),),
            disabled=not (running or paused),
            key="step",
            shortcut="S",
        )
        st.button(
            t("studio.step_ten"),
            icon=":material/keyboard_double_arrow_right:",
            on_click=click,
            args=(partial(job.step, 10),),
            disabled=not (running or paused),
            key="step_ten",
        )
        st.button(
            t("studio.to_the_end"),
            icon=":material/fast_forward:",
            on_click=click,
            args=(run_to_the_end,),
            disabled=waits or not (running or paused) or (running and job.pace is None),
            key="to_the_end",
            shortcut="E",
        )
        st.button(t("studio.stop"), icon=":material/stop:", on_click=click, args=(job.stop,), key="stop")
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
        required=True,
        key=remembered("studio_pace", current),
        on_change=change_pace,
        label_visibility="collapsed",
        wrap=True,
    )
