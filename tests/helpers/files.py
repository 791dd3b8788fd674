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
