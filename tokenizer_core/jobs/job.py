"""The handle on a training in its own process: what it has learned so far, and the commands that control it."""

import contextlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Literal

from tokenizer_core.jobs.counted import Counting
from tokenizer_core.jobs.fingerprint import software_versions
from tokenizer_core.jobs.process import (
    CANNOT_START,
    MEMORY_BYTES,
    Failure,
    Process,
    end_process,
    events_of,
    hand_over,
    is_suspended,
    start_process,
)
from tokenizer_core.jobs.training import Pace, Training
from tokenizer_core.pretokens import check_text
from tokenizer_core.texts.excerpts import opening
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Candidate, Merge
from tokenizer_core.vocabulary import BYTES

State = Literal["waiting", "starting", "counting", "running", "paused", "done", "stopped", "failed"]
STOP_SECONDS = 5.0
"""After this time, a worker that was told to stop is killed."""
ENDED: tuple[State, ...] = ("done", "stopped", "failed")
Ending = Literal["size", "pairs", "length", "time", "beaten", "stopped", "interrupted"]
"""Why a training ended: the vocabulary was full, no pair was left, tokens grew too long, the time was up, the text
reached its goal, somebody stopped the training, or the app stopped while the training was at work."""


@dataclass(frozen=True)
class Choice:
    """The pairs that could be merged next, best first, and how many other pairs occur as often as the first."""

    after: int
    """Merges learned at the time of this choice."""
    candidates: Sequence[Candidate]
    ties: int


def start_worker() -> Process:
    """Start a worker process, which warms up, waits for a `Job`, and ends with the app."""
    return start_process("worker")


