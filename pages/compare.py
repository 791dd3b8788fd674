"""Compare: one text, up to four tokenizers side by side."""

import streamlit as st

from pages.ui import state
from pages.ui.cached import TokenizerRow, own_row, references, view_payload
from pages.ui.inputs import text_picker
from pages.ui.navigation import go
from pages.ui.opened import open_model_file
from pages.ui.token_view import token_view
from pages.ui.words import language, names, t
from tokenizer_core.openai import OPENAI_NAMES
from tokenizer_core.tokenizer import BYTES


def own_at_size() -> TokenizerRow | None:
    """The visitor's own tokenizer, at any vocabulary size that it has passed on its way."""
    own = state.mine()
    if own is None:
        return None
    most = own.tokenizer.vocab_size
    size = most
    if most > BYTES + 1:
        size = st.slider(
            t("compare.size"), BYTES, most, most, key=f"compare_size_{own.key}", help=t("compare.size_help")
        )
    return own_row(own, size)


text = text_picker()
left, right = st.columns([3, 2], vertical_alignment="bottom", gap="large")
choices = [*(["mine"] if state.mine() else []), *OPENAI_NAMES]
with left:
    chosen = st.pills(
        t("compare.tokenizers"),
        choices,
        selection_mode="multi",
        default=choices,
        format_func=names("tokenizers.{}", choices),
        key=f"compare_names_{'mine' in choices}",
        persist_state="session",
        wrap=True,
    )
rows = references(name for name in OPENAI_NAMES if name in chosen)
with right:
    if "mine" in chosen:
        own = own_at_size()
        rows = [*([own] if own else []), *rows]
    elif "mine" not in choices and st.button(
        t("compare.train_first"), type="primary", icon=":material/model_training:"
    ):
        go("train")
if rows:
    token_view(view_payload(text, rows, language=language()), key="compare_view", max_height=640)
    st.caption(t("compare.caption"))
else:
    st.info(t("compare.choose_one"))
with st.expander(t("compare.open"), icon=":material/folder_open:"):
    open_model_file()
