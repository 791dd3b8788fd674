"""The pretokens of a split pattern as a tokenizer, to compare with other tokenizers."""

from collections.abc import Iterable
from typing import Literal

import numpy as np

from tokenizer_core.patterns import pretokenize, pretokenize_each
from tokenizer_core.pretokens import check_text
from tokenizer_core.protocols import EncodedTexts
from tokenizer_core.special_tokens import allowed_tokens
from tokenizer_core.vocabulary import unknown_id


class PretokenTokenizer:
    """Numbers the distinct pretokens of a split pattern in order of first appearance.

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
        """Distinct pretokens numbered so far."""
        return len(self._bytes)

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the number of each pretoken of a text.

        Raises `SpecialTokenError` if a special token is allowed by name, because this tokenizer has none.
        """
        allowed_tokens(self.special_tokens, allowed_special)
        return self.number(pretokenize(check_text(text), self.pattern))

    def number(self, pretokens: Iterable[str]) -> list[int]:
        """Return the number of each pretoken; a new pretoken gets the next number."""
        numbers = []
        for pretoken in pretokens:
            if pretoken not in self._ids:
                self._ids[pretoken] = len(self._bytes)
                self._bytes.append(pretoken.encode("utf-8"))
            numbers.append(self._ids[pretoken])
        return numbers

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Number the pretokens of many texts, each cut separately."""
        encoded = list(map(self.number, pretokenize_each(map(check_text, texts), self.pattern)))
        ids = np.array([number for numbers in encoded for number in numbers], dtype=np.int32)
        return EncodedTexts(ids, np.array(list(map(len, encoded)), dtype=np.int64))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the numbered pretokens."""
        return self.decode_bytes(ids).decode("utf-8")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of the numbered pretokens."""
        return b"".join(map(self.token_bytes, ids))

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of one pretoken; raise `TokenIdError` for an unknown number."""
        if 0 <= token_id < len(self._bytes):
            return self._bytes[token_id]
        raise unknown_id(token_id, self.name, self.vocab_size)
