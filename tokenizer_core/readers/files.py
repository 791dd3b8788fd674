"""Files of many kinds → their text: uploads as a whole, and files of any size block by block.

Both read a format with the same code: a text is an iterable of decoded blocks, and an upload has one block.
"""

import gzip
import io
import sys
import zlib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from tokenizer_core.errors import CorpusError, TokenizerError
from tokenizer_core.readers.archives import PackedFile
from tokenizer_core.readers.csv_table import open_csv
from tokenizer_core.readers.encodings import decode_blocks, decode_text
from tokenizer_core.readers.json_lines import looks_like_json_lines, open_json_lines
from tokenizer_core.readers.parquet import OpenParquet, open_parquet, parquet_at
from tokenizer_core.readers.storage import bytes_of, is_address, opened
from tokenizer_core.readers.tables import (
    RowReader,
    Table,
    TableReading,
    Told,
    choose_columns,
    columns_with_letters,
    text_blocks,
    text_of,
)

TableKind = Literal["csv", "tsv", "jsonl", "parquet"]
Kind = Literal["text"] | TableKind
MAX_BYTES = 200 * 2**20
BLOCK_BYTES = 2**20
STANDARD_INPUT = "-"
Listener = Callable[[int], None]
"""Called with the number of bytes that were just read from a file."""
_KINDS: dict[str, TableKind] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}
_GZIP = b"\x1f\x8b\x08"
_PARQUET = b"PAR1"


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


@dataclass(frozen=True)
class Reading:
    """Read options; None means detect."""

    columns: Collection[str] | None = None
    header: bool | None = None
    encoding: str | None = None


DETECT = Reading()


class EncodingGuess(NamedTuple):
    """The guessed encoding of a file."""

    encoding: str


class ColumnGuess(NamedTuple):
    """The columns of a table that were read because none were named, and all columns that hold text."""

    chosen: tuple[str, ...]
    columns: tuple[str, ...]


Guess = EncodingGuess | ColumnGuess
Guessed = Callable[[Guess], None]
"""Called with each guess about a file."""


# ---- kinds


def table_kind(name: str) -> TableKind | None:
    """Return the kind of table that a file name stands for; None for plain text.

    >>> table_kind("pairs.TSV"), table_kind("notes.txt")
    ('tsv', None)
    """
    name = name.lower()
    return next((kind for suffix, kind in _KINDS.items() if name.endswith(suffix)), None)


def text_table(
    kind: TableKind,
    texts: Iterable[str],
    *,
    columns: Collection[str] | None = None,
    header: bool | None = None,
    told: Told = lambda share: None,
) -> Table:
    """Open a table that is text; raise `CorpusError` if it has no columns."""
    if kind == "jsonl":
        return open_json_lines(texts, columns=columns, told=told)
    return open_csv(texts, header=header, delimiter="\t" if kind == "tsv" else ",")


def _kind_of_text(name: str, beginning: str) -> TableKind | None:
    """Return the kind of a file that is not Parquet; a .json file is a table only if it holds JSON Lines."""
    if name.lower().endswith(".json") and not looks_like_json_lines(beginning):
        return None
    return table_kind(name)


# ---- uploads


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
    """Read a file of any kind; its name decides whether it is a table, its bytes whether it is Parquet.

    Every option that is None is detected: the encoding, the columns that look like prose, and whether the first
    line of a CSV file names them. `parquet` opens Parquet files, and `told` is called with the share of a table
    that has been read. Raises `CorpusError` if no text can be read.

    >>> file = read_corpus_file(PackedFile("a.csv", b"id,text\\n1,a cat\\n2,a dog\\n"))
    >>> file.text, file.table.columns, file.table.chosen, file.table.header, file.table.rows
    ('a cat\\na dog\\n', ('id', 'text'), ('text',), True, 2)
    """
    if packed.refusal is not None:
        raise packed.refusal
    if table_kind(packed.name) == "parquet" or packed.content[:4] == packed.content[-4:] == _PARQUET:
        text, reading = text_of(parquet(packed.content, max_bytes), columns, told=told)
        return CorpusFile(packed.name, "parquet", text, table=reading)
    decoded = decode_text(packed.content, encoding=encoding)
    kind = _kind_of_text(packed.name, decoded.text)
    if kind is None:
        return CorpusFile(packed.name, "text", decoded.text, decoded.encoding, decoded.is_guess)
    table = text_table(kind, [decoded.text], columns=columns, header=header, told=told)
    text, reading = text_of(table, columns, told=told)
    return CorpusFile(packed.name, kind, text, decoded.encoding, decoded.is_guess, reading)


# ---- files of any size


