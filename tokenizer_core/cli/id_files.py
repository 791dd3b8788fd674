"""Token ids in files: as text, JSON Lines, NumPy's .npy or Parquet, written and read piece by piece."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.ctrl_c import replacing
from tokenizer_core.errors import CorpusError

MOST_IDS = 2**28
"""Ids of one piece, 1 GB. A file that cannot be parted, such as a gz file, may be larger."""
FORMATS = ("text", "json", "npy", "parquet")
_SUFFIXES = {".json": "json", ".jsonl": "json", ".npy": "npy", ".parquet": "parquet"}
_ROWS = 2**17
_PIECE_BYTES = 2**20
_DIGITS = 10
_SEPARATORS = bytes.maketrans(b",[]", b"   ")
Ids = Sequence[int] | NDArray[np.int32]


def format_of(name: str | None) -> str:
    """Return the format of a file by its name; text if the name has no known suffix.

    >>> format_of("ids.npy"), format_of(None)
    ('npy', 'text')
    """
    return _SUFFIXES.get(Path(name or "").suffix.lower(), "text")


@contextmanager
def written_ids(out: str | None, form: str) -> Iterator["IdWriter"]:
    """Yield a writer to a file, written whole or not at all, or to the standard output."""
    if (out is None or Path(out).is_fifo()) and form in ("npy", "parquet"):
        raise CorpusError("ids_need_file", format=form)
    with ExitStack() as at_end:
        file: BinaryIO = sys.stdout.buffer
        if out is not None:
            (part,) = at_end.enter_context(replacing(Path(out)))
            file = at_end.enter_context(part.open("wb"))
        kinds = {"text": IdWriter, "json": _Json, "npy": _Npy, "parquet": _Parquet}
        writer = kinds[form](file)
        yield writer
        writer.close()
        file.flush()


class IdWriter:
    """Writes a line for each text, with spaces between the ids. The other formats are its subclasses."""

    before, between, after = "", " ", "\n"
    is_first = True

    def __init__(self, file: BinaryIO) -> None:
        self.file = file

    def add(self, ids: Ids, *, is_end: bool = False) -> None:
        """Write more ids of the same text, and with `is_end`, end the text."""
        if len(ids) or is_end:
            start = self.before if self.is_first else self.between * bool(len(ids))
            numbers = self.between.join(map(str, np.asarray(ids).tolist()))
            self.file.write(f"{start}{numbers}{self.after if is_end else ''}".encode())
            self.is_first = is_end

    def close(self) -> None:
        """Write what is left."""


class _Json(IdWriter):
    """A JSON array on a line for each text."""

    before, between, after = "[", ", ", "]\n"


class _Npy(IdWriter):
    """One array of all ids; where a text ends is not kept."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self.size = 0
        self._header()

    def _header(self) -> None:
        self.file.seek(0)
        described = {"descr": "<i4", "fortran_order": False, "shape": (self.size,)}
        write_header: Callable[..., None] = np.lib.format.write_array_header_1_0  # has room for any length
        write_header(self.file, described)

    def add(self, ids: Ids, *, is_end: bool = False) -> None:
        self.file.write(np.asarray(ids, dtype="<i4").tobytes())
        self.size += len(ids)

    def close(self) -> None:
        self._header()


class _Parquet(IdWriter):
    """A row for each id, with the number of its text from 0 up."""

    def __init__(self, file: BinaryIO) -> None:
        import pyarrow as pa  # 0.1 s to import
        import pyarrow.parquet as pq

        super().__init__(file)
        self.schema = pa.schema([("text", pa.int64()), ("id", pa.int32())])
        self.writer = pq.ParquetWriter(file, self.schema, compression="zstd")
        self.text = 0
        self.held: list[tuple[int, NDArray[np.int32]]] = []
        self.rows = 0

    def add(self, ids: Ids, *, is_end: bool = False) -> None:
        self.held.append((self.text, np.asarray(ids, dtype=np.int32)))
        self.rows += len(ids)
        self.text += is_end
        if self.rows >= _ROWS:
            self._write()

    def close(self) -> None:
        self._write()
        self.writer.close()

    def _write(self) -> None:
        import pyarrow as pa

        if self.held:
            ids = np.concatenate([ids for _, ids in self.held])
            texts = np.repeat([text for text, _ in self.held], [ids.size for _, ids in self.held])
            self.writer.write_batch(pa.record_batch([texts, ids], schema=self.schema))
        self.held, self.rows = [], 0


class HeldIds(IdWriter):
    """Keeps ids in memory, with the number of ids up to the end of each text."""

    def __init__(self) -> None:
        self.parts: list[NDArray[np.int32]] = []
        self.ends: list[int] = []
        self.size = 0

    def add(self, ids: Ids, *, is_end: bool = False) -> None:
        """Keep more ids of the same text."""
        self.parts.append(np.asarray(ids, dtype=np.int32))
        self.size += self.parts[-1].size
        if self.size > MOST_IDS:
            raise CorpusError("piece_large", limit=MOST_IDS)
        self.ends += [self.size] * is_end

    def ids(self) -> NDArray[np.int32]:
        """Return all ids."""
        return np.concatenate([np.empty(0, dtype=np.int32), *self.parts])


# ---- reading


Piece = tuple[list[int], bool]
"""Ids of one text, and whether they are its last."""


def pieces_of_ids(name: str) -> Iterator[Piece]:
    """Yield the ids in a file of any of the formats, some at a time; "-" is the standard input, as text or JSON.

    Raises `CorpusError` for what is not token ids.
    """
    if name == "-":
        yield from _line_ids(sys.stdin.buffer)
        return
    with Path(name).open("rb") as file:
        readers = {"npy": _npy_ids, "parquet": _parquet_ids}
        yield from readers.get(format_of(name), _line_ids)(file)


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
        raise CorpusError("ids_line", line=line, found=found)
    return list(map(int, words))


def _npy_ids(file: BinaryIO) -> Iterator[Piece]:
    try:
        ids = np.load(file.name, mmap_mode="r", allow_pickle=False)
        is_valid = ids.ndim == 1 and ids.dtype.kind in "iu"
    except (ValueError, EOFError):
        is_valid = False
    if not is_valid:
        raise CorpusError("ids_npy")
    for start in range(0, ids.size, _ROWS):
        yield ids[start : start + _ROWS].tolist(), False
    yield [], True


def _parquet_ids(opened: BinaryIO) -> Iterator[Piece]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(opened)
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
        raise CorpusError("damaged_file", kind="Parquet") from error
