"""SentencePiece, characters and words: other tokenizers, trained live beside our BPE."""

from collections.abc import Callable

import streamlit as st

from pages.ui.frame.manual import how_to_read
from pages.ui.frame.navigation import page
from pages.ui.frame.tabs import open_tab
from pages.ui.i18n import t
from pages.ui.pieces.baselines import baselines_section
from pages.ui.pieces.lessons import bring_step_into_view, show
from pages.ui.pieces.settings import choose_corpus, sentencepiece_settings
from pages.ui.pieces.training import JOB, progress
from pages.ui.widgets.controls import fold
from pages.ui.widgets.slides import Slide, present

with st.container(key="pieces_head"):
    with st.container(horizontal=True, vertical_alignment="center", key="pieces_what"):
        st.markdown(t("pieces.what"))
        st.page_link(page("train"), label=t("nav.train"), icon=":material/arrow_back:")
    tab, place = open_tab("pieces")
make: Callable[[], list[Slide]] | None = None
with place:
    if tab == "sentencepiece":
        make = show()
        with fold(
            t("pieces.train"), icon=":material/model_training:", key="pieces_train", is_open=JOB.get() is not None
        ):
            sentencepiece_settings()
            progress()
    else:
        st.markdown(t("naive.intro"))
        sentence = st.container()
        corpus = choose_corpus()
        if corpus is not None:
            make = baselines_section(sentence, corpus.texts, corpus.name)
bring_step_into_view()
if make:
    present(make)
how_to_read("pieces")
