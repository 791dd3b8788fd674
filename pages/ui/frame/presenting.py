"""Presenter mode: whether a page fills the screen for a room, and whether this is the speaker's window."""

from collections.abc import Mapping

import streamlit as st

from pages.ui.session import Maybe, Value

_PARAMETERS = ("present", "notes")
LAST, TALK, SHORT, VOTE = "1", "talk", "short", "vote"
"""What is presented, as an address says it: what the page presented last, a talk, or the vote alone."""
STORY = "story-"
"""Before the name of a story that is presented alone."""
_PRESENTING: Value[dict[str, str]] = Value("presenting", dict)
"""What the address says about presenter mode."""
_FROM_HERE: Value[bool] = Value("presents_from_here", bool)
"""Whether to begin with what the page shows, if it is a part of what is presented."""
_OPENED_ON: Maybe[str] = Maybe("presents_opened_on")
"""The page with the link to what is presented on another page."""
_WAY_BACK: Maybe[str] = Maybe("presents_way_back")


def take_from_address(query: Mapping[str, str]) -> None:
    """Take presenter mode from the address."""
    asked = query.get("present", "")
    if asked in (LAST, TALK, SHORT, VOTE) or (asked.startswith(STORY) and asked.isascii() and len(asked) < 50):
        notes = {"notes": "1"} if query.get("notes") == "1" else {}
        _PRESENTING.put({"present": asked, **notes})
    elif "present" in query:
        _PRESENTING.forget()


def presents() -> bool:
    """Tell whether the page fills the screen for a room."""
    return bool(_PRESENTING.get())


def what() -> str:
    """Return what is presented, as the address says it."""
    return _PRESENTING.get().get("present", LAST)


def story() -> str:
    """Return the name of the story that is presented alone, as the address says it; "" if none is."""
    return what().removeprefix(STORY) if what().startswith(STORY) else ""


def shows_notes() -> bool:
    """Tell whether this is the window with the speaker's notes."""
    return "notes" in _PRESENTING.get()


def begin(what: str = LAST) -> None:
    """Fill the screen from the next page run on; a reload shows `what` again."""
    _PRESENTING.put({"present": what})
    _FROM_HERE.forget()


def begin_here() -> None:
    """Fill the screen with what was presented last, from what the page shows now."""
    begin()
    _FROM_HERE.put(True)


def is_from_here() -> bool:
    """Tell whether to begin with what the page shows."""
    return _FROM_HERE.get()


def may_be_opened_on(page: str) -> None:
    """Remember the page that links to something to present."""
    _OPENED_ON.put(page)


def way_back() -> str | None:
    """Return, once, the page on which what has just been left was opened; None if nothing was."""
    if not presents():
        _OPENED_ON.forget()
    return _WAY_BACK.take()


def leave() -> None:
    """Draw the page as usual again, or the one on which this was opened."""
    _PRESENTING.forget()
    _WAY_BACK.put(_OPENED_ON.take())
    _FROM_HERE.forget()
    for name in _PARAMETERS:
        st.query_params.pop(name, None)


def address_parameters() -> dict[str, str]:
    """Return what the address says about presenter mode."""
    return _PRESENTING.get()
