"""The comparison of parallel texts: choose texts and tokenizers, say the premium, show the view."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from msgspec.structs import replace

from pages.ui.i18n import language, t
from pages.ui.inputs.parallel_texts import Compared, pick_parallel, say_what_was_read, wants_upload
from pages.ui.languages import bill
from pages.ui.languages.bill import worst
from pages.ui.languages.counts import Bill, bills, countable, pair_premiums
from pages.ui.languages.metrics import show_metrics
from pages.ui.languages.pairs import show_pairs
from pages.ui.languages.report import take_away
from pages.ui.widgets.controls import fold
from pages.ui.widgets.slides import MOST_CHARACTERS, Slide, present
from pages.ui.widgets.slides.talk import Entry, Unfair, add_button, name_kept, unfair_slides
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.bpe.openai import OPENAI_NAMES


def compare_languages(view: str) -> None:
    """The premium in a sentence, and below the bills, the pairs, the metrics, or what can be saved."""
    top = st.container()
    with fold(t("languages.texts"), icon=":material/translate:", is_open=wants_upload(), key="languages_texts"):
        compared = pick_parallel()
    if compared is None:
        top.info(t("languages.choose_texts"))
        return
    lanes = countable(compared, bill.choose_lanes())
    found = bills(compared, lanes)
    present(lambda: slides_of(compared, lanes, found))
    with top:
        say_what_was_read(compared)
        bill.say_premium(compared, found)
        if lanes:
            add_button(entry_of(compared, lanes, found), key="languages_add")
    if lanes and view == "bills":
        bill.show_bills(compared, found)
    elif lanes and view == "pairs":
        show_pairs(compared, lanes)
    elif lanes and view == "metrics":
        show_metrics(compared, lanes)
    elif lanes and view == "take_away":
        take_away(compared, found, bill.choose_terms())


def slides_of(compared: Compared, lanes: Sequence[Lane], found: Sequence[Bill]) -> list[Slide]:
    """Return the highest premium in a sentence, and the pair with the highest premium by that tokenizer."""
    unfair = _unfair(compared, found)
    if unfair is None:
        return [Slide("words", title={language(): t("languages.no_premium")})]
    return unfair_slides(unfair, lanes)


def entry_of(compared: Compared, lanes: Sequence[Lane], found: Sequence[Bill]) -> Entry:
    """Return the same for the visitor's talk, in which references stay; nothing if no language has a premium."""
    kept = tuple(lane.key for lane in lanes if lane.key in OPENAI_NAMES)
    return Entry(unfair=_unfair(compared, found), lanes=kept)


def _unfair(compared: Compared, found: Sequence[Bill]) -> Unfair | None:
    bill = worst(compared, found)
    if bill is None or bill.premium is None:
        return None
    names = compared.parallel.names if compared.is_sample else compared.names
    unfair = Unfair(name_kept(bill.lane), (names[bill.language], names[compared.base]), bill.premium)
    premiums = pair_premiums(compared, bill.language, bill.lane)
    if not np.isfinite(premiums).any():
        return unfair
    pair = int(np.nanargmax(np.where(np.isfinite(premiums), premiums, np.nan)))
    spoken, base = (
        compared.parallel.lines[place][pair][:MOST_CHARACTERS] for place in (bill.language, compared.base)
    )
    return replace(unfair, line=pair + 1, pair_premium=float(premiums[pair]), texts=(spoken, base))
