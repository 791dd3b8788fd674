"""How tokens are made and used: a token's tree and descendants, traces of merges, counts by size, contexts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import regex

from tokenizer_core.analysis.cuts import places_tokens
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.reference import merge
from tokenizer_core.bpe.segments import Ints, token_lengths
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.vocabulary import BYTES, Pair
from tokenizer_core.patterns.pretokens import bytes_and_ends, check_text, count_pretokens
from tokenizer_core.patterns.split_patterns import pretokenize

_LEADING_MARKS = regex.compile(r"^[\p{M}\u0e33]+")
"""Marks that have lost the letter they stand on."""
_WIDEST = 4
"""Bytes of the longest character in UTF-8."""


class Merging(Protocol):
    """A tokenizer by byte-pair encoding: trained, opened from a file, or a reference."""

    @property
    def merges(self) -> Sequence[Pair]: ...
    @property
    def pattern(self) -> str: ...
    def token_bytes(self, token_id: int) -> bytes: ...


class OfFile(Merging, Protocol):
    """A tokenizer whose ids may be any numbers; its merges are numbered as they were learned, bytes first."""

    @property
    def entry_ids(self) -> Sequence[int]: ...
    def own_ids(self, ids: Iterable[int]) -> npt.NDArray[np.int64]: ...
    def pretokens(self, text: str) -> Iterator[tuple[str, int | None]]: ...


class InFileIds:
    """A tokenizer from a file with its merges in the ids of the file.

    >>> from tokenizer_core.interop.byte_level import FileTokenizer
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

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of one token of the file."""
        return self._tokenizer.token_bytes(token_id)

    def pretokens(self, text: str) -> Iterator[tuple[str, int | None]]:
        """Yield the pretokens of a text, and the id of each added token in it."""
        return self._tokenizer.pretokens(text)

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
    """Whether the tree ends here: at a byte or a character, or because it has enough leaves."""


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
    """The ids of its bytes, before the first merge; of a token that was added to the vocabulary, its own id."""
    steps: list[Step]


def parts_of(token_id: int, tokenizer: Merging) -> Pair | None:
    """Return the two tokens that were merged into this one; None for a byte and for a special token.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> parts_of(256, Tokenizer([(97, 98)])), parts_of(97, Tokenizer([(97, 98)]))
    ((97, 98), None)
    """
    merge = merge_number(token_id, tokenizer)
    return None if merge is None else tokenizer.merges[merge - 1]


def merge_number(token_id: int, tokenizer: Merging) -> int | None:
    """Return which merge made a token, from 1 up; None for a byte and for a special token."""
    number = _number(token_id, tokenizer) - BYTES + 1
    return number if 1 <= number <= len(tokenizer.merges) else None


def tree_of(token_id: int, tokenizer: Merging, *, most_leaves: int = 48, to_bytes: bool = True) -> list[Node]:
    """Return the tree of a token, left to right and top down, with at most `most_leaves` leaves.

    The longest parts are split first. A token may have a million bytes. Unless it goes down `to_bytes`, it ends at
    characters, whole or not.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> [(node.token_id, node.depth) for node in tree_of(257, Tokenizer([(97, 98), (256, 99)]))]
    [(257, 0), (256, 1), (97, 2), (98, 2), (99, 1)]
    >>> letters = Tokenizer([(195, 169), (97, 256)])
    >>> [[node.token_id for node in tree_of(257, letters, to_bytes=down)] for down in (True, False)]
    [[257, 97, 256, 195, 169], [257, 97, 256]]
    >>> thirds = Tokenizer([(224, 184), (97, 256)])
    >>> [node.token_id for node in tree_of(257, thirds, to_bytes=False)]
    [257, 97, 256]
    """
    waiting = [(0, 0, Node(token_id, 0, 0, len(tokenizer.token_bytes(token_id)), True))]
    found: list[Node] = []
    leaves = order = 1
    while waiting:
        *_, node = heappop(waiting)
        ends_here = leaves >= most_leaves or not (to_bytes or is_longer(tokenizer.token_bytes(node.token_id)))
        parts = None if ends_here else parts_of(node.token_id, tokenizer)
        found.append(node._replace(is_leaf=parts is None))
        if parts is None:
            continue
        leaves += 1
        middle = node.start + len(tokenizer.token_bytes(parts[0]))
        for part, start, end in ((parts[0], node.start, middle), (parts[1], middle, node.end)):
            order += 1
            heappush(waiting, (start - end, order, Node(part, node.depth + 1, start, end, True)))
    return sorted(found, key=lambda node: (node.start, node.depth))


def is_longer(token: bytes) -> bool:
    """Tell whether bytes belong to more than one character of UTF-8, whole or not."""
    return any(byte >> 6 != 0b10 for byte in token[1:])


def children_of(token_id: int, tokenizer: Merging) -> list[int]:
    """Return the tokens that have this one as a part, in the order learned.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> children_of(97, Tokenizer([(97, 98), (256, 97), (98, 99)]))
    [256, 257]
    """
    is_part = (_pairs(tokenizer) == _number(token_id, tokenizer)).any(axis=1)
    return _ids(np.flatnonzero(is_part) + BYTES, tokenizer)


def descendants_of(token_id: int, tokenizer: Merging) -> list[int]:
    """Return all tokens made from this one, directly or through others, in the order learned.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> descendants_of(98, Tokenizer([(97, 98), (256, 97), (100, 99)]))
    [256, 257]
    """
    number, pairs = _number(token_id, tokenizer), _pairs(tokenizer)
    family = np.zeros(len(pairs) + BYTES, dtype=np.bool_)
    if not 0 <= number < len(family):
        return []
    family[number] = True
    # Each round finds one more generation; few families have more than 20.
    while True:
        made = np.flatnonzero(family[pairs].any(axis=1)) + BYTES
        made = made[~family[made]]
        if not len(made):
            break
        family[made] = True
    family[number] = False
    return _ids(np.flatnonzero(family), tokenizer)


def byte_ids(tokenizer: Merging) -> dict[int, int]:
    """Return the token id of each byte: the byte itself, except in references and files."""
    return {tokenizer.token_bytes(token_id)[0]: token_id for token_id in _ids(np.arange(BYTES), tokenizer)}


def trace(text: str, tokenizer: Merging) -> Iterator[Trace]:
    """Yield for each pretoken of a text the merges that make its tokens, in the order they are applied.

    The last ids are those of `encode`, unless a whole pretoken is a token that no merges make.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> for step in next(trace("the", Tokenizer([(104, 101), (116, 256)]))).steps:
    ...     print(step.left, step.right, "→", step.token_id)
    104 101 → 256
    116 256 → 257
    """
    ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges)}
    of_byte = byte_ids(tokenizer)
    if isinstance(tokenizer, InFileIds):
        pretokens = tokenizer.pretokens(text)
    else:
        pretokens = ((pretoken, None) for pretoken in pretokenize(check_text(text), tokenizer.pattern))
    for pretoken, added in pretokens:
        if added is not None:
            yield Trace(pretoken, (added,), [])
            continue
        ids = tuple(of_byte[byte] for byte in pretoken.encode("utf-8"))
        yield Trace(pretoken, ids, list(_steps(ids, ranks, tokenizer)))


def _steps(ids: Iterable[int], ranks: dict[Pair, int], tokenizer: Merging) -> Iterator[Step]:
    """Apply the merge of lowest rank everywhere, left to right, until no pair is left."""
    now = list(ids)
    while len(now) > 1:
        pair = min(zip(now, now[1:]), key=lambda each: ranks.get(each, len(ranks)))
        if pair not in ranks:
            return
        (made,) = _ids(np.array([BYTES + ranks[pair]]), tokenizer)
        now = merge(now, pair, made)
        yield Step(*pair, made, tuple(now))


# ---- ids, and numbers in the order learned: they differ only for files


def _number(token_id: int, tokenizer: Merging) -> int:
    return tokenizer.number_of(token_id) if isinstance(tokenizer, InFileIds) else token_id


def _ids(numbers: npt.NDArray[np.int64], tokenizer: Merging) -> list[int]:
    found: list[int] = numbers.tolist()
    return [tokenizer.ids[number] for number in found] if isinstance(tokenizer, InFileIds) else found


def _pairs(tokenizer: Merging) -> npt.NDArray[np.int64]:
    merges = tokenizer.numbered if isinstance(tokenizer, InFileIds) else tokenizer.merges
    return np.array(merges, dtype=np.int64).reshape(-1, 2)


# ---- the tokens of texts at every vocabulary size


def token_counts(texts: str | Iterable[str], tokenizer: Tokenizer) -> npt.NDArray[np.int32]:
    """Count the tokens of all texts together after each number of merges, from none to all.

    Each text is cut separately, as in a corpus; special tokens are ordinary text.

    >>> tokenizer = Tokenizer([(97, 97), (256, 98)], pattern="none")
    >>> token_counts("aabaa", tokenizer).tolist(), token_counts(["aab", "aa"], tokenizer).tolist()
    ([5, 3, 2], [5, 3, 2])
    """
    return token_counts_of(count_pretokens(texts, tokenizer.pattern), tokenizer)


def token_counts_of(pretokens: Mapping[str, int], tokenizer: Tokenizer) -> npt.NDArray[np.int32]:
    """Do the same as `token_counts` with pretokens, counted with the tokenizer's pattern; no merge changes them.

    A token comes from one merge of two parts, and each part from an earlier merge or a byte. So from the last
    merge to the first, each merge adds its uses to those of its parts. Each use leaves one token fewer.
    """
    text, ends = bytes_and_ends(pretokens)
    ids, stops = tokenizer.encode_pretokens(text, ends)
    times = np.fromiter(pretokens.values(), dtype=np.int64, count=len(pretokens))
    tokens = np.zeros(tokenizer.vocab_size, dtype=np.int64)
    np.add.at(tokens, ids, np.repeat(times, np.diff(stops, prepend=0)))
    uses: list[int] = tokens.tolist()
    for token_id in range(tokenizer.vocab_size - 1, BYTES - 1, -1):
        for part in tokenizer.merges[token_id - BYTES]:
            uses[part] += uses[token_id]
    size = int(np.diff(ends, prepend=0) @ times)
    return (size - np.cumsum([0, *uses[BYTES:]])).astype(np.int32)


# ---- where texts use a token


class Context(NamedTuple):
    """One use of a token in a text. A byte outside whole characters is written as by `surrogateescape`."""

    before: str
    token: bytes
    """The bytes of the text that the token covers."""
    after: str


def contexts_of(
    token_id: int, texts: Sequence[str], tokenizer: AnyTokenizer, *, most: int = 8, width: int = 24
) -> list[Context]:
    """Return uses of a token in texts, evenly spread over all its uses, with `width` characters on each side.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> contexts_of(256, ["the hat"], Tokenizer([(104, 97)], pattern="none"), width=3)
    [Context(before='he ', token=b'ha', after='t')]
    """
    encoded = tokenizer.encode_each(texts)
    places = np.flatnonzero(encoded.ids == token_id)
    chosen = places[np.unique(np.linspace(0, len(places) - 1, min(most, len(places))).astype(np.int64))]
    first_of_text = np.append(0, np.cumsum(encoded.counts))
    found = []
    for number in np.unique(np.searchsorted(first_of_text, chosen, side="right") - 1).tolist():
        first, end = first_of_text[number], first_of_text[number + 1]
        starts, ends = _spans(texts[number], encoded.ids[first:end], tokenizer)
        inside = chosen[(chosen >= first) & (chosen < end)] - first
        data = texts[number].encode("utf-8")
        found += [_context(data, int(starts[place]), int(ends[place]), width) for place in inside]
    return found


def _spans(text: str, ids: npt.NDArray[np.int32], tokenizer: AnyTokenizer) -> tuple[Ints, Ints]:
    """Return the start and the end of each token in the bytes of the text."""
    if places_tokens(tokenizer, text):
        _, starts, ends = tokenizer.encode_placed(text)
        return starts, ends
    ends = np.cumsum(token_lengths(ids.tolist(), tokenizer))
    return np.append(0, ends[:-1]), ends


def _context(data: bytes, start: int, end: int, width: int) -> Context:
    before = data[max(0, start - _WIDEST * width) : start]
    after = data[end : end + _WIDEST * width]
    # The outer edges may lie within a character, but beyond the width; those at the token are shown as they are.
    seen = before.decode("utf-8", "surrogateescape")[-width:]
    return Context(
        _LEADING_MARKS.sub("", seen) if len(seen) == width else seen,
        data[start:end],
        after.decode("utf-8", "surrogateescape")[:width],
    )
