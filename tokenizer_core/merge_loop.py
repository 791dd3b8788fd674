"""The compiled loop under `Trainer`: it finds and applies merges, and touches only what a merge changes.

All distinct pretokens lie end to end, in order of first appearance, with one row of `rows` per byte. A token uses
the row of its first byte; the rows of its other bytes are dead. Each pair has a linked list of its occurrences.
One round adds all occurrences of a pair, in corpus order, and later rounds only remove some. So the head of the
list is always the first occurrence in the corpus, and breaking ties costs nothing.
"""

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.compiled import borrowing, compiled

Rows = NDArray[np.int32]
Table = NDArray[np.int64]

# One row of 32 bytes per position is half a cache line: faster than seven arrays, because a merge reads them all.
ID, NEXT, PREVIOUS, NEXT_SAME, PREVIOUS_SAME, PAIR, WEIGHT, WEIGHT_HIGH = range(8)
# A count has 62 bits, in two columns of 31: 100 GB of English have more than 2**31 of " the".
ROW_WIDTH = 8
_HALF = 31
_LOW = 2**_HALF - 1
# A pair: its tokens, its weighted count, its first and last occurrence.
LEFT, RIGHT, COUNT, HEAD, TAIL = range(5)
PAIR_WIDTH = 5
# A heap entry: the count and first occurrence when last noted, and the pair. Both only get worse over time, so an
# entry that is still right when it reaches the top is the best one. A stale entry is refreshed there.
HEAP_COUNT, HEAP_FIRST, HEAP_PAIR = range(3)
# The state of the loop: rows in use in the table of pairs, heap entries, next token id, tokens in the corpus.
PAIRS, HEAP_SIZE, NEXT_TOKEN_ID, TOKEN_COUNT = range(4)
NONE = -1
# numba compiles a function anew for a number written in a call, and for int32: all here are int64.
TOP = np.int64(0)


@borrowing
def lay_out(rows: Rows, text: NDArray[np.uint8], ends: Table, weights: Table) -> None:
    """Fill `rows`, of shape (bytes, 8), from the bytes of all distinct pretokens."""
    start = 0
    for p in range(ends.size):
        end = ends[p]
        for i in range(start, end):
            rows[i, ID] = text[i]
            rows[i, NEXT] = i + 1 if i + 1 < end else NONE
            rows[i, PREVIOUS] = i - 1 if i > start else NONE
            rows[i, PAIR] = NONE
            rows[i, WEIGHT] = weights[p] & _LOW
            rows[i, WEIGHT_HIGH] = weights[p] >> _HALF
        start = end


@compiled
def weight_of(rows: Rows, i: int) -> int:
    """Return how often the pretoken of this row occurs."""
    return np.int64(rows[i, WEIGHT_HIGH]) << _HALF | rows[i, WEIGHT]


@compiled
def index_pairs(rows: Rows, state: Table) -> tuple[Table, Table]:
    """Return the table of pairs of neighboring bytes, with their occurrences linked, and the heap over it."""
    number_of = np.full(65_536, NONE, dtype=np.int64)
    pairs = np.empty((65_536, PAIR_WIDTH), dtype=np.int64)
    heap = np.empty((65_536, 3), dtype=np.int64)
    state[PAIRS] = 0
    state[HEAP_SIZE] = 0
    for i in range(rows.shape[0]):
        j = rows[i, NEXT]
        if j != NONE:
            key = rows[i, ID] * 256 + rows[j, ID]
            if number_of[key] == NONE:
                number_of[key] = new_pair(pairs, state, np.int64(rows[i, ID]), np.int64(rows[j, ID]))
            add_occurrence(rows, pairs, number_of[key], i)
    for p in range(state[PAIRS]):
        push(heap, state, pairs[p, COUNT], pairs[p, HEAD], p)
    return pairs, heap


@borrowing
def new_pair(pairs: Table, state: Table, left: int, right: int) -> int:
    """Add a row to the table of pairs; return its number."""
    p = state[PAIRS]
    pairs[p, LEFT] = left
    pairs[p, RIGHT] = right
    pairs[p, COUNT] = 0
    pairs[p, HEAD] = NONE
    pairs[p, TAIL] = NONE
    state[PAIRS] += 1
    return p


@borrowing
def add_occurrence(rows: Rows, pairs: Table, p: int, i: int) -> None:
    """Append position `i` to the occurrences of pair `p`; positions must come in rising order."""
    tail = pairs[p, TAIL]
    rows[i, PAIR] = p
    rows[i, PREVIOUS_SAME] = tail
    rows[i, NEXT_SAME] = NONE
    if tail == NONE:
        pairs[p, HEAD] = i
    else:
        rows[tail, NEXT_SAME] = i
    pairs[p, TAIL] = i
    pairs[p, COUNT] += weight_of(rows, i)


