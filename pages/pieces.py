"""SentencePiece, characters and words: other tokenizers, trained live beside our BPE."""

import streamlit as st

from pages.ui.frame.manual import how_to_read
from pages.ui.i18n import t
from pages.ui.pieces.baselines import baselines_section
from pages.ui.pieces.lessons import show
from pages.ui.pieces.settings import sentencepiece_settings
from pages.ui.pieces.training import progress

st.markdown(t("pieces.what"))
show()
st.header(t("pieces.train"), anchor=False)
corpus = sentencepiece_settings()
progress()
st.header(t("naive.title"), anchor=False)
st.markdown(t("naive.intro"))
if corpus is not None:
    baselines_section(corpus.texts, corpus.name)
how_to_read("pieces")
