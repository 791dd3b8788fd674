"""Whether line n of two texts says the same, judged by the lengths of lines alone."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_SHIFTS = range(1, 11)
"""Line offsets tried: one side may be this many lines late."""
_LEAST_SHIFTED = 20
_CAP = 1.5
_LEAST_GAIN = 6.0
"""How much better the lengths of all shifted lines together must fit, as a logarithm."""
_DOUBT = 0.05
"""The least gain of each line, because chance gains something, too."""


def first_extra_line(lines: Sequence[str], others: Sequence[str]) -> int:
    """Return the most likely first extra line of the side with more lines, from 1 up.

    Assumes that all extra lines are in one place: where the lengths before and after it fit best.

    >>> first_extra_line(["I", "you and me", "he", "they all"], ["je", "il", "ils tous"])
    2
    """
    longer, shorter = _logs(max(lines, others, key=len)), _logs(min(others, lines, key=len))
    extra = len(longer) - len(shorter)
    before = np.cumsum(np.append(0.0, _misfit(longer[: len(shorter)], shorter)))
    after = _misfit(longer[extra:], shorter)
    return int(np.argmin(before + np.append(np.cumsum(after[::-1])[::-1], 0.0))) + 1


def first_shifted(lines: Sequence[str], others: Sequence[str]) -> int | None:
    """Return the first line from which one side seems up to ten lines late: the lengths fit far better when moved.

    The side need not stay late to the end. Returns None if the lines fit as they are, or if fewer than 20 lines
    are shifted.
    """
    count = len(lines)
    if count < 2 * _LEAST_SHIFTED:
        return None
    ours, theirs = _logs(lines), _logs(others)
    now = _misfit(ours, theirs)
    best: tuple[float, int] | None = None
    for shift in (sign * size for size in _SHIFTS if size + 2 * _LEAST_SHIFTED <= count for sign in (1, -1)):
        moved = np.full(count, _CAP)
        late, early = max(0, shift), max(0, -shift)
        length = count - late - early
        moved[early : early + length] = _misfit(ours[late : late + length], theirs[early : early + length])
        gain, start, end = _best_stretch(now - moved - _DOUBT)
        is_clear = (now - moved)[start:end].sum() > 0.4 * now[start:end].sum()
        if end - start >= _LEAST_SHIFTED and gain > max(_LEAST_GAIN, best[0] if best else 0.0) and is_clear:
            best = gain, start
    return best[1] + 1 if best else None


def _best_stretch(gains: Floats) -> tuple[float, int, int]:
    """Find the stretch with the largest sum; return the sum, the start and the end.

    >>> _best_stretch(np.array([1.0, -2.0, 3.0, -1.0, 2.0, -5.0]))
    (4.0, 2, 5)
    """
    sums = np.append(0.0, np.cumsum(gains))
    rises = sums[1:] - np.minimum.accumulate(sums)[:-1]
    end = int(np.argmax(rises)) + 1
    start = int(np.argmin(sums[:end]))
    return float(rises[end - 1]), start, end


def _logs(lines: Sequence[str]) -> Floats:
    """Return the logarithm of each line's length plus 1."""
    logs: Floats = np.log(np.fromiter(map(len, lines), dtype=np.float64, count=len(lines)) + 1)
    return logs


def _misfit(lengths: Floats, others: Floats) -> Floats:
    """Return how far the length ratio of each pair of lines is from the usual one, as a logarithm; at most 1.5."""
    difference = lengths - others
    usual = np.median(difference) if len(difference) else 0.0
    misfit: Floats = np.minimum(np.abs(difference - usual), _CAP)
    return misfit
