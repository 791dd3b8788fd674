"""Where a token comes from and what comes of it: its tree down to bytes, its descendants, and traces of merges."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tokenizer_core.patterns import pretokenize
from tokenizer_core.pretokens import check_text
from tokenizer_core.reference import merge
from tokenizer_core.vocabulary import BYTES, Pair


class Merging(Protocol):
    """A tokenizer by byte-pair encoding: trained, opened from a file, or a reference."""

    @property
    def merges(self) -> Sequence[Pair]: ...
    @property
    def pattern(self) -> str: ...
    @property
    def vocab_size(self) -> int: ...
    def token_bytes(self, token_id: int) -> bytes: ...


class OfFile(Merging, Protocol):
    """A tokenizer whose ids may be any numbers; its merges are numbered as they were learned, bytes first."""

    @property
    def entry_ids(self) -> Sequence[int]: ...
    def own_ids(self, ids: Iterable[int]) -> npt.NDArray[np.int64]: ...


class InFileIds:
    """A tokenizer from a file with its merges in the ids of the file.

    >>> from tokenizer_core.formats.file_tokenizer import FileTokenizer
    >>> found = InFileIds(FileTokenizer([(97, 98)], [*range(1, 257), 0], pattern="none"))
    >>> found.merges, parts_of(0, found), children_of(98, found)
    ([(98, 99)], (98, 99), [0])
    """

    def __init__(self, tokenizer: OfFile) -> None:
        self._tokenizer = tokenizer
        self.numbered = tokenizer.merges
        """The merges in the numbers of learning."""
        self.ids = tokenizer.entry_ids
        """The id of each number."""
        self.merges = [(self.ids[left], self.ids[right]) for left, right in self.numbered]
        self.pattern = tokenizer.pattern
        self.vocab_size = tokenizer.vocab_size

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of one token of the file."""
        return self._tokenizer.token_bytes(token_id)

    def number_of(self, token_id: int) -> int:
        """Return the number of a token in the order learned; -1 for a special and an unknown one."""
        return int(self._tokenizer.own_ids([token_id])[0])


class Node(NamedTuple):
    """A token in the tree of another, with the place of its bytes."""

    token_id: int
    depth: int
    """Merges above it; 0 for the token itself."""
    start: int
    end: int
    is_leaf: bool
    """Whether it is drawn without its parts: a single byte, or cut off because the tree has enough leaves."""


class Step(NamedTuple):
    """One merge in a text: two ids become one, wherever they stand side by side in a pretoken."""

    left: int
    right: int
    token_id: int
    ids: tuple[int, ...]
    """All ids of the pretoken after the merge."""


class Trace(NamedTuple):
    """The merges of one pretoken, from bytes to tokens."""

    text: str
    ids: tuple[int, ...]
    """The ids of its bytes, before the first merge."""
    steps: list[Step]


def parts_of(token_id: int, tokenizer: Merging) -> Pair | None:
    """Return the two tokens that were merged into this one; None for a byte and for a special token.

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> parts_of(256, Tokenizer([(97, 98)])), parts_of(97, Tokenizer([(97, 98)]))
    ((97, 98), None)
    """
    merge = merge_number(token_id, tokenizer)
    return None if merge is None else tokenizer.merges[merge - 1]


def merge_number(token_id: int, tokenizer: Merging) -> int | None:
    """Return which merge made a token, from 1 up; None for a byte and for a special token."""
    number = _number(token_id, tokenizer) - BYTES + 1
    return number if 1 <= number <= len(tokenizer.merges) else None


def tree_of(token_id: int, tokenizer: Merging, *, most_leaves: int = 48) -> list[Node]:
    """Return the tree of a token, left to right and top down; the longest parts are taken apart first.

    A token of a megabyte has a tree of a million bytes, so it ends where there are `most_leaves` leaves.

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> [(node.token_id, node.depth) for node in tree_of(257, Tokenizer([(97, 98), (256, 99)]))]
    [(257, 0), (256, 1), (97, 2), (98, 2), (99, 1)]
    """
    waiting = [(0, 0, Node(token_id, 0, 0, len(tokenizer.token_bytes(token_id)), True))]
    found: list[Node] = []
    leaves = order = 1
    while waiting:
        *_, node = heappop(waiting)
        parts = parts_of(node.token_id, tokenizer) if leaves < most_leaves else None
        found.append(node._replace(is_leaf=parts is None))
        if parts is None:
            continue
        leaves += 1
        middle = node.start + len(tokenizer.token_bytes(parts[0]))
        for part, start, end in ((parts[0], node.start, middle), (parts[1], middle, node.end)):
            order += 1
            heappush(waiting, (start - end, order, Node(part, node.depth + 1, start, end, True)))
    return sorted(found, key=lambda node: (node.start, node.depth))


