"""The compiled loop that encodes pretokens one by one: it takes the longest token that may follow the one before.

Two facts make it exact for any merges:
- A list of tokens is the encoding of its bytes if every two neighbors in it are the encoding of theirs: a merge
  across a border needs no more of the text than the tokens on both sides of it.
- So the bytes up to a place have one encoding, and a place where no token can end needs finding only once.

It needs a tree of all tokens, which pays only for long texts. `encode_loop`, the plain twin, encodes the others.
`text_loop` calls it for the pretokens of whole texts.
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
# Two numbers for each child of a node: the node and the symbol that leads to the child; and the longest token that
# the child begins with, whether tokens end inside the symbol after it, and the child itself.
_NODE = 2**28 - 1
_ENDS_INSIDE = 2**28
_FACTOR = 0x9E3779B97F4A7C15 - 2**64
MEMO = 2**16
"""Pairs of tokens to remember; eight bytes each, and few enough for the processor's cache."""


class Tree(NamedTuple):
    """The tokens that occur in encodings, and how each is made; a node is a prefix of one or more of them.

    Its steps are characters of UTF-8: one row is read for a Thai character, not three. A token may end inside a
    character; there, the steps are bytes.
    """

    children: Numbers
    """A hash table of pairs of numbers, at most half full. Children of a node lie near each other."""
    shorter: Ids
    """For each token: the longest other token that its bytes begin with, or NONE."""
    lengths: Ids
    """For each token: its bytes; 0 if it occurs in no encoding."""
    lefts: Ids
    """For each token: the first of its two parts; a byte is its own."""
    rights: Ids
    ranks: Numbers
    """The table of `encode_loop.index_merges`."""
    ascii_ranks: Ids
    """The rank of each pair of ASCII characters, or NO_RANK; in it, a look takes no search."""


@inlined
def ascii_pair(left: int, right: int) -> int:
    """Return where the rank of a pair of ASCII characters is."""
    return left << 7 | right


@inlined
def symbol_size(lead: int) -> int:
    """Return how many bytes a character has that begins with this byte; one inside a character is alone."""
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


@inlined
def symbol_at(text: Bytes, i: int, size: int) -> np.int64:
    """Return the bytes of a character as one number; the first byte tells the size, so no two are the same."""
    symbol = np.int64(text[i])
    for k in range(1, size):
        symbol = symbol << 8 | text[i + k]
    return symbol


@inlined
def child_slot(children: Numbers, node: int, symbol: int) -> int:
    """Return the slot of the node that a symbol leads to, or the free slot where it would go."""
    key = node << 32 | symbol
    mask = len(children) // 2 - 1
    slot = (node * _FACTOR >> 32) + symbol & mask
    while children[2 * slot] != NONE and children[2 * slot] != key:
        slot = slot + 1 & mask
    return 2 * slot


@inner
def twice_as_large(children: Numbers) -> Numbers:
    """Return the same table with twice the room."""
    larger = np.full(2 * len(children), NONE, dtype=np.int64)
    for row in range(0, len(children), 2):
        key = children[row]
        if key != NONE:
            slot = child_slot(larger, key >> 32, key & 0xFFFFFFFF)
            larger[slot] = key
            larger[slot + 1] = children[row + 1]
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


@inlined
def may_stand(left: np.int64, right: np.int64, lefts: Ids, rights: Ids, ranks: Numbers, memo: Numbers) -> bool:
    """Tell whether two tokens may be neighbors in an encoding; remember the answer in place of an older one."""
    pair = (left << 28 | right) + 1  # not 0, which stands in a free slot
    slot = pair * _FACTOR >> 32 & len(memo) - 1
    if memo[slot] >> 1 != pair:
        memo[slot] = pair << 1 | may_follow(left, right, NO_RANK, lefts, rights, ranks)
    return memo[slot] & 1 == 1


@inner
def longest_before(children: Numbers, node: int, symbol: int, longest: Numbers, own: Ids) -> int:
    """Return the longest token that ends at a node or inside the symbol after it."""
    best = longest[node]
    shift = 24
    while shift > 0 and symbol >> shift == 0:
        shift -= 8
    while shift > 0:
        slot = child_slot(children, node, symbol >> shift & 0xFF)
        if children[slot] == NONE:
            break
        node = children[slot + 1]
        if own[node] != NONE:
            best = np.int64(own[node])
        shift -= 8
    return best


@inner
def ranks_of_ascii(lefts: Ids, rights: Ids) -> Ids:
    """Return the rank of each pair of ASCII characters, or NO_RANK."""
    found = np.full(ascii_pair(128, 0), NO_RANK, dtype=np.int32)
    for token in range(BYTES, lefts.size):
        if lefts[token] < 128 and rights[token] < 128:
            found[ascii_pair(lefts[token], rights[token])] = token - BYTES
    return found


