"""A training in its own process, so that nobody else waits for it: `python -m tokenizer_core.jobs.worker`.

The process reads a description and the corpus, as `process` defines them, and then commands as lines of JSON:
pause, resume, step, stop, pace. It writes events: ready, counting, started, merges, choice, paused, running,
finished, failed. It ends with the training, and when stdin closes, so it never outlives the app.
"""

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

import numpy as np

from tokenizer_core.jobs.corpus_counting import counted_corpus
from tokenizer_core.jobs.counts_reader import read_to_train
from tokenizer_core.jobs.fingerprint import corpus_hash
from tokenizer_core.jobs.process import contents_in, failures_sent, receive, send
from tokenizer_core.jobs.training import Training
from tokenizer_core.measures.history import token_counts
from tokenizer_core.pretokens import PretokenCounts, counted_pretokens
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import MAX_DISTINCT_BYTES, Merge, Trainer
from tokenizer_core.two_stage import cluster_merges, join_while_found
from tokenizer_core.vocabulary import BYTES, Pair

BATCH_SECONDS = 0.1
"""Time between batches of merges: often enough to look live, and rarely enough to cost nothing."""
CURVE_POINTS = 400
MOST_AT_ONCE = 1_000
MAX_VOCABULARY_BYTES = 32 * 2**20
"""Bytes of all tokens together. A text that repeats itself makes tokens as long as books if it is not split."""
CANDIDATES = 10
SLOW_PACE = 4.0
"""Merges per second. Up to this pace, people can follow each choice."""
FIRST_RATE, GAIN, GAIN_SECONDS = 2.0, 100.0, 20.0
"""A gathering pace starts with so many merges per second, and is so many times as fast after so many seconds."""
FULL_RATE = 20_000.0
"""Merges per second from which on a gathering pace no longer waits."""


def main() -> None:
    """Warm up, read one training from stdin, and run it."""
    warm_up()
    send("ready")
    stdin = sys.stdin.buffer
    description = receive(stdin)
    if description is None:
        return
    training = Training.from_description(description["training"])
    commands: SimpleQueue[dict[str, Any]] = SimpleQueue()
    with failures_sent():
        contents = list(contents_in(stdin, description))
        threading.Thread(target=read_commands, args=(stdin, commands), daemon=True).start()
        pretokens, corpus_sha256 = count(training, contents)
        first = first_stage(training, contents)
        contents.clear()
        trainer = Trainer(pretokens, training.vocab_size, training.stop.min_count)
        send(
            "started",
            token_count=trainer.token_count,
            pretokens=int(pretokens.counts.sum()),
            distinct=len(pretokens.counts),
            corpus_sha256=corpus_sha256,
        )
        del pretokens
        conductor = Conductor(trainer, commands, training, seconds=description["seconds"])
        conductor.run(first, description["learned"])


def count(training: Training, contents: list[bytes]) -> tuple[PretokenCounts, str]:
    """Count the pretokens of texts, or read those of a counts file; return them and the corpus's fingerprint."""
    if training.counts is None:
        pretokens = counted_corpus(contents, training.pattern, _tell_counting)
        return pretokens, corpus_hash(contents)
    send("counting")
    counts = read_to_train(contents[0], MAX_DISTINCT_BYTES, pattern=training.pattern)
    return counts.pretokens, counts.sha256


def _tell_counting(done: int, size: int, seconds: float) -> None:
    send("counting", done=done, size=size, seconds=seconds)


def first_stage(training: Training, contents: list[bytes]) -> list[Pair]:
    """Return the pairs learned inside grapheme clusters, if the training has this stage."""
    merges = min(training.first_merges, training.vocab_size - BYTES)
    if not merges or training.counts is not None:
        return []
    texts = [content.decode("utf-8") for content in contents]
    return cluster_merges(texts, merges, min_count=training.stop.min_count)


def warm_up() -> None:
    """Compile what training and encoding need, or load it from the cache on disk; `compiling` does the rest."""
    trainer = Trainer(counted_pretokens("ab" * 2, "none"), 258)
    merges = [(merge.left, merge.right) for merge in trainer.step(2)]
    Tokenizer(merges).encode("ab " + "ab" * 100)


def read_commands(stream: BinaryIO, commands: "SimpleQueue[dict[str, Any]]") -> None:
    """Queue each command; exit at once when the app is gone, or when there is no memory for commands."""
    try:
        for line in stream:
            commands.put(json.loads(line))
    finally:
        os._exit(0)