@borrowing
def remove_occurrence(rows: Rows, pairs: Table, i: int) -> None:
    """Remove position `i` from the occurrences of its pair."""
    p = rows[i, PAIR]
    before = rows[i, PREVIOUS_SAME]
    after = rows[i, NEXT_SAME]
    if before == NONE:
        pairs[p, HEAD] = after
    else:
        rows[before, NEXT_SAME] = after
    if after == NONE:
        pairs[p, TAIL] = before
    else:
        rows[after, PREVIOUS_SAME] = before
    pairs[p, COUNT] -= weight_of(rows, i)
    rows[i, PAIR] = NONE


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
    parent = TOP
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
def best_pair(pairs: Table, heap: Table, state: Table) -> int:
    """Return the pair to merge next and leave it at the top of the heap; return NONE if no pair is left."""
    while state[HEAP_SIZE] > 0:
        p = heap[0, HEAP_PAIR]
        if pairs[p, COUNT] == 0:
            state[HEAP_SIZE] -= 1
            swap(heap, TOP, state[HEAP_SIZE])
        elif heap[0, HEAP_COUNT] == pairs[p, COUNT] and heap[0, HEAP_FIRST] == pairs[p, HEAD]:
            return p
        else:
            heap[0, HEAP_COUNT] = pairs[p, COUNT]
            heap[0, HEAP_FIRST] = pairs[p, HEAD]
        sift_down(heap, state)
    return NONE


@borrowing
def replace_pair(
    rows: Rows, pairs: Table, state: Table, by_left: Table, by_right: Table, p: int, token_id: int
) -> None:
    """Replace each occurrence of pair `p`, left to right, with `token_id`; one function, because it is one walk.

    Every new pair holds the new token, so its other token is enough to find it: `by_left[x]` is the pair
    (x, new), and `by_right[x]` is the pair (new, x).
    """
    i = pairs[p, HEAD]
    while i != NONE:
        j = np.int64(rows[i, NEXT])
        before = np.int64(rows[i, PREVIOUS])
        after = rows[j, NEXT]
        rows[i, ID] = token_id
        rows[i, NEXT] = after
        state[TOKEN_COUNT] -= weight_of(rows, i)
        if before != NONE:
            neighbour = np.int64(rows[before, ID])
            if rows[before, PAIR] != NONE:
                remove_occurrence(rows, pairs, before)
            if by_left[neighbour] == NONE:
                by_left[neighbour] = new_pair(pairs, state, neighbour, token_id)
            add_occurrence(rows, pairs, by_left[neighbour], before)
        if after != NONE:
            remove_occurrence(rows, pairs, j)  # in a run such as aaaa, j may be next in the list of this walk
        following = np.int64(rows[i, NEXT_SAME])
        if after != NONE:
            neighbour = np.int64(rows[after, ID])
            rows[after, PREVIOUS] = i
            if by_right[neighbour] == NONE:
                by_right[neighbour] = new_pair(pairs, state, token_id, neighbour)
            add_occurrence(rows, pairs, by_right[neighbour], i)
        else:
            rows[i, PAIR] = NONE
        i = following
    pairs[p, COUNT] = 0
    pairs[p, HEAD] = NONE


@compiled
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


@compiled
def merge_pair(
    rows: Rows, pairs: Table, heap: Table, state: Table, by_left: Table, by_right: Table, p: int
) -> tuple[Table, Table]:
    """Replace pair `p` everywhere with the next token; return `pairs` and `heap`, larger if needed."""
    token_id = state[NEXT_TOKEN_ID]
    neighbours = pairs[p, COUNT] if pairs[p, COUNT] < token_id else token_id
    born = 2 * (neighbours + 1)  # upper bound on new pairs: one per side and neighbor
    pairs = with_room(pairs, state[PAIRS], born)
    heap = with_room(heap, state[HEAP_SIZE], born)
    first_new = state[PAIRS]
    replace_pair(rows, pairs, state, by_left, by_right, p, token_id)
    for new in range(first_new, state[PAIRS]):
        by_left[pairs[new, LEFT]] = NONE
        by_right[pairs[new, RIGHT]] = NONE
        if pairs[new, COUNT] > 0:
            push(heap, state, pairs[new, COUNT], pairs[new, HEAD], new)
    state[NEXT_TOKEN_ID] = token_id + 1
    return pairs, heap


@compiled
def merge_best(
    rows: Rows,
    pairs: Table,
    heap: Table,
    state: Table,
    by_left: Table,
    by_right: Table,
    merges: Table,
    min_count: int,
) -> tuple[Table, Table, int]:
    """Fill `merges` with rows (left, right, count, tokens left); return `pairs`, `heap` and the rows filled."""
    for n in range(merges.shape[0]):
        p = best_pair(pairs, heap, state)
        if p == NONE or pairs[p, COUNT] < min_count:
            return pairs, heap, n
        merges[n, 0], merges[n, 1], merges[n, 2] = pairs[p, LEFT], pairs[p, RIGHT], pairs[p, COUNT]
        pairs, heap = merge_pair(rows, pairs, heap, state, by_left, by_right, p)
        merges[n, 3] = state[TOKEN_COUNT]
    return pairs, heap, merges.shape[0]
