"""The corpus of a training: distinct pretokens, their counts, and the merges made in them.

`IndexedCorpus` keeps an index of all places of every pair, in the compiled `merge_loop`. Until that is ready,
`PlainCorpus` counts all pairs anew for every merge, in NumPy: it learns 1,200 merges a second from the Thai half
of the bundled sample, 85 from 2 MB of Thai.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.bpe.vocabulary import BYTES, Pair
from tokenizer_core.kernels import merge_loop
from tokenizer_core.kernels.merge_loop import (
    COUNT,
    END,
    HEAP_SIZE,
    LEFT,
    NEXT_TOKEN_ID,
    NONE,
    PAIRS,
    RIGHT,
    START,
    TOKEN_COUNT,
)

Numbers = NDArray[np.int64]

_BORDER = -1
"""Stands after each pretoken, so that no pair crosses from one to the next."""
_MAX_KEYS = 2**22
"""Up to this many possible pairs, an array counts them; sorting them takes ten times as long."""


class IndexedCorpus:
    """The corpus with an index of all places of every pair: `PlainCorpus`, thousands of times faster."""

    def __init__(
        self,
        text: NDArray[np.uint8] | NDArray[np.int32],
        ends: Numbers,
        counts: Numbers,
        vocab_size: int,
        *,
        merged_bytes: int | None = None,
        merges: int = 0,
    ) -> None:
        """Index a corpus; `merged_bytes` are those of all corpora in which the same merges are made.

        If some `merges` are made already, `text` and `ends` are those of tokens, else of bytes.
        """
        # Every merge removes at least one token, so ids stay below this however large `vocab_size` is.
        most_ids = min(vocab_size, BYTES + (merged_bytes or text.size)) + 1
        self._most_merges = most_ids - 1
        self._state = np.zeros(merge_loop.STATE_SIZE, dtype=np.int64)
        self._state[NEXT_TOKEN_ID] = BYTES + merges
        self._state[TOKEN_COUNT] = int(np.diff(ends, prepend=0) @ counts)
        # Made here, not in the loop: NumPy asks for huge pages, and a walk across the whole corpus needs them.
        rows = np.empty((text.size, merge_loop.ROW_WIDTH), dtype=np.int32)
        heavy = counts[counts > merge_loop.MOST_WEIGHT]
        places = np.empty(merge_loop.PLACES_A_ROW * text.size, dtype=np.int32)
        if merges:
            _lay_out_tokens(rows, text.astype(np.int32), ends, counts)
            self._pairs, self._heap = _index_tokens(rows, counts, ends, places, self._state)
        else:
            merge_loop.lay_out(rows, text, ends, counts)
            self._pairs, self._heap = merge_loop.index_pairs(rows, heavy, places, self._state)
        births = np.full(most_ids + 1, self._state[PAIRS], dtype=np.int64)
        newest = np.maximum(self._used[:, LEFT], self._used[:, RIGHT])  # in rising order if merges are made
        births[BYTES : BYTES + merges] = np.searchsorted(newest, np.arange(BYTES, BYTES + merges))
        most_places = int((self._used[:, END] - self._used[:, START]).max(initial=0))
        self._corpus = merge_loop.Corpus(
            rows,
            heavy,
            places,
            notes=np.empty((2 * most_places, 2), dtype=np.int32),
            widths=np.ones(most_ids, dtype=np.int64),
            by_left=np.full(most_ids, NONE, dtype=np.int64),
            by_right=np.full(most_ids, NONE, dtype=np.int64),
            births=births,
        )

    @property
    def token_count(self) -> int:
        """Tokens in the corpus after the last merge."""
        return int(self._state[TOKEN_COUNT])

    @property
    def next_token_id(self) -> int:
        """The id that the next merge makes."""
        return int(self._state[NEXT_TOKEN_ID])

    @property
    def _used(self) -> Numbers:
        used: Numbers = self._pairs[: self._state[PAIRS]]
        return used

    def best(self) -> tuple[int, int, int]:
        """Return the pair to merge next and its count: of the most frequent, the first; 0 if no pair is left."""
        p = merge_loop.next_pair(self._corpus.rows, self._corpus.places, self._pairs, self._heap, self._state)
        if p == NONE:
            return 0, 0, 0
        left, right, count = self._pairs[p, [LEFT, RIGHT, COUNT]].tolist()
        return left, right, count

    def merge_best(self, n: int, min_count: int) -> list[list[int]]:
        """Merge the best pair, up to `n` times; return rows of (left, right, count, tokens left)."""
        room = np.empty((max(0, min(n, self._most_merges + 1 - self.next_token_id)), 4), dtype=np.int64)
        self._pairs, self._heap, learned = merge_loop.merge_best(
            self._corpus, self._pairs, self._heap, self._state, room, min_count
        )
        rows: list[list[int]] = room[:learned].tolist()
        return rows

    def merge(self, left: int, right: int) -> int:
        """Replace each occurrence of a pair, left to right; return how often it occurred, 0 if it does not."""
        p = self._number_of(left, right)
        if p == NONE:
            return 0
        count = int(self._pairs[p, COUNT])
        self._pairs, self._heap = merge_loop.merge_pair(self._corpus, self._pairs, self._heap, self._state, p)
        return count

    def count(self, left: int, right: int) -> int:
        """Return how often a pair occurs."""
        p = self._number_of(left, right)
        return 0 if p == NONE else int(self._pairs[p, COUNT])

    def _number_of(self, left: int, right: int) -> int:
        if max(left, right) >= self.next_token_id:
            return NONE
        return int(merge_loop.pair_of(self._corpus, self._pairs, left, right))

    def merge_or_skip(self, left: int, right: int) -> None:
        """Replace each occurrence of a pair; the token that it makes gets the next id even if there is none."""
        if not self.merge(left, right):
            merge_loop.skip_merge(self._corpus, self._state)

    @property
    def part(self) -> merge_loop.Part:
        """All its arrays, for loops over several corpora."""
        return merge_loop.Part(self._corpus, self._pairs, self._heap, self._state)

    def make_room(self) -> None:
        """Give the next merge's pairs room: it makes at most two for each token, or two for each byte of text."""
        more = 2 * min(self.next_token_id, len(self._corpus.rows)) + 2
        self._pairs = with_room(self._pairs, int(self._state[PAIRS]), more)
        self._heap = with_room(self._heap, int(self._state[HEAP_SIZE]), more)

    def candidates(self, n: int, min_count: int) -> list[tuple[int, int, int]]:
        """Return the `n` best pairs with their counts, ordered by count; ties by first occurrence."""
        counts = self._used[:, COUNT]
        # Keep all pairs at least as frequent as the n-th, so that their positions settle ties at the edge.
        nth = int(np.partition(counts, -n)[-n]) if n < len(counts) else 0
        chosen = np.flatnonzero(counts >= max(min_count, nth))
        firsts = np.empty(chosen.size, dtype=np.int64)
        merge_loop.first_places(self._corpus.rows, self._corpus.places, self._pairs, chosen, firsts)
        order = np.lexsort((firsts, -counts[chosen]))[:n]
        rows: list[tuple[int, int, int]] = self._used[chosen[order]][:, [LEFT, RIGHT, COUNT]].tolist()
        return rows

    @property
    def ties(self) -> int:
        """Other pairs that occur as often as the best one."""
        counts = self._used[:, COUNT]
        return max(0, int(np.count_nonzero(counts == counts.max(initial=1))) - 1)


