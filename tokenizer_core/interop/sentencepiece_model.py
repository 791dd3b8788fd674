"""SentencePiece models: opened by the `sentencepiece` library, after a check of the tables that it trusts."""

import math
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from tokenizer_core.analysis.lattice import Unigram
from tokenizer_core.bpe.minbpe_files import KNOWN_HEADERS
from tokenizer_core.bpe.protocols import EncodedTexts, PlacedTokens
from tokenizer_core.bpe.special_tokens import allowed_tokens
from tokenizer_core.bpe.vocabulary import unknown_id
from tokenizer_core.errors import ModelFileError
from tokenizer_core.patterns.pretokens import check_text

SPACE_MARK = "▁"
"""U+2581, which stands for a space in pieces."""
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
_MODEL_TYPE, _BYTE_FALLBACK, _UNK_ID, _UNK_SURFACE = 3, 35, 40, 44
_CHARSMAP, _DUMMY_PREFIX, _REMOVE_EXTRA = 2, 3, 4
_KINDS: tuple[PieceKind, ...] = ("ordinary", "unknown", "control", "user_defined", "unused", "byte")
_BYTE_PIECE = re.compile(r"<0x[0-9A-F]{2}>")
_IN_TEXTS = ("ordinary", "user_defined")
"""Kinds of pieces that are looked for in texts."""
_LEAF = 1 << 31
"""The bit that marks a unit of the trie as a value, not a step."""


class FileFacts(NamedTuple):
    """What a file says of its model."""

    kinds: Sequence[PieceKind]
    """The kind of each piece, by id."""
    model_type: str
    """ "unigram", "bpe", "word" or "char"."""
    adds_dummy_prefix: bool
    removes_extra_spaces: bool
    unk_surface: bytes


