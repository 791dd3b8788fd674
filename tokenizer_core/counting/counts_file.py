"""A Parquet file of counted pretokens: the columns "pretoken" (bytes) and "count", and the recipe as metadata.

The file may come from a stranger: sizes are checked before anything is unpacked, and every number before it is
used. A footer that lies about sizes can still make pyarrow ask for gigabytes, so the app must read a stranger's
file in a process of its own.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.counting.counts import MAX_TOTAL, VERSION, Counts, CountsRecipe, total_out_of_range
from tokenizer_core.cutter import Tally
from tokenizer_core.errors import CountsError
from tokenizer_core.patterns import MAX_PATTERN_LENGTH, pattern_source
from tokenizer_core.pretokens import PretokenCounts

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

    path = Path(path)
    recipe = {"format": FORMAT, **asdict(counts.recipe), "sha256": counts.sha256}
    schema = pa.schema(
        [pa.field("pretoken", pa.binary(), nullable=False), pa.field("count", pa.int64(), nullable=False)]
    )
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with pq.ParquetWriter(
            part, schema, compression="zstd", use_dictionary=False, write_statistics=False, store_schema=False
        ) as writer:
            for batch in _batches_of(counts.pretokens, schema):
                writer.write_batch(batch)
            writer.add_key_value_metadata({_METADATA: json.dumps(recipe, ensure_ascii=False).encode()})
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()


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
        found = _metadata_of(file)
        recipe = checked_recipe(found)
        if pattern is not None and pattern_source(pattern) != recipe.pattern:
            raise CountsError(
                f"the counts must come from the split pattern {pattern}; these come from"
                f" {recipe.pattern_name or recipe.pattern}",
                "counts_pattern",
                expected=pattern,
                found=recipe.pattern_name or recipe.pattern,
            )
        _check_columns(file, max_bytes)
        counts = Counts(_pretokens_of(file), recipe)
    _check_rows(counts)
    if found.get("sha256") != counts.sha256:
        raise _damaged()
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
        raise _damaged() from error


def _metadata_of(file: Any) -> dict[str, Any]:
    """Return the JSON of the recipe."""
    content = (file.metadata.metadata or {}).get(_METADATA, b"")
    try:
        found = json.loads(content) if len(content) <= _MAX_RECIPE else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise CountsError(
            "the file must hold counted pretokens with their recipe; this Parquet file does not", "counts_none"
        )
    if found.get("version") != VERSION:
        raise CountsError(
            f"the counts must be of version {VERSION}; these are of version {str(found.get('version'))[:20]}",
            "counts_version",
            expected=VERSION,
            found=str(found.get("version"))[:20],
        )
    return found


def checked_recipe(found: Mapping[str, Any]) -> CountsRecipe:
    """Return the recipe of a description with every field checked; raise `CountsError` if one is wrong."""
    for field in fields(CountsRecipe):
        if not _is_valid(field.name, found.get(field.name)):
            raise CountsError(
                f"the recipe of the counts must have a valid field {field.name!r}; it is missing or wrong",
                "counts_recipe",
                field=field.name,
            )
    return CountsRecipe(**{field.name: found[field.name] for field in fields(CountsRecipe)})


def _is_valid(name: str, value: Any) -> bool:
    match name:
        case "pattern":
            return isinstance(value, str) and len(value) <= MAX_PATTERN_LENGTH
        case "boundaries":
            return value in ("file", "line")
        case "regex_version":
            return isinstance(value, str) and 0 < len(value) <= 40 and value.isprintable()
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_TOTAL


def _check_columns(file: Any, max_bytes: int) -> None:
    """Refuse other columns, sizes and encodings than `write_counts` writes, before anything is unpacked."""
    schema, metadata = file.schema_arrow, file.metadata
    for name, types in _TYPES.items():
        if name not in schema.names or str(schema.field(name).type) not in types:
            raise CountsError(
                f"the counts must have a column {name!r} of type {types[0]}; here it is missing or another",
                "counts_column",
                column=name,
            )
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    chunks = [chunk for chunk in chunks if chunk.path_in_schema in _TYPES]
    # In a dictionary, a long value could repeat a million times in a file of a few bytes.
    if not all(_PLAIN_ENCODINGS.issuperset(chunk.encodings) for chunk in chunks):
        raise CountsError("the columns of counts must be encoded as PLAIN; these are not", "counts_encoding")
    size = max(sum(chunk.total_uncompressed_size for chunk in chunks), 12 * metadata.num_rows)
    if size > max_bytes:
        megabytes = max_bytes // 2**20
        raise CountsError(
            f"counts must take at most {megabytes:,} MB when unpacked; these take more",
            "counts_large",
            megabytes=megabytes,
        )


def _pretokens_of(file: Any) -> PretokenCounts:
    """Read the rows, some at a time."""
    import pyarrow as pa

    texts, ends, counts, size = [], [], [], 0
    for batch in file.iter_batches(_ROWS_AT_ONCE, columns=list(_TYPES), use_threads=False):
        cells, numbers = batch.column("pretoken"), batch.column("count")
        if cells.null_count or numbers.null_count:
            raise _damaged()
        cells = cells.cast(pa.large_binary())
        stops = np.frombuffer(cells.buffers()[1], dtype=np.int64)[cells.offset : cells.offset + len(cells) + 1]
        content = cells.buffers()[2]
        text = np.frombuffer(content or b"", dtype=np.uint8)[stops[0] : stops[-1]]
        texts.append(text.copy())
        ends.append(stops[1:] - stops[0] + size)
        counts.append(np.array(numbers.to_numpy(), dtype=np.int64))
        size += text.size
    if not texts:
        empty = np.empty(0, dtype=np.int64)
        return PretokenCounts(np.empty(0, dtype=np.uint8), empty, empty.copy())
    return PretokenCounts(np.concatenate(texts), np.concatenate(ends), np.concatenate(counts))


def _check_rows(counts: Counts) -> None:
    """Refuse rows that no corpus gives, and totals that are not those of the recipe."""
    text, _, numbers = pretokens = counts.pretokens
    lengths = pretokens.lengths
    _refuse_first((lengths < 1) | (numbers < 1), pretokens)
    # In floating point, because the exact sum may not fit; exact enough to tell 2**62 from 2**63.
    if float(np.multiply(lengths, numbers, dtype=np.float64).sum()) >= MAX_TOTAL:
        raise total_out_of_range()
    _check_utf8(text, pretokens.ends)
    recipe = counts.recipe
    is_pretokens = int(numbers.sum()) + recipe.dropped == recipe.pretokens
    if not is_pretokens or int(lengths @ numbers) + recipe.dropped_bytes != recipe.bytes_read:
        raise CountsError(
            "the counts must add up to the totals of their recipe; these do not", "counts_not_totals"
        )
    rows = Tally().add_counts(*pretokens)
    again = np.flatnonzero(rows != np.arange(rows.size))
    if again.size:
        row = int(again[0])
        raise CountsError(
            f"each pretoken must have one row; row {row + 1:,} has {_shown(pretokens, row)!r} again",
            "counts_twice",
            row=row + 1,
            pretoken=_shown(pretokens, row),
        )


def _refuse_first(wrong: NDArray[np.bool_], pretokens: PretokenCounts) -> None:
    for row in np.flatnonzero(wrong)[:1].tolist():
        count = int(pretokens.counts[row])
        raise CountsError(
            f"each row must have a pretoken of at least one byte and a count from 1 up; row {row + 1:,} has"
            f" {_shown(pretokens, row)!r} and {count}",
            "counts_row",
            row=row + 1,
            pretoken=_shown(pretokens, row),
            count=count,
        )


def _check_utf8(text: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
    """Refuse bytes that are not UTF-8, and a pretoken that ends within a character."""
    try:
        text.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        raise _damaged() from None
    if (text[ends[ends < text.size]] & 0xC0 == 0x80).any():
        raise _damaged()


def _shown(pretokens: PretokenCounts, row: int) -> str:
    """Return the beginning of a pretoken, for a message."""
    end = int(pretokens.ends[row])
    start = end - int(pretokens.lengths[row])
    return pretokens.text[start : min(end, start + 40)].tobytes().decode("utf-8", errors="replace")


def _damaged() -> CountsError:
    return CountsError("the counts file must be whole; it is damaged", "counts_damaged")
