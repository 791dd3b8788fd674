"""The compiled loop that encodes many pretokens: it takes the longest token that may follow the one before.

Two facts make it exact for any merges:
- A list of tokens is the encoding of its bytes if every two neighbors in it are the encoding of theirs: a merge
  across a border needs no more of the text than the tokens on both sides of it.
- So the bytes up to a place have one encoding, and a place where no token can end needs finding only once.

It needs a tree of all tokens, which pays only for long texts. `encode_loop`, the plain twin, encodes the others.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.kernels.compiled import compiled, inlined, inner
from tokenizer_core.kernels.encode_loop import BYTES, NO_RANK, Ids, Numbers, encode_long, rank_of

Bytes = NDArray[np.uint8]

NONE = np.int64(-1)
ROOT = np.int64(0)
LONG = 2_000
"""Bytes. A longer pretoken goes to the heap, whose time does not depend on how the tokens are made."""
# An entry in the table of children: a node, the byte after it, and in the low bits the node they lead to.
_NODE_BITS = 28
_NODE = 2**_NODE_BITS - 1
_FACTOR = 0x9E3779B97F4A7C15 - 2**64


class Tree(NamedTuple):
    """The tokens that occur in encodings, and how each is made; a node is a prefix of one or more of them."""

    children: Numbers
    """A hash table of 64-bit entries, at most half full."""
    longest: Ids
    """For each node: the longest token that its bytes begin with."""
    shorter: Ids
    """For each token: the longest other token that its bytes begin with, or NONE."""
    lengths: Ids
    """For each token: its bytes."""
    lefts: Ids
    """For each token: the first of its two parts; a byte is its own."""
    rights: Ids
    ranks: Numbers
    """The table of `encode_loop.index_merges`."""


@inlined
def child_slot(children: Numbers, node: int, byte: int) -> int:
    """Return the slot of the node that a byte leads to, or the free slot where it would go."""
    key = node << 8 | byte
    mask = len(children) - 1
    slot = key * _FACTOR >> 32 & mask
    while children[slot] != NONE and children[slot] >> _NODE_BITS != key:
        slot = slot + 1 & mask
    return slot


@inner
def twice_as_large(children: Numbers) -> Numbers:
    """Return the same table with twice the room."""
    larger = np.full(2 * children.size, NONE, dtype=np.int64)
    for entry in children:
        if entry != NONE:
            key = entry >> _NODE_BITS
            larger[child_slot(larger, key >> 8, key & 0xFF)] = entry
    return larger


@inlined
def may_follow(left: np.int64, right: np.int64, limit: np.int64, lefts: Ids, rights: Ids, ranks: Numbers) -> bool:
    """Tell whether no merge before token `limit` joins the end of the token `left` to the start of `right`.

    This undoes the merges of both, the newest first, and looks at the two tokens that then meet. They must not
    merge earlier than the merge just undone.
    """
    while True:
        rank = rank_of(ranks, left, right)
        if rank != NO_RANK and BYTES + rank < limit:
            return False
        if left < BYTES and right < BYTES:
            return True
        if left > right:
            limit = left
            left = np.int64(rights[left])
        else:
            limit = right + 1  # where a pair overlaps itself, as in aaa, the left one merges first
            right = np.int64(lefts[right])


@compiled
def grow_tree(text: Bytes, ends: Numbers, lefts: Ids, rights: Ids, ranks: Numbers) -> Tree:
    """Return the tree of tokens whose bytes lie end to end, without those that occur in no encoding."""
    children = np.full(1024, NONE, dtype=np.int64)
    longest = np.full(text.size + 1, NONE, dtype=np.int32)
    above = np.zeros(text.size + 1, dtype=np.int32)
    lengths = np.zeros(ends.size, dtype=np.int32)
    shorter = np.full(ends.size, NONE, dtype=np.int32)
    occurs = np.zeros(ends.size, dtype=np.bool_)
    nodes = 1
    for token in range(ends.size):
        start = ends[token - 1] if token > 0 else 0
        lengths[token] = ends[token] - start
        left, right = np.int64(lefts[token]), np.int64(rights[token])
        occurs[token] = token < BYTES or (
            occurs[left] and occurs[right] and may_follow(left, right, token, lefts, rights, ranks)
        )
        if not occurs[token]:
            continue
        node = ROOT
        for i in range(start, ends[token]):
            slot = child_slot(children, node, np.int64(text[i]))
            if children[slot] == NONE:
                children[slot] = (node << 8 | text[i]) << _NODE_BITS | nodes
                above[nodes] = node
                nodes += 1
            node = children[slot] & _NODE
            if 2 * nodes > children.size:
                children = twice_as_large(children)
        longest[node] = token
    for beginning in range(1, nodes):  # the node above it came earlier
        token = longest[beginning]
        if token == NONE:
            longest[beginning] = longest[above[beginning]]
        else:
            shorter[token] = longest[above[beginning]]
    return Tree(children, longest, shorter, lengths, lefts, rights, ranks)


@inlined
def longest_token(text: Bytes, i: int, end: int, children: Numbers, longest: Ids) -> np.int64:
    """Return the longest token at `i`."""
    node = ROOT
    while i < end:
        slot = child_slot(children, node, np.int64(text[i]))
        if children[slot] == NONE:
            break
        node = children[slot] & _NODE
        i += 1
    return np.int64(longest[node])


@inlined
def encode_one(
    text: Bytes, start: int, end: int, tree: Tree, is_dead: NDArray[np.bool_], ids: Ids, first: int
) -> int:
    """Write the ids of the pretoken from `start` to `end` into `ids`, from `first` on; return where they end."""
    children, longest, shorter, lengths, lefts, rights, ranks = tree
    for n in range(end - start + 1):
        is_dead[n] = False  # a place, counted from the start, where no token of the encoding ends
    written = first
    i = start
    token = longest_token(text, i, end, children, longest)
    while True:
        after = i + lengths[token]
        if not is_dead[after - start] and (
            written == first or may_follow(np.int64(ids[written - 1]), token, NO_RANK, lefts, rights, ranks)
        ):
            ids[written] = token
            written += 1
            i = after
            if i == end:
                return written
            token = longest_token(text, i, end, children, longest)
        elif shorter[token] != NONE:
            token = np.int64(shorter[token])
        else:  # nothing can follow: the token before must be a shorter one
            is_dead[i - start] = True
            written -= 1
            token = np.int64(ids[written])
            i -= lengths[token]


@compiled
def encode_pretokens(text: Bytes, ends: Numbers, tree: Tree) -> tuple[Ids, Numbers]:
    """Encode as `encode_loop.encode_pretokens` does: two to three times as fast for long pretokens."""
    ids = np.empty(text.size, dtype=np.int32)
    stops = np.empty(ends.size, dtype=np.int64)
    is_dead = np.empty(LONG + 1, dtype=np.bool_)
    written = start = np.int64(0)  # not 0, for which numba would compile two functions anew
    for p in range(ends.size):
        if ends[p] - start <= LONG:
            written = encode_one(text, start, ends[p], tree, is_dead, ids, written)
        else:
            written = encode_long(text, start, ends[p], tree.ranks, ids, written)
        stops[p] = written
        start = ends[p]
    return ids[:written], stops
