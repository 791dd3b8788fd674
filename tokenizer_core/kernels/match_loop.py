"""The compiled loop under `cutter` for user-written split patterns: it follows the program of a pattern.

One loop runs every program, so a new pattern needs no compiling, which would take seconds. Where the program
may come back, the loop notes the step and the place on a stack; a run of any length takes one note.
Some patterns have more ways through a text than anyone can try. So steps are counted, and the loop gives up when
they are spent or when the stack is full: `regex` then cuts the rest.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.kernels.compiled import borrowing, compiled
from tokenizer_core.kernels.cut_loop import kind_at, next_start

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]
Sets = NDArray[np.bool_]

NO_BOUND = 2**62

# Three numbers follow each step. A "set" is a row of `Program.sets`, and a "step" a row of `Program.steps`.
MATCH = 0  # the pattern has matched
TAKE = 1  # take one character of a set
RUN = 2  # take characters of a set: at least, at most; give back if what follows does not fit
POSSESSIVE_RUN = 3  # the same, without giving back
TRY = 4  # go on if a character of a set is here, and come back to a step if that fails; else go to that step
SPLIT = 5  # go on, and come back to a step if that fails
JUMP = 6  # go to a step
ENTER = 7  # an atomic group or a lookahead starts, up to LEAVE; the step after it, if it must not match
LEAVE = 8  # 0: forget the places to come back to. 1: also go back to where ENTER was. 2: fail
LOOKAHEAD = 9  # a character of a set is here; or, if the second number is 0, none
END = 10  # 0: the text ends here. 1: or only a last line end follows. 2: or any line end follows


class Program(NamedTuple):
    """A pattern, ready to run."""

    kinds: NDArray[np.uint8]
    """The kind of each code point."""
    steps: NDArray[np.int64]
    """What to do, four numbers in a row."""
    sets: NDArray[np.bool_]
    """Sets of kinds; the first holds those with which a match can begin."""


# The state of the loop: number of the text, place in it, pretokens up to there, steps left.
TEXT, PLACE, FOUND, LEFT = range(4)
# A note on the stack: the step to come back to, the place, and the earliest place where a run may be cut. Without
# a run the third number is _PLAIN, or, for an atomic group, _ATOMIC - 1 - n: n is the note of the group around it.
STEP, AT, LOWEST = range(3)
_PLAIN = -1
_ATOMIC = -2
NO_MATCH, GAVE_UP = -1, -2


@borrowing
def is_in_set(text: Bytes, i: int, end: int, kinds: Bytes, sets: Sets, row: int) -> bool:
    """Tell whether the character at `i` is in a set."""
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
    while taken < most and is_in_set(text, i, end, kinds, sets, row):
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
def come_back(text: Bytes, steps: Numbers, stack: Numbers, top: int, group: int) -> tuple[int, int, int, int]:
    """Return the step and the place of the last note, the notes left, and the innermost atomic group's note."""
    while top > 0:
        step, i, lowest = stack[top - 1, STEP], stack[top - 1, AT], stack[top - 1, LOWEST]
        if lowest >= 0:  # a run: cut it one character shorter
            i -= 1
            while text[i] & 0xC0 == 0x80:
                i -= 1
            stack[top - 1, AT] = i
            return step, i, top - (i == lowest), group
        top -= 1
        if lowest == _PLAIN:
            return step, i, top, group
        group = _ATOMIC - 1 - lowest
        if steps[step, 1] == 2:  # what must not follow does not
            return steps[step, 2], i, top, group
    return NO_MATCH, 0, 0, group


@borrowing
def match_end(text: Bytes, i: int, end: int, program: Program, stack: Numbers, state: Numbers) -> int:
    """Return where the match that starts at `i` ends."""
    kinds, steps, sets = program
    step, top, group, left = 0, 0, -1, state[LEFT]
    while left > 0 and top < len(stack) - 1 and step != NO_MATCH:
        left -= 1
        does, a, b = steps[step, 0], steps[step, 1], steps[step, 2]
        then, fits = step + 1, True
        if does == TAKE:
            fits = is_in_set(text, i, end, kinds, sets, a)
            i = next_start(text, i) if fits else i
        elif does in (RUN, POSSESSIVE_RUN):
            stop, lowest = run_stops(text, i, end, kinds, sets, a, b, steps[step, 3])
            left -= stop - i
            fits = lowest != NO_MATCH
            if does == RUN and fits and stop > lowest:
                top = note(stack, top, then, stop, lowest)
            i = stop
        elif does in (SPLIT, TRY):
            if does == SPLIT or is_in_set(text, i, end, kinds, sets, b):
                top = note(stack, top, a, i, _PLAIN)
            else:
                then = a
        elif does == JUMP:
            then = a
        elif does == MATCH:
            state[LEFT] = left
            return i
        elif does == ENTER:
            group, top = top, note(stack, top, step, i, _ATOMIC - 1 - group)
        elif does == LEAVE:
            top, group, fits = group, _ATOMIC - 1 - stack[group, LOWEST], a != 2
            i = stack[top, AT] if a == 1 else i
        else:
            fits = ends_at(text, i, end, a) if does == END else is_in_set(text, i, end, kinds, sets, a) == b
        step = then
        if not fits:
            step, i, top, group = come_back(text, steps, stack, top, group)
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


@compiled
def cut(
    text: Bytes, edges: Numbers, program: Program, stack: Numbers, state: Numbers, before: Numbers, ends: Numbers
) -> int:
    """Note where the next pretokens end until `ends` is full; return how many.

    The texts lie end to end, from one edge to the next. Text between two matches is a pretoken, too. `before`
    receives the number of pretokens up to each edge.
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
