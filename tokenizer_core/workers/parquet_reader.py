"""Reads Parquet files in a child: a footer that lies about sizes can make the reader ask for gigabytes.

The child is `python -m tokenizer_core.workers.parquet_reader`. Its events are opened, or rows if columns were
chosen, then ended; or failed.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.parquet import open_parquet
from tokenizer_core.readers.tables import Rows, Table
from tokenizer_core.workers.child import Child, run, send

MEMORY_BYTES = 2**30
"""Memory that the child may take beyond what it has when it starts: the file, and what is unpacked of it."""
DAMAGED = CorpusError("damaged_file", kind="Parquet")
_ROWS_AT_ONCE = 5_000


def open_parquet_apart(content: bytes, max_bytes: int) -> Table:
    """Open a Parquet file as `open_parquet` does, in a child with limited memory.

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
    """Yield the events of one reading, without the last one."""
    chosen = None if places is None else list(places)
    with closing(Child("parquet_reader", died=DAMAGED)) as child:
        child.send({"memory_bytes": MEMORY_BYTES, "max_bytes": max_bytes, "places": chosen}, [content])
        for event in child.events():
            if event["event"] == "ended":
                return
            yield event


# ---- within the child


def read(description: dict[str, Any], contents: list[bytes]) -> None:
    """Send the columns of a file, or the rows of the chosen ones."""
    table = open_parquet(contents[0], description["max_bytes"])
    if description["places"] is None:
        samples = [table.sample(place) for place in range(len(table.labels))]
        send("opened", is_valid=True, labels=table.labels, samples=samples, lines=table.lines)
    else:
        rows = table.rows(description["places"])
        while batch := list(islice(rows, _ROWS_AT_ONCE)):
            send("rows", is_valid=True, rows=batch)
    send("ended")


if __name__ == "__main__":
    run(read, DAMAGED, reads_parquet=True)
