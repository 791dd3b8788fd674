"""The naive tokenizers: every character, or every word, of a corpus is an entry of the vocabulary.

What the corpus does not have is the token `<unk>`: the text under it is lost.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
import regex

from tokenizer_core.measures.segmenters import Segmenter
from tokenizer_core.pretokens import check_text
from tokenizer_core.protocols import EncodedTexts, PlacedTokens
from tokenizer_core.special_tokens import allowed_tokens
from tokenizer_core.vocabulary import unknown_id

UNKNOWN = "<unk>"
Span = tuple[int, int]
_WORD = regex.compile(r"\S+")


class NaiveTokenizer:
    """Numbers the units of a corpus, the most frequent first; 0 is `<unk>`.

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
        """`spans` finds the units of a text, as characters; `between` stands between two units when decoding."""
        self.name = name
        self.counts = list(counts)
        """Each unit with how often it stands in the corpus, from id 1."""
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
        encoded = list(map(self.encode, texts))
        ids = np.array([token_id for ids in encoded for token_id in ids], dtype=np.int32)
        return EncodedTexts(ids, np.array(list(map(len, encoded)), dtype=np.int64))

    def encode_placed(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> PlacedTokens:
        """Return the number of each unit, and the bytes of the text that it covers."""
        allowed_tokens(self.special_tokens, allowed_special)
        check_text(text)
        sizes = np.fromiter((len(character.encode()) for character in text), dtype=np.int64, count=len(text))
        byte_at = np.append(0, np.cumsum(sizes))
        spans = np.array(list(self._spans(text)), dtype=np.int64).reshape(-1, 2)
        ids = [self._ids.get(text[start:end], 0) for start, end in spans.tolist()]
        return PlacedTokens(np.array(ids, dtype=np.int32), byte_at[spans[:, 0]], byte_at[spans[:, 1]])

    def decode(self, ids: Iterable[int]) -> str:
        """Return the units, with what stands between them; what was lost is `<unk>`."""
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
        """Return whether a token stands for what the vocabulary does not have."""
        return "ordinary" if self.token_text(token_id) != UNKNOWN or token_id else "unknown"

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {unit: number for number, (unit, _) in enumerate(self.counts, 1)}


def character_tokenizer(texts: Iterable[str], *, name: str = "characters") -> NaiveTokenizer:
    """Return the tokenizer whose tokens are the code points of a corpus."""
    return NaiveTokenizer(_counts(texts, _each_character), _each_character, between="", name=name)


def word_tokenizer(
    texts: Iterable[str], segmenter: Segmenter | None = None, *, name: str = "words"
) -> NaiveTokenizer:
    """Return the tokenizer whose tokens are the words of a corpus.

    Without a segmenter, white space parts words, and is lost: decoding puts one space between two words. The
    pieces of a segmenter are all tokens, also its spaces.
    """
    if segmenter is None:
        return NaiveTokenizer(_counts(texts, _between_spaces), _between_spaces, between=" ", name=name)

    def pieces(text: str) -> Iterable[Span]:
        end = 0
        for piece in segmenter.split(text):
            yield end, end + len(piece)
            end += len(piece)

    return NaiveTokenizer(_counts(texts, pieces), pieces, between="", name=name)


def _counts(texts: Iterable[str], spans: Callable[[str], Iterable[Span]]) -> list[tuple[str, int]]:
    """Count the units of a corpus; of equally frequent ones, the first to appear is first."""
    counts: Counter[str] = Counter()
    for text in map(check_text, texts):
        counts.update(text[start:end] for start, end in spans(text))
    return counts.most_common()


def _each_character(text: str) -> Iterable[Span]:
    return zip(range(len(text)), range(1, len(text) + 1))


def _between_spaces(text: str) -> Iterable[Span]:
    return (match.span() for match in _WORD.finditer(text))
