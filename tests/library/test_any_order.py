"""Trainings pressed in any order: the registry keeps its promises after each press, and no merge is ever wrong."""

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from pages.ui.trainings import registry as trainings
from pages.ui.trainings.registry import AT_WORK, Registry
from tests.helpers.browser import PATIENCE
from tests.helpers.jobs import LETTERS, SMALL
from tokenizer_core import Trainer, count_pretokens
from tokenizer_core.errors import TrainingError
from tokenizer_core.jobs import job as jobs
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.kept import can_continue
from tokenizer_core.jobs.library import Library, Quota
from tokenizer_core.jobs.process import Process, start_process
from tokenizer_core.jobs.training import Training
from tokenizer_core.vocabulary import Pair

OWNER = "me"
TEXTS = [SMALL, " ".join(f"{a}{b}{b}{a}" for a in LETTERS for b in LETTERS)]
AT_ONCE, PAUSED, RUNS, CHARACTERS = 2, 2, 6, 3 * len(SMALL)
"""Limits that are soon reached: trainings at work, paused workers, runs of an owner, characters kept."""
PACES = (2.0, 60.0, None, "gathering")


@cache
def undisturbed(text: str, given: tuple[Pair, ...]) -> list[Pair]:
    """The merges that a training learns if nobody presses anything."""
    trainer = Trainer(count_pretokens(text, "mark_aware"), 1_200)
    first = [trainer.join(*pair) for pair in given]
    return [(merge.left, merge.right) for merge in [*first, *trainer.step(1_000)]]


class Trainings:
    """What a visitor, the system and the clock can do to trainings, and what must hold whatever they do."""

    def __init__(self) -> None:
        self.workers: list[Process] = []
        self.texts: dict[str, str] = {}
        self.least: dict[str, int] = {}
        """Merges that were seen of each training: none may be lost as long as it is known."""
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        limits: dict[str, Any] = {"MAX_TRAININGS": AT_ONCE, "MAX_PAUSED": PAUSED, "LIBRARY_ENTRIES": RUNS}
        for name, limit in {**limits, "MAX_KEPT_CHARACTERS": CHARACTERS}.items():
            self._stack.enter_context(patch.object(trainings, name, limit))
        for module in (trainings, jobs):
            self._stack.enter_context(patch.object(module, "start_worker", self._start_worker))
        self.registry = self._opened()

    def _opened(self) -> Registry:
        return Registry(Library(self._folder / "library", Quota(RUNS, 2**24)))

    def _start_worker(self) -> Process:
        self.workers.append(start_process("worker"))
        return self.workers[-1]

    def job(self, number: int) -> Job | None:
        """One of the owner's trainings."""
        runs = self.registry.runs(OWNER)
        return runs[number % len(runs)].job if runs else None

    # ---- what can be pressed

    def begin(self, text: str, pace: float | str | None, given: tuple[Pair, ...] = ()) -> None:
        """Start a training, unless the owner has too many."""
        training = Training([text], 1_200, pace=pace, given=given)  # type: ignore[arg-type]
        if len(self.registry.runs(OWNER)) < RUNS:
            self.texts[self.registry.start(training, owner=OWNER).id] = text
        else:
            with pytest.raises(TrainingError, match="runs are kept"):
                self.registry.start(training, owner=OWNER)

    def press(self, command: str, number: int, value: int) -> None:
        """Do one thing to one training."""
        if (job := self.job(number)) is not None:
            getattr(self, f"_{command}")(job, value)

    def _pause(self, job: Job, value: int) -> None:
        job.pause()

    def _resume(self, job: Job, value: int) -> None:
        self.registry.resume(job)

    def _resume_twice(self, job: Job, value: int) -> None:
        self.registry.resume(job)
        self.registry.resume(job)

    def _step(self, job: Job, value: int) -> None:
        job.step(1 + value % 3)

    def _play(self, job: Job, value: int) -> None:
        job.set_pace(PACES[value % len(PACES)])  # type: ignore[arg-type]

    def _stop(self, job: Job, value: int) -> None:
        job.stop()

    def _what_if(self, job: Job, value: int) -> None:
        after = min(value % 7, job.learned)
        begun = [(merge.left, merge.right) for merge in job.merges[:after]]
        trainer = Trainer(count_pretokens(self.texts[job.id], "mark_aware"), 1_200)
        for pair in begun:
            trainer.join(*pair)
        other = trainer.candidates(3)[value % 3]
        self.begin(self.texts[job.id], None, (*begun, (other.left, other.right)))

    def _forget(self, job: Job, value: int) -> None:
        self.registry.delete(OWNER, job.id)
        self.texts.pop(job.id)
        self.least.pop(job.id, None)
        assert self.registry.run(job.id) is None
        assert job.ended

    def _kill(self, job: Job, value: int) -> None:
        if job._worker is not None:
            job._worker.kill()

    def _go_on(self, job: Job, value: int) -> None:
        if can_continue(job):
            continued = self.registry.continue_run(job.id, [self.texts[job.id]])
            assert continued is not None
            assert continued.id == job.id

    def _reload(self, job: Job, value: int) -> None:
        assert self.registry.get(job.id) is not None

    def _rename(self, job: Job, value: int) -> None:
        self.registry.rename(job.id, f"run {value}")

    def _wait(self, job: Job, value: int) -> None:
        job.wait(0.02 * (value % 10))

    def _sweep(self, job: Job, value: int) -> None:
        self.registry.sweep()

    def restart(self) -> None:
        """End the app and start it again: what was kept comes back."""
        known = {run.job.id for run in self.registry.runs(OWNER)}
        self.registry.close()
        self.all_workers_end()
        self.registry = self._opened()
        assert {run.job.id for run in self.registry.runs(OWNER)} == known

    # ---- what must hold

    def promises(self) -> None:
        """What holds at any moment, and what holds as soon as the workers have said what they do."""
        registry = self.registry
        with registry._lock:
            assert len(registry._at_work) <= AT_ONCE
            assert len(set(registry._queue)) == len(registry._queue)
            assert not {job.id for job in registry._queue} & registry._at_work
            assert {job.id for job in registry._queue} | registry._at_work <= set(registry._runs)
            assert {run.job.id for run in registry._runs.values()} == set(self.texts)
        for run in registry.runs(OWNER):
            learned = [(merge.left, merge.right) for merge in run.job.merges]
            text = self.texts[run.job.id]
            assert learned == undisturbed(text, tuple(run.job.training.given))[: len(learned)]
            assert len(learned) >= self.least.get(run.job.id, 0)
            self.least[run.job.id] = len(learned)
        self.wait_until(self._are_turns_right)
        self.wait_until(self._are_workers_right)

    def _are_turns_right(self) -> bool:
        registry = self.registry
        with registry._lock:
            states = {job_id: run.job.state for job_id, run in registry._runs.items()}
            queued = {job.id for job in registry._queue}
            at_work = {job_id for job_id, state in states.items() if state in AT_WORK}
            return (
                at_work <= registry._at_work
                and not any(states[job_id] in jobs.ENDED for job_id in queued | registry._at_work)
                and {job_id for job_id, state in states.items() if state == "waiting"} <= queued
                and (not queued or len(registry._at_work) == AT_ONCE)
            )

    def _are_workers_right(self) -> bool:
        """A process for each training at work or paused, a spare one, and no other."""
        registry = self.registry
        with registry._lock:
            alive = [worker for worker in self.workers if worker.poll() is None]
            wanted = [run.job._worker for run in registry._runs.values() if not run.job.ended]
            return all(worker in [*wanted, registry._spare] for worker in alive)

    def limits(self) -> None:
        """After a sweep, no more is kept than the limits allow; what ends meanwhile waits for the next one."""
        self.wait_until(self._keeps_little)

    def _keeps_little(self) -> bool:
        self.registry.sweep()
        runs = self.registry.runs(OWNER)
        ended = [run.job for run in runs if run.job.ended and run.job.training.texts]
        kept = {id(text): len(text) for run in runs for text in run.job.training.texts}
        paused = sum(self._waits_paused(run.job) for run in runs)
        return (sum(kept.values()) <= CHARACTERS or not ended) and paused <= PAUSED

    def _waits_paused(self, job: Job) -> bool:
        return job.state == "paused" and self.registry.place(job) is None

    def all_workers_end(self) -> None:
        """No process is left."""
        self.wait_until(lambda: all(worker.poll() is not None for worker in self.workers))

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait for what threads and processes are about to do."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, (holds, [run.job.state for run in self.registry.runs(OWNER)])
            time.sleep(0.01)

    def close(self) -> None:
        """End everything, and check that it has ended."""
        try:
            self.registry.close()
            self.all_workers_end()
            assert not self.registry._runs
            assert not self.registry._queue
            assert not self.registry._at_work
        finally:
            self._stack.close()


