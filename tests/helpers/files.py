"""Files in memory."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def parquet(columns: Mapping[str, Any], **options: Any) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), written, **options)
    return written.getvalue()


def zipped(members: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return archive.getvalue()


def lying_parquet() -> bytes:
    """A Parquet file whose page says that it unpacks to 2 GB, while the footer speaks of 1,000 bytes."""
    content = parquet(
        {"text": ["a" * 140 * 2**20]}, compression="zstd", use_dictionary=False, write_statistics=False
    )
    column = pq.read_metadata(io.BytesIO(content)).row_group(0).column(0)
    start = column.data_page_offset + 3  # after the kind of page and the type of the next field
    end = next(place for place in range(start, start + 9) if content[place] < 128) + 1
    content = content[:start] + _varint(2**31 - 1, end - start) + content[end:]
    told = _varint(column.total_uncompressed_size)
    return content.replace(told, _varint(1_000, len(told)))


def _varint(number: int, width: int = 1) -> bytes:
    """A number as Thrift writes it, in at least so many bytes."""
    written: list[int] = []
    number *= 2
    while number > 127 or len(written) + 1 < width:
        written.append(number % 128 | 128)
        number //= 128
    return bytes([*written, number])
