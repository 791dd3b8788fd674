"""Languages: what the same message costs in several languages, and where the tokens go."""

import streamlit as st

from pages.ui.frame.manual import how_to_read
from pages.ui.i18n import t
from pages.ui.languages.bill import choose_view
from pages.ui.languages.comparison import compare_languages

st.markdown(t("languages.what"))
compare_languages(choose_view())
how_to_read("languages")
