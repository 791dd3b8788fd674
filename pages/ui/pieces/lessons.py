"""Lessons: each trains SentencePiece on a small bundled text as the page is drawn, and says what to see."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from pages.ui.choices.samples import sample_text
from pages.ui.deck.mine import is_lesson_word
from pages.ui.words import as_plain_markdown, t
from tokenizer_core.formats.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.jobs.sentencepiece_job import train_sentencepiece
from tokenizer_core.jobs.sentencepiece_settings import LECTURE, SentencePieceSettings
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Trainer
from tokenizer_core.vocabulary import BYTES

CONTROLS = 3
"""`<unk>`, `<s>` and `</s>` come before all other tokens."""
_THAI_LINES, _ENGLISH_LINES = 60, 200


class ShownLane(NamedTuple):
    """One tokenizer of a lesson, and what is said beside it."""

    called: str
    """Its name, or the key of the words for it: a talk says them in another language too."""
    tokenizer: AnyTokenizer
    caption: str = ""

    @property
    def name(self) -> str:
        """The name that people read."""
        return t(self.called) if is_lesson_word(self.called) else self.called


class Told(NamedTuple):
    """What a lesson shows for a text: lanes, and the sentence that says what to see."""

    lanes: list[ShownLane]
    says: str


@cache
def small_text(file: str = "parallel.th.txt", lines: int = _THAI_LINES) -> str:
    """Return the first lines of a bundled text."""
    return "\n".join(sample_text(file).splitlines()[:lines])


@cache
def _learned(text: str, settings: SentencePieceSettings) -> SentencePieceTokenizer:
    return SentencePieceTokenizer(train_sentencepiece([text], settings, quiet=True))


@cache
def ours_at(text: str, vocab_size: int) -> Tokenizer:
    """Return our BPE, trained on a small text."""
    merges = Trainer(count_pretokens([text], "mark_aware"), vocab_size).step(vocab_size)
    return Tokenizer([(merge.left, merge.right) for merge in merges])


def _small(text: str) -> Told:
    theirs, ours = _learned(small_text(), LECTURE), ours_at(small_text(), LECTURE.vocab_size)
    characters = sum(kind == "ordinary" and len(piece) == 1 for kind, piece in zip(theirs.kinds, theirs.pieces))
    merged = theirs.vocab_size - CONTROLS - BYTES - characters
    says = t(
        "lessons.small_says",
        size=theirs.vocab_size,
        control=CONTROLS,
        bytes=BYTES,
        characters=characters,
        merged=merged,
        ours=ours.vocab_size - BYTES,
    )
    return Told([ShownLane("SentencePiece", theirs), ShownLane("pieces.ours", ours)], says)


def _fallback(text: str) -> Told:
    lanes = []
    for way, with_bytes in (("off", False), ("on", True)):
        tokenizer = _learned(small_text(), replace(LECTURE, byte_fallback=with_bytes))
        back = as_plain_markdown(tokenizer.decode(tokenizer.encode(text)))
        lanes.append(ShownLane(f"lessons.fallback_{way}", tokenizer, t("lessons.decoded", text=back)))
    return Told(lanes, t("lessons.fallback_says"))


def _prefix(text: str) -> Told:
    english = small_text("parallel.en.txt", _ENGLISH_LINES)
    settings = replace(LECTURE, vocab_size=600)
    lanes = [
        ShownLane(f"lessons.prefix_{way}", _learned(english, replace(settings, add_dummy_prefix=is_added)))
        for way, is_added in (("on", True), ("off", False))
    ]
    return Told(lanes, t("lessons.prefix_says"))


def _ids(text: str) -> Told:
    theirs, ours = _learned(small_text(), LECTURE), ours_at(small_text(), LECTURE.vocab_size)
    byte = next((ours.token_bytes(each)[0] for each in ours.encode(text) if each >= 128 and each < BYTES), 0xE0)
    says = t("lessons.ids_says", byte=f"{byte:02X}", value=byte, shifted=byte + CONTROLS, control=CONTROLS)
    return Told([ShownLane("SentencePiece", theirs), ShownLane("pieces.ours", ours)], says)


LESSONS: dict[str, Callable[[str], Told]] = {
    "small": _small,
    "fallback": _fallback,
    "prefix": _prefix,
    "ids": _ids,
}
"""The lessons in their order. Another lesson X takes one more line, and the words lessons.X, X_says and X_text."""
