"""The compiled loops that encode whole texts: they cut pretokens, look up the ids of each, and write them.

Most pretokens of a text came before, so two tables remember their ids: one holds short pretokens and few ids in
its slots, the other longer ones in arrays beside it. A batch of pretokens gets keys, which say where their slots
are. While it makes the later keys, the processor fetches the slots of the earlier ones; then the ids in them are
written. If a pretoken is unknown, `encode_loop` or `longest_loop` encodes all unknown ones of the batch. So the
loops that see every pretoken are small and call nothing. Most distinct pretokens are tokens, which the slots hold
from the start. The plain twin counts distinct pretokens and encodes each: `count_loop` and `encode_loop`.
"""

import mmap
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.kernels.compiled import borrowing, compiled, inlined
from tokenizer_core.kernels.cut_loop import WORD, cut, number_at, prefetch, put_number, put_word, word_at
from tokenizer_core.kernels.encode_loop import NO_RANK, Ids, Numbers, encode_long, merge_ranked
from tokenizer_core.kernels.longest_loop import LONG, MEMO, Bytes, Tree, ascii_pair, encode_one

SLOTS = 2**17
"""Pretokens to remember of a long text; English text of 2 MB has 18,000 different ones."""
FEWEST = 2**10
"""Pretokens to remember of a short text."""
INLINE = 4
"""The most ids that a slot holds; a short pretoken with more is remembered among the longer ones."""
LONGER_TEXT, LONGER_IDS = 32, 4
"""Bytes and ids of longer pretokens to remember, for each slot; Thai text of 2 MB has 1.8 MB of different ones."""
# A slot, half a line of the processor's cache: the first eight bytes of a pretoken; the other seven, and in the
# highest byte its length, which is never 0; its ids, in pairs, with their number in the free bits of the first. Of
# too many ids, the second pair says where they are remembered, and their number.
_WORDS = 4
_SHORT = 15
_PAIR = 2 * _WORDS
_ID_BITS = 28
_ID = 2**_ID_BITS - 1
_ELSEWHERE = 7  # instead of their number: too many for the slot
# A slot of a longer pretoken: the hash of its bytes; where they are remembered, and their number; the same of ids.
_TEXT_USED, _IDS_USED, _IS_FULL, _LEARNED = 0, 1, 2, 3
_LENGTH_BITS = 12
_LENGTH = 2**_LENGTH_BITS - 1
_NOT_ASCII = 0x8080808080808080 - 2**64  # the highest bit of each byte
_FACTOR = 0x9E3779B97F4A7C15 - 2**64
_AT_ONCE = 512
_LARGE_PAGE = 2**21 // 8  # numbers in 2 MB
_SHIFTS = (37, 17)  # the bits of a hash that tell the two places of a short pretoken
# A key, in a row of its own: the first two numbers of the slot that may have the pretoken, and the first place of
# the two where that slot may be. For longer pretokens it is the hash, and a second number that no slot has.
# Pretokens without a key are too long, or end where sixteen bytes from their start on cannot be read.
_ROW = 3
_LONGER, _NO_KEY = 2**60, 2**61
_UP_TO = [(1 << 8 * size) - 1 for size in range(WORD)]
_FIRST = np.array(_UP_TO + [-1] * WORD, dtype=np.int64)
_OTHERS = np.array([0] * WORD + _UP_TO, dtype=np.int64)


class Memory(NamedTuple):
    """What encoding remembers; two threads must not share it."""

    slots: Numbers
    """The slots of short pretokens."""
    longer: Numbers
    """The slots of pretokens that are longer than a slot."""
    longer_text: Bytes
    longer_ids: Ids
    used: Numbers
    """How many bytes and ids of them are remembered, whether there is no room for more, and how many pretokens
    were learned."""
    pairs: Numbers
    """Which tokens may be neighbors: `longest_loop.may_stand`."""