def blocks_of(
    name: str,
    reading: Reading = DETECT,
    *,
    listener: Listener = lambda read: None,
    guessed: Guessed = lambda guess: None,
) -> Iterator[bytes]:
    """Yield the text of a file as UTF-8, in blocks of no particular size; "-" is the standard input.

    A gz file is unpacked. The text of a table has each cell of its text columns on a line. Raises `CorpusError`,
    which names no file, if no text can be read, and `OSError` if the file cannot be opened.
    """
    if name != STANDARD_INPUT and is_parquet(name):
        with parquet_at(name) as parquet:
            yield from _blocks_of_table(parquet.table(None), reading, guessed)
        listener(bytes_of(name) or 0)
        return
    with nullcontext(sys.stdin.buffer) if name == STANDARD_INPUT else opened(name) as file:
        assert isinstance(file, io.BufferedReader)
        is_packed = file.peek(len(_GZIP)).startswith(_GZIP)
        buffered = io.BufferedReader(_Counted(file, listener), BLOCK_BYTES)
        unpacked = gzip.GzipFile(fileobj=buffered) if is_packed else buffered
        beginning, texts = decode_blocks(lambda: _read_block(unpacked), BLOCK_BYTES, encoding=reading.encoding)
        if beginning.is_guess:
            guessed(EncodingGuess(beginning.encoding))
        kind = _kind_of_text(name.lower().removesuffix(".gz"), beginning.text)
        if kind is None:
            yield from map(str.encode, texts)
        else:
            table = text_table(kind, texts, columns=reading.columns, header=reading.header)
            yield from _blocks_of_table(table, reading, guessed)


def _blocks_of_table(table: Table, reading: Reading, guessed: Guessed) -> Iterator[bytes]:
    rows = RowReader(table, columns_to_read(table, reading.columns, guessed), is_limited=False)
    yield from map(str.encode, text_blocks(rows))
    if not rows.count:
        raise CorpusError("no_rows")


def columns_to_read(table: Table, columns: Collection[str] | None, guessed: Guessed) -> tuple[str, ...]:
    """Return the columns asked for; without a choice, those that are prose, a guess if there are others."""
    chosen = choose_columns(table, columns)
    if columns is None and len(every := columns_with_letters(table)) > 1:
        guessed(ColumnGuess(chosen, every))
    return chosen


def is_parquet(name: str) -> bool:
    """Tell whether a file is Parquet, by its name or its bytes."""
    if table_kind(name) == "parquet":
        return True
    if not is_address(name) and not Path(name).is_file():
        return False
    with opened(name) as file:
        if file.read(4) != _PARQUET or (bytes_of(name) or 0) < 12:
            return False
        file.seek(-4, io.SEEK_END)
        return file.read(4) == _PARQUET


def is_plain_utf8(name: str, reading: Reading = DETECT) -> bool:
    """Tell from its name and its beginning whether a file is plain text in UTF-8, neither packed nor a table."""
    if table_kind(name.removesuffix(".gz")) is not None:
        return False
    with opened(name) as file:
        if file.peek(4).startswith((_GZIP, _PARQUET)):
            return False
        beginning, _ = decode_blocks(lambda: file.read(BLOCK_BYTES), BLOCK_BYTES, encoding=reading.encoding)
    return beginning.encoding in ("utf-8", "utf-8-sig")


def size_of(names: Iterable[str]) -> int | None:
    """Return the total size of all files in bytes; None if the size of one is not known."""
    try:
        sizes = [bytes_of(name) if is_address(name) or Path(name).is_file() else None for name in names]
    except OSError:
        return None
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


class _Counted(io.RawIOBase):
    """A file whose listener hears of every byte read from the disk."""

    def __init__(self, file: io.BufferedReader, listener: Listener) -> None:
        self._file = file
        self._listener = listener

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        # One system call each: a loop in C would let Ctrl-C wait for the next block of a pipe.
        size = self._file.readinto1(buffer)
        self._listener(size)
        return size


def _read_block(file: io.BufferedIOBase) -> bytes:
    try:
        return file.read(BLOCK_BYTES)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorpusError("damaged_file", kind="gz") from error


# ---- files that cannot be read


class Unreadable(NamedTuple):
    """A file that was skipped, and why."""

    name: str
    why: str


@contextmanager
def readable(name: str, skipped: list[Unreadable] | None) -> Iterator[None]:
    """Name the file in an error of reading it; if `skipped` is a list, add the file there and raise nothing."""
    try:
        yield
    except (TokenizerError, OSError) as error:
        if isinstance(error, OSError):
            why = " ".join(str(error.strerror or error).split())
            named: TokenizerError = CorpusError("file_unreadable", file=name, why=why)
        else:
            named = error.at(file=name)
        if skipped is None or not isinstance(named, CorpusError):  # such as a pattern that is slow on this file
            raise named from None
        skipped.append(Unreadable(name, str(named)))


def why_unreadable(name: str, reading: Reading = DETECT) -> Unreadable | None:
    """Read a file to its end and return the error, if any; the standard input, read only once, is not tried."""
    skipped: list[Unreadable] = []
    if name != STANDARD_INPUT:
        with readable(name, skipped):
            deque(blocks_of(name, reading), maxlen=0)
    return skipped[0] if skipped else None
