"""The merges behind a list of tokens in order of rank, as tiktoken and minbpe recover them.

A rank file holds tokens and no pairs. tiktoken joins any two neighbors whose bytes together are a token, lowest
rank first, so the two parts that are left of a token's bytes before its own rank are its pair.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.compiled import compiled
from tokenizer_core.encode_loop import pop, push
from tokenizer_core.errors import RankFileError
from tokenizer_core.vocabulary import Pair, build_vocabulary

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

NONE = -1
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Recovered(NamedTuple):
    """What ranks tell about merges."""

    pairs: Numbers
    """For each rank: the ranks of the two parts; -1 twice for a single byte, and for a token without a pair."""
    without_pair: list[int]
    """Ranks of tokens of two or more bytes that no two tokens make: only a text that is the token gives them."""


def merges_of_ranks(tokens: Sequence[bytes]) -> list[Pair]:
    """Return the merge of each token of two or more bytes, as the ranks of its two parts, in order of rank.

    Raises `RankFileError` for the first token that no two tokens make.

    >>> merges_of_ranks([b"a", b"b", b"ab", b"abab"])
    [(0, 1), (2, 2)]
    """
    pairs, without_pair = recover_merges(tokens)
    if without_pair:
        rank = without_pair[0]
        raise RankFileError(
            f"each token of two or more bytes must be made of two tokens of lower rank; {len(without_pair):,} are"
            f" not, the first is {tokens[rank][:40]!r} with rank {rank}",
            "rank_without_pair",
            rank=rank,
            token=tokens[rank][:40].decode("utf-8", errors="backslashreplace"),
            count=len(without_pair),
        )
    return [(left, right) for left, right in pairs.tolist() if left != NONE]


def recover_merges(tokens: Sequence[bytes]) -> Recovered:
    """Return the pair of every token that has one; `tokens` are in order of rank, from rank 0.

    Raises `RankFileError` if a token is empty, or stands there twice.

    >>> recover_merges([b"a", b"b", b"bab", b"ab"]).without_pair
    [2]
    """
    _refuse_duplicates(tokens)
    text = np.frombuffer(b"".join(tokens), dtype=np.uint8)
    ends = np.cumsum(np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens)))
    pairs = np.full((len(tokens), 2), NONE, dtype=np.int64)
    _note_pairs(_index(text, ends), pairs)
    lengths = np.diff(ends, prepend=0)
    return Recovered(pairs, np.flatnonzero((pairs[:, 0] == NONE) & (lengths > 1)).tolist())


def recover_by_definition(tokens: Sequence[bytes]) -> Recovered:
    """Do the same as `recover_merges` in plain lines."""
    ranks = {token: rank for rank, token in enumerate(tokens)}
    found = [
        tuple(ranks.get(part, NONE) for part in _parts(token, ranks)) if len(token) > 1 else () for token in tokens
    ]
    pairs = [parts if len(parts) == 2 and NONE not in parts else (NONE, NONE) for parts in found]
    without_pair = [rank for rank, parts in enumerate(found) if parts and pairs[rank][0] == NONE]
    return Recovered(np.array(pairs, dtype=np.int64).reshape(-1, 2), without_pair)


def lost_merges(merges: Sequence[Pair]) -> list[int]:
    """Return the ids of tokens whose merge a rank file cannot hold; none in what training learns.

    Either the ranks tell another pair, or none; or another token has the same bytes.

    >>> lost_merges([(97, 98), (256, 99)])
    []
    >>> lost_merges([(97, 98), (98, 99), (97, 257)])  # "abc" is made of "a" and "bc", but "ab" comes first
    [258]
    """
    vocabulary = build_vocabulary(merges)
    first_ids = {token: token_id for token_id, token in reversed(list(enumerate(vocabulary)))}
    if len(first_ids) < len(vocabulary):
        return [token_id for token_id, token in enumerate(vocabulary) if first_ids[token] != token_id]
    own = np.array(merges, dtype=np.int64).reshape(-1, 2)
    told = recover_merges(vocabulary).pairs[-len(own) :] if len(own) else own
    lost: list[int] = (np.flatnonzero((own != told).any(axis=1)) + len(vocabulary) - len(own)).tolist()
    return lost


def _refuse_duplicates(tokens: Sequence[bytes]) -> None:
    ranks: dict[bytes, int] = {}
    for rank, token in enumerate(tokens):
        if not token or ranks.setdefault(token, rank) != rank:
            raise RankFileError(
                f"each token must be there once, with at least one byte; {token[:40]!r} has rank {rank}"
                + (f" and {ranks[token]}" if token else ""),
                "rank_duplicate" if token else "rank_empty",
                rank=rank,
                other=ranks.get(token, rank),
                token=token[:40].decode("utf-8", errors="backslashreplace"),
            )


def _parts(token: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """Merge the bytes of a token with lower ranks than its own, lowest first, leftmost first."""
    parts = [bytes([byte]) for byte in token]
    while True:
        joined = [left + right for left, right in zip(parts, parts[1:])]
        place = min(range(len(joined)), key=lambda i: ranks.get(joined[i], len(ranks)))
        if ranks.get(joined[place], len(ranks)) >= ranks[token]:
            return parts
        parts[place : place + 2] = [joined[place]]


# ---- compiled


class _Index(NamedTuple):
    """The tokens end to end, and how to find the rank of any stretch of their bytes."""

    text: NDArray[np.uint8]
    ends: Numbers
    hashes: Hashes
    """The hash of bytes i to j is hashes[j] - hashes[i] * powers[j - i], modulo 2**64."""
    powers: Hashes
    table: Numbers
    """A hash table of ranks, at most half full."""


def _index(text: NDArray[np.uint8], ends: Numbers) -> _Index:
    hashes = np.zeros(text.size + 1, dtype=np.uint64)
    powers = np.ones(text.size + 1, dtype=np.uint64)
    table = np.full(4 << (ends.size // 2).bit_length(), NONE, dtype=np.int64)
    index = _Index(text, ends, hashes, powers, table)
    _fill(index)
    return index


@compiled
def _fill(index: _Index) -> None:
    for i in range(index.text.size):
        index.hashes[i + 1] = index.hashes[i] * _FACTOR + np.uint64(index.text[i]) + np.uint64(1)
        index.powers[i + 1] = index.powers[i] * _FACTOR
    for rank in range(index.ends.size):
        index.table[_slot(index, _start(index, rank), index.ends[rank])] = rank


@compiled
def _start(index: _Index, rank: int) -> Any:
    """Return where a token starts."""
    return index.ends[rank - 1] if rank > 0 else 0


@compiled
def _slot(index: _Index, start: int, end: int) -> Any:
    """Return the slot of the token with the bytes from `start` to `end`, or the free slot where it would go."""
    text, ends, hashes, powers, table = index
    mask = table.size - 1
    mixed = hashes[end] - hashes[start] * powers[end - start]
    slot = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(mask))
    while table[slot] != NONE:
        rank = table[slot]
        first = ends[rank - 1] if rank > 0 else 0
        if ends[rank] - first == end - start:
            same = 0
            while same < end - start and text[first + same] == text[start + same]:
                same += 1
            if same == end - start:
                return slot
        slot = (slot + 1) & mask
    return slot


@compiled
def _push_below(index: _Index, limit: int, start: int, place: int, end: int, heap: Numbers, size: int) -> Any:
    """Add the pair from `place` to `end` to the heap if its rank is below the limit; return the heap's size."""
    rank = index.table[_slot(index, start + place, start + end)]
    return push(heap, size, (rank << 32) | place) if NONE < rank < limit else size