@compiled
def grow_tree(text: Bytes, ends: Numbers, lefts: Ids, rights: Ids, ranks: Numbers) -> Tree:
    """Return the tree of tokens whose bytes lie end to end, without those that occur in no encoding."""
    children = np.full(2048, NONE, dtype=np.int64)
    own = np.full(text.size + 1, NONE, dtype=np.int32)  # the token that ends at a node
    lengths = np.zeros(ends.size, dtype=np.int32)
    shorter = np.full(ends.size, NONE, dtype=np.int32)
    occurs = np.zeros(ends.size, dtype=np.bool_)
    above = np.zeros(text.size + 1, dtype=np.int32)
    symbols = np.zeros(text.size + 1, dtype=np.int64)
    ends_inside = np.zeros(text.size + 1, dtype=np.bool_)
    nodes = 1
    for token in range(ends.size):
        i = ends[token - 1] if token > 0 else np.int64(0)
        left, right = np.int64(lefts[token]), np.int64(rights[token])
        occurs[token] = token < BYTES or (
            occurs[left] and occurs[right] and may_follow(left, right, token, lefts, rights, ranks)
        )
        if not occurs[token]:
            continue
        lengths[token] = ends[token] - i
        node = ROOT
        inside = False
        while i < ends[token]:
            size = symbol_size(text[i])
            if inside or i + size > ends[token]:
                inside = ends_inside[node] = True
                size = 1
            symbol = symbol_at(text, i, size)
            slot = child_slot(children, node, symbol)
            if children[slot] == NONE:
                children[slot] = node << 32 | symbol
                children[slot + 1] = nodes
                above[nodes] = node
                symbols[nodes] = symbol
                nodes += 1
            node = children[slot + 1]
            i += size
            if 4 * nodes > len(children):
                children = twice_as_large(children)
        own[node] = token
    longest = np.full(nodes, NONE, dtype=np.int64)
    for beginning in range(1, nodes):  # the node above it came earlier
        best = longest_before(children, np.int64(above[beginning]), symbols[beginning], longest, own)
        token = own[beginning]
        longest[beginning] = best if token == NONE else token
        if token != NONE:
            shorter[token] = best
    for slot in range(0, len(children), 2):
        if children[slot] != NONE:
            node = children[slot + 1]
            children[slot + 1] = longest[node] << 32 | (_ENDS_INSIDE if ends_inside[node] else 0) | node
    return Tree(children, shorter, lengths, lefts, rights, ranks, ranks_of_ascii(lefts, rights))


@inlined
def longest_token(text: Bytes, i: int, end: int, children: Numbers) -> np.int64:
    """Return the longest token at `i`."""
    node = ROOT
    value = np.int64(_ENDS_INSIDE)
    size = 1
    while i < end:
        size = symbol_size(text[i])
        if i + size > end:
            break
        slot = child_slot(children, node, symbol_at(text, i, size))
        if children[slot] == NONE:
            break
        value = children[slot + 1]
        node = value & _NODE
        i += size
    if value & _ENDS_INSIDE:
        last = i + size - 1
        while i < end and i < last:
            slot = child_slot(children, node, np.int64(text[i]))
            if children[slot] == NONE:
                break
            value = children[slot + 1]
            node = value & _NODE
            i += 1
    return value >> 32


@inlined
def encode_one(
    text: Bytes, start: int, end: int, tree: Tree, memo: Numbers, is_dead: NDArray[np.bool_], ids: Ids, first: int
) -> int:
    """Write the ids of the pretoken from `start` to `end` into `ids`, from `first` on; return where they end."""
    children, shorter, lengths, lefts, rights, ranks, _ = tree
    some_dead = False
    written = first
    i = start
    token = longest_token(text, i, end, children)
    while True:
        after = i + lengths[token]
        if not (some_dead and is_dead[after - start]) and (
            written == first or may_stand(np.int64(ids[written - 1]), token, lefts, rights, ranks, memo)
        ):
            ids[written] = token
            written += 1
            i = after
            if i == end:
                return written
            token = longest_token(text, i, end, children)
        elif shorter[token] != NONE:
            token = np.int64(shorter[token])
        else:  # nothing can follow: the token before must be a shorter one
            if not some_dead:
                some_dead = True
                for n in range(end - start + 1):
                    is_dead[n] = False  # a place, counted from the start, where no token of the encoding ends
            is_dead[i - start] = True
            written -= 1
            token = np.int64(ids[written])
            i -= lengths[token]


@compiled
def encode_pretokens(text: Bytes, ends: Numbers, tree: Tree, memo: Numbers) -> tuple[Ids, Numbers]:
    """Encode as `encode_loop.encode_pretokens` does: two to three times as fast for long pretokens."""
    ids = np.empty(text.size, dtype=np.int32)
    stops = np.empty(ends.size, dtype=np.int64)
    is_dead = np.empty(LONG + 1, dtype=np.bool_)
    written = start = np.int64(0)  # not 0, for which numba would compile two functions anew
    for p in range(ends.size):
        if ends[p] - start <= LONG:
            written = encode_one(text, start, ends[p], tree, memo, is_dead, ids, written)
        else:
            written = encode_long(text, start, ends[p], tree.ranks, ids, written)
        stops[p] = written
        start = ends[p]
    return ids[:written], stops
