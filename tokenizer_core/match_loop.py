"""The compiled loop under `cutter` for split patterns of one's own: it follows the program of a pattern.

One loop runs every program, so that a new pattern needs no compiling, which would take seconds. Where the program
may come back, it notes the step and the place on a stack; a run of characters takes one note, however long it is.
A pattern can be so made that all ways through a text are more than anyone can try. So steps are counted, and the
loop gives up when they are spent, or when the stack is full: `regex` then cuts what is left.
"""

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.compiled import borrowing
from tokenizer_core.cut_loop import kind_at, next_start
from tokenizer_core.own_patterns.program import Program
from tokenizer_core.own_patterns.steps import (
    BEHOLD,
    END,
    HELD_RUN,
    JUMP,
    LET_GO,
    MATCH,
    RUN,
    SPLIT,
    TAKE,
    TRY,
)

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]
Sets = NDArray[np.bool_]

CUT_LOOP = "463e9eedf3a83115"
"""The beginning of the SHA-256 of cut_loop.py, as in count_loop.py."""
STEPS = "e9a0d58a753cd2e7"
"""The same of steps.py."""

# Where the loop is: the number of the text, the place in it, pretokens up to there, steps that it still may do.
TEXT, PLACE, FOUND, LEFT = range(4)
# A note on the stack: the step to come back to, the place, and where a run may be cut at the earliest, or one of
# these: nothing is cut; what follows is held, which the numbers below it say, too, with where the note of what is
# held around it is.
STEP, AT, LOWEST = range(3)
_PLAIN = -1
_HELD = -2
NO_MATCH, GAVE_UP = -1, -2


@borrowing
def stands(text: Bytes, i: int, end: int, kinds: Bytes, sets: Sets, row: int) -> bool:
    """Tell whether a character of a set stands at `i`."""
    return i < end and sets[row, kind_at(text, i, kinds)]


@borrowing
def ends_at(text: Bytes, i: int, end: int, of: int) -> bool:
    """Tell whether the text ends at `i`, or its last line, or any line."""
    return i == end or (of > 0 and text[i] == 10 and (of == 2 or i + 1 == end))


@borrowing
def run_stops(
    text: Bytes, i: int, end: int, kinds: Bytes, sets: Sets, row: int, least: int, most: int
) -> tuple[int, int]:
    """Return where a run of characters of a set ends, and the earliest place to cut it; -1 if it is too short."""
    taken, lowest = 0, i if least == 0 else NO_MATCH
    while taken < most and stands(text, i, end, kinds, sets, row):
        i = next_start(text, i)
        taken += 1
        if taken == least:
            lowest = i
    return i, lowest


@borrowing
def note(stack: Numbers, top: int, step: int, i: int, lowest: int) -> int:
    """Note where to come back to; return how many notes there are now."""
    stack[top, STEP], stack[top, AT], stack[top, LOWEST] = step, i, lowest
    return top + 1


@borrowing
def come_back(text: Bytes, steps: Numbers, stack: Numbers, top: int, held: int) -> tuple[int, int, int, int]:
    """Return the step and the place of the last note, the notes that are left, and the innermost that is held."""
    while top > 0:
        step, i, lowest = stack[top - 1, STEP], stack[top - 1, AT], stack[top - 1, LOWEST]
        if lowest >= 0:  # a run: cut it one character shorter
            i -= 1
            while text[i] & 0xC0 == 0x80:
                i -= 1
            stack[top - 1, AT] = i
            return step, i, top - (i == lowest), held
        top -= 1
        if lowest == _PLAIN:
            return step, i, top, held
        held = _HELD - 1 - lowest
        if steps[step, 1] == 2:  # what must not follow does not
            return steps[step, 2], i, top, held
    return NO_MATCH, 0, 0, held


@borrowing
def match_end(text: Bytes, i: int, end: int, program: Program, stack: Numbers, state: Numbers) -> int:
    """Return where the match that starts at `i` ends."""
    kinds, steps, sets = program
    step, top, held, left = 0, 0, -1, state[LEFT]
    while left > 0 and top < len(stack) - 1 and step != NO_MATCH:
        left -= 1
        does, a, b = steps[step, 0], steps[step, 1], steps[step, 2]
        then, fits = step + 1, True
        if does == TAKE:
            fits = stands(text, i, end, kinds, sets, a)
            i = next_start(text, i) if fits else i
        elif does in (RUN, HELD_RUN):
            stop, lowest = run_stops(text, i, end, kinds, sets, a, b, steps[step, 3])
            left -= stop - i
            fits = lowest != NO_MATCH
            if does == RUN and fits and stop > lowest:
                top = note(stack, top, then, stop, lowest)
            i = stop
        elif does in (SPLIT, TRY):
            if does == SPLIT or stands(text, i, end, kinds, sets, b):
                top = note(stack, top, a, i, _PLAIN)
            else:
                then = a
        elif does == JUMP:
            then = a
        elif does == MATCH:
            state[LEFT] = left
            return i
        elif does == BEHOLD:
            held, top = top, note(stack, top, step, i, _HELD - 1 - held)
        elif does == LET_GO:
            top, held, fits = held, _HELD - 1 - stack[held, LOWEST], a != 2
            i = stack[top, AT] if a == 1 else i
        else:
            fits = ends_at(text, i, end, a) if does == END else stands(text, i, end, kinds, sets, a) == b
        step = then
        if not fits:
            step, i, top, held = come_back(text, steps, stack, top, held)
    state[LEFT] = left if step == NO_MATCH else -1
    return NO_MATCH if step == NO_MATCH else GAVE_UP


@borrowing
def next_match(text: Bytes, i: int, end: int, program: Program, stack: Numbers, state: Numbers) -> tuple[int, int]:
    """Return where the next match starts, from `i` on, and where it ends; the end of the text if there is none."""
    while i < end:
        if program.sets[0, kind_at(text, i, program.kinds)]:
            stop = match_end(text, i, end, program, stack, state)
            if stop != NO_MATCH:
                return i, stop
        i = next_start(text, i)
    return end, NO_MATCH


@borrowing
def cut(
    text: Bytes, edges: Numbers, program: Program, stack: Numbers, state: Numbers, before: Numbers, ends: Numbers
) -> int:
    """Note where the next pretokens end until `ends` is full; return how many.

    The texts lie end to end, from one edge to the next. What stands between two matches is a pretoken, too.
    `before` takes how many pretokens there are up to each edge.
    """
    n, i, found = state[TEXT], state[PLACE], 0
    while n < edges.size - 1:
        while i < edges[n + 1] and found + 2 <= ends.size:
            start, stop = next_match(text, i, edges[n + 1], program, stack, state)
            if stop == GAVE_UP:
                break
            if start > i:
                ends[found] = i = start
                found += 1
            if stop != NO_MATCH:
                ends[found] = i = stop
                found += 1
        if i < edges[n + 1]:
            break
        n += 1
        before[n] = state[FOUND] + found
    state[TEXT], state[PLACE] = n, i
    state[FOUND] += found
    return found
