"""SentencePiece: the settings of a training, its log, and the training itself in a child.

The child is `python -m tokenizer_core.workers.sentencepiece_job`. Its events are model, at the end, or failed. The
library writes how far it is to stderr.
"""

import base64
import contextlib
import io
import math
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

from tokenizer_core.errors import TrainingError
from tokenizer_core.interop.limits import MOST_LINE_BYTES, MOST_PIECES
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.workers.child import MEMORY_BYTES, run, send, texts_of
from tokenizer_core.workers.model_job import ModelJob

# ---- settings

ModelType = Literal["unigram", "bpe", "char", "word"]
MODEL_TYPES: tuple[ModelType, ...] = ("bpe", "unigram", "char", "word")
NORMALIZATIONS = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")
LEAST_COVERAGE = 0.98
MOST_PIECE_CHARACTERS = 512
LEAST_LINES = 101
"""The library takes no smaller limit on lines, only none."""
MOST_LINES = 2**31 - 1
MOST_SEEDS = 2_000_000
MOST_SYMBOLS = 1_000
THREADS = 2
"""Ids depend on how many there are, so there are as many on every machine."""


@dataclass(frozen=True)
class SentencePieceSettings:
    """What `SentencePieceTrainer.train` is told."""

    model_type: ModelType = "unigram"
    vocab_size: int = 8_000
    character_coverage: float = 0.9995
    byte_fallback: bool = False
    normalization_rule_name: str = "nmt_nfkc"
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    allow_whitespace_only_pieces: bool = False
    treat_whitespace_as_suffix: bool = False
    split_by_whitespace: bool = True
    split_by_unicode_script: bool = True
    split_by_number: bool = True
    split_digits: bool = False
    max_sentencepiece_length: int = 16
    max_sentence_length: int = 4_192
    input_sentence_size: int = 0
    """At most this many lines are learned from; 0 for all."""
    seed_sentencepiece_size: int = 1_000_000
    """Candidates that unigram begins with."""
    user_defined_symbols: Sequence[str] = ()
    unk_surface: str = " ⁇ "
    hard_vocab_limit: bool = True

    def check(self) -> None:
        """Raise `TrainingError` for a value that the library refuses, or that takes too much."""
        _check_between(self.vocab_size, 4, MOST_PIECES, "pieces_size_out_of_range")
        _check_between(self.character_coverage, LEAST_COVERAGE, 1.0, "pieces_coverage_out_of_range")
        _check_between(self.max_sentencepiece_length, 1, MOST_PIECE_CHARACTERS, "pieces_length_out_of_range")
        _check_between(self.max_sentence_length, 1, MOST_LINE_BYTES, "pieces_line_length_out_of_range")
        if self.input_sentence_size:
            _check_between(self.input_sentence_size, LEAST_LINES, MOST_LINES, "pieces_lines_out_of_range")
        _check_between(self.seed_sentencepiece_size, 1, MOST_SEEDS, "pieces_seeds_out_of_range")
        if self.model_type not in MODEL_TYPES or self.normalization_rule_name not in NORMALIZATIONS:
            raise TrainingError("pieces_setting_unknown")
        for text in (*self.user_defined_symbols, self.unk_surface):
            if len(text) > MOST_PIECE_CHARACTERS or any(
                character in "\0\n\r\t" or "\ud800" <= character <= "\udfff" for character in text
            ):
                raise TrainingError("pieces_symbol_invalid", symbol=ascii(text[:40]))
        _check_symbols(self.user_defined_symbols)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments for the library; it takes lines in their order, so a training can be repeated."""
        return asdict(self) | {
            "user_defined_symbols": list(self.user_defined_symbols),
            "shuffle_input_sentence": False,
            "num_threads": THREADS,
        }


LECTURE = SentencePieceSettings(
    model_type="bpe",
    vocab_size=400,
    character_coverage=0.99995,
    byte_fallback=True,
    normalization_rule_name="identity",
    input_sentence_size=200_000_000,
    remove_extra_whitespaces=False,
    allow_whitespace_only_pieces=True,
    split_digits=True,
)
"""The settings of Karpathy's lecture, close to those of Llama 2."""


