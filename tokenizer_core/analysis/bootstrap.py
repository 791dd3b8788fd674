"""How much a premium depends on which lines were chosen: intervals by drawing lines again and again."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

DRAWS = 1_000
SEED = 20_221
SHARE = 0.95
"""The share of draws whose premium lies in an interval."""
MOST_DRAWN = 1_000
"""Lines drawn one by one. Of more, neighbours are drawn together, in this many blocks of the same size or a line
more: 100,000 lines take under 0.1 seconds, not 7; the interval is as wide, or wider if neighbours are alike."""
Interval = tuple[float, float]


def premium_intervals(
    tokens: npt.ArrayLike, base: npt.ArrayLike, *, draws: int = DRAWS, seed: int = SEED, share: float = SHARE
) -> list[Interval | None]:
    """Return the interval of each row's premium, the ratio of its sums, by the percentile bootstrap over lines.

    Both tables have a row for each tokenizer and a column for each line. All rows meet the same draws, so the
    interval of a row is the same whatever stands beside it. None if no draw has a token of the base.

    Sources: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13; for blocks, Carlstein, The
    Use of Subseries Values (Annals of Statistics, 1986).

    >>> premium_intervals([[2, 4, 6]], [[1, 2, 3]])
    [(2.0, 2.0)]
    """
    counts, bases = (_in_blocks(np.asarray(each, dtype=np.float64)) for each in (tokens, base))
    lines = counts.shape[1]
    if not lines:
        return [None] * len(counts)
    weights = _weights(lines, draws, seed).astype(float)
    totals = weights @ bases.T
    premiums = np.divide(weights @ counts.T, totals, out=np.full(totals.shape, np.nan), where=totals > 0)
    return [_interval(column[np.isfinite(column)], share) for column in premiums.T]


@lru_cache(maxsize=4)
def _weights(lines: int, draws: int, seed: int) -> npt.NDArray[np.uint16]:
    """Return how often each draw has each line, of which there are few enough for 16 bits.

    Drawing takes 30 ms, and pages want the same draws again.
    """
    chances = np.full(lines, 1 / lines)
    weights = np.random.default_rng(seed).multinomial(lines, chances, size=draws).astype(np.uint16)
    weights.flags.writeable = False
    return weights


def _in_blocks(lines: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    count = lines.shape[1]
    if count <= MOST_DRAWN:
        return lines
    blocks: npt.NDArray[np.float64] = np.add.reduceat(lines, np.arange(MOST_DRAWN) * count // MOST_DRAWN, axis=1)
    return blocks


def _interval(premiums: npt.NDArray[np.float64], share: float) -> Interval | None:
    if not len(premiums):
        return None
    low, high = np.quantile(premiums, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)