class Job:
    """One training in a worker process.

    A thread that listens to the worker writes the attributes: `merges` and the `curve` of (merges, tokens in the
    corpus), which only grow, and the `state`. The merges learned stay, whatever happens to the worker. A job that
    `waits` has no worker until `begin` is called, but it accepts commands.

    A job that `continues` another, which was interrupted, has its id and its merges from the start. Its worker
    learns these merges again at full speed, and the job fails if they differ.
    """

    def __init__(
        self,
        training: Training,
        worker: Process | None = None,
        *,
        waits: bool = False,
        memory_bytes: int | None = MEMORY_BYTES,
        when_changed: Callable[["Job"], None] | None = None,
        continues: "Job | None" = None,
    ) -> None:
        """Start the training unless it `waits`; call `when_changed` when an event or `close` changes the state."""
        for text in training.texts:
            check_text(text)
        training.special_ids(training.vocab_size)  # refuse them now, not after the training
        self.id = secrets.token_urlsafe(16)
        self.training = training
        self.state: State = "waiting"
        self.failure: Failure | None = None
        self.ending: Ending | None = None
        self._merges: list[Merge] = []
        self._curve: list[tuple[int, int]] = []
        self._reported = 0  # merges that this job's own worker has learned
        self.latest_choice: Choice | None = None
        self.pretokens = self.distinct_pretokens = 0
        self.corpus_sha256: str | None = None
        self.versions = software_versions()
        self.continued_from = 0
        """Merges learned before the training was interrupted; 0 if it was not."""
        self.opening = "\n".join(filter(None, (opening(text) for text in training.texts[:2])))
        self.corpus_characters = training.characters
        self.pace = training.pace
        self._tokenizer: Tokenizer | None = None
        self.created = time.time()
        self._when_changed = when_changed
        self._memory_bytes = memory_bytes
        self._expect_worker()
        if continues is not None:
            self._take_over(continues)
        if not waits:
            self.begin(worker)

    def _expect_worker(self) -> None:
        self.work_seconds = 0.0
        """Seconds that the worker has spent on merges, without the waits of its pace."""
        self._busy_seconds = 0.0
        self._running_since: float | None = None
        self._changed = threading.Condition()
        self._worker: Process | None = None
        self._halted = False
        self._listener: threading.Thread | None = None
        self._outbox: SimpleQueue[bytes | None] = SimpleQueue()
        self.counting = Counting(0, 0, 0.0)

    def _take_over(self, other: "Job") -> None:
        """Start with the id and with what another job has learned."""
        self.id, self.created, self.pace = other.id, other.created, other.pace
        self._merges, self._curve = list(other.merges), list(other.curve)
        self.continued_from = len(self._merges)
        self.corpus_sha256 = other.corpus_sha256
        self._busy_seconds = other.seconds

    def begin(self, worker: Process | None = None) -> None:
        """Start a waiting job with this worker, or with a new one; if the job no longer waits, end the worker.

        If no worker can be started, the job ends with a `failure`.
        """
        with self._changed:
            begins = self.state == "waiting"
            if begins:
                self._set_state("starting")
        try:
            if begins:
                worker = worker or start_worker()
                self._hire(worker)
            elif worker is not None:
                end_process(worker)
        except CANNOT_START as error:
            if worker is not None:
                worker.kill()
            self._end("failed", Failure("worker_not_started", {}, f"no worker could be started: {error}"))

    def _hire(self, worker: Process) -> None:
        """Let a worker train, and listen to it; end it if the job has ended in the meantime."""
        self._listener = threading.Thread(target=self._listen, args=(worker,), daemon=True)
        with self._changed:
            self._worker = worker
            self._listener.start()
            threading.Thread(target=self._write, args=(worker,), daemon=True).start()
            if self.ended:
                worker.kill()

    @property
    def merges(self) -> list[Merge]:
        """The merges learned so far."""
        return self._merges

    @property
    def curve(self) -> list[tuple[int, int]]:
        """The tokens in the corpus after some of the merges, as (merges, tokens)."""
        return self._curve

    @property
    def learned(self) -> int:
        """How many merges are learned."""
        return len(self._merges)

    @property
    def ended(self) -> bool:
        """Whether no more merges will come."""
        return self.state in ENDED

    @property
    def merge_goal(self) -> int:
        """Merges asked for."""
        return self.training.vocab_size - BYTES

    @property
    def token_count(self) -> int | None:
        """Tokens in the corpus after the last merge; None before the corpus is counted."""
        return self.curve[-1][1] if self.curve else None

    @property
    def seconds(self) -> float:
        """Time of training, with the waits of its pace, without pauses."""
        running = time.monotonic() - self._running_since if self._running_since is not None else 0.0
        return self._busy_seconds + running

    @property
    def choice(self) -> Choice | None:
        """The pairs that could be merged next; None if training runs too fast to tell, or has ended."""
        choice = self.latest_choice
        return choice if choice and choice.after == len(self.merges) and not self.ended else None

    def tokenizer(self) -> Tokenizer:
        """Return the tokenizer learned so far; the same object until there are more merges."""
        learned = list(self.merges)
        if self._tokenizer is None or len(learned) != len(self._tokenizer.merges):
            pairs = [(merge.left, merge.right) for merge in learned]
            special_tokens = self.training.special_ids(BYTES + len(pairs))
            self._tokenizer = Tokenizer(pairs, pattern=self.training.pattern, special_tokens=special_tokens)
        return self._tokenizer

    def pause(self) -> None:
        """Pause the training after the merges in progress."""
        self._command("pause")

    def resume(self) -> None:
        """Continue after a pause."""
        self._command("resume")

    def step(self, merges: int = 1) -> None:
        """Learn this many merges, and pause."""
        self._command("step", merges=merges)

    def stop(self) -> None:
        """End the training, and keep what it has learned; kill a worker that does not obey."""
        if self.state in ("waiting", "starting", "counting"):
            self.close()
            return
        self._command("stop")
        try:
            patience = threading.Timer(STOP_SECONDS, self.close)
            patience.daemon = True
            patience.start()
        except RuntimeError:  # no thread is left
            self.close()

    def set_pace(self, pace: Pace) -> None:
        """Set the pace from now on."""
        self.pace = pace
        self._command("pace", pace=pace)

    def wait(self, seconds: float, until: Callable[[], bool] | None = None) -> None:
        """Wait until the job changes, or until `until` is true or the job has ended, at most this many seconds.

        This lets a click show its effect at once.
        """
        with self._changed:
            if until is None:
                self._changed.wait(seconds)
            else:
                self._changed.wait_for(lambda: self.ended or until(), seconds)

    def close(self) -> None:
        """End the training, if it still runs, and kill its worker process."""
        if not self.ended:
            self.ending = "stopped"
            self._end("stopped")
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait()

    def notice_death(self) -> None:
        """End the job as failed if nobody listens to a worker, or if its worker is halted at two calls."""
        if self.state == "waiting" or self.ended:
            return
        worker, was_halted = self._worker, self._halted
        self._halted = worker is not None and is_suspended(worker)
        if self._halted and was_halted:  # at the first call, whoever halted the whole app may just let it go on
            self._fail(worker, Failure("worker_halted", {}, "the system halted the training process"))
        elif self._listener is None or not self._listener.is_alive():
            self._fail(worker, _died(worker))

    def _fail(self, worker: Process | None, failure: Failure) -> None:
        self._end("failed", failure)
        if worker is not None:
            worker.kill()
            worker.wait()

    def forget_texts(self) -> None:
        """Free the memory of the corpus; after that, this job cannot be trained again."""
        self.training = self.training.forgotten()

    def _command(self, command: str, **values: Any) -> None:
        if not self.ended:
            self._outbox.put(json.dumps({"command": command, **values}).encode() + b"\n")

    def _write(self, worker: Process) -> None:
        """Send the corpus, then the commands in the outbox, so that callers never wait for the worker to read."""
        assert worker.stdin is not None
        description = {
            "training": self.training.described(),
            "memory_bytes": self._memory_bytes,
            "learned": self.continued_from,
            "seconds": self._busy_seconds,
        }
        with contextlib.suppress(OSError):  # the listener notices a worker that has died
            hand_over(worker, description, self.training.held)
            while (command := self._outbox.get()) is not None:
                worker.stdin.write(command)
                worker.stdin.flush()
        with contextlib.suppress(OSError):
            worker.stdin.close()

    def _listen(self, worker: Process) -> None:
        """Process the worker's events until it ends."""
        for event in events_of(worker):
            self._take_in(event)
        self._outbox.put(None)
        if not self.ended:
            self._end("failed", _died(worker))

    def _take_in(self, event: dict[str, Any]) -> None:
        """Process one event; drop what comes after the end of the job."""
        before = self.state
        with self._changed:
            if not self.ended:
                getattr(self, f"_on_{event.pop('event')}")(**event)
                self._changed.notify_all()
        self._tell_of_change(before)

    def _set_state(self, state: State) -> None:
        if state == "running" and self._running_since is None:
            self._running_since = time.monotonic()
        if state != "running" and self._running_since is not None:
            self._busy_seconds += time.monotonic() - self._running_since
            self._running_since = None
        self.state = state

    def _end(self, state: State, failure: Failure | None = None) -> None:
        before = self.state
        with self._changed:
            if not self.ended:
                self.failure = failure
                self._set_state(state)
            self._changed.notify_all()
        self._tell_of_change(before)

    def _tell_of_change(self, before: State) -> None:
        """Call `when_changed` outside the lock, because it may ask this job anything."""
        if self.state != before and self._when_changed is not None:
            self._when_changed(self)

    def _on_ready(self) -> None:
        """Do nothing: the worker is warm, and counts as soon as it has read the corpus."""

    def _on_counting(self, done: int = 0, size: int = 0, seconds: float = 0.0) -> None:
        self.counting = Counting(done, size, seconds)
        self._set_state("counting")

    def _on_started(self, token_count: int, pretokens: int, distinct: int, corpus_sha256: str) -> None:
        if self.corpus_sha256 not in (None, corpus_sha256):
            self._on_failed("continued_other_corpus", {}, "a training must be continued on its own corpus")
            return
        self.corpus_sha256 = corpus_sha256
        self.pretokens, self.distinct_pretokens = pretokens, distinct
        if not self._curve:
            self._curve.append((0, token_count))
        self._set_state("running")

    def _on_merges(
        self, merges: list[tuple[int, int, int]], curve: list[tuple[int, int]], work_seconds: float
    ) -> None:
        news = [Merge(*each[:2], n, each[2]) for n, each in enumerate(merges, BYTES + self._reported)]
        known = self._merges[self._reported : self._reported + len(news)]
        if news[: len(known)] != known:
            self._on_failed("continued_differs", {}, "a continued training must learn the same merges again")
            return
        self._reported += len(news)
        self._merges += news[len(known) :]
        last = self._curve[-1][0] if self._curve else -1
        self._curve += [(learned, tokens) for learned, tokens in curve if learned > last]
        self.work_seconds = work_seconds

    def _on_choice(self, after: int, candidates: list[tuple[int, int, int]], ties: int) -> None:
        self.latest_choice = Choice(after, [Candidate(*each) for each in candidates], ties)

    def _on_paused(self) -> None:
        self._set_state("paused")

    def _on_running(self) -> None:
        self._set_state("running")

    def _on_finished(self, ending: Ending) -> None:
        self.ending = ending
        self._set_state("stopped" if ending == "stopped" else "done")

    def _on_failed(self, code: str, values: dict[str, Any], message: str) -> None:
        self.failure = Failure(code, values, message)
        self._set_state("failed")
        if self._worker is not None:
            self._worker.kill()


def _died(worker: Process | None) -> Failure:
    if worker is not None and worker.poll() == -9:  # SIGKILL
        return Failure("worker_killed", {}, "the system ended the training process")
    return Failure("worker_died", {}, "the training process ended unexpectedly")
