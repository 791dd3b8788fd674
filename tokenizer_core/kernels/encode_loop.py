"""The compiled loops that merge by rank: pretokens for `Tokenizer.encode`, and the tokens of a list of ranks.

`encode_pretokens` merges the pairs of each pretoken, lowest rank first. `find_pairs` merges the bytes of each
token with ranks below its own, and so finds the pair that made it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.kernels.compiled import borrowing, compiled, inlined, inner

Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

BYTES = 256
"""Ids of the single bytes; merges get those that follow."""
NONE = -1
NO_RANK = 2**31 - 1
MAX_ENTRIES = 2**21
"""Of a vocabulary. Two ids and a rank below it fit into one number, so that the table of ranks is small, and most
of what encoding looks up stays in the processor's cache."""
_BITS = 21
SHORT = 200
"""Bytes. Up to this length, repeated passes over a pretoken are faster than a heap."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@compiled
def index_merges(lefts: Numbers, rights: Numbers) -> Numbers:
    """Build a hash table of ranks, at most half full: the ids of a pair, and its rank in the lowest bits."""
    size = 4
    while size < 2 * lefts.size:
        size *= 2
    table = np.full(size, NONE, dtype=np.int64)
    for rank in range(lefts.size):
        slot = slot_of(table, lefts[rank], rights[rank])
        table[slot] = (lefts[rank] << _BITS | rights[rank]) << _BITS | rank
    return table


@inlined
def slot_of(table: Numbers, left: int, right: int) -> int:
    """Return the slot of a pair in the hash table, or the free slot where it would go."""
    key = np.int64(left) << _BITS | right
    mask = len(table) - 1
    slot = (left * 0x9E3779B1 ^ right * 0x85EBCA77) & mask
    while table[slot] != NONE and table[slot] >> _BITS != key:
        slot = (slot + 1) & mask
    return slot


@inlined
def rank_of(table: Numbers, left: int, right: int) -> int:
    """Return the rank of a pair; a pair that never merges has NO_RANK."""
    entry = table[slot_of(table, np.int64(left), np.int64(right))]
    return NO_RANK if entry == NONE else entry & MAX_ENTRIES - 1


@inlined
def merge_short(ids: Ids, pair_ranks: Ids, table: Numbers) -> int:
    """Merge the ids of one pretoken in place; return how many are left."""
    best = NO_RANK
    for i in range(ids.size - 1):
        pair_ranks[i] = rank_of(table, ids[i], ids[i + 1])
        if pair_ranks[i] < best:  # numba compiles `min` for 0.2 s
            best = pair_ranks[i]
    return merge_ranked(ids, ids.size, pair_ranks, best, table)


@inlined
def merge_ranked(ids: Ids, n: int, pair_ranks: Ids, best: int, table: Numbers) -> int:
    """Merge the first `n` ids in place, the ranks of whose pairs are known; return how many are left.

    As in the definition, each pass applies the lowest rank everywhere, left to right. It also notes the ranks of
    the remaining pairs, and the lowest of them is the rank of the next pass.
    """
    while best != NO_RANK:
        read, written, next_best, was_merged = 0, 0, NO_RANK, False
        while read < n:
            merges_here = read < n - 1 and pair_ranks[read] == best
            ids[written] = BYTES + best if merges_here else ids[read]
            if written > 0:
                if merges_here or was_merged:
                    rank = rank_of(table, ids[written - 1], ids[written])
                else:
                    rank = pair_ranks[read - 1]
                pair_ranks[written - 1] = rank
                if rank < next_best:
                    next_best = rank
            was_merged = merges_here
            read += 2 if merges_here else 1
            written += 1
        n = written
        best = next_best
    return n


@borrowing
def push(heap: Numbers, size: int, entry: int) -> int:
    """Add an entry to the heap, smallest on top; return the new size."""
    child = size
    while child > 0 and entry < heap[(child - 1) // 2]:
        heap[child] = heap[(child - 1) // 2]
        child = (child - 1) // 2
    heap[child] = entry
    return size + 1


@borrowing
def pop(heap: Numbers, size: int) -> int:
    """Drop the top of the heap; return the new size."""
    size -= 1
    last = heap[size]
    parent = 0
    while True:
        child = 2 * parent + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[parent] = heap[child]
        parent = child
    heap[parent] = last
    return size


@borrowing
def push_pair(ids: Ids, following: Ids, table: Numbers, heap: Numbers, size: int, i: int) -> int:
    """Add the pair that starts at `i` to the heap if it merges; return the size of the heap."""
    if i == NONE or following[i] == NONE:
        return size
    rank = rank_of(table, ids[i], ids[following[i]])
    return size if rank == NO_RANK else push(heap, size, (rank << 32) | i)


@inner
def merge_long(ids: Ids, table: Numbers) -> int:
    """Merge as `merge_short` does, in n log n time, with a heap, for pretokens as long as a book.

    A heap entry holds rank and position in one number, so the lowest rank comes first and, among equal ranks, the
    leftmost position. An entry is stale if its token was merged away or a different token follows it now.
    """
    n = ids.size
    following = np.arange(1, n + 1).astype(np.int32)
    following[n - 1] = NONE
    preceding = np.arange(-1, n - 1).astype(np.int32)
    heap = np.empty(3 * n, dtype=np.int64)  # every merge adds at most two pairs
    size = np.int64(0)  # not 0, for which numba would compile three functions anew
    for i in range(n):
        size = push_pair(ids, following, table, heap, size, i)
    while size > 0:
        rank = heap[0] >> 32
        i = heap[0] & 0xFFFFFFFF
        size = pop(heap, size)
        j = following[i]
        if ids[i] == NONE or j == NONE or rank_of(table, ids[i], ids[j]) != rank:
            continue
        ids[i] = BYTES + rank
        ids[j] = NONE
        following[i] = following[j]
        if following[j] != NONE:
            preceding[following[j]] = i
        size = push_pair(ids, following, table, heap, size, np.int64(preceding[i]))
        size = push_pair(ids, following, table, heap, size, i)
    left = 0
    for i in range(n):
        if ids[i] != NONE:
            ids[left] = ids[i]
            left += 1
    return left


@inner
def encode_long(text: NDArray[np.uint8], start: int, end: int, table: Numbers, ids: Ids, written: int) -> int:
    """Write the ids of a long pretoken after those written; return the new number of ids."""
    own = ids[written : written + end - start]
    for i in range(own.size):
        own[i] = text[start + i]
    return written + merge_long(own, table)


@compiled
def encode_pretokens(text: NDArray[np.uint8], ends: Numbers, table: Numbers) -> tuple[Ids, Numbers]:
    """Encode the pretokens that lie end to end in `text`; return their ids, and where the ids of each one end."""
    ids = np.empty(text.size, dtype=np.int32)
    stops = np.empty(ends.size, dtype=np.int64)
    pair_ranks = np.empty(SHORT, dtype=np.int32)
    written = start = np.int64(0)  # not 0, as above
    for p in range(ends.size):
        length = ends[p] - start
        if length <= SHORT:
            for i in range(length):  # numba compiles `own[:] = text[...]` for seconds
                ids[written + i] = text[start + i]
            written += merge_short(ids[written : written + length], pair_ranks, table)
        else:
            written = encode_long(text, start, ends[p], table, ids, written)
        stops[p] = written
        start = ends[p]
    return ids[:written], stops


@compiled
def in_order(ids: Ids, stops: Numbers, places: NDArray[np.int32], text_ends: Numbers) -> tuple[Ids, Numbers]:
    """Return the ids of the pretokens at all places, end to end, and how many ids each text has.

    `text_ends` holds the number of places up to the end of each text.
    """
    counts = np.zeros(text_ends.size, dtype=np.int64)
    total = 0
    place = 0
    for t in range(text_ends.size):
        for p in places[place : text_ends[t]]:
            counts[t] += stops[p] - (stops[p - 1] if p > 0 else 0)
        total += counts[t]
        place = text_ends[t]
    out = np.empty(total, dtype=np.int32)
    written = 0
    for p in places:
        for k in range(stops[p - 1] if p > 0 else 0, stops[p]):
            out[written] = ids[k]
            written += 1
    return out, counts


# The pairs of tokens that are known by rank only


class TokenIndex(NamedTuple):
    """The tokens end to end, and how to find the rank of any stretch of their bytes."""

    text: NDArray[np.uint8]
    ends: Numbers
    hashes: Hashes
    """The hash of bytes i to j is hashes[j] - hashes[i] * powers[j - i], modulo 2**64."""
    powers: Hashes
    table: Numbers
    """A hash table of ranks, at most half full."""


@borrowing
def start_of(index: TokenIndex, rank: int) -> int:
    """Return where a token starts."""
    return index.ends[rank - 1] if rank > 0 else 0


@borrowing
def token_slot(index: TokenIndex, start: int, end: int) -> Any:
    """Return the slot of the token with the bytes from `start` to `end`, or the free slot where it would go."""
    text, ends, hashes, powers, table = index
    mask = table.size - 1
    mixed = hashes[end] - hashes[start] * powers[end - start]
    slot = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(mask))
    while table[slot] != NONE:
        first = start_of(index, table[slot])
        if ends[table[slot]] - first == end - start:
            same = 0
            while same < end - start and text[first + same] == text[start + same]:
                same += 1
            if same == end - start:
                return slot
        slot = (slot + 1) & mask
    return slot


@borrowing
def push_stretch(index: TokenIndex, limit: int, start: int, place: int, end: int, heap: Numbers, size: int) -> int:
    """Add the pair from `place` to `end` to the heap if its rank is below the limit; return the heap's size."""
    rank = index.table[token_slot(index, start + place, start + end)]
    return push(heap, size, (rank << 32) | place) if NONE < rank < limit else size


