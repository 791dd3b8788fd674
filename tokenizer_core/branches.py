"""The alternatives of a split pattern, and which of them cut each pretoken."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import regex

from tokenizer_core.patterns import compile_pattern, given_up, pattern_source, search, time_budget, with_gaps

MAX_TRIED = 40
"""Branches that are tried one by one, each by a compiled pattern of its own; of more, the pattern stays whole."""

_FLAGS = r"(?:[abefiLmprsuwx]|V[01])"
_LEADING_FLAGS = regex.compile(rf"\(\?({_FLAGS}+)\)")
_FLAG_GROUP = regex.compile(rf"\(\?({_FLAGS}*)(?:-([a-zA-Z]+))?([:)])")
_WHOLE_GROUP = regex.compile(rf"\((?:\?(?:{_FLAGS}*(?:-[a-z]+)?:|>|P?<\w+>)|(?![?*]))")
# What a branch alone would not mean: where a search began, what a match leaves out, a pattern inside itself.
_INSEPARABLE = regex.compile(r"\\[GK]|\(\*|\(\?(?:R|0)\)")
_REFERENCE = regex.compile(r"\\[1-9gL]|\(\?(?:\(|[1-9]|&|P[=>])")
_POSIX_CLASS = regex.compile(r"\[:\^?\w+:\]")


class Branch(NamedTuple):
    """One alternative of a split pattern, and where in its source it stands."""

    source: str
    start: int
    end: int


class Pretoken(NamedTuple):
    """A pretoken, and the number of the branch that cut it; None for what lies between two matches."""

    text: str
    branch: int | None


def branches(pattern: str) -> list[Branch]:
    """The alternatives of a pattern at its top level; the whole pattern where it cannot be split safely.

    A group around all of it is looked into. Raises `PatternError` where the pattern does not compile.

    >>> [branch.source for branch in branches(r"(?i:'s|'t)|[a|b]+|\\|")]
    ["(?i:'s|'t)", '[a|b]+', '\\\\|']
    >>> branches("(?:a|b)")
    [Branch(source='a', start=3, end=4), Branch(source='b', start=5, end=6)]
    """
    compile_pattern(pattern)
    return list(_plan(pattern_source(pattern)).branches)


def attribute(text: str, pattern: str) -> list[Pretoken]:
    """The pretokens of a text, the same as `pretokenize` gives, each with the branch that cut it.

    A match that no branch gives by itself counts as lying between. Raises `PatternError` as `pretokenize` does.

    >>> attribute("a1--", "[a-z]|[0-9]")
    [Pretoken(text='a', branch=0), Pretoken(text='1', branch=1), Pretoken(text='--', branch=None)]
    """
    matches = sorted(_matches(text, _plan(compile_pattern(pattern).pattern)), key=_place)  # (?r) finds backwards
    return [Pretoken(text[start:end], branch) for start, end, branch in with_gaps(matches, len(text))]


def _place(match: tuple[int, int, int | None]) -> tuple[int, int]:
    return match[:2]


# ---- splitting


class _Plan(NamedTuple):
    """How the branches of a pattern are told apart: by a group around each, or by trying them one by one."""

    branches: tuple[Branch, ...]
    whole: regex.Pattern[str]
    """The pattern; where groups tell branches apart, with a group around each."""
    groups: tuple[int, ...] = ()
    """The number of each branch's group."""
    alone: tuple[regex.Pattern[str], ...] = ()
    """For each branch the pattern in which no other can match."""


@lru_cache(maxsize=64)
def _plan(source: str) -> _Plan:
    """Split a pattern that compiles, and find out how to tell its branches apart."""
    whole = _Plan((Branch(source, 0, len(source)),), regex.compile(source))
    found = _split(source)
    if len(found) < 2:
        return whole
    first, last = found[0].start, found[-1].end
    before, after, is_verbose = source[:first], source[last:], _is_verbose(source)
    close = "\n)" if is_verbose else ")"  # a comment ends with its line

    def joined(parts: Iterable[str]) -> regex.Pattern[str]:
        return regex.compile(before + "|".join(parts) + after)

    try:
        if not _REFERENCE.search(source):
            name = _free_name(source)
            grouped = joined(f"(?P<{name}{n}>{branch.source}{close}" for n, branch in enumerate(found))
            numbers = tuple(grouped.groupindex[f"{name}{n}"] for n in range(len(found)))
            return _Plan(tuple(found), grouped, groups=numbers)
        if len(found) > MAX_TRIED:
            return whole
        # The others stay, but cannot match, so that all groups keep their numbers.
        alone = tuple(
            joined(other.source if other is branch else f"(?!)(?:{other.source}{close}" for other in found)
            for branch in found
        )
    except (regex.error, RecursionError, OverflowError, MemoryError, ValueError):
        return whole
    return _Plan(tuple(found), whole.whole, alone=alone)


