"""Look-alikes: characters that change the tokens of a text but not its look, and what should replace them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from typing import NamedTuple
from unicodedata import combining, normalize

import numpy as np
import regex

KINDS: tuple[str, ...] = (
    "zero_width",
    "direction",
    "white_space",
    "double_e",
    "sara_am",
    "mark_order",
    "mark_twice",
    "decomposed",
)


class Finding(NamedTuple):
    """A stretch of a text that looks the same as its replacement."""

    kind: str
    """One of `KINDS`."""
    start: int
    """The first character (code point) of the stretch."""
    end: int
    """The first character after the stretch."""
    replacement: str
    """The text that replaces the stretch."""


# Written as ranges and escapes, because nobody can read a mark without its letter or an invisible character.
_THAI = r"\u0e00-\u0e7f"
_VOWELS = "\u0e31\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e3a\u0e47\u0e4d"
_TONES = "\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e4e"  # with thanthakhat and yamakkan, which stand where tone marks do
_MARKS = _VOWELS + _TONES
_AA, _AM, _NIKHAHIT = "\u0e32", "\u0e33", "\u0e4d"
_ZERO_WIDTH = r"\u200b\u2060\ufeff\u00ad\u180e"
_JOINERS = r"\u200c\u200d"
_DIRECTION = r"\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069"
_SPACES = r"\u00a0\u2000-\u200a\u202f\u205f"
_WIDE = r"\u3000"
_ASCII = r"\x00-\x7f\u037e\u1fef\u212a"  # with the three characters that NFC turns into ASCII

_INVISIBLE = regex.compile(f"(?P<zero_width>[{_ZERO_WIDTH}]++)|(?P<direction>[{_DIRECTION}]++)")
_PLAIN = f"[{_ASCII}{_THAI}{_SPACES}{_WIDE}]"
_JOINING = r"[\p{L}--[\p{Common}\p{Latin}\p{Greek}\p{Cyrillic}\p{Thai}\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]]"
# Joiners beside plain text, unless a letter of a script that needs joiners, with or without marks, is on the other
# side: in Malayalam, Bengali or Persian, a joiner shapes the last letter even before a space.
_IDLE_JOINERS = regex.compile(
    rf"(?V1)(?<={_PLAIN})[{_JOINERS}]++(?!{_JOINING})"
    rf"|(?<![{_JOINERS}])[{_JOINERS}]++(?={_PLAIN})(?<!{_JOINING}\p{{M}}*+[{_JOINERS}]++)"
)

# A wide space beside a line break stays, because Japanese paragraphs begin with one.
_BESIDE_WIDE = rf"[[{_ASCII}{_THAI}]--[\r\n]]"
# A match starts only at the first wide space of a run, so a long run that stays is scanned once, not many times.
_SPACE_RUN = regex.compile(
    f"(?V1)(?<!{_WIDE})(?:{_WIDE}*+[{_SPACES}][{_SPACES}{_WIDE}]*+"
    f"|(?<={_BESIDE_WIDE}){_WIDE}++|{_WIDE}++(?={_BESIDE_WIDE}))"
)

_DOUBLE_E = regex.compile("เเ")
_SPLIT_AM = regex.compile(f"{_NIKHAHIT}([{_TONES}]*+){_AA}")
_AM_AND_TONES = regex.compile(f"{_AM}[{_AM}{_TONES}]*+")
# A run of marks holds everything that a repair could bring together, so no repair makes another one necessary.
_MARK_RUN = regex.compile(f"(?=[{_MARKS}{_AM}]{{2}}|{_NIKHAHIT}{_AA})(?:{_SPLIT_AM.pattern}|[{_MARKS}{_AM}])++")
_FAULTS = (
    ("sara_am", _SPLIT_AM),
    ("mark_order", regex.compile(f"[{_TONES}][{_VOWELS}]|{_AM}[{_TONES}]")),
    ("mark_twice", regex.compile(rf"([{_MARKS}])\1")),
)

# Characters that may combine with the one before them: marks, the later jamo of Hangul, and a vowel of Kirat Rai.
_FOLLOWERS = r"\p{M}\u1161-\u1175\u11a8-\u11c2\U00016d67"
# About 100 characters without Thai, not all ASCII, up to a place where nothing combines with what follows.
_PIECE = regex.compile(rf"(?V1)[\x00-\x7f]?[^\x00-\x7f{_THAI}][^{_THAI}]{{0,100}}+[[{_FOLLOWERS}]--[{_THAI}]]*+")
# A space is left out: it combines with nothing, and it may replace another space that is already a finding.
_CLUSTER = regex.compile(rf"[!-\x7f]?[{_FOLLOWERS}]++|[^\x00-\x7f{_FOLLOWERS}][{_FOLLOWERS}]*+")
_LONG = 200
"""Characters. Python sorts marks by insertion: a million take 0.2 s in runs of 200, and 16 minutes in one run."""


def find_lookalikes(text: str) -> list[Finding]:
    """Find the look-alikes of a text, in text order; no two findings overlap.

    Neighbors of one kind that are removed or become spaces form one finding. A finding includes the invisible
    characters inside it.

    >>> for finding in find_lookalikes("เเม่น\u0e4d\u0e32"):
    ...     print(*finding)
    double_e 0 2 แ
    sara_am 5 7 ำ
    """
    return _found_and_cleaned(text)[0]


def cleaned(text: str, findings: Sequence[Finding] | None = None) -> str:
    """Return the text with these findings replaced; without `findings`, with all that `find_lookalikes` finds.

    Cleaned text has no findings: `cleaned(cleaned(text)) == cleaned(text)`.

    >>> cleaned("ท\u0e48\u0e35\u200bนี่")
    'ที่นี่'
    """
    return _found_and_cleaned(text)[1] if findings is None else _replaced(text, findings)


def _found_and_cleaned(text: str) -> tuple[list[Finding], str]:
    """Find and clean in one pass per layer, which is enough: no layer makes what it or an earlier one looks for.

    Removal brings characters together, so invisible characters go first. Spaces count as spaces before and after,
    ASCII and Thai stay ASCII and Thai, and no character is both Thai and something that NFC composes.
    """
    found: list[Finding] = []
    if text.isascii():
        return found, text
    for layer in (
        partial(_runs, pattern=_INVISIBLE, kind=None, replacement=""),
        partial(_runs, pattern=_IDLE_JOINERS, kind="zero_width", replacement=""),
        partial(_runs, pattern=_SPACE_RUN, kind="white_space", replacement=" "),
        partial(_runs, pattern=_DOUBLE_E, kind="double_e", replacement="แ"),
        _thai_marks,
        _decomposed,
    ):
        findings = list(layer(text))
        found, text = _joined(found, findings), _replaced(text, findings)
    return found, text


def _replaced(text: str, findings: Sequence[Finding]) -> str:
    """Return the text with each finding replaced."""
    pieces: list[str] = []
    at = 0
    for _, start, end, replacement in findings:
        pieces += (text[at:start], replacement)
        at = end
    return "".join(pieces) + text[at:]


def _joined(earlier: list[Finding], later: list[Finding]) -> list[Finding]:
    """Combine the findings of two layers, with offsets in the text before both.

    The offsets in `later` are those of the text after `earlier`. The only earlier findings inside a later one are
    removed invisible characters; they become part of it.
    """
    if not (earlier and later):
        return earlier or later
    places, removed = [], [0]
    for _, start, end, replacement in earlier:
        places.append(start - removed[-1])
        removed.append(removed[-1] + end - start - len(replacement))
    found, at = [], 0
    for kind, start, end, replacement in later:
        before, inside = bisect_right(places, start), bisect_left(places, end)
        found += earlier[at:before]
        found.append(Finding(kind, start + removed[before], end + removed[inside], replacement))
        at = inside
    return found + earlier[at:]


def _runs(text: str, pattern: regex.Pattern[str], kind: str | None, replacement: str) -> Iterator[Finding]:
    """Find all matches of a pattern, whose group names the kind if `kind` is None; each space stays one space."""
    for run in pattern.finditer(text):
        times = len(run[0]) if replacement == " " else 1
        yield Finding(kind or run.lastgroup, run.start(), run.end(), replacement * times)


def _thai_marks(text: str) -> Iterator[Finding]:
    """Find Thai marks whose order or number differs from what is drawn, and ำ in two pieces."""
    mend = cache(_mended)  # a text repeats the same few runs
    for run in _MARK_RUN.finditer(text):
        kind, mended = mend(run[0])
        if kind:
            yield Finding(kind, run.start(), run.end(), mended)


def _mended(run: str) -> tuple[str, str]:
    """Return the fault of a run of Thai marks, or an empty string, and the repaired run.

    >>> _mended("\u0e48\u0e35")
    ('mark_order', 'ี่')
    """
    kind = next((kind for kind, fault in _FAULTS if fault.search(run)), "")
    if not kind:
        return kind, run
    run = _SPLIT_AM.sub(rf"\1{_AM}", run)
    run = _AM_AND_TONES.sub(lambda ams: "".join(sorted(ams[0], key=_AM.__eq__)), run)  # tone marks before every ำ
    # Vowel signs before tone marks, and no mark twice in a row.
    parts = (groupby(sorted(marks, key=_TONES.__contains__)) for marks in run.split(_AM))
    return kind, _AM.join("".join(mark for mark, _ in part) for part in parts)


def _decomposed(text: str) -> Iterator[Finding]:
    """Find characters that NFC composes or reorders, one base with its followers at a time; never Thai."""
    compose = cache(_composed)
    for piece in _PIECE.finditer(text):
        if compose(piece[0]) == piece[0]:
            continue
        for cluster in _CLUSTER.finditer(text, *piece.span()):
            composed = compose(cluster[0])
            if composed != cluster[0]:
                yield Finding("decomposed", cluster.start(), cluster.end(), composed)


def _composed(text: str) -> str:
    """Return the NFC of a text, in almost linear time even for a million marks in a row."""
    if len(text) <= _LONG:
        return normalize("NFC", text)
    text = "".join(normalize("NFD", character) for character in text)
    classes = np.fromiter(map(combining, text), dtype=np.int64, count=len(text))
    order = np.argsort(np.cumsum(classes == 0) * 256 + classes, kind="stable")
    return normalize("NFC", "".join(map(text.__getitem__, order.tolist())))
