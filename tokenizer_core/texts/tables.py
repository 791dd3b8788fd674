"""Tables → text: CSV, JSON lines and Parquet, of which some columns are prose and the others are not.

In the text every cell of the chosen columns is a line, row after row; empty cells are left out. Line breaks
within a cell are kept, so that such a cell is several lines. A row that is broken is skipped and counted.
Parallel texts need the cells themselves: there each column keeps all of its cells, empty ones included.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.archives import too_large
from tokenizer_core.texts.labels import column_labels

if TYPE_CHECKING:
    import pyarrow as pa

MAX_COLUMNS = 200
MAX_ROWS = 3_000_000
"""So many take three seconds as CSV, six as JSON; meanwhile other visitors wait."""
MAX_CELL = 2**22
"""Characters of a cell in a CSV file; a quotation mark that is never closed is noticed after so many."""
MAX_JSON_LINE = 2**23
"""Characters of one line of JSON: of brackets alone, one of 50 MB would become objects of 1 GB."""
PLAIN = "text"
"""The column of a line of JSON that is a bare string."""

_DELIMITERS = ",;\t|"
_HEAD = 65_536
_SAMPLE_ROWS = 1_000
_SAMPLE_CELL = 2_000
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_NUMBER = re.compile(r"[\s\d.,:/%+-]*")
_Rows = Iterator[tuple[int, Sequence[str] | None]]
"""The cells of each row with the number of its line; None for a broken one."""


@dataclass(frozen=True)
class TableText:
    """The text in the chosen columns of a table, and what became of its rows."""

    text: str = field(repr=False)
    columns: tuple[str, ...]
    chosen: tuple[str, ...]
    header: bool | None
    """Whether the first line names the columns; None where the format has no such line."""
    rows: int
    skipped_rows: int = 0
    first_skipped: int | None = None
    """The line of the first row that was skipped, from 1 up."""


@dataclass(frozen=True)
class TableColumns:
    """Some columns of a table cell by cell, all of the same length: the rows that could be read."""

    columns: tuple[str, ...]
    chosen: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...] = field(repr=False)
    """For each chosen column its cells, empty ones and line breaks in them included."""
    header: bool | None
    """Whether the first line names the columns; None where the format has no such line."""
    skipped_rows: int = 0
    first_skipped: int | None = None
    """The line of the first row that was skipped, from 1 up."""


@dataclass(frozen=True)
class _Table:
    """A table of any kind whose columns were found, before its rows are read."""

    labels: tuple[str, ...]
    header: bool | None
    sample: Callable[[int], Sequence[str]]
    """The first cells of a column, from 0 up, by which columns are chosen."""
    rows: Callable[[Sequence[int]], _Rows]
    """The cells of some columns."""


class _Style(NamedTuple):
    """How a CSV file separates its cells, and whether quotation marks may surround them."""

    delimiter: str
    is_quoted: bool = True


# ---- CSV


def csv_text(
    text: str, *, columns: Collection[str] | None = None, header: bool | None = None, delimiter: str = ","
) -> TableText:
    """The chosen columns of a CSV file, whose delimiter is found by itself; the one given wins a draw.

    A row with another number of cells than most have, with a NUL or an unclosed quotation mark is skipped.

    >>> table = csv_text("id;text\\n1;a cat\\n2;broken;row\\n3;a dog\\n")
    >>> table.chosen, table.text, table.skipped_rows, table.first_skipped
    (('text',), 'a cat\\na dog\\n', 1, 3)
    """
    return _as_text(_open_csv(text, header, delimiter), columns)


def csv_columns(
    text: str, *, columns: Collection[str] | None = None, header: bool | None = None, delimiter: str = ","
) -> TableColumns:
    """The cells of some columns of a CSV file, row by row: read as `csv_text` reads it.

    Without a choice these are the columns that look like prose; where only one does, all that hold letters.

    >>> table = csv_columns('th,en\\nแมว,"a, cat"\\nหมา,"a\\ndog"\\n', header=True)
    >>> table.chosen, table.cells
    (('th', 'en'), (('แมว', 'หมา'), ('a, cat', 'a\\ndog')))
    """
    return _as_columns(_open_csv(text, header, delimiter), columns)


def _open_csv(text: str, header: bool | None, delimiter: str) -> _Table:
    csv.field_size_limit(MAX_CELL)  # holds for the whole process, and is never set to anything else
    head = _head(text)
    style = _find_style(head, delimiter)
    sample = [cells for _, cells in islice(_records(head, style), _SAMPLE_ROWS) if cells]
    if not sample:
        raise no_rows()
    width = Counter(map(len, sample)).most_common(1)[0][0]
    _check_columns(width)
    first = sample[0]
    body = [cells for cells in sample if len(cells) == width]
    if header is None:
        header = len(first) == width and _is_header(first, body[1:])
    labels = column_labels(first if header and len(first) == width else [""] * width)
    below = body[header:]

    def rows(places: Sequence[int]) -> _Rows:
        records = _records(text, style, width)
        if header:
            next(records, None)
        return ((line, cells and [cells[place] for place in places]) for line, cells in records)

    return _Table(labels, header, lambda place: [cells[place] for cells in below], rows)


def _head(text: str) -> str:
    """The first whole lines."""
    head = text[:_HEAD]
    return head if len(head) == len(text) else head[: head.rfind("\n") + 1] or head


def _find_style(head: str, likely: str) -> _Style:
    """The delimiter that gives most rows the same number of cells, at least two; unquoted only with tabs."""
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
    """The lines of a text with their ends, and a way back to an earlier one."""

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
        """Read on after the line that began there, unless more was read again already than twice the text."""
        if number + 1 < self.number and self.offset - offset <= self._budget:
            self._budget -= self.offset - offset
            self.offset, self.number = offset, number
            next(self)


def _records(text: str, style: _Style, width: int | None = None) -> Iterator[tuple[int, list[str] | None]]:
    """Each row with the number of its line; None for every line of a broken one.

    After a broken row of several lines reading goes on at its second: a stray quotation mark costs one line.
    """
    lines = _Lines(text)
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
        if cells is not None and width is not None and cells and len(cells) != width:
            cells = None
        if cells is None or (has_nul and any("\0" in cell for cell in cells)):
            lines.go_back(offset, number)
            yield from ((lost + 1, None) for lost in range(number, lines.number))
        elif cells:
            yield number + 1, cells


def _is_header(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: short words, above numbers or above cells that are longer.

    >>> _is_header(["id", "text"], [["1", "a cat"]]), _is_header(["1", "a cat"], [["2", "a dog"]])
    (True, False)
    """
    if not others or len(set(first)) < len(first):
        return False
    if any(not cell.strip() or len(cell) > 40 or _NUMBER.fullmatch(cell) for cell in first):
        return False
    below = [[row[place] for row in others if row[place].strip()] for place in range(len(first))]
    numbers = any(cells and all(map(_NUMBER.fullmatch, cells)) for cells in below)
    longer = any(cells and 2 * len(name) < _mean_length(cells) for name, cells in zip(first, below))
    return numbers or longer


