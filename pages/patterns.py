"""Split patterns: two patterns on one text, branch by branch, and on a corpus; and what each pattern costs."""

import streamlit as st

from pages.ui.frame.links import link_for
from pages.ui.frame.manual import how_to_read
from pages.ui.frame.tabs import open_tab
from pages.ui.inputs.corpus_picker import corpus_picker
from pages.ui.patterns.corpus_check import check_on_corpus
from pages.ui.patterns.costs import pattern_costs
from pages.ui.patterns.lab import chosen_patterns, pattern_lab, say_what_is_left_out, slides, take_link
from pages.ui.widgets.slides import Slide, present

take_link(link_for("patterns"))
tab, place = open_tab("patterns")
answers: list[str] = []
costs: list[Slide] = []
with place:
    if tab != "cut":
        say_what_is_left_out()
    if tab == "cut":
        pattern_lab()
    elif tab == "whole":
        outcome = st.container()
        corpus = corpus_picker()
        if corpus:
            with outcome:
                answers = check_on_corpus(corpus, chosen_patterns())
    else:
        costs = pattern_costs(chosen_patterns())
present(lambda: costs or slides(tab, answers))
how_to_read("patterns")
