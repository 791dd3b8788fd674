"""Series of trainings that no list shows: each starts when the previous one has ended, while the page is open."""

from collections.abc import Callable, Generator, Iterable

import streamlit as st

from pages.ui.i18n import errors_shown
from pages.ui.run_registry.registry import registry
from tokenizer_core.errors import TokenizerError
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training

REFRESH_SECONDS = 0.5
PATIENCE = 0.3
"""Seconds that each refresh waits for the end of a training, so that short ones follow each other at once."""

Plan = Generator[Training, Job | TokenizerError, None]
"""Yields one training after another, and receives the outcome of each."""


class Series:
    """Carries out a plan. After a stop, it can resume with the training that was interrupted.

    If a training fails, a series that `takes_failures` passes the failure to its plan; any other series stops.
    """

    def __init__(self, plan: Plan, count: int, *, takes_failures: bool = False) -> None:
        self.count = count
        """Trainings in total."""
        self.done = 0
        self.is_complete = False
        self.stopped = False
        self.failure: TokenizerError | None = None
        self.job: Job | None = None
        """The current training."""
        self._plan = plan
        self._takes_failures = takes_failures
        self._wanted: Training | None = None

    @property
    def at_work(self) -> bool:
        """Whether the series is neither complete, nor stopped, nor failed."""
        return not (self.is_complete or self.stopped or self.failure)

    @property
    def share(self) -> float:
        """The share of the whole series that is done, from 0 to 1."""
        job = self.job
        of_one = len(job.merges) / max(1, job.merge_goal) if job else 0.0
        return min(1.0, (self.done + min(1.0, of_one)) / self.count)

    def go_on(self) -> None:
        """Start the next training, or take the outcome of the current one if it has ended."""
        job = self.job
        if job is None or registry().get(job.id) is None:
            self._wanted = self._wanted or next(self._plan)
            try:
                job = self.job = registry().start(self._wanted)
            except TokenizerError as error:
                self._take_in(error.bare())
                return
        if not job.ended:
            job.wait(PATIENCE)
        if job.ended:
            self._forget_job()
            self._take_in(job.failure or job)

    def stop(self) -> None:
        """End the current training; if the series resumes, this training starts from the beginning."""
        self._forget_job()
        self.stopped = not self.is_complete

    def resume(self) -> None:
        """Continue after a stop or a failure."""
        self.stopped, self.failure = False, None

    def _take_in(self, outcome: Job | TokenizerError) -> None:
        if isinstance(outcome, TokenizerError) and not self._takes_failures:
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
    """Stop all series except this one, so that only one runs at a time; the others keep their outcomes."""
    for other in others:
        if other is not one and other.at_work:
            other.stop()


def follow(series: Series, show: Callable[[], None]) -> None:
    """Continue a series and show its outcomes, again and again until it ends."""
    st.fragment(_live, run_every=REFRESH_SECONDS if series.at_work else None)(series, show, series.at_work)


def _live(series: Series, show: Callable[[], None], was_at_work: bool) -> None:
    """Draw what changes while trainings run, and any error: a fragment's errors do not reach the frame."""
    with errors_shown():
        if series.at_work:
            series.go_on()
        if series.at_work != was_at_work:
            st.rerun()  # stop the timer, and bring back the button
        show()


def show_progress(series: Series, words: str, *, stop: str, key: str) -> None:
    """Show how far a series is, and the button that stops it while it runs."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(series.done / series.count, text=words)
        if series.at_work:
            st.button(stop, icon=":material/stop:", key=key, on_click=series.stop)
