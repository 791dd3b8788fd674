"""Parallel texts: the same lines in several languages, read from files or a table.

Only `\\n` and `\\r\\n` end a line. A line end at the end of a file ends the last line and starts no other one.
An empty line is a line like any other: it stays in its pair, and it is counted and reported.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.archives import PackedFile
from tokenizer_core.readers.encodings import decode_text
from tokenizer_core.readers.files import MAX_BYTES, TableKind, table_kind, text_table
from tokenizer_core.readers.labels import column_labels
from tokenizer_core.readers.languages import language_of
from tokenizer_core.readers.parquet import OpenParquet, open_parquet
from tokenizer_core.readers.tables import TableReading, cells_of

Joining = Literal["lines", "whole", "space"]
"""How lines become texts: each line separately without its end; the whole file as it is; or all lines in one text,
with a space between two lines."""
JOININGS: tuple[Joining, ...] = get_args(Joining)
MAX_LANGUAGES = 20
MAX_PAIRS = 1_000_000
Floats = npt.NDArray[np.float64]
_SHIFTS = range(1, 11)
"""Line offsets tried: one side may be this many lines late."""
_NEAR = 2
_LEAST_CLEAR = 0.5
"""How much worse the lengths fit where the extra lines are not near the best place. Of 3,000 texts with some taken
out, 72 % are as clear as that, and in 99.9 % of these the lines are there; by the best place alone, in 95 %."""
_LEAST_SHIFTED = 20
_CAP = 1.5
_LEAST_GAIN = 6.0
"""How much better the lengths of all shifted lines together must fit, as a logarithm."""
_DOUBT = 0.05
"""The least gain of each line, because chance gains something, too."""


class EmptyLines(NamedTuple):
    """Counts of pairs with lines that are empty or only white space."""

    all_sides: int
    some_sides: int
    first: int | None
    """The first pair in which some sides are empty, but not all; from 1 up."""


class Guess(NamedTuple):
    """A file whose encoding is a guess."""

    name: str
    encoding: str


class LeftOut(NamedTuple):
    """A file beside which the others are compared, because it cannot be."""

    place: int
    """Its place among all files that were chosen."""
    why: CorpusError


@dataclass(frozen=True)
class Parallel:
    """The same lines in several languages: line n says the same in each."""

    names: tuple[str, ...]
    """The name of each language, from its file or column; no two are the same."""
    lines: tuple[tuple[str, ...], ...] = field(repr=False)
    """For each language, its lines without line ends; a cell of a table counts as one line."""
    texts: tuple[str, ...] = field(repr=False)
    """For each language, the whole file; for a table, the cells with a line feed between two."""
    guesses: tuple[Guess, ...] = ()
    table: TableReading | None = None
    """How the table with the lines was read; None for text files."""
    left_out: tuple[LeftOut, ...] = ()
    """Files that could not be compared with these."""

    @property
    def pairs(self) -> int:
        """The number of lines in each language."""
        return len(self.lines[0])

    @cached_property
    def languages(self) -> tuple[str | None, ...]:
        """The code of each language, such as "th"; None where neither name nor script tells it."""
        return tuple(language_of(name, text) for name, text in zip(self.names, self.texts, strict=True))

    @cached_property
    def empty(self) -> EmptyLines:
        """The numbers of pairs with empty lines."""
        blank = np.array([[not line.strip() for line in side] for side in self.lines], dtype=np.bool_)
        every, some = blank.all(axis=0), blank.any(axis=0)
        lopsided = np.flatnonzero(some & ~every)
        first = int(lopsided[0]) + 1 if len(lopsided) else None
        return EmptyLines(int(np.count_nonzero(every)), len(lopsided), first)

    @cached_property
    def first_shifted(self) -> int | None:
        """The first pair, from 1 up, from which another alignment fits the line lengths far better; or None."""
        found = [first_shifted(self.lines[0], side) for side in self.lines[1:]]
        return min((line for line in found if line is not None), default=None)

    @cached_property
    def digest(self) -> str:
        """A hash that is the same for the same lines under the same names."""
        digest = hashlib.sha256(repr(self.names).encode())
        for side, text in zip(self.lines, self.texts):
            digest.update(repr([len(line) for line in side]).encode())
            digest.update(text.encode())
        return digest.hexdigest()

    def joined(self, language: int, joining: Joining) -> str:
        """Return the lines of a language as one text."""
        return " ".join(self.lines[language]) if joining == "space" else self.texts[language]


# ---- reading


def split_lines(text: str) -> list[str]:
    """Split a text into lines without their ends; only `\\n` and `\\r\\n` end a line.

    >>> split_lines("a\\r\\n\\nb\\u2028c\\n"), split_lines("")
    (['a', '', 'b\\u2028c'], [])
    """
    lines = text.split("\n")
    last = lines.pop()
    lines = [line.removesuffix("\r") for line in lines]
    return [*lines, last] if last else lines


def parallel_texts(names: Sequence[str], texts: Sequence[str]) -> Parallel:
    """Pair texts that say the same line by line; raise `CorpusError` if they cannot be paired.

    >>> parallel_texts(["th", "en"], ["แมว\\nหมา\\n", "a cat\\na dog"]).lines
    (('แมว', 'หมา'), ('a cat', 'a dog'))
    """
    lines = tuple(tuple(split_lines(text)) for text in texts)
    return _checked(Parallel(column_labels(names), lines, tuple(texts)))


def read_parallel(
    files: Sequence[PackedFile],
    *,
    columns: Collection[str] | None = None,
    header: bool | None = None,
    encoding: str | Sequence[str | None] | None = None,
    max_bytes: int = MAX_BYTES,
    parquet: OpenParquet = open_parquet,
) -> Parallel:
    """Read one table with a language in each column, or one text file per language.

    `encoding` is that of all files, or a list with one per file; None is detected. `parquet` opens Parquet files.
    A broken row of a table is skipped in all columns, and counted. Raises `CorpusError` for anything else.

    >>> read_parallel([PackedFile("t.csv", "th,en\\nแมว,a cat\\n".encode())], header=True).names
    ('th', 'en')
    """
    encodings = [encoding] * len(files) if encoding is None or isinstance(encoding, str) else encoding
    for file in files:
        if kind := table_kind(file.name):
            if len(files) > 1:
                raise CorpusError("parallel_table_and_more", name=file.name, files=len(files))
            return _read_table(file, kind, columns, header, encodings[0], max_bytes, parquet)
    sides = read_each(files, encodings)
    found = parallel_texts([file.name for file in files], [side.texts[0] for side in sides])
    return replace(found, guesses=tuple(guess for side in sides for guess in side.guesses))


def read_each(files: Sequence[PackedFile], encodings: Sequence[str | None]) -> list[Parallel]:
    """Read each text file by itself, as a text beside no other; raise `CorpusError` if one cannot be read.

    >>> [side.pairs for side in read_each([PackedFile("a", b"1\\n2\\n"), PackedFile("b", b"1\\n")], [None, None])]
    [2, 1]
    """
    return [_read_text(file, said) for file, said in zip(files, encodings, strict=True)]


def _read_text(file: PackedFile, encoding: str | None) -> Parallel:
    try:
        if file.refusal is not None:
            raise file.refusal
        decoded = decode_text(file.content, encoding=encoding)
    except CorpusError as error:
        raise error.at(file=file.name) from None
    guesses = (Guess(file.name, decoded.encoding),) if decoded.is_guess else ()
    return Parallel((file.name,), (tuple(split_lines(decoded.text)),), (decoded.text,), guesses)


def read_fitting(
    files: Sequence[PackedFile], encodings: Sequence[str | None]
) -> tuple[list[Parallel], tuple[LeftOut, ...]]:
    """Read each text file by itself; leave out, with the reason, what cannot be read or has other lines.

    The number of lines must be that of most files; if no number is, as with two files, none is left out for it.

    >>> files = [PackedFile("a", b"1\\n2\\n"), PackedFile("b", b"1\\n2\\n"), PackedFile("c", b"1\\n")]
    >>> sides, left_out = read_fitting(files, [None] * 3)
    >>> [side.names for side in sides], [(each.place, each.why.code) for each in left_out]
    ([('a',), ('b',)], [(2, 'parallel_other_lines')])
    """
    sides: dict[int, Parallel] = {}
    left_out: dict[int, CorpusError] = {}
    for place, (file, encoding) in enumerate(zip(files, encodings, strict=True)):
        try:
            sides[place] = _read_beside_others(file, encoding, len(files))
        except CorpusError as error:
            left_out[place] = error.bare()
    (usual, most), *others = Counter(side.pairs for side in sides.values()).most_common() or [(0, 0)]
    if most > max([1, *(count for _, count in others)]):
        for place, side in sides.items():
            if side.pairs != usual:
                why = CorpusError("parallel_other_lines", name=files[place].name, lines=side.pairs, usual=usual)
                left_out[place] = why
    fitting = [side for place, side in sides.items() if place not in left_out]
    return fitting, tuple(LeftOut(place, left_out[place]) for place in sorted(left_out))


def _read_beside_others(file: PackedFile, encoding: str | None, files: int) -> Parallel:
    if table_kind(file.name):
        raise CorpusError("parallel_table_and_more", name=file.name, files=files)
    side = _read_text(file, encoding)
    if not side.texts[0].strip():
        raise CorpusError("parallel_side_empty", name=file.name)
    return side


def _read_table(
    file: PackedFile,
    kind: TableKind,
    columns: Collection[str] | None,
    header: bool | None,
    encoding: str | None,
    max_bytes: int,
    parquet: OpenParquet,
) -> Parallel:
    if file.refusal is not None:
        raise file.refusal
    guesses = []
    if kind == "parquet":
        table = parquet(file.content, max_bytes)
    else:
        decoded = decode_text(file.content, encoding=encoding)
        table = text_table(kind, [decoded.text], header=header)
        guesses += [Guess(file.name, decoded.encoding)] if decoded.is_guess else []
    cells, reading = cells_of(table, columns)
    return _checked(Parallel(reading.chosen, cells, tuple(map("\n".join, cells)), tuple(guesses), reading))


def _checked(parallel: Parallel) -> Parallel:
    """Return the texts; raise `CorpusError` if they cannot be compared line by line."""
    languages = len(parallel.names)
    if not 2 <= languages <= MAX_LANGUAGES:
        raise CorpusError("parallel_languages", languages=languages, limit=MAX_LANGUAGES)
    for name, side in zip(parallel.names, parallel.lines):
        if not any(map(str.strip, side)):
            raise CorpusError("parallel_side_empty", name=name)
    for name, side in zip(parallel.names[1:], parallel.lines[1:]):
        if len(side) != parallel.pairs:
            counts: dict[str, str | int] = {"first": parallel.names[0], "first_lines": parallel.pairs}
            counts |= {"other": name, "other_lines": len(side)}
            line = first_extra_line(parallel.lines[0], side)
            if line is None:
                raise CorpusError("parallel_lengths_differ", **counts)
            raise CorpusError("parallel_lines_differ", **counts, line=line)
    if parallel.pairs > MAX_PAIRS:
        raise CorpusError("parallel_too_long", pairs=parallel.pairs, limit=MAX_PAIRS)
    return parallel


# ---- whether lines are aligned, judged by their lengths


def first_extra_line(lines: Sequence[str], others: Sequence[str]) -> int | None:
    """Return the most likely first extra line of the side with more lines, from 1 up; None if it is not clear.

    Assumes that all extra lines are in one place: where the lengths before and after it fit best.

    >>> whole = ["I", "you and me", "he", "they all", "the last one of all"]
    >>> first_extra_line(whole, ["je", "il", "ils tous", "le dernier de tous"])
    2
    """
    longer, shorter = _logs(max(lines, others, key=len)), _logs(min(others, lines, key=len))
    extra = len(longer) - len(shorter)
    before = np.cumsum(np.append(0.0, _misfit(longer[: len(shorter)], shorter)))
    after = _misfit(longer[extra:], shorter)
    misfit = before + np.append(np.cumsum(after[::-1])[::-1], 0.0)
    best = int(np.argmin(misfit))
    elsewhere = np.abs(np.arange(len(misfit)) - best) > _NEAR
    return best + 1 if elsewhere.any() and misfit[elsewhere].min() - misfit[best] >= _LEAST_CLEAR else None


def first_shifted(lines: Sequence[str], others: Sequence[str]) -> int | None:
    """Return the first line from which one side seems up to ten lines late: the lengths fit far better when moved.

    The side need not stay late to the end. Returns None if the lines fit as they are, or if fewer than 20 lines
    are shifted.
    """
    count = len(lines)
    ours, theirs = _logs(lines), _logs(others)
    now = _misfit(ours, theirs)
    best: tuple[float, int] | None = None
    for shift in (sign * size for size in _SHIFTS if size + 2 * _LEAST_SHIFTED <= count for sign in (1, -1)):
        moved = np.full(count, _CAP)
        late, early = max(0, shift), max(0, -shift)
        length = count - late - early
        moved[early : early + length] = _misfit(ours[late : late + length], theirs[early : early + length])
        gain, start, end = _best_stretch(now - moved - _DOUBT)
        is_clear = (now - moved)[start:end].sum() > 0.4 * now[start:end].sum()
        if end - start >= _LEAST_SHIFTED and gain > max(_LEAST_GAIN, best[0] if best else 0.0) and is_clear:
            best = gain, start
    return best[1] + 1 if best else None


def _best_stretch(gains: Floats) -> tuple[float, int, int]:
    """Find the stretch with the largest sum; return the sum, the start and the end.

    >>> _best_stretch(np.array([1.0, -2.0, 3.0, -1.0, 2.0, -5.0]))
    (4.0, 2, 5)
    """
    sums = np.append(0.0, np.cumsum(gains))
    rises = sums[1:] - np.minimum.accumulate(sums)[:-1]
    end = int(np.argmax(rises)) + 1
    start = int(np.argmin(sums[:end]))
    return float(rises[end - 1]), start, end


def _logs(lines: Sequence[str]) -> Floats:
    """Return the logarithm of each line's length plus 1.

    >>> np.exp(_logs(["", "ab"])).round(6).tolist()
    [1.0, 3.0]
    """
    logs: Floats = np.log(np.fromiter(map(len, lines), dtype=np.float64, count=len(lines)) + 1)
    return logs


def _misfit(lengths: Floats, others: Floats) -> Floats:
    """Return how far the length ratio of each pair of lines is from the usual one, as a logarithm; at most 1.5."""
    difference = lengths - others
    usual = np.median(difference) if len(difference) else 0.0
    misfit: Floats = np.minimum(np.abs(difference - usual), _CAP)
    return misfit
