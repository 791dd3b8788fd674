"""Counts of the chunks of a corpus, added up in any order with the same result as in the order of the text.

Each pretoken carries the place where it appeared first: the number of the chunk, and its place among the distinct
pretokens there. Adding up keeps the smallest, so it does not matter which worker is done first.
"""

from dataclasses import dataclass, replace
from functools import reduce
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.counting.counts import Counts, chosen
from tokenizer_core.cutter import Tally
from tokenizer_core.pretokens import PretokenCounts

MAX_CHUNKS = 2**31
_SHIFT = 32
# For each byte, a number whose sum over a pretoken decides where the pretoken belongs.
_SPREAD = (np.arange(1, 257, dtype=np.uint64) ** np.uint64(5)) * np.uint64(0x9E3779B97F4A7C15)
_HIGH_BITS = np.uint64(40)


@dataclass(frozen=True, eq=False)
class PartCounts:
    """Counts of some chunks, not necessarily neighbours, in no particular order.

    >>> chunks = [Counts.of(text, "mark_aware") for text in ("a cat", " a dog", " cat")]
    >>> parts = [PartCounts.of(chunk, number) for number, chunk in enumerate(chunks)]
    >>> PartCounts.merged(parts[2], PartCounts.merged(parts[1], parts[0])).in_order().pretokens.strings()
    ['a', ' cat', ' a', ' dog']
    """

    counts: Counts
    firsts: NDArray[np.int64]
    """For each pretoken, the chunk and the place in it where it appeared first, as one number."""

    @classmethod
    def of(cls, counts: Counts, chunk: int) -> Self:
        """Take the counts of one chunk, and its number in the order of the text, from 0 up."""
        if not 0 <= chunk < MAX_CHUNKS:
            raise ValueError(f"the number of a chunk must be from 0 to {MAX_CHUNKS - 1}; {chunk} came")
        return cls(counts, (chunk << _SHIFT) + np.arange(counts.pretokens.ends.size, dtype=np.int64))

    @classmethod
    def merged(cls, *parts: Self) -> Self:
        """Add up the counts of different chunks; raise `CountsError` if they do not belong together."""
        recipe = reduce(lambda sum_, recipe: sum_.joined(recipe), (part.counts.recipe for part in parts))
        tally = Tally()
        firsts = np.empty(0, dtype=np.int64)
        for part in parts:
            rows = tally.add_counts(*part.counts.pretokens)
            new = rows[rows >= firsts.size]
            firsts = np.concatenate([firsts, np.full(new.size, np.iinfo(np.int64).max)])
            firsts[rows] = np.minimum(firsts[rows], part.firsts)
        return cls(Counts(PretokenCounts(*tally.pretokens()), recipe), firsts)

    def in_order(self) -> Counts:
        """Return the counts in order of first appearance in the text."""
        return Counts(chosen(self.counts.pretokens, np.argsort(self.firsts)), self.counts.recipe)

    def without_rare(self, min_count: int) -> Self:
        """Drop pretokens that occur fewer than `min_count` times, as `Counts.without_rare` does."""
        kept = self.counts.without_rare(min_count)
        return type(self)(kept, self.firsts[self.counts.pretokens.counts >= min_count])

    def shared_out(self, shares: int) -> list[Self]:
        """Part the pretokens into shares: on every machine, a pretoken belongs to the same share.

        So each share of a corpus can be added up by itself, and none need hold all pretokens. The recipe's totals
        are shared out, too; what only the whole has, such as the number of texts, goes to the first share.

        >>> part = PartCounts.of(Counts.of("a cat a dog", "gpt2"), 0)
        >>> sorted(word for share in part.shared_out(3) for word in share.counts.pretokens.strings())
        [' a', ' cat', ' dog', 'a']
        """
        pretokens, whole = self.counts.pretokens, self.counts.recipe
        owner = _owners(pretokens, shares)
        rest, found = whole, []
        for share in range(1, shares):
            rows = np.flatnonzero(owner == share)
            own = Counts.counted(chosen(pretokens, rows), whole.pattern, boundaries=whole.boundaries)
            found.append(type(self)(own, self.firsts[rows]))
            rest = replace(
                rest,
                pretokens=rest.pretokens - own.recipe.pretokens,
                bytes_read=rest.bytes_read - own.recipe.bytes_read,
            )
        rows = np.flatnonzero(owner == 0)
        return [type(self)(Counts(chosen(pretokens, rows), rest), self.firsts[rows]), *found]

    @classmethod
    def of_shares(cls, *shares: Self) -> Self:
        """Put shares together again, of which no two have a pretoken in common."""
        recipe = reduce(lambda sum_, recipe: sum_.joined(recipe), (share.counts.recipe for share in shares))
        recipe = replace(recipe, short_by=max(share.counts.recipe.short_by for share in shares))
        texts, ends, counts = zip(*(share.counts.pretokens for share in shares))
        starts = np.cumsum([0, *(text.size for text in texts[:-1])])
        pretokens = PretokenCounts(
            np.concatenate(texts),
            np.concatenate([end + start for end, start in zip(ends, starts)]),
            np.concatenate(counts),
        )
        return cls(Counts(pretokens, recipe), np.concatenate([share.firsts for share in shares]))


def _owners(pretokens: PretokenCounts, shares: int) -> NDArray[np.uint64]:
    """Return for each pretoken the number of its share: the same on every machine, and about as many for each."""
    if not pretokens.ends.size:
        return np.empty(0, dtype=np.uint64)
    starts = pretokens.ends - pretokens.lengths
    sums: NDArray[np.uint64] = np.add.reduceat(_SPREAD[pretokens.text], starts)
    return (sums >> _HIGH_BITS) % np.uint64(shares)
