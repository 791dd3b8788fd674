"""The file that keeps a talk: written, and read with a check of everything in it."""

import json
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, cast

from pages.ui.choices.tokenizers import is_choice
from pages.ui.deck import MOST_CHARACTERS
from pages.ui.deck.keys import Cut, Entry, Known, Learned, Lesson, Unfair
from pages.ui.deck.mine import MOST_ENTRIES, MOST_MERGES
from pages.ui.stage import MOST_CHARACTERS as MOST_ON_STAGE
from pages.ui.words import catalogue
from tokenizer_core.errors import TokenizerError
from tokenizer_core.openai import OPENAI_NAMES
from tokenizer_core.patterns import pretokenize
from tokenizer_core.vocabulary import MergeCheck

MOST_BYTES = 1_000_000
MOST_PATTERNS = 2
MOST_IN_NAME = 200
MOST_IN_FIGURE = 1e9
MOST_LANES = 200
MOST_CUTS = 8


def written(entries: Sequence[Entry]) -> str:
    """Return the talk as the text of a file.

    >>> talk = [Entry(story="water"), Entry(text="น้ำ", lanes=("gpt2",))]
    >>> read(written(talk), ["water"]) == talk
    True
    """
    talk = {"tokenizer_explorer_talk": 1, "entries": [_row(entry) for entry in entries]}
    return json.dumps(talk, ensure_ascii=False, separators=(",", ":"))


def fitted(entries: Sequence[Entry]) -> tuple[list[Entry], int]:
    """Return a talk whose file can be opened again, and how many merges of a training it keeps at most.

    A long talk keeps only the first merges of its trainings. Raises ValueError if it is too large even so.
    """
    if _size(entries) <= MOST_BYTES:
        return list(entries), MOST_MERGES
    room = MOST_BYTES - _size(_shortened(entries, 0))
    written_up_to = [
        [0, *accumulate(len(f"[{left},{right},{count}],") for left, right, count in entry.learned.merges)]
        for entry in entries
        if entry.learned
    ]

    def needed(merges: int) -> int:
        return sum(sizes[min(merges, len(sizes) - 1)] for sizes in written_up_to)

    most = bisect_right(range(1, MOST_MERGES + 1), room, key=needed)
    if not most or not written_up_to:
        raise ValueError("the talk is too large for a file")
    return _shortened(entries, most), most


def _size(entries: Sequence[Entry]) -> int:
    return len(written(entries).encode())


def _shortened(entries: Sequence[Entry], most: int) -> list[Entry]:
    return [
        entry._replace(learned=entry.learned._replace(merges=entry.learned.merges[:most]))
        if entry.learned
        else entry
        for entry in entries
    ]


def _row(entry: Entry) -> dict[str, object]:
    if entry.learned:
        return {"text": entry.text, "training": entry.learned._asdict()}
    if entry.unfair:
        return {"comparison": entry.unfair._asdict(), "with": list(entry.lanes)}
    if entry.patterns:
        return {"text": entry.text, "patterns": list(entry.patterns)}
    if entry.known:
        return {"text": entry.text, "vocabulary": entry.known._asdict(), "with": list(entry.lanes)}
    if entry.lesson:
        cuts = [cut._asdict() for cut in entry.lesson.cuts]
        return {"text": entry.text, "lesson": {"name": entry.lesson.name, "cuts": cuts}}
    return {"story": entry.story} if entry.story else {"text": entry.text, "with": list(entry.lanes)}


def read(content: str | bytes, stories: Sequence[str]) -> list[Entry]:
    """Return the talk of a file; raise ValueError for anything else. Stories and tokenizers must be known ones.

    >>> read("[]", [])
    Traceback (most recent call last):
    ValueError: not a talk
    """
    try:
        found = json.loads(content[: MOST_BYTES + 1])
    except (ValueError, RecursionError):
        raise ValueError("not a talk") from None
    rows = found.get("entries") if isinstance(found, dict) else None
    if not isinstance(rows, list) or found.get("tokenizer_explorer_talk") != 1 or len(rows) > MOST_ENTRIES:
        raise ValueError("not a talk")
    return [_entry(row, stories) for row in rows]


def _entry(row: object, stories: Sequence[str]) -> Entry:
    if isinstance(row, dict) and row.get("story") in stories:
        return Entry(story=str(row["story"]))
    if not isinstance(row, dict):
        raise ValueError("not a talk")
    named = row.get("with")
    if "comparison" in row:
        lanes = tuple(name for name in OPENAI_NAMES if isinstance(named, list) and name in named)
        return Entry(unfair=_unfair(row["comparison"]), lanes=lanes)
    if "vocabulary" in row and _is_written(row.get("text")):
        return Entry(text=row["text"][:MOST_CHARACTERS], known=_known(row["vocabulary"]), lanes=_lanes(named))
    if not _is_text(row.get("text")):
        raise ValueError("not a talk")
    if "training" in row:
        text = row["text"][:MOST_ON_STAGE]
        return Entry(text=text, learned=_learned(row["training"], text))
    text = row["text"][:MOST_CHARACTERS]
    if "patterns" in row:
        return Entry(text=text, patterns=_patterns(row["patterns"], text))
    if "lesson" in row:
        return Entry(text=text, lesson=_lesson(row["lesson"], len(text.encode())))
    lanes = _lanes(named)
    if not lanes:
        raise ValueError("not a talk")
    return Entry(text=text, lanes=lanes)