COMMANDS = (
    *("pause", "resume", "resume_twice", "step", "play", "stop", "what_if", "forget", "kill", "go_on", "reload"),
    *("rename", "wait", "sweep"),
)


class AnyOrder(RuleBasedStateMachine):
    """The same, with orders that hypothesis finds and shortens."""

    def __init__(self) -> None:
        super().__init__()
        self.trainings = Trainings()

    @rule(text=st.sampled_from(TEXTS), pace=st.sampled_from(PACES))
    def begin(self, text: str, pace: float | str | None) -> None:
        self.trainings.begin(text, pace)

    @rule(command=st.sampled_from(COMMANDS), number=st.integers(0, RUNS - 1), value=st.integers(0, 20))
    def press(self, command: str, number: int, value: int) -> None:
        self.trainings.press(command, number, value)

    @rule()
    def restart(self) -> None:
        self.trainings.restart()

    @invariant()
    def promises_hold(self) -> None:
        self.trainings.promises()

    def teardown(self) -> None:
        try:
            self.trainings.limits()
        finally:
            self.trainings.close()


@pytest.fixture
def pressed() -> Iterator[Trainings]:
    """No training yet."""
    found = Trainings()
    yield found
    found.close()


def press_in_any_order(trainings: Trainings, seeded: random.Random, presses: int) -> None:
    """Press as often, and check what must hold after each."""
    for _ in range(presses):
        if seeded.randrange(4) == 0:
            trainings.begin(seeded.choice(TEXTS), seeded.choice(PACES))
        elif seeded.randrange(30) == 0:
            trainings.restart()
        else:
            trainings.press(seeded.choice(COMMANDS), seeded.randrange(RUNS), seeded.randrange(20))
        trainings.promises()
    trainings.limits()


def test_no_press_breaks_a_promise(pressed: Trainings) -> None:
    press_in_any_order(pressed, random.Random(1), 40)


def test_a_training_that_is_resumed_twice_does_not_wait_while_it_runs(pressed: Trainings) -> None:
    pressed.begin(TEXTS[0], 2.0)
    pressed.begin(TEXTS[1], 2.0)
    first, second = (run.job for run in pressed.registry.runs(OWNER))
    pressed.wait_until(lambda: first.state == second.state == "running")
    first.pause()
    pressed.wait_until(lambda: first.state == "paused")
    pressed.registry.resume(first)
    pressed.registry.resume(first)
    assert pressed.registry.place(first) is None
    pressed.promises()


@pytest.mark.long
def test_no_order_of_presses_breaks_a_promise() -> None:
    chosen = settings(max_examples=60, stateful_step_count=30, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(AnyOrder, settings=chosen)
