"""One piece of work in a process of its own, with a turn to wait for, a time limit and a stop."""

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.process import CANNOT_START, Failure, Process, events_of, hand_over, start_process

Order = tuple[dict[str, Any], Sequence[str | bytes]]
"""The description of the work, and the texts or files that go with it."""
_NOTHING: Order = ({}, ())


class Task:
    """The handle on one process. Its own thread takes in the events; `stop` ends it early.

    At most as many tasks as `turns` allows run at the same time; the others wait.
    """

    died: Failure
    """What is said if the process ends without an outcome."""
    late: Failure | None = None
    """What is said if the process takes more than `seconds`."""

    def __init__(self, module: str, *, turns: threading.Semaphore | None, seconds: float | None = None) -> None:
        self.failure: Failure | None = None
        self.stopped = False
        self._module = module
        self._seconds = seconds
        self._turns = turns or threading.Semaphore()
        self._worker: Process | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()

    @property
    def ended(self) -> bool:
        """Whether the task is over: it has an outcome or a failure, or it was stopped."""
        return self._ended.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for the end, at most this many seconds."""
        self._ended.wait(seconds)

    def stop(self) -> None:
        """End the task, whatever it is doing."""
        with self._lock:
            self.stopped = True
            if self._worker is not None:
                self._worker.kill()

    # ---- for the tasks themselves

    def has_outcome(self) -> bool:
        """Whether the process has said what came of it."""
        raise NotImplementedError

    def take_in(self, event: str, values: dict[str, Any]) -> None:
        """Process one event other than "failed"."""
        raise NotImplementedError

    def start(self, order: Callable[[], Order]) -> None:
        """Do the work in a thread of its own; `order` is called there, and may raise `TokenizerError`."""
        threading.Thread(target=self._run, args=(order,), daemon=True).start()

    def _run(self, order: Callable[[], Order]) -> None:
        try:
            with self._turns:
                description, texts = _NOTHING if self.stopped else order()
                with self._lock:
                    worker = None if self.stopped else start_process(self._module)
                    self._worker = worker
                if worker is not None:
                    self._follow(worker, description, texts)
        except TokenizerError as error:
            self.failure = Failure.of(error.bare())
        except CANNOT_START as error:
            self.failure = Failure("worker_not_started", {}, f"no process could be started: {error}")
        if not (self.stopped or self.has_outcome() or self.failure):
            self.failure = self.died
        self._ended.set()

    def _follow(self, worker: Process, description: dict[str, Any], texts: Sequence[str | bytes]) -> None:
        """Send the texts and read the events at the same time; otherwise both sides might wait forever."""
        threading.Thread(target=_hand_over, args=(worker, description, texts), daemon=True).start()
        limit = None if self._seconds is None else threading.Timer(self._seconds, self._time_up)
        if limit is not None:
            limit.daemon = True
            limit.start()
        for values in events_of(worker):
            event = values.pop("event")
            if event == "failed":
                self.failure = Failure(**values)
            else:
                self.take_in(event, values)
        if limit is not None:
            limit.cancel()

    def _time_up(self) -> None:
        with self._lock:
            if not self.stopped and self._worker is not None and not self.has_outcome():
                self.failure = self.late
                self._worker.kill()


def _hand_over(worker: Process, description: dict[str, Any], texts: Sequence[str | bytes]) -> None:
    """Write the description and the texts; whoever listens to the worker notices if it has died."""
    assert worker.stdin is not None
    with contextlib.suppress(OSError):
        hand_over(worker, description, texts)
    with contextlib.suppress(OSError):
        worker.stdin.close()
