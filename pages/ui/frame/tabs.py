"""Tabs of a page: only the open one runs; it stays open in another language, and the address names it."""

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.i18n import t
from pages.ui.session import Maybe, Value

TABS = {
    "patterns": ("cut", "whole", "cost"),
    "pieces": ("sentencepiece", "naive"),
    "vocabulary": ("browse", "merges", "made_of", "compared", "unreached", "cost"),
}
"""The tabs of each page by their names in an address; the first is open at first. Their words: tabs.PAGE_TAB."""
_OPEN: Value[dict[str, str]] = Value("open_tabs", dict)
_IN_ADDRESS: Maybe[str] = Maybe("tab_in_address")
"""The tab that the app itself put into the address: only another one comes from a link."""


def take_from_address(page: str, query: Mapping[str, str]) -> None:
    """Open the tab that a link names."""
    asked = query.get("tab")
    if asked != _IN_ADDRESS.get() and asked in TABS.get(page, ()):
        switch_tab(page, str(asked))


def address_parameters(page: str) -> dict[str, str]:
    """Return what the address says about the tabs of a page: nothing while the first is open."""
    is_named = page in TABS and opened(page) != TABS[page][0]
    _IN_ADDRESS.put(opened(page) if is_named else None)
    return {"tab": opened(page)} if is_named else {}


def opened(page: str) -> str:
    """Return the open tab of a page."""
    return _OPEN.get().get(page, TABS[page][0])


def switch_tab(page: str, tab: str) -> None:
    """Open a tab of a page by its name."""
    _OPEN.put({**_OPEN.get(), page: tab})


def open_tab(page: str) -> tuple[str, DeltaGenerator]:
    """Draw the tabs of a page; return the name of the open one, and the container of its content.

    Streamlit knows a tab by its label, which is another one in another language; the session knows its name.
    """
    words = {name: t(f"tabs.{page}_{name}") for name in TABS[page]}
    shown = Maybe[str](f"{page}_tabs")
    shown.put(words[opened(page)])

    def switch() -> None:
        switch_tab(page, next((name for name, label in words.items() if label == shown.get()), opened(page)))

    places = st.tabs(list(words.values()), key=shown.key, on_change=switch)
    return opened(page), places[TABS[page].index(opened(page))]
