"""The file that keeps a talk: written, and read with a check of everything in it."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from pages.ui.i18n import catalogue
from pages.ui.inputs.tokenizers import is_choice
from pages.ui.widgets.player import MOST_CHARACTERS as MOST_ON_STAGE
from pages.ui.widgets.slides import MOST_CHARACTERS, Cut
from pages.ui.widgets.slides.talk import MOST_ENTRIES, MOST_MERGES, Entry, Learned
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.bpe.vocabulary import MergeCheck
from tokenizer_core.patterns.split_patterns import pretokenize

MOST_BYTES = 1_000_000


class Talk(Struct, frozen=True):
    """The content of the file."""

    tokenizer_explorer_talk: Literal[1]
    entries: Annotated[Sequence[Entry], Meta(max_length=MOST_ENTRIES)]


def written(entries: Sequence[Entry]) -> str:
    """Return the talk as the text of a file.

    >>> talk = [Entry(story="water"), Entry(text="น้ำ", lanes=("gpt2",))]
    >>> read(written(talk), ["water"]) == talk
    True
    """
    return msgspec.json.encode(Talk(1, entries)).decode()


def fitted(entries: Sequence[Entry]) -> tuple[list[Entry], int]:
    """Return a talk whose file can be opened again, and how many merges of a training it keeps at most.

    A long talk keeps only the first merges of its trainings. Raises ValueError if it is too large even so.
    """
    if _size(entries) <= MOST_BYTES:
        return list(entries), MOST_MERGES
    numbers = range(1, MOST_MERGES + 1)
    most = bisect_right(numbers, MOST_BYTES, key=lambda merges: _size(_shortened(entries, merges)))
    if not most:
        raise ValueError("the talk is too large for a file")
    return _shortened(entries, most), most


def _size(entries: Sequence[Entry]) -> int:
    return len(written(entries).encode())


def _shortened(entries: Sequence[Entry], most: int) -> list[Entry]:
    return [
        replace(entry, learned=replace(entry.learned, merges=entry.learned.merges[:most]))
        if entry.learned
        else entry
        for entry in entries
    ]


def read(content: str | bytes, stories: Sequence[str]) -> list[Entry]:
    """Return the talk of a file; raise ValueError for anything else. Stories and tokenizers must be known ones.

    >>> read("[]", [])
    Traceback (most recent call last):
    ValueError: not a talk
    """
    try:
        talk = msgspec.json.decode(content[: MOST_BYTES + 1], type=Talk)
        return [_checked(entry, stories) for entry in talk.entries]
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise ValueError("not a talk") from None


def _checked(entry: Entry, stories: Sequence[str]) -> Entry:
    """Return an entry with its texts shortened, and without the tokenizers that cannot be; raise ValueError."""
    learned, unfair, known, lesson, billed = entry.learned, entry.unfair, entry.known, entry.lesson, entry.billed
    _must(sum(map(bool, (entry.story, learned, entry.patterns, unfair, known, lesson, billed))) <= 1)
    text = entry.text[: MOST_ON_STAGE if learned else MOST_CHARACTERS]
    lanes = tuple(filter(is_choice, entry.lanes))
    if entry.story:
        _must(entry.story in stories)
    elif unfair:
        lanes = tuple(name for name in OPENAI_NAMES if name in lanes)
        first, second = (each[:MOST_CHARACTERS] for each in unfair.texts)
        unfair = replace(unfair, texts=(first, second))
    elif known:
        _must(known.thai <= known.tokens)
    elif billed:
        one, other = (each[:MOST_CHARACTERS] for each in billed.texts)
        billed = replace(billed, texts=(one, other))
    else:
        _must(bool(text and (learned or entry.patterns or lesson or lanes)))
        for pattern in (*entry.patterns, *([learned.pattern] if learned else [])):
            pretokenize(text, pattern)
    if learned:
        _check_merges(learned)
    if lesson:
        _must(f"lessons.{lesson.name}_says" in catalogue("en"))
        for cut in lesson.cuts:
            _check_cut(cut, len(text.encode()))
    return replace(entry, text=text, lanes=lanes, unfair=unfair, billed=billed)


def _check_merges(learned: Learned) -> None:
    """Refuse a merge of what does not exist yet."""
    check = MergeCheck()
    for left, right, _ in learned.merges:
        check.add(left, right)


def _check_cut(cut: Cut, size: int) -> None:
    """Refuse pieces that do not lie end to end in a text of `size` bytes, and places out of order."""
    _must(sum(cut.lengths) == size and cut.tokens >= len(cut.lengths) - len(cut.plain))
    for places in (cut.plain, cut.special):
        _must(all(before < after for before, after in pairwise([-1, *places, len(cut.lengths)])))


def _must(holds: bool) -> None:
    if not holds:
        raise ValueError
