"""Trainings pressed in any order: the registry keeps its promises after each press, and no merge is ever wrong."""

import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from pages.ui.run_registry import registry as trainings
from pages.ui.run_registry.registry import AT_WORK, Registry
from tests.helpers.browser import PATIENCE
from tests.helpers.jobs import LETTERS, SMALL
from tokenizer_core import Trainer, count_pretokens
from tokenizer_core.bpe.vocabulary import Pair
from tokenizer_core.errors import TrainingError
from tokenizer_core.saved_runs.folder import Quota, SavedRuns
from tokenizer_core.workers import training_job as jobs
from tokenizer_core.workers.child import Child
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Pace, Training

OWNER = "me"
TEXTS = [SMALL, " ".join(f"{a}{b}{b}{a}" for a in LETTERS for b in LETTERS)]
PACES: tuple[Pace, ...] = (2.0, 60.0, None, "gathering")
LIMITS = {"MAX_TRAININGS": 2, "MAX_PAUSED": 2, "SAVED_RUNS_ENTRIES": 6, "MAX_KEPT_CHARACTERS": 3 * len(SMALL)}
"""Limits that are soon reached."""
numbers = st.integers(0, LIMITS["SAVED_RUNS_ENTRIES"] - 1)


@cache
def undisturbed(text: str, given: tuple[Pair, ...]) -> list[Pair]:
    """The merges that a training learns if nobody presses anything."""
    trainer = Trainer(count_pretokens(text, "mark_aware"), 1_200)
    first = [trainer.join(*pair) for pair in given]
    return [(merge.left, merge.right) for merge in [*first, *trainer.step(1_000)]]


