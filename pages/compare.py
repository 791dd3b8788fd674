"""Compare: one text in several tokenizers, one above another or side by side."""

import streamlit as st

from pages.ui.compare.lanes import NAMES, lanes_of, pick_pattern, take_link
from pages.ui.compare.opened import open_tokenizers
from pages.ui.compare.sections import CHAT_OPEN, chat_markers, export_section, hint_at_lookalikes
from pages.ui.frame import visitor
from pages.ui.frame.links import PRETOKENS, link_for, link_to, linked_view
from pages.ui.frame.manual import how_to_read
from pages.ui.frame.navigation import go, page
from pages.ui.i18n import language, t
from pages.ui.inputs.text import text_picker
from pages.ui.inputs.tokenizers import all_tokenizers, choose_tokenizers, special_switch
from pages.ui.widgets.controls import fold
from pages.ui.widgets.slides import MOST_CHARACTERS, Slide, View, present
from pages.ui.widgets.slides.talk import Entry, add_button
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.drawings import drawing

take_link(link_for("compare"))
left, right = st.columns([6, 5], gap="small")
with right, st.container(gap="xsmall"):
    choice, examples = st.container(), st.container()
with left, st.container(gap="xsmall"):
    text = text_picker(all_tokenizers(), examples=examples)
with choice:
    chosen = choose_tokenizers(NAMES, more=[PRETOKENS], label_visible=False)
    pattern = pick_pattern() if PRETOKENS in chosen else None
    lanes = lanes_of(chosen, pattern, text)
tokens = st.container()  # the tokens come before what is set less often
with st.container(horizontal=True, vertical_alignment="center"):
    lanes = special_switch(lanes)
    st.space("stretch")
    if visitor.own_tokenizer() is None and st.button(
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
    export_section(text, lanes)
with fold(t("compare.open"), icon=":material/folder_open:", key="compare_open"):
    open_tokenizers()
with fold(t("chat.title"), icon=":material/forum:", key=CHAT_OPEN.key):
    if CHAT_OPEN.get():
        chat_markers()
st.page_link(page("pieces"), label=t("pieces.from_train"), icon=":material/alt_route:")
how_to_read("compare")
