"""Files in memory."""

import io
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def parquet(columns: Mapping[str, Any], **options: Any) -> bytes:
    written = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), written, **options)
    return written.getvalue()
