"""Cut texts by a split pattern and count the pretokens, in compiled code and without strings.

Each named pattern has a machine of its own; most other patterns are read into a program that one machine runs.
`regex` stays the plain twin, in `patterns`: it defines what is cut where, and cuts by all patterns that have no
program.
"""

import secrets
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core import count_loop, cut_loop, match_loop
from tokenizer_core.count_loop import BYTES, FREE, PLACES, ROWS
from tokenizer_core.kinds import character_kinds
from tokenizer_core.match_loop import FOUND, LEFT, PLACE, TEXT
from tokenizer_core.own_patterns.program import Program, is_known, program_of
from tokenizer_core.patterns import (
    HELD_CHARACTERS,
    SPLIT_PATTERNS,
    batches,
    compile_pattern,
    pattern_source,
    pretokenize_each,
)

_MACHINES = {
    SPLIT_PATTERNS["gpt2"]: cut_loop.GPT2,
    SPLIT_PATTERNS["cl100k"]: cut_loop.CL100K,
    SPLIT_PATTERNS["llama3"]: cut_loop.LLAMA3,
    SPLIT_PATTERNS["o200k"]: cut_loop.O200K,
    SPLIT_PATTERNS["mark_aware"]: cut_loop.MARK_AWARE,
    SPLIT_PATTERNS["none"]: cut_loop.NONE,
}
_SECRET = np.int64(secrets.randbits(63) | 1)
_FIRST_ROWS = 256

WORTH = 2**20
"""Bytes. Until a process has cut so many by a pattern of one's own, `regex` does it, in 0.3 s: the program takes
up to 0.1 s to make, and the loop two seconds to compile where nobody has used it yet."""
_AT_ONCE = 2**14
_NOTES = 2**16
_STEPS, _STEPS_PER_BYTE = 2**22, 50
"""Steps that a program may do: 20 ms, and 0.2 s for each megabyte. OpenAI's patterns do three for each byte."""


def is_compiled(pattern: str) -> bool:
    """Tell whether texts are cut by this pattern in compiled code; raise `PatternError` if it does not compile.

    >>> is_compiled("gpt2"), is_compiled(SPLIT_PATTERNS["gpt2"]), is_compiled("[a-z]+"), is_compiled("(?<=a)b")
    (True, True, True, False)
    """
    return is_named(pattern) or is_known(compile_pattern(pattern).pattern)


def is_named(pattern: str) -> bool:
    """Tell whether a pattern is a named one, by its name or its source.

    >>> is_named("gpt2"), is_named(SPLIT_PATTERNS["gpt2"]), is_named("[a-z]+")
    (True, True, False)
    """
    return pattern_source(pattern) in _MACHINES


def cutter_of(pattern: str) -> "Cutter":
    """Return what cuts by a pattern for which `is_compiled` holds."""
    return Cutter(pattern) if is_named(pattern) else OwnCutter(pattern)