class SentencePieceTokenizer:
    """A SentencePiece model: the library's ids, each with the bytes of the text that it covers.

    A dummy prefix covers nothing. `<unk>` covers its characters. A byte piece covers one byte, unless the
    normalizer has changed the character. A `▁` covers the run of white space that it replaces; no piece covers
    white space dropped at either end. Control pieces never act in a text.
    """

    def __init__(self, content: bytes, *, name: str = "sentencepiece") -> None:
        """Open the bytes of a `.model` file; raise `ModelFileError` if they are damaged or unsafe."""
        self.name = name
        self.content = content
        self.facts: FileFacts = check_file(content)
        self.kinds = self.facts.kinds
        """The kinds of all pieces, by id."""
        self.model_type = self.facts.model_type
        self.vocab_size = len(self.kinds)
        """All pieces, with `<unk>`, the control pieces and the byte pieces."""
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=content)
        except (RuntimeError, OSError, ValueError, IndexError, TypeError):
            raise ModelFileError("pieces_file_damaged") from None

    @cached_property
    def special_tokens(self) -> dict[str, int]:
        """The control pieces, such as `<s>`."""
        return {self.pieces[n]: n for n, kind in enumerate(self.kinds) if kind == "control"}

    @cached_property
    def pieces(self) -> list[str]:
        """The texts of all pieces, by id."""
        return [str(self._processor.id_to_piece(token_id)) for token_id in range(self.vocab_size)]

    @cached_property
    def unigram(self) -> Unigram | None:
        """The pieces and their scores, of a Unigram model; not for other models."""
        if self.model_type != "unigram":
            return None
        scores = {n: self._processor.get_score(n) for n, kind in enumerate(self.kinds) if kind in _IN_TEXTS}
        lowest = min((score for n, score in scores.items() if self.kinds[n] == "ordinary"), default=0.0)
        # As in the library, a user-defined piece wins against any other cut, the longest of them first.
        found = {
            self.pieces[n]: (n, 0.1 * (len(self.pieces[n]) - 1) if self.kinds[n] == "user_defined" else score)
            for n, score in scores.items()
        }
        return Unigram.of(found, self._processor.unk_id(), lowest)

    def stretches(self, text: str) -> list[str]:
        """Return the text as the model cuts it: normalized, with `▁` for spaces, in one stretch."""
        return [str(self._processor.normalize(check_text(text)))]

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the ids of a text; control pieces never act, as in the library."""
        allowed_tokens(self.special_tokens, allowed_special)
        ids: list[int] = self._processor.encode(check_text(text).encode())
        return ids

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately."""
        return EncodedTexts.of(list(map(self.encode, texts)))

    def encode_placed(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> PlacedTokens:
        """Return the ids of a text, and the bytes that each covers; control pieces never act."""
        allowed_tokens(self.special_tokens, allowed_special)
        content = check_text(text).encode()
        found = self._processor.encode(content, return_type="offset_mapping")
        ids = np.array(found["ids"], dtype=np.int32)
        spans = np.array(found["offsets"], dtype=np.int64).reshape(-1, 2)
        starts, ends = spans[:, 0].copy(), spans[:, 1].copy()
        self._separate_bytes(content, ids, starts, ends)
        return PlacedTokens(ids, starts, ends)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids, as the library writes it: `<unk>` as ` ⁇ `, a dummy prefix dropped."""
        return str(self._processor.decode(self._known(ids)))

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of the ids, without a dummy prefix.

        Unlike `decode`, this keeps bytes that are not whole characters.
        """
        written = bytearray()
        drops_prefix = self.facts.adds_dummy_prefix or self.facts.removes_extra_spaces
        for token_id in self._known(ids):
            token = self.token_bytes(token_id)
            if drops_prefix and not written and self.pieces[token_id].startswith(SPACE_MARK):
                token = token[1:]
                drops_prefix = self.facts.removes_extra_spaces
            written += token
        return bytes(written)

    def token_bytes(self, token_id: int) -> bytes:
        """Return what a piece writes: `▁` as a space, `<unk>` as the model's surface, controls as nothing."""
        piece = self.token_text(token_id)
        match self.kinds[token_id]:
            case "byte":
                return bytes([int(piece[3:5], 16)])
            case "unknown":
                return self.facts.unk_surface
            case "control":
                return b""
        return piece.replace(SPACE_MARK, " ").encode()

    def token_text(self, token_id: int) -> str:
        """Return a piece as the model writes it, such as `▁the`, `<unk>` or `<0xE0>`."""
        return self.pieces[self._known([token_id])[0]]

    def token_kind(self, token_id: int) -> PieceKind:
        """Return the kind of a piece."""
        return self.kinds[self._known([token_id])[0]]

    def vocab_text(self) -> str:
        """Return the `.vocab` file as the library writes it: each piece and its score on a line."""
        scores = map(self._processor.get_score, range(self.vocab_size))
        return "".join(f"{piece}\t{score:g}\n" for piece, score in zip(self.pieces, scores, strict=True))

    def _known(self, ids: Iterable[int]) -> list[int]:
        """Return the ids; raise `TokenIdError` for one that the model does not have."""
        listed = [int(token_id) for token_id in ids]
        for token_id in listed:
            if not 0 <= token_id < self.vocab_size:
                raise unknown_id(token_id, self.name, self.vocab_size)
        return listed

    def _separate_bytes(
        self, content: bytes, ids: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> None:
        """Give each byte piece its own byte; the library gives the whole character to the last of them."""
        is_byte = self._is_byte[ids]
        for last in np.flatnonzero(is_byte & (ends - starts > 1)).tolist():
            size = int(ends[last] - starts[last])
            first = last + 1 - size
            if first < 0 or not is_byte[first : last + 1].all():
                continue
            start = int(starts[last])
            if b"".join(map(self.token_bytes, ids[first : last + 1].tolist())) == content[start : start + size]:
                starts[first : last + 1] = np.arange(start, start + size)
                ends[first : last + 1] = starts[first : last + 1] + 1

    @cached_property
    def _is_byte(self) -> NDArray[np.bool_]:
        return np.array([kind == "byte" for kind in self.kinds], dtype=np.bool_)


# ---- writing a model, for files of others that hold the same parts


def written_model(
    pieces: Sequence[str], scores: Sequence[float], kinds: Sequence[int], *, adds_dummy_prefix: bool
) -> bytes:
    """Write a BPE model that changes no text before it cuts; `kinds` are SentencePiece's numbers.

    >>> entries = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "a"]
    >>> content = written_model(entries, [0.0] * 258, [2, *[6] * 256, 1], adds_dummy_prefix=False)
    >>> SentencePieceTokenizer(content).encode("aก")
    [257, 225, 185, 130]
    """
    model = bytearray()
    for piece, score, kind in zip(pieces, scores, kinds, strict=True):
        text = piece.encode()
        model += _bytes_field(
            _PIECES, _bytes_field(1, text) + b"\x15" + struct.pack("<f", score) + _number_field(3, kind)
        )
    unknown = next((place for place, kind in enumerate(kinds) if kind == _KINDS.index("unknown") + 1), 0)
    trainer = _number_field(_MODEL_TYPE, 2) + _number_field(_BYTE_FALLBACK, 1) + _number_field(_UNK_ID, unknown)
    normalizer = _bytes_field(1, b"identity") + _number_field(_DUMMY_PREFIX, adds_dummy_prefix)
    normalizer += _number_field(_REMOVE_EXTRA, 0)
    return bytes(model + _bytes_field(_TRAINER, trainer) + _bytes_field(_NORMALIZER, normalizer))


def _bytes_field(field: int, value: bytes) -> bytes:
    return _written_varint(field << 3 | _LENGTH) + _written_varint(len(value)) + value


def _number_field(field: int, value: int) -> bytes:
    return _written_varint(field << 3 | _VARINT) + _written_varint(value)


def _written_varint(number: int) -> bytes:
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*written, number])


