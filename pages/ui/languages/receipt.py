"""The receipt on the Languages page: whose texts, which tokenizer, and what a link restores."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui.frame.frame import bring_into_view
from pages.ui.i18n import language, t
from pages.ui.i18n.breaks import with_breaks, without_breaks
from pages.ui.inputs.parallel_texts import Apart, Compared
from pages.ui.inputs.tokenizers import lanes_that_encode
from pages.ui.languages.bill import PRICE, worst
from pages.ui.languages.counts import Bill
from pages.ui.session import Maybe, Value, one_of, remembered
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.controls import live_text_area, popover
from pages.ui.widgets.receipt import MOST_CHARACTERS, our_question
from pages.ui.widgets.slides.talk import Billed
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.bpe.protocols import count_tokens
from tokenizer_core.errors import TokenizerError

_TEXTS: tuple[Maybe[str], ...] = (Maybe("receipt_first"), Maybe("receipt_second"))
_WITH: Maybe[str] = Maybe("receipt_with")
_WRITES: Value[bool] = Value("receipt_texts", bool)
"""Whether the box of the visitor's own texts is open."""
_SHOWN: Value[int] = Value("receipt_shown", int)
"""How often the visitor asked for the bills of those texts."""
_LINKED = ("first", "second")
"""The texts in a link."""
MOST_OF_PRICE = 40
_gaps = Bounded[float](256, weigh=lambda gap: 1)


def take_link(link: Mapping[str, str]) -> None:
    """Take texts, tokenizer and price from a link."""
    for name, text in zip(_LINKED, _TEXTS, strict=True):
        if name in link:
            text.put(link[name][:MOST_CHARACTERS])
    if link.get("with") in OPENAI_NAMES:
        _WITH.put(link["with"])
    if "price" in link:
        PRICE.put(link["price"][:MOST_OF_PRICE])


def choose_texts(picked: Compared | Apart | None, found: Sequence[Bill]) -> Billed:
    """Let the visitor write two texts; at first a pair of their files, or a question in Thai and in English.

    Of several languages it is that of which the headline speaks.
    """
    keys, texts, spoken = [text.key for text in _TEXTS], our_question(), None
    highest = worst(picked, found) if isinstance(picked, Compared) and not picked.is_sample else None
    if highest and isinstance(picked, Compared) and (pair := pair_of_files(picked, highest.language)):
        sides = f"{picked.parallel.digest[:12]}_{picked.base}_{highest.language}"
        keys, texts = [f"{key}_{sides}" for key in keys], pair
        spoken = picked.names[highest.language], picked.names[picked.base]
    boxes = [Maybe[str](remembered(key, text)) for key, text in zip(keys, texts, strict=True)]
    with popover(t("receipt.texts"), icon=":material/edit:", key=_WRITES.key, type="primary"):
        st.caption(t("receipt.at_most", most=MOST_CHARACTERS, files=t("languages.texts")))  # as wide as all else
        if _WRITES.get():
            _write_texts(boxes)
    if shown := _SHOWN.get():
        bring_into_view("receipt", str(shown))
    first, second = (box.get() or "" for box in boxes)
    return Billed((first, second), languages=spoken if (first, second) == texts else None)


def _write_texts(boxes: Sequence[Maybe[str]]) -> None:
    """Draw the boxes of both texts, and the button that prints their bills."""
    texts = [
        live_text_area(t(f"receipt.{name}"), key=box.key, max_chars=MOST_CHARACTERS, height=100)
        for name, box in zip(_LINKED, boxes, strict=True)
    ]
    is_empty = not all(text.strip() for text in texts)
    if is_empty:
        st.caption(t("receipt.empty"))
    words = t("receipt.print")
    st.button(words, type="primary", key="receipt_print", on_click=_show_receipt, disabled=is_empty)
    if are_full(texts):
        st.warning(t("receipt.full", most=MOST_CHARACTERS))


def are_full(texts: Sequence[str]) -> bool:
    """Tell whether a text fills its box: what did not fit is not there."""
    return any(len(text) >= MOST_CHARACTERS for text in texts)


def pair_of_files(compared: Compared, language: int) -> tuple[str, str] | None:
    """Return the first pair with text on both sides that a receipt has room for, the base language second."""
    sides = (compared.parallel.lines[place] for place in (language, compared.base))
    fits = ((first, second) for first, second in zip(*sides) if first.strip() and second.strip())
    return next((pair for pair in fits if max(map(len, pair)) <= MOST_CHARACTERS), None)


def _show_receipt() -> None:
    """Shut the box of texts, and scroll up to their bills."""
    _WRITES.put(False)
    _SHOWN.put(_SHOWN.get() + 1)


def choose_lane(lanes: Sequence[Lane]) -> Lane:
    """Let the visitor choose the tokenizer that counts, at first GPT-2."""
    by_choice = {lane.choice: lane for lane in lanes}
    # Not the lanes: Streamlit keeps the words for long.
    called = {lane.choice: t("receipt.free", tokenizer=lane.name) for lane in lanes}
    first = "gpt2" if "gpt2" in by_choice else lanes[0].choice
    chosen = st.selectbox(
        t("receipt.with"),
        list(by_choice),
        format_func=called.__getitem__,
        key=one_of(_WITH.key, list(by_choice), first),
        persist_state="session",
        label_visibility="collapsed",
        width=240,
    )
    return by_choice[chosen]


def says_of(options: Mapping[str, Any], lane: Lane, lanes: Sequence[Lane], texts: tuple[str, str]) -> str:
    """Return who counts and at what price; where no other tokenizer has a gap as wide, also that."""
    says: str = options["says"]
    others = [_gap(each, texts) for each in lanes if each.choice != lane.choice]
    if not others or _gap(lane, texts) <= max(others):
        return says
    return with_breaks(t("receipt.widest", says=without_breaks(says), tokenizer=lane.name))


def _gap(lane: Lane, texts: tuple[str, str]) -> float:
    """Return how many times as many tokens one text takes as the other; 0 for a tokenizer that cannot tell."""

    def make() -> float:
        fewer, more = sorted(count_tokens(lane.tokenizer, text) for text in texts)
        return more / fewer if fewer else 0.0

    try:
        return _gaps.get((lane.key, texts), make)
    except TokenizerError:
        return 0.0


def can_be_billed(lane: Lane, texts: tuple[str, str]) -> bool:
    """Tell whether there are two texts that a tokenizer can encode; say on the page what is missing."""
    if not all(texts):
        st.info(t("receipt.empty"))
        return False
    if are_full(texts):
        st.warning(t("receipt.full", most=MOST_CHARACTERS))
    return bool(lanes_that_encode([lane], texts))


def link_to(lane: Lane, texts: tuple[str, str]) -> dict[str, str]:
    """Return the parameters of a link that shows the same bills; it can name only the references."""
    link = {"lang": language(), **dict(zip(_LINKED, texts, strict=True))}
    if lane.choice in OPENAI_NAMES:
        link["with"] = lane.choice
    if entered := PRICE.get():
        link["price"] = entered
    return link
