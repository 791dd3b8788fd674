"""Languages: what the same message costs in several languages, and where the tokens go."""

import streamlit as st

from pages.ui import languages
from pages.ui.language_counts import bills
from pages.ui.pairs import show_pairs
from pages.ui.parallel_texts import pick_parallel, say_what_was_read
from pages.ui.report import take_away
from pages.ui.stories import show_stories
from pages.ui.text_metrics import show_metrics
from pages.ui.words import t

top = st.container()
with st.expander(t("languages.texts"), icon=":material/translate:", expanded=languages.wants_upload()):
    compared = pick_parallel()
details = languages.choose_details()
place = st.container()
if compared is None:
    top.info(t("languages.choose_texts"))
else:
    with top:
        sentence = st.container()
        rows = languages.choose_tokenizers()
        found = bills(compared, rows)
        with sentence:
            say_what_was_read(compared)
            languages.say_premium(compared, found)
        terms = languages.show_bills(compared, found) if rows else None
    with place:
        if details == "pairs" and rows:
            show_pairs(compared, rows)
        elif details == "metrics" and rows:
            show_metrics(compared, rows)
        elif details == "take_away" and terms:
            take_away(compared, found, terms)
if details == "stories":
    with place:
        show_stories()
