"""The handle on a training that runs in its own process: what it has learned so far, and how to steer it."""

import contextlib
import json
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from tokenizer_core.pretokens import check_text
from tokenizer_core.tokenizer import BYTES, Tokenizer
from tokenizer_core.trainer import Merge

State = Literal["starting", "counting", "running", "paused", "done", "stopped", "failed"]
ENDED: tuple[State, ...] = ("done", "stopped", "failed")


@dataclass(frozen=True)
class Training:
    """What is to be trained: texts, size, pattern, special tokens, and a name for people."""

    texts: Sequence[str]
    vocab_size: int
    pattern: str = "mark_aware"
    special_tokens: Sequence[str] = ()
    min_count: int = 1
    pace: float | None = None  # merges per second; None is full speed
    corpus_name: str = ""


@dataclass(frozen=True)
class Failure:
    """Why a training ended without being asked to: as in `TokenizerError`."""

    code: str
    values: dict[str, Any] = field(default_factory=dict)
    message: str = ""


def start_worker() -> subprocess.Popen[bytes]:
    """A worker process, warming up; it waits for a `Job` and ends with the app."""
    return subprocess.Popen(
        [sys.executable, "-X", "utf8", "-m", "tokenizer_core.worker"],
        cwd=Path(__file__).resolve().parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def end_worker(worker: subprocess.Popen[bytes]) -> None:
    """End a worker that no job listens to."""
    worker.kill()
    with contextlib.suppress(OSError):
        worker.communicate()


class Job:
    """One training in a worker process.

    Attributes are written by a thread that listens to the worker, and only grow: `merges`, the `curve` of
    (merges, tokens in the corpus), and the `state`. The merges learned stay, whatever happens to the worker.
    """

    def __init__(self, training: Training, worker: subprocess.Popen[bytes] | None = None) -> None:
        self.id = secrets.token_urlsafe(16)
        self.training = training
        for text in training.texts:
            check_text(text)
        self.state: State = "starting"
        self.failure: Failure | None = None
        self.out_of_pairs = False
        self.merges: list[Merge] = []
        self.curve: list[tuple[int, int]] = []
        self.pretokens = self.distinct_pretokens = 0
        self.corpus_characters = sum(map(len, training.texts))
        self.pace = training.pace
        self.created = time.time()
        self._busy_seconds = 0.0
        self._running_since: float | None = None
        self._changed = threading.Condition()
        self._worker = worker or start_worker()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def ended(self) -> bool:
        """Whether no more merges will come."""
        return self.state in ENDED

    @property
    def merge_goal(self) -> int:
        """Merges that were asked for."""
        return self.training.vocab_size - BYTES

    @property
    def token_count(self) -> int | None:
        """Tokens of the corpus after the last merge; None before it has been counted."""
        return self.curve[-1][1] if self.curve else None

    @property
    def seconds(self) -> float:
        """Time spent on merges, pauses left out."""
        running = time.monotonic() - self._running_since if self._running_since is not None else 0.0
        return self._busy_seconds + running

    def tokenizer(self) -> Tokenizer:
        """The tokenizer learned so far."""
        merges = [(merge.left, merge.right) for merge in list(self.merges)]
        return Tokenizer(merges, pattern=self.training.pattern, special_tokens=list(self.training.special_tokens))

    def pause(self) -> None:
        """Hold the training after the merges under way."""
        self._command("pause")

    def resume(self) -> None:
        """Go on after a pause."""
        self._command("resume")

    def step(self, merges: int = 1) -> None:
        """Learn so many merges and pause."""
        self._command("step", merges=merges)

    def stop(self) -> None:
        """End the training and keep what was learned."""
        if self.state in ("starting", "counting"):
            self._end("stopped")
            self.close()
        else:
            self._command("stop")

    def set_pace(self, pace: float | None) -> None:
        """Merges per second from now on; None is full speed."""
        self.pace = pace
        self._command("pace", pace=pace)

    def wait(self, seconds: float) -> None:
        """Wait until something has changed, at most so long: lets a click show its effect at once."""
        with self._changed:
            self._changed.wait(seconds)

    def close(self) -> None:
        """End the worker process, if it still runs."""
        self._worker.kill()
        self._worker.wait()

    def _command(self, command: str, **values: Any) -> None:
        if not self.ended:
            self._send(json.dumps({"command": command, **values}).encode() + b"\n")

    def _send(self, *parts: bytes) -> None:
        """Write to the worker; one that has died is noticed by the listener."""
        assert self._worker.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            for part in parts:
                self._worker.stdin.write(part)
            self._worker.stdin.flush()

    def _listen(self) -> None:
        """Hand the training to the worker, then take in its events until it ends."""
        worker = self._worker
        assert worker.stdout is not None
        assert worker.stdin is not None
        self._send(*self._message())
        self.training = replace(self.training, texts=())  # the worker has them now
        for line in worker.stdout:
            event = json.loads(line)
            with self._changed:
                getattr(self, f"_on_{event.pop('event')}")(**event)
                self._changed.notify_all()
        worker.wait()
        if not self.ended:
            self._end("failed", Failure("worker_died", {}, "the training process ended unexpectedly"))
        worker.stdout.close()
        with contextlib.suppress(OSError):
            worker.stdin.close()

    def _message(self) -> list[bytes]:
        """The description of the training, then its texts as raw bytes."""
        texts = [text.encode("utf-8") for text in self.training.texts]
        description = {
            "text_bytes": [len(text) for text in texts],
            "pattern": self.training.pattern,
            "vocab_size": self.training.vocab_size,
            "min_count": self.training.min_count,
            "pace": self.training.pace,
        }
        return [json.dumps(description).encode() + b"\n", *texts]

    def _set_state(self, state: State) -> None:
        if state == "running" and self._running_since is None:
            self._running_since = time.monotonic()
        if state != "running" and self._running_since is not None:
            self._busy_seconds += time.monotonic() - self._running_since
            self._running_since = None
        self.state = state

    def _end(self, state: State, failure: Failure | None = None) -> None:
        with self._changed:
            self.failure = failure
            self._set_state(state)
            self._changed.notify_all()

    def _on_ready(self) -> None:
        """The worker is warm; it counts as soon as it has read the corpus."""

    def _on_counting(self) -> None:
        self._set_state("counting")

    def _on_started(self, token_count: int, pretokens: int, distinct: int) -> None:
        self.pretokens, self.distinct_pretokens = pretokens, distinct
        self.curve.append((0, token_count))
        self._set_state("running")

    def _on_merges(self, merges: list[tuple[int, int, int]], curve: list[tuple[int, int]]) -> None:
        first_id = BYTES + len(self.merges)
        self.merges += [Merge(left, right, n, count) for n, (left, right, count) in enumerate(merges, first_id)]
        self.curve += [(learned, tokens) for learned, tokens in curve]

    def _on_paused(self) -> None:
        self._set_state("paused")

    def _on_running(self) -> None:
        self._set_state("running")

    def _on_finished(self, out_of_pairs: bool, stopped: bool) -> None:
        self.out_of_pairs = out_of_pairs
        self._set_state("stopped" if stopped else "done")

    def _on_failed(self, code: str, values: dict[str, Any], message: str) -> None:
        self.failure = Failure(code, values, message)
        self._set_state("failed")
