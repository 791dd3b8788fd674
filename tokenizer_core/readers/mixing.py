"""Thai, Latin and other letters: their shares of a corpus, lines sorted by script, and mixes by weight."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import compress
from typing import Literal, NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from tokenizer_core.errors import CorpusError
from tokenizer_core.kernels.cut_loop import CODE_POINTS

Unit = Literal["bytes", "characters"]

_BATCH = 2**20
_SIDES = _THAI, _LATIN, _OTHER = 1, 2, 3
_WIDER = (0x80, 0x800, 0x10000)
"""From each of these code points on, UTF-8 takes a byte more."""
_RUNS = (
    (_OTHER, r"([\p{L}--\p{Thai}--\p{Latin}]++)"),
    (_LATIN, r"([\p{L}&&\p{Latin}]++)"),
    (_THAI, r"([[\p{L}\p{M}]&&\p{Thai}]++)"),
    (0, r"([^\p{L}\p{M}]++)"),
)
SAMPLE = 4_000_000
"""Characters counted, in 0.03 seconds. Of a longer corpus, only an even sample is counted."""
_WINDOW = 8_000
_SCRIPTS = (
    ("thai", regex.compile(r"[[\p{L}\p{M}]&&\p{Script=Thai}]", regex.V1)),
    ("latin", regex.compile(r"[[\p{L}\p{M}]&&\p{Script=Latin}]", regex.V1)),
    ("other", regex.compile(r"[\p{L}\p{M}]")),
)
HELD_OUT = 5
"""Every fifth line is held out from training, to measure on."""


class ScriptLines(NamedTuple):
    """The lines of a corpus, each without its line feed, by the script of most of their letters."""

    thai: list[str]
    latin: list[str]
    other: list[str]
    """Lines in other scripts, and lines without a letter: empty lines, numbers, punctuation."""


class ScriptSizes(NamedTuple):
    """The sizes of the Thai, the Latin and the other lines of a corpus, and the number of other lines."""

    thai: int
    latin: int
    other: int
    other_lines: int


class Mix(NamedTuple):
    """One text for each side that is not empty, Thai first, and the size of each side in the unit asked for."""

    texts: tuple[str, ...]
    thai_size: int
    latin_size: int


def lines_by_script(texts: str | Iterable[str]) -> ScriptLines:
    r"""Sort lines by script; each line stays whole, and the lines of a script keep their order.

    Only a line feed ends a line, so nothing else is lost. Thai vowel signs and tone marks count as letters. A tie
    goes to Thai before Latin, and to either of them before other scripts.

    >>> lines_by_script("ภาษาไทย\nEnglish, 100 %\n\nใช้ AI\n2567")
    ScriptLines(thai=['ภาษาไทย', 'ใช้ AI'], latin=['English, 100 %'], other=['', '2567'])
    """
    sides = ScriptLines([], [], [])
    for text in [texts] if isinstance(texts, str) else texts:
        lines = text.removesuffix("\n").split("\n") if text else []
        scripts, _ = _measured(text)
        for side, script in zip(sides, _SIDES, strict=True):
            side.extend(compress(lines, scripts == script))
    return sides


def _measured(text: str) -> tuple[NDArray[np.uint8], dict[Unit, NDArray[np.int64]]]:
    """Return for each line of a text the script of most letters, and the sizes with the line feed."""
    before = np.zeros((5, 1), dtype=np.int64)
    at_ends = [before]
    for start in range(0, len(text), _BATCH):  # four bytes per character, so never a whole text at once
        points = np.frombuffer(text[start : start + _BATCH].encode("utf-32-le", "surrogatepass"), dtype="<u4")
        ends = np.append(np.flatnonzero(points == ord("\n")) + 1, len(points))
        scripts = _script_table()[points]
        letters = [np.searchsorted(np.flatnonzero(scripts == script), ends) for script in _SIDES]
        widths = sum((points >= first for first in _WIDER), np.ones(len(points), dtype=np.uint8))
        counted = before + np.array([*letters, ends, np.cumsum(widths, dtype=np.int64)[ends - 1]])
        at_ends.append(counted[:, :-1])
        before = counted[:, -1:]
    if text and not text.endswith("\n"):
        at_ends.append(before + np.array([[0], [0], [0], [1], [1]]))  # for the line feed that is not there
    counts = np.diff(np.hstack(at_ends))
    most = counts[:3].argmax(axis=0) + 1  # argmax returns the first of equal counts
    scripts = np.where(counts[:3].any(axis=0), most, _OTHER).astype(np.uint8)
    return scripts, {"characters": counts[3], "bytes": counts[4]}


@cache
def _script_table() -> NDArray[np.uint8]:
    """Return the script of each code point; 0 if it is not a letter. One search for all takes 0.02 s."""
    every = np.arange(CODE_POINTS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    table = np.zeros(CODE_POINTS, dtype=np.uint8)
    for run in regex.finditer("|".join(source for _, source in _RUNS), every, flags=regex.V1):
        assert run.lastindex is not None
        table[run.start() : run.end()] = _RUNS[run.lastindex - 1][0]
    return table


def sizes(lines: Sequence[str], unit: Unit) -> NDArray[np.int64]:
    """Return the size of each line with its line feed, in UTF-8 bytes or in characters.

    >>> sizes(["ไทย", "Thai"], "bytes"), sizes(["ไทย", "Thai"], "characters")
    (array([10,  5]), array([4, 5]))
    """
    if unit == "bytes":
        measured = (len(line) if line.isascii() else len(line.encode("utf-8", "surrogatepass")) for line in lines)
    else:
        measured = (len(line) for line in lines)
    return np.fromiter(measured, dtype=np.int64, count=len(lines)) + 1


def script_sizes(texts: Iterable[str]) -> dict[Unit, ScriptSizes]:
    r"""Return the sizes of each side of a corpus in both units: those of `lines_by_script`, without its lists.

    >>> script_sizes(["ไทย\nThai\n\n"])["bytes"]
    ScriptSizes(thai=10, latin=5, other=1, other_lines=1)
    """
    totals: dict[Unit, NDArray[np.int64]] = {unit: np.zeros(4, dtype=np.int64) for unit in ("bytes", "characters")}
    for text in texts:
        scripts, sizes_of = _measured(text)
        sides = [scripts == script for script in _SIDES]
        for unit, total in totals.items():
            total += [*(sizes_of[unit][side].sum() for side in sides), sides[-1].sum()]
    return {unit: ScriptSizes(*total.tolist()) for unit, total in totals.items()}


def mix(thai: Sequence[str], latin: Sequence[str], weights: tuple[float, float], unit: Unit) -> Mix:
    """Take whole lines from the start of each side, so that sizes have the ratio of the weights (Thai, Latin).

    One side is used up. The other side gives the number of lines nearest to the ratio, at least one, so it is off
    by less than a line. The same lines and weights always give the same mix. Raises `CorpusError` for invalid
    weights, and if a side with a weight has no lines.

    >>> mix(["กขค"] * 4, ["abc"] * 9, (2, 1), "characters")
    Mix(texts=('กขค\\nกขค\\nกขค\\nกขค\\n', 'abc\\nabc\\n'), thai_size=16, latin_size=8)
    """
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or not any(weights):
        raise CorpusError("mix_weights", thai=str(weights[0]), latin=str(weights[1]))
    if weights[0] and not thai:
        raise CorpusError("mix_no_thai")
    if weights[1] and not latin:
        raise CorpusError("mix_no_latin")
    sides = (thai, latin)
    ends = [np.cumsum(sizes(side, unit)) for side in sides]
    # How often the weight of each side fits into its size. The smallest sets the scale, and that side is used up.
    scales = [int(end[-1]) / weight for end, weight in zip(ends, weights) if weight]
    scale = min(scales)
    taken = [_lines_nearest(end, weight * scale) if weight else 0 for end, weight in zip(ends, weights)]
    thai_size, latin_size = (int(end[count - 1]) if count else 0 for end, count in zip(ends, taken))
    texts = tuple(_joined(side[:count]) for side, count in zip(sides, taken) if count)
    return Mix(texts, thai_size, latin_size)


def _lines_nearest(ends: NDArray[np.int64], goal: float) -> int:
    """Return how many lines, at least one, end nearest to a size; of two equally near numbers, the smaller."""
    after = int(np.searchsorted(ends, goal))
    if after == len(ends):
        return after  # rounding put the goal just above the last end
    before = int(ends[after - 1]) if after else -math.inf
    return after if goal - before <= ends[after] - goal else after + 1


def _joined(lines: Sequence[str]) -> str:
    """Join lines to a text, each with its line feed."""
    return "\n".join([*lines, ""])


def held_out(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split lines into those to train on and the held-out ones, every fifth, to measure on.

    >>> held_out("abcdefg")
    (['a', 'b', 'c', 'd', 'f', 'g'], ['e'])
    """
    measured = list(lines[HELD_OUT - 1 :: HELD_OUT])
    return [line for number, line in enumerate(lines, 1) if number % HELD_OUT], measured


