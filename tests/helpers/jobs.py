"""Trainings and other processes, started and waited for."""

import os
import time
from collections.abc import Callable

from tests.helpers.browser import PATIENCE
from tokenizer_core import Merge, Trainer, count_pretokens
from tokenizer_core.workers.training_job import Job, State

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SMALL = " ".join(f"{a}{b}{a} ที่{b}{a}" for a in LETTERS for b in "aeiouy")
LARGE = " ".join(a + b + c + a for a in LETTERS for b in LETTERS for c in LETTERS)
Start = Callable[..., Job]


def wait_until(job: Job, reached: Callable[[], object]) -> None:
    """Wait for what the worker's events bring about."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, f"still {job.state} with {len(job.merges)} merges"
        job.wait(0.05)


def wait_for(job: Job, *states: State) -> None:
    wait_until(job, lambda: job.state in states)


def learned(text: str, vocab_size: int, pattern: str = "mark_aware") -> list[Merge]:
    return Trainer(count_pretokens(text, pattern), vocab_size).step(vocab_size)


def kill_worker(job: Job) -> None:
    """End the process of a job, as the system does when memory is short."""
    assert job._worker is not None
    job._worker.kill()


def wait_for_end_of(group: int) -> None:
    """Wait until no process of a group is left."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < deadline, f"processes of the group {group} are left"
        time.sleep(0.05)
