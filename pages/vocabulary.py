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
from pages.ui.vocabulary.trace import trace_a_word, word_slides
from pages.ui.vocabulary.unreached import say_how_many_are_unreached, unreached
from pages.ui.widgets.slides import Slide, present

lanes = all_lanes()
if lanes:
    tab, place = open_tab("vocabulary")
    with place:
        said, chooser, page = (st.container() for _ in range(3))  # on a phone, a tab begins with its answer
    earlier = st.container()
    with chooser:
        lane = choose_lane(lanes, earlier, is_asked=tab != "cost")
    near = without_earlier(lanes, lane)
    slides: list[Slide] = []
    with page:
        if tab == "browse":
            with said:
                say_what_is_known(lane)
            st.fragment(browse)(lane, near)
        elif tab == "merges":
            trace_a_word(lane)
            gpt2_files()
        elif tab == "made_of":
            slides = composition(lane, near)
        elif tab == "compared":
            slides = compared(lane, lanes, said)
        elif tab == "unreached":
            with said:
                slides = say_how_many_are_unreached(lane)
            st.fragment(unreached)(lane, near)
        else:
            slides = vocabulary_cost(lanes, said)
    present(
        lambda: (
            (word_slides(lane, near) if tab == "merges" else slides)
            or [*slides_of(lane, near), *tree_slides(lane)]
        )
    )
how_to_read("vocabulary")
