"""The cost of tokens, at a price that the visitor enters."""

import math
import re

from tokenizer_core.errors import TokenizerError

PRICE_UNIT = 1_000_000
"""The number of tokens that a price is for."""
_NUMBER = re.compile(r"(\d{1,9}|\d{1,3}(,\d{3}){1,2})(\.\d{1,9})?|\d{1,9},\d{1,2}|\.\d{1,9}")
_CURRENCIES = ("บาท", "$", "€", "£", "¥", "฿")
_THAI_DIGITS = str.maketrans("๐๑๒๓๔๕๖๗๘๙", "0123456789")


def cost(tokens: int, price: float) -> float:
    """Return the cost of tokens, in the currency of `price`, the price per million tokens.

    >>> cost(500_000, 2.50)
    1.25
    """
    return tokens * price / PRICE_UNIT


def cost_of_chats(tokens: float, price: float, *, chats_a_day: int, days: int) -> float:
    """Return the cost of chats of this many tokens each, so many a day for so many days.

    >>> cost_of_chats(20, 1.00, chats_a_day=1_000, days=30)
    0.6
    """
    return tokens * chats_a_day * days * price / PRICE_UNIT


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
        raise TokenizerError(
            f"a price must be a number of 0 or more, such as 2.50; {text[:40]!r} came",
            "price_no_number",
            price=text[:40],
        )
    is_decimal_comma = written.count(",") == 1 and "." not in written and len(written.rpartition(",")[2]) < 3
    price = float(written.replace(",", "." if is_decimal_comma else ""))
    assert math.isfinite(price)
    return price
