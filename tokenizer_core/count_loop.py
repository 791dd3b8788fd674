"""The compiled loop under `pretokens`: it numbers the distinct pretokens of texts, and counts each.

Distinct pretokens lie end to end, in order of first appearance, with one row each. A hash table finds the row of a
stretch of bytes, so that no pretoken becomes an object of Python.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.compiled import borrowing, compiled
from tokenizer_core.cut_loop import cut

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]
Places = NDArray[np.int32]

CUT_LOOP = "012364f62b2ec3eb"
"""The beginning of the SHA-256 of cut_loop.py. numba keeps compiled code until its own file changes, and `cut` is
compiled into a function here: without this line, an update would go on cutting as before."""

# A slot: the key of a pretoken, and its row.
KEY, ROW = range(2)
# What is in use: rows, bytes of `text`, places.
ROWS, BYTES, PLACES = range(3)
FREE = np.int64(-1)
_SHORT = 8
"""Bytes. A shorter pretoken is its own key, with a 1 after its last byte."""
_LONG = -(2**63)
_HALF = 2**32 - 1
_AT_ONCE = 1024


class Distinct(NamedTuple):
    """The distinct pretokens so far, with room for more, and the table to find them, at most half full."""

    text: Bytes
    ends: Numbers
    counts: Numbers
    slots: Numbers


@borrowing
def word_at(text: Bytes, i: int) -> int:
    """Return eight bytes as one number."""
    low = text[i] | text[i + 1] << 8 | text[i + 2] << 16 | text[i + 3] << 24
    return low | text[i + 4] << 32 | text[i + 5] << 40 | text[i + 6] << 48 | text[i + 7] << 56


@borrowing
def key_of(text: Bytes, start: int, end: int, secret: int) -> int:
    """Return the bytes of a short pretoken in one number, or the hash of a long one, which is negative.

    The halves of each eight bytes are multiplied with each other after a random secret has changed them, so that
    nobody can write a text whose pretokens all have the same hash.
    """
    if end - start < _SHORT:
        first_bit = 8 * (end - start)  # of what follows the pretoken
        if start + 8 <= text.size:
            return word_at(text, start) & (1 << first_bit) - 1 | 1 << first_bit
        key = 1
        for i in range(end - 1, start - 1, -1):
            key = key << 8 | text[i]
        return key
    mixed = end - start
    for i in range(start, end - 8, 8):
        mixed ^= word_at(text, i) ^ secret
        mixed = (mixed & _HALF) * (mixed >> 32)
    mixed ^= word_at(text, end - 8) ^ secret
    return (mixed & _HALF) * (mixed >> 32) | _LONG


@borrowing
def same_bytes(known: Bytes, first: int, last: int, text: Bytes, start: int, end: int) -> bool:
    """Tell whether two stretches of eight bytes or more are the same."""
    if last - first != end - start:
        return False
    shift = first - start
    for i in range(start, end - 8, 8):
        if word_at(text, i) != word_at(known, i + shift):
            return False
    return word_at(text, end - 8) == word_at(known, last - 8)


@borrowing
def first_slot(slots: Numbers, key: int, secret: int) -> int:
    """Return the slot where the search for a key begins; the secret is odd."""
    mixed = key * secret
    return (mixed ^ mixed >> 32) & (len(slots) - 1)


@compiled
def with_room(distinct: Distinct, used: Numbers, more_rows: int, more_bytes: int, secret: int) -> Distinct:
    """Return the pretokens with room for so many more; larger copies if they do not fit."""
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
        for row in range(used[ROWS]):
            ends[row] = distinct.ends[row]
            counts[row] = distinct.counts[row]
        slots = np.empty((2 * room, 2), dtype=np.int64)
        slots[:, ROW] = FREE
        for old in range(len(distinct.slots)):
            if distinct.slots[old, ROW] != FREE:
                slot = first_slot(slots, distinct.slots[old, KEY], secret)
                while slots[slot, ROW] != FREE:
                    slot = (slot + 1) & (len(slots) - 1)
                slots[slot, KEY] = distinct.slots[old, KEY]
                slots[slot, ROW] = distinct.slots[old, ROW]
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
    """Find the row of each pretoken from `i` on, the next ending at each of `stops`; add a row for each new one.

    There must be room. The arrays come one by one, because numba counts references to the parts of a tuple.
    """
    for n in range(stops.size):
        stop = stops[n]
        key = key_of(text, i, stop, secret)
        slot = first_slot(slots, key, secret)
        row = slots[slot, ROW]
        while row != FREE:
            if slots[slot, KEY] == key and (
                key >= 0 or same_bytes(known, ends[row - 1] if row > 0 else 0, ends[row], text, i, stop)
            ):
                break
            slot = (slot + 1) & (len(slots) - 1)
            row = slots[slot, ROW]
        if row == FREE:
            row = used[ROWS]
            slots[slot, KEY] = key
            slots[slot, ROW] = row
            for k in range(stop - i):
                known[used[BYTES] + k] = text[i + k]
            used[BYTES] += stop - i
            used[ROWS] += 1
            ends[row] = used[BYTES]
        rows[n] = row
        i = stop


@compiled
def add_counts(
    distinct: Distinct, used: Numbers, text: Bytes, ends: Numbers, counts: Numbers, secret: int
) -> tuple[Distinct, Places]:
    """Add the counts of other pretokens, which lie end to end; those that are new follow in their order.

    Returns the row of each, too.
    """
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

    `places` takes the row of each pretoken, unless it is empty; each edge becomes the number of places up to it.
    """
    stops = np.empty(_AT_ONCE, dtype=np.int64)
    rows = np.empty(_AT_ONCE, dtype=np.int32)
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
