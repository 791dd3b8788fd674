"""How to read a page: its manual, its glossary, and technical words explained where they stand."""

from functools import cache
from typing import Any

import streamlit as st

from pages.ui.i18n import catalogue, language, t, words_of
from pages.ui.i18n.breaks import without_breaks
from pages.ui.i18n.glossary import Term, finder_of, terms_explained_on, terms_in
from pages.ui.session import Value
from pages.ui.widgets.controls import fold


def how_to_read(page: str) -> None:
    """Draw the manual of a page, what can be seen and done on it and its limits; then the glossary."""
    is_open: Value[bool] = Value(f"manual_{page}", bool)
    with fold(t("manual.label"), icon=":material/help:", key=is_open.key):
        if is_open.get():
            meanings = [f"- **{term.name}** · {term.meaning}" for term in terms_of(page, language())]
            st.markdown(t(f"manual.{page}"))
            st.header(t("manual.words"), anchor=False)
            st.markdown("\n".join(meanings))


@cache
def terms_of(page: str, spoken: str) -> list[Term]:
    """Return the terms that occur in the words of a page or its manual."""
    words = [*words_of(page, spoken).values(), catalogue(spoken)[f"manual.{page}"]]
    return terms_in(" \n ".join(words), spoken)


def terms_to_explain(page: str, spoken: str) -> dict[str, Any]:
    """Return what lets the browser mark the first of each term of a page, and show its meaning on hover or tap."""
    explained = terms_explained_on(page, spoken)
    terms = [
        {"name": without_breaks(term.name), "meaning": term.meaning, "forms": term.forms} for term in explained
    ]
    return {"finder": finder_of(explained), "terms": terms}
