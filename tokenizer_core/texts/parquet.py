"""Parquet files, read one row group at a time, with sizes checked before anything is unpacked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.archives import too_large
from tokenizer_core.texts.labels import column_labels
from tokenizer_core.texts.tables import SAMPLE_ROWS, Rows, Table, check_columns, check_rows, no_rows

if TYPE_CHECKING:
    import pyarrow as pa

_SAMPLE_CELL = 2_000
_ROWS_OF_A_LARGE_FILE = 1_024
"""Rows unpacked at a time: a row may be a whole article, and a file may have a billion."""
OpenParquet = Callable[[bytes, int], Table]
"""Opens the content of a Parquet file, of which at most so many bytes are read, as `open_parquet` does."""


@contextmanager
def _whole() -> Iterator[None]:
    """Turn the errors of a damaged Parquet file into a `CorpusError`."""
    import pyarrow as pa  # 0.1 s to import, and most uploads are not Parquet

    try:
        yield
    except CorpusError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise CorpusError("the file must be whole; it is damaged", "damaged_file", kind="Parquet") from error


def open_parquet(content: bytes | Path | BinaryIO, max_bytes: int | None) -> Table:
    """Open the text columns of a Parquet file; those that are read may have at most `max_bytes` bytes together.

    A large file, given by its path or opened and with None for `max_bytes`, may have any number of bytes and rows.

    The fields of a struct are columns, too, such as "translation.en". Repeated values take no space in a file, so
    sizes are checked before anything is unpacked. Raises `CorpusError` for a file that is damaged or too large.
    """
    with _whole():
        return _open(content, max_bytes)


@dataclass(frozen=True)
class RowGroups:
    """The row groups of a large Parquet file, each of which can be read by itself."""

    labels: tuple[str, ...]
    """The text columns, as `open_parquet` calls them."""
    count: int
    sizes: Callable[[Sequence[int]], list[int]]
    """Returns how many bytes these columns have in each group."""
    rows: Callable[[Sequence[int], int], Rows]
    """Returns the cells of these columns in one group, row by row."""


def open_row_groups(content: Path | BinaryIO) -> RowGroups:
    """Open a large Parquet file without reading a row; raise `CorpusError` for a file that is damaged."""
    with _whole():
        file, strings = _file(content)

        def names(places: Sequence[int]) -> list[str]:
            return [strings[place] for place in places]

        def sizes(places: Sequence[int]) -> list[int]:
            return [sum(_sizes(group, names(places))) for group in _groups(file)]

        def rows(places: Sequence[int], group: int) -> Rows:
            _check_encodings([file.metadata.row_group(group)], names(places))
            return _rows(file, names(places), None, range(group, group + 1))

        return RowGroups(column_labels(strings), file.metadata.num_row_groups, sizes, rows)


def _file(content: bytes | Path | BinaryIO) -> tuple[Any, list[str]]:
    """Return the file, and the names of its text columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = pa.BufferReader(content) if isinstance(content, bytes) else content
    fields = list(pq.read_schema(source).empty_table().flatten().schema)
    strings = [each.name for each in fields if _is_string(each.type)]
    if not strings:
        raise CorpusError("at least one column must hold text; none does", "no_text_column")
    check_columns(len(strings))
    if len({each.name for each in fields}) < len(fields):
        raise CorpusError("columns must have different names; two have the same", "same_columns")
    # Read as dictionaries: otherwise a value that repeats a million times would take its space a million times.
    source = pa.BufferReader(content) if isinstance(content, bytes) else content
    return pq.ParquetFile(source, read_dictionary=strings, pre_buffer=False), strings


def _open(content: bytes | Path | BinaryIO, max_bytes: int | None) -> Table:
    file, strings = _file(content)
    if max_bytes is not None:
        check_rows(file.metadata.num_rows)
    _check_encodings(_groups(file), strings)
    every = range(file.metadata.num_row_groups)
    sample = next(_batches(file, strings, SAMPLE_ROWS, every), None)
    if sample is None:
        raise no_rows()
    beginning = _flat(sample)
    return Table(
        column_labels(strings),
        None,
        lambda place: _beginnings(beginning[strings[place]]),
        lambda places: _rows(file, [strings[place] for place in places], max_bytes, every),
        file.metadata.num_rows,
    )


def _groups(file: Any) -> list[Any]:
    """Return what the file says of each row group."""
    return [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]


def _sizes(group: Any, names: list[str]) -> list[int]:
    """Return the size of each of these columns in a row group, unpacked."""
    chunks = (group.column(place) for place in range(group.num_columns))
    return [chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema in names]


def _batches(file: Any, names: list[str], rows: int, groups: range) -> Iterator["pa.RecordBatch"]:
    """Yield the rows of some columns, group by group, because pyarrow cannot join the structs of two groups."""
    for group in groups:
        yield from file.iter_batches(rows, row_groups=[group], columns=names, use_threads=False)


def _check_encodings(groups: Sequence[Any], names: list[str]) -> None:
    """Refuse encodings that pyarrow cannot read as a dictionary, and that may unpack to any size."""
    for chunk in (group.column(place) for group in groups for place in range(group.num_columns)):
        delta = [each for each in chunk.encodings if "BYTE_ARRAY" in each]
        if delta and chunk.path_in_schema in names:
            raise CorpusError(
                f"Parquet files must not have the encoding {delta[0]}; write the file with another one",
                "parquet_encoding",
                encoding=delta[0],
            )


def _is_string(kind: "pa.DataType") -> bool:
    """Tell whether a column holds text, either directly or as numbers in a dictionary of texts."""
    import pyarrow.types as kinds

    if kinds.is_dictionary(kind):
        kind = kind.value_type
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def _flat(batch: "pa.RecordBatch") -> dict[str, Any]:
    """Return the columns by name, including the fields of structs."""
    import pyarrow as pa

    flat = pa.Table.from_batches([batch]).flatten()
    return {name: flat.column(name).chunk(0) for name in flat.column_names}


def _beginnings(column: Any) -> list[str]:
    """Return the beginning of each cell that is not empty."""
    import pyarrow.compute as pc

    with _whole():
        short = pc.utf8_slice_codeunits(column.dictionary, 0, _SAMPLE_CELL)
        return [cell for cell in short.take(column.indices).to_pylist() if cell]


def _rows(file: Any, names: list[str], max_bytes: int | None, groups: range) -> Rows:
    """Yield the rows of some columns; raise `CorpusError` if they are damaged, or too large together."""
    with _whole():
        yield from _rows_within(file, names, max_bytes, groups)


def _rows_within(file: Any, names: list[str], max_bytes: int | None, groups: range) -> Rows:
    import pyarrow.compute as pc

    if max_bytes is not None and sum(sum(_sizes(group, names)) for group in _groups(file)) > max_bytes:
        raise too_large(max_bytes)
    size = number = 0
    for batch in _batches(file, names, 65_536 if max_bytes is not None else _ROWS_OF_A_LARGE_FILE, groups):
        columns = _flat(batch)
        cells = [columns[name] for name in names]
        for column in cells:
            lengths = pc.binary_length(column.dictionary).take(column.indices)
            size += (pc.sum(lengths).as_py() or 0) + len(column) - column.null_count
        if max_bytes is not None and size > max_bytes:
            raise too_large(max_bytes)
        for row in zip(*(column.dictionary_decode().to_pylist() for column in cells)):
            number += 1
            yield number, [cell or "" for cell in row]
