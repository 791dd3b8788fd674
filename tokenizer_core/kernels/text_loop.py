"""The compiled loop that encodes whole texts: it cuts pretokens, and writes their ids at once.

Most pretokens of a text came before, so two tables remember their ids: one holds short pretokens and few ids in
its slots, the other longer ones in arrays beside it. `longest_loop` encodes what is new. The plain twin counts
distinct pretokens and encodes each: `count_loop` and `encode_loop`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.kernels.compiled import borrowing, compiled, inlined
from tokenizer_core.kernels.cut_loop import WORD, cut, number_at, put_word, word_at
from tokenizer_core.kernels.encode_loop import Ids, Numbers, encode_long
from tokenizer_core.kernels.longest_loop import LONG, MEMO, Bytes, Tree, encode_one

SLOTS = 2**17
"""Pretokens to remember; English text of 2 MB has 18,000 different ones."""
INLINE = 4
"""The most ids that a slot holds; a short pretoken with more is remembered among the longer ones."""
LONGER_SLOTS = 2**17
LONGER_TEXT, LONGER_IDS = 2**22, 2**19
"""Bytes and ids of longer pretokens to remember; Thai text of 2 MB has 1.8 MB of different ones."""
# A slot, half a line of the processor's cache: the first eight bytes of a pretoken; the other seven, and in the
# highest byte its length, which is never 0; its ids, in pairs, with their number in the free bits of the first.
_WORDS = 4
_SHORT = 15
_PAIR = 2 * _WORDS
_ID_BITS = 28
_ID = 2**_ID_BITS - 1
_MANY = 7  # instead of their number: too many for the slot
# A slot of a longer pretoken: the hash of its bytes; where they are remembered, and their number; the same of ids.
_TEXT_USED, _IDS_USED = 0, 1
_LENGTH_BITS = 12
_LENGTH = 2**_LENGTH_BITS - 1
_FACTOR = 0x9E3779B97F4A7C15 - 2**64
_AT_ONCE = 1024
_SHIFTS = (40, 20)  # the bits of a hash that tell the two places of a short pretoken
_UP_TO = [(1 << 8 * size) - 1 for size in range(WORD)]
_FIRST = np.array(_UP_TO + [-1] * WORD, dtype=np.int64)
_OTHERS = np.array([0] * WORD + _UP_TO, dtype=np.int64)


class Memory(NamedTuple):
    """What encoding remembers; two threads must not share it."""

    slots: Numbers
    longer: Numbers
    """The slots of pretokens that are longer than a slot."""
    longer_text: Bytes
    longer_ids: Ids
    used: Numbers
    """How many bytes and ids of them are remembered."""
    pairs: Numbers
    """Which tokens may be neighbors: `longest_loop.may_stand`."""


def empty_memory() -> Memory:
    """Return a memory of 15 MB, of which only what is used takes room."""
    slots = np.zeros(_WORDS * SLOTS + _PAIR, dtype=np.int64)
    skipped = -slots.ctypes.data // slots.itemsize % _PAIR  # two slots begin with a line of the cache
    return Memory(
        slots[skipped : skipped + _WORDS * SLOTS],
        longer=np.zeros(_WORDS * LONGER_SLOTS, dtype=np.int64),
        longer_text=np.zeros(LONGER_TEXT, dtype=np.uint8),
        longer_ids=np.zeros(LONGER_IDS, dtype=np.int32),
        used=np.zeros(2, dtype=np.int64),
        pairs=np.zeros(MEMO, dtype=np.int64),
    )


@inlined
def two_ids(ids: Ids, place: int) -> int:
    """Return the two ids from a place on as one number; what is not written yet may be anything."""
    return (np.int64(ids[place]) & _ID) | (np.int64(ids[place + 1]) & _ID) << 32


@inlined
def slot_of(slots: Numbers, first: int, others: int, hashed: int) -> int:
    """Return the slot with this pretoken; -1 if none has it. Two are side by side, and two elsewhere."""
    for shift in _SHIFTS:
        slot = (hashed >> shift & len(slots) // _PAIR - 1) * _PAIR
        if number_at(slots, slot) == first and number_at(slots, slot + 1) == others:
            return slot
        slot += _WORDS
        if number_at(slots, slot) == first and number_at(slots, slot + 1) == others:
            return slot
    return -1


@inlined
def new_slot(slots: Numbers, hashed: int) -> int:
    """Return the slot for a new pretoken: a free one, or the first, and what was there moves beside it."""
    for shift in _SHIFTS:
        slot = (hashed >> shift & len(slots) // _PAIR - 1) * _PAIR
        if not slots[slot + 1]:
            return slot
        if not slots[slot + _WORDS + 1]:
            return slot + _WORDS
    slot = (hashed >> _SHIFTS[0] & len(slots) // _PAIR - 1) * _PAIR
    for k in range(_WORDS):
        slots[slot + _WORDS + k] = slots[slot + k]
    return slot


@borrowing
def encode_unknown(
    text: Bytes,
    start: int,
    end: int,
    children: Numbers,
    shorter: Ids,
    lengths: Ids,
    lefts: Ids,
    rights: Ids,
    ranks: Numbers,
    pairs: Numbers,
    is_dead: NDArray[np.bool_],
    ids: Ids,
    written: int,
) -> int:
    """Call `encode_one`, and do not inline it: then the loop over known pretokens has the registers for itself."""
    tree = Tree(children, shorter, lengths, lefts, rights, ranks)
    return encode_one(text, start, end, tree, pairs, is_dead, ids, written)


@inlined
def hash_of(text: Bytes, start: int, end: int) -> np.int64:
    """Return a hash of the bytes of a pretoken, of which there are at least eight."""
    hashed = np.int64(end - start)
    for i in range(start, end - WORD, WORD):
        hashed = (hashed ^ word_at(text, i)) * _FACTOR
        hashed ^= hashed >> 32
    hashed = (hashed ^ word_at(text, end - WORD)) * _FACTOR
    return hashed ^ hashed >> 32


@inlined
def is_same(text: Bytes, start: int, length: int, other: Bytes, place: int) -> bool:
    """Tell whether the bytes at two places are the same, of which there are at least eight."""
    for k in range(0, length - WORD, WORD):
        if word_at(text, start + k) != word_at(other, place + k):
            return False
    return word_at(text, start + length - WORD) == word_at(other, place + length - WORD)


@inlined
def remember(
    text: Bytes,
    start: int,
    length: int,
    hashed: int,
    slot: int,
    longer: Numbers,
    longer_text: Bytes,
    longer_ids: Ids,
    used: Numbers,
    found: Ids,
) -> None:
    """Remember the ids found of a longer pretoken in this slot, and what was there in the second.

    When there is no room for bytes or ids, all are forgotten.
    """
    if used[_TEXT_USED] + length > len(longer_text) or used[_IDS_USED] + len(found) > len(longer_ids):
        for k in range(len(longer)):
            longer[k] = 0
        used[_TEXT_USED] = used[_IDS_USED] = 0
    for k in range(_WORDS):
        longer[slot + _WORDS + k] = longer[slot + k]
    for k in range(length):
        longer_text[used[_TEXT_USED] + k] = text[start + k]
    for k in range(len(found)):
        longer_ids[used[_IDS_USED] + k] = found[k]
    longer[slot] = hashed
    longer[slot + 1] = used[_TEXT_USED] << _LENGTH_BITS | length
    longer[slot + 2] = used[_IDS_USED] << _LENGTH_BITS | len(found)
    used[_TEXT_USED] += length
    used[_IDS_USED] += len(found)


@borrowing
def encode_longer(
    text: Bytes,
    start: int,
    end: int,
    children: Numbers,
    shorter: Ids,
    lengths: Ids,
    lefts: Ids,
    rights: Ids,
    ranks: Numbers,
    longer: Numbers,
    longer_text: Bytes,
    longer_ids: Ids,
    used: Numbers,
    pairs: Numbers,
    is_dead: NDArray[np.bool_],
    ids: Ids,
    written: int,
) -> int:
    """Write the ids of a pretoken that is too long for a slot: the ones remembered, or else those found now.

    It has two possible slots, as a short one.
    """
    length = end - start
    hashed = hash_of(text, start, end) | 1  # not 0, which stands in a free slot
    first = (hashed >> 20 & len(longer) // _PAIR - 1) * _PAIR
    for slot in (first, first + _WORDS):
        known, found = longer[slot + 1], longer[slot + 2]
        if (
            longer[slot] == hashed
            and known & _LENGTH == length
            and is_same(text, start, length, longer_text, known >> _LENGTH_BITS)
        ):
            for k in range(found & _LENGTH):
                ids[written + k] = longer_ids[(found >> _LENGTH_BITS) + k]
            return written + (found & _LENGTH)
    tree = Tree(children, shorter, lengths, lefts, rights, ranks)
    after = encode_one(text, start, end, tree, pairs, is_dead, ids, written)
    remember(text, start, length, hashed, first, longer, longer_text, longer_ids, used, ids[written:after])
    return after


@borrowing
def encode_until_long(
    text: Bytes,
    start: int,
    stops: Numbers,
    children: Numbers,
    shorter: Ids,
    lengths: Ids,
    lefts: Ids,
    rights: Ids,
    ranks: Numbers,
    slots: Numbers,
    longer: Numbers,
    longer_text: Bytes,
    longer_ids: Ids,
    used: Numbers,
    pairs: Numbers,
    is_dead: NDArray[np.bool_],
    ids: Ids,
    written: int,
) -> tuple[int, int]:
    """Write the ids of pretokens up to one that is too long; return how many pretokens, and where the ids end.

    A short pretoken has four possible slots: `slot_of`. The arrays stand one by one, because numba would count the
    references to each array of a tuple in the innermost loop.
    """
    for n in range(stops.size):
        stop = stops[n]
        length = stop - start
        if length > _SHORT:
            if length > LONG:
                return n, written
            written = encode_longer(
                *(text, start, stop, children, shorter, lengths, lefts, rights, ranks),
                *(longer, longer_text, longer_ids, used, pairs, is_dead, ids, written),
            )
            start = stop
            continue
        if start + 2 * WORD > text.size:
            written = encode_unknown(
                text, start, stop, children, shorter, lengths, lefts, rights, ranks, pairs, is_dead, ids, written
            )
            start = stop
            continue
        first = word_at(text, start) & number_at(_FIRST, length)
        others = word_at(text, start + WORD) & number_at(_OTHERS, length) | length << 56
        hashed = (first ^ others * _FACTOR) * _FACTOR
        slot = slot_of(slots, first, others, hashed)
        if slot < 0:
            end = encode_unknown(
                text, start, stop, children, shorter, lengths, lefts, rights, ranks, pairs, is_dead, ids, written
            )
            many = end - written > INLINE
            if not many or length >= WORD:
                slot = new_slot(slots, hashed)
                slots[slot] = first
                slots[slot + 1] = others
                slots[slot + 2] = two_ids(ids, written) | (_MANY if many else end - written) << _ID_BITS
                slots[slot + 3] = two_ids(ids, written + 2)
            written = end
        else:
            two = number_at(slots, slot + 2)
            number = two >> _ID_BITS & _MANY
            if number == _MANY:
                written = encode_longer(
                    *(text, start, stop, children, shorter, lengths, lefts, rights, ranks),
                    *(longer, longer_text, longer_ids, used, pairs, is_dead, ids, written),
                )
            else:
                put_word(ids, written, two & ~(_MANY << _ID_BITS))
                put_word(ids, written + 2, number_at(slots, slot + 3))
                written += number
        start = stop
    return stops.size, written


@compiled
def encode_texts(
    text: Bytes, edges: Numbers, kinds: Bytes, pattern: int, tree: Tree, memory: Memory
) -> tuple[Ids, Numbers]:
    """Encode texts that lie end to end, from one edge to the next; return their ids, and how many each has."""
    ids = np.empty(text.size + INLINE, dtype=np.int32)
    counts = np.empty(edges.size - 1, dtype=np.int64)
    stops = np.empty(_AT_ONCE, dtype=np.int64)
    is_dead = np.empty(LONG + 1, dtype=np.bool_)
    children, shorter, lengths, lefts, rights, ranks = tree
    slots, longer, longer_text, longer_ids, used, pairs = memory
    written = np.int64(0)
    for n in range(edges.size - 1):
        i, end = edges[n], edges[n + 1]
        before = written
        while i < end:
            found = cut(text, i, end, kinds, pattern, stops)
            done = 0
            while done < found:
                more, written = encode_until_long(
                    *(text, i, stops[done:found], children, shorter, lengths, lefts, rights, ranks),
                    *(slots, longer, longer_text, longer_ids, used, pairs, is_dead, ids, written),
                )
                done += more
                if done < found:
                    i = stops[done - 1] if done > 0 else i
                    written = encode_long(text, i, stops[done], ranks, ids, written)
                    i = stops[done]
                    done += 1
            i = stops[found - 1]
        counts[n] = written - before
    return ids[:written], counts
