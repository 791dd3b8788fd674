"""Parallel texts: the same lines in several languages, read from files or a table.

Only `\\n` and `\\r\\n` end a line. A line end at the end of a file ends the last line and starts no other one.
An empty line is a line like any other: it stays in its pair, and it is counted and reported.
"""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np

from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.alignment import first_extra_line, first_shifted
from tokenizer_core.texts.archives import PackedFile
from tokenizer_core.texts.encodings import decode_text
from tokenizer_core.texts.files import MAX_BYTES, open_table, table_kind
from tokenizer_core.texts.labels import column_labels
from tokenizer_core.texts.parquet import OpenParquet, open_parquet
from tokenizer_core.texts.tables import TableReading, cells_of

Joining = Literal["lines", "whole", "space"]
"""How lines become texts: each line separately without its end; the whole file as it is; or all lines in one text,
with a space between two lines."""
JOININGS: tuple[Joining, ...] = get_args(Joining)
MAX_LANGUAGES = 20
MAX_PAIRS = 1_000_000


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

    @property
    def pairs(self) -> int:
        """The number of lines in each language."""
        return len(self.lines[0])

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
            digest.update("".join(side).encode())
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


def parallel_files(files: Sequence[PackedFile], *, encoding: str | Sequence[str | None] | None = None) -> Parallel:
    """Read text files with the same lines, one per language; raise a `CorpusError` that names the file.

    `encoding` is that of all files, or a list with one per file; None is detected.
    """
    texts, guesses = [], []
    encodings = [encoding] * len(files) if encoding is None or isinstance(encoding, str) else encoding
    for file, said in zip(files, encodings, strict=True):
        try:
            if file.refusal is not None:
                raise file.refusal
            decoded = decode_text(file.content, encoding=said)
        except CorpusError as error:
            values = {**error.values, "file": file.name}
            raise CorpusError(f"{file.name}: {error}", error.code, **values) from None
        texts.append(decoded.text)
        guesses += [Guess(file.name, decoded.encoding)] if decoded.is_guess else []
    read = parallel_texts([file.name for file in files], texts)
    return replace(read, guesses=tuple(guesses))


def parallel_table(
    file: PackedFile,
    *,
    columns: Collection[str] | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    max_bytes: int = MAX_BYTES,
    parquet: OpenParquet = open_parquet,
) -> Parallel:
    """Read a table with one language in each column; its name tells its kind.

    A broken row is skipped in all columns, and counted.

    >>> parallel_table(PackedFile("t.csv", "th,en\\nแมว,a cat\\n".encode()), header=True).names
    ('th', 'en')
    """
    if file.refusal is not None:
        raise file.refusal
    kind = table_kind(file.name) or "csv"
    table, decoded = open_table(file, kind, encoding=encoding, header=header, max_bytes=max_bytes, parquet=parquet)
    cells, reading = cells_of(table, columns)
    guesses = (Guess(file.name, decoded.encoding),) if decoded and decoded.is_guess else ()
    return _checked(Parallel(reading.chosen, cells, tuple(map("\n".join, cells)), guesses, reading))


def read_parallel(
    files: Sequence[PackedFile],
    *,
    columns: Collection[str] | None = None,
    header: bool | None = None,
    encoding: str | Sequence[str | None] | None = None,
    max_bytes: int = MAX_BYTES,
    parquet: OpenParquet = open_parquet,
) -> Parallel:
    """Read one table, or one text file per language; raise `CorpusError` for anything else.

    `encoding` is that of all files, or a list with one per file; None is detected. `parquet` opens Parquet files.
    """
    tables = [file.name for file in files if table_kind(file.name)]
    if tables and len(files) > 1:
        raise CorpusError(
            f"the files must be one table, or one text file per language; {len(files)} files came,"
            f" one of them the table {tables[0]}",
            "parallel_table_and_more",
            name=tables[0],
            files=len(files),
        )
    if tables:
        said = encoding if encoding is None or isinstance(encoding, str) else encoding[0]
        return parallel_table(
            files[0], columns=columns, header=header, encoding=said, max_bytes=max_bytes, parquet=parquet
        )
    return parallel_files(files, encoding=encoding)


def _checked(parallel: Parallel) -> Parallel:
    """Return the texts; raise `CorpusError` if they cannot be compared line by line."""
    languages = len(parallel.names)
    if not 2 <= languages <= MAX_LANGUAGES:
        raise CorpusError(
            f"at least two languages and at most {MAX_LANGUAGES} can be compared; {languages} came",
            "parallel_languages",
            languages=languages,
            limit=MAX_LANGUAGES,
        )
    for name, side in zip(parallel.names, parallel.lines):
        if not any(map(str.strip, side)):
            raise CorpusError(f"each language must have text; {name} has none", "parallel_side_empty", name=name)
    for name, side in zip(parallel.names[1:], parallel.lines[1:]):
        if len(side) != parallel.pairs:
            raise _other_lengths(parallel, name, side)
    if parallel.pairs > MAX_PAIRS:
        raise CorpusError(
            f"at most {MAX_PAIRS:,} pairs can be compared; {parallel.pairs:,} came",
            "parallel_too_long",
            pairs=parallel.pairs,
            limit=MAX_PAIRS,
        )
    return parallel


def _other_lengths(parallel: Parallel, name: str, side: Sequence[str]) -> CorpusError:
    first = parallel.names[0]
    line = first_extra_line(parallel.lines[0], side)
    return CorpusError(
        f"the files must have the same number of lines; {first} has {parallel.pairs:,} and {name} {len(side):,}."
        f" By their lengths, the lines match up to about line {line:,}: look there",
        "parallel_lines_differ",
        first=first,
        other=name,
        first_lines=parallel.pairs,
        other_lines=len(side),
        line=line,
    )
