"""The compiled loops that encode whole texts: they cut pretokens, look up the ids of each, and write them.

Most pretokens of a text came before, so two tables remember their ids: one holds short pretokens and few ids in
its slots, the other longer ones in arrays beside it. A batch of pretokens is looked up; then what is new is found
among the tokens, or else `longest_loop` encodes it; then the ids of all are written. So the loops that see every
pretoken are small and call nothing. The plain twin counts distinct pretokens and encodes each: `count_loop` and
`encode_loop`.
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
# highest byte its length, which is never 0; its ids, in pairs, with their number in the free bits of the first. Of
# too many ids, the second pair says where they are remembered, and their number.
_WORDS = 4
_SHORT = 15
_PAIR = 2 * _WORDS
_ID_BITS = 28
_ID = 2**_ID_BITS - 1
_UNKNOWN, _ELSEWHERE = 0, 7  # instead of their number: not remembered; too many for the slot
# A slot of a longer pretoken: the hash of its bytes; where they are remembered, and their number; the same of ids.
_TEXT_USED, _IDS_USED, _IS_FULL = 0, 1, 2
_LENGTH_BITS = 12
_LENGTH = 2**_LENGTH_BITS - 1
_FACTOR = 0x9E3779B97F4A7C15 - 2**64
_AT_ONCE = 512
_SHIFTS = (40, 20)  # the bits of a hash that tell the two places of a short pretoken
_UP_TO = [(1 << 8 * size) - 1 for size in range(WORD)]
_FIRST = np.array(_UP_TO + [-1] * WORD, dtype=np.int64)
_OTHERS = np.array([0] * WORD + _UP_TO, dtype=np.int64)


class Memory(NamedTuple):
    """What encoding remembers; two threads must not share it."""

    tokens: Numbers
    """The slots of short tokens, which are never changed."""
    slots: Numbers
    longer: Numbers
    """The slots of pretokens that are longer than a slot."""
    longer_text: Bytes
    longer_ids: Ids
    used: Numbers
    """How many bytes and ids of them are remembered, and whether there is no room for more."""
    pairs: Numbers
    """Which tokens may be neighbors: `longest_loop.may_stand`."""


NO_TOKENS: Numbers = np.zeros(_PAIR, dtype=np.int64)


def empty_memory(tokens: Numbers = NO_TOKENS) -> Memory:
    """Return a memory of 15 MB, of which only what is used takes room."""
    slots = np.zeros(_WORDS * SLOTS + _PAIR, dtype=np.int64)
    skipped = -slots.ctypes.data // slots.itemsize % _PAIR  # two slots begin with a line of the cache
    return Memory(
        tokens,
        slots[skipped : skipped + _WORDS * SLOTS],
        longer=np.zeros(_WORDS * LONGER_SLOTS, dtype=np.int64),
        longer_text=np.zeros(LONGER_TEXT, dtype=np.uint8),
        longer_ids=np.zeros(LONGER_IDS, dtype=np.int32),
        used=np.zeros(3, dtype=np.int64),
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


@compiled
def slots_of_tokens(text: Bytes, ends: Numbers, lengths: Ids) -> Numbers:
    """Return slots with the short tokens, whose bytes lie end to end; a pretoken with the bytes of one has its id.

    The earliest ones, which are the most frequent, come last, so that no other takes their place.
    """
    size = _PAIR
    while size < 2 * _WORDS * ends.size:
        size *= 2
    slots = np.zeros(size, dtype=np.int64)
    for n in range(ends.size):
        token = ends.size - 1 - n
        start = ends[token - 1] if token > 0 else np.int64(0)
        length = np.int64(lengths[token])
        if 0 < length <= _SHORT and start + 2 * WORD <= text.size:
            first = word_at(text, start) & number_at(_FIRST, length)
            others = word_at(text, start + WORD) & number_at(_OTHERS, length) | length << 56
            slot = new_slot(slots, (first ^ others * _FACTOR) * _FACTOR)
            slots[slot], slots[slot + 1], slots[slot + 2] = first, others, token | 1 << _ID_BITS
    return slots


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
def longer_slot(text: Bytes, start: int, length: int, hashed: int, longer: Numbers, longer_text: Bytes) -> int:
    """Return the slot with this longer pretoken; -1 if neither of its two slots has it."""
    first = (hashed >> 20 & len(longer) // _PAIR - 1) * _PAIR
    for slot in (first, first + _WORDS):
        if number_at(longer, slot) == hashed:
            known = number_at(longer, slot + 1)
            if known & _LENGTH == length and is_same(text, start, length, longer_text, known >> _LENGTH_BITS):
                return slot
    return -1


@inlined
def put_ids(ids: Ids, number: int, longer_ids: Ids, used: Numbers) -> int:
    """Remember ids that a slot does not hold, for which there is room; return where they are, and their number."""
    place = used[_IDS_USED]
    for k in range(number):
        longer_ids[place + k] = ids[k]
    used[_IDS_USED] += number
    return place << _LENGTH_BITS | number


@inlined
def put_longer(
    text: Bytes,
    begin: int,
    length: int,
    hashed: int,
    ids: int,
    longer: Numbers,
    longer_text: Bytes,
    used: Numbers,
) -> None:
    """Remember a longer pretoken, for which there is room, in the first of its two slots, with its `put_ids`."""
    place = used[_TEXT_USED]
    for k in range(length):
        longer_text[place + k] = text[begin + k]
    used[_TEXT_USED] += length
    slot = (hashed >> 20 & len(longer) // _PAIR - 1) * _PAIR
    for k in range(_WORDS):  # what was there moves beside it
        longer[slot + _WORDS + k] = longer[slot + k]
    longer[slot], longer[slot + 1], longer[slot + 2] = hashed, place << _LENGTH_BITS | length, ids


@borrowing
def look_up(
    text: Bytes,
    start: int,
    stops: Numbers,
    slots: Numbers,
    longer: Numbers,
    longer_text: Bytes,
    firsts: Numbers,
    lasts: Numbers,
    unknown: Numbers,
) -> int:
    """Note the ids of each pretoken as a slot has them; note which are unknown, and return how many."""
    count = 0
    for n in range(stops.size):
        stop = stops[n]
        length = stop - start
        found = np.int64(_UNKNOWN)
        if length > _SHORT:
            if length <= LONG:
                slot = longer_slot(text, start, length, hash_of(text, start, stop) | 1, longer, longer_text)
                if slot >= 0:
                    found = np.int64(_ELSEWHERE) << _ID_BITS
                    lasts[n] = number_at(longer, slot + 2)
        elif start + 2 * WORD <= text.size:
            first = word_at(text, start) & number_at(_FIRST, length)
            others = word_at(text, start + WORD) & number_at(_OTHERS, length) | length << 56
            slot = slot_of(slots, first, others, (first ^ others * _FACTOR) * _FACTOR)
            if slot >= 0:
                found = number_at(slots, slot + 2)
                lasts[n] = number_at(slots, slot + 3)
        firsts[n] = found
        if not found:
            unknown[count] = n
            count += 1
        start = stop
    return count


@borrowing
def learn(
    text: Bytes,
    start: int,
    stops: Numbers,
    children: Numbers,
    shorter: Ids,
    lengths: Ids,
    lefts: Ids,
    rights: Ids,
    ranks: Numbers,
    tokens: Numbers,
    slots: Numbers,
    longer: Numbers,
    longer_text: Bytes,
    longer_ids: Ids,
    used: Numbers,
    pairs: Numbers,
    is_dead: NDArray[np.bool_],
    firsts: Numbers,
    lasts: Numbers,
    unknown: Numbers,
    ids: Ids,
) -> None:
    """Encode the unknown pretokens, remember each, and note its ids as its slot has them.

    Those stay unknown that are too long, lie at the very end of the text, or find no room. `ids` is scratch. The
    arrays stand one by one, because numba would count the references to each array of a tuple in the loop.
    """
    tree = Tree(children, shorter, lengths, lefts, rights, ranks)
    for n in unknown:
        begin = stops[n - 1] if n > 0 else np.int64(start)
        length = stops[n] - begin
        if length > LONG or begin + 2 * WORD > text.size:
            continue
        first = others = np.int64(0)
        whole = np.int64(-1)
        if length <= _SHORT:
            first = word_at(text, begin) & number_at(_FIRST, length)
            others = word_at(text, begin + WORD) & number_at(_OTHERS, length) | length << 56
            hashed = (first ^ others * _FACTOR) * _FACTOR
            slot = slot_of(slots, first, others, hashed)
            if slot >= 0:  # the same came a moment ago
                firsts[n] = slots[slot + 2]
                lasts[n] = slots[slot + 3]
                continue
            whole = np.int64(slot_of(tokens, first, others, hashed))
        else:
            hashed = hash_of(text, begin, stops[n]) | 1  # not 0, which stands in a free slot
            slot = longer_slot(text, begin, length, hashed, longer, longer_text)
            if slot >= 0:
                firsts[n] = np.int64(_ELSEWHERE) << _ID_BITS
                lasts[n] = longer[slot + 2]
                continue
        if whole >= 0:
            number = np.int64(1)
            ids[0] = tokens[whole + 2] & _ID
        else:
            number = encode_one(text, begin, stops[n], tree, pairs, is_dead, ids, np.int64(0))
        found, more = two_ids(ids, 0) | number << _ID_BITS, two_ids(ids, 2)
        if length > _SHORT or number > INLINE:
            if used[_TEXT_USED] + length > len(longer_text) or used[_IDS_USED] + number > len(longer_ids):
                used[_IS_FULL] = 1
                continue
            found, more = np.int64(_ELSEWHERE) << _ID_BITS, put_ids(ids, number, longer_ids, used)
        if length <= _SHORT:
            slot = new_slot(slots, hashed)
            slots[slot], slots[slot + 1], slots[slot + 2], slots[slot + 3] = first, others, found, more
        else:
            put_longer(text, begin, length, hashed, more, longer, longer_text, used)
        firsts[n], lasts[n] = found, more


@borrowing
def write(
    firsts: Numbers, lasts: Numbers, done: int, found: int, longer_ids: Ids, ids: Ids, written: int
) -> tuple[int, int]:
    """Write the ids of pretokens up to one that is unknown; return which one, and where the ids end."""
    for n in range(done, found):
        first = number_at(firsts, n)
        last = number_at(lasts, n)
        number = first >> _ID_BITS & 7
        if number == _UNKNOWN:
            return n, written
        if number == _ELSEWHERE:
            place = last >> _LENGTH_BITS
            number = last & _LENGTH
            for k in range(number):
                ids[written + k] = longer_ids[place + k]
        else:
            put_word(ids, written, first & ~(7 << _ID_BITS))
            put_word(ids, written + 2, last)
        written += number
    return found, written


@compiled
def encode_texts(
    text: Bytes, edges: Numbers, kinds: Bytes, pattern: int, tree: Tree, memory: Memory
) -> tuple[Ids, Numbers]:
    """Encode texts that lie end to end, from one edge to the next; return their ids, and how many each has."""
    ids = np.empty(text.size + INLINE, dtype=np.int32)
    counts = np.empty(edges.size - 1, dtype=np.int64)
    stops = np.empty(_AT_ONCE, dtype=np.int64)
    firsts = np.empty(_AT_ONCE, dtype=np.int64)
    lasts = np.empty(_AT_ONCE, dtype=np.int64)
    unknown = np.empty(_AT_ONCE, dtype=np.int64)
    is_dead = np.empty(LONG + 1, dtype=np.bool_)
    scratch = np.empty(LONG + INLINE, dtype=np.int32)
    children, shorter, lengths, lefts, rights, ranks = tree
    tokens, slots, longer, longer_text, longer_ids, used, pairs = memory
    written = np.int64(0)
    for t in range(edges.size - 1):
        start, end = edges[t], edges[t + 1]
        before = written
        while start < end:
            found = cut(text, start, end, kinds, pattern, stops)
            count = look_up(text, start, stops[:found], slots, longer, longer_text, firsts, lasts, unknown)
            if count > 0:
                learn(
                    *(text, start, stops[:found], children, shorter, lengths, lefts, rights, ranks),
                    *(tokens, slots, longer, longer_text, longer_ids, used, pairs),
                    *(is_dead, firsts, lasts, unknown[:count], scratch),
                )
            done = np.int64(0)
            while done < found:
                done, written = write(firsts, lasts, done, np.int64(found), longer_ids, ids, written)
                if done < found:  # an unknown one
                    begin = stops[done - 1] if done > 0 else start
                    if stops[done] - begin > LONG:
                        written = encode_long(text, begin, stops[done], ranks, ids, written)
                    else:
                        written = encode_one(text, begin, stops[done], tree, pairs, is_dead, ids, written)
                    done += 1
            start = stops[found - 1]
            if used[_IS_FULL]:  # forget all
                slots[:] = 0
                longer[:] = 0
                used[:] = 0
        counts[t] = written - before
    return ids[:written], counts
