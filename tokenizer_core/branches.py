"""The alternatives of a split pattern, which of them cut each pretoken, and figures of what a pattern makes."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np
import regex

from tokenizer_core.measures.segmenters import Segmenter, word_spans
from tokenizer_core.patterns import compile_pattern, given_up, pattern_source, pretokenize, time_budget
from tokenizer_core.pretokens import check_text
from tokenizer_core.segments import Flags, Ints, TextMap

MAX_TRIED = 40
"""Branches that are tried one by one, each by a compiled pattern of its own; of more, the pattern stays whole."""
BATCH = 50_000
"""Pretokens that are handed on at once while a text is cut."""

# A line; of a long one some two thousand characters, up to the next white space.
_STRETCH = regex.compile(r"[^\n]{1,2000}\S{0,8000}\n?|\n")
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


class Piece(NamedTuple):
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


def attribute(text: str, pattern: str) -> list[Piece]:
    """The pretokens of a text, the same as `pretokenize` gives, each with the branch that cut it.

    A match that no branch gives by itself counts as lying between. Raises `PatternError` as `pretokenize` does.

    >>> attribute("a1--", "[a-z]|[0-9]")
    [Piece(text='a', branch=0), Piece(text='1', branch=1), Piece(text='--', branch=None)]
    """
    found: list[tuple[int, int, int | None]] = []
    try:
        for match in _found(text, _plan(compile_pattern(pattern).pattern)):
            found.append(match)
    except (TimeoutError, MemoryError) as error:
        raise given_up(text, pattern, found[-1][1] if found else 0, error) from None
    pieces: list[Piece] = []
    end = 0
    for start, stop, branch in sorted(found, key=_place):  # a pattern may search backwards: (?r)
        if stop <= start or start < end:
            continue
        if start > end:
            pieces.append(Piece(text[end:start], None))
        pieces.append(Piece(text[start:stop], branch))
        end = stop
    if end < len(text):
        pieces.append(Piece(text[end:], None))
    return pieces


def _place(found: tuple[int, int, int | None]) -> tuple[int, int]:
    return found[:2]


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


def _found(text: str, plan: _Plan) -> Iterator[tuple[int, int, int | None]]:
    """Start, end and branch of each match. While `regex` works, other threads may: it is asked to let them."""
    matches = plan.whole.finditer(text, timeout=time_budget(text, plan.whole.pattern), concurrent=True)
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
    """The first branch that matches here by itself, and exactly so much."""
    for number, pattern in enumerate(alone):
        match = pattern.match(text, start, timeout=time_budget(text, pattern.pattern), concurrent=True)
        if match and match.span() == (start, end):
            return number
    return None


# ---- figures


class PatternFigures(NamedTuple):
    """What a pattern makes of texts. Shares are None where there is nothing to share out."""

    pretokens: int
    distinct: int
    longest: str
    """The longest pretoken in characters, the first one of equals."""
    characters: int
    clusters_cut: float | None
    """The share of the grapheme clusters that have a cut inside."""
    thai_clusters_cut: float | None
    words_cut: float | None
    """The share of the words with a cut inside; None also without a segmenter."""
    seconds: float
    """Time that the cutting took, the counting left out."""
    lossless: bool = True
    """Whether the pretokens join to the texts: it was looked at, though it cannot be otherwise."""

    @property
    def characters_per_pretoken(self) -> float | None:
        """The ceiling on compression: no tokenizer with this pattern can have more characters in a token."""
        return self.characters / self.pretokens if self.pretokens else None


def pattern_figures(
    texts: str | Iterable[str], pattern: str, *, segmenter: Segmenter | None = None
) -> PatternFigures:
    """Count what a pattern makes of texts, which are cut one by one; raises `PatternError` as `pretokenize` does.

    >>> figures = pattern_figures("ที่นี่ ok", "llama3")
    >>> figures.pretokens, figures.longest, figures.thai_clusters_cut, figures.characters_per_pretoken
    (5, ' ok', 1.0, 1.8)
    """
    tally = PatternTally(pattern, segmenter)
    for text in [texts] if isinstance(texts, str) else texts:
        for _ in tally.add(text):
            pass
    return tally.figures()


@dataclass
class PatternTally:
    """Counts what a pattern makes of texts, text by text and piece by piece, so that progress can be told."""

    pattern: str
    segmenter: Segmenter | None = None
    characters: int = 0
    """Characters that were cut."""
    searched: int = 0
    """Characters that were searched for words."""
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    lossless: bool = True
    cut: dict[str, list[int]] = field(
        default_factory=lambda: {"clusters": [0, 0], "thai": [0, 0], "words": [0, 0]}
    )
    """How many have a cut inside, and how many there are."""

    def add(self, text: str) -> Iterator[None]:
        """Count a text, with a pause again and again, in which the caller may tell how far it is."""
        lengths: list[Ints] = []
        done = 0
        started = time.perf_counter()
        for batch in batches(check_text(text), self.pattern):
            self.seconds += time.perf_counter() - started
            self.counts.update(batch)
            self.lossless &= text.startswith("".join(batch), done)
            lengths.append(np.fromiter(map(len, batch), dtype=np.int64, count=len(batch)))
            size = int(lengths[-1].sum())
            done += size
            self.characters += size
            yield
            started = time.perf_counter()
        self.lossless &= done == len(text)
        if text:
            cuts = np.cumsum(np.concatenate(lengths))[:-1]
            self._count_cut_clusters(text, cuts)
            if self.segmenter is not None:
                yield from self._count_cut_words(text, cuts, self.segmenter)

    def _count_cut_clusters(self, text: str, cuts: Ints) -> None:
        """Clusters with a cut inside, for cuts before these characters."""
        text_map = TextMap(text)
        starts = text_map.cluster_starts[:-1]
        thai = (text_map.code_points >= 0x0E00) & (text_map.code_points <= 0x0E7F)
        is_thai = np.logical_or.reduceat(thai, np.flatnonzero(starts))
        torn = _torn(starts, cuts)
        for name, of in (("clusters", np.ones_like(is_thai)), ("thai", is_thai)):
            self._note(name, torn & of, of)

    def _count_cut_words(self, text: str, cuts: Ints, segmenter: Segmenter) -> Iterator[None]:
        """Words with a cut inside; stretch by stretch, for segmenters of Thai get slower as a text gets longer."""
        for stretch in _STRETCH.finditer(text):
            spans = word_spans(stretch[0], segmenter) + stretch.start()
            inside = np.searchsorted(cuts, spans[:, 1]) > np.searchsorted(cuts, spans[:, 0], side="right")
            self._note("words", inside, np.ones_like(inside))
            self.searched += len(stretch[0])
            yield

    def _note(self, name: str, torn: Flags, of: Flags) -> None:
        self.cut[name][0] += int(np.count_nonzero(torn))
        self.cut[name][1] += int(np.count_nonzero(of))

    def figures(self) -> PatternFigures:
        """What has been counted so far."""
        shares = {name: torn / of if of else None for name, (torn, of) in self.cut.items()}
        return PatternFigures(
            self.counts.total(),
            len(self.counts),
            max(self.counts, key=len, default=""),
            self.characters,
            shares["clusters"],
            shares["thai"],
            shares["words"],
            self.seconds,
            self.lossless,
        )


def _torn(starts: Flags, cuts: Ints) -> Flags:
    """For stretches that start at these characters: whether a cut lies inside each."""
    torn: Flags = np.zeros(int(np.count_nonzero(starts)), dtype=np.bool_)
    inside = cuts[~starts[cuts]]
    torn[np.cumsum(starts)[inside] - 1] = True
    return torn


def batches(text: str, pattern: str) -> Iterator[list[str]]:
    """The pretokens of a text as `pretokenize` gives them, some ten thousand at a time."""
    compiled = compile_pattern(pattern)
    if _leading_flags(compiled.pattern)[0].count("r"):
        yield pretokenize(text, pattern)  # comes from the end
        return
    pieces = _pieces(compiled, text)
    while batch := list(islice(pieces, BATCH)):
        yield batch


def _pieces(compiled: regex.Pattern[str], text: str) -> Iterator[str]:
    """Each match and each stretch between two, as they come."""
    end = 0
    try:
        for match in compiled.finditer(text, timeout=time_budget(text, compiled.pattern), concurrent=True):
            start, stop = match.span()
            if stop <= start or start < end:
                continue
            if start > end:
                yield text[end:start]
            yield text[start:stop]
            end = stop
    except (TimeoutError, MemoryError) as error:
        raise given_up(text, compiled.pattern, end, error) from None
    if end < len(text):
        yield text[end:]
