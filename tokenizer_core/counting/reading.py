"""Files of any size → the UTF-8 of their text, block by block, with the same text as `texts.files` gives."""

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tokenizer_core.counting.guesses import EncodingGuess, Guessed
from tokenizer_core.counting.storage import bytes_of, is_address, opened
from tokenizer_core.counting.table_streams import cells_in, columns_to_read
from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.encodings import decode_text
from tokenizer_core.texts.files import table_kind
from tokenizer_core.texts.json_lines import looks_like_json_lines
from tokenizer_core.texts.parquet import open_parquet

STANDARD_INPUT = "-"
Listener = Callable[[int], None]
"""Is told how many bytes of a file were read from the disk."""
BLOCK_BYTES = 2**20
_GZIP = b"\x1f\x8b\x08"
_PARQUET = b"PAR1"
_MARK = "\ufeff"
_WIDE = 4
"""Bytes of the widest character of any encoding."""


@dataclass(frozen=True)
class Reading:
    """What is to be known of files that do not tell it themselves; what is None is detected."""

    columns: Collection[str] | None = None
    header: bool | None = None
    encoding: str | None = None


DETECT = Reading()


def blocks_of(
    name: str,
    reading: Reading = DETECT,
    *,
    listener: Listener = lambda read: None,
    guessed: Guessed = lambda guess: None,
) -> Iterator[bytes]:
    """Yield the text of a file as UTF-8, in blocks of no particular size; "-" is the standard input.

    A gz file is unpacked. A table gives each cell of its text columns as a line. Raises `CorpusError`, which names
    no file, if no text can be read, and `OSError` if the file cannot be opened.
    """
    if name != STANDARD_INPUT and is_parquet(name):
        size = bytes_of(name)  # raises `OSError` if it is not there
        yield from _parquet_blocks(name, reading.columns, guessed)
        listener(size or 0)
        return
    with _opened(name) as file:
        unpacked = _Unpacked(file, listener)
        head = unpacked.read_whole(BLOCK_BYTES)
        kind = table_kind(name.removesuffix(".gz"))
        texts = _texts(head, unpacked, reading.encoding, guessed)
        first = next(texts)
        if (
            kind == "jsonl"
            and name.lower().removesuffix(".gz").endswith(".json")
            and not looks_like_json_lines(first)
        ):
            kind = None
        if kind is None:
            yield from (text.encode() for text in chain([first], texts))
        else:
            cells = cells_in(kind, chain([first], texts), reading.columns, reading.header, guessed)
            yield from joined_cells(cells)


def plain_utf8(name: str, reading: Reading = DETECT) -> bool:
    """Tell whether a file is plain text in UTF-8, neither packed nor a table, as far as its beginning tells."""
    if table_kind(name.removesuffix(".gz")) is not None:
        return False
    with opened(name) as file:
        head = _whole_read(file.read, BLOCK_BYTES)
    if head.startswith((_GZIP, _PARQUET)):
        return False
    is_whole = len(head) < BLOCK_BYTES
    decoded = decode_text(head if is_whole else _whole_characters(head), encoding=reading.encoding)
    return decoded.encoding in ("utf-8", "utf-8-sig")


def size_of(names: Iterable[str]) -> int | None:
    """Return the bytes of all files on the disk; None if the size of one is not known."""
    sizes = [_size_if_there(name) for name in names]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _size_if_there(name: str) -> int | None:
    with suppress(OSError):
        return bytes_of(name) if is_address(name) or Path(name).is_file() else None
    return None


@contextmanager
def _opened(name: str) -> Iterator[io.BufferedIOBase]:
    if name == STANDARD_INPUT:
        standard_input = sys.stdin.buffer
        assert isinstance(standard_input, io.BufferedIOBase)
        yield standard_input
    else:
        with opened(name) as file:
            yield file


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


class _Unpacked:
    """Reads a file, and unpacks it if it is gz; tells the listener how much was read."""

    def __init__(self, file: io.BufferedIOBase, listener: Listener) -> None:
        head = _whole_read(file.read, len(_GZIP))
        self._raw = _Counted(head, file, listener)
        self._read: Callable[[int], bytes] = self._raw.read
        self._is_packed = head == _GZIP
        if self._is_packed:
            self._read = gzip.GzipFile(fileobj=io.BufferedReader(self._raw, BLOCK_BYTES)).read

    def read(self, size: int) -> bytes:
        """Return up to so many bytes; none at the end."""
        if not self._is_packed:
            return self._read(size)
        try:
            return self._read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise CorpusError("the gz file must be whole; it is damaged", "damaged_file", kind="gz") from error

    def read_whole(self, size: int) -> bytes:
        """Return exactly so many bytes, fewer only at the end."""
        return _whole_read(self.read, size)


