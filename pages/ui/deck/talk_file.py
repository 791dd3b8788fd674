"""The file that keeps a talk: written, and read with a check of everything in it."""

import json
from collections.abc import Sequence
from typing import cast

from pages.ui.choices.tokenizers import is_choice
from pages.ui.deck import MOST_CHARACTERS
from pages.ui.deck.keys import Entry, Learned, Unfair
from pages.ui.deck.mine import MOST_ENTRIES, MOST_MERGES
from pages.ui.stage import MOST_CHARACTERS as MOST_ON_STAGE
from tokenizer_core.errors import TokenizerError
from tokenizer_core.openai import OPENAI_NAMES
from tokenizer_core.patterns import pretokenize
from tokenizer_core.vocabulary import MergeCheck

MOST_BYTES = 1_000_000
MOST_PATTERNS = 2
MOST_IN_NAME = 200
MOST_IN_FIGURE = 1e9
MOST_LANES = 200


def written(entries: Sequence[Entry]) -> str:
    """Return the talk as the text of a file.

    >>> talk = [Entry(story="water"), Entry(text="น้ำ", lanes=("gpt2",))]
    >>> read(written(talk), ["water"]) == talk
    True
    """
    talk = {"tokenizer_explorer_talk": 1, "entries": [_row(entry) for entry in entries]}
    return json.dumps(talk, ensure_ascii=False, separators=(",", ":"))


def _row(entry: Entry) -> dict[str, object]:
    if entry.learned:
        return {"text": entry.text, "training": entry.learned._asdict()}
    if entry.unfair:
        return {"comparison": entry.unfair._asdict(), "with": list(entry.lanes)}
    if entry.patterns:
        return {"text": entry.text, "patterns": list(entry.patterns)}
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
    if not _is_text(row.get("text")):
        raise ValueError("not a talk")
    if "training" in row:
        text = row["text"][:MOST_ON_STAGE]
        return Entry(text=text, learned=_learned(row["training"], text))
    text = row["text"][:MOST_CHARACTERS]
    if "patterns" in row:
        return Entry(text=text, patterns=_patterns(row["patterns"], text))
    lanes = tuple(name for name in named if is_choice(name)) if isinstance(named, list) else ()
    if not lanes or len(lanes) > MOST_LANES:
        raise ValueError("not a talk")
    return Entry(text=text, lanes=lanes)


def _patterns(row: object, text: str) -> tuple[str, ...]:
    """Check the split patterns of a file: each must cut the text."""
    if not isinstance(row, list) or not 0 < len(row) <= MOST_PATTERNS or not all(map(_is_text, row)):
        raise ValueError("not a talk")
    for pattern in row:
        _check_pattern(pattern, text)
    return tuple(row)


def _unfair(row: object) -> Unfair:
    """Check a comparison of languages of a file: names and texts, and figures that can be."""
    found = row if isinstance(row, dict) and set(row) == set(Unfair._fields) else {}
    pairs = [found.get("languages"), found.get("texts")]
    figures = [found.get("premium"), found.get("pair_premium"), found.get("line")]
    are_pairs = all(isinstance(pair, list) and len(pair) == 2 and all(map(_is_written, pair)) for pair in pairs)
    if not are_pairs or not _is_text(found.get("tokenizer")) or not all(map(_is_figure, figures)):
        raise ValueError("not a talk")
    return Unfair(
        found["tokenizer"][:MOST_IN_NAME],
        (found["languages"][0][:MOST_IN_NAME], found["languages"][1][:MOST_IN_NAME]),
        float(found["premium"]),
        int(found["line"]),
        float(found["pair_premium"]),
        (found["texts"][0][:MOST_CHARACTERS], found["texts"][1][:MOST_CHARACTERS]),
    )


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


def _is_figure(value: object) -> bool:
    return type(value) in (int, float) and 0 <= cast(float, value) < MOST_IN_FIGURE


def _is_text(value: object) -> bool:
    return value != "" and _is_written(value)


def _is_written(value: object) -> bool:
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
