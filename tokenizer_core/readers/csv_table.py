"""CSV files: the reader finds the delimiter, and a broken row does not affect other rows.

This is our own reader on top of Python's, because other readers lose good rows: of 2,000 rows with one stray
quotation mark it keeps 1,999, while pyarrow and pandas keep only the rows before it.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.labels import column_labels
from tokenizer_core.readers.tables import NUMBER, SAMPLE_ROWS, Rows, Table, check_columns, mean_length, with_last

MAX_CELL = 2**22
"""Characters of a cell. After this many, an unclosed quotation mark is noticed."""
_MAX_ROW = 2**26
"""Characters. In a file of several blocks, a longer row is broken."""
_DELIMITERS = ",;\t|"
_HEAD = 65_536
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")


class _Style(NamedTuple):
    """The delimiter of a CSV file, and whether quotation marks may surround its cells."""

    delimiter: str
    is_quoted: bool = True


def open_csv(texts: Iterable[str], *, header: bool | None = None, delimiter: str = ",") -> Table:
    """Open a CSV file in one or more blocks and find its delimiter; in a draw, the given `delimiter` wins.

    The first block decides the columns. A row is skipped if its number of cells is not the usual one, or if it has
    a NUL or an unclosed quotation mark. If `header` is None, the reader finds out whether the first line names the
    columns. The rows can be read once.

    >>> from tokenizer_core.readers.tables import text_of
    >>> text, reading = text_of(open_csv(["id;text\\n1;a cat\\n2;broken;row\\n3;a dog\\n"]))
    >>> text, reading.chosen, reading.skipped_rows, reading.first_skipped
    ('a cat\\na dog\\n', ('text',), 1, 3)
    """
    csv.field_size_limit(MAX_CELL)  # applies to the whole process; no other code sets it
    blocks = with_last(texts)
    first_block = next(blocks, ("", True))
    head = _head(first_block[0])
    style = _find_style(head, delimiter)
    sample = [cells for _, cells in islice(_records(_Lines(head), style), SAMPLE_ROWS) if cells]
    if not sample:
        raise CorpusError("no_rows")
    width = Counter(map(len, sample)).most_common(1)[0][0]
    check_columns(width)
    first = sample[0]
    body = [cells for cells in sample if len(cells) == width]
    if header is None:
        header = len(first) == width and _is_header(first, body[1:])
    labels = column_labels(first if header and len(first) == width else [""] * width)
    below = body[header:]

    def rows(places: Sequence[int]) -> Rows:
        records = _records_in(chain([first_block], blocks), style, width)
        if header:
            next(records, None)
        return ((line, cells and [cells[place] for place in places]) for line, cells in records)

    line_count = first_block[0].count("\n") + 1 if first_block[1] else None
    return Table(labels, header, lambda place: [cells[place] for cells in below], rows, line_count)


def _records_in(
    blocks: Iterable[tuple[str, bool]], style: _Style, width: int
) -> Iterator[tuple[int, list[str] | None]]:
    """Yield the rows of all blocks as `_records` does; the row at the end of a block waits for the next block."""
    rest, before, wanted = "", 0, 0
    for block, is_last in blocks:
        rest += block
        if len(rest) < wanted and not is_last:
            continue
        lines = _Lines(rest)
        for line, cells in _records(lines, style, width, is_end=is_last or len(rest) > _MAX_ROW):
            yield before + line, cells
        before += lines.number
        rest = rest[lines.offset :]
        wanted = min(2 * len(rest), _MAX_ROW)  # so that a long row is read a few times only


def _head(text: str) -> str:
    """Return the first whole lines."""
    head = text[:_HEAD]
    return head if len(head) == len(text) else head[: head.rfind("\n") + 1] or head


def _find_style(head: str, likely: str) -> _Style:
    """Find the style that gives most rows the same number of cells, at least two; only tabs may ignore quotes."""
    styles = [_Style(likely), *map(_Style, _DELIMITERS), _Style("\t", is_quoted=False)]
    return max(styles, key=lambda style: _fitness(head, style))


def _fitness(head: str, style: _Style) -> tuple[bool, float, int]:
    widths = Counter(len(cells) if cells else 0 for _, cells in islice(_records(_Lines(head), style), 200))
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
    lines: _Lines, style: _Style, width: int | None = None, *, is_end: bool = True
) -> Iterator[tuple[int, list[str] | None]]:
    """Yield each row with the number of its line; for a broken row, yield None for each of its lines.

    After a broken row of several lines, reading continues at its second line, so a stray quotation mark costs one
    line. If the text is not the end of a file, the row that reaches its end is not read.
    """
    reader = (
        csv.reader(lines, delimiter=style.delimiter, strict=True)
        if style.is_quoted
        else csv.reader(lines, delimiter=style.delimiter, quoting=csv.QUOTE_NONE)
    )
    has_nul = "\0" in lines.text
    while True:
        offset, number = lines.offset, lines.number
        try:
            cells: list[str] | None = next(reader)
        except StopIteration:
            return
        except csv.Error:
            cells = None
        if lines.offset >= len(lines.text) and not is_end:
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