# ---- JSON lines


def jsonl_text(text: str, *, columns: Collection[str] | None = None) -> TableText:
    """The chosen keys of objects, one a line; a line that is a bare string counts as the column "text".

    The strings of an object within the object are columns too, as "translation.en"; all other values are left
    out. A line that is no JSON, or neither object nor string, is skipped.

    >>> jsonl_text('{"text": "a cat", "n": 1}\\nbroken\\n"a dog"').text
    'a cat\\na dog\\n'
    """
    return _as_text(_open_jsonl(text), columns)


def jsonl_columns(text: str, *, columns: Collection[str] | None = None) -> TableColumns:
    """The values of some keys, line by line: read as `jsonl_text` reads them; a missing one is empty.

    >>> jsonl_columns('{"th": "แมว", "en": "a cat"}\\n{"en": "a dog"}\\n').cells
    (('แมว', ''), ('a cat', 'a dog'))
    """
    return _as_columns(_open_jsonl(text), columns)


def _open_jsonl(text: str) -> _Table:
    _check_rows(text.count("\n"))
    samples: dict[str, list[str]] = {}
    for _, values in _objects(text):
        for key, value in (values or {}).items():
            cells = samples.setdefault(key, [])
            if len(cells) < _SAMPLE_ROWS:
                cells.append(value[:_SAMPLE_CELL])
        _check_columns(len(samples))
    if not samples:
        raise no_rows()
    keys = list(samples)

    def rows(places: Sequence[int]) -> _Rows:
        wanted = [keys[place] for place in places]
        for line, values in _objects(text):
            yield line, None if values is None else [values.get(key, "") for key in wanted]

    return _Table(column_labels(keys), None, lambda place: samples[keys[place]], rows)


def looks_like_json_lines(text: str) -> bool:
    """Whether a file that calls itself JSON has an object on each of its first two lines.

    >>> looks_like_json_lines('{"a": 1}\\n{"a": 2}\\n'), looks_like_json_lines('{\\n"a": 1}')
    (True, False)
    """
    lines = list(islice(_objects(text[:_HEAD]), 2))
    return len(lines) == 2 and all(values is not None for _, values in lines)


