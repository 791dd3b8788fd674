"""Technical words explained where they stand: the browser finds them on the page, and shows what they mean."""

import json
from functools import cache
from pathlib import Path

import streamlit as st

from pages.ui.words.breaks import without_breaks
from pages.ui.words.glossary import finder, glossary

_component = st.components.v2.component(
    "page_terms", js=(Path(__file__).parent / "terms.js").read_text(encoding="utf-8")
)


def explain_terms(language: str) -> None:
    """Let the browser mark the first place of each term, and show its meaning under the mouse or after a tap."""
    _component(key="page_terms", data=_terms(language))


@cache
def _terms(language: str) -> bytes:
    terms = [
        {"name": without_breaks(term.name), "meaning": term.meaning, "forms": term.forms}
        for term in glossary(language)
    ]
    return json.dumps({"finder": finder(language), "terms": terms}).encode()
