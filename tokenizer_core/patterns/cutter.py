"""Cut texts by a split pattern and count the pretokens, in compiled code and without strings.

Each named pattern has a loop; for most user-written patterns, one loop follows a program. `regex`, in `named`, is
the plain twin: it defines every cut, and cuts by the patterns that have no program.
"""

import secrets
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.kernels import count_loop, cut_loop, match_loop, text_loop
from tokenizer_core.kernels.count_loop import BYTES, FREE, PLACES, ROWS
from tokenizer_core.kernels.cut_loop import character_kinds
from tokenizer_core.kernels.longest_loop import Tree
from tokenizer_core.kernels.match_loop import FOUND, LEFT, PLACE, TEXT, Program
from tokenizer_core.patterns.program import is_known, program_of
from tokenizer_core.patterns.split_patterns import (
    HELD_CHARACTERS,
    SPLIT_PATTERNS,
    batches,
    compile_pattern,
    pattern_source,
    pretokenize_each,
    steps_of,
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
"""Bytes that `regex` cuts, in 0.3 s, before a user-written pattern gets a program. Making a program takes up to
0.1 s, and compiling the loop two seconds, once per machine."""
TEXT_COST = 2**7
"""Bytes that `regex` cuts while it begins another text: 130,000 short texts take it ten seconds."""
_AT_ONCE = 2**14
_NOTES = 2**16
_STEPS, _STEPS_PER_BYTE = 2**22, 50
"""Steps until a program gives up: 20 ms, and 0.2 s for each megabyte. OpenAI's patterns do three per byte."""


def is_compiled(pattern: str) -> bool:
    """Tell whether texts are cut by this pattern in compiled code; raise `PatternError` if it does not compile.

    >>> is_compiled("gpt2"), is_compiled(SPLIT_PATTERNS["gpt2"]), is_compiled("[a-z]+"), is_compiled("(?<=a)b")
    (True, True, True, False)
    """
    return is_named(pattern) or all(map(is_known, steps_of(compile_pattern(pattern).pattern)))


def is_named(pattern: str) -> bool:
    """Tell whether a pattern is a named one, by its name or its source."""
    return pattern_source(pattern) in _MACHINES


def cutter_of(pattern: str) -> "Cutter":
    """Return a cutter for a pattern for which `is_compiled` holds."""
    if is_named(pattern):
        return Cutter(pattern)
    return OwnCutter(pattern) if len(steps_of(pattern)) == 1 else StepsCutter(pattern)


def encode_texts(
    texts: Sequence[bytes], pattern: str, tree: Tree, memory: text_loop.Memory
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Cut texts by a named pattern and encode them; return the ids, and how many each text has."""
    joined, edges = _joined(texts)
    machine = _MACHINES[pattern_source(pattern)]
    ids, counts = text_loop.encode_texts(joined, edges, character_kinds(), machine, tree, memory)
    return ids, counts


class Tally:
    """Adds up counted pretokens, in order of first appearance."""

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

        `since` leaves out the first ones.
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
        self._pattern = pattern_source(pattern)
        super().__init__()

    def add(self, texts: Sequence[bytes]) -> None:
        """Cut and count more texts, each separately; they must be valid UTF-8."""
        for _ in self.adding(texts):
            pass

    def adding(self, texts: Sequence[bytes]) -> Iterator[int]:
        """Cut and count more texts; yield the number of bytes counted since the last report."""
        return self._run(*_joined(texts), np.empty(0, dtype=np.int32))

    def number(self, texts: Sequence[bytes]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Cut and count; return the number of each pretoken, and how many there are up to the end of each text.

        >>> Cutter("mark_aware").number([b"a cat a", b"", b"a dog"])
        (array([0, 1, 2, 0, 3], dtype=int32), array([3, 3, 5]))
        """
        joined, edges = _joined(texts)
        places = np.empty(joined.size, dtype=np.int32)
        for _ in self._run(joined, edges, places):
            pass
        return places[: edges[-1]], edges[1:]

    def numbering(self, text: bytes) -> Generator[int, None, NDArray[np.int32]]:
        """Cut and count one text, with the reports of `adding`; return the number of each pretoken."""
        joined, edges = _joined([text])
        places = np.empty(joined.size, dtype=np.int32)
        yield from self._run(joined, edges, places)
        return places[: edges[-1]]

    def _run(
        self, joined: NDArray[np.uint8], edges: NDArray[np.int64], places: NDArray[np.int32]
    ) -> Iterator[int]:
        """Cut and count; each edge of the texts becomes the number of pretokens up to it."""
        self._used[PLACES] = 0
        kinds, machine = character_kinds(), _MACHINES[self._pattern]
        distinct = count_loop.number_pretokens(
            joined, edges, kinds, machine, _SECRET, self._distinct, self._used, places
        )
        self._distinct = count_loop.Distinct(*distinct)
        yield joined.size


def _joined(texts: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return texts end to end, and the edges between them."""
    edges = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=edges[1:])
    return np.frombuffer(texts[0] if len(texts) == 1 else b"".join(texts), dtype=np.uint8), edges


class _OwnPattern:
    """A user-written pattern that this process has cut by."""

    def __init__(self, source: str) -> None:
        self._source = source
        self.bytes_cut = 0

    @cached_property
    def program(self) -> Program | None:
        return program_of(self._source)


_own_pattern = lru_cache(maxsize=16)(_OwnPattern)


class OwnCutter(Cutter):
    """A cutter for user-written patterns: by program, or by `regex` if that is faster.

    When the program gives up, `regex` cuts the rest within its time budget. So the cuts are those of `regex`.
    """

    def __init__(self, pattern: str) -> None:
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
        self._own.bytes_cut += joined.size + TEXT_COST * (edges.size - 1)
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
        """Cut the rest by `regex`, and count it; a text that was cut in part is cut again from its beginning."""
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
        """Cut a long text in batches; all short texts share one time budget."""
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


class _Ends(OwnCutter):
    """Notes where pretokens end, and counts none."""

    def edges_in(self, joined: NDArray[np.uint8], edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the edges of the pretokens of texts that lie end to end, from one edge to the next."""
        self._found: list[NDArray[np.int64]] = [edges[:1]]
        for _ in self._run(joined, edges.copy(), np.empty(0, dtype=np.int32)):
            pass
        return np.concatenate(self._found)

    def _note(self, work: "_Work", start: int, ends: NDArray[np.int64], before: int) -> None:
        self._found.append(ends.copy())


class StepsCutter(Cutter):
    """A cutter for patterns of several steps: the pretokens of one step are the texts of the next.

    >>> cutter = StepsCutter(r"[0-9](?#then) ?[a-z]+")
    >>> cutter.number([b"a12 a", b"", b" a"]), cutter.pretokens()[0].tobytes()
    ((array([0, 1, 2, 3, 3], dtype=int32), array([4, 4, 5])), b'a12 a')
    """

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern)
        self._steps = list(map(_Ends, steps_of(pattern)))

    def _run(
        self, joined: NDArray[np.uint8], edges: NDArray[np.int64], places: NDArray[np.int32]
    ) -> Iterator[int]:
        found = edges
        for step in self._steps:
            found = step.edges_in(joined, found)
        ends = found[1:]
        if ends.size:
            rows = self.add_counts(joined, ends, np.ones_like(ends))
            places[: rows.size] = rows[: places.size]
        edges[:] = np.searchsorted(ends, edges, side="right")
        yield joined.size


class _Work(NamedTuple):
    """Texts that a user-written pattern cuts, and the progress so far."""

    joined: NDArray[np.uint8]
    edges: NDArray[np.int64]
    places: NDArray[np.int32]
    """Receives the number of each pretoken, unless it is empty."""
    found_before: NDArray[np.int64]
    """Receives the number of pretokens up to each edge."""
    state: NDArray[np.int64]
    """The state of `match_loop`."""
