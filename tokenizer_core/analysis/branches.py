"""The alternatives (branches) of a split pattern, and which of them cut each pretoken."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import regex

from tokenizer_core.patterns.split_patterns import (
    compile_pattern,
    given_up,
    pattern_source,
    search,
    time_budget,
    with_gaps,
)

MAX_TRIED = 40
"""Branches tried one by one, each with its own compiled pattern; a pattern with more branches stays whole."""

_FLAGS = r"(?:[abefiLmprsuwx]|V[01])"
_LEADING_FLAGS = regex.compile(rf"\(\?({_FLAGS}+)\)")
_FLAG_GROUP = regex.compile(rf"\(\?({_FLAGS}*)(?:-([a-zA-Z]+))?([:)])")
_WHOLE_GROUP = regex.compile(rf"\((?:\?(?:{_FLAGS}*(?:-[a-z]+)?:|>|P?<\w+>)|(?![?*]))")
# Constructs that mean something else in a branch alone: \G (start of the search), \K (drops the start of a match),
# backtracking verbs, and a pattern that calls itself.
_INSEPARABLE = regex.compile(r"\\[GK]|\(\*|\(\?(?:R|0)\)")
_REFERENCE = regex.compile(r"\\[1-9gL]|\(\?(?:\(|[1-9]|&|P[=>])")
_CLASS = r"(?P<class>\[\^?\]?(?:\\.|\[:\^?\w+:\]|{more})*+(?:\]|\Z))"
"""A class; a class in it is syntax with the flag V1 only."""


class Branch(NamedTuple):
    """One alternative of a split pattern, and its place in the source."""

    source: str
    start: int
    end: int


class Pretoken(NamedTuple):
    """A pretoken, and the number of the branch that cut it; None for text between two matches."""

    text: str
    branch: int | None


def branches(pattern: str) -> list[Branch]:
    """Return the top-level alternatives of a pattern; the whole pattern if it cannot be split safely.

    If one group surrounds the whole pattern, returns the alternatives inside it. Raises `PatternError` if the
    pattern does not compile.

    >>> [branch.source for branch in branches(r"(?i:'s|'t)|[a|b]+|\\|")]
    ["(?i:'s|'t)", '[a|b]+', '\\\\|']
    >>> branches("(?:a|b)")
    [Branch(source='a', start=3, end=4), Branch(source='b', start=5, end=6)]
    """
    compile_pattern(pattern)
    return list(_plan(pattern_source(pattern)).branches)


def attribute(text: str, pattern: str) -> list[Pretoken]:
    """Return the same pretokens as `pretokenize`, each with the branch that cut it.

    A match that no branch gives alone counts as text between matches. Raises `PatternError` as `pretokenize` does.

    >>> attribute("a1--", "[a-z]|[0-9]")
    [Pretoken(text='a', branch=0), Pretoken(text='1', branch=1), Pretoken(text='--', branch=None)]
    """
    # A pattern with (?r) searches backwards, so its matches must be sorted.
    matches = sorted(_matches(text, _plan(compile_pattern(pattern).pattern)), key=lambda match: match[:2])
    return [Pretoken(text[start:end], branch) for start, end, branch in with_gaps(matches, len(text))]


# ---- splitting


class _Plan(NamedTuple):
    """How to tell the branches of a pattern apart: with a group around each, or by trying them one by one."""

    branches: tuple[Branch, ...]
    whole: regex.Pattern[str]
    """The pattern; if groups tell the branches apart, with a group around each branch."""
    groups: tuple[int, ...] = ()
    """The number of each branch's group."""
    alone: tuple[regex.Pattern[str], ...] = ()
    """For each branch, the pattern in which no other branch can match."""


