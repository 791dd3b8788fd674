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
from queue import SimpleQueue
from typing import Any, Literal

from tokenizer_core.pretokens import check_text
from tokenizer_core.special_tokens import assign_ids
from tokenizer_core.tokenizer import BYTES, Tokenizer
from tokenizer_core.trainer import Candidate, Merge

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
class Choice:
    """The pairs that could be merged next, best first, and how many others occur as often as the first."""

    after: int
    """Merges learned when this was the choice."""
    candidates: Sequence[Candidate]
    ties: int


@dataclass(frozen=True)
class Failure:
    """Why a training ended without being asked to: as in `TokenizerError`."""

    code: str
    values: dict[str, Any] = field(default_factory=dict)
    message: str = ""


def opening(text: str, characters: int = 200) -> str:
    """The first lines of a text, up to so many characters; of a longer first line, its beginning.

    >>> opening("one\\ntwo\\nthree", 8)
    'one\\ntwo'
    """
    beginning = text.lstrip()[:characters]
    whole_lines = beginning.rpartition("\n")[0]
    return beginning if len(beginning) == len(text.lstrip()) else whole_lines.strip() or beginning


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
        for text in training.texts:
            check_text(text)
        assign_ids(training.special_tokens, training.vocab_size)  # better refused now than after the training
        self.id = secrets.token_urlsafe(16)
        self.training = replace(training, texts=())  # the worker keeps them
        self.state: State = "starting"
        self.failure: Failure | None = None
        self.out_of_pairs = False
        self.too_long = False
        self.merges: list[Merge] = []
        self.curve: list[tuple[int, int]] = []
        self.latest_choice: Choice | None = None
        self.pretokens = self.distinct_pretokens = 0
        self.opening = "\n".join(filter(None, (opening(text) for text in training.texts[:2])))
        self.corpus_characters = sum(map(len, training.texts))
        self.pace = training.pace
        self.created = time.time()
        self._busy_seconds = 0.0
        self._running_since: float | None = None
        self._changed = threading.Condition()
        self._worker = worker or start_worker()
        self._outbox: SimpleQueue[bytes | None] = SimpleQueue()
        self._outbox.put(_description(training))
        for text in training.texts:
            self._outbox.put(text.encode("utf-8"))
        threading.Thread(target=self._write, daemon=True).start()
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

    @property
    def choice(self) -> Choice | None:
        """What could be merged next; None where training runs too fast to tell, or has ended."""
        choice = self.latest_choice
        return choice if choice and choice.after == len(self.merges) and not self.ended else None

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
            self._outbox.put(json.dumps({"command": command, **values}).encode() + b"\n")

    def _write(self) -> None:
        """Send what is in the outbox: commands wait until the whole corpus has gone out, callers never do."""
        assert self._worker.stdin is not None
        with contextlib.suppress(OSError):  # a worker that has died is noticed by the listener
            while (part := self._outbox.get()) is not None:
                self._worker.stdin.write(part)
                self._worker.stdin.flush()
        with contextlib.suppress(OSError):
            self._worker.stdin.close()

    def _listen(self) -> None:
        """Take in the worker's events until it ends."""
        assert self._worker.stdout is not None
        for line in self._worker.stdout:
            if line.endswith(b"\n"):  # a worker that was killed may leave half a line
                self._take_in(json.loads(line))
        self._worker.stdout.close()
        self._worker.wait()
        self._outbox.put(None)
        if not self.ended:
            self._end("failed", Failure("worker_died", {}, "the training process ended unexpectedly"))

    def _take_in(self, event: dict[str, Any]) -> None:
        """Note one event; what a stopped worker still had to say is dropped."""
        with self._changed:
            if not self.ended:
                getattr(self, f"_on_{event.pop('event')}")(**event)
                self._changed.notify_all()

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

    def _on_choice(self, after: int, candidates: list[tuple[int, int, int]], ties: int) -> None:
        self.latest_choice = Choice(after, [Candidate(*each) for each in candidates], ties)

    def _on_paused(self) -> None:
        self._set_state("paused")

    def _on_running(self) -> None:
        self._set_state("running")

    def _on_finished(self, out_of_pairs: bool, too_long: bool, stopped: bool) -> None:
        self.out_of_pairs, self.too_long = out_of_pairs, too_long
        self._set_state("stopped" if stopped else "done")

    def _on_failed(self, code: str, values: dict[str, Any], message: str) -> None:
        self.failure = Failure(code, values, message)
        self._set_state("failed")


def _description(training: Training) -> bytes:
    """What the worker reads first: all of a training but its texts, of which only the lengths."""
    description = {
        "text_bytes": [len(text.encode("utf-8")) for text in training.texts],
        "pattern": training.pattern,
        "vocab_size": training.vocab_size,
        "min_count": training.min_count,
        "pace": training.pace,
    }
    return json.dumps(description).encode() + b"\n"
