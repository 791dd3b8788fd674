"""CSV files: the reader finds the delimiter, and a broken row does not affect other rows.

This is our own reader on top of Python's, because other readers lose good rows: of 2,000 rows with one stray
quotation mark it keeps 1,999, while pyarrow and pandas keep only the rows before it.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from tokenizer_core.texts.labels import column_labels
from tokenizer_core.texts.tables import NUMBER, SAMPLE_ROWS, Rows, Table, check_columns, mean_length, no_rows

MAX_CELL = 2**22
"""Characters of a cell. After this many, an unclosed quotation mark is noticed."""
_MAX_ROW = 2**26
"""Characters. In a file that comes in pieces, a longer row is broken."""
_DELIMITERS = ",;\t|"
_HEAD = 65_536
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")


class _Style(NamedTuple):
    """The delimiter of a CSV file, and whether quotation marks may surround its cells."""

    delimiter: str
    is_quoted: bool = True


def open_csv(text: str, *, header: bool | None = None, delimiter: str = ",") -> Table:
    """Open a CSV file and find its delimiter; in a draw, the given `delimiter` wins.

    A row is skipped if its number of cells is not the usual one, or if it has a NUL or an unclosed quotation mark.
    If `header` is None, the reader finds out whether the first line names the columns.

    >>> from tokenizer_core.texts.tables import text_of
    >>> text, reading = text_of(open_csv("id;text\\n1;a cat\\n2;broken;row\\n3;a dog\\n"))
    >>> text, reading.chosen, reading.skipped_rows, reading.first_skipped
    ('a cat\\na dog\\n', ('text',), 1, 3)
    """
    csv.field_size_limit(MAX_CELL)  # applies to the whole process; no other code sets it
    head = _head(text)
    style = _find_style(head, delimiter)
    sample = [cells for _, cells in islice(_records(head, style), SAMPLE_ROWS) if cells]
    if not sample:
        raise no_rows()
    width = Counter(map(len, sample)).most_common(1)[0][0]
    check_columns(width)
    first = sample[0]
    body = [cells for cells in sample if len(cells) == width]
    if header is None:
        header = len(first) == width and _is_header(first, body[1:])
    labels = column_labels(first if header and len(first) == width else [""] * width)
    below = body[header:]

    def rows(places: Sequence[int]) -> Rows:
        records = _records(text, style, width)
        if header:
            next(records, None)
        return ((line, cells and [cells[place] for place in places]) for line, cells in records)

    return Table(labels, header, lambda place: [cells[place] for cells in below], rows, text.count("\n") + 1)


class CsvStream:
    """A CSV file that comes in pieces, the first of at least `_HEAD` characters; its rows are those of `open_csv`.

    >>> stream = CsvStream("id,text\\n1,a cat\\n1,a cat\\n2,\\"a\\n")
    >>> [*stream.rows([1])], [*stream.rows([1], 'dog"\\n', is_end=True)]
    ([['a cat'], ['a cat']], [['a\\ndog']])
    """

    def __init__(self, head: str, *, header: bool | None = None, delimiter: str = ",") -> None:
        self.table = open_csv(head, header=header, delimiter=delimiter)
        self._style = _find_style(_head(head), delimiter)
        self._rest = head
        self._wanted = 0
        self._skip = bool(self.table.header)

    def rows(self, places: Sequence[int], more: str = "", *, is_end: bool = False) -> Iterator[Sequence[str]]:
        """Yield the rows that are whole now, and leave out broken ones; the rest waits for the next piece."""
        self._rest += more
        text = self._rest
        if len(text) < self._wanted and not is_end:
            return
        lines = _Lines(text)
        is_end = is_end or len(text) > _MAX_ROW
        for _, cells in _records(text, self._style, len(self.table.labels), lines=lines, is_end=is_end):
            if self._skip:
                self._skip = False
            elif cells is not None:
                yield [cells[place] for place in places]
        self._rest = text[lines.offset :]
        self._wanted = min(2 * len(self._rest), _MAX_ROW)  # so that a long row is read a few times only


def _head(text: str) -> str:
    """Return the first whole lines."""
    head = text[:_HEAD]
    return head if len(head) == len(text) else head[: head.rfind("\n") + 1] or head


def _find_style(head: str, likely: str) -> _Style:
    """Find the style that gives most rows the same number of cells, at least two; only tabs may ignore quotes."""
    styles = [_Style(likely), *map(_Style, _DELIMITERS), _Style("\t", is_quoted=False)]
    return max(styles, key=lambda style: _fitness(head, style))


def _fitness(head: str, style: _Style) -> tuple[bool, float, int]:
    widths = Counter(len(cells) if cells else 0 for _, cells in islice(_records(head, style), 200))
    if not widths:
        return False, 0.0, 0
    width, count = widths.most_common(1)[0]
    share = count / widths.total()
    return width > 1 and share >= 0.7, round(share, 1), width


class _Lines:
    """The lines of a text with their line ends, and a way back to an earlier line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.offset = 0
        self.number = 0
        self._budget = 2 * len(text)

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        if self.offset >= len(self.text):
            raise StopIteration
        match = _LINE.match(self.text, self.offset)
        assert match is not None
        self.offset = match.end()
        self.number += 1
        return match[0]

    def go_back(self, offset: int, number: int) -> None:
        """Continue after the line that starts at `offset`, unless all rereading would exceed twice the text."""
        if number + 1 < self.number and self.offset - offset <= self._budget:
            self._budget -= self.offset - offset
            self.offset, self.number = offset, number
            next(self)


def _records(
    text: str, style: _Style, width: int | None = None, *, lines: _Lines | None = None, is_end: bool = True
) -> Iterator[tuple[int, list[str] | None]]:
    """Yield each row with the number of its line; for a broken row, yield None for each of its lines.

    After a broken row of several lines, reading continues at its second line, so a stray quotation mark costs one
    line. If the text is not the end of a file, the row that reaches its end is left to what follows.
    """
    lines = lines or _Lines(text)
    reader = (
        csv.reader(lines, delimiter=style.delimiter, strict=True)
        if style.is_quoted
        else csv.reader(lines, delimiter=style.delimiter, quoting=csv.QUOTE_NONE)
    )
    has_nul = "\0" in text
    while True:
        offset, number = lines.offset, lines.number
        try:
            cells: list[str] | None = next(reader)
        except StopIteration:
            return
        except csv.Error:
            cells = None
        if lines.offset >= len(text) and not is_end:
            lines.offset, lines.number = offset, number
            return
        if cells is not None and width is not None and cells and len(cells) != width:
            cells = None
        if cells is None or (has_nul and any("\0" in cell for cell in cells)):
            lines.go_back(offset, number)
            yield from ((lost + 1, None) for lost in range(number, lines.number))
        elif cells:
            yield number + 1, cells


def _is_header(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row names the columns: short words above numbers, or above longer cells.

    >>> _is_header(["id", "text"], [["1", "a cat"]]), _is_header(["1", "a cat"], [["2", "a dog"]])
    (True, False)
    """
    if not others or len(set(first)) < len(first):
        return False
    if any(not cell.strip() or len(cell) > 40 or NUMBER.fullmatch(cell) for cell in first):
        return False
    below = [[row[place] for row in others if row[place].strip()] for place in range(len(first))]
    numbers = any(cells and all(map(NUMBER.fullmatch, cells)) for cells in below)
    longer = any(cells and 2 * len(name) < mean_length(cells) for name, cells in zip(first, below))
    return numbers or longer
