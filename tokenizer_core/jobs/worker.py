"""A training in its own process, so that nobody else waits for it: `python -m tokenizer_core.jobs.worker`.

After the description and the corpus, as `process` has them, lines of JSON come in as commands: pause, resume,
step, stop, pace. Events go out: ready, counting, started, merges, choice, paused, running, finished, failed. The
process ends with the training, and when stdin closes, so that it never outlives the app.
"""

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Iterable
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

import numpy as np

from tokenizer_core.jobs.fingerprint import corpus_hash
from tokenizer_core.jobs.process import be_nice, failures_sent, receive, send, texts_in
from tokenizer_core.jobs.training import Training
from tokenizer_core.measures.history import token_counts
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Merge, Trainer
from tokenizer_core.two_stage import cluster_merges, join_while_found
from tokenizer_core.vocabulary import BYTES, Pair

BATCH_SECONDS = 0.1
"""Merges are sent in batches this far apart: often enough to look live, rare enough to cost nothing."""
CURVE_POINTS = 400
MOST_AT_ONCE = 1_000
MAX_VOCABULARY_BYTES = 32 * 2**20
"""All tokens together. A text that repeats itself, unsplit, makes tokens as long as books."""
CANDIDATES = 10
SLOW_PACE = 4.0
"""Merges per second up to which people can follow each choice."""


def main() -> None:
    """Warm up, read one training from stdin, and carry it out."""
    be_nice()
    warm_up()
    send("ready")
    stdin = sys.stdin.buffer
    description = receive(stdin)
    if description is None:
        return
    training = Training.from_description(description["training"])
    commands: SimpleQueue[dict[str, Any]] = SimpleQueue()
    with failures_sent():
        texts = list(texts_in(stdin, description))
        threading.Thread(target=read_commands, args=(stdin, commands), daemon=True).start()
        Conductor(count(training, texts), commands, training).run(first_stage(training, texts))


def count(training: Training, texts: list[str]) -> Trainer:
    """The trainer for a corpus, as soon as its pretokens have been counted."""
    send("counting")
    counts = count_pretokens(texts, training.pattern)
    trainer = Trainer(counts, training.vocab_size, training.stop.min_count)
    send(
        "started",
        token_count=trainer.token_count,
        pretokens=counts.total(),
        distinct=len(counts),
        corpus_sha256=corpus_hash(texts),
    )
    return trainer


def first_stage(training: Training, texts: list[str]) -> list[Pair]:
    """The pairs learned inside grapheme clusters, where the training has such a stage. The texts are given up."""
    merges = min(training.first_merges, training.vocab_size - BYTES)
    pairs = cluster_merges(texts, merges, min_count=training.stop.min_count) if merges else []
    texts.clear()
    return pairs


def warm_up() -> None:
    """Compile, or load from the cache on disk, all that training and encoding need."""
    trainer = Trainer({"ab": 2}, 258)
    merges = [(merge.left, merge.right) for merge in trainer.step(2)]
    Tokenizer(merges).encode("ab " + "ab" * 100)


def read_commands(stream: BinaryIO, commands: "SimpleQueue[dict[str, Any]]") -> None:
    """Queue each command; leave at once when the app has gone."""
    for line in stream:
        commands.put(json.loads(line))
    os._exit(0)


class Conductor:
    """Runs a trainer at a pace, obeys commands, reports merges in batches, and knows when to stop."""

    def __init__(self, trainer: Trainer, commands: "SimpleQueue[dict[str, Any]]", training: Training) -> None:
        self.trainer = trainer
        self.commands = commands
        self.training = training
        self.stop_rules = training.stop
        self.pace = training.pace
        self.paused = False
        self.ending: str | None = None
        """Why it ends: "stopped" by a command, "length", "time" or "beaten"; None while there is more to do."""
        self.pairs: list[tuple[int, int]] = []
        self.token_lengths = [1] * BYTES
        self.vocabulary_bytes = BYTES
        self.seconds = 0.0
        self.batch = 0
        self.at_once = 1
        # Merges between two points of the curve.
        self.stride = max(1, (trainer.vocab_size - BYTES) // CURVE_POINTS)

    def run(self, first_stage: Iterable[Pair] = ()) -> None:
        """Train until the end, or until told to stop."""
        self.begin(first_stage)
        self.show_choice()
        while not (self.ending or self.trainer.done):
            started = time.monotonic()
            if self.paused:
                self.obey(self.commands.get())
                continue
            self.learn_batch(started + BATCH_SECONDS)
            self.obey_until(started + self.pause_after())
            self.seconds += time.monotonic() - started
            if self.stop_rules.max_seconds is not None and self.seconds >= self.stop_rules.max_seconds:
                self.ending = self.ending or "time"
        send("finished", ending=self.ending or ("pairs" if self.trainer.out_of_pairs else "size"))

    def begin(self, first_stage: Iterable[Pair]) -> None:
        """Make the merges of a first stage, then those that are given."""
        given = (self.trainer.join(*pair) for pair in self.training.given)
        joined = chain(join_while_found(self.trainer, first_stage), given)
        learned = [(merge, int(self.trainer.token_counts[0])) for merge in joined]
        if learned or self.stop_rules.beat is not None:
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
        """The merges up to the first after which the text to beat has fewer tokens than were asked for."""
        goal = self.stop_rules.beat
        if goal is None or self.ending:
            return merges
        pairs = [*self.pairs, *((merge.left, merge.right) for merge in merges)]
        counts = token_counts(goal.text, Tokenizer(pairs, pattern=self.training.pattern))
        beaten = np.flatnonzero(counts < goal.tokens)
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
