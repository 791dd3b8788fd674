"""A byte-level BPE tokenizer with the merges and the ids of a file, which may order its tokens in any way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np

from tokenizer_core.errors import SpecialTokenError, TokenizerFileError
from tokenizer_core.pretokens import check_text
from tokenizer_core.protocols import EncodedTexts
from tokenizer_core.segments import Ints
from tokenizer_core.special_tokens import MAX_TOKEN_ID, allowed_tokens, split_on_special_tokens
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.vocabulary import Pair, unknown_id


class FileTokenizer:
    """Encodes as `Tokenizer` does, and gives the ids of its file.

    `merges` are in this project's numbering, where the bytes come first and each merge makes the next id;
    `own_ids` leads from the file's ids to it.

    >>> tokenizer = FileTokenizer([(97, 98)], [*range(1, 257), 0], pattern="none", special_tokens={"<s>": 257})
    >>> tokenizer.encode("ab!"), tokenizer.token_bytes(0), tokenizer.own_ids([0, 34]).tolist()
    ([0, 34], b'ab', [256, 33])
    """

    def __init__(
        self,
        merges: Iterable[Pair],
        file_ids: Sequence[int],
        *,
        pattern: str,
        special_tokens: Mapping[str, int] | None = None,
        name: str = "file",
    ) -> None:
        self._bpe = Tokenizer(merges, pattern=pattern, name=name)
        self.name = name
        self.special_tokens = dict(special_tokens or {})
        assert len(file_ids) == self._bpe.vocab_size
        check_ids(file_ids)
        self._file_ids = np.array(file_ids, dtype=np.int64)
        check_ids(self.special_tokens.values())
        if taken := self._own_id.keys() & self.special_tokens.values():
            token_id = min(taken)
            token = next(token for token, found in self.special_tokens.items() if found == token_id)
            raise SpecialTokenError(
                f"the id of a special token must be free; {token!r} has {token_id}, which another token has",
                "special_token_id_used",
                token=token,
                token_id=token_id,
            )

    @property
    def pattern(self) -> str:
        """The split pattern: a name in `SPLIT_PATTERNS`, or a regular expression."""
        return self._bpe.pattern

    @property
    def merges(self) -> list[Pair]:
        """The merges in the order they are applied, in this project's numbering."""
        return self._bpe.merges

    @property
    def vocabulary(self) -> list[bytes]:
        """The bytes of each token, in this project's numbering."""
        return self._bpe.vocabulary

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary: the 256 bytes and the merges, without special tokens."""
        return self._bpe.vocab_size

    @property
    def entry_ids(self) -> list[int]:
        """The file's ids of the entries, in the order they were learned."""
        ids: list[int] = self._file_ids.tolist()
        return ids

    def at(self, vocab_size: int) -> FileTokenizer:
        """Return the tokenizer at a smaller vocabulary size, with the same ids."""
        smaller = self._bpe.at(vocab_size)
        return FileTokenizer(
            smaller.merges,
            self.entry_ids[:vocab_size],
            pattern=self.pattern,
            special_tokens=self.special_tokens,
            name=self.name,
        )

    def own_ids(self, ids: Iterable[int]) -> Ints:
        """Return ids of the file in this project's numbering; -1 for special and unknown ones."""
        return np.array([self._own_id.get(token_id, -1) for token_id in ids], dtype=np.int64)

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the token ids of a text; special tokens are ordinary text unless allowed."""
        check_text(text)
        allowed = allowed_tokens(self.special_tokens, allowed_special)
        ids: list[int] = []
        for stretch, is_special in split_on_special_tokens(text, allowed):
            ids += [self.special_tokens[stretch]] if is_special else self.encode_each([stretch]).ids.tolist()
        return ids

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately; special tokens are ordinary text."""
        encoded = self._bpe.encode_each(texts)
        return EncodedTexts(self._file_ids[encoded.ids].astype(np.int32), encoded.counts)

    def count_tokens(self, texts: str | Iterable[str]) -> int:
        """Count the tokens of all texts, each encoded separately, without listing them."""
        return self._bpe.count_tokens(texts)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids; bytes that are not valid UTF-8 become U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the exact bytes of the ids."""
        return b"".join(map(self.token_bytes, ids))

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of one token, special or not; raise `TokenIdError` for an unknown id."""
        own = self._own_id.get(token_id)
        if own is not None:
            return self._bpe.vocabulary[own]
        if token_id in self._special_bytes:
            return self._special_bytes[token_id]
        raise unknown_id(token_id, self.name, self.vocab_size)

    @cached_property
    def _own_id(self) -> dict[int, int]:
        return {token_id: own for own, token_id in enumerate(self._file_ids.tolist())}

    @cached_property
    def _special_bytes(self) -> dict[int, bytes]:
        return {token_id: token.encode("utf-8") for token, token_id in self.special_tokens.items()}


def check_ids(ids: Iterable[int]) -> None:
    """Refuse ids of a file that are negative, beyond 2**31 - 1 or given twice."""
    seen: set[int] = set()
    for token_id in ids:
        if not 0 <= token_id <= MAX_TOKEN_ID:
            raise TokenizerFileError(
                f"a token id must be from 0 to {MAX_TOKEN_ID}; {token_id} came",
                "file_id_range",
                token_id=str(token_id)[:40],
                most=MAX_TOKEN_ID,
            )
        if token_id in seen:
            raise TokenizerFileError(
                f"each token must have an id of its own; {token_id} came twice", "file_id_twice", token_id=token_id
            )
        seen.add(token_id)
