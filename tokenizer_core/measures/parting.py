"""Two vocabularies side by side: where they part, how far apart they get, and where they meet again."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Parting:
    """How two vocabularies, learned token by token, differ after each number of merges."""

    apart: npt.NDArray[np.int32]
    """Shape (merges + 1,): how many tokens only one of the two has, after each number of merges of both."""
    only_first: Sequence[bytes]
    only_second: Sequence[bytes]
    """The tokens that only this one has when the shorter one ends, in the order they were learned."""

    @property
    def parts(self) -> list[int]:
        """The merges that make them differ: the first merge of each stretch with differences."""
        return (np.flatnonzero((self.apart[1:] > 0) & (self.apart[:-1] == 0)) + 1).tolist()

    @property
    def meets(self) -> list[int]:
        """The merges that give both the same tokens again."""
        return (np.flatnonzero((self.apart[1:] == 0) & (self.apart[:-1] > 0)) + 1).tolist()


def parting(first: Sequence[bytes], second: Sequence[bytes]) -> Parting:
    """Compare what two trainings learned, merge by merge, up to the end of the shorter one.

    Only the set of tokens matters, not their order: two vocabularies that learn the same tokens in another order
    meet again.

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
