"""The child that learns: `python -m tokenizer_core.workers.training_worker`, started and controlled by a `Job`.

It reads a description and the corpus, as `child` defines them, and then commands: pause, resume, step, stop, pace,
use_loops. It writes events: ready, counting, started, merges, recounting, superwords, choice, paused, running,
finished and failed.
"""

import contextlib
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from tokenizer_core.analysis.lineage import token_counts
from tokenizer_core.bpe.parity_trainer import Group, ParityTrainer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import MAX_DISTINCT_BYTES, Merge, Trainer, cluster_merges, join_while_found
from tokenizer_core.bpe.vocabulary import BYTES, Pair
from tokenizer_core.kernels.compiled import are_ready, stand_in, take_over
from tokenizer_core.patterns.cutter import Cutter, cutter_of, is_compiled
from tokenizer_core.patterns.pretokens import PretokenCounts, counted_pretokens
from tokenizer_core.patterns.safe_places import safe_place
from tokenizer_core.patterns.split_patterns import SUPERWORDS, batches, pretokenize_each
from tokenizer_core.workers.child import contents_in, failures_sent, from_app, receive, send, take_commands
from tokenizer_core.workers.counts_reader import read_to_train
from tokenizer_core.workers.training_settings import ParityUnit, Training, corpus_hash

AnyTrainer = Trainer | ParityTrainer

PART_BYTES = 2**21
"""Bytes counted between two reports at most, and cut at a safe place."""
COUNTING_SECONDS = 0.25
"""Time between two reports of the counting."""
BATCH_SECONDS = 0.1
"""Time between batches of merges: often enough to look live, and rarely enough to cost nothing."""
CURVE_POINTS = 400
MOST_AT_ONCE = 1_000
MAX_VOCABULARY_BYTES = 32 * 2**20
"""Bytes of all tokens together. A text that repeats itself makes tokens as long as books if it is not split."""
CANDIDATES = 10
SLOW_PACE = 4.0
"""Merges per second. Up to this pace, people can follow each choice."""
READ_SECONDS = (4.5, 3.5, 3.0)
"""A gathering pace gives people so long to understand each of the first merges."""
SLOW_MERGES, SLOW_RATE = 11, 0.8
"""Up to this merge they can read the others one by one."""
FIRST_RATE, GAIN, GAIN_SECONDS = 1.0, 200.0, 10.0
"""After them it starts with one merge per second, and is 200 times as fast after 10 seconds."""
FULL_RATE = 20_000.0
"""Merges per second at which a gathering pace stops waiting."""


def main() -> None:
    """Read one training from stdin, and run it."""
    if "plain" in sys.argv:
        stand_in()
    else:
        load_loops()
    send("ready")
    stream = from_app()
    description = receive(stream)
    if description is None:
        return
    training = Training.from_description(description["training"])
    commands: SimpleQueue[dict[str, Any]] = SimpleQueue()

    def take(command: dict[str, Any]) -> None:
        if command["command"] == "use_loops":
            threading.Thread(target=take_over, args=(load_loops,), daemon=True).start()
        else:
            commands.put(command)

    with failures_sent():
        contents = list(contents_in(stream, description))
        take_commands(stream, take)
        counted, corpus_sha256 = count(training, contents)
        first = first_stage(training, contents)
        trainer = trainer_of(training, counted, contents)
        superwords = superword_trainer(training, contents) if training.superwords_from is not None else None
        if superwords is None:
            contents.clear()
        send(
            "started",
            token_count=trainer.token_count,
            pretokens=sum(int(pretokens.counts.sum()) for pretokens in counted),
            distinct=sum(len(pretokens.counts) for pretokens in counted),
            corpus_sha256=corpus_sha256,
        )
        del counted
        Conductor(trainer, commands, training, superwords).run(first)


def load_loops() -> None:
    """Load what training and encoding need from numba's cache, or compile it; `compiling` does all."""
    trainer = Trainer(counted_pretokens("ab" * 2, "none"), 258)
    merges = [(merge.left, merge.right) for merge in trainer.step(2)]
    Tokenizer(merges).encode("ab " + "ab" * 100)


# ---- counting


