"""Files of many kinds, made in memory, and how they are read."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.helpers.files import parquet
from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.archives import PackedFile, unpack
from tokenizer_core.texts.files import CorpusFile, read_corpus_file
from tokenizer_core.texts.tables import TableReading

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


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(CorpusError) as caught:
        call()
    return caught.value.code


def comma_separated(rows: Sequence[Sequence[str]], **style: Any) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n", **style).writerows(rows)
    return written.getvalue()


CSV = comma_separated([list(ROWS[0]), *[list(row.values()) for row in ROWS]])


JSONL = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)


PARQUET = parquet({key: [row[key] for row in ROWS] for key in ROWS[0]})


BOTH = "".join(f"{row['th']}\n{row['en']}\n" for row in ROWS)