def _objects(text: str) -> Iterator[tuple[int, Mapping[str, str] | None]]:
    """The strings of each line by their key; None for a broken line."""
    for number, line in _lines(text):
        if not line.strip():
            continue
        try:
            yield number, _strings(line)
        except (ValueError, RecursionError):
            yield number, None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that end with a line feed only: JSON may hold all other line breaks."""
    start = number = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        number += 1
        yield number, text[start:end]
        start = end + 1


def _strings(line: str) -> Mapping[str, str]:
    """The strings in one line of JSON by their key; raises `ValueError` where there can be none."""
    if len(line) > MAX_JSON_LINE:
        raise ValueError("too long")
    value = json.loads(line)
    if isinstance(value, str):
        value = {PLAIN: value}
    if not isinstance(value, dict):
        raise ValueError("neither object nor string")
    within = {
        f"{key}.{name}": each
        for key, inner in value.items()
        if isinstance(inner, dict)
        for name, each in inner.items()
    }
    strings = {key: each for key, each in (within | value).items() if isinstance(each, str) and each}
    if "\\u" in line:
        "".join([*strings, *strings.values()]).encode()  # half a character is refused
    return strings


# ---- Parquet


def parquet_text(content: bytes, *, columns: Collection[str] | None = None, max_bytes: int) -> TableText:
    """The chosen columns of a Parquet file, which may hold at most `max_bytes` bytes of text.

    The fields of a struct are columns too, as "translation.en".

    Sizes are checked before anything is unpacked: values that repeat take no place in the file.
    """
    with _whole():
        return _as_text(_open_parquet(content, max_bytes), columns)


def parquet_columns(content: bytes, *, columns: Collection[str] | None = None, max_bytes: int) -> TableColumns:
    """The cells of some columns, row by row: read as `parquet_text` reads them; a missing one is empty."""
    with _whole():
        return _as_columns(_open_parquet(content, max_bytes), columns)


@contextmanager
def _whole() -> Iterator[None]:
    """Turns what is wrong with a Parquet file into a `CorpusError`."""
    import pyarrow as pa  # 0.1 s to import, and most uploads are no Parquet

    try:
        yield
    except CorpusError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise CorpusError("the file must be whole; it is damaged", "damaged_file", kind="Parquet") from error


def _open_parquet(content: bytes, max_bytes: int) -> _Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields = list(pq.read_schema(pa.BufferReader(content)).empty_table().flatten().schema)
    strings = [each.name for each in fields if _is_string(each.type)]
    if not strings:
        raise CorpusError("one column at least must hold text; none does", "no_text_column")
    _check_columns(len(strings))
    if len({each.name for each in fields}) < len(fields):
        raise CorpusError("columns must have names of their own", "same_columns")
    # As dictionaries, or a value that repeats a million times would take its place a million times.
    file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=strings, pre_buffer=False)
    _check_rows(file.metadata.num_rows)
    _check_encodings(file.metadata, strings)
    sample = next(_batches(file, strings, _SAMPLE_ROWS), None)
    if sample is None:
        raise no_rows()
    beginning = _flat(sample)
    return _Table(
        column_labels(strings),
        None,
        lambda place: _beginnings(beginning[strings[place]]),
        lambda places: _parquet_rows(file, [strings[place] for place in places], max_bytes),
    )


def _batches(file: Any, names: list[str], rows: int) -> Iterator["pa.RecordBatch"]:
    """The rows of some columns; group by group, for pyarrow cannot join the structs of two groups."""
    for group in range(file.metadata.num_row_groups):
        yield from file.iter_batches(rows, row_groups=[group], columns=names, use_threads=False)


def _check_encodings(metadata: Any, names: list[str]) -> None:
    """Refuse encodings that pyarrow cannot read as a dictionary, and that may unpack to any size."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    for chunk in (group.column(place) for group in groups for place in range(group.num_columns)):
        delta = [each for each in chunk.encodings if "BYTE_ARRAY" in each]
        if delta and chunk.path_in_schema in names:
            raise CorpusError(
                f"Parquet files must not have the encoding {delta[0]}; write the file with another one",
                "parquet_encoding",
                encoding=delta[0],
            )


def _is_string(kind: "pa.DataType") -> bool:
    """Whether a column holds text, be it each by itself or by its number in a list of values."""
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        kind = kind.value_type
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def _flat(batch: "pa.RecordBatch") -> dict[str, Any]:
    """The columns by their names, those within a struct too."""
    import pyarrow as pa

    flat = pa.Table.from_batches([batch]).flatten()
    return {name: flat.column(name).chunk(0) for name in flat.column_names}


def _beginnings(column: Any) -> list[str]:
    """The beginning of each cell that is not empty."""
    import pyarrow.compute as pc

    short = pc.utf8_slice_codeunits(column.dictionary, 0, _SAMPLE_CELL)
    return [cell for cell in short.take(column.indices).to_pylist() if cell]