def count(training: Training, contents: list[bytes]) -> tuple[list[PretokenCounts], str]:
    """Count the pretokens of texts, or read those of a counts file; return them and the corpus's fingerprint.

    For parity, the pretokens of each language stand alone.
    """

    def tell(done: int, size: int, seconds: float) -> None:
        send("counting", done=done, size=size, seconds=seconds)

    if training.parity:
        texts = contents if training.unit else contents[: len(contents) // 2]
        groups = training.by_language(texts)
        return [counted_corpus(group, training.pattern, tell) for group in groups], corpus_hash(texts)
    if training.counts is None:
        return [counted_corpus(contents, training.pattern, tell)], corpus_hash(contents)
    tell(0, 0, 0.0)
    counts = read_to_train(contents[0], MAX_DISTINCT_BYTES, pattern=training.pattern)
    return [counts.pretokens], counts.sha256


def trainer_of(training: Training, counted: list[PretokenCounts], contents: list[bytes]) -> AnyTrainer:
    """Return the trainer of these pretokens; for parity, of those of each language and of its measured text."""
    if not training.parity:
        return Trainer(counted[0], training.first_size, training.stop.min_count)
    if not training.unit:
        measured = [content.decode("utf-8") for content in contents[len(counted) :]]
        groups = [
            Group(pretokens, max(1, len(text.splitlines())), counted_pretokens(text, training.pattern))
            for pretokens, text in zip(counted, measured, strict=True)
        ]
    else:
        by_language = training.by_language(contents)
        sizes = [sum(size_in(training.unit, text) for text in texts) for texts in by_language]
        groups = [Group(pretokens, max(1, size)) for pretokens, size in zip(counted, sizes, strict=True)]
    return ParityTrainer(groups, training.vocab_size, training.stop.min_count)


def superword_trainer(training: Training, contents: list[bytes]) -> Callable[[Sequence[Pair]], Trainer]:
    """Return what makes the trainer whose tokens may cross pretokens, from the merges until then.

    It counts the texts anew then, and drops them: until then nothing but the texts takes memory.
    """

    def made(merges: Sequence[Pair]) -> Trainer:
        lines = counted_corpus(contents, SUPERWORDS, lambda done, size, seconds: None)
        contents.clear()
        return Trainer(lines, training.vocab_size, training.stop.min_count, merges=merges)

    return made


def size_in(unit: ParityUnit, text: bytes) -> int:
    r"""Return the lines, characters or bytes of a text in UTF-8.

    >>> [size_in(unit, "ไทย\nab".encode()) for unit in ("lines", "characters", "bytes")]
    [2, 6, 12]
    """
    if unit == "lines":
        return text.count(b"\n") + (text[-1:] not in (b"\n", b""))
    if unit == "bytes":
        return len(text)
    inside_characters = np.frombuffer(text, dtype=np.uint8) & 0xC0 == 0x80
    return len(text) - int(np.count_nonzero(inside_characters))


def counted_corpus(
    texts: Sequence[bytes], pattern: str, tell: Callable[[int, int, float], None]
) -> PretokenCounts:
    """Count the pretokens of texts as `counted_pretokens` does, from their UTF-8.

    `tell` takes the bytes counted so far, all bytes, and the seconds that this took.

    >>> counted_corpus([b"a cat", b"a dog"], "mark_aware", lambda done, all_bytes, seconds: None).counts
    array([2, 1, 1])
    """
    size, done = sum(map(len, texts)), 0
    started = said = time.monotonic()
    cutter, counts = cutter_of(pattern) if are_ready() and is_compiled(pattern) else None, Counter[str]()
    tell(0, size, 0.0)
    for more in _counted_by_regex(texts, pattern, counts) if cutter is None else _counted(texts, pattern, cutter):
        done += more
        now = time.monotonic()
        if now - said >= COUNTING_SECONDS:
            said = now
            tell(done, size, now - started)
    return PretokenCounts.of(counts) if cutter is None else PretokenCounts(*cutter.pretokens())


def _counted(texts: Iterable[bytes], pattern: str, cutter: Cutter) -> Iterator[int]:
    """Count in compiled code, and yield how many bytes more are counted."""
    for part in _each_part(texts, pattern):
        yield from cutter.adding([part])


def _each_part(texts: Iterable[bytes], pattern: str) -> Iterator[bytes]:
    """Yield parts that no pretoken spans; a text without a safe place stays whole."""
    for text in texts:
        start, size = 0, PART_BYTES
        while len(text) - start > size:
            if place := safe_place(text[start : start + size], pattern):
                yield text[start : start + place]
                start, size = start + place, PART_BYTES
            else:
                size *= 2
        yield text[start:]


def _counted_by_regex(texts: Sequence[bytes], pattern: str, counts: Counter[str]) -> Iterator[int]:
    """Do the same by `regex`: one text in batches, several one after the other."""
    strings = (text.decode("utf-8") for text in texts)
    each = batches(next(strings), pattern) if len(texts) == 1 else pretokenize_each(strings, pattern)
    for pretokens in each:
        counts.update(pretokens)
        yield len("".join(pretokens).encode("utf-8"))


# ---- learning


def first_stage(training: Training, contents: list[bytes]) -> list[Pair]:
    """Return the pairs learned inside grapheme clusters, if the training has this stage."""
    merges = min(training.first_merges, training.vocab_size - BYTES)
    if not merges or training.counts is not None:
        return []
    texts = [content.decode("utf-8") for content in contents]
    return cluster_merges(texts, merges, min_count=training.stop.min_count)


class Conductor:
    """Runs a trainer at a pace, obeys commands, reports merges in batches, and knows when to stop."""

    def __init__(
        self,
        trainer: AnyTrainer,
        commands: "SimpleQueue[dict[str, Any]]",
        training: Training,
        superwords: Callable[[Sequence[Pair]], Trainer] | None = None,
    ) -> None:
        self.trainer = trainer
        self.superwords = superwords
        """What makes the trainer that continues when the first one is done; None once it has, or without one."""
        self.superwords_after: int | None = None
        """Merges learned when tokens were first allowed to cross pretokens."""
        self.commands = commands
        self.training = training
        self.pace = training.pace
        self.gathers_from = 0.0  # seconds of training
        self.paused = False
        self.ending: str | None = None
        """Why training ends: "stopped" by a command, "length", "time" or "beaten"; None while it continues."""
        self.pairs: list[tuple[int, int]] = []
        self.token_lengths = [1] * BYTES
        self.seconds = 0.0
        """Seconds of training, with the waits of its pace, without pauses."""
        self.work_seconds = 0.0
        """Seconds spent on merges."""
        self.at_once = 1
        """Merges learned between two looks at the clock."""
        self.stride = max(1, (training.vocab_size - BYTES) // CURVE_POINTS)
        """Merges between two points of the curve."""

    def run(self, first_stage: Iterable[Pair] = ()) -> None:
        """Train to the end, or until a command or a rule stops it."""
        self.begin(first_stage)
        self.show_choice()
        max_seconds = self.training.stop.max_seconds
        while not (self.ending or self.trainer.done):
            started = time.monotonic()
            if self.paused:
                self.obey(self.commands.get())
                continue
            batch = self.learn_batch(started + BATCH_SECONDS)
            rate = self.rate()
            self.obey_until(started if rate is None else started + batch / rate)
            self.seconds += time.monotonic() - started
            if max_seconds is not None and self.seconds >= max_seconds:
                self.ending = self.ending or "time"
        send("finished", ending=self.ending or ("pairs" if self.trainer.out_of_pairs else "size"))

    def begin(self, first_stage: Iterable[Pair]) -> None:
        """Merge the pairs of a first stage, then the given pairs, of which the last ones may cross pretokens."""
        given, room = self.training.given, self.training.first_size - BYTES
        self.join(chain(join_while_found(self.trainer, first_stage), self.joined(given[:room])))
        self.cross_if_due()
        self.join(self.joined(given[room:]))

    def joined(self, pairs: Iterable[Pair]) -> Iterator[Merge]:
        """Merge these pairs, one after the other."""
        return (self.trainer.join(*pair) for pair in pairs)

    def join(self, joined: Iterable[Merge]) -> None:
        """Report the merges of given pairs."""
        with self.at_work():
            learned = [(merge, self.trainer.token_counts[0]) for merge in joined]
        if learned or self.training.stop.beat is not None:
            self.report([merge for merge, _ in learned], [tokens for _, tokens in learned], [None] * len(learned))

    def cross_if_due(self) -> None:
        """Let tokens cross pretokens if all before that is learned: another trainer continues."""
        is_full = BYTES + len(self.pairs) >= self.training.vocab_size
        if self.superwords is None or self.ending or is_full or not self.trainer.done:
            return
        make, self.superwords = self.superwords, None
        send("recounting")
        with self.at_work():
            self.trainer = make(self.pairs)
        self.superwords_after = len(self.pairs)
        send("superwords", after=self.superwords_after)

    def learn_batch(self, deadline: float) -> int:
        """Learn and report as many merges as the pace allows, up to the deadline; return how many.

        Merges are learned a few at a time, so a command never waits long, even if each merge takes long.
        """
        merges: list[Merge] = []
        counts: list[int] = []
        served: list[int | None] = []
        rate = self.rate()
        most = self.training.vocab_size if rate is None else max(1, round(rate * BATCH_SECONDS))
        while len(merges) < most and not (merges and self.is_interrupted(deadline)):
            started = time.monotonic()
            merges += self.step(min(self.at_once, most - len(merges)))
            counts += self.trainer.token_counts
            served += self.served
            quick = time.monotonic() - started < BATCH_SECONDS / 10
            self.at_once = min(2 * self.at_once, MOST_AT_ONCE) if quick else max(1, self.at_once // 2)
        if len(self.pairs) <= SLOW_MERGES:
            self.gathers_from = self.seconds
        self.report(merges, counts, served)
        return len(merges)

    @property
    def served(self) -> Sequence[int | None]:
        """The number of the language that chose each merge of the latest step; none without parity."""
        return self.trainer.served if isinstance(self.trainer, ParityTrainer) else ()

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

    def rate(self) -> float | None:
        """Return the merges per second that the pace allows now; None for as many as possible."""
        if self.pace != "gathering":
            return self.pace
        learned = len(self.pairs)
        if learned <= len(READ_SECONDS):
            return 1 / READ_SECONDS[max(learned, 1) - 1]
        if learned <= SLOW_MERGES:
            return SLOW_RATE
        try:
            rate: float = FIRST_RATE * GAIN ** ((self.seconds - self.gathers_from) / GAIN_SECONDS)
        except OverflowError:
            return None
        return rate if rate < FULL_RATE else None

    def report(self, merges: list[Merge], token_counts: list[int], served: Sequence[int | None]) -> None:
        """Send merges as (left, right, count), and points of the curve as (merges learned, tokens left).

        With parity, `served` has who chose each merge: the number of a language, or None.
        """
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
            served=served[: len(kept)] if self.training.parity else (),
        )
        self.cross_if_due()
        self.show_choice()

    def until_beaten(self, merges: list[Merge]) -> list[Merge]:
        """Return the merges up to the first one after which the text to beat has fewer tokens than the goal."""
        goal = self.training.stop.beat
        if goal is None or self.ending:
            return merges
        pairs = [*self.pairs, *((merge.left, merge.right) for merge in merges)]
        pattern, first = self.training.pattern, 0
        if self.superwords_after is not None:
            pattern, first = SUPERWORDS, self.superwords_after + 1  # before, the text was cut by the other one
        counts = token_counts(goal.text, Tokenizer(pairs, pattern=pattern))
        beaten = first + np.flatnonzero(counts[first:] < goal.tokens)
        if not beaten.size:
            return merges
        self.ending = "beaten"
        return merges[: max(0, int(beaten[0]) - len(self.pairs))]

    def show_choice(self) -> None:
        """Send the pairs that could be merged next, if people have time to look at them."""
        rate = self.rate()
        if self.paused or (rate is not None and rate <= SLOW_PACE):
            candidates = [tuple(candidate) for candidate in self.trainer.candidates(CANDIDATES)]
            served = self.trainer.next_served() if isinstance(self.trainer, ParityTrainer) else None
            after, ties = self.trainer.merge_count, self.trainer.ties
            send("choice", after=after, candidates=candidates, ties=ties, served=served)

    def that_fit(self, merges: list[Merge]) -> int:
        """Return how many merges fit before the tokens grow too long; end the training if one does not fit."""
        used = sum(self.token_lengths)
        for n, merge in enumerate(merges):
            length = self.token_lengths[merge.left] + self.token_lengths[merge.right]
            used += length
            if used > MAX_VOCABULARY_BYTES:
                self.ending = "length"
                return n
            self.token_lengths.append(length)
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
                self.report(merges, self.trainer.token_counts, self.served)
            case "pace":
                self.pace = command["pace"]
                self.gathers_from = self.seconds
            case "stop":
                self.ending = "stopped"


if __name__ == "__main__":
    main()
