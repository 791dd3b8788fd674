"""How to read a page: its manual and what its words mean, closed until somebody asks."""

import streamlit as st

from pages.ui.words import language, t
from pages.ui.words.glossary import glossary


def how_to_read(page: str) -> None:
    """Draw the manual of a page: what is seen on it, what can be done, and where it ends; then the glossary."""
    with st.expander(t("manual.label"), icon=":material/help:", key=f"manual_{page}"):
        st.markdown(t(f"manual.{page}"))
    with st.expander(t("manual.words"), icon=":material/dictionary:", key=f"glossary_{page}"):
        st.markdown("\n".join(f"- **{term.name}** · {term.meaning}" for term in glossary(language())))
