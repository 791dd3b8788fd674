"""Languages: what the same message costs in several languages, and where the tokens go."""

import streamlit as st

from pages.ui.languages.bill import choose_view
from pages.ui.languages.comparison import compare_languages
from pages.ui.shell.manual import how_to_read
from pages.ui.words import t

st.markdown(t("languages.what"))
compare_languages(choose_view())
how_to_read("languages")