def frontier_texts(thai: Sequence[str], latin: Sequence[str], share: float, size: int) -> tuple[str, ...]:
    """Take whole lines from the start of each side: about `size` bytes in all, `share` (from 0 to 1) of them Thai.

    Each side is off by less than a line, and a side without a share is left out. Raises `CorpusError` for a share
    out of range, and if a side is smaller than its share, because sizes could then not be compared.

    >>> frontier_texts(["กขค"] * 9, ["abc"] * 9, 0.5, 20)
    ('กขค\\n', 'abc\\nabc\\n')
    """
    if not 0 <= share <= 1 or size <= 0:
        raise CorpusError("mix_weights", thai=str(share), latin=str(1 - share))
    texts = []
    for lines, goal in ((thai, share * size), (latin, (1 - share) * size)):
        if not goal:
            continue
        ends = np.cumsum(sizes(lines, "bytes"))
        if not len(ends) or ends[-1] < math.floor(goal):
            held = int(ends[-1]) if len(ends) else 0
            raise CorpusError("mix_too_small", wanted=math.ceil(goal), held=held)
        texts.append(_joined(lines[: _lines_nearest(ends, goal)]))
    return tuple(texts)


def frontier_size(thai: Sequence[str], latin: Sequence[str], *, most: int) -> int:
    """Return the bytes that each training of a frontier can have at any share: the smaller side, at most `most`.

    >>> frontier_size(["กขค"] * 9, ["abc"] * 9, most=1_000)
    36
    """
    return min(most, *(int(sizes(lines, "bytes").sum()) for lines in (thai, latin)))


