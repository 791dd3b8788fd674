"""Compare: one text in several tokenizers, one above another or side by side."""

import streamlit as st

from pages.ui.choices.special import special_switch
from pages.ui.choices.text import text_picker
from pages.ui.choices.tokenizers import all_tokenizers, choose_tokenizers
from pages.ui.compare.chat import chat_markers
from pages.ui.compare.hints import hint_at_lookalikes
from pages.ui.compare.keys import CHAT_OPEN, NAMES
from pages.ui.compare.lanes import choose_pattern, lanes_of
from pages.ui.compare.opened import open_tokenizers
from pages.ui.compare.take_along import take_a_lane_along
from pages.ui.deck import MOST_CHARACTERS, Slide, View, present
from pages.ui.deck.keys import Entry
from pages.ui.deck.mine import add_button
from pages.ui.shell import visitor
from pages.ui.shell.links import PRETOKENS, link_to, linked_view
from pages.ui.shell.manual import how_to_read
from pages.ui.shell.navigation import go, page
from pages.ui.token_view import token_view
from pages.ui.token_view.drawings import drawing
from pages.ui.widgets.fold import fold
from pages.ui.words import language, t

left, right = st.columns([6, 5], gap="small")
with right, st.container(gap="xsmall"):
    choice, examples = st.container(), st.container()
with left, st.container(gap="xsmall"):
    text = text_picker(all_tokenizers(), examples=examples)
with choice:
    chosen = choose_tokenizers(NAMES, more=[PRETOKENS], label_visible=False)
    pattern = choose_pattern() if PRETOKENS in chosen else None
    lanes = lanes_of(chosen, pattern, text)
tokens = st.container()  # the tokens come before what is set less often
with st.container(horizontal=True, vertical_alignment="center"):
    lanes = special_switch(lanes)
    st.space("stretch")
    if visitor.mine() is None and st.button(
        t("compare.train_first"), type="primary", icon=":material/model_training:"
    ):
        go("train")
if isinstance(text.content, str):
    shown = View(text.content[:MOST_CHARACTERS], lanes)
    present(lambda: [Slide("tokens", views=[shown])])
with tokens:
    if lanes:
        token_view(
            drawing(text, lanes, language=language()),
            key="compare_view",
            text_first=True,
            max_height=640,
            link=link_to(chosen, pattern=pattern, has_text=text.ids_of is None),
            **linked_view(),
        )
        st.caption(t("compare.caption"))
        if isinstance(text.content, str):
            known = tuple(name for name in chosen if name != PRETOKENS)
            add_button(Entry(text=text.content[:MOST_CHARACTERS], lanes=known), key="compare_add")
        hint_at_lookalikes(text.content, lanes)
    else:
        st.info(t("compare.choose_one"))
with st.container():  # likewise
    take_a_lane_along(text, lanes)
with fold(t("compare.open"), icon=":material/folder_open:", key="compare_open"):
    open_tokenizers()
with fold(t("chat.title"), icon=":material/forum:", key=CHAT_OPEN.key):
    if CHAT_OPEN.get():
        chat_markers()
st.page_link(page("pieces"), label=t("pieces.from_train"), icon=":material/alt_route:")
how_to_read("compare")
