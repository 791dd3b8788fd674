"""What tokens cost at a price, and what a vocabulary costs a language model."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError

PRICE_UNIT = 1_000_000
"""The number of tokens that a price is for."""
_NUMBER = re.compile(r"(\d{1,9}|\d{1,3}(,\d{3}){1,2})(\.\d{1,9})?|\d{1,9},\d{1,2}|\.\d{1,9}")
_CURRENCIES = ("บาท", "$", "€", "£", "¥", "฿")
_THAI_DIGITS = str.maketrans("๐๑๒๓๔๕๖๗๘๙", "0123456789")


def cost(tokens: float, price: float) -> float:
    """Return the cost of tokens at `price` per million tokens, in the currency of `price`.

    >>> cost(500_000, 2.50)
    1.25
    """
    return tokens * price / PRICE_UNIT


def currency_of(text: str) -> str:
    """Return the sign or word for a currency in a price as people write it; "" if there is none.

    >>> currency_of("$2.50"), currency_of("๘๐ บาท"), currency_of("2.50 €"), currency_of("2.50")
    ('$', 'บาท', '€', '')
    """
    return next((currency for currency in _CURRENCIES if currency in text), "")


def with_currency(amount: str, currency: str) -> str:
    """Write an amount in a currency: a sign before it, a word after it.

    >>> with_currency("2.50", "$"), with_currency("80", "บาท"), with_currency("2.50", "")
    ('$2.50', '80 บาท', '2.50')
    """
    return f"{currency}{amount}" if len(currency) < 2 else f"{amount} {currency}"


def parse_price(text: str) -> float | None:
    """Read a price as people write it, with a point or a comma; return None for an empty text.

    Raises `TokenizerError` for anything else.

    >>> parse_price("2.50"), parse_price("1,250"), parse_price("2,5"), parse_price("๘๐ บาท"), parse_price(" ")
    (2.5, 1250.0, 2.5, 80.0, None)
    """
    written = (
        text.strip().removesuffix(_CURRENCIES[0]).strip("".join(_CURRENCIES[1:]) + " ").translate(_THAI_DIGITS)
    )
    if not written:
        return None
    if not _NUMBER.fullmatch(written) or not written.isascii():
        raise TokenizerError("price_no_number", price=text[:40])
    is_decimal_comma = written.count(",") == 1 and "." not in written and len(written.rpartition(",")[2]) < 3
    return float(written.replace(",", "." if is_decimal_comma else ""))


# ---- the vocabulary: a row for each id in the embedding, and one in the output head

WORTHWHILE = 0.05
"""Share of the tokens that a doubling of the vocabulary must save to be worthwhile."""


class Model(NamedTuple):
    """The published shape of a language model."""

    name: str
    width: int
    """Numbers in the row of a token."""
    is_tied: bool
    """Whether the output head uses the rows of the embedding, and needs none of its own."""
    vocab_size: int


PUBLISHED = (
    Model("GPT-2 small", 768, True, 50_257),
    Model("GPT-2 XL", 1_600, True, 50_257),
    Model("Llama 2 7B", 4_096, False, 32_000),
    Model("Llama 3 8B", 4_096, False, 128_256),
    Model("Gemma 2B", 2_048, True, 256_000),
)
"""Sources: Radford et al. (2019); Touvron et al., Llama 2 (2023); Llama Team, The Llama 3 Herd of Models (2024);
Gemma Team (2024); and the configuration published with each model."""


def row_parameters(vocab_size: int, width: int, *, is_tied: bool) -> int:
    """Return the parameters of all rows, in the embedding and the output head, or in one if they are tied.

    >>> row_parameters(50_257, 768, is_tied=True), row_parameters(128_256, 4_096, is_tied=False)
    (38597376, 1050673152)
    """
    return vocab_size * width * (1 if is_tied else 2)


def sweet_spot(counts: Sequence[int], *, worthwhile: float = WORTHWHILE) -> int | None:
    """Return the smallest vocabulary size from which on no doubling saves a worthwhile share of the tokens.

    `counts` are the tokens of a text after each number of merges, from none to all. None if the last doubling is
    still worthwhile: then the sweet spot is larger.

    >>> sweet_spot([100] * 256 + [50] * 1000), sweet_spot([1000 - n for n in range(600)])
    (512, None)
    """
    last = BYTES + len(counts) - 1

    def saves(size: int) -> bool:
        before, after = counts[size - BYTES], counts[2 * size - BYTES]
        return bool(before) and 1 - after / before >= worthwhile

    if last < 2 * BYTES or saves(last // 2):
        return None
    return next((size + 1 for size in range(last // 2, BYTES - 1, -1) if saves(size)), BYTES)
