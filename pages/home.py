"""Home: one sentence, seen by every tokenizer at once."""

import streamlit as st

from pages.ui import state
from pages.ui.cached import own_row, references, view_payload
from pages.ui.inputs import example_pills
from pages.ui.navigation import go
from pages.ui.token_view import token_view
from pages.ui.words import language, t

st.markdown(t("home.what_is_a_token"))
text = (
    st.text_input(
        t("home.text_label"),
        value=t("examples.thai"),
        key="home_text",
        persist_state="session",
        live=True,
        placeholder=t("home.text_placeholder"),
    )
    or ""
)
example_pills("home_text", "home")
tokenizers = references()
own = state.mine()
if own is not None:
    tokenizers.append(own_row(own.tokenizer, own.key, own.tokenizer.vocab_size))
payload = view_payload(text, tokenizers, language=language())
token_view(payload, key="home_view", layout="stack")
st.caption(t("home.how_to_read"))
with st.container(horizontal=True, vertical_alignment="center"):
    if st.button(t("home.train"), type="primary", icon=":material/model_training:"):
        go("train")
    st.markdown(t("home.why_train"))
