"""Shares and ratios of tokens in texts, each with its unit; None if undefined."""

from collections.abc import Iterable

import regex

from tokenizer_core.protocols import AnyTokenizer, count_tokens

_THAI = regex.compile(r"\p{Thai}")


# ---- what a text costs


def premium(tokens: int, base_tokens: int) -> float | None:
    """Return the tokens of a text divided by those of its translation: a ratio of sums, on parallel text only.

    None if the translation has no tokens. Source: Petrov et al., Language Model Tokenizers Introduce Unfairness
    Between Languages (NeurIPS 2023), who call this ratio the premium, and call it parity if it is 1.

    >>> premium(124, 23), premium(3, 0)
    (5.391304347826087, None)
    """
    return _ratio(tokens, base_tokens)


def context_left(window: int, tokens: int) -> int:
    """Return the tokens of a context window that a text leaves free; negative if the text does not fit.

    >>> context_left(8_192, 124), context_left(100, 124)
    (8068, -24)
    """
    return window - tokens


# ---- how well tokens fit a language


def fertility(tokens: int, words: int) -> float | None:
    """Return the tokens per word: 1 if every word is one token; None without words.

    A segmenter finds the words, and must be named beside the figure. Source: Rust et al., How Good is Your
    Tokenizer? (ACL 2021).

    >>> fertility(30, 20)
    1.5
    """
    return _ratio(tokens, words)


def continued_share(continued: int, words: int) -> float | None:
    """Return the share of words with a token boundary inside. Source: Rust et al. (ACL 2021).

    >>> continued_share(5, 20)
    0.25
    """
    return _ratio(continued, words)


def characters_per_token(characters: int, tokens: int) -> float | None:
    """Return the Unicode code points per token; larger is better. Compare them within one language only.

    >>> characters_per_token(27, 12)
    2.25
    """
    return _ratio(characters, tokens)


def bytes_per_token(size: int, tokens: int) -> float | None:
    """Return the UTF-8 bytes per token, the compression. Compare them within one language only.

    A Thai character has three bytes and an English one has one, so o200k shows 6.9 for Thai and 4.9 for English,
    although the same message takes twice the tokens in Thai.

    >>> bytes_per_token(21, 7)
    3.0
    """
    return _ratio(size, tokens)


def broken_share(broken: int, whole: int) -> float | None:
    """Return the share of characters, or of grapheme clusters, with a token boundary inside.

    >>> broken_share(1, 4), broken_share(0, 0)
    (0.25, None)
    """
    return _ratio(broken, whole)


def thai_entries(tokenizer: AnyTokenizer) -> int:
    """Count the entries of a vocabulary that are whole characters, at least one of them Thai; no special tokens.

    Entries with parts of a character, such as the bytes E0 B8, do not count: they do not determine a letter yet.
    """
    return sum(_is_thai(tokenizer.token_bytes(token_id)) for token_id in entry_ids(tokenizer))


def entry_ids(tokenizer: AnyTokenizer) -> Iterable[int]:
    """Return the ids of a vocabulary without special tokens: of a file they may be any numbers.

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> len(list(entry_ids(Tokenizer([(97, 98)]))))
    257
    """
    own: Iterable[int] = getattr(tokenizer, "entry_ids", range(tokenizer.vocab_size))
    return own


def token_total(tokenizer: AnyTokenizer) -> int:
    """Count all tokens of a tokenizer, special ones included, whether or not they are among its entries.

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> token_total(Tokenizer([(97, 98)], special_tokens=["<|end|>"]))
    258
    """
    special = set(tokenizer.special_tokens.values())
    if hasattr(tokenizer, "entry_ids"):  # these are without special tokens
        return tokenizer.vocab_size + len(special)
    return tokenizer.vocab_size + sum(not 0 <= token_id < tokenizer.vocab_size for token_id in special)


def tokens_per_thousand(tokenizer: AnyTokenizer, text: str) -> float | None:
    """Return the tokens per 1,000 characters of a text; None for an empty text.

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> tokens_per_thousand(Tokenizer([]), "ไทย")
    3000.0
    """
    return 1000 * count_tokens(tokenizer, text) / len(text) if text else None


def _is_thai(token: bytes) -> bool:
    if b"\xe0\xb8" not in token and b"\xe0\xb9" not in token:
        return False
    try:
        return _THAI.search(token.decode("utf-8")) is not None
    except UnicodeDecodeError:
        return False


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
