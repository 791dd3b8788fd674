"""Uploaded files of many kinds → text: plain text and tables, unpacked from gz and zip archives."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tokenizer_core.texts.archives import PackedFile
from tokenizer_core.texts.csv_table import open_csv
from tokenizer_core.texts.encodings import DecodedText, decode_text
from tokenizer_core.texts.json_lines import looks_like_json_lines, open_json_lines
from tokenizer_core.texts.parquet import OpenParquet, open_parquet
from tokenizer_core.texts.tables import Table, TableReading, Told, no_rows, text_of

TableKind = Literal["csv", "tsv", "jsonl", "parquet"]
Kind = Literal["text"] | TableKind
MAX_BYTES = 200 * 2**20
_KINDS: dict[str, TableKind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}


@dataclass(frozen=True)
class CorpusFile:
    """The text of a file, and how it was read."""

    name: str
    kind: Kind
    text: str = field(repr=False)
    encoding: str | None = None
    """None for Parquet, which defines its encoding itself."""
    is_guess: bool = False
    """Whether the encoding is a guess that the user should check."""
    table: TableReading | None = None
    """The columns that make up the text, and those available; None for plain text."""


class OpenTable(NamedTuple):
    """A table whose rows are not read yet, and its decoded text; None for Parquet."""

    table: Table
    decoded: DecodedText | None


def read_corpus_file(
    packed: PackedFile,
    *,
    encoding: str | None = None,
    columns: Collection[str] | None = None,
    header: bool | None = None,
    max_bytes: int = MAX_BYTES,
    parquet: OpenParquet = open_parquet,
    told: Told = lambda share: None,
) -> CorpusFile:
    """Read a file of any kind; its name tells whether it is a table, its bytes whether it is Parquet.

    Every option that is None is detected: the encoding, the columns that look like prose, and whether the first
    line of a CSV file names them. `parquet` opens Parquet files, and `told` is told which share of a table is
    read. Raises `CorpusError` if no text can be read.

    >>> file = read_corpus_file(PackedFile("a.csv", b"id,text\\n1,a cat\\n2,a dog\\n"))
    >>> file.text, file.table.columns, file.table.chosen, file.table.header, file.table.rows
    ('a cat\\na dog\\n', ('id', 'text'), ('text',), True, 2)
    """
    if packed.refusal is not None:
        raise packed.refusal
    kind = _kind_of(packed)
    if kind is None or packed.name.lower().endswith(".json"):
        decoded = decode_text(packed.content, encoding=encoding)
        if kind is None or not looks_like_json_lines(decoded.text):
            return CorpusFile(packed.name, "text", decoded.text, decoded.encoding, decoded.is_guess)
    opening, rest = _two_parts(told, 1 / 2 if kind == "jsonl" else 0.0)
    opened = open_table(
        packed, kind, encoding=encoding, header=header, max_bytes=max_bytes, parquet=parquet, told=opening
    )
    text, reading = text_of(opened.table, columns, told=rest)
    if not text and columns is None:
        raise no_rows()
    if opened.decoded is None:
        return CorpusFile(packed.name, kind, text, table=reading)
    return CorpusFile(packed.name, kind, text, opened.decoded.encoding, opened.decoded.is_guess, reading)


def _two_parts(told: Told, first: float) -> tuple[Told, Told]:
    """Return what is told the progress of opening a table, which is the first part of it, and of its rows."""
    return lambda share: told(first * share), lambda share: told(first + (1 - first) * share)


def table_kind(name: str) -> TableKind | None:
    """Return the kind of table that a file name tells; None for plain text.

    >>> table_kind("pairs.TSV"), table_kind("notes.txt")
    ('tsv', None)
    """
    name = name.lower()
    return next((kind for suffix, kind in _KINDS.items() if name.endswith(suffix)), None)


def open_table(
    packed: PackedFile,
    kind: TableKind,
    *,
    encoding: str | None = None,
    header: bool | None = None,
    max_bytes: int = MAX_BYTES,
    parquet: OpenParquet = open_parquet,
    told: Told = lambda share: None,
) -> OpenTable:
    """Find the columns of a table; raise `CorpusError` if there are none.

    `told` is told how far this is for a file that must be read to its end for it.
    """
    if kind == "parquet":
        return OpenTable(parquet(packed.content, max_bytes), None)
    decoded = decode_text(packed.content, encoding=encoding)
    if kind == "jsonl":
        return OpenTable(open_json_lines(decoded.text, told), decoded)
    return OpenTable(open_csv(decoded.text, header=header, delimiter="\t" if kind == "tsv" else ","), decoded)


def _kind_of(packed: PackedFile) -> TableKind | None:
    is_parquet = packed.content[:4] == packed.content[-4:] == b"PAR1"
    return "parquet" if is_parquet else table_kind(packed.name)
