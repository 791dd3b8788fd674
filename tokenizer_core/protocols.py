"""The methods that the rest of the code needs from any tokenizer."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class EncodedTexts(NamedTuple):
    """The tokens of many texts, each encoded separately."""

    ids: NDArray[np.int32]
    """The ids of all texts, end to end."""
    counts: NDArray[np.int64]
    """The number of ids of each text."""


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
