"""The trainings of the race of methods: three ways of byte-pair encoding at once, then Unigram in its child.

Byte-pair encoding learns a text of this size in a tenth of a second, and what it is at a smaller vocabulary is the
same training cut short. Unigram shrinks from a large vocabulary, so it is trained anew for each of a few sizes.

WordPiece is not among them. A word with a character that it does not know becomes one token, and in Thai a word is
a whole phrase: counts are low where text is lost. Measured with the trainer of `tokenizers` at 1,000 entries, 15 %
of the held-out Thai characters are lost if a tenth of the text is Thai, and 3 % if three tenths are. That trainer
chooses merges by frequency; only encoding differs, by longest match. The stage and its charts also hold four ways.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from pages.ui.inputs.corpus import SAMPLES, text_to_train_on
from pages.ui.limits import MAX_WORKER_BYTES
from pages.ui.train.frontier import held_out_pairs
from pages.ui.train.superwords import first_stage
from tokenizer_core.analysis.bootstrap import Interval, premium_intervals
from tokenizer_core.analysis.lineage import token_counts
from tokenizer_core.bpe.parity_trainer import Group, ParityTrainer
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import train
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError
from tokenizer_core.interop.sentencepiece_model import SPACE_MARK, SentencePieceTokenizer
from tokenizer_core.kernels.compiled import wait_until_ready
from tokenizer_core.patterns.pretokens import counted_pretokens
from tokenizer_core.readers.mixing import frontier_size, frontier_texts, held_out, lines_by_script
from tokenizer_core.workers.sentencepiece_job import Likelihood, SentencePieceJob, SentencePieceSettings

PATTERN = "mark_aware"
MOST_BYTES = 200_000
"""Bytes of the text."""
STEPS = 64
"""Vocabulary sizes at which the race is shown."""
UNIGRAM = "unigram"
UNIGRAM_SIZES = (500, 700, 1_000, 1_400, 2_000)
"""Vocabulary sizes of the models by Unigram, up to that of the race."""
UNIGRAM_SECONDS = 30
"""After this, a model is given up. Usual is one second; a machine that is busy takes longer."""
TURNS = threading.Semaphore(1)
"""Turns for the Unigram trainings of all visitors."""


class Outcome(NamedTuple):
    """What one method made of the text, on held-out pairs of sentences."""

    method: str
    thai: float
    """Tokens per line."""
    english: float
    premium: float
    interval: Interval
    seconds: float


class Curve(NamedTuple):
    """What one method needs for the held-out lines at each of some vocabulary sizes."""

    method: str
    sizes: list[int]
    thai: list[float]
    """Tokens per line."""
    english: list[float]


def _parity(texts: Sequence[str], size: int) -> Tokenizer:
    groups = []
    for text, file in zip(texts, SAMPLES["both"], strict=True):
        measured = text_to_train_on(file)
        counted = [counted_pretokens(each, PATTERN) for each in (text, measured)]
        groups.append(Group(counted[0], len(measured.splitlines()), counted[1]))
    merges = [(merge.left, merge.right) for merge in ParityTrainer(groups, size, min_count=2).step(size)]
    return Tokenizer(merges, pattern=PATTERN)


def _superwords(texts: Sequence[str], size: int) -> Tokenizer:
    return train(texts, size, pattern=PATTERN, superwords_from=first_stage(size))


GROWING: dict[str, Callable[[Sequence[str], int], Tokenizer]] = {
    "plain": partial(train, pattern=PATTERN),
    "parity": _parity,
    "superwords": _superwords,
}
"""The methods that grow a vocabulary merge by merge."""
METHODS = (*GROWING, UNIGRAM)


@dataclass
class MethodsRun:
    """All methods on one text with one vocabulary size. Unigram is at work until it is complete or stopped."""

    texts: Sequence[str] = field(repr=False)
    size: int
    grown: dict[str, Tokenizer] = field(default_factory=dict)
    models: dict[int, SentencePieceTokenizer] = field(default_factory=dict)
    """The models by Unigram, by vocabulary size."""
    likelihoods: list[Likelihood] = field(default_factory=list)
    """Of the model of the full size, as it shrank."""
    outcomes: list[Outcome] = field(default_factory=list)
    stopped: bool = False
    failure: TokenizerError | None = None
    """Why Unigram made no model of the full size."""
    job: SentencePieceJob | None = None

    def __post_init__(self) -> None:
        self._wanted = [size for size in reversed(UNIGRAM_SIZES) if size <= self.size]
        self.count = len(self._wanted)
        """Models that Unigram is to make."""
        self._seconds: dict[str, float] = {}
        wait_until_ready()  # so that the seconds are those of training
        for method, learn in GROWING.items():
            started = time.perf_counter()
            self.grown[method] = learn(self.texts, self.size)
            self._seconds[method] = time.perf_counter() - started
        self._measure()

    @property
    def at_work(self) -> bool:
        """Whether Unigram has models to make."""
        return bool(self._wanted) and not self.stopped

    @property
    def done(self) -> int:
        """Models that Unigram has made or given up."""
        return self.count - len(self._wanted)

    @property
    def tokenizers(self) -> dict[str, AnyTokenizer]:
        """The tokenizer of the full size by each method that has one."""
        found: dict[str, AnyTokenizer] = {**self.grown}
        return found | ({UNIGRAM: self.models[self.size]} if self.size in self.models else {})

    def go_on(self, patience: float) -> None:
        """Start the next model, the largest first, or wait up to `patience` seconds for the one at work."""
        if not self.at_work:
            return
        if self.job is None:
            self.job = SentencePieceJob(
                self.texts, _settings(self._wanted[0]), turns=TURNS, memory_bytes=MAX_WORKER_BYTES
            )
        self.job.wait(patience)
        if self.job.began is not None and time.monotonic() - self.job.began > UNIGRAM_SECONDS:
            self.job.stop()
        if self.job.ended:
            self._take_in(self._wanted.pop(0), self.job)
            self.job = None

    def stop(self) -> None:
        """End the model at work; the others stay."""
        if self.job is not None:
            self.job.stop()
            self.job = None
        self.stopped = True

    def resume(self) -> None:
        """Continue with the model at which Unigram was stopped."""
        self.stopped = False

    def _take_in(self, size: int, job: SentencePieceJob) -> None:
        if job.tokenizer is not None:
            self.models[size] = job.tokenizer
        if size != self.size:  # smaller models may lack room for the letters of the text
            return
        if job.tokenizer is None:
            self.failure = job.failure
            self._wanted = []
            return
        self._seconds[UNIGRAM] = job.seconds
        self.likelihoods = job.log.likelihoods
        self._measure()

    def _measure(self) -> None:
        """Measure on pairs of sentences that no method has seen."""
        tokenizers = self.tokenizers
        counts = [[each.encode_each(side).counts for each in tokenizers.values()] for side in held_out_pairs()]
        self.outcomes = []
        for method, *sides, bounds in zip(tokenizers, *counts, premium_intervals(*counts), strict=True):
            thai, english = (float(side.mean()) for side in sides)
            assert bounds is not None
            self.outcomes.append(Outcome(method, thai, english, thai / english, bounds, self._seconds[method]))


def new_run(texts: Sequence[str], share: float, size: int) -> MethodsRun:
    """Train by each method but Unigram on lines that are not held out; `share` is that of Thai, by bytes."""
    lines = lines_by_script(texts)
    thai, english = held_out(lines.thai)[0], held_out(lines.latin)[0]
    return MethodsRun(frontier_texts(thai, english, share, frontier_size(thai, english, most=MOST_BYTES)), size)


def _settings(size: int) -> SentencePieceSettings:
    return SentencePieceSettings(
        vocab_size=size, byte_fallback=True, normalization_rule_name="identity", hard_vocab_limit=False
    )


def sizes_to(size: int) -> list[int]:
    """Return the vocabulary sizes at which the race is shown: closest at the start, where most happens.

    >>> sizes_to(260), len(sizes_to(1_000))
    ([256, 257, 258, 259, 260], 64)
    """
    return sorted({BYTES + round((size - BYTES) * (step / (STEPS - 1)) ** 1.5) for step in range(STEPS)})


def curves(run: MethodsRun) -> list[Curve]:
    """Return what each method needs at each size; Unigram only at the sizes of its models."""
    found = []
    lines = len(held_out_pairs()[0])
    for method, tokenizer in run.grown.items():
        sizes = [size for size in sizes_to(run.size) if size <= tokenizer.vocab_size]
        thai, english = (
            [int(counts[size - BYTES]) / lines for size in sizes]
            for counts in (token_counts(side, tokenizer) for side in held_out_pairs())
        )
        found.append(Curve(method, sizes, thai, english))
    models = sorted(run.models.items())
    if models:
        thai, english = (
            [float(model.encode_each(side).counts.mean()) for _, model in models] for side in held_out_pairs()
        )
        found.append(Curve(UNIGRAM, [size for size, _ in models], thai, english))
    return found


def only_in(run: MethodsRun, method: str) -> list[bytes]:
    """Return the tokens of a method that no other has, as they were learned; of Unigram, the most likely first."""
    sets = {name: learned_tokens(tokenizer) for name, tokenizer in run.tokenizers.items()}
    others = {token for name, tokens in sets.items() if name != method for token in tokens}
    return [token for token in sets[method] if token not in others]


def learned_tokens(tokenizer: AnyTokenizer) -> list[bytes]:
    """Return the tokens that a method has learned, in its own order; none of them is a single byte."""
    if isinstance(tokenizer, SentencePieceTokenizer):
        kinds = zip(tokenizer.pieces, tokenizer.kinds, strict=True)
        written = [piece.replace(SPACE_MARK, " ").encode() for piece, kind in kinds if kind == "ordinary"]
        return [token for token in written if len(token) > 1]
    assert isinstance(tokenizer, Tokenizer)
    return list(tokenizer.vocabulary[BYTES:])