def _lay_out_tokens(rows: NDArray[np.int32], ids: NDArray[np.int32], ends: Numbers, counts: Numbers) -> None:
    """Fill the rows of a corpus as `lay_out` does, with a row for each token; the pairs come later."""
    lengths = np.diff(ends, prepend=0)
    is_heavy = counts > merge_loop.MOST_WEIGHT
    weights = np.where(is_heavy, -np.cumsum(is_heavy, dtype=np.int64), counts)
    rows[:, merge_loop.ID] = ids
    rows[:, merge_loop.BEFORE] = np.arange(-1, ids.size - 1)
    rows[(ends - lengths)[lengths > 0], merge_loop.BEFORE] = NONE
    rows[:, merge_loop.PAIR] = NONE
    rows[:, merge_loop.WEIGHT] = np.repeat(weights, lengths)


def _index_tokens(
    rows: NDArray[np.int32], counts: Numbers, ends: Numbers, places: NDArray[np.int32], state: Numbers
) -> tuple[Numbers, Numbers]:
    """Return the tables of `index_pairs` for tokens that merges have made.

    Pairs are in the order of their newer token, as `births` needs them.
    """
    ids = rows[:, merge_loop.ID].astype(np.int64)
    starts = np.flatnonzero(rows[1:, merge_loop.BEFORE] != NONE)
    lefts, rights = ids[starts], ids[starts + 1]
    size = int(ids.max(initial=0)) + 1
    keys = np.maximum(lefts, rights) * 2 * size + np.where(lefts > rights, rights, size + lefts)
    order = np.argsort(keys, kind="stable")
    keys, starts = keys[order], starts[order]
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    weights = np.repeat(counts, np.diff(ends, prepend=0))[starts]
    pairs = np.empty((firsts.size, merge_loop.PAIR_WIDTH), dtype=np.int64)
    pairs[:, LEFT], pairs[:, RIGHT] = lefts[order[firsts]], rights[order[firsts]]
    pairs[:, COUNT] = np.add.reduceat(weights, firsts) if firsts.size else 0
    pairs[:, START], pairs[:, END] = firsts, np.append(firsts, starts.size)[1:]
    rows[starts, merge_loop.PAIR] = np.repeat(np.arange(firsts.size), pairs[:, END] - firsts)
    places[: starts.size] = starts
    best_first = np.lexsort((starts[firsts], -pairs[:, COUNT]))  # a sorted table is a heap
    heap = np.stack([pairs[best_first, COUNT], starts[firsts][best_first], best_first], axis=1)
    state[PAIRS] = state[HEAP_SIZE] = firsts.size
    state[merge_loop.PLACES] = starts.size
    return pairs, heap


