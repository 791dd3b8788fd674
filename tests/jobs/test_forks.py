"""A process that begins as a fork says and does what one that is started anew does."""

import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.jobs import SMALL
from tests.jobs.forks import FORKING, POSSIBLE
from tokenizer_core.jobs import process
from tokenizer_core.jobs.process import MEMORY_BYTES, NICENESS, Process, end_process, events_of, hand_over
from tokenizer_core.jobs.training import Training

pytestmark = pytest.mark.skipif(not POSSIBLE, reason="needs Linux")


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Process]]:
    """A worker of each kind, ready."""
    workers = []
    for kind in (FORKING, subprocess):
        monkeypatch.setattr(process, "subprocess", kind)
        workers.append(process.start_process("worker", with_log=True))
        assert workers[-1].stdout is not None
        assert workers[-1].stdout.readline() == b'{"event": "ready"}\n'
    yield workers
    for worker in workers:
        end_process(worker)
        assert worker.stderr is not None
        worker.stderr.close()


def told(worker: Process, training: Training) -> tuple[list[dict[str, Any]], bytes, int]:
    """All that a worker says of a training, but for times; what it complains of; and how it ends."""
    description = {"training": training.described(), "memory_bytes": MEMORY_BYTES, "seconds": 0.0, "learned": 0}
    hand_over(worker, description, [SMALL])
    events = [{name: event[name] for name in event if "seconds" not in name} for event in events_of(worker)]
    assert worker.stderr is not None
    return events, worker.stderr.read(), worker.returncode


@pytest.mark.parametrize(("pattern", "ending"), [("mark_aware", "finished"), ("(a", "failed")])
def test_both_say_the_same(both: list[Process], pattern: str, ending: str) -> None:
    forked, anew = (told(worker, Training([SMALL], 260, pattern=pattern)) for worker in both)
    assert forked == anew
    assert (forked[0][-1]["event"], *forked[1:]) == (ending, b"", 0)


def test_both_are_children_of_this_process_that_let_others_go_first(both: list[Process]) -> None:
    for worker in both:
        assert os.getpriority(os.PRIO_PROCESS, worker.pid) == NICENESS
        worker.kill()
        assert worker.wait() == -9