def children_of(token_id: int, tokenizer: Merging) -> list[int]:
    """Return the tokens that have this one as a part, in the order learned.

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> children_of(97, Tokenizer([(97, 98), (256, 97), (98, 99)]))
    [256, 257]
    """
    is_part = (_pairs(tokenizer) == _number(token_id, tokenizer)).any(axis=1)
    return _ids(np.flatnonzero(is_part) + BYTES, tokenizer)


def descendants_of(token_id: int, tokenizer: Merging) -> list[int]:
    """Return all tokens made from this one, directly or through others, in the order learned.

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> descendants_of(98, Tokenizer([(97, 98), (256, 97), (100, 99)]))
    [256, 257]
    """
    number, pairs = _number(token_id, tokenizer), _pairs(tokenizer)
    family = np.zeros(len(pairs) + BYTES, dtype=np.bool_)
    if not 0 <= number < len(family):
        return []
    family[number] = True
    # A part is older than its token, so each round finds one more generation; few families have more than 20.
    while True:
        made = np.flatnonzero(family[pairs].any(axis=1)) + BYTES
        made = made[~family[made]]
        if not len(made):
            break
        family[made] = True
    family[number] = False
    return _ids(np.flatnonzero(family), tokenizer)


def byte_ids(tokenizer: Merging) -> dict[int, int]:
    """Return the token id of each byte: the byte itself; references number them in their own way."""
    return {tokenizer.token_bytes(token_id)[0]: token_id for token_id in _ids(np.arange(BYTES), tokenizer)}


def trace(text: str, tokenizer: Merging) -> Iterator[Trace]:
    """Yield for each pretoken of a text the merges that make its tokens, in the order in which they are applied.

    The last ids are those that `encode` gives, unless a pretoken as a whole is a token that no merges make.

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> for step in next(trace("the", Tokenizer([(104, 101), (116, 256)]))).steps:
    ...     print(step.left, step.right, "→", step.token_id)
    104 101 → 256
    116 256 → 257
    """
    ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges)}
    of_byte = byte_ids(tokenizer)
    for pretoken in pretokenize(check_text(text), tokenizer.pattern):
        ids = tuple(of_byte[byte] for byte in pretoken.encode("utf-8"))
        yield Trace(pretoken, ids, list(_steps(ids, ranks, tokenizer)))


def _steps(ids: Iterable[int], ranks: dict[Pair, int], tokenizer: Merging) -> Iterator[Step]:
    """Apply the merge of lowest rank everywhere, left to right, until no pair is left, as the definition does."""
    now = list(ids)
    while len(now) > 1:
        pair = min(zip(now, now[1:]), key=lambda each: ranks.get(each, len(ranks)))
        if pair not in ranks:
            return
        (made,) = _ids(np.array([BYTES + ranks[pair]]), tokenizer)
        now = merge(now, pair, made)
        yield Step(*pair, made, tuple(now))


# ---- ids, and numbers in the order learned: the same, but for files


def _number(token_id: int, tokenizer: Merging) -> int:
    return tokenizer.number_of(token_id) if isinstance(tokenizer, InFileIds) else token_id


def _ids(numbers: npt.NDArray[np.int64], tokenizer: Merging) -> list[int]:
    found: list[int] = numbers.tolist()
    return [tokenizer.ids[number] for number in found] if isinstance(tokenizer, InFileIds) else found


def _pairs(tokenizer: Merging) -> npt.NDArray[np.int64]:
    merges = tokenizer.numbered if isinstance(tokenizer, InFileIds) else tokenizer.merges
    return np.array(merges, dtype=np.int64).reshape(-1, 2)
