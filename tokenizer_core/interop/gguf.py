"""GGUF, the files of llama.cpp, Ollama and LM Studio: only their header is read, which holds the tokenizer.

A header is a list of keys with typed values. Every count and length in it is checked before anything is read.
"""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tokenizer_core.bpe.vocabulary import MAX_TOKEN_BYTES
from tokenizer_core.errors import TokenizerFileError
from tokenizer_core.interop.byte_level import FileTokenizer, file_tokenizer
from tokenizer_core.interop.limits import check_entries
from tokenizer_core.interop.model_tables import pre_tokenizer
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer, written_model

MAGIC = b"GGUF"
MAX_HEADER = 2**28
"""Bytes. The largest known headers, with 260,000 tokens and their merges, have 16 MB."""
FIRST_READ = 2**24
_MAX_KEYS = 65_536
_MAX_KEY = 65_535
_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_PREFIX = "tokenizer.ggml."
_WANTED = ("model", "pre", "tokens", "merges", "scores", "token_type", "add_space_prefix")
_NORMAL, _CONTROL, _USER_DEFINED = 1, 3, 4
_KINDS = set(range(1, 7))
Item = TypeVar("Item")


class Header(NamedTuple):
    """What the header of a GGUF file says of its tokenizer."""

    values: dict[str, Any]
    """The values of the keys in `_WANTED` that are there."""
    size: int
    """Bytes up to the end of the keys."""


def read_gguf(path: Path) -> bytes:
    """Return the beginning of a GGUF file with all its keys; never more than `MAX_HEADER` bytes.

    Raises `TokenizerFileError` for a damaged header.
    """
    content, wanted = b"", FIRST_READ
    with path.open("rb") as file:
        while True:
            more = file.read(wanted - len(content))
            content += more
            try:
                return content[: read_header(content).size]
            except TokenizerFileError as error:
                if error.code != "gguf_cut" or not more:
                    raise
                wanted = min(MAX_HEADER, max(2 * wanted, error.values["needed"]))


def read_header(content: bytes) -> Header:
    """Read the keys; raise `TokenizerFileError` if they are damaged, too large or not all there.

    Of a file that is cut off, the error "gguf_cut" tells how many bytes are needed at least.
    """
    try:
        return _Reader(content).header()
    except (struct.error, UnicodeDecodeError):
        raise TokenizerFileError("gguf_damaged") from None


class _Reader:
    """Reads a header from its beginning."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = len(MAGIC)
        if not content.startswith(MAGIC):
            raise TokenizerFileError("gguf_damaged")

    def header(self) -> Header:
        version = self._number("I")
        if version not in _VERSIONS:
            raise TokenizerFileError("gguf_version", found=version)
        _tensors, keys = self._number("Q"), self._number("Q")
        if keys > _MAX_KEYS:
            raise TokenizerFileError("gguf_damaged")
        values: dict[str, Any] = {}
        for _ in range(keys):
            name, kind = self._text(_MAX_KEY).removeprefix(_PREFIX), self._number("I")
            value = self._array() if kind == _ARRAY else self._value(kind)
            if name in _WANTED:
                values[name] = value
        return Header(values, self._at)

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._text(MAX_HEADER)
        if kind not in _FORMATS:
            raise TokenizerFileError("gguf_damaged")
        return self._number(_FORMATS[kind])

    def _array(self) -> list[Any]:
        kind, count = self._number("I"), self._number("Q")
        if kind == _STRING:
            self._ask(8 * count)
            return self._texts(count)
        if kind not in _FORMATS:
            raise TokenizerFileError("gguf_damaged")
        size = struct.calcsize("<" + _FORMATS[kind])
        return list(struct.unpack(f"<{count}{_FORMATS[kind]}", self._take(count * size)))

    def _texts(self, count: int) -> list[str]:
        check_entries(count)
        content, at, found = self._content, self._at, []
        for _ in range(count):
            end = at + 8 + int.from_bytes(content[at : at + 8], "little")
            if end > len(content):
                self._at = at
                self._ask(end - at)
            found.append(content[at + 8 : end].decode())
            at = end
        self._at = at
        return found

    def _text(self, most: int) -> str:
        length = self._number("Q")
        if length > most:
            raise TokenizerFileError("gguf_damaged")
        return self._take(length).decode()

    def _number(self, format_: str) -> Any:
        (number,) = struct.unpack("<" + format_, self._take(struct.calcsize("<" + format_)))
        return number

    def _take(self, size: int) -> bytes:
        self._ask(size)
        self._at += size
        return self._content[self._at - size : self._at]

    def _ask(self, size: int) -> None:
        """Refuse to read more bytes than are there."""
        needed = self._at + size
        if needed > MAX_HEADER:
            raise TokenizerFileError("gguf_large", limit=MAX_HEADER // 2**20)
        if needed > len(self._content):
            raise TokenizerFileError("gguf_cut", needed=needed, found=len(self._content))


# ---- the tokenizer in it


def gguf_tokenizer(values: Mapping[str, Any], *, name: str = "file") -> FileTokenizer | SentencePieceTokenizer:
    """Make the tokenizer that the keys describe; raise `TokenizerFileError` for kinds that are not opened here."""
    model = values.get("model")
    if model not in ("gpt2", "llama"):
        raise TokenizerFileError("gguf_model", found=str(model)[:40])
    tokens = _list_of(str, values, "tokens")
    kinds = _list_of(int, values, "token_type") if "token_type" in values else [_NORMAL] * len(tokens)
    if sum(map(len, tokens)) > MAX_TOKEN_BYTES or len(kinds) != len(tokens) or len(set(tokens)) != len(tokens):
        raise TokenizerFileError("gguf_damaged")
    if model == "gpt2":
        return _byte_level(tokens, kinds, values, name)
    scores = _list_of(float, values, "scores")
    if len(scores) != len(tokens) or not set(kinds) <= _KINDS:
        raise TokenizerFileError("gguf_damaged")
    dummy = values.get("add_space_prefix", True) is not False
    return SentencePieceTokenizer(written_model(tokens, scores, kinds, adds_dummy_prefix=dummy), name=name)


def _list_of(kind: type[Item], values: Mapping[str, Any], key: str) -> list[Item]:
    found = values.get(key)
    if not isinstance(found, list) or not found or not all(type(each) is kind for each in found):
        raise TokenizerFileError("gguf_damaged")
    return found


def _byte_level(tokens: list[str], kinds: list[int], values: Mapping[str, Any], name: str) -> FileTokenizer:
    """Make a tokenizer of tokens and merges in letters. As in llama.cpp, user-defined tokens act always."""
    merges = _list_of(str, values, "merges")
    pattern, whole_first = pre_tokenizer(values.get("pre", "default"))
    of_kind = {
        kind: {token: token_id for token_id, token in enumerate(tokens) if kinds[token_id] == kind}
        for kind in (_NORMAL, _CONTROL, _USER_DEFINED)
    }
    return file_tokenizer(
        of_kind[_NORMAL],
        [_pair(merge) for merge in merges],
        pattern=pattern,
        special_tokens=of_kind[_CONTROL],
        added_tokens=of_kind[_USER_DEFINED],
        whole_first=whole_first,
        name=name,
    )


def _pair(merge: str) -> tuple[str, str]:
    left, _, right = merge.partition(" ")
    return left, right
