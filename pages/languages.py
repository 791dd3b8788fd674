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

st.markdown(t("languages.what"))
view = languages.choose_view()
if view == "stories":
    show_stories()
    st.stop()
top = st.container()
with st.expander(
    t("languages.texts"), icon=":material/translate:", expanded=languages.wants_upload(), key="languages_texts"
):
    compared = pick_parallel()
if compared is None:
    top.info(t("languages.choose_texts"))
    st.stop()
rows = languages.choose_tokenizers()
found = bills(compared, rows)
with top:
    say_what_was_read(compared)
    languages.say_premium(compared, found)
if rows and view == "bills":
    languages.show_bills(compared, found)
elif rows and view == "pairs":
    show_pairs(compared, rows)
elif rows and view == "metrics":
    show_metrics(compared, rows)
elif rows and view == "take_away":
    take_away(compared, found, languages.choose_terms())
