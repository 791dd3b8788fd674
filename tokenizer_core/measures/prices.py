"""The cost of tokens, at a price that the visitor enters."""

import math
import re

from tokenizer_core.errors import TokenizerError

PRICE_UNIT = 1_000_000
"""The number of tokens that a price is for."""
_NUMBER = re.compile(r"(\d{1,9}|\d{1,3}(,\d{3}){1,2})(\.\d{1,9})?|\d{1,9},\d{1,2}|\.\d{1,9}")
_THAI_DIGITS = str.maketrans("๐๑๒๓๔๕๖๗๘๙", "0123456789")


def cost(tokens: int, price: float) -> float:
    """Return the cost of tokens, in the currency of `price`, the price per million tokens.

    >>> cost(500_000, 2.50)
    1.25
    """
    return tokens * price / PRICE_UNIT


def parse_price(text: str) -> float | None:
    """Read a price as people write it, with a point or a comma; return None for an empty text.

    Raises `TokenizerError` for anything else.

    >>> parse_price("2.50"), parse_price("1,250"), parse_price("2,5"), parse_price("๘๐ บาท"), parse_price(" ")
    (2.5, 1250.0, 2.5, 80.0, None)
    """
    written = text.strip().removesuffix("บาท").strip("$€£¥฿ ").translate(_THAI_DIGITS)
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
