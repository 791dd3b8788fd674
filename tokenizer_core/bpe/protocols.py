"""The methods that the rest of the code needs from any tokenizer."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class EncodedTexts(NamedTuple):
    """The tokens of many texts, each encoded separately."""

    ids: NDArray[np.int32]
    """The ids of all texts, end to end."""
    counts: NDArray[np.int64]
    """The number of ids of each text."""

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]]) -> "EncodedTexts":
        """Join the ids of texts."""
        ids = np.array([token_id for text in texts for token_id in text], dtype=np.int32)
        return cls(ids, np.array(list(map(len, texts)), dtype=np.int64))


class PlacedTokens(NamedTuple):
    """The tokens of one text, each with the bytes of the text that it covers.

    Spans ascend and never overlap. A tokenizer that normalizes may change the text that a span covers, and may
    drop text: what no span covers.
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    """For each token: the offset of the first byte of the text, in UTF-8, that it covers."""
    ends: NDArray[np.int64]
    """For each token: the offset after the last; equal to the start if it covers nothing, as a dummy prefix."""


class Encoder(Protocol):
    """Encodes a text and knows the bytes of each token: all that drawing needs."""

    def encode(self, text: str, /) -> list[int]: ...
    def token_bytes(self, token_id: int, /) -> bytes: ...


class AnyTokenizer(Protocol):
    """A trained tokenizer, a reference, or anything else with the same methods."""

    name: str

    @property
    def vocab_size(self) -> int: ...
    @property
    def special_tokens(self) -> dict[str, int]: ...
    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]: ...
    def encode_each(self, texts: Iterable[str]) -> EncodedTexts: ...
    def decode(self, ids: Iterable[int]) -> str: ...
    def decode_bytes(self, ids: Iterable[int]) -> bytes: ...
    def token_bytes(self, token_id: int) -> bytes: ...


@runtime_checkable
class CountingTokenizer(Protocol):
    """Counts tokens faster than it lists them."""

    def count_tokens(self, texts: str | Iterable[str], /) -> int: ...


def count_tokens(tokenizer: AnyTokenizer, texts: str | Iterable[str]) -> int:
    """Count the tokens of all texts, each encoded separately, without listing them if the tokenizer can."""
    if isinstance(tokenizer, CountingTokenizer):
        return tokenizer.count_tokens(texts)
    return int(tokenizer.encode_each([texts] if isinstance(texts, str) else texts).counts.sum())


class PlacingTokenizer(AnyTokenizer, Protocol):
    """A tokenizer whose tokens do not spell the text: it normalizes, marks word starts, or knows no bytes."""

    def encode_placed(
        self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()
    ) -> PlacedTokens: ...
    def token_text(self, token_id: int) -> str:
        """Return a token as the tokenizer itself writes it, such as "▁the" or "##ing"."""
        ...
