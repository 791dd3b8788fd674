"""The controls of a training: pause, step, speed, run to the end, stop and keep."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from pages.ui.train import keys
from pages.ui.train.paces import PACES, pace_called, pace_of
from pages.ui.trainings.registry import registry
from pages.ui.widgets.segmented import segmented
from pages.ui.words import t
from tokenizer_core.jobs.job import Job

CLICK_WAIT = 0.2
"""Seconds that a click waits for the worker's answer, so that a step shows at once."""


def controls(job: Job) -> None:
    """Draw the buttons, and the choice of the speed."""

    def button(key: str, label: str, icon: str, action: Callable[[], None], **more: Any) -> None:
        st.button(label, key=key, icon=f":material/{icon}:", on_click=_click, args=(job, action), **more)

    waits = registry().place(job) is not None
    paused = job.state == "paused"
    stands = not (paused or job.state == "running")
    hurries = job.state == "running" and job.pace is None
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        # One key for both, so that the button keeps the keyboard focus when its meaning changes.
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
    """Send a command, and wait a moment for its effect."""
    before, learned = job.state, len(job.merges)
    steps = isinstance(action, partial) and action.func == job.step
    action()
    job.wait(CLICK_WAIT, lambda: len(job.merges) > learned if steps else job.state != before)


def _run_to_the_end(job: Job) -> None:
    """Run at full speed from now on, even after a pause."""
    job.set_pace(None)
    registry().resume(job)
    keys.pace_of_run(job).put("full")


def _pace_control(job: Job) -> None:
    """Let the visitor choose how fast merges come from now on."""
    pace = keys.pace_of_run(job)

    def change_pace() -> None:
        job.set_pace(PACES[pace.get() or "full"])

    segmented(
        t("train.pace"),
        list(PACES),
        pace_called,
        key=pace.key,
        default=pace_of(job.pace, "full"),
        on_change=change_pace,
    )