def _lanes(named: object) -> tuple[str, ...]:
    """Check choices of tokenizers of a file: they may be closed now, and what is no choice is left out."""
    lanes = tuple(filter(is_choice, named)) if isinstance(named, list) else ()
    if len(lanes) > MOST_LANES or not all(map(_is_text, lanes)):
        raise ValueError("not a talk")
    return lanes


def _patterns(row: object, text: str) -> tuple[str, ...]:
    """Check the split patterns of a file: each must cut the text."""
    if not isinstance(row, list) or not 0 < len(row) <= MOST_PATTERNS or not all(map(_is_text, row)):
        raise ValueError("not a talk")
    for pattern in row:
        _check_pattern(pattern, text)
    return tuple(row)


def _unfair(row: object) -> Unfair:
    """Check a comparison of languages of a file: names and texts, and figures that can be."""
    found = _with_fields(row, Unfair._fields)
    pairs = [found["languages"], found["texts"]]
    figures = [found["premium"], found["pair_premium"], found["line"]]
    are_pairs = all(isinstance(pair, list) and len(pair) == 2 and all(map(_is_written, pair)) for pair in pairs)
    if not are_pairs or not _is_text(found["tokenizer"]) or not all(map(_is_figure, figures)):
        raise ValueError("not a talk")
    return Unfair(
        found["tokenizer"][:MOST_IN_NAME],
        (found["languages"][0][:MOST_IN_NAME], found["languages"][1][:MOST_IN_NAME]),
        float(found["premium"]),
        int(found["line"]),
        float(found["pair_premium"]),
        (found["texts"][0][:MOST_CHARACTERS], found["texts"][1][:MOST_CHARACTERS]),
    )


def _known(row: object) -> Known:
    """Check a vocabulary of a file: a name, and figures that can be."""
    found = _with_fields(row, Known._fields)
    figures = [found["thai"], found["tokens"]]
    if not _is_text(found["tokenizer"]) or not all(map(_is_count, figures)) or figures[0] > figures[1]:
        raise ValueError("not a talk")
    return Known(found["tokenizer"][:MOST_IN_NAME], found["tokens"], found["thai"])


def _lesson(row: object, size: int) -> Lesson:
    """Check a lesson of a file: one of the app's, and the tokens of a text of `size` bytes."""
    found = _with_fields(row, Lesson._fields)
    name, cuts = found["name"], found["cuts"]
    if not _is_text(name) or f"lessons.{name}_says" not in catalogue("en"):
        raise ValueError("not a talk")
    if not isinstance(cuts, list) or not 0 < len(cuts) <= MOST_CUTS:
        raise ValueError("not a talk")
    return Lesson(str(name), tuple(_cut(cut, size) for cut in cuts))


def _cut(row: object, size: int) -> Cut:
    """Check the tokens of a text of `size` bytes: pieces end to end, the plain ones among them in their order."""
    found = _with_fields(row, Cut._fields)
    tokens, lengths, plain = found["tokens"], found["lengths"], found["plain"]
    are_lists = _are_counts(lengths) and _are_counts(plain)
    if not are_lists or not _is_count(tokens) or not _is_text(found["name"]):
        raise ValueError("not a talk")
    is_end_to_end = 0 not in lengths and sum(lengths) == size
    is_in_order = all(before < after for before, after in pairwise([-1, *plain, len(lengths)]))
    if not is_end_to_end or not is_in_order or tokens < len(lengths) - len(plain):
        raise ValueError("not a talk")
    return Cut(found["name"][:MOST_IN_NAME], tokens, tuple(lengths), tuple(plain))


def _learned(row: object, text: str) -> Learned:
    """Check a training of a file: its pattern must cut the text, and each merge must join what exists."""
    if not isinstance(row, dict) or not _is_text(row.get("corpus")) or not _is_text(row.get("pattern")):
        raise ValueError("not a talk")
    merges = row.get("merges")
    if not isinstance(merges, list) or not 0 < len(merges) <= MOST_MERGES:
        raise ValueError("not a talk")
    check = MergeCheck()
    for merge in merges:
        if not isinstance(merge, list) or [type(number) for number in merge] != [int] * 3:
            raise ValueError("not a talk")
        try:
            check.add(*merge[:2])
        except TokenizerError:
            raise ValueError("not a talk") from None
    _check_pattern(row["pattern"], text)
    return Learned(
        row["corpus"][:200], row["pattern"], tuple((left, right, count) for left, right, count in merges)
    )


def _check_pattern(pattern: str, text: str) -> None:
    try:
        pretokenize(text, pattern)
    except TokenizerError:
        raise ValueError("not a talk") from None


def _with_fields(row: object, names: Sequence[str]) -> dict[str, Any]:
    if not isinstance(row, dict) or set(row) != set(names):
        raise ValueError("not a talk")
    return row


def _is_figure(value: object) -> bool:
    return type(value) in (int, float) and 0 <= cast(float, value) < MOST_IN_FIGURE


def _is_count(value: object) -> bool:
    return type(value) is int and _is_figure(value)


def _are_counts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_count, value))


def _is_text(value: object) -> bool:
    return value != "" and _is_written(value)


def _is_written(value: object) -> bool:
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
