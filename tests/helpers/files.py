"""Files of many kinds, made in memory, how they are read, and how long that takes."""

import csv
import io
import json
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.archives import PackedFile, unpack
from tokenizer_core.readers.files import CorpusFile, read_corpus_file
from tokenizer_core.readers.tables import TableReading


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


MB = 2**20
THAI = "วันนี้อากาศดีมาก ไปเที่ยวกันเถอะ"
ENGLISH = "The weather is nice today, so let us go out."
ROWS = [{"id": str(n), "th": f"{THAI} {n}", "en": f"{ENGLISH} {n}"} for n in range(20)]


def packed(name: str, content: bytes | str) -> PackedFile:
    return PackedFile(name, content.encode() if isinstance(content, str) else content)


def read(name: str, content: bytes | str, **choices: Any) -> CorpusFile:
    return read_corpus_file(packed(name, content), **choices)


def table_of(file: CorpusFile) -> TableReading:
    """How a file was read that is a table."""
    assert file.table is not None
    return file.table


def files_in(name: str, content: bytes, *, max_bytes: int = 50 * MB, max_files: int = 500) -> list[PackedFile]:
    return unpack(name, content, max_bytes=max_bytes, max_files=max_files)


def error_of(call: Callable[[], object]) -> CorpusError:
    """The error with which a call refuses what it was given."""
    with pytest.raises(CorpusError) as caught:
        call()
    return caught.value


def code_of(call: Callable[[], object]) -> str:
    return error_of(call).code


def comma_separated(rows: Sequence[Sequence[str]], **style: Any) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n", **style).writerows(rows)
    return written.getvalue()


CSV = comma_separated([list(ROWS[0]), *[list(row.values()) for row in ROWS]])
JSONL = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
PARQUET = parquet({key: [row[key] for row in ROWS] for key in ROWS[0]})
BOTH = "".join(f"{row['th']}\n{row['en']}\n" for row in ROWS)


def least_seconds(function: Callable[..., object], *arguments: object) -> float:
    """How long a call takes at the best of three times, to be compared with another of the same run.

    Seconds of the processor, so that what else runs on the machine does not count.
    """

    def seconds() -> float:
        start = time.process_time()
        function(*arguments)
        return time.process_time() - start

    return min(seconds() for _ in range(3))