def _free_name(source: str) -> str:
    """The beginning of a group's name that the pattern does not use."""
    name = "branch_"
    while name in source:
        name += "_"
    return name


def _is_verbose(source: str) -> bool:
    flags, _ = _leading_flags(source)
    return "x" in flags


def _leading_flags(source: str) -> tuple[str, int]:
    """The flags that a pattern begins with, and where they end."""
    flags, at = "", 0
    while found := _LEADING_FLAGS.match(source, at):
        flags, at = flags + found[1], found.end()
    return flags, at


def _split(source: str) -> list[Branch]:
    """The alternatives; none where the pattern cannot be split safely."""
    flags, start = _leading_flags(source)
    if regex.search("[rbep]", flags) or _INSEPARABLE.search(source):
        return []
    for group in _FLAG_GROUP.finditer(source, start):
        # Flags in the middle of a pattern, and those that change how the rest is read.
        if group[3] == ")" or "x" in group[1] + (group[2] or "") or "V" in group[1]:
            return []
    scan = _Scan(source, is_verbose="x" in flags, nested_classes="V1" in flags)
    end = len(source)
    while True:
        bars = scan.bars(start, end)
        opening = _WHOLE_GROUP.match(source, start)
        if bars is None:
            return []
        if bars or not opening or scan.closes(start) != end - 1:
            break
        start, end = opening.end(), end - 1
    edges = [start - 1, *bars, end]
    return [Branch(source[one + 1 : other], one + 1, other) for one, other in zip(edges, edges[1:])]


@dataclass(frozen=True)
class _Scan:
    """Reads the source of a pattern as far as groups, classes, escapes and comments go."""

    source: str
    is_verbose: bool
    nested_classes: bool

    def bars(self, start: int, end: int) -> list[int] | None:
        """The places of `|` outside all groups between two places; None where groups do not close."""
        found, depth = [], 0
        for at, sign in self.signs(start, end):
            depth += (sign == "(") - (sign == ")")
            if depth < 0:
                return None
            if sign == "|" and not depth:
                found.append(at)
        return None if depth else found

    def closes(self, start: int) -> int | None:
        """Where the group that opens at a place ends."""
        depth = 0
        for at, sign in self.signs(start, len(self.source)):
            depth += (sign == "(") - (sign == ")")
            if not depth:
                return at if sign == ")" else None
        return None

    def signs(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Each `(`, `)` and `|` that means something, with its place; other characters only as such."""
        at = start
        while at < end:
            sign = self.source[at]
            if sign == "\\":
                at += 2
            elif sign == "[":
                at = self.after_class(at)
            elif self.source.startswith("(?#", at):
                at = self.after(")", at)
            elif sign == "#" and self.is_verbose:
                at = self.after("\n", at)
            else:
                if sign in "(|)":
                    yield at, sign
                at += 1

    def after(self, sign: str, at: int) -> int:
        found = self.source.find(sign, at)
        return len(self.source) if found < 0 else found + 1

    def after_class(self, at: int) -> int:
        """The place after the set that opens here; in the new version of the syntax sets may hold sets."""
        at += 2 if self.source.startswith("[^", at) else 1
        first = True
        while at < len(self.source):
            sign = self.source[at]
            if sign == "]" and not first:
                return at + 1
            if sign == "\\":
                at += 2
            elif posix := _POSIX_CLASS.match(self.source, at):
                at = posix.end()
            elif sign == "[" and self.nested_classes:
                at = self.after_class(at)
            else:
                at += 1
            first = False
        return at


# ---- telling who cut


def _matches(text: str, plan: _Plan) -> Iterator[tuple[int, int, int | None]]:
    """Start, end and branch of each match."""
    matches = search(plan.whole, text)
    if plan.groups:
        # The group around a branch closes after all groups in it, so that it is the last one; but for a name that
        # a pattern gives twice.
        branch_of = {group: number for number, group in enumerate(plan.groups)}
        for match in matches:
            number = branch_of.get(match.lastindex)
            if number is None:
                number = next(n for n, group in enumerate(plan.groups) if match.start(group) >= 0)
            yield (*match.span(), number)
    elif plan.alone:
        for match in matches:
            start, end = match.span()
            yield start, end, _tried(text, start, end, plan.alone)
    else:
        for match in matches:
            yield (*match.span(), 0)


def _tried(text: str, start: int, end: int, alone: Sequence[regex.Pattern[str]]) -> int | None:
    """The first branch that matches here by itself, and exactly so far."""
    for number, pattern in enumerate(alone):
        try:
            match = pattern.match(text, start, timeout=time_budget(text, pattern.pattern), concurrent=True)
        except (TimeoutError, MemoryError) as error:
            raise given_up(text, pattern.pattern, start, error) from None
        if match and match.span() == (start, end):
            return number
    return None