class AnyOrder(RuleBasedStateMachine):
    """What a visitor and the system can do to trainings, and what must hold whatever they do."""

    def __init__(self) -> None:
        super().__init__()
        self.workers: list[Child] = []
        self.texts: dict[str, str] = {}
        self.seen: dict[str, int] = {}
        """Merges that were seen of each training: none may be lost as long as it is known."""
        self.patches = ExitStack()
        self.folder = Path(self.patches.enter_context(tempfile.TemporaryDirectory()))
        for name, limit in LIMITS.items():
            self.patches.enter_context(patch.object(trainings, name, limit))
        for module in (trainings, jobs):
            self.patches.enter_context(patch.object(module, "start_worker", self.start_worker))
        self.registry = self.opened()

    def opened(self) -> Registry:
        return Registry(SavedRuns(self.folder, Quota(LIMITS["SAVED_RUNS_ENTRIES"], 2**24)))

    def start_worker(self) -> Child:
        self.workers.append(Child("training_worker"))
        return self.workers[-1]

    def jobs(self, number: int) -> list[Job]:
        """One of the owner's trainings, if there is any."""
        runs = self.registry.runs(OWNER)
        return [runs[number % len(runs)].job] if runs else []

    @rule(text=st.sampled_from(TEXTS), pace=st.sampled_from(PACES))
    def begin(self, text: str, pace: Pace, given: tuple[Pair, ...] = ()) -> None:
        training = Training([text], 1_200, pace=pace, given=given)
        if len(self.registry.runs(OWNER)) < LIMITS["SAVED_RUNS_ENTRIES"]:
            self.texts[self.registry.start(training, owner=OWNER).id] = text
        else:
            with pytest.raises(TrainingError) as caught:
                self.registry.start(training, owner=OWNER)
            assert caught.value.code == "too_many_runs"

    @rule(number=numbers)
    def pause(self, number: int) -> None:
        for job in self.jobs(number):
            job.pause()

    @rule(number=numbers, times=st.integers(1, 2))
    def resume(self, number: int, times: int) -> None:
        for job in self.jobs(number) * times:
            self.registry.resume(job)

    @rule(number=numbers, merges=st.integers(1, 3))
    def step_on(self, number: int, merges: int) -> None:
        for job in self.jobs(number):
            job.step(merges)

    @rule(number=numbers, pace=st.sampled_from(PACES))
    def play(self, number: int, pace: Pace) -> None:
        for job in self.jobs(number):
            job.set_pace(pace)

    @rule(number=numbers)
    def stop(self, number: int) -> None:
        for job in self.jobs(number):
            job.stop()

    @rule(number=numbers, after=st.integers(0, 6), choice=st.integers(0, 2))
    def what_if(self, number: int, after: int, choice: int) -> None:
        for job in self.jobs(number):
            begun = [(merge.left, merge.right) for merge in job.merges[:after]]
            trainer = Trainer(count_pretokens(self.texts[job.id], "mark_aware"), 1_200)
            for pair in begun:
                trainer.join(*pair)
            other = trainer.candidates(3)[choice]
            self.begin(self.texts[job.id], None, (*begun, (other.left, other.right)))

    @rule(number=numbers)
    def delete(self, number: int) -> None:
        for job in self.jobs(number):
            self.registry.delete(OWNER, job.id)
            del self.texts[job.id]
            assert self.registry.run(job.id) is None
            assert job.ended

    @rule(number=numbers)
    def kill_worker(self, number: int) -> None:
        for job in self.jobs(number):
            if job._worker is not None:
                job._worker.kill()

    @rule(number=numbers)
    def reload_and_rename(self, number: int) -> None:
        for job in self.jobs(number):
            assert self.registry.get(job.id) is not None
            self.registry.rename(job.id, "a name")

    @rule(number=numbers, seconds=st.floats(0, 0.2))
    def wait(self, number: int, seconds: float) -> None:
        for job in self.jobs(number):
            job.wait(seconds)

    @rule()
    def sweep(self) -> None:
        self.registry.sweep()

    @rule()
    def restart(self) -> None:
        known = {run.job.id for run in self.registry.runs(OWNER)}
        self.end()
        self.registry = self.opened()
        assert {run.job.id for run in self.registry.runs(OWNER)} == known

    @invariant()
    def promises(self) -> None:
        """What holds at any moment, and what holds as soon as the workers have said what they do."""
        registry = self.registry
        with registry._lock:
            assert len(registry._at_work) <= LIMITS["MAX_TRAININGS"]
            assert len(set(registry._queue)) == len(registry._queue)
            assert not {job.id for job in registry._queue} & registry._at_work
            assert {run.job.id for run in registry._runs.values()} == set(self.texts)
        for run in registry.runs(OWNER):
            learned = [(merge.left, merge.right) for merge in run.job.merges]
            assert learned == undisturbed(self.texts[run.job.id], tuple(run.job.training.given))[: len(learned)]
            assert len(learned) >= self.seen.get(run.job.id, 0)
            self.seen[run.job.id] = len(learned)
        self.wait_until(self.are_turns_right)
        self.wait_until(self.are_workers_right)

    def are_turns_right(self) -> bool:
        registry = self.registry
        with registry._lock:
            states = {job_id: run.job.state for job_id, run in registry._runs.items()}
            queued = {job.id for job in registry._queue}
            return (
                {job_id for job_id, state in states.items() if state in AT_WORK} <= registry._at_work
                and not any(states[job_id] in jobs.ENDED for job_id in queued | registry._at_work)
                and {job_id for job_id, state in states.items() if state == "waiting"} <= queued
                and (not queued or len(registry._at_work) == LIMITS["MAX_TRAININGS"])
            )

    def are_workers_right(self) -> bool:
        """A process for each training at work or paused, a spare one, and no other."""
        registry = self.registry
        with registry._lock:
            alive = [worker for worker in self.workers if worker.is_alive()]
            wanted = [run.job._worker for run in registry._runs.values() if not run.job.ended]
            return all(worker in [*wanted, registry._spare] for worker in alive)

    def is_within_limits(self) -> bool:
        self.registry.sweep()
        runs = [run.job for run in self.registry.runs(OWNER)]
        kept = {id(text): len(text) for job in runs for text in job.training.texts}
        is_small = sum(kept.values()) <= LIMITS["MAX_KEPT_CHARACTERS"]
        paused = [job for job in runs if job.state == "paused" and self.registry.place(job) is None]
        has_no_more = not any(job.ended and job.training.texts for job in runs)
        return (is_small or has_no_more) and len(paused) <= LIMITS["MAX_PAUSED"]

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait for what threads and processes are about to do."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, (holds, [run.job.state for run in self.registry.runs(OWNER)])
            time.sleep(0.01)

    def end(self) -> None:
        """End the app, and check that nothing of it is left."""
        registry = self.registry
        registry.close()
        self.wait_until(lambda: not any(worker.is_alive() for worker in self.workers))
        left: list[Any] = [*registry._runs, *registry._queue, *registry._at_work]
        assert not left

    def teardown(self) -> None:
        with self.patches:
            try:
                self.wait_until(self.is_within_limits)
            finally:
                self.end()


def test_no_order_of_presses_breaks_a_promise() -> None:
    examples = settings().max_examples // 4
    chosen = settings(max_examples=examples, stateful_step_count=25, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(AnyOrder, settings=chosen)


def test_a_training_that_is_resumed_twice_does_not_wait_while_it_runs() -> None:
    machine = AnyOrder()
    try:
        for text in TEXTS:
            machine.begin(text, 2.0)
        first, second = (run.job for run in machine.registry.runs(OWNER))
        machine.wait_until(lambda: first.state == second.state == "running")
        first.pause()
        machine.wait_until(lambda: first.state == "paused")
        machine.resume(0, 2)
        assert machine.registry.place(first) is None
        machine.promises()
    finally:
        machine.teardown()
