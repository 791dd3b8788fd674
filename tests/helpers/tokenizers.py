"""Tokenizers that no training would make."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.helpers.clusters import NAMES
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.protocols import AnyTokenizer, EncodedTexts


class Fake:
    """All that a tokenizer must have besides `token_bytes` and an encoding."""

    name = "a fake"
    vocab_size = 0

    @property
    def special_tokens(self) -> dict[str, int]:
        return {}

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        raise NotImplementedError

    def token_bytes(self, token_id: int) -> bytes:
        raise NotImplementedError

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        encoded = [self.encode(text) for text in texts]
        return EncodedTexts(
            np.array([token_id for ids in encoded for token_id in ids], dtype=np.int32),
            np.array(list(map(len, encoded)), dtype=np.int64),
        )

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        return b"".join(map(self.token_bytes, ids))

    def decode(self, ids: Iterable[int]) -> str:
        return self.decode_bytes(ids).decode("utf-8", errors="replace")


@dataclass(frozen=True)
class ByteTokenizer(Fake):
    """A twin that cuts the bytes anywhere: what a hostile vocabulary could do."""

    sizes: tuple[int, ...]

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Runs of bytes of the given sizes in turn, written as numbers with a leading 1."""
        return [int.from_bytes(b"\1" + piece) for piece in self._pieces(text.encode("utf-8"))]

    def token_bytes(self, token_id: int) -> bytes:
        return token_id.to_bytes(token_id.bit_length() // 8 + 1)[1:]

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        at = turn = 0
        while at < len(data):
            size = self.sizes[turn % len(self.sizes)]
            yield data[at : at + size]
            at, turn = at + size, turn + 1


TOKENIZERS: SearchStrategy[AnyTokenizer] = st.one_of(
    st.sampled_from(NAMES).map(openai_tokenizer),
    st.lists(st.integers(1, 2), min_size=1, max_size=5).map(lambda sizes: ByteTokenizer(tuple(sizes))),
)


class Table(Fake):
    """The bytes of tokens by id."""

    def __init__(self, tokens: dict[int, bytes]) -> None:
        self._tokens = tokens

    def token_bytes(self, token_id: int) -> bytes:
        return self._tokens[token_id]
