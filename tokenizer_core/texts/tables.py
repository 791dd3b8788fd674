"""Tables → text, whatever their kind: which columns are prose, and what became of the rows.

In a text every cell of the chosen columns is a line, row after row; empty cells are left out. Line breaks within a
cell are kept, so that such a cell is several lines. A broken row is skipped and counted. Parallel texts need the
cells themselves: there each column keeps all of its cells, empty ones included.
"""

import io
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from tokenizer_core.errors import CorpusError

MAX_COLUMNS = 200
MAX_ROWS = 3_000_000
"""Three million take three seconds as CSV, six as JSON; meanwhile other visitors wait."""
SAMPLE_ROWS = 1_000
"""Rows by which columns are chosen."""
NUMBER = re.compile(r"[\s\d.,:/%+-]*")
Rows = Iterator[tuple[int, Sequence[str] | None]]
"""The cells of each row with the number of its line; None for a broken one."""


@dataclass(frozen=True)
class Table:
    """A table of any kind whose columns are known, before its rows are read."""

    labels: tuple[str, ...]
    header: bool | None
    """Whether the first line names the columns; None where the format has no such line."""
    sample: Callable[[int], Sequence[str]]
    """The first cells of a column, from 0 up, by which columns are chosen."""
    rows: Callable[[Sequence[int]], Rows]
    """The cells of these columns, row by row."""


@dataclass(frozen=True)
class TableReading:
    """How a table was read: its columns, and what became of its rows."""

    columns: tuple[str, ...]
    chosen: tuple[str, ...]
    """The columns whose cells were taken."""
    header: bool | None
    """Whether the first line names the columns; None where the format has no such line."""
    rows: int
    """Rows that were read."""
    skipped_rows: int = 0
    """Rows, or lines of them, that are broken and left out."""
    first_skipped: int | None = None
    """The line of the first one, from 1 up."""


def text_of(table: Table, columns: Collection[str] | None = None) -> tuple[str, TableReading]:
    """The cells of the chosen columns, each on a line of its own; without a choice, the columns that are prose."""
    chosen = _choose(table, columns)
    written = io.StringIO()  # a list of three million short strings would take 180 MB
    whole = _WholeRows(table, chosen)
    for cells in whole:
        for cell in cells:
            if cell:
                written.write(cell)
                written.write("\n")
    if not whole.count:
        raise no_rows()
    return written.getvalue(), whole.reading()


def cells_of(
    table: Table, columns: Collection[str] | None = None
) -> tuple[tuple[tuple[str, ...], ...], TableReading]:
    """The cells of the chosen columns, column by column, all of the same length.

    Without a choice these are the columns that look like prose; where only one does, all that hold letters. The
    same said in Chinese has a third of the characters that it has in English.
    """
    chosen = _choose(table, columns, least=1 / 6)
    if columns is None and len(chosen) < 2:
        places = range(len(table.labels))
        chosen = tuple(table.labels[place] for place in places if any(map(_has_letter, table.sample(place))))
    cells: list[list[str]] = [[] for _ in chosen]
    whole = _WholeRows(table, chosen)
    for row in whole:
        for column, cell in zip(cells, row):
            column.append(cell)
    return tuple(map(tuple, cells)), whole.reading()


class _WholeRows:
    """Iterates over the rows that can be read, and counts those that cannot."""

    def __init__(self, table: Table, chosen: tuple[str, ...]) -> None:
        self.count = 0
        self._table = table
        self._chosen = chosen
        self._skipped = 0
        self._first_skipped: int | None = None

    def __iter__(self) -> Iterator[Sequence[str]]:
        places = [self._table.labels.index(label) for label in self._chosen]
        for number, (line, cells) in enumerate(self._table.rows(places), 1):
            if number > MAX_ROWS:
                check_rows(number)
            if cells is None:
                self._skipped += 1
                self._first_skipped = self._first_skipped or line
            else:
                self.count += 1
                yield cells

    def reading(self) -> TableReading:
        """What has been read so far."""
        table = self._table
        return TableReading(
            table.labels, self._chosen, table.header, self.count, self._skipped, self._first_skipped
        )


def _choose(table: Table, columns: Collection[str] | None, *, least: float = 1 / 2) -> tuple[str, ...]:
    """The columns asked for, in the order of the table; else those that look like prose.

    Prose is what is on average at least half as long as in the column where it is longest, or `least` of it.
    """
    labels = table.labels
    if columns is not None:
        for column in columns:
            if column not in labels:
                raise CorpusError(f"the table has no column {column!r}", "unknown_column", column=column)
        return tuple(label for label in labels if label in columns)
    cells = [table.sample(place) for place in range(len(labels))]
    lengths = [mean_length(each, only=_is_prose) for each in cells]
    longest = max(lengths)
    if longest == 0:  # a list of words, or of numbers
        words = [(mean_length(each, only=_has_letter), mean_length(each)) for each in cells]
        if max(words) == (0, 0):  # they are empty at first
            return tuple(labels)
        return (labels[words.index(max(words))],)
    return tuple(label for label, length in zip(labels, lengths) if length >= longest * least)


def mean_length(cells: Sequence[str], *, only: Callable[[str], bool] = bool) -> float:
    """The mean over the cells that are not empty, to which only some add their length; 0 where all are empty."""
    return sum(len(cell) for cell in cells if only(cell)) / max(1, sum(map(bool, cells)))


def _is_prose(cell: str) -> bool:
    """Whether a cell is more than one word, name, number or address; Thai needs no spaces."""
    return _has_letter(cell) and (not cell.isascii() or len(cell.split(maxsplit=1)) > 1)


def _has_letter(cell: str) -> bool:
    return any(map(str.isalpha, cell))


def check_columns(count: int) -> None:
    """Refuse a table with too many columns."""
    if count > MAX_COLUMNS:
        raise CorpusError(
            f"a table may have at most {MAX_COLUMNS} columns; this one has {count:,}",
            "too_many_columns",
            limit=MAX_COLUMNS,
        )


def check_rows(count: int) -> None:
    """Refuse a table with too many rows."""
    if count > MAX_ROWS:
        raise CorpusError(f"a table may have at most {MAX_ROWS:,} rows", "too_many_rows", limit=MAX_ROWS)


def no_rows() -> CorpusError:
    """The error for a table without text."""
    return CorpusError("a table must have a row that can be read; this one has none", "no_rows")