class Conductor:
    """Runs a trainer at a pace, obeys commands, reports merges in batches, and knows when to stop."""

    def __init__(
        self,
        trainer: Trainer,
        commands: "SimpleQueue[dict[str, Any]]",
        training: Training,
        *,
        seconds: float = 0.0,
    ) -> None:
        self.trainer = trainer
        self.commands = commands
        self.training = training
        self.stop_rules = training.stop
        self.pace = training.pace
        self.gathers_from = 0.0  # seconds of training
        self.paused = False
        self.ending: str | None = None
        """Why training ends: "stopped" by a command, "length", "time" or "beaten"; None while it continues."""
        self.pairs: list[tuple[int, int]] = []
        self.token_lengths = [1] * BYTES
        self.vocabulary_bytes = BYTES
        self.seconds = seconds
        """Seconds of training, with the waits of its pace, without pauses and without what is learned again."""
        self.work_seconds = 0.0
        """Seconds spent on merges."""
        self.batch = 0
        self.at_once = 1
        # Merges between two points of the curve.
        self.stride = max(1, (trainer.vocab_size - BYTES) // CURVE_POINTS)

    def run(self, first_stage: Iterable[Pair] = (), learned: int = 0) -> None:
        """Train to the end, or until a command or a rule stops it; learn the first merges at full speed."""
        self.begin(first_stage)
        self.catch_up(learned)
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
        """Merge the pairs of a first stage, then the given pairs."""
        given = (self.trainer.join(*pair) for pair in self.training.given)
        joined = chain(join_while_found(self.trainer, first_stage), given)
        with self.at_work():
            learned = [(merge, int(self.trainer.token_counts[0])) for merge in joined]
        if learned or self.stop_rules.beat is not None:
            self.report([merge for merge, _ in learned], [tokens for _, tokens in learned])

    def catch_up(self, learned: int) -> None:
        """Learn again what an interrupted training had learned; only a command to stop ends it early."""
        while not (self.ending or self.trainer.done) and self.trainer.merge_count < learned:
            merges: list[Merge] = []
            counts: list[int] = []
            deadline = time.monotonic() + BATCH_SECONDS
            while self.trainer.merge_count < learned and not (merges and self.is_interrupted(deadline)):
                merges += self.step(min(self.at_once, learned - self.trainer.merge_count))
                counts += self.trainer.token_counts.tolist()
                self.at_once = min(2 * self.at_once, MOST_AT_ONCE)
            self.report(merges, counts)
            while not self.commands.empty():
                self.obey(self.commands.get())

    def learn_batch(self, deadline: float) -> None:
        """Learn and report one batch of merges: as many as the pace allows, up to the deadline.

        Merges are learned a few at a time, so a command never waits long, even if each merge takes long.
        """
        merges: list[Merge] = []
        counts: list[int] = []
        rate = self.rate()
        most = self.trainer.vocab_size if rate is None else max(1, round(rate * BATCH_SECONDS))
        while len(merges) < most and not (merges and self.is_interrupted(deadline)):
            started = time.monotonic()
            merges += self.step(min(self.at_once, most - len(merges)))
            counts += self.trainer.token_counts.tolist()
            quick = time.monotonic() - started < BATCH_SECONDS / 10
            self.at_once = min(2 * self.at_once, MOST_AT_ONCE) if quick else max(1, self.at_once // 2)
        self.batch = len(merges)
        self.report(merges, counts)

    def step(self, n: int) -> list[Merge]:
        """Learn the next `n` merges, and note how long it took."""
        with self.at_work():
            return self.trainer.step(n)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Add the time spent in this context to `work_seconds`."""
        started = time.monotonic()
        yield
        self.work_seconds += time.monotonic() - started

    def is_interrupted(self, deadline: float) -> bool:
        """Tell whether a batch must end here: training is done, time is up, or a command came."""
        return self.trainer.done or time.monotonic() >= deadline or not self.commands.empty()

    def pause_after(self) -> float:
        """Return the seconds from the start of a batch to the start of the next one."""
        rate = self.rate()
        return 0.0 if rate is None else self.batch / rate

    def rate(self) -> float | None:
        """Return the merges per second that the pace allows now; None for as many as possible."""
        if self.pace != "gathering":
            return self.pace
        try:
            rate: float = FIRST_RATE * GAIN ** ((self.seconds - self.gathers_from) / GAIN_SECONDS)
        except OverflowError:
            return None
        return rate if rate < FULL_RATE else None

    def report(self, merges: list[Merge], token_counts: list[int]) -> None:
        """Send merges as (left, right, count), and points of the curve as (merges learned, tokens left)."""
        learned = len(self.pairs)
        kept = self.until_beaten(merges[: self.that_fit(merges)])
        self.pairs += [(merge.left, merge.right) for merge in kept]
        rows = [(merge.left, merge.right, merge.count) for merge in kept]
        places = sorted({*range(self.stride - 1, len(kept), self.stride), len(kept) - 1} - {-1})
        send(
            "merges",
            merges=rows,
            curve=[(learned + n + 1, token_counts[n]) for n in places],
            work_seconds=self.work_seconds,
        )
        self.show_choice()

    def until_beaten(self, merges: list[Merge]) -> list[Merge]:
        """Return the merges up to the first one after which the text to beat has fewer tokens than the goal."""
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
        """Send the pairs that could be merged next, if people have time to look at them."""
        rate = self.rate()
        if self.paused or (rate is not None and rate <= SLOW_PACE):
            candidates = [tuple(candidate) for candidate in self.trainer.candidates(CANDIDATES)]
            send("choice", after=self.trainer.merge_count, candidates=candidates, ties=self.trainer.ties)

    def that_fit(self, merges: list[Merge]) -> int:
        """Return how many merges fit before the tokens grow too long; end the training if one does not fit."""
        for n, merge in enumerate(merges):
            length = self.token_lengths[merge.left] + self.token_lengths[merge.right]
            if self.vocabulary_bytes + length > MAX_VOCABULARY_BYTES:
                self.ending = "length"
                return n
            self.token_lengths.append(length)
            self.vocabulary_bytes += length
        return len(merges)

    def obey_until(self, moment: float) -> None:
        """Carry out commands until a moment comes, or until training need not wait for it any longer."""
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
                merges = self.step(command["merges"])
                self.report(merges, self.trainer.token_counts.tolist())
            case "pace":
                self.pace = command["pace"]
                self.gathers_from = self.seconds
            case "stop":
                self.ending = "stopped"


if __name__ == "__main__":
    main()
    os._exit(0)  # an ordinary exit aborts, because it needs stdin, which the thread for commands holds
