"""Presenter mode: whether a page fills the screen for a room, and whether this is the speaker's window."""

from collections.abc import Mapping

import streamlit as st

from pages.ui.session import Value

_PRESENTS: Value[bool] = Value("presents", bool)
_SHOWS_NOTES: Value[bool] = Value("presenter_notes", bool)


def take_over(query: Mapping[str, str]) -> None:
    """Take presenter mode from the address."""
    if "present" in query:
        _PRESENTS.put(query["present"] == "1")
        _SHOWS_NOTES.put(query.get("notes") == "1")


def presents() -> bool:
    """Tell whether the page fills the screen for a room."""
    return _PRESENTS.get()


def shows_notes() -> bool:
    """Tell whether this is the window with the speaker's notes."""
    return _SHOWS_NOTES.get()


def begin() -> None:
    """Fill the screen from the next page run on."""
    _PRESENTS.put(True)


def leave() -> None:
    """Draw the page as usual again."""
    _PRESENTS.forget()
    _SHOWS_NOTES.forget()
    for name in ("present", "notes"):
        st.query_params.pop(name, None)


def in_address() -> dict[str, str]:
    """Return what the address says about presenter mode."""
    if not presents():
        return {}
    return {"present": "1", "notes": "1"} if shows_notes() else {"present": "1"}