def with_room(table: Numbers, used: int, more: int) -> Numbers:
    """Return the table, or a copy of half as many rows again if `more` do not fit."""
    if used + more <= len(table):
        return table
    larger = np.empty((max(used + more, len(table) * 3 // 2), table.shape[1]), dtype=np.int64)
    larger[:used] = table[:used]
    return larger


class _Pairs(NamedTuple):
    """The pairs of the corpus as it stands."""

    keys: Numbers
    """For each place, its pair as one number; -1 at a border."""
    counts: Numbers
    """For each place, how often its pair occurs in the corpus."""


class PlainCorpus:
    """The corpus in plain NumPy.

    >>> corpus = PlainCorpus(np.frombuffer(b"aaab", dtype=np.uint8), np.array([4]), np.array([10]))
    >>> corpus.best(), corpus.merge(97, 97), corpus.token_count
    ((97, 97, 20), 20, 30)
    """

    def __init__(self, text: NDArray[np.uint8], ends: Numbers, counts: Numbers) -> None:
        self.pretokens = text, ends, counts
        self._ids = np.insert(text.astype(np.int64), ends, _BORDER)
        self._weights = np.repeat(counts, np.diff(ends, prepend=0) + 1)
        self.token_count = int(np.diff(ends, prepend=0) @ counts)
        self.merges: list[Pair] = []

    @staticmethod
    def can_hold(text: NDArray[np.uint8], ends: Numbers, counts: Numbers) -> bool:
        """Return whether all counts are exact: NumPy adds up weights as floating-point numbers."""
        return float(np.diff(ends, prepend=0).astype(np.float64) @ counts) < 2**52

    @property
    def next_token_id(self) -> int:
        """The id that the next merge makes."""
        return BYTES + len(self.merges)

    def best(self) -> tuple[int, int, int]:
        """Return the pair to merge next and its count: of the most frequent, the first; 0 if no pair is left."""
        keys, counts = self._pairs
        place = int(counts.argmax()) if counts.size else 0  # the first of equal counts
        if not counts.size or not counts[place]:
            return 0, 0, 0
        left, right = divmod(int(keys[place]), self.next_token_id)
        return left, right, int(counts[place])

    def merge_best(self, n: int, min_count: int) -> list[list[int]]:
        """Merge the best pair; return a row of (left, right, count, tokens left), or none if no pair is left."""
        left, right, count = self.best()
        if n < 1 or count < min_count:
            return []
        self.merge(left, right)
        return [[left, right, count, self.token_count]]

    def merge(self, left: int, right: int) -> int:
        """Replace each occurrence of a pair, left to right; return how often it occurred, 0 if it does not."""
        places = self._places_of(left, right)
        if not places.size:
            return 0
        count = int(self._pairs.counts[places[0]])
        if left == right:  # of aaa, only the first two: take every second place of each run
            starts = np.flatnonzero(np.diff(places, prepend=-2) > 1)
            lengths = np.diff(starts, append=places.size)
            places = places[(np.arange(places.size) - np.repeat(starts, lengths)) % 2 == 0]
        self.token_count -= int(self._weights[places].sum())
        self._ids[places] = self.next_token_id
        self._ids = np.delete(self._ids, places + 1)
        self._weights = np.delete(self._weights, places + 1)
        self.skip(left, right)
        return count

    def merge_or_skip(self, left: int, right: int) -> None:
        """Replace each occurrence of a pair; the token that it makes gets the next id even if there is none."""
        if not self.merge(left, right):
            self.skip(left, right)

    def count(self, left: int, right: int) -> int:
        """Return how often a pair occurs."""
        places = self._places_of(left, right)
        return int(self._pairs.counts[places[0]]) if places.size else 0

    def _places_of(self, left: int, right: int) -> NDArray[np.intp]:
        return np.flatnonzero(self._pairs.keys == left * self.next_token_id + right)

    def skip(self, left: int, right: int) -> None:
        """Give the next id to this pair."""
        self.merges.append((left, right))
        self.__dict__.pop("_pairs", None)

    def candidates(self, n: int, min_count: int) -> list[tuple[int, int, int]]:
        """Return the `n` best pairs with their counts, ordered by count; ties by first occurrence."""
        keys, counts = self._pairs
        distinct, firsts = np.unique(keys, return_index=True)
        found = distinct >= 0
        distinct, firsts = distinct[found], firsts[found]
        order = np.lexsort((firsts, -counts[firsts]))[:n]
        lefts, rights = np.divmod(distinct[order], self.next_token_id)
        rows = zip(lefts.tolist(), rights.tolist(), counts[firsts[order]].tolist())
        return [row for row in rows if row[2] >= min_count]

    @property
    def ties(self) -> int:
        """Other pairs that occur as often as the best one."""
        keys, counts = self._pairs
        return max(0, np.unique(keys[(counts == counts.max(initial=1))]).size - 1)

    @cached_property
    def _pairs(self) -> _Pairs:
        ids = self._ids
        size = self.next_token_id
        inside = (ids[:-1] != _BORDER) & (ids[1:] != _BORDER)
        keys = np.where(inside, ids[:-1] * size + ids[1:], -1)
        counts = np.zeros_like(keys)
        if size * size <= _MAX_KEYS:
            totals = np.bincount(keys[inside], self._weights[:-1][inside])
            counts[inside] = totals[keys[inside]]
        else:
            _, numbers = np.unique(keys[inside], return_inverse=True)
            counts[inside] = np.bincount(numbers, self._weights[:-1][inside])[numbers]
        return _Pairs(keys, counts)
