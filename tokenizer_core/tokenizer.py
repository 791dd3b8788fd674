"""A byte-level BPE tokenizer: merges, and all that follows from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tokenizer_core import encode_loop
from tokenizer_core.errors import TokenIdError, TokenizerError, TrainingError
from tokenizer_core.patterns import compile_pattern, pretokenize
from tokenizer_core.pretokens import bytes_and_ends, check_text
from tokenizer_core.special_tokens import allowed_tokens, assign_ids, split_on_special_tokens

BYTES = 256
MAX_TOKEN_BYTES = 2**28
"""A vocabulary whose tokens add up to more bytes than this is refused: a few lines of a hostile file can
double a token's length again and again."""

Pair = tuple[int, int]


class EncodedTexts(NamedTuple):
    """The tokens of many texts, each encoded by itself."""

    ids: NDArray[np.int32]
    """The ids of all texts, end to end."""
    counts: NDArray[np.int64]
    """How many of them are of each text."""


class AnyTokenizer(Protocol):
    """What own and reference tokenizers have in common; all that drawing and counting need."""

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


class Tokenizer:
    """Encodes text by merging pairs in the order in which they were learned.

    Merges are the one truth: the vocabulary is computed from them. `vocab_size` counts the 256 bytes and the
    merges, not the special tokens.

    >>> tokenizer = Tokenizer([(97, 97), (256, 97)], pattern="none", special_tokens=["<|end|>"])
    >>> tokenizer.encode("aaab<|end|>", allowed_special=["<|end|>"])
    [257, 98, 258]
    >>> tokenizer.decode([257, 98, 258]), tokenizer.token_bytes(257)
    ('aaab<|end|>', b'aaa')
    """

    def __init__(
        self,
        merges: Iterable[Pair],
        *,
        pattern: str = "mark_aware",
        special_tokens: Iterable[str] | Mapping[str, int] = (),
        name: str = "mine",
    ) -> None:
        self.name = name
        self.pattern = pattern
        self.merges: list[Pair] = [(int(left), int(right)) for left, right in merges]
        self.vocabulary: list[bytes] = build_vocabulary(self.merges)
        compile_pattern(pattern)
        self.special_tokens = assign_ids(special_tokens, self.vocab_size)

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary: 256 bytes and the merges, without special tokens."""
        return BYTES + len(self.merges)

    def at(self, vocab_size: int) -> Tokenizer:
        """The tokenizer as it was at a smaller vocabulary size: the first `vocab_size` - 256 merges.

        Special tokens stay: right after the last merge if they stood there, else with the ids they were given.
        """
        if not BYTES <= vocab_size <= self.vocab_size:
            raise TrainingError(
                f"the vocabulary size must be from {BYTES} to {self.vocab_size}, which was trained;"
                f" {vocab_size} came",
                "vocab_size_not_trained",
                size=vocab_size,
                most=self.vocab_size,
            )
        follow = assign_ids(list(self.special_tokens), self.vocab_size) == self.special_tokens
        return Tokenizer(
            self.merges[: vocab_size - BYTES],
            pattern=self.pattern,
            special_tokens=list(self.special_tokens) if follow else self.special_tokens,
            name=self.name,
        )

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """The token ids of a text; special tokens act only where allowed, else they are ordinary text."""
        check_text(text)
        ids: list[int] = []
        for stretch, is_special in split_on_special_tokens(
            text, allowed_tokens(self.special_tokens, allowed_special)
        ):
            ids += [self.special_tokens[stretch]] if is_special else self._encode_ordinary(stretch)
        return ids

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode many texts, each by itself: no token reaches over the end of one, and none is special.

        >>> Tokenizer([(97, 97)], pattern="none").encode_each(["aaa", "", "a"]).counts
        array([2, 0, 1])
        """
        numbers: defaultdict[str, int] = defaultdict(int)
        numbers.default_factory = numbers.__len__  # a new pretoken gets the next number
        order: list[int] = []
        text_ends = [0]
        for text in texts:
            order += map(numbers.__getitem__, pretokenize(check_text(text), self.pattern))
            text_ends.append(len(order))
        # Each distinct pretoken is encoded once; then the ids are put in the order of the texts.
        distinct_bytes, ends = bytes_and_ends(numbers)
        ids, stops = encode_loop.encode_pretokens(distinct_bytes, ends, self._ranks)
        places = np.array(order, dtype=np.int64)
        token_ends = np.append(0, np.cumsum(np.diff(stops, prepend=0)[places]))
        return EncodedTexts(encode_loop.in_order(ids, stops, places), np.diff(token_ends[text_ends]))

    def decode(self, ids: Iterable[int]) -> str:
        """The text of the ids; bytes that are no valid UTF-8 become U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The exact bytes of the ids."""
        return b"".join(map(self.token_bytes, ids))

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of one token, special tokens included; raises `TokenIdError` for an unknown id."""
        if 0 <= token_id < len(self.vocabulary):
            return self.vocabulary[token_id]
        if token_id in self._special_bytes:
            return self._special_bytes[token_id]
        raise unknown_id(token_id, self.name, self.vocab_size)

    def save(self, prefix: str | Path) -> None:
        """Write `prefix`.model and `prefix`.vocab in minbpe's format; see `minbpe_files`."""
        from tokenizer_core import minbpe_files

        minbpe_files.save(self, prefix)

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Read a `.model` file; see `minbpe_files`."""
        from tokenizer_core import minbpe_files

        return minbpe_files.load(path)

    @cached_property
    def _special_bytes(self) -> dict[int, bytes]:
        return {token_id: token.encode("utf-8") for token, token_id in self.special_tokens.items()}

    @cached_property
    def _ranks(self) -> NDArray[np.int64]:
        """The merges as the compiled loop wants them."""
        pairs = np.array(self.merges, dtype=np.int64).reshape(-1, 2)
        table: NDArray[np.int64] = encode_loop.index_merges(pairs[:, 0].copy(), pairs[:, 1].copy())
        return table

    def _encode_ordinary(self, text: str) -> list[int]:
        ids: list[int] = self.encode_each([text]).ids.tolist()
        return ids


def build_vocabulary(merges: Sequence[Pair]) -> list[bytes]:
    """The bytes of every token, by id: the 256 bytes, then each merge's two parts joined.

    Raises `TokenizerError` for a merge whose parts do not exist before it, or that stands twice.
    """
    vocabulary = [bytes([byte]) for byte in range(BYTES)]
    total = BYTES
    seen: set[Pair] = set()
    for rank, (left, right) in enumerate(merges):
        if not (0 <= left < BYTES + rank and 0 <= right < BYTES + rank):
            raise TokenizerError(
                f"a merge may only join tokens that exist before it; merge {rank} joins {left} and {right}",
                "merge_before_parts",
                rank=rank,
                left=left,
                right=right,
            )
        if (left, right) in seen:
            raise TokenizerError(
                f"each pair may be merged once; merge {rank} joins {left} and {right} again",
                "merge_duplicate",
                rank=rank,
                left=left,
                right=right,
            )
        seen.add((left, right))
        total += len(vocabulary[left]) + len(vocabulary[right])
        if total > MAX_TOKEN_BYTES:
            raise TokenizerError(
                f"the tokens must have at most {MAX_TOKEN_BYTES:,} bytes together; merge {rank} goes beyond",
                "vocabulary_too_large",
                rank=rank,
                limit=MAX_TOKEN_BYTES,
            )
        vocabulary.append(vocabulary[left] + vocabulary[right])
    return vocabulary


def unknown_id(token_id: int, name: str, vocab_size: int) -> TokenIdError:
    """The error for an id that a vocabulary does not have."""
    return TokenIdError(
        f"a token id of {name} must be one of its {vocab_size:,} entries or a special token; {token_id} came",
        "token_id_unknown",
        token_id=token_id,
        name=name,
        vocab_size=vocab_size,
    )
