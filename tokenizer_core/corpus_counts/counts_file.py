"""A Parquet file of counted pretokens: the columns "pretoken" (bytes) and "count", and the recipe as metadata.

The file may come from a stranger: sizes are checked before anything is unpacked, and every number before it is
used. A footer that lies about sizes can still make pyarrow ask for gigabytes, so the app must read a stranger's
file in a process of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, get_type_hints

import msgspec
import numpy as np

from tokenizer_core.corpus_counts.counts import MAX_TOTAL, VERSION, Counts, CountsRecipe, Sha256
from tokenizer_core.ctrl_c import replacing
from tokenizer_core.errors import CountsError, refused_field
from tokenizer_core.patterns.cutter import Tally
from tokenizer_core.patterns.pretokens import PretokenCounts
from tokenizer_core.patterns.split_patterns import pattern_source

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIX = ".counts.parquet"
FORMAT = "pretoken counts"
MAX_BYTES = 2**34
"""Bytes unpacked. The pretokens of a training have at most 2**31 bytes, and each takes twelve more here."""
_METADATA = b"recipe"
_MAX_RECIPE = 2**20
_ROWS_AT_ONCE = 2**17
_PLAIN_ENCODINGS = {"PLAIN", "RLE", "BIT_PACKED"}
_TYPES = {"pretoken": ("binary", "large_binary"), "count": ("int64",)}


def write_counts(counts: Counts, path: str | Path) -> None:
    """Write a counts file: whole, or not at all."""
    import pyarrow as pa  # 0.1 s to import
    import pyarrow.parquet as pq

    recipe = {"format": FORMAT, **msgspec.to_builtins(counts.recipe), "sha256": counts.sha256}
    schema = pa.schema(
        [pa.field("pretoken", pa.binary(), nullable=False), pa.field("count", pa.int64(), nullable=False)]
    )
    with (
        replacing(Path(path)) as (part,),
        pq.ParquetWriter(
            part, schema, compression="zstd", use_dictionary=False, write_statistics=False, store_schema=False
        ) as writer,
    ):
        for batch in _batches_of(counts.pretokens, schema):
            writer.write_batch(batch)
        writer.add_key_value_metadata({_METADATA: msgspec.json.encode(recipe)})


def _batches_of(pretokens: PretokenCounts, schema: "pa.Schema") -> Iterator["pa.RecordBatch"]:
    """Yield the rows, some at a time, because Arrow's offsets within a batch have 32 bits."""
    import pyarrow as pa

    starts = pretokens.ends - pretokens.lengths
    for first in range(0, pretokens.ends.size, _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        begin, end = int(starts[first]), int(pretokens.ends[rows][-1])
        offsets = (np.append(starts[rows], end) - begin).astype(np.int64)
        cells = pa.LargeBinaryArray.from_buffers(
            pa.large_binary(),
            offsets.size - 1,
            [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(pretokens.text[begin:end]))],
        )
        columns = [cells.cast(pa.binary()), pa.array(pretokens.counts[rows])]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def read_counts(
    source: str | Path | BinaryIO, *, pattern: str | None = None, max_bytes: int = MAX_BYTES
) -> Counts:
    """Read a counts file, at most `max_bytes` of it unpacked; with `pattern`, only counts that it cut.

    Raises `CountsError` if the file is damaged, too large, from another pattern or version, or has an impossible
    count, and `OSError` if it is not there.
    """
    if isinstance(source, str | Path):
        with Path(source).open("rb") as opened:  # the errors of pyarrow name no file
            return read_counts(opened, pattern=pattern, max_bytes=max_bytes)
    with _whole():
        import pyarrow.parquet as pq

        file = pq.ParquetFile(source, pre_buffer=False, memory_map=False)
        recipe, sha256 = _header_of(file)
        if pattern is not None and pattern_source(pattern) != recipe.pattern:
            raise CountsError("counts_pattern", expected=pattern, found=recipe.pattern_name or recipe.pattern)
        _check_columns(file, max_bytes)
        counts = Counts(_pretokens_of(file), recipe)
    _check_rows(counts)
    if sha256 != counts.sha256:
        raise CountsError("counts_damaged")
    return counts


