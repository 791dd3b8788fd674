"""A training in its own process, so that nobody else waits for it: `python -m tokenizer_core.worker`.

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
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

from tokenizer_core.errors import TokenizerError
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Merge, Trainer

BATCH_SECONDS = 0.1
"""Merges are sent in batches this far apart: often enough to look live, rare enough to cost nothing."""
CURVE_POINTS = 400
MAX_VOCABULARY_BYTES = 32 * 2**20
"""All tokens together. A text that repeats itself, unsplit, makes tokens as long as books."""
NICENESS = 10
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
    texts = [sys.stdin.buffer.read(size).decode("utf-8") for size in training["text_bytes"]]
    commands: SimpleQueue[dict[str, Any]] = SimpleQueue()
    threading.Thread(target=read_commands, args=(sys.stdin.buffer, commands), daemon=True).start()
    try:
        send("counting")
        counts = count_pretokens(texts, training["pattern"])
        trainer = Trainer(counts, training["vocab_size"], training["min_count"])
        send("started", token_count=trainer.token_count, pretokens=counts.total(), distinct=len(counts))
        Conductor(trainer, commands, training["pace"]).run()
    except TokenizerError as error:
        send("failed", code=error.code, values=error.values, message=str(error))
    except MemoryError:
        send("failed", code="out_of_memory", values={}, message="the machine's memory is full")


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


class Conductor:
    """Runs a trainer at a pace, obeys commands, and reports merges in batches."""

    def __init__(
        self, trainer: Trainer, commands: "SimpleQueue[dict[str, Any]]", pace: float | None = None
    ) -> None:
        """`pace` is in merges per second; None is as fast as can be."""
        self.trainer = trainer
        self.commands = commands
        self.pace = pace
        self.paused = False
        self.stopped = False
        self.too_long = False
        self.token_lengths = [1] * 256
        self.vocabulary_bytes = 256
        # Full speed learns so many merges between two points of the curve.
        self.stride = max(1, (trainer.vocab_size - 256) // CURVE_POINTS)

    def run(self) -> None:
        """Train until the end, or until told to stop."""
        self.show_choice()
        while not (self.stopped or self.too_long or self.trainer.done):
            started = time.monotonic()
            if self.paused:
                self.obey(self.commands.get())
                continue
            merges, curve = self.learn_batch(started + BATCH_SECONDS)
            self.report(merges, curve)
            self.obey_until(started + self.pause_after(len(merges)))
        out_of_pairs = not self.too_long and self.trainer.out_of_pairs
        send("finished", out_of_pairs=out_of_pairs, too_long=self.too_long, stopped=self.stopped)

    def learn_batch(self, deadline: float) -> tuple[list[Merge], list[tuple[int, int]]]:
        """The merges of one batch, and points (merges learned, tokens left) on the way."""
        if self.pace is not None:
            merges = self.trainer.step(max(1, round(self.pace * BATCH_SECONDS)))
            return merges, [(self.trainer.merge_count, self.trainer.token_count)]
        learned: list[Merge] = []
        curve: list[tuple[int, int]] = []
        while time.monotonic() < deadline and not self.trainer.done:
            learned += self.trainer.step(self.stride)
            curve.append((self.trainer.merge_count, self.trainer.token_count))
        return learned, curve

    def pause_after(self, learned: int) -> float:
        """Seconds from the start of a batch to the start of the next one."""
        return 0.0 if self.pace is None else learned / self.pace

    def report(self, merges: list[Merge], curve: list[tuple[int, int]]) -> None:
        """Send a batch of merges as (left, right, count) with the points of the curve."""
        kept = self.that_fit(merges)
        rows = [(merge.left, merge.right, merge.count) for merge in kept]
        send("merges", merges=rows, curve=curve if len(kept) == len(merges) else [])
        self.show_choice()

    def show_choice(self) -> None:
        """Send the pairs that could be merged next, where people have the time to look at them."""
        if self.paused or (self.pace is not None and self.pace <= SLOW_PACE):
            candidates = [tuple(candidate) for candidate in self.trainer.candidates(CANDIDATES)]
            send("choice", after=self.trainer.merge_count, candidates=candidates, ties=self.trainer.ties)

    def that_fit(self, merges: list[Merge]) -> list[Merge]:
        """The merges before the tokens grow too long, which ends the training."""
        for n, merge in enumerate(merges):
            length = self.token_lengths[merge.left] + self.token_lengths[merge.right]
            if self.too_long or self.vocabulary_bytes + length > MAX_VOCABULARY_BYTES:
                self.too_long = True
                return merges[:n]
            self.token_lengths.append(length)
            self.vocabulary_bytes += length
        return merges

    def obey_until(self, moment: float) -> None:
        """Carry out commands until a moment has come, or training need not wait for it any more."""
        with contextlib.suppress(Empty):
            pace = self.pace
            while not (self.stopped or self.paused) and self.pace == pace:
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
                self.report(merges, [(self.trainer.merge_count, self.trainer.token_count)])
            case "pace":
                self.pace = command["pace"]
            case "stop":
                self.stopped = True


if __name__ == "__main__":
    main()
    os._exit(0)  # an ordinary exit aborts: it wants stdin, which the thread that reads commands holds
