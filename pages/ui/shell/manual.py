"""How to read a page: its manual and what its words mean, closed until somebody asks."""

from functools import cache

import streamlit as st

from pages.ui.widgets.fold import fold
from pages.ui.words import catalogue, language, t, words_of
from pages.ui.words.glossary import Term, terms_in


def how_to_read(page: str) -> None:
    """Draw the manual of a page: what is seen on it, what can be done, and where it ends; then the glossary."""
    with fold(t("manual.label"), icon=":material/help:", key=f"manual_{page}"):
        st.markdown(t(f"manual.{page}"))
    with fold(t("manual.words"), icon=":material/dictionary:", key=f"glossary_{page}"):
        st.markdown("\n".join(f"- **{term.name}** · {term.meaning}" for term in terms_of(page, language())))


@cache
def terms_of(page: str, spoken: str) -> list[Term]:
    """Return the terms that occur in the words of a page or its manual."""
    words = [*words_of(page, spoken).values(), catalogue(spoken)[f"manual.{page}"]]
    return terms_in(" \n ".join(words), spoken)
