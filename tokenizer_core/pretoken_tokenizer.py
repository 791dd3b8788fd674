"""The pretokens of a split pattern in the shape of a tokenizer, to be laid beside others."""

from collections.abc import Iterable
from typing import Literal

import numpy as np

from tokenizer_core.patterns import pretokenize
from tokenizer_core.pretokens import check_text
from tokenizer_core.protocols import EncodedTexts
from tokenizer_core.special_tokens import allowed_tokens
from tokenizer_core.vocabulary import unknown_id


class PretokenTokenizer:
    """Numbers the pretokens of a split pattern as they come: the same number for the same pretoken.

    >>> bare = PretokenTokenizer("mark_aware")
    >>> bare.encode("a cat a"), bare.decode([1, 2]), bare.vocab_size
    ([0, 1, 2], ' cat a', 3)
    """

    def __init__(self, pattern: str, *, name: str = "pretokens") -> None:
        self.name = name
        self.pattern = pattern
        self.special_tokens: dict[str, int] = {}
        self._ids: dict[str, int] = {}
        self._bytes: list[bytes] = []

    @property
    def vocab_size(self) -> int:
        """Different pretokens numbered so far."""
        return len(self._bytes)

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """The numbers of a text's pretokens; there are no special tokens that could be allowed."""
        allowed_tokens(self.special_tokens, allowed_special)
        return self.number(pretokenize(check_text(text), self.pattern))

    def number(self, pretokens: Iterable[str]) -> list[int]:
        """The numbers of pretokens that have been cut already."""
        numbers = []
        for pretoken in pretokens:
            if pretoken not in self._ids:
                self._ids[pretoken] = len(self._bytes)
                self._bytes.append(pretoken.encode("utf-8"))
            numbers.append(self._ids[pretoken])
        return numbers

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Number the pretokens of many texts, each cut by itself."""
        encoded = [self.encode(text) for text in texts]
        ids = np.array([number for numbers in encoded for number in numbers], dtype=np.int32)
        return EncodedTexts(ids, np.array(list(map(len, encoded)), dtype=np.int64))

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the numbers."""
        return self.decode_bytes(ids).decode("utf-8")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of the numbers."""
        return b"".join(map(self.token_bytes, ids))

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of one pretoken; raises `TokenIdError` for a number that none has."""
        if 0 <= token_id < len(self._bytes):
            return self._bytes[token_id]
        raise unknown_id(token_id, self.name, self.vocab_size)
