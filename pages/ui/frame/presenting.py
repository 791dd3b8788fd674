"""Presenter mode: whether a page fills the screen for a room, and whether this is the speaker's window."""

from collections.abc import Mapping

import streamlit as st

from pages.ui.session import Value

_PARAMETERS = ("present", "notes")
_PRESENTING: Value[dict[str, str]] = Value("presenting", dict)
"""What the address says about presenter mode."""


def take_from_address(query: Mapping[str, str]) -> None:
    """Take presenter mode from the address."""
    if query.get("present") == "1":
        _PRESENTING.put({name: "1" for name in _PARAMETERS if query.get(name) == "1"})
    elif "present" in query:
        _PRESENTING.forget()


def presents() -> bool:
    """Tell whether the page fills the screen for a room."""
    return bool(_PRESENTING.get())


def shows_notes() -> bool:
    """Tell whether this is the window with the speaker's notes."""
    return "notes" in _PRESENTING.get()


def begin() -> None:
    """Fill the screen from the next page run on."""
    _PRESENTING.put({"present": "1"})


def leave() -> None:
    """Draw the page as usual again."""
    _PRESENTING.forget()
    for name in _PARAMETERS:
        st.query_params.pop(name, None)


def address_parameters() -> dict[str, str]:
    """Return what the address says about presenter mode."""
    return _PRESENTING.get()
