"""Split patterns: two patterns on one text, branch by branch, and on a corpus; and what each pattern costs."""

import streamlit as st

from pages.ui.choices.corpus_picker import corpus_picker
from pages.ui.patterns.corpus_check import check_on_corpus
from pages.ui.patterns.costs import pattern_costs
from pages.ui.patterns.knife import pattern_lab
from pages.ui.shell.manual import how_to_read
from pages.ui.words import t

st.markdown(t("lab.what"))
chosen = pattern_lab()
st.header(t("lab.corpus"), anchor=False)
left, right = st.columns(2, gap="large")
with left:
    corpus = corpus_picker()
with right:
    if corpus:
        check_on_corpus(corpus, chosen)
if corpus:
    st.header(t("costs.title"), anchor=False)
    pattern_costs(corpus, chosen)
how_to_read("patterns")
