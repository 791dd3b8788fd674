"""Compare: one text, several tokenizers under one another or side by side."""

import streamlit as st

from pages.ui import comparing, state
from pages.ui.cached import drawing
from pages.ui.hints import hint_at_lookalikes
from pages.ui.inputs import text_picker
from pages.ui.links import PRETOKENS, link_to, linked_view
from pages.ui.navigation import go
from pages.ui.opened import open_model_file
from pages.ui.token_view import token_view
from pages.ui.words import language, t

picked = text_picker(comparing.tokenizers())
left, right = st.columns([3, 2], vertical_alignment="bottom", gap="large")
with left:
    chosen = comparing.choose()
    pattern = comparing.choose_pattern() if PRETOKENS in chosen else None
with right:
    if state.mine() is None and st.button(
        t("compare.train_first"), type="primary", icon=":material/model_training:"
    ):
        go("train")
    rows = comparing.rows_of(chosen, pattern, picked)
with st.container():  # one element, whatever stands in it: what follows must not be drawn anew
    if rows:
        token_view(
            drawing(comparing.text_of(picked, rows), rows, language=language()),
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
