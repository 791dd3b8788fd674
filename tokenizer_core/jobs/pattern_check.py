"""The figures of a split pattern on a whole corpus, computed in a separate process so that nobody else waits.

The process is `python -m tokenizer_core.jobs.pattern_check`. Its events are progress and, at the end, figures or
failed.
"""

import contextlib
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from tokenizer_core.jobs.process import (
    MEMORY_BYTES,
    Failure,
    Process,
    be_nice,
    events_of,
    failures_sent,
    hand_over,
    receive,
    send,
    start_process,
    texts_in,
)
from tokenizer_core.measures.pattern_figures import PatternFigures, PatternTally
from tokenizer_core.measures.segmenters import newmm

PROGRESS_SECONDS = 0.1
LONGEST_SHOWN = 200
"""Characters of the longest pretoken that are sent back; without splitting, it is the whole corpus."""


class PatternCheck:
    """The handle on one check. Its own thread writes `done` and `figures`; `stop` ends the check early.

    At most as many checks as `turns` allows run at the same time; the others wait.
    """

    def __init__(
        self,
        texts: Sequence[str],
        pattern: str,
        *,
        turns: threading.Semaphore | None = None,
        memory_bytes: int | None = MEMORY_BYTES,
    ) -> None:
        self.characters = sum(map(len, texts))
        self.done = 0
        """Characters cut so far."""
        self.searched: int | None = None
        """Characters searched for words so far, which takes longest; None without a segmenter."""
        self.figures: PatternFigures | None = None
        self.longest = 0
        """Characters of the longest pretoken; `figures` has only its beginning."""
        self.failure: Failure | None = None
        self.stopped = False
        self._turns = turns or threading.Semaphore()
        self._worker: Process | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        description = {"pattern": pattern, "memory_bytes": memory_bytes}
        threading.Thread(target=self._run, args=(tuple(texts), description), daemon=True).start()

    @property
    def ended(self) -> bool:
        """Whether the check is over: it has figures or a failure, or it was stopped."""
        return self._ended.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for the end, at most this many seconds."""
        self._ended.wait(seconds)

    def stop(self) -> None:
        """End the check, whatever it is doing."""
        with self._lock:
            self.stopped = True
            if self._worker is not None:
                self._worker.kill()

    def _run(self, texts: tuple[str, ...], description: dict[str, Any]) -> None:
        try:
            with self._turns:
                with self._lock:
                    worker = None if self.stopped else start_process("pattern_check")
                    self._worker = worker
                if worker is not None:
                    self._follow(worker, texts, description)
        except (OSError, RuntimeError) as error:  # the system gives no more processes, or no more threads
            self.failure = Failure("worker_not_started", {}, f"no process could be started: {error}")
        if not (self.stopped or self.figures or self.failure):
            self.failure = Failure("check_died", {}, "the process that checked the pattern ended unexpectedly")
        self._ended.set()

    def _follow(self, worker: Process, texts: tuple[str, ...], description: dict[str, Any]) -> None:
        """Send the texts and read the events at the same time; otherwise both sides might wait forever."""
        threading.Thread(target=_hand_over, args=(worker, description, texts), daemon=True).start()
        for event in events_of(worker):
            self._take_in(event)

    def _take_in(self, event: dict[str, Any]) -> None:
        match event.pop("event"):
            case "progress":
                self.done, self.searched = event["characters"], event["searched"]
            case "figures":
                self.done = self.characters
                self.longest = event.pop("longest_characters")
                self.figures = PatternFigures(**event)
            case "failed":
                self.failure = Failure(**event)


def _hand_over(worker: Process, description: dict[str, Any], texts: tuple[str, ...]) -> None:
    """Write the description and the texts; whoever listens to the worker notices if it has died."""
    assert worker.stdin is not None
    with contextlib.suppress(OSError):
        hand_over(worker, description, texts)
    with contextlib.suppress(OSError):
        worker.stdin.close()


def main() -> None:
    """Read one check from stdin and run it."""
    be_nice()
    description = receive(sys.stdin.buffer)
    if description is None:
        return
    with failures_sent():
        tally = PatternTally(description["pattern"], newmm())
        told = 0.0
        for text in texts_in(sys.stdin.buffer, description):
            for _ in tally.add(text):
                if time.monotonic() > told + PROGRESS_SECONDS:
                    told = time.monotonic()
                    searched = tally.searched if tally.segmenter else None
                    send("progress", characters=tally.characters, searched=searched)
        found = tally.figures()
        shown = found._replace(longest=found.longest[:LONGEST_SHOWN])._asdict()
        send("figures", **shown, longest_characters=len(found.longest))


if __name__ == "__main__":
    main()
