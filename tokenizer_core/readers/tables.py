"""Tables of any kind → text: choose the columns that are prose, and count the rows read and skipped.

In a text, each cell of the chosen columns becomes a line, row after row; empty cells are left out. Line breaks
within a cell stay, so one cell may become several lines. A broken row is skipped and counted. Parallel texts need
the cells themselves: each column keeps all of its cells, empty ones included.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.labels import listed

MAX_COLUMNS = 200
MAX_ROWS = 3_000_000
"""Three million rows take three seconds as CSV and six as JSON; other visitors wait meanwhile."""
SAMPLE_ROWS = 1_000
"""Rows read to choose the columns."""
NUMBER = re.compile(r"[\s\d.,:/%+-]*")
SAID_ROWS = 256
"""Rows between two reports of progress."""
_BLOCK = 2**20
"""Characters of a block of text."""
Told = Callable[[float], None]
"""Called now and then with the share of a file that has been read."""
Rows = Iterator[tuple[int, Sequence[str] | None]]
"""Each row as the number of its line and its cells; None instead of cells for a broken row."""


@dataclass(frozen=True)
class Table:
    """A table of any kind with known columns, before its rows are read."""

    labels: tuple[str, ...]
    header: bool | None
    """Whether the first line names the columns; None if the format has no header line."""
    sample: Callable[[int], Sequence[str]]
    """Returns the first cells of a column, numbered from 0 up; they decide which columns are chosen."""
    rows: Callable[[Sequence[int]], Rows]
    """Returns the cells of these columns, row by row."""
    lines: int | None = None
    """The highest number of a row; None if that is not known."""
    read_share: float = 0.0
    """The share of the work of reading that was done to open the table."""


@dataclass(frozen=True)
class TableReading:
    """How a table was read: its columns, and the rows read and skipped."""

    columns: tuple[str, ...]
    chosen: tuple[str, ...]
    """The columns whose cells were read."""
    header: bool | None
    """Whether the first line names the columns; None if the format has no header line."""
    rows: int
    """Rows read."""
    skipped_rows: int = 0
    """Broken rows, or lines of broken rows, that were skipped."""
    first_skipped: int | None = None
    """The line of the first skipped row, from 1 up."""


def text_of(
    table: Table, columns: Collection[str] | None = None, *, told: Told = lambda share: None
) -> tuple[str, TableReading]:
    """Return the cells of the chosen columns, one per line; without a choice, of the columns that are prose."""
    rows = RowReader(table, choose_columns(table, columns), told=told)
    text = "".join(text_blocks(rows))
    if not rows.count or (not text and columns is None):
        raise CorpusError("no_rows")
    return text, rows.reading()


def cells_of(
    table: Table, columns: Collection[str] | None = None
) -> tuple[tuple[tuple[str, ...], ...], TableReading]:
    """Return the cells of the chosen columns, column by column; all columns have the same number of cells.

    Without a choice, takes the columns that look like prose; if only one does, all columns with letters. Prose may
    be much shorter here, because a Chinese text has a third of the characters of the same text in English.
    """
    chosen = choose_columns(table, columns, least=1 / 6)
    if columns is None and len(chosen) < 2:
        chosen = columns_with_letters(table)
    cells: list[list[str]] = [[] for _ in chosen]
    rows = RowReader(table, chosen)
    for row in rows:
        for column, cell in zip(cells, row):
            column.append(cell)
    return tuple(map(tuple, cells)), rows.reading()


@dataclass
class RowReader:
    """Iterates over the rows that can be read, and counts the broken ones."""

    table: Table
    chosen: tuple[str, ...]
    is_limited: bool = True
    told: Told = lambda share: None
    count: int = 0
    skipped: int = 0
    first_skipped: int | None = None

    def __iter__(self) -> Iterator[Sequence[str]]:
        table = self.table
        for number, (line, cells) in enumerate(table.rows(list(map(table.labels.index, self.chosen))), 1):
            if self.is_limited and number > MAX_ROWS:
                check_rows(number)
            if table.lines and number % SAID_ROWS == 0:
                self.told(min(table.read_share + (1 - table.read_share) * line / table.lines, 1.0))
            if cells is None:
                self.skipped += 1
                self.first_skipped = self.first_skipped or line
            else:
                self.count += 1
                yield cells

    def reading(self) -> TableReading:
        """Return what was read so far."""
        labels, header = self.table.labels, self.table.header
        return TableReading(labels, self.chosen, header, self.count, self.skipped, self.first_skipped)


def text_blocks(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield each cell that is not empty as a line, in blocks of whole rows.

    >>> [*text_blocks([["a cat", ""], ["a dog", "a cow"]])]
    ['a cat\\na dog\\na cow\\n']
    """
    held, size = list[str](), 0
    for cells in rows:
        for cell in cells:
            if cell:
                held.append(cell)
                size += len(cell) + 1
        if size >= _BLOCK:
            yield "\n".join([*held, ""])
            held, size = [], 0
    if held:
        yield "\n".join([*held, ""])


def with_last(texts: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each text, and whether it is the last.

    >>> [*with_last("ab")]
    [('a', False), ('b', True)]
    """
    held: str | None = None
    for text in texts:
        if held is not None:
            yield held, False
        held = text
    if held is not None:
        yield held, True


def choose_columns(table: Table, columns: Collection[str] | None, *, least: float = 1 / 2) -> tuple[str, ...]:
    """Return the columns asked for, in table order; without a choice, those that look like prose.

    A column looks like prose if its mean length of prose is at least `least` times that of the longest column.
    """
    labels = table.labels
    if columns is not None:
        for column in columns:
            if column not in labels:
                raise CorpusError("unknown_column", column=column, columns=listed(labels))
        return tuple(label for label in labels if label in columns)
    cells = [table.sample(place) for place in range(len(labels))]
    lengths = [mean_length(each, only=_is_prose) for each in cells]
    longest = max(lengths)
    if longest == 0:  # a list of words, or of numbers
        words = [(mean_length(each, only=_has_letter), mean_length(each)) for each in cells]
        if max(words) == (0, 0):  # the first cells are all empty
            return tuple(labels)
        return (labels[words.index(max(words))],)
    return tuple(label for label, length in zip(labels, lengths) if length >= longest * least)


def columns_with_letters(table: Table) -> tuple[str, ...]:
    """Return the columns that hold more than numbers in the first rows."""
    labels = enumerate(table.labels)
    return tuple(label for place, label in labels if any(map(_has_letter, table.sample(place))))


def mean_length(cells: Sequence[str], *, only: Callable[[str], bool] = bool) -> float:
    """Return the mean length over the cells that are not empty; 0 if all are empty.

    Cells that fail the test `only` count with length 0.
    """
    return sum(len(cell) for cell in cells if only(cell)) / max(1, sum(map(bool, cells)))


def _is_prose(cell: str) -> bool:
    """Tell whether a cell is more than one word, name, number or address; Thai needs no spaces."""
    return _has_letter(cell) and (not cell.isascii() or len(cell.split(maxsplit=1)) > 1)


def _has_letter(cell: str) -> bool:
    return any(map(str.isalpha, cell))


def check_columns(count: int) -> None:
    """Refuse a table with too many columns."""
    if count > MAX_COLUMNS:
        raise CorpusError("too_many_columns", limit=MAX_COLUMNS)


def check_rows(count: int) -> None:
    """Refuse a table with too many rows."""
    if count > MAX_ROWS:
        raise CorpusError("too_many_rows", limit=MAX_ROWS)
