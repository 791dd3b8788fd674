"""The comparison of parallel texts: choose texts and tokenizers, say the premium, show the view."""

import streamlit as st

from pages.ui.choices.parallel_texts import pick_parallel, say_what_was_read, wants_upload
from pages.ui.deck import present
from pages.ui.deck.mine import add_button
from pages.ui.languages import bill
from pages.ui.languages.counts import bills, countable
from pages.ui.languages.metrics import show_metrics
from pages.ui.languages.pairs import show_pairs
from pages.ui.languages.report import take_away
from pages.ui.languages.slides import entry_of, slides_of
from pages.ui.widgets.fold import fold
from pages.ui.words import t


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
