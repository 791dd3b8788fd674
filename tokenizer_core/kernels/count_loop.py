"""The compiled loop under `pretokens`: it numbers the distinct pretokens of texts, and counts each.

Distinct pretokens lie end to end, in order of first appearance, with one row each. A hash table finds the row of a
stretch of bytes, so that no pretoken becomes an object of Python.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.kernels.compiled import borrowing, compiled, inlined, inner
from tokenizer_core.kernels.cut_loop import WORD, cut, word_at

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]
Places = NDArray[np.int32]


# A slot: the first eight bytes of a pretoken and its last eight, each as one number; its length; its row. So up to
# sixteen bytes are compared without reading the text: in half the time.
FIRST, LAST, LENGTH, ROW = range(4)
# What is in use: rows, bytes of `text`, places.
ROWS, BYTES, PLACES = range(3)
FREE = np.int64(-1)
_HALF = 2**32 - 1
_AT_ONCE = 1024
_BYTES_A_ROW = 64
"""Expected bytes of text per distinct pretoken, so that the table seldom grows: English has 130, Thai 50."""
_EXPECTED = 2**16
"""The most rows to expect, however long the text is."""


class Distinct(NamedTuple):
    """The distinct pretokens so far, with room for more, and the table to find them, at most half full."""

    text: Bytes
    ends: Numbers
    counts: Numbers
    slots: Numbers


@inlined
def first_word(text: Bytes, start: int, end: int) -> int:
    """Return the first eight bytes of a pretoken as one number, or all of a shorter one."""
    if end - start >= WORD:
        return word_at(text, start)
    if start + WORD <= text.size:
        return word_at(text, start) & (1 << 8 * (end - start)) - 1
    word = 0
    for i in range(end - 1, start - 1, -1):
        word = word << 8 | text[i]
    return word


@inlined
def mixed(word: int, secret: int) -> int:
    """Multiply the halves of a number; the random secret keeps hostile texts from having one hash for all."""
    word ^= secret
    return (word & _HALF) * (word >> 32)


@inlined
def key_of(text: Bytes, start: int, end: int, secret: int) -> tuple[int, int, int]:
    """Return the first eight bytes of a pretoken and its last eight, each as one number, and the hash of all."""
    first = last = first_word(text, start, end)
    hashed = first ^ end - start
    if end - start > WORD:
        last = word_at(text, end - WORD)
        for i in range(start + WORD, end - WORD, WORD):
            hashed = mixed(hashed, secret) ^ word_at(text, i)
        hashed = mixed(hashed, secret) ^ last
    hashed = mixed(hashed, secret)
    return first, last, hashed ^ hashed >> 32


@inlined
def same_middle(known: Bytes, known_end: int, text: Bytes, start: int, end: int) -> bool:
    """Compare the middle of a pretoken with that of the known one that ends at `known_end`."""
    for i in range(start + WORD, end - WORD, WORD):
        if word_at(text, i) != word_at(known, known_end - end + i):
            return False
    return True


@inlined
def row_of(
    text: Bytes, start: int, end: int, secret: int, known: Bytes, ends: Numbers, slots: Numbers, new: int
) -> int:
    """Return the row of a pretoken; if it has none, give it the row `new`."""
    first, last, hashed = key_of(text, start, end, secret)
    slot = hashed & (len(slots) - 1)
    while slots[slot, ROW] != FREE:
        if (
            slots[slot, FIRST] == first
            and slots[slot, LAST] == last
            and slots[slot, LENGTH] == end - start
            and (end - start <= 2 * WORD or same_middle(known, ends[slots[slot, ROW]], text, start, end))
        ):
            return slots[slot, ROW]
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot, FIRST] = first
    slots[slot, LAST] = last
    slots[slot, LENGTH] = end - start
    slots[slot, ROW] = new
    return new


@inner
def with_room(distinct: Distinct, used: Numbers, more_rows: int, more_bytes: int, secret: int) -> Distinct:
    """Return the pretokens with room for more: larger copies if needed."""
    text, ends, counts, slots = distinct
    if used[BYTES] + more_bytes > text.size:
        text = np.empty(2 * used[BYTES] + more_bytes, dtype=np.uint8)
        for i in range(used[BYTES]):
            text[i] = distinct.text[i]
    if used[ROWS] + more_rows > ends.size:
        room = 2 * ends.size
        while used[ROWS] + more_rows > room:
            room *= 2
        ends = np.empty(room, dtype=np.int64)
        counts = np.empty(room, dtype=np.int64)
        slots = np.empty((2 * room, 4), dtype=np.int64)
        slots[:, ROW] = FREE
        start = np.int64(0)
        for row in range(used[ROWS]):
            ends[row] = distinct.ends[row]
            counts[row] = distinct.counts[row]
            row_of(text, start, ends[row], secret, text, ends, slots, row)
            start = ends[row]
    return Distinct(text, ends, counts, slots)


@borrowing
def count_all(
    text: Bytes,
    i: int,
    stops: Numbers,
    secret: int,
    known: Bytes,
    ends: Numbers,
    slots: Numbers,
    used: Numbers,
    rows: Places,
) -> None:
    """Find the row of each pretoken from `i` on, which end at `stops`; add a row for each new one.

    There must be room. The arrays are separate arguments, because numba counts references to the parts of a tuple.
    """
    for n in range(stops.size):
        stop = stops[n]
        row = rows[n] = row_of(text, i, stop, secret, known, ends, slots, used[ROWS])
        if row == used[ROWS]:
            for k in range(stop - i):
                known[used[BYTES] + k] = text[i + k]
            used[BYTES] += stop - i
            used[ROWS] += 1
            ends[row] = used[BYTES]
        i = stop


@compiled
def add_counts(
    distinct: Distinct, used: Numbers, text: Bytes, ends: Numbers, counts: Numbers, secret: int
) -> tuple[Distinct, Places]:
    """Add the counts of pretokens that lie end to end; new ones follow in their order. Also return the rows."""
    distinct = with_room(distinct, used, ends.size, text.size, secret)
    known, known_ends, known_counts, slots = distinct
    before = used[ROWS]
    rows = np.empty(ends.size, dtype=np.int32)
    count_all(text, np.int64(0), ends, secret, known, known_ends, slots, used, rows)
    known_counts[before : used[ROWS]] = 0
    for n in range(ends.size):
        known_counts[rows[n]] += counts[n]
    return distinct, rows


@compiled
def number_pretokens(
    text: Bytes,
    edges: Numbers,
    kinds: Bytes,
    pattern: int,
    secret: int,
    distinct: Distinct,
    used: Numbers,
    places: Places,
) -> Distinct:
    """Cut texts that lie end to end, from one edge to the next, and count each pretoken.

    `places` receives the row of each pretoken, unless it is empty; an edge becomes the number of places up to it.
    """
    stops = np.empty(_AT_ONCE, dtype=np.int64)
    rows = np.empty(_AT_ONCE, dtype=np.int32)
    expected = edges[edges.size - 1] // _BYTES_A_ROW
    distinct = with_room(distinct, used, expected if expected < _EXPECTED else _EXPECTED, 0, secret)
    for n in range(edges.size - 1):
        i, end = edges[n], edges[n + 1]
        edges[n] = used[PLACES]
        while i < end:
            found = cut(text, i, end, kinds, pattern, stops)
            distinct = with_room(distinct, used, found, stops[found - 1] - i, secret)
            known, ends, counts, slots = distinct
            before = used[ROWS]
            count_all(text, i, stops[:found], secret, known, ends, slots, used, rows)
            counts[before : used[ROWS]] = 0
            for row in rows[:found]:
                counts[row] += 1
            if places.size:
                for k in range(found):
                    places[used[PLACES] + k] = rows[k]
            used[PLACES] += found
            i = stops[found - 1]
    edges[edges.size - 1] = used[PLACES]
    return distinct
