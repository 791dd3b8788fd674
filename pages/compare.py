"""Compare: one text, several tokenizers under one another or side by side."""

import streamlit as st

from pages.ui.choices.text import text_picker
from pages.ui.compare import lanes
from pages.ui.compare.hints import hint_at_lookalikes
from pages.ui.compare.opened import open_model_file
from pages.ui.shell import visitor
from pages.ui.shell.links import PRETOKENS, link_to, linked_view
from pages.ui.shell.navigation import go
from pages.ui.token_view import token_view
from pages.ui.token_view.drawings import drawing
from pages.ui.words import language, t

picked = text_picker(lanes.tokenizers())
left, right = st.columns([3, 2], vertical_alignment="bottom", gap="large")
with left:
    chosen = lanes.choose()
    pattern = lanes.choose_pattern() if PRETOKENS in chosen else None
with right:
    if visitor.mine() is None and st.button(
        t("compare.train_first"), type="primary", icon=":material/model_training:"
    ):
        go("train")
    rows = lanes.rows_of(chosen, pattern, picked)
with st.container():  # one element, whatever stands in it: what follows must not be drawn anew
    if rows:
        token_view(
            drawing(lanes.text_of(picked, rows), rows, language=language()),
            key="compare_view",
            max_height=640,
            link=link_to(chosen, pattern=pattern, has_text=picked.linkable),
            **linked_view(),
        )
        st.caption(t("compare.caption"))
        hint_at_lookalikes(picked.content, rows)
    else:
        st.info(t("compare.choose_one"))
with st.expander(t("compare.open"), icon=":material/folder_open:"):
    open_model_file()
