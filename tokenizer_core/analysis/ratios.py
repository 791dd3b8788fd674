"""Shares and ratios of tokens in texts, each with its unit; None if undefined."""

from tokenizer_core.bpe.protocols import AnyTokenizer, count_tokens


def premium(tokens: int, base_tokens: int) -> float | None:
    """Return the tokens of a text divided by those of its translation: a ratio of sums, on parallel text only.

    Source: Petrov et al., Language Model Tokenizers Introduce Unfairness Between Languages (NeurIPS 2023). They
    call this ratio the premium, and parity if it is 1.

    >>> premium(124, 23), premium(3, 0)
    (5.391304347826087, None)
    """
    return _ratio(tokens, base_tokens)


def fertility(tokens: int, words: int) -> float | None:
    """Return the tokens per word: 1 if every word is one token. Name the segmenter beside the figure.

    Source: Rust et al., How Good is Your Tokenizer? (ACL 2021), also for the share of broken words.

    >>> fertility(30, 20)
    1.5
    """
    return _ratio(tokens, words)


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
    """Return the share of characters, grapheme clusters or words with a token boundary inside.

    >>> broken_share(1, 4), broken_share(0, 0)
    (0.25, None)
    """
    return _ratio(broken, whole)


def tokens_per_thousand(tokenizer: AnyTokenizer, text: str) -> float | None:
    """Return the tokens per 1,000 characters of a text; None for an empty text.

    >>> from tokenizer_core.bpe.tokenizer import Tokenizer
    >>> tokens_per_thousand(Tokenizer([]), "ไทย")
    3000.0
    """
    return 1000 * count_tokens(tokenizer, text) / len(text) if text else None


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
