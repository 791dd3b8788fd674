"""Lay out the parts of a pattern as a program: rows of numbers that `match_loop` follows.

It tries alternatives as `regex` does, the first that fits, and comes back to the others if what follows does not
fit. Each place where it may come back says with which characters the alternative can begin at all, so that most
are never tried.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.own_patterns.characters import MAX_KINDS, kinds_of
from tokenizer_core.own_patterns.parts import (
    Ahead,
    Characters,
    Choice,
    End,
    Held,
    Part,
    Repeat,
    Sequence,
    classes_of,
    may_be_empty,
)
from tokenizer_core.own_patterns.reading import parts_of_pattern
from tokenizer_core.own_patterns.steps import (
    AHEAD,
    BEHOLD,
    END,
    HELD_RUN,
    JUMP,
    LET_GO,
    MATCH,
    NO_BOUND,
    RUN,
    SPLIT,
    TAKE,
    TRY,
)

MAX_STEPS = 4_000
"""Rows of a program; a group that is repeated up to so many times stands there as often."""

_ENDS = {"text": 0, "last_line": 1, "line": 2}


class Program(NamedTuple):
    """A pattern, ready to run."""

    kinds: NDArray[np.uint8]
    """The kind of each code point."""
    steps: NDArray[np.int64]
    """What to do, four numbers in a row."""
    sets: NDArray[np.bool_]
    """Sets of kinds; the first holds those with which a match can begin."""


@lru_cache(maxsize=256)
def is_known(source: str) -> bool:
    """Tell whether a regular expression that compiles is made of known parts only."""
    return parts_of_pattern(source) is not None


def program_of(source: str) -> Program | None:
    """Return the program of a regular expression that compiles; None if it has none.

    >>> program = program_of("a+b?")
    >>> program.steps.tolist() == [[RUN, 0, 1, NO_BOUND], [RUN, 1, 0, 1], [MATCH, 0, 0, 0]]
    True
    """
    part = parts_of_pattern(source)
    if part is None:
        return None
    classes = classes_of(part)
    known = kinds_of(classes)
    if known is None:
        return None
    kinds, holds = known
    layout = _Layout(dict(zip(classes, holds)))
    try:
        layout.set_row(layout.first(part))
        layout.part(part)
        layout.step(MATCH)
    except _TooLong:
        return None
    return Program(kinds, np.array(layout.steps, dtype=np.int64), np.stack(layout.sets))


class _TooLong(Exception):
    """The program would be too long."""


class _Layout:
    """Writes the steps of a program."""

    def __init__(self, holds: dict[Characters, NDArray[np.bool_]]) -> None:
        self.holds = holds
        self.steps: list[list[int]] = []
        self.sets: list[NDArray[np.bool_]] = []
        self.rows: dict[bytes, int] = {}

    def step(self, does: int, a: int = 0, b: int = 0, c: int = 0) -> int:
        """Write a step; return its number."""
        if len(self.steps) >= MAX_STEPS:
            raise _TooLong
        self.steps.append([does, a, b, c])
        return len(self.steps) - 1

    def set_row(self, kinds: NDArray[np.bool_]) -> int:
        """Return the row of a set, which is new if there is none like it."""
        row = self.rows.setdefault(kinds.tobytes(), len(self.sets))
        if row == len(self.sets):
            self.sets.append(kinds)
        return row

    def part(self, part: Part) -> None:
        """Write the steps of a part."""
        match part:
            case Characters():
                self.step(TAKE, self.set_row(self.holds[part]))
            case Sequence(parts):
                for each in parts:
                    self.part(each)
            case Choice(parts):
                self.choice(parts)
            case Repeat(Characters() as repeated, least, most, "greedy" | "possessive" as way):
                run = RUN if way == "greedy" else HELD_RUN
                self.step(run, self.set_row(self.holds[repeated]), least, NO_BOUND if most is None else most)
            case Repeat(_, _, _, "possessive"):
                self.held(Repeat(part.part, part.least, part.most, "greedy"), 0)
            case Repeat():
                self.repeat(part)
            case Held(held):
                self.held(held, 0)
            case Ahead(Characters() as follows, wanted):
                self.step(AHEAD, self.set_row(self.holds[follows]), int(wanted))
            case Ahead(follows, wanted):
                self.held(follows, 1 if wanted else 2)
            case End(of):
                self.step(END, _ENDS[of])

    def held(self, part: Part, then: int) -> None:
        """Write a part to which nobody comes back once it has matched."""
        start = self.step(BEHOLD, then)
        self.part(part)
        self.step(LET_GO, then)
        self.steps[start][2] = len(self.steps)

    def choice(self, parts: Iterable[Part]) -> None:
        """Write alternatives."""
        *others, last = parts
        jumps = []
        for other in others:
            start = self.split(other)
            self.part(other)
            jumps.append(self.step(JUMP))
            self.steps[start][1] = len(self.steps)
        self.part(last)
        for jump in jumps:
            self.steps[jump][1] = len(self.steps)

    def split(self, part: Part) -> int:
        """Write that a part is tried; return the number of the step, which must be told where to go else."""
        return self.step(SPLIT) if may_be_empty(part) else self.step(TRY, 0, self.set_row(self.first(part)))

    def repeat(self, repeat: Repeat) -> None:
        """Write a repeat that stands there as often as it may be repeated."""
        part, is_lazy = repeat.part, repeat.way == "lazy"
        for _ in range(repeat.least):
            self.part(part)
        starts = []
        for _ in range(1 if repeat.most is None else repeat.most - repeat.least):
            start = self.step(SPLIT) if is_lazy else self.split(part)
            if is_lazy:
                self.steps[start][1] = start + 2
                start = self.step(JUMP)
            starts.append(start)
            self.part(part)
        if repeat.most is None:
            self.step(JUMP, starts[0] - is_lazy)
        for start in starts:
            self.steps[start][1] = len(self.steps)

    def first(self, part: Part) -> NDArray[np.bool_]:
        """Return the kinds with which a part can begin, if it is not empty."""
        match part:
            case Characters():
                return self.holds[part]
            case Choice(parts):
                return _any(map(self.first, parts))
            case Sequence(parts):
                empty = [*map(may_be_empty, parts), False].index(False)  # those before it
                return _any(map(self.first, parts[: empty + 1]))
            case Repeat(inner) | Held(inner):
                return self.first(inner)
            case _:
                return _any([])


def _any(sets: Iterable[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """Return what is in any of the sets."""
    found = np.zeros(MAX_KINDS, dtype=np.bool_)
    for each in sets:
        found |= each
    return found
