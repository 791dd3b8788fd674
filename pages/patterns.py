"""Split patterns: two patterns on one text, branch by branch, and on a corpus; and what each pattern costs."""

import streamlit as st

from pages.ui.frame.links import link_for
from pages.ui.frame.manual import how_to_read
from pages.ui.i18n import t
from pages.ui.inputs.corpus_picker import corpus_picker
from pages.ui.patterns.corpus_check import check_on_corpus
from pages.ui.patterns.costs import pattern_costs
from pages.ui.patterns.lab import pattern_lab, take_link

take_link(link_for("patterns"))
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
