"""The scripts of a corpus: the shares of Thai, Latin and other letters."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

import regex

SAMPLE = 4_000_000
"""Characters counted, in 0.2 seconds. Of a longer corpus, only an even sample is counted."""
_WINDOW = 8_000
_SCRIPTS = (
    ("thai", regex.compile(r"[[\p{L}\p{M}]&&\p{Script=Thai}]", regex.V1)),
    ("latin", regex.compile(r"[[\p{L}\p{M}]&&\p{Script=Latin}]", regex.V1)),
    ("other", regex.compile(r"[\p{L}\p{M}]")),
)


class Shares(NamedTuple):
    """The share of letters and marks in each script, adding up to 1, and whether only a sample was counted."""

    thai: float
    latin: float
    other: float
    is_sample: bool = False


def script_shares(texts: Collection[str]) -> Shares | None:
    """Return the shares of Thai, Latin and other scripts among letters and marks; None if there are none.

    >>> script_shares(["น้ำ abc 123"])
    Shares(thai=0.5, latin=0.5, other=0.0, is_sample=False)
    >>> script_shares(["123"]) is None
    True
    """
    length = sum(map(len, texts))
    counts: Counter[str] = Counter()
    for text in texts:
        if length <= SAMPLE:
            counts.update(text)
        else:
            _count_sample(text, length, counts)
    return shares_of(counts, is_sample=length > SAMPLE)


def shares_of(counts: Mapping[str, int], *, is_sample: bool = False) -> Shares | None:
    """Return the same for counted characters.

    >>> shares_of({"a": 3, "ก": 1, "!": 9})
    Shares(thai=0.25, latin=0.75, other=0.0, is_sample=False)
    """
    letters: Counter[str] = Counter()
    for character, count in counts.items():
        script = next((name for name, pattern in _SCRIPTS if pattern.match(character)), None)
        if script:
            letters[script] += count
    if not letters:
        return None
    total = letters.total()
    thai, latin, other = (letters[name] / total for name, _ in _SCRIPTS)
    return Shares(thai, latin, other, is_sample=is_sample)


def _count_sample(text: str, length: int, counts: Counter[str]) -> None:
    """Count windows at even distances, so each text of a corpus of `length` characters gives the same part."""
    step = _WINDOW * length // SAMPLE
    if len(text) < step:
        counts.update(text[: -(-len(text) * SAMPLE // length)])
        return
    for start in range(0, len(text), step):
        counts.update(text[start : start + _WINDOW])