class _Counted(io.RawIOBase):
    """A file whose first bytes were read already."""

    def __init__(self, head: bytes, file: io.BufferedIOBase, listener: Listener) -> None:
        self._head = head
        self._file = file
        self._listener = listener

    def readable(self) -> bool:
        """Tell `io` that this can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return up to so many bytes."""
        # One call of the system each: in the loop of `read`, a Ctrl-C would wait for the next piece of a pipe.
        found, self._head = (self._head, b"") if self._head else (self._file.read1(size), b"")
        self._listener(len(found))
        return found

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read into a buffer, as `io.BufferedReader` asks for it."""
        found = self.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)


def _whole_read(read: Callable[[int], bytes], size: int) -> bytes:
    """Read until there are so many bytes: a pipe gives fewer at a time."""
    found = bytearray()
    while len(found) < size and (more := read(size - len(found))):
        found += more
    return bytes(found)


# ---- encodings


def _texts(head: bytes, file: _Unpacked, encoding: str | None, guessed: Guessed) -> Iterator[str]:
    """Decode block by block, after the beginning has told the encoding; nothing is replaced."""
    is_whole = len(head) < BLOCK_BYTES
    decoded = decode_text(head if is_whole else _whole_characters(head), encoding=encoding)
    if decoded.is_guess:
        guessed(EncodingGuess(decoded.encoding))
    if is_whole:
        yield decoded.text
        return
    name = "utf-8" if decoded.encoding == "utf-8-sig" else decoded.encoding
    decoder = codecs.getincrementaldecoder(name)("strict")
    block, offset, lines, is_first = head, 0, 1, True
    while True:
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            at = offset - waiting + error.start
            line = lines + error.object[: error.start].count(b"\n")
            raise _undecodable(name, at, line) from None
        offset += len(block)
        lines += text.count("\n")
        yield text.removeprefix(_MARK) if is_first else text
        if not block:
            return
        block, is_first = file.read(BLOCK_BYTES), False


def _whole_characters(head: bytes) -> bytes:
    """Return the beginning without the character at its end, which may be cut off."""
    if b"\0" in head or head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return head[: len(head) // _WIDE * _WIDE - _even_tail(head)]
    end = head.rfind(b"\n") + 1
    if end == 0:
        end = len(head) - 1
        while end > len(head) - _WIDE and head[end] & 0xC0 == 0x80:
            end -= 1
    return head[:end]


def _even_tail(head: bytes) -> int:
    """Return how many bytes at the end may be half of a surrogate pair in UTF-16, of either byte order."""
    end = len(head) // _WIDE * _WIDE
    return 2 if any(0xD8 <= byte < 0xDC for byte in head[end - 2 : end]) else 0


def _undecodable(name: str, offset: int, line: int) -> CorpusError:
    if name == "utf-8":
        return CorpusError(
            f"the file must be UTF-8 from end to end; byte {offset:,} (line {line:,}) is broken",
            "broken_utf8",
            offset=offset,
            line=line,
        )
    message = f"the file must be {name} from end to end; byte {offset:,} (line {line:,}) is not"
    return CorpusError(message, "undecodable", encoding=name, offset=offset, line=line)


# ---- tables


def _parquet_blocks(name: str, columns: Collection[str] | None, guessed: Guessed) -> Iterator[bytes]:
    with opened(name) as file:
        table = open_parquet(file if is_address(name) else Path(name), None)
        places = [table.labels.index(label) for label in columns_to_read(table, columns, guessed)]
        yield from joined_cells(cell for _, cells in table.rows(places) for cell in cells or ())


def joined_cells(cells: Iterable[str]) -> Iterator[bytes]:
    """Write each cell that is not empty as a line; yield blocks of whole cells."""
    held, size = [], 0
    for cell in cells:
        if cell:
            held.append(cell)
            size += len(cell)
            if size >= BLOCK_BYTES:
                yield ("\n".join(held) + "\n").encode()
                held, size = [], 0
    if held:
        yield ("\n".join(held) + "\n").encode()
