"""Tokens and merges in arrays: a tenth of the memory of lists, for vocabularies of files with 100,000 entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tokenizer_core.bpe.vocabulary import Pair

Numbers = NDArray[np.int32]
_AT_ONCE = 4_096
"""Entries that become objects of Python at the same time."""


class PackedTokens(Sequence[bytes]):
    """The bytes of each token, end to end in `text`.

    >>> tokens = PackedTokens([b"a", b"", b"bc"])
    >>> tokens[-1], tokens[:2], list(tokens), tokens == [b"a", b"", b"bc"], tokens.lengths.tolist()
    (b'bc', [b'a', b''], [b'a', b'', b'bc'], True, [1, 0, 2])
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tokens: Sequence[bytes]) -> None:
        self.text = b"".join(tokens)
        self.lengths = np.fromiter(map(len, tokens), dtype=np.int32, count=len(tokens))
        self._edges = np.append(np.int32(0), np.cumsum(self.lengths, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.lengths)

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> list[bytes]: ...
    def __getitem__(self, place: int | slice) -> bytes | list[bytes]:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        place = place if place >= 0 else range(len(self))[place]
        return self.text[self._edges.item(place) : self._edges.item(place + 1)]

    def __iter__(self) -> Iterator[bytes]:
        text, start = self.text, 0
        for first in range(1, len(self) + 1, _AT_ONCE):
            for end in self._edges[first : first + _AT_ONCE].tolist():
                yield text[start:end]
                start = end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(bytes.__eq__, self, other))


class PackedMerges(Sequence[Pair]):
    """The pairs of merges, in two columns; a slice is a view.

    >>> merges = PackedMerges.of([(97, 98), (256, 99)])
    >>> merges[-1], list(merges[:1]), merges == [(97, 98), (256, 99)]
    ((256, 99), [(97, 98)], True)
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, pairs: Numbers) -> None:
        self.pairs = pairs

    @classmethod
    def of(cls, merges: Iterable[Pair]) -> PackedMerges:
        """Pack merges, if they are not."""
        if isinstance(merges, PackedMerges):
            return merges
        return cls(np.array(list(merges), dtype=np.int32).reshape(-1, 2))

    def __len__(self) -> int:
        return len(self.pairs)

    def __array__(self, dtype: DTypeLike = None, *, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.pairs, dtype=dtype, copy=copy)

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> PackedMerges: ...
    def __getitem__(self, place: int | slice) -> Pair | PackedMerges:
        if isinstance(place, slice):
            return PackedMerges(self.pairs[place])
        left, right = self.pairs[place].tolist()
        return left, right

    def __iter__(self) -> Iterator[Pair]:
        for first in range(0, len(self), _AT_ONCE):
            lefts, rights = self.pairs[first : first + _AT_ONCE].T.tolist()
            yield from zip(lefts, rights)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(tuple.__eq__, self, other))
