"""The receipt: what a message costs in two languages, printed token by token on two paper bills."""

import json
from collections.abc import Mapping
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import streamlit as st

from pages.ui.i18n import LANGUAGES, catalogue, language, section, t
from pages.ui.i18n.breaks import with_breaks, without_breaks
from pages.ui.widgets import formatting
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.colours import TINT_COUNT
from pages.ui.widgets.token_view.lanes import Lane
from pages.ui.widgets.token_view.serve import bundle, view_css
from tokenizer_core.analysis.costs import cost, currency_of, parse_price, with_currency
from tokenizer_core.analysis.cuts import piece_ends
from tokenizer_core.bpe.segments import TextMap

BROWSER = Path(__file__).parent / "browser"
MESSAGES = 10_000
"""How often the text of a bill is sent: at a dollar for a million tokens, each token is then a cent."""
MOST_CHARACTERS = 600
"""Characters of a text."""
_SAVING = ("save", "save_link", "save_png", "copied", "copy_by_hand", "failed", "no_text")


_options = Bounded[Mapping[str, Any]](256, weigh=lambda options: 1)


def receipt_css() -> str:
    """Return the CSS of the receipt, which stands on that of the token view."""
    return (BROWSER / "receipt.css").read_text("utf-8")


_component = st.components.v2.component(
    "receipt", css=view_css() + receipt_css(), js=bundle(BROWSER / "receipt.js")
)


def our_question() -> tuple[str, str]:
    """Return what a mother asks a doctor, in Thai and in English."""
    thai, english = t("examples.sample").split("\n")
    return thai, english


def is_example_price(price: float | None, currency: str) -> bool:
    """Tell whether this is the made-up price that the app begins with, in any of its languages."""
    examples = (without_breaks(catalogue(spoken)["languages.price_example"]) for spoken in LANGUAGES)
    return (price, currency) in [(parse_price(example), currency_of(example)) for example in examples]


def receipt(drawn: Mapping[str, Any]) -> None:
    """Draw two bills, which are printed when they come into sight."""
    _component(key="receipt", data=msgspec.json.encode(drawn))


def receipt_options(
    lane: Lane,
    texts: tuple[str, str],
    price: float | None,
    currency: str,
    languages: tuple[str, str] | None = None,
) -> Mapping[str, Any]:
    """Return what the browser needs to print the bills of two texts, counted by this tokenizer.

    `price` is that of a million tokens; `languages` are names of texts that are a pair of files. A page can
    add a `link`: the parameters that show the bills again.
    """
    key = (lane.key, lane.name, texts, price, currency, languages, language())
    return _options.get(key, lambda: _make_options(lane, texts, price, currency, languages))


def _make_options(
    lane: Lane, texts: tuple[str, str], price: float | None, currency: str, languages: tuple[str, str] | None
) -> Mapping[str, Any]:
    is_ours = texts == our_question()
    names = ("languages.th", "languages.en") if is_ours else ("receipt.first", "receipt.second")
    called = languages or tuple(map(t, names))
    bills = [_bill(lane, name, text) for name, text in zip(called, texts, strict=True)]
    each = None if price is None else cost(MESSAGES, price)
    said = {"first": bills[0]["count"], "second": bills[1]["count"]}
    title = "receipt.title" if is_ours else "receipt.title_pair" if languages else "receipt.title_own"
    words = {"tokenizer": lane.name, "messages": MESSAGES}
    says = "receipt.free"
    if price is not None:
        words["price"] = with_currency(formatting.money(price), currency)
        says = "receipt.says_example" if is_example_price(price, currency) else "receipt.says"
    labels = {name: section("token_view")[name] for name in _SAVING} | section("receipt")
    return {
        "name": sha256(json.dumps(bills).encode()).hexdigest(),
        "title": with_breaks(t(title, **said, tokenizer=lane.name)),
        "says": with_breaks(t(says, **words)),
        "bills": bills,
        "each": each,
        "decimals": _decimals(each or 0.0),
        "money": with_currency("{amount}", currency),
        "labels": labels | {"for_all": without_breaks(t("receipt.for_all", messages=MESSAGES))},
        "locale": language(),
        "tints": TINT_COUNT,
    }


def _decimals(each: float) -> int:
    """Return how many decimals the price of a token has on a bill, so that the lines add up to the total.

    >>> _decimals(0.01), _decimals(0.855), _decimals(0.0525), _decimals(0.000123)
    (2, 3, 4, 6)
    """
    written = formatting.money(each), f"{each:.4f}".rstrip("0")
    return max(len(amount.partition(".")[2]) for amount in written)


def _bill(lane: Lane, name: str, text: str) -> Mapping[str, Any]:
    """Describe a text: where its letters start, and where its tokens end, in bytes."""
    text_map = TextMap(text)
    pieces, _ = piece_ends(text, lane.tokenizer)
    return {
        "name": without_breaks(name),
        "text": text,
        "clusters": text_map.byte_at_char[np.flatnonzero(text_map.cluster_starts[:-1])].tolist(),
        "ends": list(accumulate(pieces.lengths.tolist())),
        "plain": np.flatnonzero(~pieces.are_tokens).tolist(),
        "count": int(np.count_nonzero(pieces.are_tokens)),
    }
