"""How to read a page: its manual, its glossary, and technical words explained where they stand."""

import json
from functools import cache
from pathlib import Path

import streamlit as st

from pages.ui.i18n import catalogue, language, t, words_of
from pages.ui.i18n.breaks import without_breaks
from pages.ui.i18n.glossary import Term, finder_of, terms_explained_on, terms_in
from pages.ui.session import Value
from pages.ui.widgets.controls import fold

_component = st.components.v2.component(
    "page_terms", js=(Path(__file__).parent / "terms.js").read_text(encoding="utf-8")
)


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


def explain_terms(page: str, language: str) -> None:
    """Let the browser mark the first occurrence of each term of a page, and show its meaning on hover or tap."""
    _component(key="page_terms", data=_terms(page, language))


@cache
def _terms(page: str, language: str) -> bytes:
    explained = terms_explained_on(page, language)
    terms = [
        {"name": without_breaks(term.name), "meaning": term.meaning, "forms": term.forms} for term in explained
    ]
    return json.dumps({"finder": finder_of(explained), "terms": terms}).encode()