@contextmanager
def _whole() -> Iterator[None]:
    """Turn the errors of a damaged Parquet file into a `CountsError`."""
    import pyarrow as pa

    try:
        yield
    except (CountsError, FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise CountsError("counts_damaged") from error


class _Head(msgspec.Struct):
    format: Literal["pretoken counts"]
    version: object = None


_Header = msgspec.defstruct(
    "_Header", [("sha256", Sha256), *get_type_hints(CountsRecipe, include_extras=True).items()]
)
"""The SHA-256 of the counts, and all fields of the recipe: none may be missing in a file."""


def _header_of(file: Any) -> tuple[CountsRecipe, str]:
    """Return the recipe, and the SHA-256 that the counts must have."""
    content = (file.metadata.metadata or {}).get(_METADATA, b"")[: _MAX_RECIPE + 1]
    try:
        head = msgspec.json.decode(content, type=_Head)
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise CountsError("counts_none") from None
    if head.version != VERSION:
        raise CountsError("counts_version", expected=VERSION, found=str(head.version)[:20])
    try:
        header = msgspec.structs.asdict(msgspec.json.decode(content, type=_Header))
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise CountsError("counts_recipe", field=refused_field(error)) from None
    sha256 = header.pop("sha256")
    return CountsRecipe(**header), sha256


def _check_columns(file: Any, max_bytes: int) -> None:
    """Refuse other columns, sizes and encodings than `write_counts` writes, before anything is unpacked."""
    schema, metadata = file.schema_arrow, file.metadata
    for name, types in _TYPES.items():
        if name not in schema.names or str(schema.field(name).type) not in types:
            raise CountsError("counts_column", column=name)
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    chunks = [chunk for chunk in chunks if chunk.path_in_schema in _TYPES]
    # In a dictionary, a long value could repeat a million times in a file of a few bytes.
    if not all(_PLAIN_ENCODINGS.issuperset(chunk.encodings) for chunk in chunks):
        raise CountsError("counts_encoding")
    size = max(sum(chunk.total_uncompressed_size for chunk in chunks), 12 * metadata.num_rows)
    if size > max_bytes:
        raise CountsError("counts_large", megabytes=max_bytes // 2**20)


def _pretokens_of(file: Any) -> PretokenCounts:
    """Read the rows, some at a time."""
    import pyarrow as pa

    texts, ends, counts, size = [np.empty(0, np.uint8)], [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
    for batch in file.iter_batches(_ROWS_AT_ONCE, columns=list(_TYPES), use_threads=False):
        cells, numbers = batch.column("pretoken"), batch.column("count")
        if cells.null_count or numbers.null_count:
            raise CountsError("counts_damaged")
        cells = cells.cast(pa.large_binary())
        stops = np.frombuffer(cells.buffers()[1], dtype=np.int64)[cells.offset : cells.offset + len(cells) + 1]
        content = cells.buffers()[2]
        text = np.frombuffer(content or b"", dtype=np.uint8)[stops[0] : stops[-1]]
        texts.append(text.copy())
        ends.append(stops[1:] - stops[0] + size)
        counts.append(np.array(numbers.to_numpy(), dtype=np.int64))
        size += text.size
    return PretokenCounts(np.concatenate(texts), np.concatenate(ends), np.concatenate(counts))


def _check_rows(counts: Counts) -> None:
    """Refuse rows that no corpus gives, and totals that are not those of the recipe."""
    text, ends, numbers = pretokens = counts.pretokens
    lengths = pretokens.lengths
    for row in np.flatnonzero((lengths < 1) | (numbers < 1))[:1].tolist():
        raise CountsError("counts_row", row=row + 1, pretoken=_shown(pretokens, row), count=int(numbers[row]))
    # In floating point, because the exact sum may not fit; exact enough to tell 2**62 from 2**63.
    if float(np.multiply(lengths, numbers, dtype=np.float64).sum()) >= MAX_TOTAL:
        raise CountsError("counts_total", limit=MAX_TOTAL)
    try:
        text.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        raise CountsError("counts_damaged") from None
    if (text[ends[ends < text.size]] & 0xC0 == 0x80).any():  # a pretoken ends within a character
        raise CountsError("counts_damaged")
    recipe = counts.recipe
    is_pretokens = int(numbers.sum()) + recipe.dropped == recipe.pretokens
    if not is_pretokens or int(lengths @ numbers) + recipe.dropped_bytes != recipe.bytes_read:
        raise CountsError("counts_not_totals")
    rows = Tally().add_counts(*pretokens)
    for row in np.flatnonzero(rows != np.arange(rows.size))[:1].tolist():
        raise CountsError("counts_twice", row=row + 1, pretoken=_shown(pretokens, row))


def _shown(pretokens: PretokenCounts, row: int) -> str:
    """Return the beginning of a pretoken, for a message."""
    end = int(pretokens.ends[row])
    start = end - int(pretokens.lengths[row])
    return pretokens.text[start : min(end, start + 40)].tobytes().decode("utf-8", errors="replace")
