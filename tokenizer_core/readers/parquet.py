"""Parquet files, read one row group at a time, with sizes checked before anything is unpacked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.archives import too_large
from tokenizer_core.readers.labels import column_labels
from tokenizer_core.readers.storage import is_address, opened
from tokenizer_core.readers.tables import SAMPLE_ROWS, Rows, Table, check_columns, check_rows

if TYPE_CHECKING:
    import pyarrow as pa

_SAMPLE_CELL = 2_000
_BATCH_ROWS = 1_024
"""Rows of a large file unpacked at a time: a row may be a whole article, and a file may have a billion."""
OpenParquet = Callable[[bytes, int], Table]
"""Opens the content of a Parquet file as `open_parquet` does."""


@contextmanager
def _damage_named() -> Iterator[None]:
    """Turn the errors of a damaged Parquet file into a `CorpusError`."""
    import pyarrow as pa  # 0.1 s to import, and most uploads are not Parquet

    try:
        yield
    except CorpusError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise CorpusError("damaged_file", kind="Parquet") from error


def open_parquet(content: bytes, max_bytes: int | None) -> Table:
    """Open the text columns of a Parquet file; those that are read may have at most `max_bytes` bytes together.

    Raises `CorpusError` for a file that is damaged or too large.
    """
    return Parquet(content).table(max_bytes)


@contextmanager
def parquet_at(name: str) -> Iterator["Parquet"]:
    """Open the Parquet file at a path or an address."""
    with opened(name) as file:
        yield Parquet(file if is_address(name) else Path(name))


class Parquet:
    """A Parquet file and its text columns; no row is read yet. Raises `CorpusError` if the file is damaged.

    The fields of a struct are columns, too, such as "translation.en". Repeated values take no space in a file, so
    sizes are checked before anything is unpacked.
    """

    def __init__(self, content: bytes | Path | BinaryIO) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with _damage_named():
            source = pa.BufferReader(content) if isinstance(content, bytes) else content
            fields = list(pq.read_schema(source).empty_table().flatten().schema)
            self._names = [each.name for each in fields if _is_string(each.type)]
            if not self._names:
                raise CorpusError("no_text_column")
            check_columns(len(self._names))
            if len({each.name for each in fields}) < len(fields):
                raise CorpusError("same_columns")
            source = pa.BufferReader(content) if isinstance(content, bytes) else content
            # As dictionaries: otherwise a value that repeats a million times would take its space as often.
            self._file: Any = pq.ParquetFile(source, read_dictionary=self._names, pre_buffer=False)
        self.labels = column_labels(self._names)
        self.groups = range(self._file.metadata.num_row_groups)

    def table(self, max_bytes: int | None) -> Table:
        """Return all rows as a table; with None for `max_bytes`, any number of bytes and rows may be read."""
        row_count = self._file.metadata.num_rows
        if max_bytes is not None:
            check_rows(row_count)
        with _damage_named():
            sample = next(self._batches(self._names, SAMPLE_ROWS, self.groups), None)
            if sample is None:
                raise CorpusError("no_rows")
            beginning = _flat(sample)
        return Table(
            self.labels,
            None,
            lambda place: _beginnings(beginning[self._names[place]]),
            lambda places: self.rows(places, self.groups, max_bytes),
            row_count,
        )

    def sizes(self, places: Sequence[int]) -> list[int]:
        """Return how many bytes these columns have in each row group, unpacked."""
        names = {self._names[place] for place in places}
        chunks = (self._chunks(group) for group in self.groups)
        return [
            sum(each.total_uncompressed_size for each in group if each.path_in_schema in names) for group in chunks
        ]

    def rows(self, places: Sequence[int], groups: range, max_bytes: int | None = None) -> Rows:
        """Yield the cells of these columns in some row groups, row by row.

        Raises `CorpusError` if the rows are damaged, or have more than `max_bytes` bytes together.
        """
        import pyarrow.compute as pc

        if max_bytes is not None and sum(self.sizes(places)) > max_bytes:
            raise too_large(max_bytes)
        names = [self._names[place] for place in places]
        size = number = 0
        with _damage_named():
            for batch in self._batches(names, _BATCH_ROWS if max_bytes is None else 65_536, groups):
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

    def _batches(self, names: list[str], rows: int, groups: range) -> Iterator["pa.RecordBatch"]:
        """Yield some columns, one group at a time, because pyarrow cannot join the structs of two groups."""
        for chunk in (each for group in groups for each in self._chunks(group) if each.path_in_schema in names):
            # pyarrow cannot read these encodings as a dictionary, and they may unpack to any size.
            for encoding in chunk.encodings:
                if "BYTE_ARRAY" in encoding:
                    raise CorpusError("parquet_encoding", encoding=encoding)
        for group in groups:
            yield from self._file.iter_batches(rows, row_groups=[group], columns=names, use_threads=False)

    def _chunks(self, group: int) -> list[Any]:
        """Return the metadata of each column in a row group."""
        found = self._file.metadata.row_group(group)
        return [found.column(place) for place in range(found.num_columns)]


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

    with _damage_named():
        short = pc.utf8_slice_codeunits(column.dictionary, 0, _SAMPLE_CELL)
        return [cell for cell in short.take(column.indices).to_pylist() if cell]
