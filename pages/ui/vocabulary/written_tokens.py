"""Tokens and texts around them, written for people: nothing unseen, nothing that is markup."""

import html
from collections.abc import Sequence

from pages.ui.token_view.chips import chip_parts
from pages.ui.token_view.payload import tint

MOST_CHARACTERS = 24


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """Shorten a text in the middle.

    >>> shortened("abcdefgh", 5), shortened("abc", 5)
    ('ab…gh', 'abc')
    """
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def hex_chip(token: bytes) -> str:
    """Return the HTML of a token, with hex for bytes outside whole characters; styled by `chip_style`."""
    inner = "".join(
        html.escape(shortened(text)) if whole else f"<code>{text}</code>" for text, whole in chip_parts(token)
    )
    return f'<bdi class="token-chip tint-{tint(token)}">{inner}</bdi>'


def hex_chips(tokens: Sequence[bytes]) -> str:
    """Return the HTML of tokens side by side."""
    return " ".join(map(hex_chip, tokens))


def surroundings(text: str) -> str:
    """Write the text beside a token: line breaks seen, bytes outside whole characters as hex.

    >>> surroundings("a\\nb"), surroundings("\\udce0\\udcb8")
    ('a⏎b', 'E0 B8')
    """
    shown = "".join(
        f" {ord(each) - 0xDC00:02X}" if "\udc80" <= each <= "\udcff" else "⏎" if each == "\n" else each
        for each in text
    )
    return shown.strip() if shown.strip() and "\udc80" <= max(text) <= "\udcff" else shown
