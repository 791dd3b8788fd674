"""Uploaded files of many kinds → text: plain text, tables, and gz and zip archives of them."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Literal

from tokenizer_core.texts.archives import PackedFile, unpack
from tokenizer_core.texts.encodings import decode_text
from tokenizer_core.texts.tables import (
    TableText,
    csv_text,
    jsonl_text,
    looks_like_json_lines,
    no_rows,
    parquet_text,
)

__all__ = ["CorpusFile", "Kind", "PackedFile", "read_corpus_file", "unpack"]

Kind = Literal["text", "csv", "tsv", "jsonl", "parquet"]
MAX_BYTES = 200 * 2**20
_KINDS: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


@dataclass(frozen=True)
class CorpusFile:
    """A file's text, how it was read, and what can be chosen to read it otherwise."""

    name: str
    kind: Kind
    text: str = field(repr=False)
    encoding: str | None = None
    """None for Parquet, which says it itself."""
    is_guess: bool = False
    """Whether the encoding should be checked."""
    columns: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    """The columns whose cells are the text, each a line; line breaks within a cell are kept."""
    header: bool | None = None
    """Whether the first line names the columns; None where there is no such line."""
    rows: int | None = None
    """Rows that were read; None for a plain text."""
    skipped_rows: int = 0
    """Rows, or lines of them, that are broken and not in the text."""
    first_skipped: int | None = None
    """The line of the first one, from 1 up."""


def read_corpus_file(
    packed: PackedFile,
    *,
    encoding: str | None = None,
    columns: Collection[str] | None = None,
    header: bool | None = None,
    max_bytes: int = MAX_BYTES,
) -> CorpusFile:
    """Read a file of any kind; the name tells a table, the bytes a Parquet file.

    What is None is found out: the encoding, the columns that look like prose, whether the first line of a CSV
    file names them. Raises `CorpusError` where there is no text to be had.

    >>> file = read_corpus_file(PackedFile("a.csv", b"id,text\\n1,a cat\\n2,a dog\\n"))
    >>> file.text, file.columns, file.chosen, file.header, file.rows
    ('a cat\\na dog\\n', ('id', 'text'), ('text',), True, 2)
    """
    if packed.refusal is not None:
        raise packed.refusal
    name = packed.name.lower()
    kind: Kind = next((kind for suffix, kind in _KINDS.items() if name.endswith(suffix)), "text")
    if kind == "parquet" or (packed.content[:4] == packed.content[-4:] == b"PAR1"):
        table = parquet_text(packed.content, columns=columns, max_bytes=max_bytes)
        return _of_table(packed.name, "parquet", table, allows_empty=columns is not None)
    decoded = decode_text(packed.content, encoding=encoding)
    if name.endswith(".json") and looks_like_json_lines(decoded.text):
        kind = "jsonl"
    if kind == "text":
        return CorpusFile(packed.name, kind, decoded.text, decoded.encoding, decoded.is_guess)
    if kind == "jsonl":
        table = jsonl_text(decoded.text, columns=columns)
    else:
        table = csv_text(decoded.text, columns=columns, header=header, delimiter="\t" if kind == "tsv" else ",")
    read = _of_table(packed.name, kind, table, allows_empty=columns is not None)
    return replace(read, encoding=decoded.encoding, is_guess=decoded.is_guess)


def _of_table(name: str, kind: Kind, table: TableText, *, allows_empty: bool) -> CorpusFile:
    """The file with a table's text, which may be empty only where its columns were chosen."""
    if not (table.text or allows_empty):
        raise no_rows()
    return CorpusFile(
        name,
        kind,
        table.text,
        columns=table.columns,
        chosen=table.chosen,
        header=table.header,
        rows=table.rows,
        skipped_rows=table.skipped_rows,
        first_skipped=table.first_skipped,
    )
