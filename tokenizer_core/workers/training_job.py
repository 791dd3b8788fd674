"""A training in a child: what it has learned so far, and the commands that control it."""

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tokenizer_core.bpe.packed import PackedMerges
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Candidate, Merge
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError
from tokenizer_core.kernels.compiled import are_ready
from tokenizer_core.patterns.pretokens import check_text
from tokenizer_core.patterns.split_patterns import SUPERWORDS
from tokenizer_core.readers.labels import corpus_opening
from tokenizer_core.workers.child import CANNOT_START, MEMORY_BYTES, Child
from tokenizer_core.workers.training_settings import Counting, Pace, Training, software_versions

State = Literal["waiting", "starting", "counting", "running", "paused", "done", "stopped", "failed"]
ENDED: tuple[State, ...] = ("done", "stopped", "failed")
STOP_SECONDS = 5.0
"""After this time, a worker that was told to stop is killed."""
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
    served: int | None = None
    """With parity, the number of the language that chooses; the counts are those in its text."""


def start_worker() -> Child:
    """Start a worker, which waits for a `Job` and ends with the app.

    While the compiled loops are not ready here, it learns in plain Python, until it is told to `use_loops`.
    """
    return Child("training_worker", *([] if are_ready() else ["plain"]))


class Job:
    """One training in a worker.

    A thread that listens to the worker writes the attributes: `merges` and the `curve` of (merges, tokens in the
    corpus), which only grow, and the `state`. The merges learned stay, whatever happens to the worker. A job that
    `waits` has no worker until `begin` is called, but it accepts commands.
    """

    def __init__(
        self,
        training: Training,
        *,
        waits: bool = False,
        memory_bytes: int | None = MEMORY_BYTES,
        when_changed: Callable[["Job"], None] | None = None,
    ) -> None:
        """Start the training unless it `waits`; call `when_changed` when an event or `close` changes the state."""
        for text in training.texts:
            check_text(text)
        training.check()  # now, not after the training
        self.id = secrets.token_urlsafe(16)
        self.training = training
        self.pace = training.pace
        self.state: State = "waiting"
        self.failure: TokenizerError | None = None
        self.ending: Ending | None = None
        self.created = time.time()
        self.versions = software_versions()
        self.opening = corpus_opening(training.texts)
        self.corpus_characters = training.characters
        self.corpus_sha256: str | None = None
        self.counting = Counting(0, 0, 0.0)
        self.pretokens = self.distinct_pretokens = 0
        self.latest_choice: Choice | None = None
        self.superwords_after: int | None = None
        """Merges learned when tokens were first allowed to cross pretokens; None until then."""
        self.recounts = False
        """Whether the texts are being counted anew, so that tokens may cross pretokens."""
        self.work_seconds = 0.0
        """Seconds that the worker has spent on merges, without the waits of its pace."""
        self._busy_seconds = 0.0
        self._running_since: float | None = None
        self._merges: list[Merge] = []
        self._curve: list[tuple[int, int]] = []
        self._served: list[int | None] = []
        self._tokenizer: Tokenizer | None = None
        self._memory_bytes = memory_bytes
        self._when_changed = when_changed
        self._changed = threading.Condition()
        self._worker: Child | None = None
        self._early_commands: list[dict[str, Any]] = []
        if not waits:
            self.begin()

    def begin(self, worker: Child | None = None) -> None:
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
                worker.close()
        except (TokenizerError, *CANNOT_START):
            if worker is not None:
                worker.close()
            self._end("failed", TokenizerError("worker_not_started"))

    def _hire(self, worker: Child) -> None:
        """Let a worker train, and listen to it; end it if the job has ended in the meantime."""
        with self._changed:
            self._worker = worker
            worker.send(
                {"training": self.training.described(), "memory_bytes": self._memory_bytes}, self.training.held
            )
            for command in self._early_commands:
                worker.send(command)
            if self.ended:
                worker.kill()
        threading.Thread(target=self._listen, args=(worker,), daemon=True).start()

    @property
    def merges(self) -> list[Merge]:
        """The merges learned so far."""
        return self._merges

    @property
    def curve(self) -> list[tuple[int, int]]:
        """The tokens in the corpus after some of the merges, as (merges, tokens)."""
        return self._curve

    @property
    def served(self) -> list[int | None]:
        """With parity, the number of the language that chose each merge, None for a given one; else empty."""
        return self._served

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
        """Return the tokenizer learned so far; the same object until there are more merges.

        It is packed, because a class has one for each visitor.
        """
        merges = list(self.merges)
        if self._tokenizer is None or len(merges) != len(self._tokenizer.merges):
            self._tokenizer = Tokenizer(
                PackedMerges.of((merge.left, merge.right) for merge in merges),
                pattern=self.pattern_after(len(merges)),
                special_tokens=self.training.special_ids(BYTES + len(merges)),
            )
        return self._tokenizer

    def pattern_after(self, merges: int) -> str:
        """Return the split pattern of the tokenizer with this many merges: another once tokens cross pretokens."""
        crosses = self.superwords_after is not None and merges > self.superwords_after
        return SUPERWORDS if crosses else self.training.pattern

    def pause(self) -> None:
        """Pause the training after the merges in progress."""
        self._command("pause")

    def resume(self) -> None:
        """Continue after a pause."""
        self._command("resume")

    def step(self, merges: int = 1) -> None:
        """Learn this many merges, and pause."""
        self._command("step", merges=merges)

    def set_pace(self, pace: Pace) -> None:
        """Set the pace from now on."""
        self.pace = pace
        self._command("pace", pace=pace)

    def use_loops(self) -> None:
        """Let a worker that learns in plain Python load the compiled loops, and continue with them."""
        self._command("use_loops")

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

    def close(self) -> None:
        """End the training if it still runs, and kill its worker."""
        if not self.ended:
            self.ending = "stopped"
            self._end("stopped")
        if self._worker is not None:
            self._worker.close()

    def wait(self, seconds: float, until: Callable[[], bool] | None = None) -> None:
        """Wait until the job changes, or until `until` is true or the job has ended, at most this many seconds.

        This lets a click show its effect at once.
        """
        with self._changed:
            if until is None:
                self._changed.wait(seconds)
            else:
                self._changed.wait_for(lambda: self.ended or until(), seconds)

    def forget_texts(self) -> None:
        """Free the memory of the corpus; after that, this job cannot be trained again."""
        self.training = self.training.forgotten()

    def _command(self, command: str, **values: Any) -> None:
        with self._changed:
            if self._worker is None:
                self._early_commands.append({"command": command, **values})
            elif not self.ended:
                self._worker.send({"command": command, **values})

    def _listen(self, worker: Child) -> None:
        """Take in the worker's events until the job ends; whatever happens here, the job ends too."""
        try:
            for event in worker.events():
                self._take_in(event)
                if self.ended:
                    return
        except TokenizerError as error:
            self._end("failed", error.bare())
        finally:
            self._end("failed", TokenizerError("worker_died"))  # changes nothing if the job has ended
            worker.close()

    def _take_in(self, event: dict[str, Any]) -> None:
        """Take in one event; drop what comes after the end of the job."""
        before = self.state
        with self._changed:
            if not self.ended:
                self._note(event)
                self._changed.notify_all()
        self._tell_of_change(before)

    def _note(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "counting":
                self.counting = Counting(event["done"], event["size"], event["seconds"])
                self._set_state("counting")
            case "started":
                self.corpus_sha256 = event["corpus_sha256"]
                self.pretokens, self.distinct_pretokens = event["pretokens"], event["distinct"]
                self._curve.append((0, event["token_count"]))
                self._set_state("running")
            case "merges":
                self._served += event["served"]  # first: whoever reads a merge finds who chose it
                news = enumerate(event["merges"], BYTES + len(self._merges))
                self._merges += [Merge(left, right, n, count) for n, (left, right, count) in news]
                self._curve += [(learned, tokens) for learned, tokens in event["curve"]]
                self.work_seconds = event["work_seconds"]
            case "recounting":
                self.recounts = True
            case "superwords":
                self.recounts, self.superwords_after = False, event["after"]
            case "choice":
                candidates = [Candidate(*each) for each in event["candidates"]]
                self.latest_choice = Choice(event["after"], candidates, event["ties"], event["served"])
            case "paused" | "running" as state:
                self._set_state(state)
            case "finished":
                self.ending = event["ending"]
                self._set_state("stopped" if self.ending == "stopped" else "done")

    def _set_state(self, state: State) -> None:
        if state == "running" and self._running_since is None:
            self._running_since = time.monotonic()
        if state != "running" and self._running_since is not None:
            self._busy_seconds += time.monotonic() - self._running_since
            self._running_since = None
        self.state = state

    def _end(self, state: State, failure: TokenizerError | None = None) -> None:
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
