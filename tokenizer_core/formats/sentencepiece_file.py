"""Checks a SentencePiece `.model` before the library opens it: the library trusts its tables.

The file is a protobuf message. Only what can do harm is read here: the pieces, and the tables of the normalizer,
which the library follows without looking where they lead.
"""

import math
import re
import struct
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from tokenizer_core.errors import ModelFileError
from tokenizer_core.minbpe_files import KNOWN_HEADERS

MAX_FILE_BYTES = 32 * 2**20
"""The largest files in use, with 256,000 pieces, have about 5 MB."""
MAX_PIECES = 1_000_000
MAX_PIECE_BYTES = 4_096
MAX_REPLACEMENT_BYTES = 256
"""Longest text that one character may be normalized to; in the library's own tables it is 33 bytes."""
PieceKind = Literal["ordinary", "unknown", "control", "user_defined", "unused", "byte"]
MODEL_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_PIECES, _TRAINER, _NORMALIZER, _DENORMALIZER = 1, 2, 3, 5
_MODEL_TYPE, _UNK_SURFACE = 3, 44
_CHARSMAP, _DUMMY_PREFIX, _REMOVE_EXTRA = 2, 3, 4
_KINDS: tuple[PieceKind, ...] = ("ordinary", "unknown", "control", "user_defined", "unused", "byte")
_BYTE_PIECE = re.compile(r"<0x[0-9A-F]{2}>")
_LEAF = 1 << 31
"""The bit of a unit of the trie that holds a value, and not a step."""


class FileFacts(NamedTuple):
    """What a file says about its model."""

    kinds: Sequence[PieceKind]
    """The kind of each piece, by id."""
    model_type: str
    adds_dummy_prefix: bool
    removes_extra_spaces: bool
    unk_surface: bytes


def looks_like_sentencepiece(content: bytes) -> bool:
    """Tell whether a file begins as a SentencePiece model does: with a piece that begins with its text."""
    return len(content) > 3 and content[0] == content[2] == 0x0A and content[3] < content[1]


def check_file(content: bytes) -> FileFacts:
    """Return what the file says; raise `ModelFileError` if the library should not open it."""
    if len(content) > MAX_FILE_BYTES:
        raise ModelFileError(
            f"a SentencePiece .model must have at most {MAX_FILE_BYTES:,} bytes; this one has more",
            "pieces_file_large",
            limit=MAX_FILE_BYTES,
        )
    if content.removeprefix(b"\xef\xbb\xbf").startswith(tuple(header.encode() for header in KNOWN_HEADERS)):
        raise ModelFileError(
            "a SentencePiece .model must come; this one is minbpe's, which is text", "pieces_file_is_minbpe"
        )
    try:
        return _facts(content)
    except (IndexError, ValueError, struct.error) as error:
        if isinstance(error, ModelFileError):
            raise
        raise damaged_file() from None


def damaged_file() -> ModelFileError:
    """Return the error for a file that is no SentencePiece model, or no longer one."""
    return ModelFileError(
        "the file must be a whole SentencePiece .model; it is another kind of file, or damaged",
        "pieces_file_damaged",
    )


def _facts(content: bytes) -> FileFacts:
    kinds: list[PieceKind] = []
    trainer: dict[int, int | bytes] = {}
    normalizer: dict[int, int | bytes] = {}
    for field, value in _fields(content):
        if field == _PIECES:
            if len(kinds) == MAX_PIECES:
                raise _too_much("pieces", MAX_PIECES)
            kinds.append(_checked_kind(_message(value)))
        elif field == _TRAINER:
            trainer |= dict(_fields(_message(value)))
        elif field in (_NORMALIZER, _DENORMALIZER):
            spec = dict(_fields(_message(value)))
            _check_charsmap(_message(spec.get(_CHARSMAP, b"")))
            if field == _NORMALIZER:
                normalizer |= spec
    if not kinds:
        raise damaged_file()
    surface = _message(trainer.get(_UNK_SURFACE, " ⁇ ".encode()))
    if len(surface) > MAX_PIECE_BYTES:
        raise _too_much("unk_surface", MAX_PIECE_BYTES)
    surface.decode("utf-8")
    return FileFacts(
        kinds,
        MODEL_TYPES.get(int(trainer.get(_MODEL_TYPE, 1)), "unknown"),
        bool(normalizer.get(_DUMMY_PREFIX, 1)),
        bool(normalizer.get(_REMOVE_EXTRA, 1)),
        surface,
    )


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of a protobuf message, not opened; raise `ValueError` where it is none."""
    at, end = 0, len(message)
    while at < end:
        tag, at = _varint(message, at)
        field, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield field, value
            continue
        if kind == _LENGTH:
            length, at = _varint(message, at)
        elif kind in (_FIXED32, _FIXED64):
            length = 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"wire type {kind}")
        if at + length > end:
            raise ValueError("a field must end within its message")
        yield field, message[at : at + length]
        at += length


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return a number of up to ten bytes, seven bits in each, and the place after it."""
    number = 0
    for n in range(10):
        byte = message[at + n]
        number |= (byte & 0x7F) << (7 * n)
        if byte < 0x80:
            return number, at + n + 1
    raise ValueError("a number must end")


def _message(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a number stands where bytes must be")
    return value


def _checked_kind(message: bytes) -> PieceKind:
    """Return the kind of a piece whose text and score can be used."""
    fields = dict(_fields(message))
    text = _message(fields.get(1, b""))
    if len(text) > MAX_PIECE_BYTES:
        raise _too_much("piece", MAX_PIECE_BYTES)
    kind = _KINDS[int(fields.get(3, 1)) - 1]
    if kind == "byte" and not _BYTE_PIECE.fullmatch(text.decode("utf-8")):
        raise ValueError("a byte piece must name its byte")
    text.decode("utf-8")
    if math.isnan(struct.unpack("<f", _message(fields.get(2, bytes(4))))[0]):
        raise ValueError("a score must be a number")
    return kind


def _check_charsmap(charsmap: bytes) -> None:
    """Check that no step of the trie and no value leads out of the table, whatever text is looked up.

    The table is the size of the trie, the trie as units of four bytes (see darts-clone), and the texts that
    characters are replaced with, each with a zero byte at its end.
    """
    if not charsmap:
        return
    (size,) = struct.unpack_from("<I", charsmap)
    trie, texts = charsmap[4 : 4 + size], charsmap[4 + size :]
    if len(trie) != size or not size or size % 4 or not texts.endswith(b"\0"):
        raise damaged_file()
    units = np.frombuffer(trie, dtype="<u4").astype(np.int64)
    steps = (units & _LEAF) == 0
    after = np.arange(len(units)) ^ ((units >> 10) << ((units & 512) >> 6))
    if (after[steps] | 0xFF).max(initial=0) >= len(units):
        raise damaged_file()
    with_value = steps & ((units >> 8) & 1 == 1)
    if (units[after[with_value]] & ~_LEAF).max(initial=0) >= len(texts):
        raise damaged_file()
    if max(map(len, texts.split(b"\0"))) > MAX_REPLACEMENT_BYTES:
        raise _too_much("normalization", MAX_REPLACEMENT_BYTES)


def _too_much(what: str, limit: int) -> ModelFileError:
    return ModelFileError(
        f"{what} in a SentencePiece .model must be at most {limit:,}; there is more",
        "pieces_file_too_much",
        what=what,
        limit=limit,
    )
