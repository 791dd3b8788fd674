"""Tokens that no text of their own leads to: encoding what such a token spells gives other tokens."""

from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from tokenizer_core.analysis.entries import entry_ids
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.vocabulary import utf8_text
from tokenizer_core.errors import TokenIdError
from tokenizer_core.patterns.split_patterns import pretokenize_each

Reason = Literal["no_text", "form", "pattern", "merges"]
"""Its bytes are not whole characters; the normal form changes it; it is cut inside; its pieces merge otherwise."""
REASONS: tuple[Reason, ...] = get_args(Reason)


class Unreachable(NamedTuple):
    """The unreachable tokens of a vocabulary, in the order of their ids."""

    ids: npt.NDArray[np.int64]
    tokens: list[bytes]
    reasons: list[Reason]

    def count(self, reason: Reason) -> int:
        """Count the tokens with a reason."""
        return self.reasons.count(reason)


def is_reachable(token_id: int, tokenizer: AnyTokenizer) -> bool:
    """Tell by definition whether the text of a token is encoded as this token alone.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> tokenizer = Tokenizer([(97, 32), (97, 98)], pattern="gpt2")
    >>> is_reachable(256, tokenizer), is_reachable(257, tokenizer)
    (False, True)
    """
    return tokenizer.encode(tokenizer.decode([token_id])) == [token_id]


def unreachable(tokenizer: AnyTokenizer) -> Unreachable:
    """Find all tokens of a vocabulary for which `is_reachable` does not hold, special tokens left out.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> found = unreachable(Tokenizer([(97, 32), (97, 98), (98, 98), (257, 98), (97, 258)], pattern="gpt2"))
    >>> found.tokens[-2:], found.reasons[-2:], found.count("no_text")
    ([b'a ', b'abb'], ['pattern', 'merges'], 128)
    """
    ids, texts = [], []
    for token_id in sorted(entry_ids(tokenizer)):
        try:
            texts.append(tokenizer.decode([token_id]))
        except TokenIdError:  # an id below the largest that no token has
            continue
        ids.append(token_id)
    encoded = tokenizer.encode_each(texts)
    stops = np.cumsum(encoded.counts)
    firsts = np.append(encoded.ids, -1)[stops - encoded.counts]
    numbers = np.array(ids, dtype=np.int64)
    missed = np.flatnonzero((encoded.counts != 1) | (firsts != numbers)).tolist()
    tokens = [tokenizer.token_bytes(ids[place]) for place in missed]
    reasons = _reasons([texts[place] for place in missed], tokens, tokenizer)
    return Unreachable(numbers[missed], tokens, reasons)


def _reasons(texts: list[str], tokens: list[bytes], tokenizer: AnyTokenizer) -> list[Reason]:
    """Return why each text is not encoded as its token."""
    normalized = getattr(tokenizer, "normalized", lambda text: text)
    pieces = _piece_counts(texts, tokenizer)
    return [
        "no_text"
        if utf8_text(token) is None
        else "form"
        if normalized(text) != text
        else "pattern"
        if count > 1
        else "merges"
        for text, token, count in zip(texts, tokens, pieces)
    ]


def _piece_counts(texts: list[str], tokenizer: AnyTokenizer) -> list[int]:
    """Return into how many pieces each text is cut before its pieces are encoded."""
    count_pieces = getattr(tokenizer, "piece_count", None)
    if count_pieces is not None:
        return list(map(count_pieces, texts))
    pattern = getattr(tokenizer, "pattern", "none")
    return list(map(len, pretokenize_each(texts, pattern)))
