"""Reads Parquet files in a separate process: a footer that lies about sizes can make the reader ask for gigabytes.

The process is `python -m tokenizer_core.jobs.parquet_reader`. Its events are opened, then rows if columns were
chosen; or failed.
"""

import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tokenizer_core.errors import CorpusError
from tokenizer_core.jobs.process import (
    Failure,
    end_process,
    events_of,
    failures_sent,
    receive_for_parquet,
    send,
    start_process,
    starting,
)
from tokenizer_core.texts.parquet import open_parquet
from tokenizer_core.texts.tables import Rows, Table

MEMORY_BYTES = 2**30
"""Memory that the process may take beyond what it has when it starts: the file, and what is unpacked of it."""
_ROWS_AT_ONCE = 5_000


# ---- from the app's side


def open_parquet_apart(content: bytes, max_bytes: int) -> Table:
    """Open a Parquet file as `open_parquet` does, in a process of its own with limited memory.

    Raises `CorpusError` as `open_parquet` does, and also if the file does not fit in that memory.
    """
    (opened,) = _events(content, max_bytes, None)
    return Table(
        tuple(opened["labels"]),
        None,
        opened["samples"].__getitem__,
        lambda places: _rows(content, max_bytes, places),
        opened["lines"],
    )


def _rows(content: bytes, max_bytes: int, places: Sequence[int]) -> Rows:
    for event in _events(content, max_bytes, places):
        yield from event["rows"]


def _events(content: bytes, max_bytes: int, places: Sequence[int] | None) -> Iterator[dict[str, Any]]:
    """Yield the events of one reading; raise `CorpusError` if it fails."""
    with starting(CorpusError):
        process = start_process("parquet_reader")
    description = {
        "memory_bytes": MEMORY_BYTES,
        "size": len(content),
        "max_bytes": max_bytes,
        "places": None if places is None else list(places),
    }
    assert process.stdin is not None
    complete = False
    try:
        with contextlib.suppress(OSError):  # the loop below notices a process that has died
            process.stdin.write(json.dumps(description).encode() + b"\n")
            process.stdin.write(content)
            process.stdin.close()
        for event in events_of(process):
            match event["event"]:
                case "failed" if event["code"] != "out_of_memory":
                    why = Failure(event["code"], event["values"], event["message"])
                    raise CorpusError(why.message, why.code, **why.values)
                case "ended":
                    complete = True
                case "opened" | "rows":
                    yield event
    finally:
        end_process(process)
    if not complete:
        raise CorpusError("the file must be whole; it is damaged", "damaged_file", kind="Parquet")


# ---- within the process


def main() -> None:
    """Read one file from stdin, and write its columns, or the rows of the chosen ones."""
    description = receive_for_parquet(sys.stdin.buffer)
    if description is None:
        return
    with failures_sent():
        content = sys.stdin.buffer.read(description["size"])
        table = open_parquet(content, description["max_bytes"])
        if description["places"] is None:
            samples = [table.sample(place) for place in range(len(table.labels))]
            send("opened", is_valid=True, labels=table.labels, samples=samples, lines=table.lines)
        else:
            rows = table.rows(description["places"])
            while batch := list(islice(rows, _ROWS_AT_ONCE)):
                send("rows", is_valid=True, rows=batch)
        send("ended")


if __name__ == "__main__":
    main()
