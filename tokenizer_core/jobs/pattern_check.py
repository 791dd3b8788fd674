"""What a split pattern makes of a whole corpus, found out in a process of its own, so that nobody else waits.

The process is `python -m tokenizer_core.jobs.pattern_check`. One line of JSON comes in on stdin, followed by the
corpus as raw UTF-8; lines of JSON go out on stdout: progress, and in the end figures or failed.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Failure
from tokenizer_core.jobs.worker import NICENESS, limit_memory, send
from tokenizer_core.measures.pattern_figures import PatternFigures, PatternTally
from tokenizer_core.measures.segmenters import newmm

MEMORY_BYTES = 4 * 2**30
PROGRESS_SECONDS = 0.1
LONGEST_SHOWN = 200
"""Characters of the longest pretoken that are handed back; without splitting it is the whole corpus."""


class PatternCheck:
    """The handle on one check. `done` and `figures` are written by a thread of its own; `stop` ends it early.

    At most so many checks as `turns` allows are at work at the same time; the others wait.
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
        """Characters that have been cut so far."""
        self.searched: int | None = None
        """Characters that have been searched for words so far, which takes longest; None where nothing can."""
        self.figures: PatternFigures | None = None
        self.longest = 0
        """Characters of the longest pretoken, of which `figures` has the beginning."""
        self.failure: Failure | None = None
        self.stopped = False
        self._turns = turns or threading.Semaphore()
        self._worker: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        description = {"pattern": pattern, "memory_bytes": memory_bytes}
        threading.Thread(target=self._run, args=(tuple(texts), description), daemon=True).start()

    @property
    def ended(self) -> bool:
        """Whether there are figures, a failure, or nothing more to come."""
        return self._ended.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for the end, but no longer than so many seconds."""
        self._ended.wait(seconds)

    def stop(self) -> None:
        """End it, whatever it does."""
        with self._lock:
            self.stopped = True
            if self._worker is not None:
                self._worker.kill()

    def _run(self, texts: tuple[str, ...], description: dict[str, Any]) -> None:
        with self._turns:
            with self._lock:
                worker = None if self.stopped else _start_worker()
                self._worker = worker
            if worker is not None:
                self._follow(worker, texts, description)
        if not (self.stopped or self.figures or self.failure):
            self.failure = Failure("check_died", {}, "the process that checked the pattern ended unexpectedly")
        self._ended.set()

    def _follow(
        self, worker: subprocess.Popen[bytes], texts: tuple[str, ...], description: dict[str, Any]
    ) -> None:
        """Hand the texts over and take in what comes back; at the same time, or both sides might wait for ever."""
        assert worker.stdout is not None
        threading.Thread(target=_hand_over, args=(worker, texts, description), daemon=True).start()
        for event in worker.stdout:
            if event.endswith(b"\n"):
                self._take_in(json.loads(event))
        worker.stdout.close()
        worker.wait()

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


def _hand_over(worker: subprocess.Popen[bytes], texts: tuple[str, ...], description: dict[str, Any]) -> None:
    """Write the description and the texts; a worker that died is noticed by whoever listens to it."""
    assert worker.stdin is not None
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    line = json.dumps(description | {"text_bytes": [len(text) for text in encoded]})
    with contextlib.suppress(OSError):
        for part in (line.encode() + b"\n", *encoded):
            worker.stdin.write(part)
    with contextlib.suppress(OSError):
        worker.stdin.close()


def _start_worker() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-X", "utf8", "-m", "tokenizer_core.jobs.pattern_check"],
        cwd=Path(__file__).resolve().parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def main() -> None:
    """Read one check from stdin and carry it out."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    description = json.loads(sys.stdin.buffer.readline() or b"null")
    if description is None:
        return
    limit_memory(description["memory_bytes"])
    try:
        tally = PatternTally(description["pattern"], newmm())
        told = 0.0
        for size in description["text_bytes"]:
            text = sys.stdin.buffer.read(size).decode("utf-8", "surrogatepass")
            for _ in tally.add(text):
                if time.monotonic() > told + PROGRESS_SECONDS:
                    told = time.monotonic()
                    searched = tally.searched if tally.segmenter else None
                    send("progress", characters=tally.characters, searched=searched)
        found = tally.figures()
        shown = found._replace(longest=found.longest[:LONGEST_SHOWN])._asdict()
        send("figures", **shown, longest_characters=len(found.longest))
    except TokenizerError as error:
        send("failed", code=error.code, values=error.values, message=str(error))
    except MemoryError:
        send("failed", code="out_of_memory", values={}, message="the memory given to a check is full")


if __name__ == "__main__":
    main()
