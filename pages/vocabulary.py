"""Vocabulary: everything a tokenizer knows, and the story of each token."""

import streamlit as st

from pages.ui.frame.manual import how_to_read
from pages.ui.i18n import t
from pages.ui.vocabulary.biography import biography
from pages.ui.vocabulary.browse import entries_view
from pages.ui.vocabulary.choices import (
    all_lanes,
    choose_lane,
    choose_text,
    entry_of,
    pick,
    picked_in,
    slides_of,
    uses_in,
)
from pages.ui.vocabulary.composition import composition
from pages.ui.vocabulary.cost import vocabulary_cost
from pages.ui.vocabulary.gpt2_files import gpt2_files
from pages.ui.vocabulary.trace import trace_a_word
from pages.ui.widgets.controls import fold
from pages.ui.widgets.slides import present
from pages.ui.widgets.slides.talk import add_button

st.markdown(t("vocabulary.what"))
lanes = all_lanes()
if lanes:
    lane = choose_lane(lanes)
    present(lambda: slides_of(lane, lanes))
    shown = st.container()
    with fold(t("vocabulary.with_text"), icon=":material/notes:", key="vocabulary_with_text"):
        text = choose_text()
    with shown:
        uses = uses_in(lane, text)
        clicked = entries_view(lane, uses, text, picked_in(lane))
    if clicked is not None:
        pick(lane, clicked)
    biography(lane, picked_in(lane), uses, text, lanes)
    add_button(entry_of(lane, lanes), key="vocabulary_add")
    trace_a_word(lane)
    composition(lane, lanes)
    vocabulary_cost(lanes, text)
    gpt2_files()
how_to_read("vocabulary")
