"""SentencePiece, characters and words: other tokenizers, trained live beside our BPE."""

import streamlit as st

from pages.ui.pieces.naive import naive_section
from pages.ui.pieces.settings import sentencepiece_settings
from pages.ui.pieces.show import show, wait_until_warm
from pages.ui.pieces.training import progress
from pages.ui.shell.manual import how_to_read
from pages.ui.trainings.registry import registry
from pages.ui.words import t

st.markdown(t("pieces.what"))
if registry().is_warm:
    show()
else:
    wait_until_warm()
st.header(t("pieces.train"), anchor=False)
corpus = sentencepiece_settings()
progress()
st.header(t("naive.title"), anchor=False)
st.markdown(t("naive.intro"))
if corpus is not None and registry().is_warm:
    naive_section(corpus.texts, corpus.name)
how_to_read("pieces")
