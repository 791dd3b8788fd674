"""The controls of a training: pause, step, speed, to the end, stop and keep."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from pages.ui.shell.visitor import remembered
from pages.ui.train.setup import PACES
from pages.ui.trainings.registry import registry
from pages.ui.words import names, t
from tokenizer_core.jobs.job import Job

CLICK_WAIT = 0.2
"""Seconds a click waits for the worker's answer, so that a step shows at once."""


def controls(job: Job) -> None:
    """Pause or resume, step, speed, run to the end, stop and keep."""

    def button(key: str, label: str, icon: str, action: Callable[[], None], **more: Any) -> None:
        st.button(label, key=key, icon=f":material/{icon}:", on_click=_click, args=(job, action), **more)

    waits = registry().place(job) is not None
    paused = job.state == "paused"
    stands = not (paused or job.state == "running")
    hurries = job.state == "running" and job.pace is None
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        # One key for both, so that the keyboard stays on the button when it changes its meaning.
        first: dict[str, Any] = {"type": "primary", "shortcut": "P", "disabled": waits or stands}
        if paused:
            button("pause", t("studio.resume"), "play_arrow", partial(registry().resume, job), **first)
        else:
            button("pause", t("studio.pause"), "pause", job.pause, **first)
        button("step", t("studio.step"), "skip_next", partial(job.step, 1), shortcut="S", disabled=stands)
        ten = partial(job.step, 10)
        button("step_ten", t("studio.step_ten"), "keyboard_double_arrow_right", ten, disabled=stands)
        end, no_use = partial(_run_to_the_end, job), waits or stands or hurries
        button("to_the_end", t("studio.to_the_end"), "fast_forward", end, shortcut="E", disabled=no_use)
        button("stop", t("studio.stop"), "stop", job.stop)
        _pace_control(job)


def _click(job: Job, action: Callable[[], None]) -> None:
    """Give a command, and wait a moment for what it brings about."""
    before, learned = job.state, len(job.merges)
    steps = isinstance(action, partial) and action.func == job.step
    action()
    job.wait(CLICK_WAIT, lambda: len(job.merges) > learned if steps else job.state != before)


def _run_to_the_end(job: Job) -> None:
    """Full speed from now on, also out of a pause."""
    job.set_pace(None)
    registry().resume(job)
    st.session_state[_pace_key(job)] = "full"


def _pace_key(job: Job) -> str:
    """Each run has a speed of its own, and a control that shows it."""
    return f"studio_pace_{job.id}"


def _pace_control(job: Job) -> None:
    """How fast merges come, from now on."""

    def change_pace() -> None:
        job.set_pace(PACES[st.session_state[_pace_key(job)]])

    current = next((name for name, pace in PACES.items() if pace == job.pace), "full")
    st.segmented_control(
        t("train.pace"),
        list(PACES),
        format_func=names("train.pace_{}", PACES),
        required=True,
        key=remembered(_pace_key(job), current),
        on_change=change_pace,
        label_visibility="collapsed",
        wrap=True,
    )