@borrowing
def find_pair(
    index: TokenIndex, rank: int, pairs: Numbers, following: Numbers, preceding: Numbers, heap: Numbers
) -> None:
    """Merge the bytes of a token with ranks below its own; note its pair if two parts are left.

    The last three arrays are scratch: where the next part starts, where the one before it does, and the heap, to
    which every merge adds at most two pairs. A heap entry is stale if the parts at its position have another
    length now.
    """
    start = start_of(index, rank)
    n = index.ends[rank] - start
    for i in range(n):
        following[i], preceding[i] = i + 1, i - 1
    size, left = 0, n
    for i in range(n - 1):
        size = push_stretch(index, rank, start, i, i + 2, heap, size)
    while size > 0:
        made, i = heap[0] >> 32, heap[0] & 0xFFFFFFFF
        size = pop(heap, size)
        j = following[i]
        if j in (NONE, n) or following[j] - i != index.ends[made] - start_of(index, made):
            continue
        following[i] = following[j]
        following[j] = NONE
        if following[i] < n:
            preceding[following[i]] = i
        left -= 1
        for k in (preceding[i], i):
            if k != NONE and following[k] < n:
                size = push_stretch(index, rank, start, k, following[following[k]], heap, size)
    if left == 2:
        middle = start + following[0]
        pairs[rank, 0] = index.table[token_slot(index, start, middle)]
        pairs[rank, 1] = index.table[token_slot(index, middle, start + n)]
        if min(pairs[rank, 0], pairs[rank, 1]) == NONE:
            pairs[rank, 0] = pairs[rank, 1] = NONE


@compiled
def find_pairs(index: TokenIndex, pairs: Numbers) -> None:
    """Index all tokens; then note the pair of each token of two or more bytes that has one."""
    for i in range(index.text.size):
        index.hashes[i + 1] = index.hashes[i] * _FACTOR + np.uint64(index.text[i]) + np.uint64(1)
        index.powers[i + 1] = index.powers[i] * _FACTOR
    longest = 0
    for rank in range(index.ends.size):
        start, end = start_of(index, rank), index.ends[rank]
        index.table[token_slot(index, start, end)] = rank
        if end - start > longest:
            longest = end - start
    following = np.empty(longest, dtype=np.int64)
    preceding = np.empty(longest, dtype=np.int64)
    heap = np.empty(3 * longest, dtype=np.int64)
    for rank in range(index.ends.size):
        if index.ends[rank] - start_of(index, rank) > 1:
            find_pair(index, rank, pairs, following, preceding, heap)
