"""Reads the log of the `sentencepiece` library: how far a training is, and why it failed."""

import math
import re
from dataclasses import dataclass, field
from typing import Literal

from tokenizer_core.errors import TrainingError
from tokenizer_core.jobs.sentencepiece_settings import SentencePieceSettings

Phase = Literal["starting", "reading", "normalizing", "seeding", "learning", "saving"]
MOST_LINES = 3_000

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
_EM = re.compile(r"EM sub_iter=\d+ size=(\d+)")
_ALPHABET = re.compile(r"Alphabet size=(\d+)")
_LOADED = re.compile(r"Loaded all (\d+) sentences")
_SKIPPED = re.compile(r"Skipped (\d+) too long")


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

    def add(self, line: str) -> None:
        """Take in one line of the log."""
        found = _PREFIX.match(line)
        said = found[1] if found else line.rstrip()
        if said and "Adding meta_piece" not in said and len(self.lines) < MOST_LINES:
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
        elif (found := _EM.search(said)) and self.seeds:
            left = math.log(max(1.0, self.seeds / (self.settings.vocab_size * _UNIGRAM_SURPLUS)))
            self.share = min(1.0, math.log(max(1.0, self.seeds / max(1, int(found[1])))) / left) if left else 1.0

    def _merges_to_learn(self) -> int:
        byte_pieces = 256 if self.settings.byte_fallback else 0
        others = 3 + len(self.settings.user_defined_symbols) + byte_pieces + (self.alphabet or 0)
        return self.settings.vocab_size - others


_SIZE_HIGH = re.compile(r"Vocabulary size too high \((\d+)\).*value <= (\d+)")
_SIZE_LOW = re.compile(r"Vocabulary size is smaller than required_chars\. (\d+) vs (\d+)")


def refusal(message: str, settings: SentencePieceSettings) -> TrainingError:
    """Return the error that says what the library said."""
    if found := _SIZE_HIGH.search(message):
        return TrainingError(message, "pieces_size_high", size=int(found[1]), most=int(found[2]))
    if found := _SIZE_LOW.search(message):
        return TrainingError(message, "pieces_size_low", size=int(found[1]), least=int(found[2]))
    if "(vocab_size) >= (0)" in message:
        least = 4 + len(settings.user_defined_symbols) + (256 if settings.byte_fallback else 0)
        return TrainingError(message, "pieces_size_low", size=settings.vocab_size, least=least)
    if "sentences_.empty()" in message or "all_chars_count" in message:
        return TrainingError(message, "pieces_no_text", limit=settings.max_sentence_length)
    return TrainingError(message, "pieces_refused", said=message[:300])