@lru_cache(maxsize=64)
def _plan(source: str) -> _Plan:
    """Split a pattern that compiles, and choose how to tell its branches apart."""
    whole = _Plan((Branch(source, 0, len(source)),), regex.compile(source))
    found = _split(source)
    if len(found) < 2:
        return whole
    first, last = found[0].start, found[-1].end
    before, after = source[:first], source[last:]
    close = "\n)" if "x" in _leading_flags(source)[0] else ")"  # the line break ends a comment in the branch

    def joined(parts: Iterable[str]) -> regex.Pattern[str]:
        return regex.compile(before + "|".join(parts) + after)

    try:
        if not _REFERENCE.search(source):
            name = "branch_"
            while name in source:
                name += "_"
            grouped = joined(f"(?P<{name}{n}>{branch.source}{close}" for n, branch in enumerate(found))
            numbers = tuple(grouped.groupindex[f"{name}{n}"] for n in range(len(found)))
            return _Plan(tuple(found), grouped, groups=numbers)
        if len(found) > MAX_TRIED:
            return whole
        # The other branches stay but cannot match, so all groups keep their numbers.
        alone = tuple(
            joined(other.source if other is branch else f"(?!)(?:{other.source}{close}" for other in found)
            for branch in found
        )
    except (regex.error, RecursionError, OverflowError, MemoryError, ValueError):
        return whole
    return _Plan(tuple(found), whole.whole, alone=alone)


def _leading_flags(source: str) -> tuple[str, int]:
    """Return the flags at the start of a pattern, and the offset where they end."""
    flags, at = "", 0
    while found := _LEADING_FLAGS.match(source, at):
        flags, at = flags + found[1], found.end()
    return flags, at


def _split(source: str) -> list[Branch]:
    """Return the alternatives; an empty list if the pattern cannot be split safely."""
    flags, start = _leading_flags(source)
    if regex.search("[rbep]", flags) or _INSEPARABLE.search(source):
        return []
    for group in _FLAG_GROUP.finditer(source, start):
        # Flags in the middle of a pattern affect other branches; "x" and "V" change how the source is read.
        if group[3] == ")" or "x" in group[1] + (group[2] or "") or "V" in group[1]:
            return []
    skipped = [r"\\.", r"\(\?#[^)]*+\)", _CLASS.format(more=r"(?&class)|[^]\[]" if "V1" in flags else "[^]]")]
    skipped += ["#[^\n]*+"] if "x" in flags else []
    scan = regex.compile("|".join([*skipped, "[(|)]"]), regex.DOTALL)
    signs = [(found.start(), found[0]) for found in scan.finditer(source, start) if found[0] in "(|)"]
    end = len(source)
    while not (bars := _top_bars(signs)):
        opening = _WHOLE_GROUP.match(source, start)
        if bars is None or not opening or signs[-1] != (end - 1, ")"):
            return []
        start, end, signs = opening.end(), end - 1, signs[1:-1]
    edges = [start - 1, *bars, end]
    return [Branch(source[one + 1 : other], one + 1, other) for one, other in zip(edges, edges[1:])]


def _top_bars(signs: Iterable[tuple[int, str]]) -> list[int] | None:
    """Return the offset of each `|` outside all groups; None if a group closes that did not open."""
    found, depth = [], 0
    for at, sign in signs:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return None
        if sign == "|" and not depth:
            found.append(at)
    return found


# ---- finding the branch of each match


def _matches(text: str, plan: _Plan) -> Iterator[tuple[int, int, int | None]]:
    """Yield the start, end and branch of each match."""
    matches = search(plan.whole, text)
    if plan.groups:
        branch_of = {group: number for number, group in enumerate(plan.groups)}
        for match in matches:
            # The group around a branch closes last; but not if the pattern uses a group name twice.
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
    """Return the first branch that alone matches exactly from `start` to `end`; None if no branch does."""
    for number, pattern in enumerate(alone):
        seconds = time_budget(len(text), pattern.pattern)
        try:
            match = pattern.match(text, start, timeout=seconds, concurrent=True)
        except (TimeoutError, MemoryError) as error:
            raise given_up(text, pattern.pattern, start, error, seconds) from None
        if match and match.span() == (start, end):
            return number
    return None