@compiled
def _note_pair(index: _Index, rank: int, pairs: Numbers) -> None:
    """Merge the bytes of a token with ranks below its own; note its pair if two parts are left.

    A heap entry holds rank and position in one number. It is stale if the parts there have another length now.
    """
    start = _start(index, rank)
    n = index.ends[rank] - start
    following = np.arange(1, n + 1)  # where the next part starts
    preceding = np.arange(-1, n - 1)
    heap = np.empty(3 * n, dtype=np.int64)  # every merge adds at most two pairs
    size, left = 0, n
    for i in range(n - 1):
        size = _push_below(index, rank, start, i, i + 2, heap, size)
    while size > 0:
        made, i = heap[0] >> 32, heap[0] & 0xFFFFFFFF
        size = pop(heap, size)
        j = following[i]
        if j in (NONE, n) or following[j] - i != index.ends[made] - _start(index, made):
            continue
        following[i] = following[j]
        following[j] = NONE
        if following[i] < n:
            preceding[following[i]] = i
        left -= 1
        for k in (preceding[i], i):
            if k != NONE and following[k] < n:
                size = _push_below(index, rank, start, k, following[following[k]], heap, size)
    if left == 2:
        middle = start + following[0]
        pairs[rank, 0] = index.table[_slot(index, start, middle)]
        pairs[rank, 1] = index.table[_slot(index, middle, start + n)]
        if min(pairs[rank, 0], pairs[rank, 1]) == NONE:
            pairs[rank] = NONE


@compiled
def _note_pairs(index: _Index, pairs: Numbers) -> None:
    for rank in range(index.ends.size):
        if index.ends[rank] - _start(index, rank) > 1:
            _note_pair(index, rank, pairs)