# ---- checking a file: a protobuf message; only what can do harm is read


def looks_like_sentencepiece(content: bytes) -> bool:
    """Tell whether a file begins with a piece that begins with its text, as a SentencePiece model does."""
    return len(content) > 3 and content[0] == content[2] == 0x0A and content[3] < content[1]


def check_file(content: bytes) -> FileFacts:
    """Return what the file says; raise `ModelFileError` if the library should not open it."""
    if len(content) > MAX_FILE_BYTES:
        raise ModelFileError("pieces_file_large", limit=MAX_FILE_BYTES)
    if content.removeprefix(b"\xef\xbb\xbf").startswith(tuple(header.encode() for header in KNOWN_HEADERS)):
        raise ModelFileError("pieces_file_is_minbpe")
    try:
        return _facts(content)
    except (LookupError, ValueError, struct.error) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError("pieces_file_damaged") from None


def _facts(content: bytes) -> FileFacts:
    kinds: list[PieceKind] = []
    trainer: dict[int, int | bytes] = {}
    normalizer: dict[int, int | bytes] = {}
    for field, value in _fields(content):
        if field == _PIECES:
            if len(kinds) == MAX_PIECES:
                raise ModelFileError("pieces_file_too_much", what="pieces", limit=MAX_PIECES)
            kinds.append(_checked_kind(_message(value)))
        elif field == _TRAINER:
            trainer |= dict(_fields(_message(value)))
        elif field in (_NORMALIZER, _DENORMALIZER):
            spec = dict(_fields(_message(value)))
            _check_charsmap(_message(spec.get(_CHARSMAP, b"")))
            if field == _NORMALIZER:
                normalizer |= spec
    if not kinds:
        raise ModelFileError("pieces_file_damaged")
    surface = _message(trainer.get(_UNK_SURFACE, " ⁇ ".encode()))
    if len(surface) > MAX_PIECE_BYTES:
        raise ModelFileError("pieces_file_too_much", what="unk_surface", limit=MAX_PIECE_BYTES)
    surface.decode("utf-8")
    return FileFacts(
        kinds,
        MODEL_TYPES[int(trainer.get(_MODEL_TYPE, 1))],
        bool(normalizer.get(_DUMMY_PREFIX, 1)),
        bool(normalizer.get(_REMOVE_EXTRA, 1)),
        surface,
    )


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of a protobuf message, unparsed; raise `ValueError` if it is not one."""
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
    """Return a number of up to ten bytes with seven bits each, and the offset after it."""
    number = 0
    for n in range(10):
        byte = message[at + n]
        number |= (byte & 0x7F) << (7 * n)
        if byte < 0x80:
            return number, at + n + 1
    raise ValueError("a number must end")


def _message(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ValueError("a field must have bytes, not a number")
    return value


def _checked_kind(message: bytes) -> PieceKind:
    """Return the kind of a piece, after a check of its text and score."""
    fields = dict(_fields(message))
    text = _message(fields.get(1, b""))
    if len(text) > MAX_PIECE_BYTES:
        raise ModelFileError("pieces_file_too_much", what="piece", limit=MAX_PIECE_BYTES)
    kind = _KINDS[int(fields.get(3, 1)) - 1]
    if kind == "byte" and not _BYTE_PIECE.fullmatch(text.decode("utf-8")):
        raise ValueError("a byte piece must name its byte")
    text.decode("utf-8")
    if math.isnan(struct.unpack("<f", _message(fields.get(2, bytes(4))))[0]):
        raise ValueError("a score must be a number")
    return kind


def _check_charsmap(charsmap: bytes) -> None:
    """Check that no step and no value of the normalizer's trie leads out of the table, for any text.

    The library follows them unchecked. The table is the size of the trie, the trie as units of four bytes (see
    darts-clone), and the replacement texts, each with a zero byte at its end.
    """
    if not charsmap:
        return
    (size,) = struct.unpack_from("<I", charsmap)
    trie, texts = charsmap[4 : 4 + size], charsmap[4 + size :]
    if len(trie) != size or not size or size % 4 or not texts.endswith(b"\0"):
        raise ModelFileError("pieces_file_damaged")
    units = np.frombuffer(trie, dtype="<u4").astype(np.int64)
    steps = (units & _LEAF) == 0
    after = np.arange(len(units)) ^ ((units >> 10) << ((units & 512) >> 6))
    if (after[steps] | 0xFF).max(initial=0) >= len(units):
        raise ModelFileError("pieces_file_damaged")
    with_value = steps & ((units >> 8) & 1 == 1)
    if (units[after[with_value]] & ~_LEAF).max(initial=0) >= len(texts):
        raise ModelFileError("pieces_file_damaged")
    if max(map(len, texts.split(b"\0"))) > MAX_REPLACEMENT_BYTES:
        raise ModelFileError("pieces_file_too_much", what="normalization", limit=MAX_REPLACEMENT_BYTES)