class Tally:
    """Adds up counted pretokens, in order of first appearance.

    >>> tally = Tally()
    >>> one, two = Cutter("mark_aware"), Cutter("mark_aware")
    >>> one.add([b"a cat"]); two.add([b"a dog a"])
    >>> tally.add_counts(*one.pretokens()).tolist(), tally.add_counts(*two.pretokens()).tolist()
    ([0, 1], [0, 2, 3])
    >>> tally.pretokens()[2].tolist()
    [2, 1, 1, 1]
    """

    def __init__(self) -> None:
        self._used = np.zeros(3, dtype=np.int64)
        self._distinct = count_loop.Distinct(
            np.empty(16 * _FIRST_ROWS, dtype=np.uint8),
            np.empty(_FIRST_ROWS, dtype=np.int64),
            np.empty(_FIRST_ROWS, dtype=np.int64),
            np.full((2 * _FIRST_ROWS, 4), FREE, dtype=np.int64),
        )

    @property
    def held_bytes(self) -> int:
        """Memory that the pretokens and the table to find them take."""
        return sum(array.nbytes for array in self._distinct)

    def add_counts(
        self, text: NDArray[np.uint8], ends: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Add pretokens that lie end to end, with their counts; return the number of each among all so far."""
        text = text.view()
        text.flags.writeable = False  # numba compiles anew for bytes that may be written,
        ends, counts = (np.require(each, requirements="W") for each in (ends, counts))  # and numbers that may not
        distinct, rows = count_loop.add_counts(self._distinct, self._used, text, ends, counts, _SECRET)
        self._distinct = count_loop.Distinct(*distinct)
        numbers: NDArray[np.int32] = rows
        return numbers

    def pretokens(self, since: int = 0) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return the bytes of the distinct pretokens, end to end, where each ends, and how often each occurs.

        `since` leaves out the first so many.
        """
        rows = self._used[ROWS]
        start = self._distinct.ends[since - 1] if since else 0
        text = self._distinct.text[start : self._used[BYTES]]
        text.flags.writeable = False
        return text, self._distinct.ends[since:rows] - start, self._distinct.counts[since:rows].copy()


class Cutter(Tally):
    """Numbers the distinct pretokens of texts in order of first appearance, and counts them.

    >>> cutter = Cutter("mark_aware")
    >>> cutter.add([b"a cat a", b"a dog"])
    >>> text, ends, counts = cutter.pretokens()
    >>> bytes(text), ends.tolist(), counts.tolist()
    (b'a cat a dog', [1, 5, 7, 11], [2, 1, 1, 1])
    """

    def __init__(self, pattern: str) -> None:
        """Take a named pattern."""
        self._pattern = pattern_source(pattern)
        super().__init__()

    def add(self, texts: Sequence[bytes]) -> None:
        """Cut and count more texts, each separately; they must be valid UTF-8."""
        for _ in self.adding(texts):
            pass

    def adding(self, texts: Sequence[bytes]) -> Iterator[int]:
        """Do the same, and yield how many bytes more are counted now and then, so that the caller can say so."""
        return self._run(*_joined(texts), np.empty(0, dtype=np.int32))

    def number(self, texts: Sequence[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Do the same, and return the number of each pretoken, and how many there are up to the end of each text.

        >>> Cutter("mark_aware").number([b"a cat a", b"", b"a dog"])
        (array([0, 1, 2, 0, 3], dtype=int32), array([3, 3, 5]))
        """
        joined, edges = _joined(texts)
        places = np.empty(joined.size, dtype=np.int32)
        for _ in self._run(joined, edges, places):
            pass
        return places[: edges[-1]], edges[1:]

    def numbering(self, text: bytes) -> Generator[int, None, NDArray[np.int32]]:
        """Do the same with one text, and yield how many bytes more are cut now and then."""
        joined, edges = _joined([text])
        places = np.empty(joined.size, dtype=np.int32)
        yield from self._run(joined, edges, places)
        return places[: edges[-1]]

    def add_counted(self, other: Tally) -> None:
        """Add what was counted in texts that come after the texts of this one."""
        self.add_counts(*other.pretokens())

    def _run(
        self, joined: NDArray[np.uint8], edges: NDArray[np.int64], places: NDArray[np.int32]
    ) -> Iterator[int]:
        """Cut and count; each edge of the texts becomes the number of pretokens up to it."""
        self._used[PLACES] = 0
        self._distinct = count_loop.Distinct(
            *count_loop.number_pretokens(
                joined,
                edges,
                character_kinds(),
                _MACHINES[self._pattern],
                _SECRET,
                self._distinct,
                self._used,
                places,
            )
        )
        yield joined.size


def _joined(texts: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return texts end to end, and the edges between them."""
    edges = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=edges[1:])
    return np.frombuffer(texts[0] if len(texts) == 1 else b"".join(texts), dtype=np.uint8), edges


class _OwnPattern:
    """A pattern of one's own that this process has cut by."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.bytes_cut = 0

    @cached_property
    def program(self) -> Program | None:
        """The program; None if it would be too long, or tell too many kinds of characters apart."""
        return program_of(self._source)


@lru_cache(maxsize=16)
def _own_pattern(source: str) -> _OwnPattern:
    return _OwnPattern(source)


class OwnCutter(Cutter):
    """Does the same for a pattern of one's own: by its program, or by `regex` if that is faster.

    When the program gives up, `regex` cuts the rest, and takes what time it may; so the cuts are always its own.

    >>> cutter = OwnCutter("[a-z]+")
    >>> cutter.number([b"a cat", b"a"])
    (array([0, 1, 2, 0], dtype=int32), array([3, 4]))
    """

    def __init__(self, pattern: str) -> None:
        """Take a pattern for which `is_compiled` holds."""
        super().__init__(pattern)
        self._own = _own_pattern(self._pattern)
        self._gave_up = False
        self._short: deque[str] = deque()
        self._cut_short = pretokenize_each(iter(self._short.popleft, None), pattern)

    def _run(
        self, joined: NDArray[np.uint8], edges: NDArray[np.int64], places: NDArray[np.int32]
    ) -> Iterator[int]:
        state = np.array([0, 0, 0, _STEPS + _STEPS_PER_BYTE * joined.size])
        work = _Work(joined, edges, places, np.zeros_like(edges), state)
        self._own.bytes_cut += joined.size
        if self._own.bytes_cut >= WORTH and not self._gave_up and (program := self._own.program):
            yield from self._run_program(work, program)
        yield from self._run_regex(work)
        edges[:] = work.found_before

    def _run_program(self, work: "_Work", program: Program) -> Iterator[int]:
        """Cut and count up to the end, or up to where the program gives up."""
        joined, edges, _, found_before, state = work
        ends = np.empty(_AT_ONCE, dtype=np.int64)
        stack = np.empty((_NOTES, 3), dtype=np.int64)
        while state[TEXT] < edges.size - 1 and not self._gave_up:
            start, before = int(state[PLACE]), int(state[FOUND])
            found = match_loop.cut(joined, edges, program, stack, state, found_before, ends)
            self._note(work, start, ends[:found], before)
            self._gave_up = bool(state[LEFT] < 0)
            yield int(state[PLACE]) - start

    def _run_regex(self, work: "_Work") -> Iterator[int]:
        """Cut by `regex` what is not cut yet, and count it; a text that is begun is cut from its beginning."""
        done, found = int(work.state[PLACE]), int(work.state[FOUND])
        for n in range(int(work.state[TEXT]), work.edges.size - 1):
            end = int(work.edges[n])
            for pretokens in self._cut_by_regex(work.joined[end : work.edges[n + 1]].tobytes().decode()):
                ends = np.cumsum([end, *(len(pretoken.encode()) for pretoken in pretokens)])[1:]
                end = int(ends[-1]) if ends.size else end
                ends = ends[ends > done]
                self._note(work, done, ends, found)
                yield max(0, end - done)
                done, found = max(done, end), found + ends.size
            work.found_before[n + 1] = found

    def _cut_by_regex(self, text: str) -> Iterator[list[str]]:
        """Cut a long text bit by bit, and short ones within the time of all of them."""
        if len(text) > HELD_CHARACTERS:
            yield from batches(text, self._pattern)
        else:
            self._short.append(text)
            yield next(self._cut_short)

    def _note(self, work: "_Work", start: int, ends: NDArray[np.int64], before: int) -> None:
        """Count the pretokens that lie end to end from `start`; note their numbers after those found before."""
        if ends.size:
            rows = self.add_counts(work.joined[start : ends[-1]], ends - start, np.ones_like(ends))
            if work.places.size:
                work.places[before : before + ends.size] = rows


class _Work(NamedTuple):
    """Texts that are cut by a pattern of one's own, and how far they are."""

    joined: NDArray[np.uint8]
    edges: NDArray[np.int64]
    places: NDArray[np.int32]
    """Takes the number of each pretoken, unless it is empty."""
    found_before: NDArray[np.int64]
    """Takes how many pretokens there are up to each edge."""
    state: NDArray[np.int64]
    """That of the loop."""
