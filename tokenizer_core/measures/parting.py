"""Two vocabularies side by side: where they part, how far, and where they meet again."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Parting:
    """How two vocabularies, learned token by token, differ at each number of merges."""

    apart: npt.NDArray[np.int32]
    """Shape (merges + 1,): the tokens that only one of the two has, after so many merges of both."""
    only_first: Sequence[bytes]
    only_second: Sequence[bytes]
    """The tokens that only one has at the end of the shorter one, in the order they were learned."""

    @property
    def parts(self) -> list[int]:
        """The merges from which on they differ: the first of each stretch of difference."""
        return (np.flatnonzero((self.apart[1:] > 0) & (self.apart[:-1] == 0)) + 1).tolist()

    @property
    def meets(self) -> list[int]:
        """The merges with which they hold the same tokens again."""
        return (np.flatnonzero((self.apart[1:] == 0) & (self.apart[:-1] > 0)) + 1).tolist()


def parting(first: Sequence[bytes], second: Sequence[bytes]) -> Parting:
    """Compare what two trainings learned, merge by merge; of the longer one, as far as the shorter goes.

    Order does not matter, only which tokens there are: two vocabularies that learn the same tokens in another
    order have met again.

    >>> halves = parting([b"ab", b"cd", b"abc"], [b"cd", b"ab", b"xy"])
    >>> halves.apart.tolist(), halves.parts, halves.meets, halves.only_first, halves.only_second
    ([0, 2, 0, 2], [1, 3], [2], [b'abc'], [b'xy'])
    """
    merges = min(len(first), len(second))
    apart = np.zeros(merges + 1, dtype=np.int32)
    alone: list[dict[bytes, None]] = [{}, {}]
    known: list[set[bytes]] = [set(), set()]
    for n in range(merges):
        for mine, token in enumerate((first[n], second[n])):
            other = 1 - mine
            if token in known[other]:
                alone[other].pop(token, None)
            elif token not in known[mine]:
                alone[mine][token] = None
            known[mine].add(token)
        apart[n + 1] = len(alone[0]) + len(alone[1])
    return Parting(apart, list(alone[0]), list(alone[1]))
