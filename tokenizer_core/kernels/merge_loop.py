"""The compiled loop under `Trainer`: it finds and applies merges, and touches only what a merge changes.

All distinct pretokens lie end to end, in order of first appearance, with one row of `rows` per byte. A token uses
the row of its first byte; the rows of its other bytes are dead. The places of a pair, the rows of its left tokens,
lie side by side in `places`. One round adds all places of a pair, in corpus order. Later rounds only take some
away: they note another pair in the row, and the next reader skips the place. So there is no search, the first
place left is the first occurrence in the corpus, and breaking ties costs nothing.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.kernels.compiled import borrowing, compiled, inner

Rows = NDArray[np.int32]
Places = NDArray[np.int32]
Table = NDArray[np.int64]

# One row of 16 bytes per position, four to a cache line: a merge reads a few rows side by side, far from the last.
# The token; the row of the token before it; the pair of it and the token after it; how often its pretoken occurs.
ID, BEFORE, PAIR, WEIGHT = range(4)
ROW_WIDTH = 4
MOST_WEIGHT = 2**31 - 1
"""Larger counts are in `heavy`, and a row holds -1 for the first, -2 for the next: " the" in 100 GB of English."""
# A pair: its tokens, its weighted count, and its stretch of `places`, of which the first may have been taken away.
LEFT, RIGHT, COUNT, START, END = range(5)
PAIR_WIDTH = 5
# A heap entry: the count and first place when last noted, and the pair. Both only get worse over time, so an
# entry that is still right when it reaches the top is the best one. A stale entry is refreshed there.
HEAP_COUNT, HEAP_FIRST, HEAP_PAIR = range(3)
# The state of the loop: pairs in use, heap entries, next token id, tokens in the corpus, places in use.
PAIRS, HEAP_SIZE, NEXT_TOKEN_ID, TOKEN_COUNT, PLACES = range(5)
STATE_SIZE = 5
PLACES_A_ROW = 3
"""A byte has at most one place. Each replaced occurrence leaves one token less, and at most two new places."""
STRETCH = 256
"""Places whose rows are read at once."""
NONE = -1
BYTES = 256
# numba compiles a function anew for a number written in a call, and for int32: all here are int64.
ZERO = np.int64(0)


class Corpus(NamedTuple):
    """Arrays of constant size; n is the bytes of distinct pretokens."""

    rows: Rows
    """Shape (n, 4)."""
    heavy: Table
    """The counts that do not fit in a row."""
    places: Places
    """Shape (3n,)."""
    notes: Places
    """Shape (most places of a pair × 2, 2): the new pairs of one merge and their places, in corpus order."""
    widths: Table
    """The bytes of each token."""
    by_left: Table
    """During one merge, for each token: its pair with the new token to its right."""
    by_right: Table
    """The same, with the new token to its left."""
    births: Table
    """For each token that a merge made, the first pair that it is the newer part of; for the next one, the end."""


class Part(NamedTuple):
    """All of a corpus: one of several in which each merge is made."""

    corpus: Corpus
    pairs: Table
    heap: Table
    state: Table


@compiled
def lay_out(rows: Rows, text: NDArray[np.uint8], ends: Table, weights: Table) -> None:
    """Fill `rows` from the bytes of all distinct pretokens."""
    start = 0
    heavy = 0
    for p in range(ends.size):
        weight = weights[p]
        if weight > MOST_WEIGHT:
            heavy += 1
            weight = -heavy
        for i in range(start, ends[p]):
            rows[i, ID] = text[i]
            rows[i, BEFORE] = i - 1 if i > start else NONE
            rows[i, PAIR] = NONE
            rows[i, WEIGHT] = weight
        start = ends[p]


@inner
def weight_of(rows: Rows, heavy: Table, i: int) -> int:
    """Return how often the pretoken of this row occurs."""
    weight = np.int64(rows[i, WEIGHT])
    return int(weight) if weight >= 0 else int(heavy[-1 - weight])


@compiled
def index_pairs(rows: Rows, heavy: Table, places: Places, state: Table) -> tuple[Table, Table]:
    """Return the table of pairs of neighboring bytes, whose places it fills in, and the heap over it."""
    number_of = np.full(65_536, NONE, dtype=np.int64)
    pairs = np.empty((65_536, PAIR_WIDTH), dtype=np.int64)
    heap = np.empty((65_536, 3), dtype=np.int64)
    state[PAIRS] = state[HEAP_SIZE] = state[PLACES] = 0
    for i in range(rows.shape[0] - 1):
        if rows[i + 1, BEFORE] == i:
            key = rows[i, ID] * 256 + rows[i + 1, ID]
            if number_of[key] == NONE:
                number_of[key] = new_pair(pairs, state, np.int64(rows[i, ID]), np.int64(rows[i + 1, ID]))
            p = number_of[key]
            rows[i, PAIR] = p
            pairs[p, COUNT] += weight_of(rows, heavy, i)
            pairs[p, END] += 1
    make_room(pairs, state, ZERO)
    for i in range(rows.shape[0]):
        if rows[i, PAIR] != NONE:
            add_place(pairs, places, np.int64(rows[i, PAIR]), i)
    for p in range(state[PAIRS]):
        push(heap, state, pairs[p, COUNT], np.int64(places[pairs[p, START]]), p)
    return pairs, heap


@borrowing
def new_pair(pairs: Table, state: Table, left: int, right: int) -> int:
    """Add a row to the table of pairs; return its number. Until `make_room`, END counts its places."""
    p = state[PAIRS]
    pairs[p, LEFT] = left
    pairs[p, RIGHT] = right
    pairs[p, COUNT] = 0
    pairs[p, START] = 0
    pairs[p, END] = 0
    state[PAIRS] += 1
    return p


@borrowing
def make_room(pairs: Table, state: Table, first_new: int) -> None:
    """Give each new pair a stretch of `places` for as many as END says; it is still empty."""
    for p in range(first_new, state[PAIRS]):
        size = pairs[p, END]
        pairs[p, START] = state[PLACES]
        pairs[p, END] = state[PLACES]
        state[PLACES] += size


@borrowing
def add_place(pairs: Table, places: Places, p: int, i: int) -> None:
    """Append row `i` to the places of pair `p`; rows must come in rising order."""
    places[pairs[p, END]] = i
    pairs[p, END] += 1


@borrowing
def first_place(rows: Rows, places: Places, pairs: Table, p: int) -> int:
    """Return the first occurrence of a pair that has one, and drop the places taken away before it."""
    while rows[places[pairs[p, START]], PAIR] != p:
        pairs[p, START] += 1
    return int(np.int64(places[pairs[p, START]]))


@compiled
def first_places(rows: Rows, places: Places, pairs: Table, numbers: Table, firsts: Table) -> None:
    """Fill in the first occurrence of each of these pairs."""
    for n in range(numbers.size):
        firsts[n] = first_place(rows, places, pairs, numbers[n])


@borrowing
def comes_before(heap: Table, a: int, b: int) -> bool:
    """Tell whether entry `a` is a better merge than `b`: more frequent, or as frequent but earlier in the text."""
    if heap[a, HEAP_COUNT] != heap[b, HEAP_COUNT]:
        return heap[a, HEAP_COUNT] > heap[b, HEAP_COUNT]
    return heap[a, HEAP_FIRST] < heap[b, HEAP_FIRST]


@borrowing
def swap(heap: Table, a: int, b: int) -> None:
    """Swap two heap entries."""
    for column in range(3):
        heap[a, column], heap[b, column] = heap[b, column], heap[a, column]


@borrowing
def push(heap: Table, state: Table, count: int, first: int, p: int) -> None:
    """Add an entry to the heap."""
    child = state[HEAP_SIZE]
    heap[child, HEAP_COUNT] = count
    heap[child, HEAP_FIRST] = first
    heap[child, HEAP_PAIR] = p
    state[HEAP_SIZE] += 1
    while child > 0 and comes_before(heap, child, (child - 1) // 2):
        swap(heap, child, (child - 1) // 2)
        child = (child - 1) // 2


@borrowing
def sift_down(heap: Table, state: Table) -> None:
    """Restore the heap after its top entry got worse."""
    parent = ZERO
    while True:
        child = 2 * parent + 1
        if child >= state[HEAP_SIZE]:
            return
        if child + 1 < state[HEAP_SIZE] and comes_before(heap, child + 1, child):
            child += 1
        if not comes_before(heap, child, parent):
            return
        swap(heap, child, parent)
        parent = child


@borrowing
def best_pair(rows: Rows, places: Places, pairs: Table, heap: Table, state: Table) -> int:
    """Return the pair to merge next and leave it at the top of the heap; return NONE if no pair is left."""
    while state[HEAP_SIZE] > 0:
        p = heap[0, HEAP_PAIR]
        if pairs[p, COUNT] == 0:
            state[HEAP_SIZE] -= 1
            swap(heap, ZERO, state[HEAP_SIZE])
        else:
            first = first_place(rows, places, pairs, p)
            if heap[0, HEAP_COUNT] == pairs[p, COUNT] and heap[0, HEAP_FIRST] == first:
                return p
            heap[0, HEAP_COUNT] = pairs[p, COUNT]
            heap[0, HEAP_FIRST] = first
        sift_down(heap, state)
    return NONE


@compiled
def next_pair(rows: Rows, places: Places, pairs: Table, heap: Table, state: Table) -> int:
    """Return the pair to merge next, or NONE: `best_pair` for Python."""
    return best_pair(rows, places, pairs, heap, state)


@borrowing
def replace_pair(corpus: Corpus, pairs: Table, state: Table, p: int, token_id: int) -> int:
    """Replace each occurrence of pair `p`, left to right, with `token_id`; return the number of notes."""
    noted = ZERO
    end = pairs[p, END]
    for start in range(pairs[p, START], end, STRETCH):
        stop = start + STRETCH if start + STRETCH < end else end
        if still_there(corpus.rows, corpus.places, start, stop, p):
            noted = replace_stretch(corpus, pairs, state, start, stop, p, token_id, noted)
    pairs[p, COUNT] = 0
    return int(noted)


@borrowing
def still_there(rows: Rows, places: Places, start: int, stop: int, p: int) -> int:
    """Count the places that are still of pair `p`: reading all rows before the walk overlaps the cache misses."""
    found = 0
    for place in range(start, stop):
        found += rows[places[place], PAIR] == p
    return found


@borrowing
def replace_stretch(
    corpus: Corpus, pairs: Table, state: Table, start: int, stop: int, p: int, token_id: int, noted: int
) -> int:
    """Replace the pair at a stretch of places; not split, because a call per place is slow.

    Every new pair holds the new token, so its other token is enough to find it.
    """
    rows, heavy, places, notes, widths, by_left, by_right, _ = corpus
    left_width = widths[pairs[p, LEFT]]
    right_width = widths[pairs[p, RIGHT]]
    for place in range(start, stop):
        i = np.int64(places[place])
        if rows[i, PAIR] != p:
            continue
        j = i + left_width
        weight = weight_of(rows, heavy, i)
        state[TOKEN_COUNT] -= weight
        rows[i, ID] = token_id
        before = np.int64(rows[i, BEFORE])
        if before != NONE:
            neighbour = np.int64(rows[before, ID])
            if by_left[neighbour] == NONE:
                by_left[neighbour] = new_pair(pairs, state, neighbour, token_id)
            pairs[rows[before, PAIR], COUNT] -= weight
            note(notes, noted, rows, pairs, by_left[neighbour], before, weight)
            noted += 1
        pair_after = np.int64(rows[j, PAIR])
        rows[j, PAIR] = NONE  # in a run such as aaaa, j may be next in this walk
        if pair_after != NONE:
            after = j + right_width
            neighbour = np.int64(rows[after, ID])
            rows[after, BEFORE] = i
            if by_right[neighbour] == NONE:
                by_right[neighbour] = new_pair(pairs, state, token_id, neighbour)
            pairs[pair_after, COUNT] -= weight
            note(notes, noted, rows, pairs, by_right[neighbour], i, weight)
            noted += 1
        else:
            rows[i, PAIR] = NONE
    return noted


@borrowing
def note(notes: Places, n: int, rows: Rows, pairs: Table, p: int, i: int, weight: int) -> None:
    """Note that row `i` is now a place of the new pair `p`."""
    notes[n, 0] = p
    notes[n, 1] = i
    rows[i, PAIR] = p
    pairs[p, COUNT] += weight
    pairs[p, END] += 1


@inner
def with_room(table: Table, used: int, more: int) -> Table:
    """Return the table, or a larger copy if `more` rows do not fit."""
    if used + more <= table.shape[0]:
        return table
    room = table.shape[0] * 3 // 2
    if room < used + more:  # numba compiles `max` for 0.2 s
        room = used + more
    larger = np.empty((room, table.shape[1]), dtype=np.int64)
    for row in range(used):  # numba would compile `larger[:used] = table[:used]` for seconds
        for column in range(table.shape[1]):
            larger[row, column] = table[row, column]
    return larger


@borrowing
def most_born(pairs: Table, state: Table, p: int) -> int:
    """Return an upper bound on the pairs that merging `p` makes: one per side and neighbor."""
    neighbours = pairs[p, COUNT] if pairs[p, COUNT] < state[NEXT_TOKEN_ID] else state[NEXT_TOKEN_ID]
    return 2 * (neighbours + 1)


@compiled
def merge_pair(corpus: Corpus, pairs: Table, heap: Table, state: Table, p: int) -> tuple[Table, Table]:
    """Replace pair `p` everywhere with the next token; return `pairs` and `heap`, larger if needed."""
    born = most_born(pairs, state, p)
    pairs = with_room(pairs, state[PAIRS], born)
    heap = with_room(heap, state[HEAP_SIZE], born)
    merge_within(corpus, pairs, heap, state, p)
    return pairs, heap


@borrowing
def merge_within(corpus: Corpus, pairs: Table, heap: Table, state: Table, p: int) -> None:
    """Replace pair `p` everywhere with the next token; `pairs` and `heap` must have room."""
    token_id = state[NEXT_TOKEN_ID]
    first_new = state[PAIRS]
    corpus.widths[token_id] = corpus.widths[pairs[p, LEFT]] + corpus.widths[pairs[p, RIGHT]]
    noted = replace_pair(corpus, pairs, state, p, token_id)
    make_room(pairs, state, first_new)
    for n in range(noted):
        add_place(pairs, corpus.places, np.int64(corpus.notes[n, 0]), np.int64(corpus.notes[n, 1]))
    for new in range(first_new, state[PAIRS]):
        corpus.by_left[pairs[new, LEFT]] = NONE
        corpus.by_right[pairs[new, RIGHT]] = NONE
        if pairs[new, COUNT] > 0:
            push(heap, state, pairs[new, COUNT], first_place(corpus.rows, corpus.places, pairs, new), new)
    end_merge(corpus, state)


@borrowing
def end_merge(corpus: Corpus, state: Table) -> None:
    """Give the next id to the next token."""
    state[NEXT_TOKEN_ID] += 1
    corpus.births[state[NEXT_TOKEN_ID]] = state[PAIRS]


@compiled
def skip_merge(corpus: Corpus, state: Table) -> None:
    """Let the next token be one that this corpus does not have."""
    end_merge(corpus, state)


@borrowing
def find_pair(corpus: Corpus, pairs: Table, left: int, right: int) -> int:
    """Return the number of a pair of tokens, or NONE if the corpus does not have it.

    All pairs of a token with older ones are made by the merge that makes the token.
    """
    newer = left if left > right else right
    first, end = ZERO, corpus.births[BYTES]
    if newer >= BYTES:
        first, end = corpus.births[newer], corpus.births[newer + 1]
    for p in range(first, end):
        if pairs[p, LEFT] == left and pairs[p, RIGHT] == right and pairs[p, COUNT] > 0:
            return p
    return NONE


@compiled
def pair_of(corpus: Corpus, pairs: Table, left: int, right: int) -> int:
    """Return the number of a pair: `find_pair` for Python."""
    return find_pair(corpus, pairs, left, right)


@compiled
def merge_best(
    corpus: Corpus, pairs: Table, heap: Table, state: Table, merges: Table, min_count: int
) -> tuple[Table, Table, int]:
    """Fill `merges` with rows (left, right, count, tokens left); return `pairs`, `heap` and the rows filled."""
    for n in range(merges.shape[0]):
        p = best_pair(corpus.rows, corpus.places, pairs, heap, state)
        if p == NONE or pairs[p, COUNT] < min_count:
            return pairs, heap, n
        merges[n, 0], merges[n, 1], merges[n, 2] = pairs[p, LEFT], pairs[p, RIGHT], pairs[p, COUNT]
        pairs, heap = merge_pair(corpus, pairs, heap, state, p)
        merges[n, 3] = state[TOKEN_COUNT]
    return pairs, heap, merges.shape[0]


# ---- several corpora at once, of which the one with the most tokens chooses


@borrowing
def is_more(tokens: int, unit: int, others: int, other_unit: int) -> bool:
    """Tell whether `tokens / unit` is more than `others / other_unit`, exactly and without large products."""
    while True:
        whole, other_whole = tokens // unit, others // other_unit
        if whole != other_whole:
            return whole > other_whole
        tokens, others = tokens % unit, others % other_unit
        if tokens == 0 or others == 0:
            return tokens > others
        tokens, unit, others, other_unit = other_unit, others, unit, tokens


@compiled
def merge_in_turns(
    trained: tuple[Part, ...], scales: tuple[Part, ...], units: Table, merges: Table, tokens: Table, min_count: int
) -> tuple[int, bool]:
    """Fill `merges` with rows (group, left, right, count), and `tokens` with those in each scale and in all.

    Each round serves the group whose scale has the most tokens per unit. Returns the rows filled, and whether it
    stopped because a table needs room. A group may be its own scale.
    """
    for n in range(merges.shape[0]):
        served, p = group_to_serve(trained, scales, units, min_count)
        if served == NONE:
            return n, False
        left, right = trained[served].pairs[p, LEFT], trained[served].pairs[p, RIGHT]
        if not (all_have_room(trained, left, right) and all_have_room(scales, left, right)):
            return n, True
        merges[n, 0], merges[n, 1], merges[n, 2] = served, left, right
        merges[n, 3] = trained[served].pairs[p, COUNT]
        for group in range(units.size):
            merge_or_skip(trained[group], left, right)
            if scales[group].state[NEXT_TOKEN_ID] < trained[group].state[NEXT_TOKEN_ID]:
                merge_or_skip(scales[group], left, right)
            tokens[n, group] = scales[group].state[TOKEN_COUNT]
            tokens[n, units.size] += trained[group].state[TOKEN_COUNT]
    return merges.shape[0], False


@borrowing
def group_to_serve(
    trained: tuple[Part, ...], scales: tuple[Part, ...], units: Table, min_count: int
) -> tuple[int, int]:
    """Return the group with the most tokens per unit among those that have a pair left, and its best pair."""
    served, chosen = np.int64(NONE), np.int64(NONE)
    for group in range(units.size):
        part, now = trained[group], scales[group].state[TOKEN_COUNT]
        if served != NONE and not is_more(now, units[group], scales[served].state[TOKEN_COUNT], units[served]):
            continue
        p = best_pair(part.corpus.rows, part.corpus.places, part.pairs, part.heap, part.state)
        if p != NONE and part.pairs[p, COUNT] >= min_count:
            served, chosen = np.int64(group), np.int64(p)
    return int(served), int(chosen)


@borrowing
def all_have_room(parts: tuple[Part, ...], left: int, right: int) -> bool:
    """Tell whether the tables of all parts have room for the pairs that this merge makes."""
    for part in parts:
        p = find_pair(part.corpus, part.pairs, left, right)
        born = most_born(part.pairs, part.state, p) if p != NONE else ZERO
        if part.state[PAIRS] + born > part.pairs.shape[0] or part.state[HEAP_SIZE] + born > part.heap.shape[0]:
            return False
    return True


@borrowing
def merge_or_skip(part: Part, left: int, right: int) -> None:
    """Merge a pair of tokens where there is one; the token gets its id in any case."""
    p = find_pair(part.corpus, part.pairs, left, right)
    if p == NONE:
        end_merge(part.corpus, part.state)
    else:
        merge_within(part.corpus, part.pairs, part.heap, part.state, p)