def _check_between(value: float, least: float, most: float, code: str) -> None:
    if not least <= value <= most:
        raise TrainingError(code, least=least, most=most, value=value)


def _check_symbols(symbols: Sequence[str]) -> None:
    if len(symbols) > MOST_SYMBOLS:
        raise TrainingError("pieces_symbols_many", most=MOST_SYMBOLS, count=len(symbols))
    for place, symbol in enumerate(symbols):
        if not symbol or symbol in symbols[:place] or symbol in ("<unk>", "<s>", "</s>"):
            raise TrainingError("pieces_symbol_twice", symbol=symbol)


# ---- the log

Phase = Literal["starting", "reading", "normalizing", "seeding", "learning", "saving"]
MOST_LOG_LINES = 3_000

_PREFIX = re.compile(r"[IWE]\d{4} \S+\s+\d+ (.*)")
_UNIGRAM_SURPLUS = 1.1
"""The library prunes a unigram vocabulary to this multiple of its size, and then cuts it."""
_PHASES: tuple[tuple[str, Phase], ...] = (
    ("Loaded all", "reading"),
    ("Normalizing sentences", "normalizing"),
    ("Extracting seed", "seeding"),
    ("Tokenizing input", "learning"),
    ("Saving model", "saving"),
)
_MERGED = re.compile(r"merges=(\d+)")
_SEEDS = re.compile(r"Initialized (\d+) seed")
_EM = re.compile(r"EM sub_iter=\d+ size=(\d+) obj=(\S+)")
_ALPHABET = re.compile(r"Alphabet size=(\d+)")
_LOADED = re.compile(r"Loaded all (\d+) sentences")
_SKIPPED = re.compile(r"Skipped (\d+) too long")


class Likelihood(NamedTuple):
    """How well a unigram vocabulary explains its text, as the library logs it in each round of learning."""

    pieces: int
    per_word: float
    """The log-likelihood, in nats, divided by the words of the text; a word is what stands between spaces."""


@dataclass
class TrainingLog:
    """The log so far, and what it says."""

    settings: SentencePieceSettings
    lines: list[str] = field(default_factory=list)
    phase: Phase = "starting"
    share: float = 0.0
    """How much of the phase "learning" is done, from 0 to 1."""
    sentences: int | None = None
    skipped: int = 0
    """Lines longer than `max_sentence_length`, which the library leaves out."""
    alphabet: int | None = None
    seeds: int = 0
    likelihoods: list[Likelihood] = field(default_factory=list)
    """Of a unigram training, one for each round so far; what is not a number is left out."""

    def add(self, line: str) -> None:
        """Take in one line of the log."""
        found = _PREFIX.match(line)
        said = found[1] if found else line.rstrip()
        if said and "Adding meta_piece" not in said and len(self.lines) < MOST_LOG_LINES:
            self.lines.append(said)
        for mark, phase in _PHASES:
            if mark in said:
                self.phase = phase
        self._count(said)

    def _count(self, said: str) -> None:
        if found := _LOADED.search(said):
            self.sentences = int(found[1])
        elif found := _SKIPPED.search(said):
            self.skipped = int(found[1])
        elif found := _ALPHABET.search(said):
            self.alphabet = int(found[1])
        elif found := _SEEDS.search(said):
            self.seeds = int(found[1])
        elif found := _MERGED.search(said):
            self.share = min(1.0, int(found[1]) / max(1, self._merges_to_learn()))
        elif found := _EM.search(said):
            self._count_round(int(found[1]), found[2])

    def _count_round(self, pieces: int, objective: str) -> None:
        """Take in the pieces after a round of learning, and its objective: minus the log-likelihood."""
        with contextlib.suppress(ValueError):
            if math.isfinite(value := float(objective)):
                self.likelihoods.append(Likelihood(pieces, -value))
        if self.seeds:
            left = math.log(max(1.0, self.seeds / (self.settings.vocab_size * _UNIGRAM_SURPLUS)))
            self.share = min(1.0, math.log(max(1.0, self.seeds / max(1, pieces))) / left) if left else 1.0

    def _merges_to_learn(self) -> int:
        byte_pieces = 256 if self.settings.byte_fallback else 0
        others = 3 + len(self.settings.user_defined_symbols) + byte_pieces + (self.alphabet or 0)
        return self.settings.vocab_size - others


