"""Trainings one after another, in no list of runs: each begins when the last has ended, while somebody looks."""

from collections.abc import Callable, Generator, Iterable

import streamlit as st

from pages.ui.trainings.registry import registry
from pages.ui.words import told
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.process import Failure
from tokenizer_core.jobs.training import Training

REFRESH_SECONDS = 0.5
PATIENCE = 0.3
"""Seconds that a look at a training waits for its end, so that short ones follow each other at once."""

Plan = Generator[Training, Job | Failure, None]
"""Asks for one training after another, and is given what came of each."""


class Series:
    """Carries out a plan. It can be stopped, and goes on from the training that was under way.

    A training that fails is handed to the plan where it `takes_failures`, else it stops the series.
    """

    def __init__(self, plan: Plan, count: int, *, takes_failures: bool = False) -> None:
        self.count = count
        """Trainings in all."""
        self.done = 0
        self.is_complete = False
        self.stopped = False
        self.failure: Failure | None = None
        self.job: Job | None = None
        """The training under way."""
        self._plan = plan
        self._takes_failures = takes_failures
        self._wanted: Training | None = None

    @property
    def at_work(self) -> bool:
        """Whether there is more to train, and nothing keeps it from going on."""
        return not (self.is_complete or self.stopped or self.failure)

    @property
    def share(self) -> float:
        """How much of all is done, from 0 to 1."""
        job = self.job
        of_one = len(job.merges) / max(1, job.merge_goal) if job else 0.0
        return min(1.0, (self.done + min(1.0, of_one)) / self.count)

    def go_on(self) -> None:
        """Start the training that is wanted, or take in the one that has ended."""
        job = self.job
        if job is None or registry().get(job.id) is None:
            self._wanted = self._wanted or next(self._plan)
            try:
                job = self.job = registry().start(self._wanted)
            except TokenizerError as error:
                self._take_in(Failure.of(error))
                return
        if not job.ended:
            job.wait(PATIENCE)
        if job.ended and registry().is_warm:
            self._forget_job()
            self._take_in(job.failure or job)

    def stop(self) -> None:
        """End the training under way; it begins anew if the series goes on."""
        self._forget_job()
        self.stopped = not self.is_complete

    def resume(self) -> None:
        """Go on after a stop or a failure."""
        self.stopped, self.failure = False, None

    def _take_in(self, outcome: Job | Failure) -> None:
        if isinstance(outcome, Failure) and not self._takes_failures:
            self.failure = outcome
            return
        self.done += 1
        try:
            self._wanted = self._plan.send(outcome)
        except StopIteration:
            self.is_complete = True

    def _forget_job(self) -> None:
        if self.job is not None:
            registry().forget(self.job.id)
            self.job = None


def stop_all_but(one: Series | None, others: Iterable[Series]) -> None:
    """One series at a time: one that nobody looks at any more waits with what it has."""
    for other in others:
        if other is not one and other.at_work:
            other.stop()


def follow(series: Series, show: Callable[[], None]) -> None:
    """Carry a series on, and show what has come of it, again and again until it ends."""
    st.fragment(_live, run_every=REFRESH_SECONDS if series.at_work else None)(series, show, series.at_work)


def _live(series: Series, show: Callable[[], None], was_at_work: bool) -> None:
    """All that changes while trainings run; a fragment's errors do not reach the frame."""
    with told():
        if series.at_work:
            series.go_on()
        if series.at_work != was_at_work:
            st.rerun()  # the timer must stop, and the button come back
        show()


def show_progress(series: Series, words: str, *, stop: str, key: str) -> None:
    """How far a series is, and, while it is at work, the button that stops it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(series.done / series.count, text=words)
        if series.at_work:
            st.button(stop, icon=":material/stop:", key=key, on_click=series.stop)
