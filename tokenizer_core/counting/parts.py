"""Counts of the chunks of a corpus, added up in any order with the same result as in the order of the text.

Each pretoken carries the place where it appeared first: the number of the chunk, and its place among the distinct
pretokens there. Adding up keeps the smallest, so it does not matter which worker is done first.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.counting.counts import Counts, chosen
from tokenizer_core.cutter import Tally
from tokenizer_core.pretokens import PretokenCounts

MAX_CHUNKS = 2**31
_SHIFT = 32


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
