"""Byte-level BPE from files: GPT-2's letters for bytes, and a tokenizer with the merges and ids of a file.

Only a file whose tokenizer gives the same ids on every text becomes a `FileTokenizer`; else an error says why.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.bpe.openai import cut_alike, cut_as_tiktoken
from tokenizer_core.bpe.packed import PackedMerges
from tokenizer_core.bpe.protocols import EncodedTexts, PlacedTokens
from tokenizer_core.bpe.segments import Ints
from tokenizer_core.bpe.special_tokens import allowed_tokens, split_on_special_tokens
from tokenizer_core.bpe.tokenizer import Ids, Tokenizer
from tokenizer_core.bpe.vocabulary import BYTES, Pair, unknown_id, utf8_text
from tokenizer_core.errors import SpecialTokenError, TokenizerFileError
from tokenizer_core.interop.limits import check_ids
from tokenizer_core.interop.normal_form import ends_in_original, is_nfc, nfc
from tokenizer_core.patterns.pretokens import bytes_and_ends, check_text

Normalizer = Literal["NFC"]

# ---- letters: `bytes_to_unicode` in GPT-2's own code; no token holds white space


@cache
def letter_of_byte() -> dict[int, str]:
    """Return the letter of each byte: itself if it is visible, otherwise the next letter from U+0100 up.

    >>> letters = letter_of_byte()
    >>> letters[0x41], letters[0x20], letters[0x0A]
    ('A', 'Ġ', 'Ċ')
    """
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(BYTES) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {byte: chr(256 + n) for n, byte in enumerate(hidden)}


@cache
def _byte_of_letter() -> dict[str, int]:
    return {letter: byte for byte, letter in letter_of_byte().items()}


def as_letters(token: bytes) -> str:
    """Write a token in these letters.

    >>> as_letters(" the".encode())
    'Ġthe'
    """
    return "".join(map(letter_of_byte().__getitem__, token))


def from_letters(writing: str) -> bytes | None:
    """Return the bytes that these letters write; None if one of them is not one of the 256.

    >>> from_letters("Ġthe"), from_letters("▁the")
    (b' the', None)
    """
    try:
        return bytes(map(_byte_of_letter().__getitem__, writing))
    except KeyError:
        return None


# ---- the tokenizer


class _Part(NamedTuple):
    """A stretch of a text, and the id of the added or special token that it is; None for ordinary text."""

    text: str
    token_id: int | None


class FileTokenizer:
    """Encodes as `Tokenizer` does, and gives the ids of its file, which may order its tokens in any way.

    `merges` are in this project's numbering: the bytes come first, and each merge makes the next id. `own_ids`
    translates the file's ids to it. `added_tokens` act in every text. With `normalizer`, the text is put in that
    form first; where that changes it, the tokens do not spell it, and `encode_placed` tells what they cover.
    Characters newer than tiktoken's and Hugging Face's tables are cut as there.

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
        added_tokens: Mapping[str, int] | None = None,
        normalizer: Normalizer | None = None,
        name: str = "file",
    ) -> None:
        self.merges = PackedMerges.of(merges)
        """The merges in the order they are applied, in this project's numbering."""
        self._bpe = Tokenizer(self.merges, pattern=pattern, name=name)
        self.name = name
        self.pattern = pattern
        self.special_tokens = dict(special_tokens or {})
        self.added_tokens = dict(added_tokens or {})
        """Tokens that act in every text, with their ids."""
        self.normalizer = normalizer
        self.vocabulary = self._bpe.vocabulary
        """The bytes of each token, in this project's numbering."""
        self.vocab_size = self._bpe.vocab_size
        """Entries of the vocabulary: the 256 bytes and the merges, without added and special tokens."""
        assert len(file_ids) == self.vocab_size
        check_ids(file_ids)
        self.entry_ids = array("i", file_ids)
        """The file's ids of the entries, in the order they were learned."""
        self._acting = {**self.special_tokens, **self.added_tokens}
        check_ids(self._acting.values())
        self._file_ids = np.frombuffer(self.entry_ids, dtype=np.int32)
        order = np.argsort(self._file_ids).astype(np.int32)
        # A dictionary would take 9 MB for 150,000 entries.
        self._sorted_ids, self._own_in_order = array("i", self._file_ids[order]), array("i", order)
        if taken := [token_id for token_id in self._acting.values() if self._own_id(token_id) is not None]:
            token_id = min(taken)
            token = next(token for token, found in self._acting.items() if found == token_id)
            raise SpecialTokenError("special_token_id_used", token=token, token_id=token_id)

    def at(self, vocab_size: int) -> FileTokenizer:
        """Return the tokenizer at a smaller vocabulary size, with the same ids."""
        if vocab_size == self.vocab_size:
            return self
        return FileTokenizer(
            self._bpe.at(vocab_size).merges,
            self.entry_ids[:vocab_size],
            pattern=self.pattern,
            special_tokens=self.special_tokens,
            added_tokens=self.added_tokens,
            normalizer=self.normalizer,
            name=self.name,
        )

    def own_ids(self, ids: Iterable[int]) -> Ints:
        """Return ids of the file in this project's numbering; -1 for added, special and unknown ones."""
        found = map(self._own_id, ids)
        return np.array([-1 if own is None else own for own in found], dtype=np.int64)

    def spells(self, text: str) -> bool:
        """Tell whether the tokens spell a text, since it is in the normal form already."""
        return self.normalizer is None or is_nfc(text)

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the token ids of a text; special tokens are ordinary text unless allowed."""
        ids: list[int] = self._encoded([text], allowed_tokens(self.special_tokens, allowed_special)).ids.tolist()
        return ids

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately; special tokens are ordinary text."""
        return self._encoded(texts, ())

    def count_tokens(self, texts: str | Iterable[str]) -> int:
        """Count the tokens of all texts, each encoded separately, without listing them."""
        others = 0

        def plain() -> Iterator[str]:
            nonlocal others
            for text in [texts] if isinstance(texts, str) else texts:
                for part in self._parts(text, ()):
                    changed = self.normalized(part.text)
                    if part.token_id is None and cut_alike(changed) is changed:
                        yield changed
                    else:
                        others += 1 if part.token_id is not None else len(self._ordinary([changed]).ids)

        counted = self._bpe.count_tokens(plain())
        return counted + others

    def encode_placed(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> PlacedTokens:
        """Return the tokens of a text with the bytes that each covers; together they cover all of it."""
        found, ends = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=np.int64)]
        start = 0
        for part in self._parts(text, allowed_tokens(self.special_tokens, allowed_special)):
            size = len(part.text.encode())
            if part.token_id is not None:
                found.append(np.array([part.token_id], dtype=np.int32))
                ends.append(np.array([start + size]))
            else:
                own = self._ordinary([part.text]).ids
                lengths = np.array([len(self.vocabulary[token]) for token in own.tolist()], dtype=np.int64)
                reached = np.cumsum(lengths)
                found.append(self._file_ids[own])
                ends.append(start + (reached if self.spells(part.text) else ends_in_original(part.text)[reached]))
            start += size
        stops = np.concatenate(ends)
        return PlacedTokens(np.concatenate(found), np.append(0, stops)[: len(stops)], stops)

    def encode_pretokens(self, text: NDArray[np.uint8], ends: Ints) -> tuple[Ids, Ints]:
        """Encode pretokens that lie end to end, in this project's numbering; see `Tokenizer.encode_pretokens`."""
        return self._bpe.encode_pretokens(text, ends)

    def pretokens(self, text: str) -> Iterator[tuple[str, int | None]]:
        """Yield what the merges see of a text, piece by piece, and the id of each added token in it.

        >>> tokenizer = FileTokenizer([], range(256), pattern="gpt2", added_tokens={"<think>": 256})
        >>> [tuple(each) for each in tokenizer.pretokens("<think>a cat")]
        [('<think>', 256), ('a', None), (' cat', None)]
        """
        for part in self._parts(text, ()):
            if part.token_id is None:
                text = self.normalized(part.text)
                yield from ((piece, None) for piece in cut_as_tiktoken(text, self.pattern))
            else:
                yield part

    def piece_count(self, text: str) -> int:
        """Count the pieces that are encoded one by one."""
        return sum(1 for _ in self.pretokens(text))

    def _parts(self, text: str, allowed: Collection[str]) -> Iterator[_Part]:
        """Divide a text at the added tokens and at the allowed special ones."""
        check_text(text)
        acting = [token for token in (*self.added_tokens, *allowed) if token in text]
        for stretch, acts in split_on_special_tokens(text, acting):
            yield _Part(stretch, self._acting[stretch] if acts else None)

    def _encoded(self, texts: Iterable[str], allowed: Collection[str]) -> EncodedTexts:
        """Encode each text separately, with its added and its allowed special tokens."""
        rows = [list(self._parts(text, allowed)) for text in texts]
        parts = [part for row in rows for part in row]
        found = self._ordinary([part.text for part in parts if part.token_id is None])
        ids = self._file_ids[found.ids]
        acting = [part.token_id for part in parts if part.token_id is not None]
        if not acting:
            return EncodedTexts(ids, found.counts)
        is_ordinary = np.array([part.token_id is None for part in parts])
        counts = np.ones(len(parts), dtype=np.int64)
        counts[is_ordinary] = found.counts
        places = np.repeat(is_ordinary, counts)
        joined = np.empty(len(places), dtype=np.int32)
        joined[places], joined[~places] = ids, acting
        edges = np.append(0, np.cumsum(counts))[np.cumsum([0, *map(len, rows)])]
        return EncodedTexts(joined, np.diff(edges))

    def _ordinary(self, texts: Sequence[str]) -> EncodedTexts:
        """Encode ordinary texts, in this project's numbering."""
        changed = list(map(self.normalized, texts))
        apart = [n for n, text in enumerate(changed) if cut_alike(text) is not text]
        if not apart:
            return self._bpe.encode_each(changed)
        pieces = [cut_as_tiktoken(changed[n], self.pattern) for n in apart]
        others = [self._bpe.encode_pretokens(*bytes_and_ends(row))[0] for row in pieces]
        for n in apart:
            changed[n] = ""
        ids, counts = self._bpe.encode_each(changed)
        places = np.repeat(np.cumsum(counts)[apart], list(map(len, others)))
        counts[apart] = list(map(len, others))
        return EncodedTexts(np.insert(ids, places, np.concatenate(others)), counts)

    def normalized(self, text: str) -> str:
        """Return a text in the normal form in which it is encoded."""
        return text if self.normalizer is None else nfc(text)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids; bytes that are not valid UTF-8 become U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", errors="replace")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the exact bytes of the ids."""
        return b"".join(map(self.token_bytes, ids))

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of one token, added, special or neither; raise `TokenIdError` for an unknown id."""
        own = self._own_id(token_id)
        if own is not None:
            return self.vocabulary[own]
        if token_id in self._special_bytes:
            return self._special_bytes[token_id]
        raise unknown_id(token_id, self.name, self.vocab_size)

    def _own_id(self, token_id: int) -> int | None:
        """Return the number of an entry here by its id in the file; None for added, special and unknown ones."""
        place = bisect_left(self._sorted_ids, token_id)
        is_entry = place < len(self._sorted_ids) and self._sorted_ids[place] == token_id
        return self._own_in_order[place] if is_entry else None

    @cached_property
    def _special_bytes(self) -> dict[int, bytes]:
        return {token_id: token.encode("utf-8") for token, token_id in self._acting.items()}


# ---- a vocabulary and merges in letters


def file_tokenizer(
    ids: Mapping[str, int],
    merges: Sequence[tuple[str, str]],
    *,
    pattern: str,
    special_tokens: Mapping[str, int] | None = None,
    added_tokens: Mapping[str, int] | None = None,
    normalizer: Normalizer | None = None,
    whole_first: bool = False,
    name: str = "file",
) -> FileTokenizer:
    """Build the tokenizer of a vocabulary and merges in GPT-2's letters.

    If `special_tokens` is None, every entry that is neither a byte nor made by a merge is special, since no text
    leads to it. `whole_first` says that a pretoken that is an entry becomes this entry at once; then the merges
    must make each entry whole.
    """
    own = {letter_of_byte()[byte]: byte for byte in range(BYTES)}
    if missing := next((f"{byte:02X}" for letter, byte in own.items() if letter not in ids), None):
        raise TokenizerFileError("ours_byte_missing", value=missing)  # text would be lost
    pairs: list[Pair] = []
    for number, (left, right) in enumerate(merges, 1):
        joined, parts = left + right, (own.get(left), own.get(right))
        if parts[0] is None or parts[1] is None or joined not in ids:
            raise TokenizerFileError("ours_merge_parts", value=number)
        if joined in own:
            raise TokenizerFileError("ours_merge_twice", value=number)
        pairs.append((parts[0], parts[1]))
        own[joined] = len(own)
    apart = {token: token_id for token, token_id in ids.items() if token not in own}
    special = apart if special_tokens is None else special_tokens
    tokenizer = FileTokenizer(
        pairs,
        [ids[token] for token in own],
        pattern=pattern,
        special_tokens=special,
        added_tokens=added_tokens,
        normalizer=normalizer,
        name=name,
    )
    if whole_first:
        _check_whole(tokenizer, apart.keys() - special.keys() - tokenizer.added_tokens.keys())
    return tokenizer


def _check_whole(tokenizer: FileTokenizer, apart: Collection[str]) -> None:
    """Refuse entries that a pretoken becomes at once, but that merges do not make of it."""
    if apart:
        raise TokenizerFileError("ours_whole_entries", value=len(apart))
    if others := not_merged_whole(tokenizer):
        raise TokenizerFileError("ours_whole_entries", value=len(others))


def not_merged_whole(tokenizer: FileTokenizer) -> list[str]:
    """Return the entries that merges do not make, even if the split pattern leaves their text whole."""
    # An entry that is not whole characters cannot be encoded as text; it is only a part of others.
    texts = [text for token in tokenizer.vocabulary if (text := utf8_text(token)) is not None]
    _, stops = tokenizer.encode_pretokens(*bytes_and_ends(texts))
    return [texts[place] for place in np.flatnonzero(np.diff(stops, prepend=0) != 1).tolist()]
