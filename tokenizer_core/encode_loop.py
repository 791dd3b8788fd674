"""The compiled loop under `Tokenizer.encode`: merge each pretoken's pairs, lowest rank first."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Numbers = NDArray[np.int64]

BYTES = 256
NONE = -1

compiled: Any = numba.njit(cache=True, nogil=True)


@compiled
def slot_of(keys: Numbers, left: int, right: int) -> int:
    """Where the pair stands in the hash table, or the free slot where it would."""
    key = (left << 32) | right
    mask = keys.size - 1
    slot = ((left * 0x9E3779B1) ^ (right * 0x85EBCA77)) & mask
    while keys[slot] != NONE and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@compiled
def index_merges(lefts: Numbers, rights: Numbers) -> tuple[Numbers, Ids]:
    """A hash table from pairs to ranks: keys and ranks by slot, at most a quarter full."""
    size = 4
    while size < 4 * lefts.size:
        size *= 2
    keys = np.full(size, NONE, dtype=np.int64)
    ranks = np.empty(size, dtype=np.int32)
    for rank in range(lefts.size):
        slot = slot_of(keys, lefts[rank], rights[rank])
        keys[slot] = (lefts[rank] << 32) | rights[rank]
        ranks[slot] = rank
    return keys, ranks


@compiled
def push(heap: Numbers, size: int, entry: int) -> int:
    """Add an entry to the heap, smallest on top; returns its new size."""
    child = size
    while child > 0 and entry < heap[(child - 1) // 2]:
        heap[child] = heap[(child - 1) // 2]
        child = (child - 1) // 2
    heap[child] = entry
    return size + 1


@compiled
def pop(heap: Numbers, size: int) -> int:
    """Drop the top of the heap; returns its new size."""
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


@compiled
def push_pair(
    ids: Ids, following: Ids, keys: Numbers, ranks: Ids, heap: Numbers, size: int, i: int
) -> int:
    """Add the pair that starts at `i` to the heap, where it is one that merges; returns the heap's size."""
    if i == NONE or following[i] == NONE:
        return size
    slot = slot_of(keys, ids[i], ids[following[i]])
    if keys[slot] == NONE:
        return size
    return push(heap, size, (np.int64(ranks[slot]) << 32) | i)


@compiled
def encode_pretokens(
    text: NDArray[np.uint8], ends: Numbers, keys: Numbers, ranks: Ids
) -> tuple[Ids, Numbers]:
    """The ids of pretokens that lie end to end in `text`, and where each one's ids end; one piece, one walk.

    A heap entry is rank and position in one number, so that the lowest rank comes first and, among equals, the
    leftmost. An entry is stale where its token has been merged away or is followed by another one now.
    """
    n = text.size
    ids = text.astype(np.int32)
    following = np.empty(n, dtype=np.int32)
    preceding = np.empty(n, dtype=np.int32)
    heap = np.empty(3 * n + 1, dtype=np.int64)
    out = np.empty(n, dtype=np.int32)
    out_ends = np.empty(ends.size, dtype=np.int64)
    written = 0
    start = 0
    for p in range(ends.size):
        end = ends[p]
        for i in range(start, end):
            following[i] = i + 1 if i + 1 < end else NONE
            preceding[i] = i - 1 if i > start else NONE
        size = 0
        for i in range(start, end):
            size = push_pair(ids, following, keys, ranks, heap, size, i)
        while size > 0:
            rank = heap[0] >> 32
            i = heap[0] & 0xFFFFFFFF
            size = pop(heap, size)
            j = following[i]
            if ids[i] == NONE or j == NONE:
                continue
            slot = slot_of(keys, ids[i], ids[j])
            if keys[slot] == NONE or ranks[slot] != rank:
                continue
            ids[i] = BYTES + rank
            ids[j] = NONE
            following[i] = following[j]
            if following[j] != NONE:
                preceding[following[j]] = i
            size = push_pair(ids, following, keys, ranks, heap, size, preceding[i])
            size = push_pair(ids, following, keys, ranks, heap, size, i)
        for i in range(start, end):
            if ids[i] != NONE:
                out[written] = ids[i]
                written += 1
        out_ends[p] = written
        start = end
    return out[:written], out_ends
