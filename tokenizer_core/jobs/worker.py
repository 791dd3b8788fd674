"""A training in its own process, so that nobody else waits for it: `python -m tokenizer_core.jobs.worker`.

Lines of JSON come in on stdin and go out on stdout. The first line in describes the training and is followed by
the corpus as raw UTF-8; later lines are commands: pause, resume, step, stop, pace. Lines out are events: ready,
counting, started, merges, choice, paused, running, finished, failed. The process ends with the training, and when
stdin closes, so that it never outlives the app.
"""

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

import numpy as np

from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.fingerprint import corpus_hash
from tokenizer_core.measures.history import token_counts
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Merge, Trainer

BATCH_SECONDS = 0.1
"""Merges are sent in batches this far apart: often enough to look live, rare enough to cost nothing."""
CURVE_POINTS = 400
MOST_AT_ONCE = 1_000
MAX_VOCABULARY_BYTES = 32 * 2**20
"""All tokens together. A text that repeats itself, unsplit, makes tokens as long as books."""
NICENESS = 19
CANDIDATES = 10
SLOW_PACE = 4.0
"""Merges per second up to which people can follow each choice."""


def main() -> None:
    """Warm up, read one training from stdin, and carry it out."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    warm_up()
    send("ready")
    description = sys.stdin.buffer.readline()
    if not description:
        return
    training = json.loads(description)
    limit_memory(training["memory_bytes"])
    commands: SimpleQueue[dict[str, Any]] = SimpleQueue()
    try:
        texts = [sys.stdin.buffer.read(size).decode("utf-8") for size in training["text_bytes"]]
        threading.Thread(target=read_commands, args=(sys.stdin.buffer, commands), daemon=True).start()
        send("counting")
        counts = count_pretokens(texts, training["pattern"])
        trainer = Trainer(counts, training["vocab_size"], training["min_count"])
        send(
            "started",
            token_count=trainer.token_count,
            pretokens=counts.total(),
            distinct=len(counts),
            corpus_sha256=corpus_hash(texts),
        )
        del texts, counts
        Conductor(trainer, commands, Rules(**training["rules"])).run()
    except TokenizerError as error:
        send("failed", code=error.code, values=error.values, message=str(error))
    except MemoryError:
        send("failed", code="out_of_memory", values={}, message="the memory given to a training is full")


def limit_memory(more: int | None) -> None:
    """Let this process have at most so many bytes more than it has now, where the system can hold it to that."""
    if more is None or sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError), Path("/proc/self/statm").open(encoding="ascii") as figures:
        used = int(figures.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.getrlimit(resource.RLIMIT_AS)[1]))


def warm_up() -> None:
    """Compile, or load from the cache on disk, all that training and encoding need."""
    trainer = Trainer({"ab": 2}, 258)
    merges = [(merge.left, merge.right) for merge in trainer.step(2)]
    Tokenizer(merges).encode("ab " + "ab" * 100)


def send(event: str, **values: Any) -> None:
    """One event, as a line on stdout."""
    sys.stdout.write(json.dumps({"event": event, **values}) + "\n")
    sys.stdout.flush()


def read_commands(stream: BinaryIO, commands: "SimpleQueue[dict[str, Any]]") -> None:
    """Queue each command; leave at once when the app has gone."""
    for line in stream:
        commands.put(json.loads(line))
    os._exit(0)


@dataclass(frozen=True)
class Rules:
    """How a trainer is to be conducted: how fast, from where, and when to stop."""

    pattern: str = "mark_aware"
    pace: float | None = None
    """Merges per second; None is as fast as can be."""
    given: Sequence[Sequence[int]] = ()
    """Pairs to merge first, whatever their counts."""
    max_seconds: float | None = None
    """Seconds of learning, pauses left out."""
    beat_text: str = ""
    beat_tokens: int | None = None
    """Stop as soon as `beat_text` has fewer tokens than this."""


class Conductor:
    """Runs a trainer at a pace, obeys commands, reports merges in batches, and knows when to stop."""

    def __init__(
        self, trainer: Trainer, commands: "SimpleQueue[dict[str, Any]]", rules: Rules | None = None
    ) -> None:
        self.trainer = trainer
        self.commands = commands
        self.rules = rules or Rules()
        self.pace = self.rules.pace
        self.paused = False
        self.ending: str | None = None
        """Why it ends: "stopped" by a command, "length", "time" or "beaten"; None while there is more to do."""
        self.pairs: list[tuple[int, int]] = []
        self.token_lengths = [1] * 256
        self.vocabulary_bytes = 256
        self.seconds = 0.0
        self.batch = 0
        self.at_once = 1
        # So many merges between two points of the curve.
        self.stride = max(1, (trainer.vocab_size - 256) // CURVE_POINTS)

    def run(self) -> None:
        """Train until the end, or until told to stop."""
        self.begin()
        self.show_choice()
        while not (self.ending or self.trainer.done):
            started = time.monotonic()
            if self.paused:
                self.obey(self.commands.get())
                continue
            self.learn_batch(started + BATCH_SECONDS)
            self.obey_until(started + self.pause_after())
            self.seconds += time.monotonic() - started
            if self.rules.max_seconds is not None and self.seconds >= self.rules.max_seconds:
                self.ending = self.ending or "time"
        send("finished", ending=self.ending or ("pairs" if self.trainer.out_of_pairs else "size"))

    def begin(self) -> None:
        """Make the merges that are given."""
        learned = [(self.trainer.join(*pair), int(self.trainer.token_counts[0])) for pair in self.rules.given]
        if learned or self.rules.beat_tokens is not None:
            self.report([merge for merge, _ in learned], [tokens for _, tokens in learned])

    def learn_batch(self, deadline: float) -> None:
        """Learn and report the merges of one batch: as many as the pace allows, none after the deadline.

        They are learned a few at a time, so that a command never waits long, even where each merge takes long.
        """
        merges: list[Merge] = []
        counts: list[int] = []
        most = self.trainer.vocab_size if self.pace is None else max(1, round(self.pace * BATCH_SECONDS))
        while len(merges) < most and not (merges and self.is_interrupted(deadline)):
            started = time.monotonic()
            merges += self.trainer.step(min(self.at_once, most - len(merges)))
            counts += self.trainer.token_counts.tolist()
            quick = time.monotonic() - started < BATCH_SECONDS / 10
            self.at_once = min(2 * self.at_once, MOST_AT_ONCE) if quick else max(1, self.at_once // 2)
        self.batch = len(merges)
        self.report(merges, counts)

    def is_interrupted(self, deadline: float) -> bool:
        """Whether a batch must end here: all is learned, it is late, or somebody has given a command."""
        return self.trainer.done or time.monotonic() >= deadline or not self.commands.empty()

    def pause_after(self) -> float:
        """Seconds from the start of a batch to the start of the next one."""
        return 0.0 if self.pace is None else self.batch / self.pace

    def report(self, merges: list[Merge], token_counts: list[int]) -> None:
        """Send merges as (left, right, count), and points of the curve as (merges learned, tokens left)."""
        learned = len(self.pairs)
        kept = self.until_beaten(merges[: self.that_fit(merges)])
        self.pairs += [(merge.left, merge.right) for merge in kept]
        rows = [(merge.left, merge.right, merge.count) for merge in kept]
        places = sorted({*range(self.stride - 1, len(kept), self.stride), len(kept) - 1} - {-1})
        send("merges", merges=rows, curve=[(learned + n + 1, token_counts[n]) for n in places])
        self.show_choice()

    def until_beaten(self, merges: list[Merge]) -> list[Merge]:
        """The merges up to the one with which the text that is to be beaten is."""
        if self.rules.beat_tokens is None or self.ending:
            return merges
        pairs = [*self.pairs, *((merge.left, merge.right) for merge in merges)]
        counts = token_counts(self.rules.beat_text, Tokenizer(pairs, pattern=self.rules.pattern))
        beaten = np.flatnonzero(counts < self.rules.beat_tokens)
        if not beaten.size:
            return merges
        self.ending = "beaten"
        return merges[: max(0, int(beaten[0]) - len(self.pairs))]

    def show_choice(self) -> None:
        """Send the pairs that could be merged next, where people have the time to look at them."""
        if self.paused or (self.pace is not None and self.pace <= SLOW_PACE):
            candidates = [tuple(candidate) for candidate in self.trainer.candidates(CANDIDATES)]
            send("choice", after=self.trainer.merge_count, candidates=candidates, ties=self.trainer.ties)

    def that_fit(self, merges: list[Merge]) -> int:
        """How many of the merges come before the tokens grow too long, which ends the training."""
        for n, merge in enumerate(merges):
            length = self.token_lengths[merge.left] + self.token_lengths[merge.right]
            if self.vocabulary_bytes + length > MAX_VOCABULARY_BYTES:
                self.ending = "length"
                return n
            self.token_lengths.append(length)
            self.vocabulary_bytes += length
        return len(merges)

    def obey_until(self, moment: float) -> None:
        """Carry out commands until a moment has come, or training need not wait for it any more."""
        with contextlib.suppress(Empty):
            pace = self.pace
            while not (self.ending or self.paused) and self.pace == pace:
                wait = moment - time.monotonic()
                self.obey(self.commands.get(timeout=wait) if wait > 0 else self.commands.get_nowait())

    def obey(self, command: dict[str, Any]) -> None:
        """Carry out one command."""
        match command["command"]:
            case "pause":
                self.paused = True
                send("paused")
                self.show_choice()
            case "resume":
                self.paused = False
                send("running")
            case "step":
                if not self.paused:
                    self.paused = True
                    send("paused")
                merges = self.trainer.step(command["merges"])
                self.report(merges, self.trainer.token_counts.tolist())
            case "pace":
                self.pace = command["pace"]
            case "stop":
                self.ending = "stopped"


if __name__ == "__main__":
    main()
    os._exit(0)  # an ordinary exit aborts: it wants stdin, which the thread that reads commands holds