def first_lines(lines: Sequence[str], size: int) -> list[str]:
    """Return the fewest lines from the start with at least `size` bytes; all lines if they have fewer.

    >>> first_lines(["abc"] * 9, 5)
    ['abc', 'abc']
    """
    return list(lines[: int(np.searchsorted(np.cumsum(sizes(lines, "bytes")), size)) + 1])


# ---- shares of letters


class Shares(NamedTuple):
    """The share of letters and marks in each script, adding up to 1, and whether only a sample was counted."""

    thai: float
    latin: float
    other: float
    is_sample: bool


def script_shares(texts: Collection[str]) -> Shares | None:
    """Return the shares of Thai, Latin and other scripts among letters and marks; None if there are none.

    >>> script_shares(["น้ำ abc 123"])
    Shares(thai=0.5, latin=0.5, other=0.0, is_sample=False)
    >>> script_shares(["123"]) is None
    True
    """
    length = sum(map(len, texts))
    is_sample = length > SAMPLE
    whole = "".join(part for text in texts for part in _sample(text, length)) if is_sample else "".join(texts)
    # As `Counter` counts, but many times as fast.
    numbers = np.bincount(np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), dtype="<u4"))
    return shares_of({chr(point): int(numbers[point]) for point in np.flatnonzero(numbers)}, is_sample=is_sample)


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


def _sample(text: str, length: int) -> Iterator[str]:
    """Yield windows at even distances, so each text of a corpus of `length` characters gives the same part."""
    step = _WINDOW * length // SAMPLE
    if len(text) < step:
        yield text[: -(-len(text) * SAMPLE // length)]
        return
    for start in range(0, len(text), step):
        yield text[start : start + _WINDOW]
