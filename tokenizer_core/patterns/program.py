r"""User-written split patterns as programs: rows of numbers that `match_loop` follows.

`regex` has a parser, but a private one, and it forgets how the parts were written. The parser here reads what
split patterns are made of: classes of characters, repeats, alternatives, groups without references, lookaheads,
and the end of a text. Its rules list what is allowed, never what is not, and `regex` cuts by every other pattern.

A class is copied, not understood: `regex` says for every code point whether the class holds it. So Unicode and the
effect of flags are those of `regex`. Characters that no class tells apart are of one kind, and a program looks up
kinds only. It tries alternatives as `regex` does: first the first one, then the others if what follows fails.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from tokenizer_core.kernels.cut_loop import CODE_POINTS, every_character
from tokenizer_core.kernels.match_loop import (
    END,
    ENTER,
    JUMP,
    LEAVE,
    LOOKAHEAD,
    MATCH,
    NO_BOUND,
    POSSESSIVE_RUN,
    RUN,
    SPLIT,
    TAKE,
    TRY,
    Program,
)

MAX_DEPTH = 40
"""Groups in groups."""
MAX_KINDS = 256
MAX_CLASSES = 64
"""`regex` takes 1 to 30 ms for each class, once per process."""
MAX_STEPS = 4_000
"""Rows of a program. A repeated group is written once for each repeat up to its limit."""

_ESCAPE = r"\\(?:[dDsSwWnrtfv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[pP](?:[A-Z]|\{\^?[A-Za-z_=]++\})|[!-/:-@\[-`{-~ ])"
_CHARACTER = regex.compile(rf"""{_ESCAPE}|[^\\^$.|?*+()\[\]{{}}]|\.|\[\^?+(?:{_ESCAPE}|[^\\\[\]])++\]""")
# If case is ignored, `regex` finds other characters one by one than in a run: (?i:\p{Lu}) and ﬁ.
_PROPERTY = regex.compile(r"\\[pP]")
_FLAGS = regex.compile(r"(?:\(\?[ims]++\))*+")
_GROUP = regex.compile(r"\((?!\?|\*)|\(\?P?<[A-Za-z_]\w*+>|\(\?(?P<on>[ims]*+)(?:-(?P<off>[ims]++))?:")
_REPEAT = regex.compile(r"(?:([*+?])|\{([0-9]{1,3})\}|\{([0-9]{0,3}),([0-9]{0,3})\})([?+]?)")
_SIGNS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_ENDS = {"text": 0, "last_line": 1, "line": 2}

Way = Literal["greedy", "lazy", "possessive"]
_WAYS: dict[str, Way] = {"": "greedy", "?": "lazy", "+": "possessive"}


# The parts of a pattern


@dataclass(frozen=True)
class Characters:
    """One character of a class, as the pattern writes the class, and the flags "i" and "s" if they are on."""

    source: str
    flags: str


@dataclass(frozen=True)
class Sequence:
    """Parts one after the other."""

    parts: tuple["Part", ...]


@dataclass(frozen=True)
class Choice:
    """Alternatives; the first that fits is taken."""

    parts: tuple["Part", ...]


@dataclass(frozen=True)
class Repeat:
    """A repeated part, which is never empty; without a bound if `most` is None."""

    part: "Part"
    least: int
    most: int | None
    way: Way


@dataclass(frozen=True)
class Atomic:
    """A group that gives nothing back once it has matched."""

    part: "Part"


@dataclass(frozen=True)
class Lookahead:
    """What must follow, or must not."""

    part: "Part"
    wanted: bool


@dataclass(frozen=True)
class End:
    r"""The end of the text, of its last line (before a final \n, too), or of any line."""

    of: Literal["text", "last_line", "line"]


Part = Characters | Sequence | Choice | Repeat | Atomic | Lookahead | End
Asked = Characters | End


class Edges(NamedTuple):
    """The conditions that a match can begin with, the classes it can end with, and whether it can be empty."""

    firsts: list[Asked]
    lasts: list[Characters]
    may_be_empty: bool


def edges_of(part: Part, pairs: set[tuple[Characters, Asked]] | None = None) -> Edges:
    """Return the edges of a part; add to `pairs` what it may ask for right after each class that it takes."""
    match part:
        case Characters():
            return Edges([part], [part], False)
        case End():
            return Edges([part], [], True)
        case Lookahead(inner):
            return Edges(edges_of(inner, pairs).firsts, [], True)
        case Atomic(inner):
            return edges_of(inner, pairs)
        case Repeat(inner, least, most):
            edges = edges_of(inner, pairs)
            if most != 1 and pairs is not None:
                pairs.update(product(edges.lasts, edges.firsts))
            return edges._replace(may_be_empty=edges.may_be_empty or least == 0)
        case Choice(parts):
            each = [edges_of(one, pairs) for one in parts]
            firsts = [one for edges in each for one in edges.firsts]
            lasts = [one for edges in each for one in edges.lasts]
            return Edges(firsts, lasts, any(edges.may_be_empty for edges in each))
        case Sequence(parts):
            whole = Edges([], [], True)
            for one in parts:
                firsts, lasts, may_be_empty = edges_of(one, pairs)
                if pairs is not None:
                    pairs.update(product(whole.lasts, firsts))
                whole = Edges(
                    whole.firsts + firsts if whole.may_be_empty else whole.firsts,
                    whole.lasts + lasts if may_be_empty else lasts,
                    whole.may_be_empty and may_be_empty,
                )
            return whole


def classes_of(part: Part) -> list[Characters]:
    """Return the classes of characters in a part, each once, in their order."""
    match part:
        case Characters():
            return [part]
        case End():
            return []
        case Sequence(parts) | Choice(parts):
            return list(dict.fromkeys(each for inner in parts for each in classes_of(inner)))
        case _:
            return classes_of(part.part)


# Reading a pattern


class _Unfit(Exception):
    """The parser does not know a part of the pattern, or the program would be too long."""


def parts_of_pattern(source: str) -> Part | None:
    r"""Return the parts of a regular expression that compiles; None if a part is unknown.

    A pattern that may match nothing is not read, because `regex` has special rules for empty matches.

    >>> parts_of_pattern("a+")
    Repeat(part=Characters(source='a', flags=''), least=1, most=None, way='greedy')
    >>> parts_of_pattern(r"(?<=a)b"), parts_of_pattern("a*")
    (None, None)
    """
    allowed = regex.UNICODE | regex.V0 | regex.IGNORECASE | regex.MULTILINE | regex.DOTALL
    if regex.compile(source).flags & ~allowed:
        return None
    leading = _FLAGS.match(source)
    assert leading is not None
    parser = _Parser(source, leading.end())
    try:
        part = parser.choice("".join(sorted(set(leading[0]) & set("ims"))), 0)
    except _Unfit:
        return None
    return part if parser.at == len(source) and not edges_of(part).may_be_empty else None


@lru_cache(maxsize=256)
def is_known(source: str) -> bool:
    """Tell whether all parts of a regular expression that compiles are known."""
    return parts_of_pattern(source) is not None


class _Parser:
    """Reads a pattern from left to right, and stops at what it does not know."""

    def __init__(self, source: str, at: int) -> None:
        self.source = source
        self.at = at

    def choice(self, flags: str, depth: int) -> Part:
        """Read alternatives, up to the end or a closing parenthesis."""
        if depth > MAX_DEPTH:
            raise _Unfit
        alternatives = [self.sequence(flags, depth)]
        while self.takes("|"):
            alternatives.append(self.sequence(flags, depth))
        return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))

    def sequence(self, flags: str, depth: int) -> Part:
        """Read one alternative."""
        parts = []
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            parts.append(self.repeated(self.one(flags, depth)))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def one(self, flags: str, depth: int) -> Part:
        """Read a character, a group, a lookahead or the end of the text."""
        if character := self.found(_CHARACTER):
            if "i" in flags and _PROPERTY.search(character[0]):
                raise _Unfit
            return Characters(character[0], flags.replace("m", ""))
        if self.takes(r"\Z"):
            return End("text")
        if self.takes("$"):
            return End("line" if "m" in flags else "last_line")
        if self.takes("(?>"):
            return Atomic(self.group(flags, depth))
        for opening in ("(?=", "(?!"):
            if self.takes(opening):
                return Lookahead(self.group(flags, depth), opening == "(?=")
        if group := self.found(_GROUP):
            on, off = (set(group[name] or "") for name in ("on", "off"))
            if on & off:
                raise _Unfit
            return self.group("".join(sorted(set(flags) - off | on)), depth)
        raise _Unfit

    def group(self, flags: str, depth: int) -> Part:
        """Read the alternatives in a group, and its closing parenthesis."""
        part = self.choice(flags, depth + 1)
        if not self.takes(")"):
            raise _Unfit
        return part

    def repeated(self, part: Part) -> Part:
        """Read how often a part is repeated; refuse one that may be empty, where `regex` has special rules."""
        repeat = self.found(_REPEAT)
        if repeat is None:
            return part
        sign, exactly, least, most, way = repeat.groups()
        if sign:
            few, many = _SIGNS[sign]
        elif exactly:
            few = many = int(exactly)
        elif least or most:
            few, many = int(least or 0), int(most) if most else None
        else:
            raise _Unfit
        is_last = not self.found(_REPEAT) and not self.source.startswith("{", self.at)
        if many == 0 or edges_of(part).may_be_empty or not is_last:
            raise _Unfit
        return Repeat(part, few, many, _WAYS[way])

    def found(self, wanted: regex.Pattern[str]) -> regex.Match[str] | None:
        """Read what a pattern matches here, if it does."""
        found = wanted.match(self.source, self.at)
        if found:
            self.at = found.end()
        return found

    def takes(self, sign: str) -> bool:
        """Read a sign, if it is here."""
        is_here = self.source.startswith(sign, self.at)
        self.at += len(sign) * is_here
        return is_here


# Characters by kind


def kinds_of(classes: list[Characters]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]] | None:
    r"""Return the kind of every code point, and for each class, which kinds it holds; None if there are too many.

    >>> kinds, holds = kinds_of([Characters(r"[a-c]", ""), Characters("b", "i")])
    >>> [int(kinds[ord(character)]) for character in "abB"], holds[:, kinds[ord("b")]].tolist()
    ([1, 3, 2], [True, True])
    """
    if len(classes) > MAX_CLASSES:
        return None
    edges = [_run_edges(each.source, each.flags) for each in classes]
    starts = np.unique(np.concatenate([[0], *edges]))
    starts = starts[starts < CODE_POINTS]
    inside = np.stack([np.searchsorted(each, starts, side="right") % 2 == 1 for each in edges])
    signatures, kinds = np.unique(
        (inside.astype(np.uint64) << np.arange(len(classes), dtype=np.uint64)[:, None]).sum(axis=0),
        return_inverse=True,
    )
    if signatures.size > MAX_KINDS:
        return None
    holds = np.zeros((len(classes), MAX_KINDS), dtype=np.bool_)
    holds[:, kinds] = inside
    return np.repeat(kinds.astype(np.uint8), np.diff(starts, append=CODE_POINTS)), holds


@lru_cache(maxsize=512)
def _run_edges(source: str, flags: str) -> NDArray[np.int64]:
    """Return where each run of code points in a class starts, and where it ends."""
    runs = regex.compile(f"(?{flags}:{source})++").finditer(every_character())
    return np.array([edge for run in runs for edge in run.span()], dtype=np.int64)


# Writing the program


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
    writer = _Writer(dict(zip(classes, holds)))
    try:
        writer.first_row(part)  # row 0: where the whole pattern can begin
        writer.part(part)
        writer.step(MATCH)
    except _Unfit:
        return None
    return Program(kinds, np.array(writer.steps, dtype=np.int64), np.stack(writer.sets))


class _Writer:
    """Writes the steps of a program.

    Each step that tries an alternative holds the characters with which it can begin, so most are never tried.
    """

    def __init__(self, holds: dict[Characters, NDArray[np.bool_]]) -> None:
        self.holds = holds
        self.steps: list[list[int]] = []
        self.sets: list[NDArray[np.bool_]] = []
        self.rows: dict[bytes, int] = {}

    def step(self, does: int, a: int = 0, b: int = 0, c: int = 0) -> int:
        """Write a step; return its number."""
        if len(self.steps) >= MAX_STEPS:
            raise _Unfit
        self.steps.append([does, a, b, c])
        return len(self.steps) - 1

    def row(self, kinds: NDArray[np.bool_]) -> int:
        """Return the row of a set; an equal set has the same row."""
        row = self.rows.setdefault(kinds.tobytes(), len(self.sets))
        if row == len(self.sets):
            self.sets.append(kinds)
        return row

    def first_row(self, part: Part) -> int:
        """Return the row of the kinds with which a part can begin, if it is not empty."""
        kinds = np.zeros(MAX_KINDS, dtype=np.bool_)
        for asked in edges_of(part).firsts:
            if isinstance(asked, Characters):
                kinds |= self.holds[asked]
        return self.row(kinds)

    def part(self, part: Part) -> None:
        """Write the steps of a part."""
        match part:
            case Characters():
                self.step(TAKE, self.row(self.holds[part]))
            case Sequence(parts):
                for each in parts:
                    self.part(each)
            case Choice(parts):
                self.choice(parts)
            case Repeat(Characters() as repeated, least, most, "greedy" | "possessive" as way):
                run = RUN if way == "greedy" else POSSESSIVE_RUN
                self.step(run, self.row(self.holds[repeated]), least, NO_BOUND if most is None else most)
            case Repeat(_, _, _, "possessive"):
                self.atomic(Repeat(part.part, part.least, part.most, "greedy"), 0)
            case Repeat():
                self.repeat(part)
            case Atomic(inner):
                self.atomic(inner, 0)
            case Lookahead(Characters() as follows, wanted):
                self.step(LOOKAHEAD, self.row(self.holds[follows]), int(wanted))
            case Lookahead(follows, wanted):
                self.atomic(follows, 1 if wanted else 2)
            case End(of):
                self.step(END, _ENDS[of])

    def atomic(self, part: Part, then: int) -> None:
        """Write a part that gives nothing back once it has matched."""
        start = self.step(ENTER, then)
        self.part(part)
        self.step(LEAVE, then)
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
        """Write the step that tries a part; return its number. The caller fills in where to go if it fails."""
        return self.step(SPLIT) if edges_of(part).may_be_empty else self.step(TRY, 0, self.first_row(part))

    def repeat(self, repeat: Repeat) -> None:
        """Write a repeated group once for each repeat; without a bound, jump back."""
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