def empty_memory(characters: int, tokens: int = 0) -> Memory:
    """Return a memory for texts of so many characters, with slots for all tokens, too.

    It takes 15 MB for long texts or 4,096 tokens, and 4 MB for a page and 1,000: a class has one for each visitor.
    """
    size = _slots_for(characters, tokens)
    return Memory(
        slots=_on_large_pages(_WORDS * max(size, _power_of_two(2 * tokens))),
        longer=np.zeros(_WORDS * size, dtype=np.int64),
        longer_text=np.empty(LONGER_TEXT * size, dtype=np.uint8),
        longer_ids=np.empty(LONGER_IDS * size, dtype=np.int32),
        used=np.zeros(4, dtype=np.int64),
        pairs=np.zeros(MEMO * size // SLOTS, dtype=np.int64),
    )


def enough_memory(memory: Memory | None, characters: int, tokens: int) -> Memory:
    """Return a memory with room for a text: the same one, or a larger one that knows its short pretokens.

    One of which half is taken is followed by one of twice the size.
    """
    if memory is None:
        return empty_memory(characters, tokens)
    slots = len(memory.longer) // _WORDS
    if slots == SLOTS or (slots >= _slots_for(characters, tokens) and 2 * memory.used[_LEARNED] < slots):
        return memory
    larger = empty_memory(max(characters, 8 * slots), tokens)
    move_slots(memory.slots, larger.slots)
    return larger


def _slots_for(characters: int, tokens: int) -> int:
    """One slot for each four characters, of which fewer pretokens are made that differ; or 32 for each token."""
    return min(SLOTS, max(FEWEST, _power_of_two(max(characters // 4, 32 * tokens))))


def _power_of_two(size: int) -> int:
    """Return the first power of two that is at least so large.

    >>> _power_of_two(5), _power_of_two(8)
    (8, 8)
    """
    return 1 << max(0, size - 1).bit_length()


def _on_large_pages(size: int) -> Numbers:
    """Return zeros that begin where a large page of memory does, and so lie on large pages only.

    The first text touches all pages of the slots. That takes a twentieth of the time to encode 2 MB if the pages
    are small, and next to none if they are large. They come from the system, not from memory that had small ones.
    """
    if size >= _LARGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # the system has no large pages, or no memory, which NumPy reports
            area = mmap.mmap(-1, WORD * (size + _LARGE_PAGE), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            area.madvise(mmap.MADV_HUGEPAGE)
            whole = np.frombuffer(area, dtype=np.int64)
            skipped = -whole.ctypes.data // WORD % _LARGE_PAGE
            return whole[skipped : skipped + size]
    return np.zeros(size, dtype=np.int64)


@inlined
def two_ids(ids: Ids, place: int) -> int:
    """Return the two ids from a place on as one number; what is not written yet may be anything."""
    return (np.int64(ids[place]) & _ID) | (np.int64(ids[place + 1]) & _ID) << 32


@inlined
def place_of(slots: Numbers, first: int, others: int, shift: int) -> int:
    """Return where two slots are that may have a short pretoken."""
    return (first ^ others * _FACTOR) * _FACTOR >> shift & len(slots) - _PAIR


@inlined
def has(slots: Numbers, slot: int, first: int, others: int) -> bool:
    """Tell whether a slot has this pretoken."""
    return number_at(slots, slot) == first and number_at(slots, slot + 1) == others


@inlined
def slot_of(slots: Numbers, first: int, others: int, shifts: tuple[int, ...]) -> int:
    """Return the slot with this pretoken; -1 if none has it. Two are side by side, and two elsewhere."""
    for shift in shifts:
        slot = place_of(slots, first, others, shift)
        if has(slots, slot, first, others):
            return slot
        if has(slots, slot + _WORDS, first, others):
            return slot + _WORDS
    return -1


@inlined
def new_slot(slots: Numbers, first: int, others: int) -> int:
    """Return the slot for a new pretoken: a free one, or the first, and what was there moves beside it."""
    for shift in _SHIFTS:
        slot = place_of(slots, first, others, shift)
        if not slots[slot + 1]:
            return slot
        if not slots[slot + _WORDS + 1]:
            return slot + _WORDS
    slot = place_of(slots, first, others, _SHIFTS[0])
    for k in range(_WORDS):
        slots[slot + _WORDS + k] = slots[slot + k]
    return slot


@compiled
def remember_tokens(text: Bytes, ends: Numbers, lengths: Ids, slots: Numbers) -> None:
    """Remember the short tokens, whose bytes lie end to end: a pretoken with the bytes of one has its id.

    The earliest ones are the most frequent, and find the first of their places free.
    """
    for token in range(ends.size):
        start = ends[token - 1] if token > 0 else np.int64(0)
        length = np.int64(lengths[token])
        if 0 < length <= _SHORT and start + 2 * WORD <= text.size:
            first = word_at(text, start) & number_at(_FIRST, length)
            others = word_at(text, start + WORD) & number_at(_OTHERS, length) | length << 56
            slot = new_slot(slots, first, others)
            slots[slot], slots[slot + 1], slots[slot + 2] = first, others, token | 1 << _ID_BITS


@compiled
def move_slots(slots: Numbers, more: Numbers) -> None:
    """Remember in more slots what these hold, but for pretokens whose ids are elsewhere."""
    for slot in range(0, slots.size, _WORDS):
        if slots[slot + 1] and slots[slot + 2] >> _ID_BITS & 7 != _ELSEWHERE:
            place = new_slot(more, slots[slot], slots[slot + 1])
            for k in range(_WORDS):
                more[place + k] = slots[slot + k]


@inlined
def hash_of(text: Bytes, start: int, end: int) -> np.int64:
    """Return a hash of the bytes of a pretoken, of which there are at least eight."""
    hashed = np.int64(end - start)
    for i in range(start, end - WORD, WORD):
        hashed = (hashed ^ word_at(text, i)) * _FACTOR
        hashed ^= hashed >> 32
    hashed = (hashed ^ word_at(text, end - WORD)) * _FACTOR
    return (hashed ^ hashed >> 32) | 1  # not 0, which stands in a free slot


@inlined
def is_same(text: Bytes, start: int, length: int, other: Bytes, place: int) -> bool:
    """Tell whether the bytes at two places are the same, of which there are at least eight."""
    for k in range(0, length - WORD, WORD):
        if word_at(text, start + k) != word_at(other, place + k):
            return False
    return word_at(text, start + length - WORD) == word_at(other, place + length - WORD)


@inlined
def place_of_longer(longer: Numbers, hashed: int) -> int:
    """Return where two slots are that may have a longer pretoken."""
    return hashed >> 20 & len(longer) - _PAIR


@inlined
def longer_slot(
    text: Bytes, start: int, end: int, hashed: int, place: int, longer: Numbers, longer_text: Bytes
) -> int:
    """Return the slot with this longer pretoken; -1 if neither of its two slots has it."""
    length = end - start
    for slot in (place, place + _WORDS):
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
    slot = place_of_longer(longer, hashed)
    for k in range(_WORDS):  # what was there moves beside it
        longer[slot + _WORDS + k] = longer[slot + k]
    longer[slot], longer[slot + 1], longer[slot + 2] = hashed, place << _LENGTH_BITS | length, ids


@borrowing
def note_keys(text: Bytes, bounds: Numbers, found: int, slots: Numbers, longer: Numbers, keys: Numbers) -> None:
    """Note the keys of pretokens, and let the processor fetch their slots, so that nobody waits for them later.

    Without that, encoding English takes half as long again where other work has used the processor's cache.
    """
    for n in range(found):
        start = number_at(bounds, n)
        end = number_at(bounds, n + 1)
        size = end - start
        first, others, place = np.int64(0), np.int64(_NO_KEY), np.int64(0)
        if size <= _SHORT:
            if start + 2 * WORD <= text.size:
                first = word_at(text, start) & number_at(_FIRST, size)
                others = word_at(text, start + WORD) & number_at(_OTHERS, size) | size << 56
                place = place_of(slots, first, others, _SHIFTS[0])
                prefetch(slots, place)
        elif size <= LONG:
            first, others = hash_of(text, start, end), np.int64(_LONGER)
            place = place_of_longer(longer, first)
            prefetch(longer, place)
        put_number(keys, _ROW * n, first)
        put_number(keys, _ROW * n + 1, others)
        put_number(keys, _ROW * n + 2, place)


@inlined
def put_remembered(where: int, longer_ids: Ids, ids: Ids, written: int) -> int:
    """Write ids that no slot holds; return where they end."""
    place = where >> _LENGTH_BITS
    number = where & _LENGTH
    for k in range(number):
        ids[written + k] = longer_ids[place + k]
    return written + number


@borrowing
def write(
    text: Bytes,
    bounds: Numbers,
    keys: Numbers,
    done: int,
    found: int,
    slots: Numbers,
    longer: Numbers,
    longer_text: Bytes,
    longer_ids: Ids,
    ids: Ids,
    written: int,
) -> tuple[int, int]:
    """Write the ids of pretokens up to one that is unknown; return which one, and where the ids end."""
    for n in range(done, found):
        first = number_at(keys, _ROW * n)
        others = number_at(keys, _ROW * n + 1)
        slot = number_at(keys, _ROW * n + 2)
        if others >= _LONGER:
            if others == _NO_KEY:
                return n, written
            start, end = number_at(bounds, n), number_at(bounds, n + 1)
            slot = longer_slot(text, start, end, first, slot, longer, longer_text)
            if slot < 0:
                return n, written
            written = put_remembered(number_at(longer, slot + 2), longer_ids, ids, written)
            continue
        if not has(slots, slot, first, others):
            slot += _WORDS
            if not has(slots, slot, first, others):
                slot = slot_of(slots, first, others, _SHIFTS[1:])
                if slot < 0:
                    return n, written
        some = number_at(slots, slot + 2)
        put_word(ids, written, some & ~(7 << _ID_BITS))
        put_word(ids, written + 2, number_at(slots, slot + 3))
        number = some >> _ID_BITS & 7
        if number == _ELSEWHERE:
            written = put_remembered(number_at(slots, slot + 3), longer_ids, ids, written)
        else:
            written += number
    return found, written


@borrowing
def note_unknown(
    text: Bytes,
    bounds: Numbers,
    keys: Numbers,
    done: int,
    found: int,
    slots: Numbers,
    longer: Numbers,
    longer_text: Bytes,
    unknown: Numbers,
) -> int:
    """Note which pretokens have a key, but no slot has them; return how many."""
    count = 0
    for n in range(done, found):
        first = number_at(keys, _ROW * n)
        others = number_at(keys, _ROW * n + 1)
        if others == _LONGER:
            start, end, place = number_at(bounds, n), number_at(bounds, n + 1), number_at(keys, _ROW * n + 2)
            slot = longer_slot(text, start, end, first, place, longer, longer_text)
        else:
            slot = slot_of(slots, first, others, _SHIFTS)
        if slot < 0 and others != _NO_KEY:
            unknown[count] = n
            count += 1
    return count


@inlined
def merge_ascii(
    text: Bytes, start: int, end: int, ascii_ranks: Ids, ranks: Numbers, pair_ranks: Ids, ids: Ids
) -> int:
    """Merge the bytes of a short pretoken in ASCII into `ids`; return how many are left."""
    ids[0] = text[start]
    best = np.int64(NO_RANK)
    for i in range(start + 1, end):
        ids[i - start] = text[i]
        rank = ascii_ranks[ascii_pair(np.int64(text[i - 1]), np.int64(text[i]))]
        pair_ranks[i - start - 1] = rank
        if rank < best:
            best = np.int64(rank)
    return merge_ranked(ids, end - start, pair_ranks, best, ranks)


@borrowing
def learn(
    text: Bytes,
    bounds: Numbers,
    keys: Numbers,
    children: Numbers,
    shorter: Ids,
    lengths: Ids,
    lefts: Ids,
    rights: Ids,
    ranks: Numbers,
    ascii_ranks: Ids,
    slots: Numbers,
    longer: Numbers,
    longer_text: Bytes,
    longer_ids: Ids,
    used: Numbers,
    pairs: Numbers,
    is_dead: NDArray[np.bool_],
    unknown: Numbers,
    pair_ranks: Ids,
    ids: Ids,
) -> None:
    """Encode the unknown pretokens, and remember each.

    Those that find no room stay unknown. The bytes of a short one are merged if all are ASCII, because the tree
    takes a step for each of them, and twice the time. `pair_ranks` and `ids` are scratch. The arrays stand one by
    one, because numba would count the references to each array of a tuple in the loop.
    """
    tree = Tree(children, shorter, lengths, lefts, rights, ranks, ascii_ranks)
    for n in unknown:
        begin, end = bounds[n], bounds[n + 1]
        first, others, place = keys[_ROW * n], keys[_ROW * n + 1], keys[_ROW * n + 2]
        if others == _LONGER:
            if longer_slot(text, begin, end, first, place, longer, longer_text) >= 0:  # the same came a moment ago
                continue
        elif slot_of(slots, first, others, _SHIFTS) >= 0:
            continue
        if others == _LONGER or (first | others) & _NOT_ASCII:
            number = encode_one(text, begin, end, tree, pairs, is_dead, ids, np.int64(0))
        else:
            number = np.int64(merge_ascii(text, begin, end, ascii_ranks, ranks, pair_ranks, ids))
        some, more = two_ids(ids, 0) | number << _ID_BITS, two_ids(ids, 2)
        length = end - begin
        if others == _LONGER or number > INLINE:
            if used[_TEXT_USED] + length > len(longer_text) or used[_IDS_USED] + number > len(longer_ids):
                used[_IS_FULL] = 1
                continue
            some, more = np.int64(_ELSEWHERE) << _ID_BITS, put_ids(ids, number, longer_ids, used)
        if others == _LONGER:
            put_longer(text, begin, length, first, more, longer, longer_text, used)
        else:
            slot = new_slot(slots, first, others)
            slots[slot], slots[slot + 1], slots[slot + 2], slots[slot + 3] = first, others, some, more
        used[_LEARNED] += 1


@borrowing
def forget_longer(slots: Numbers, longer: Numbers, used: Numbers) -> None:
    """Forget all that no slot holds, to have room again."""
    for slot in range(0, len(slots), _WORDS):
        if slots[slot + 2] >> _ID_BITS & 7 == _ELSEWHERE:
            slots[slot + 1] = 0
    for k in range(len(longer)):
        longer[k] = 0
    for k in range(len(used)):
        used[k] = 0


@compiled
def encode_texts(
    text: Bytes, edges: Numbers, kinds: Bytes, pattern: int, tree: Tree, memory: Memory
) -> tuple[Ids, Numbers]:
    """Encode texts that lie end to end, from one edge to the next; return their ids, and how many each has."""
    ids = np.empty(text.size + INLINE, dtype=np.int32)
    counts = np.empty(edges.size - 1, dtype=np.int64)
    bounds = np.empty(_AT_ONCE + 1, dtype=np.int64)
    ends = bounds[1:]
    keys = np.empty(_ROW * _AT_ONCE, dtype=np.int64)
    unknown = np.empty(_AT_ONCE, dtype=np.int64)
    is_dead = np.empty(LONG + 1, dtype=np.bool_)
    pair_ranks = np.empty(_SHORT, dtype=np.int32)
    scratch = np.empty(LONG + INLINE, dtype=np.int32)
    children, shorter, lengths, lefts, rights, ranks, ascii_ranks = tree
    slots, longer, longer_text, longer_ids, used, pairs = memory
    written = np.int64(0)
    for t in range(edges.size - 1):
        start, end = edges[t], edges[t + 1]
        before = written
        while start < end:
            bounds[0] = start
            found = np.int64(cut(text, start, end, kinds, pattern, ends))
            note_keys(text, bounds, found, slots, longer, keys)
            # Write up to an unknown one, learn all that are unknown at once, and go on. Those that found no room,
            # or are too long to be remembered, are encoded one by one.
            done = np.int64(0)
            has_learned = False
            while done < found:
                done, written = write(
                    *(text, bounds, keys, done, found, slots, longer, longer_text, longer_ids, ids, written)
                )
                if done == found:
                    break
                if not has_learned:
                    count = note_unknown(text, bounds, keys, done, found, slots, longer, longer_text, unknown)
                    learn(
                        *(text, bounds, keys, children, shorter, lengths, lefts, rights, ranks, ascii_ranks),
                        *(slots, longer, longer_text, longer_ids, used, pairs),
                        *(is_dead, unknown[:count], pair_ranks, scratch),
                    )
                    has_learned = True
                    continue
                if bounds[done + 1] - bounds[done] > LONG:
                    written = encode_long(text, bounds[done], bounds[done + 1], ranks, ids, written)
                else:
                    written = encode_one(text, bounds[done], bounds[done + 1], tree, pairs, is_dead, ids, written)
                done += 1
            start = bounds[found]
            if used[_IS_FULL]:
                forget_longer(slots, longer, used)
        counts[t] = written - before
    return ids[:written], counts