_SIZE_HIGH = re.compile(r"Vocabulary size too high \((\d+)\).*value <= (\d+)")
_SIZE_LOW = re.compile(r"Vocabulary size is smaller than required_chars\. (\d+) vs (\d+)")


def refusal(message: str, settings: SentencePieceSettings) -> TrainingError:
    """Return the error that says what the library said."""
    if found := _SIZE_HIGH.search(message):
        return TrainingError("pieces_size_high", size=int(found[1]), most=int(found[2]))
    if found := _SIZE_LOW.search(message):
        return TrainingError("pieces_size_low", size=int(found[1]), least=int(found[2]))
    if "(vocab_size) >= (0)" in message:
        least = 4 + len(settings.user_defined_symbols) + (256 if settings.byte_fallback else 0)
        return TrainingError("pieces_size_low", size=settings.vocab_size, least=least)
    if "sentences_.empty()" in message or "all_chars_count" in message:
        return TrainingError("pieces_no_text", limit=settings.max_sentence_length)
    return TrainingError("pieces_refused", said=message[:300])


# ---- from the app's side


class SentencePieceJob(ModelJob[SentencePieceTokenizer]):
    """One training. Its own threads also write `log`."""

    module = "sentencepiece_job"

    def __init__(
        self,
        texts: Sequence[str],
        settings: SentencePieceSettings,
        *,
        name: str = "sentencepiece",
        turns: threading.Semaphore | None = None,
        memory_bytes: int | None = MEMORY_BYTES,
        keep: Callable[[SentencePieceTokenizer], None] = lambda tokenizer: None,
    ) -> None:
        """Start the training; raise `TokenizerError` for settings or texts that cannot be used."""
        settings.check()
        self.settings = settings
        self.log = TrainingLog(settings)
        self.read_log = self.log.add
        super().__init__(texts, asdict(settings), name=name, turns=turns, memory_bytes=memory_bytes, keep=keep)

    def opened(self, content: bytes) -> SentencePieceTokenizer:
        """Open the `.model` file."""
        return SentencePieceTokenizer(content, name=self.name)


# ---- within the child


def train_sentencepiece(texts: Iterable[str], settings: SentencePieceSettings, *, quiet: bool = False) -> bytes:
    """Train at once, in this process, and return the bytes of the `.model` file; each line is a sentence.

    The library writes its log to stderr, unless it must be `quiet`.

    Raises `TrainingError` with what the library says against the settings or the texts.
    """
    import sentencepiece

    settings.check()
    lines = (line for text in texts for line in text.split("\n"))
    model = io.BytesIO()
    more: dict[str, Any] = {"minloglevel": 2} if quiet else {}
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=lines, model_writer=model, **settings.arguments(), **more
        )
    except (RuntimeError, ValueError, IndexError) as error:
        if "Resource temporarily unavailable" in str(error):  # no memory for the stack of another thread
            raise MemoryError from None
        raise refusal(str(error), settings) from None
    return model.getvalue()


def train(description: dict[str, Any], texts: list[bytes]) -> None:
    """Train, and send the model."""
    settings = SentencePieceSettings(**description["settings"])
    send("model", content=base64.b64encode(train_sentencepiece(texts_of(texts), settings)).decode())


if __name__ == "__main__":
    run(train)