def _parquet_rows(file: Any, names: list[str], max_bytes: int) -> Iterator[tuple[int, list[str]]]:
    """The rows of some columns, as long as they are not too large together."""
    import pyarrow.compute as pc

    metadata = file.metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = (group.column(place) for group in groups for place in range(group.num_columns))
    size = sum(chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema in names)
    if size > max_bytes:
        raise too_large(max_bytes)
    size = number = 0
    for batch in _batches(file, names, 65_536):
        columns = _flat(batch)
        cells = [columns[name] for name in names]
        for column in cells:
            lengths = pc.binary_length(column.dictionary).take(column.indices)
            size += (pc.sum(lengths).as_py() or 0) + len(column) - column.null_count
        if size > max_bytes:
            raise too_large(max_bytes)
        for row in zip(*(column.dictionary_decode().to_pylist() for column in cells)):
            number += 1
            yield number, [cell or "" for cell in row]


# ---- all of them


def _as_text(table: _Table, columns: Collection[str] | None) -> TableText:
    """The cells of the chosen columns, each on a line; rows that are broken are counted."""
    chosen = _choose(table, columns)
    written = io.StringIO()  # a list of three million short strings would take 180 MB
    lost = _Lost()
    count = 0
    for cells in lost.whole(table.rows(_places(table, chosen))):
        count += 1
        for cell in cells:
            if cell:
                written.write(cell)
                written.write("\n")
    if not count:
        raise no_rows()
    return TableText(written.getvalue(), table.labels, chosen, table.header, count, lost.count, lost.first)


def _as_columns(table: _Table, columns: Collection[str] | None) -> TableColumns:
    """The cells of the chosen columns, at first at least two: where one is prose, all that hold letters.

    The same said in Chinese has a third of the characters that it has in English.
    """
    chosen = _choose(table, columns, least=1 / 6)
    if columns is None and len(chosen) < 2:
        places = range(len(table.labels))
        chosen = tuple(table.labels[place] for place in places if any(map(_has_letter, table.sample(place))))
    cells: list[list[str]] = [[] for _ in chosen]
    lost = _Lost()
    for row in lost.whole(table.rows(_places(table, chosen))):
        for column, cell in zip(cells, row):
            column.append(cell)
    return TableColumns(table.labels, chosen, tuple(map(tuple, cells)), table.header, lost.count, lost.first)


class _Lost:
    """Counts the rows that are broken, while the others pass."""

    def __init__(self) -> None:
        self.count = 0
        self.first: int | None = None

    def whole(self, rows: _Rows) -> Iterator[Sequence[str]]:
        """The rows that can be read."""
        for number, (line, cells) in enumerate(rows, 1):
            if number > MAX_ROWS:
                _check_rows(number)
            if cells is None:
                self.count += 1
                self.first = self.first or line
            else:
                yield cells


def _places(table: _Table, chosen: Sequence[str]) -> list[int]:
    return [table.labels.index(label) for label in chosen]


def _choose(table: _Table, columns: Collection[str] | None, *, least: float = 1 / 2) -> tuple[str, ...]:
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
    lengths = [_mean_length(each, only=_is_prose) for each in cells]
    longest = max(lengths)
    if longest == 0:  # a list of words, or of numbers
        words = [(_mean_length(each, only=_has_letter), _mean_length(each)) for each in cells]
        if max(words) == (0, 0):  # they are empty at first
            return tuple(labels)
        return (labels[words.index(max(words))],)
    return tuple(label for label, length in zip(labels, lengths) if length >= longest * least)


def _mean_length(cells: Sequence[str], *, only: Callable[[str], bool] = bool) -> float:
    """The mean over the cells that are not empty, to which only some add their length; 0 where all are empty."""
    return sum(len(cell) for cell in cells if only(cell)) / max(1, sum(map(bool, cells)))


def _is_prose(cell: str) -> bool:
    """Whether a cell is more than one word, name, number or address; Thai needs no spaces."""
    return _has_letter(cell) and (not cell.isascii() or len(cell.split(maxsplit=1)) > 1)


def _has_letter(cell: str) -> bool:
    return any(map(str.isalpha, cell))


def _check_columns(count: int) -> None:
    if count > MAX_COLUMNS:
        raise CorpusError(
            f"a table may have at most {MAX_COLUMNS} columns; this one has {count:,}",
            "too_many_columns",
            limit=MAX_COLUMNS,
        )


def _check_rows(count: int) -> None:
    if count > MAX_ROWS:
        raise CorpusError(f"a table may have at most {MAX_ROWS:,} rows", "too_many_rows", limit=MAX_ROWS)


def no_rows() -> CorpusError:
    """The error for a table without text."""
    return CorpusError("a table must have a row that can be read; this one has none", "no_rows")
