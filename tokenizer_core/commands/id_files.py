"""Token ids in files: as text, JSON Lines, NumPy's .npy or Parquet, written and read piece by piece."""

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.errors import CorpusError

FORMATS = ("text", "json", "npy", "parquet")
_SUFFIXES = {".json": "json", ".jsonl": "json", ".npy": "npy", ".parquet": "parquet"}
_ROWS = 2**17
_PIECE_BYTES = 2**20
_DIGITS = 10
_SEPARATORS = bytes.maketrans(b",[]", b"   ")


def format_of(name: str | None) -> str:
    """Return the format that the name of a file tells; text if it tells none.

    >>> format_of("ids.npy"), format_of(None)
    ('npy', 'text')
    """
    return _SUFFIXES.get(Path(name or "").suffix.lower(), "text")


class IdWriter:
    """Writes the ids of texts, one text after another; a file is whole or not there at all."""

    def __init__(self, out: str | None, form: str) -> None:
        self._out = None if out is None else Path(out)
        self._part = None if self._out is None else self._out.with_name(f".{self._out.name}.{os.getpid()}.part")
        if self._part is None and form in ("npy", "parquet"):
            raise CorpusError(f"{form} needs a file to be written to: --out", "ids_need_file", format=form)
        self._file: BinaryIO = sys.stdout.buffer if self._part is None else self._part.open("wb")
        kinds: dict[str, type[_Text | _Npy | _Parquet]] = {
            "text": _Text,
            "json": _Json,
            "npy": _Npy,
            "parquet": _Parquet,
        }
        self._kind: _Kind = kinds[form](self._file)

    def add(self, ids: Sequence[int] | NDArray[np.int32]) -> None:
        """Write more ids of the same text."""
        self._kind.add(np.asarray(ids, dtype=np.int64))

    def end_text(self) -> None:
        """End the text."""
        self._kind.end_text()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._kind.close()
                self._file.flush()
        finally:
            if self._part is not None:
                self._file.close()
        if self._part is not None and self._out is not None:
            if error is None:
                self._part.replace(self._out)
            with suppress(OSError):
                self._part.unlink()


class _Kind(Protocol):
    """Writes one format."""

    def add(self, ids: NDArray[np.int64], /) -> None: ...
    def end_text(self) -> None: ...
    def close(self) -> None: ...


class _Text:
    """A line for each text, with spaces between the ids."""

    before, between, after = "", " ", "\n"

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.is_first = True

    def add(self, ids: NDArray[np.int64]) -> None:
        if ids.size:
            start = self.before if self.is_first else self.between
            self.file.write((start + self.between.join(map(str, ids.tolist()))).encode())
            self.is_first = False

    def end_text(self) -> None:
        self.file.write(((self.before if self.is_first else "") + self.after).encode())
        self.is_first = True

    def close(self) -> None:
        """Everything is written already."""


class _Json(_Text):
    """A JSON array on a line for each text."""

    before, between, after = "[", ", ", "]\n"


class _Npy:
    """One array of all ids; where a text ends is not kept."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.size = 0
        self._header()

    def _header(self) -> None:
        self.file.seek(0)
        described = {"descr": "<i4", "fortran_order": False, "shape": (self.size,)}
        np.lib.format.write_array_header_1_0(self.file, described)  # has room for any length

    def add(self, ids: NDArray[np.int64]) -> None:
        self.file.write(ids.astype("<i4").tobytes())
        self.size += ids.size

    def end_text(self) -> None:
        """The array does not say where a text ends."""

    def close(self) -> None:
        self._header()
        self.file.seek(0, io.SEEK_END)


class _Parquet:
    """A row for each id, with the number of its text from 0 up."""

    def __init__(self, file: BinaryIO) -> None:
        import pyarrow as pa  # 0.1 s to import
        import pyarrow.parquet as pq

        self.schema = pa.schema([("text", pa.int64()), ("id", pa.int32())])
        self.writer = pq.ParquetWriter(file, self.schema, compression="zstd")
        self.text = 0
        self.held: list[tuple[int, NDArray[np.int64]]] = []
        self.rows = 0

    def add(self, ids: NDArray[np.int64]) -> None:
        self.held.append((self.text, ids))
        self.rows += ids.size
        if self.rows >= _ROWS:
            self._write()

    def end_text(self) -> None:
        self.text += 1

    def close(self) -> None:
        self._write()
        self.writer.close()

    def _write(self) -> None:
        import pyarrow as pa

        if self.held:
            ids = np.concatenate([ids for _, ids in self.held])
            texts = np.repeat([text for text, _ in self.held], [ids.size for _, ids in self.held])
            self.writer.write_batch(pa.record_batch([texts, ids.astype(np.int32)], schema=self.schema))
        self.held, self.rows = [], 0


# ---- reading


Piece = tuple[list[int], bool]
"""Ids of one text, and whether they are its last."""


def pieces_of_ids(name: str) -> Iterator[Piece]:
    """Yield the ids in a file of any of the formats, some at a time; "-" is the standard input, as text or JSON.

    Raises `CorpusError` for what is not token ids.
    """
    form = format_of(name)
    if form == "npy":
        yield from _npy_ids(Path(name))
    elif form == "parquet":
        yield from _parquet_ids(Path(name))
    elif name == "-":
        yield from _line_ids(sys.stdin.buffer)
    else:
        with Path(name).open("rb") as file:
            yield from _line_ids(file)


def _line_ids(file: BinaryIO) -> Iterator[Piece]:
    """Read lines of numbers between spaces, commas or brackets; a long line comes in pieces."""
    number, rest, is_open = 1, b"", False
    while block := file.readline(_PIECE_BYTES):
        piece, rest = rest + block, b""
        is_end = block.endswith(b"\n")
        if not is_end:
            cut = max(piece.rfind(b" "), piece.rfind(b",")) + 1
            piece, rest = piece[:cut], piece[cut:]
        yield _ids_in(piece, number), is_end
        is_open = not is_end
        number += is_end
    if is_open:
        yield _ids_in(rest, number), True


def _ids_in(piece: bytes, line: int) -> list[int]:
    words = piece.translate(_SEPARATORS).split()
    if not all(len(word) <= _DIGITS and word.isdigit() and int(word) < 2**31 for word in words):
        found = piece[:40].decode("utf-8", errors="replace").strip()
        raise CorpusError(f"line {line:,} must hold token ids; {found!r} came", "ids_line", line=line, found=found)
    return list(map(int, words))


def _npy_ids(path: Path) -> Iterator[Piece]:
    try:
        ids = np.load(path, mmap_mode="r", allow_pickle=False)
        is_valid = ids.ndim == 1 and ids.dtype.kind in "iu"
    except (ValueError, EOFError):
        is_valid = False
    if not is_valid:
        raise CorpusError("an .npy file of token ids must hold one row of whole numbers", "ids_npy")
    for start in range(0, ids.size, _ROWS):
        yield ids[start : start + _ROWS].tolist(), False
    yield [], True


def _parquet_ids(path: Path) -> Iterator[Piece]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        text = 0
        for batch in file.iter_batches(_ROWS, columns=["text", "id"]):
            numbers, ids = batch.column("text").to_numpy(), batch.column("id").to_numpy()
            while numbers.size:
                same = int(np.searchsorted(numbers, text, side="right"))
                yield ids[:same].tolist(), same < numbers.size
                text += same < numbers.size
                numbers, ids = numbers[same:], ids[same:]
        yield [], True
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise CorpusError("the file must be whole; it is damaged", "damaged_file", kind="Parquet") from error
