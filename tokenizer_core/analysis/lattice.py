"""The lattice of a Unigram model: all pieces that fit in a text, and the likeliest ways to cut it into them.

The score of a piece is the logarithm of its probability, that of a path their sum. Source: Kudo, arXiv 1804.10959.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

UNKNOWN_PENALTY = 10.0
"""An unknown character scores this much less than the rarest piece, in sentencepiece and in tokenizers."""


class Unigram(NamedTuple):
    """What a model knows: its pieces, and how it scores a character that none of them begins with alone."""

    pieces: Mapping[str, tuple[int, float]]
    """The id and the score of each piece."""
    unknown: tuple[int, float]
    """The id and the score of an unknown character."""
    longest: int
    """Characters of the longest piece."""

    @classmethod
    def of(
        cls, pieces: Mapping[str, tuple[int, float]], unknown_id: int, lowest: float | None = None
    ) -> "Unigram":
        """Return the model of these pieces, of which `lowest` is the lowest score if not all of them count."""
        if lowest is None:
            lowest = min((score for _, score in pieces.values()), default=0.0)
        return cls(pieces, (unknown_id, lowest - UNKNOWN_PENALTY), max(map(len, pieces), default=1))


class Arc(NamedTuple):
    """A piece in its place; `start` and `end` count characters."""

    start: int
    end: int
    token_id: int
    score: float


class Path(NamedTuple):
    """A way to cut the whole text."""

    arcs: tuple[Arc, ...]
    score: float

    def share(self, total: float) -> float:
        """Return its share of the likelihood of all ways, whose logarithm is `total`."""
        return math.exp(self.score - total)


def lattice(stretches: Iterable[str], model: Unigram) -> list[Arc]:
    """Return all pieces that fit in stretches that lie end to end; no piece crosses from one to the next.

    Where no single character fits, an unknown one does.

    >>> toy = Unigram.of({"a": (1, -1.0), "ab": (2, -3.0)}, 0)
    >>> [(arc.start, arc.end, arc.token_id, arc.score) for arc in lattice(["ab"], toy)]
    [(0, 1, 1, -1.0), (0, 2, 2, -3.0), (1, 2, 0, -13.0)]
    """
    arcs: list[Arc] = []
    offset = 0
    for text in stretches:
        for start in range(len(text)):
            ends = range(start + 1, min(start + model.longest, len(text)) + 1)
            fits = {end: model.pieces[text[start:end]] for end in ends if text[start:end] in model.pieces}
            fits = {start + 1: model.unknown} | fits
            arcs += [Arc(offset + start, offset + end, *fit) for end, fit in fits.items()]
        offset += len(text)
    return arcs


def best_paths(arcs: Sequence[Arc], length: int, n: int = 1) -> list[Path]:
    """Return the `n` likeliest ways to cut a text of `length` characters, the best first.

    >>> toy = Unigram.of({"a": (1, -1.0), "b": (3, -1.5), "ab": (2, -3.0)}, 0)
    >>> [(path.score, len(path.arcs)) for path in best_paths(lattice(["ab"], toy), 2, 5)]
    [(-2.5, 2), (-3.0, 1)]
    """
    best = {0: [Path((), 0.0)]}
    for end, arriving in _by_end(arcs):
        found = (Path((*path.arcs, arc), path.score + arc.score) for arc in arriving for path in best[arc.start])
        best[end] = heapq.nlargest(n, found, key=lambda path: path.score)
    return best.get(length, [])


def all_paths(arcs: Sequence[Arc], length: int) -> tuple[int, float]:
    """Return how many ways there are to cut a text, and the logarithm of the sum of their likelihoods.

    >>> toy = Unigram.of({"a": (1, math.log(0.5)), "aa": (2, math.log(0.25))}, 0)
    >>> ways, total = all_paths(lattice(["aa"], toy), 2)
    >>> ways, round(math.exp(total), 3)
    (2, 0.5)
    """
    ways, total = {0: 1}, {0: 0.0}
    for end, arriving in _by_end(arcs):
        ways[end] = sum(ways[arc.start] for arc in arriving)
        scores = [total[arc.start] + arc.score for arc in arriving]
        total[end] = max(scores) + math.log(sum(math.exp(score - max(scores)) for score in scores))
    return ways.get(length, 0), total.get(length, -math.inf)


def in_rows(arcs: Iterable[Arc]) -> list[list[Arc]]:
    """Lay arcs out in as few rows as they need, none over another.

    >>> rows = in_rows([Arc(0, 2, 1, 0.0), Arc(0, 1, 2, 0.0), Arc(1, 3, 3, 0.0)])
    >>> [[(arc.start, arc.end) for arc in row] for row in rows]
    [[(0, 1), (1, 3)], [(0, 2)]]
    """
    rows: list[list[Arc]] = []
    for arc in sorted(arcs):
        row = next((row for row in rows if row[-1].end <= arc.start), None)
        if row is None:
            rows.append([arc])
        else:
            row.append(arc)
    return rows


def _by_end(arcs: Iterable[Arc]) -> list[tuple[int, list[Arc]]]:
    by_end: defaultdict[int, list[Arc]] = defaultdict(list)
    for arc in arcs:
        by_end[arc.end].append(arc)
    return sorted(by_end.items())
