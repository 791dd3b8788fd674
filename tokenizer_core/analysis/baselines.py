"""Tokenizers without merges, as baselines: the characters or words of a corpus, and the pretokens of a pattern."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Literal

import numpy as np
import regex

from tokenizer_core.analysis.segmenters import Segmenter
from tokenizer_core.bpe.protocols import EncodedTexts, PlacedTokens
from tokenizer_core.bpe.segments import TextMap
from tokenizer_core.bpe.special_tokens import allowed_tokens
from tokenizer_core.bpe.vocabulary import unknown_id
from tokenizer_core.patterns.pretokens import check_text
from tokenizer_core.patterns.split_patterns import pretokenize, pretokenize_each

UNKNOWN = "<unk>"
Span = tuple[int, int]
_WORD = regex.compile(r"\S+")


class NaiveTokenizer:
    """Numbers the units of a corpus, its characters or words, the most frequent first.

    0 is `<unk>`: any unit that the corpus does not have. Its text is lost.

    >>> letters = character_tokenizer(["a cat"])
    >>> letters.encode("tab"), letters.decode(letters.encode("tab"))
    ([4, 1, 0], 'ta<unk>')
    >>> words = word_tokenizer(["a cat a dog"])
    >>> words.encode(" a  dog!"), words.decode([1, 3])
    ([1, 0], 'a dog')
    """

    def __init__(
        self, counts: Sequence[tuple[str, int]], spans: Callable[[str], Iterable[Span]], *, between: str, name: str
    ) -> None:
        """`spans` finds the units of a text; `between` separates two units in decoded text."""
        self.name = name
        self.counts = list(counts)
        """Each unit with its count in the corpus, from id 1."""
        self.special_tokens: dict[str, int] = {}
        self._spans = spans
        self._between = between

    @property
    def vocab_size(self) -> int:
        """The units, and `<unk>`."""
        return len(self.counts) + 1

    def at(self, vocab_size: int) -> "NaiveTokenizer":
        """Return the tokenizer with only the most frequent units."""
        kept = self.counts[: max(0, vocab_size - 1)]
        return NaiveTokenizer(kept, self._spans, between=self._between, name=self.name)

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the number of each unit of a text."""
        allowed_tokens(self.special_tokens, allowed_special)
        check_text(text)
        return [self._ids.get(text[start:end], 0) for start, end in self._spans(text)]

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately."""
        return EncodedTexts.of(list(map(self.encode, texts)))

    def encode_placed(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> PlacedTokens:
        """Return the number of each unit, and the bytes that it covers."""
        allowed_tokens(self.special_tokens, allowed_special)
        check_text(text)
        byte_at = TextMap(text).byte_at_char
        spans = np.array(list(self._spans(text)), dtype=np.int64).reshape(-1, 2)
        ids = [self._ids.get(text[start:end], 0) for start, end in spans.tolist()]
        return PlacedTokens(np.array(ids, dtype=np.int32), byte_at[spans[:, 0]], byte_at[spans[:, 1]])

    def decode(self, ids: Iterable[int]) -> str:
        """Return the units joined; lost text is `<unk>`."""
        return self._between.join(map(self.token_text, ids))

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of `decode`."""
        return self.decode(ids).encode()

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of a unit."""
        return self.token_text(token_id).encode()

    def token_text(self, token_id: int) -> str:
        """Return a unit, or `<unk>`; raise `TokenIdError` for an unknown number."""
        if token_id == 0:
            return UNKNOWN
        if 0 < token_id < self.vocab_size:
            return self.counts[token_id - 1][0]
        raise unknown_id(token_id, self.name, self.vocab_size)

    def token_kind(self, token_id: int) -> Literal["unknown", "ordinary"]:
        """Tell whether a token stands for text that the vocabulary lacks."""
        return "ordinary" if self.token_text(token_id) != UNKNOWN or token_id else "unknown"

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {unit: number for number, (unit, _) in enumerate(self.counts, 1)}


def character_tokenizer(texts: Iterable[str], *, name: str = "characters") -> NaiveTokenizer:
    """Return a tokenizer whose tokens are the code points of a corpus."""

    def spans(text: str) -> Iterable[Span]:
        return pairwise(range(len(text) + 1))

    return _of_corpus(texts, spans, between="", name=name)


def word_tokenizer(
    texts: Iterable[str], segmenter: Segmenter | None = None, *, name: str = "words"
) -> NaiveTokenizer:
    """Return a tokenizer whose tokens are the words of a corpus.

    Without a segmenter, white space separates words and is lost: decoding puts one space between two words. All
    that a segmenter returns are tokens, spaces too.
    """

    def spans(text: str) -> Iterable[Span]:
        if segmenter is None:
            return (match.span() for match in _WORD.finditer(text))
        return pairwise(accumulate(map(len, segmenter.split(text)), initial=0))

    return _of_corpus(texts, spans, between="" if segmenter else " ", name=name)


def _of_corpus(
    texts: Iterable[str], spans: Callable[[str], Iterable[Span]], *, between: str, name: str
) -> NaiveTokenizer:
    """Number the units of a corpus, most frequent first; a tie goes to the unit that appears first."""
    counts: Counter[str] = Counter()
    for text in map(check_text, texts):
        counts.update(text[start:end] for start, end in spans(text))
    return NaiveTokenizer(counts.most_common(), spans, between=between, name=name)


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
        return EncodedTexts.of(list(map(self.number, pretokenize_each(map(check_text, texts), self.pattern))))

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
