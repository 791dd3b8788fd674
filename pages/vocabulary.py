"""Vocabulary: everything a tokenizer knows, how each token was made, and what a size costs."""

import streamlit as st

from pages.ui.frame.manual import how_to_read
from pages.ui.frame.tabs import open_tab
from pages.ui.vocabulary.biography import tree_slides
from pages.ui.vocabulary.browse import browse
from pages.ui.vocabulary.choices import all_lanes, choose_lane, say_what_is_known, slides_of, without_earlier
from pages.ui.vocabulary.compared import compared
from pages.ui.vocabulary.composition import composition
from pages.ui.vocabulary.cost import vocabulary_cost
from pages.ui.vocabulary.gpt2_files import gpt2_files
from pages.ui.vocabulary.trace import trace_a_word
from pages.ui.vocabulary.unreached import unreached
from pages.ui.widgets.slides import present

known, chooser, page, earlier = (st.container() for _ in range(4))
lanes = all_lanes()
if lanes:
    with chooser:
        lane = choose_lane(lanes, earlier)
    with known:
        say_what_is_known(lane)
    with page:
        tab, place = open_tab("vocabulary")
    near = without_earlier(lanes, lane)
    present(lambda: [*slides_of(lane, near), *tree_slides(lane)])
    with place:
        if tab == "browse":
            st.fragment(browse)(lane, near)
        elif tab == "merges":
            trace_a_word(lane)
            gpt2_files()
        elif tab == "made_of":
            composition(lane, lanes)
        elif tab == "compared":
            compared(lane, lanes)
        elif tab == "unreached":
            st.fragment(unreached)(lane, near)
        else:
            vocabulary_cost(lanes)
how_to_read("vocabulary")
