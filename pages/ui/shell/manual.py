"""How to read a page: its manual, closed until somebody asks."""

import streamlit as st

from pages.ui.words import t


def how_to_read(page: str) -> None:
    """Draw the manual of a page: what is seen on it, what can be done, and where it ends."""
    with st.expander(t("manual.label"), icon=":material/help:", key=f"manual_{page}"):
        st.markdown(t(f"manual.{page}"))
