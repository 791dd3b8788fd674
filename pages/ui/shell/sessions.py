"""The sessions that Streamlit keeps: a tab's session stays for a while after the tab is closed.

Streamlit has no interface for either question, so each answers nothing where a later one keeps them elsewhere.
"""

from typing import Any

from streamlit import runtime

FEW = 10
"""Open tabs up to which pages redraw what changes as often as they like."""


def visitors() -> int | None:
    """Return how many tabs are open; None outside a server, or where Streamlit keeps this elsewhere."""
    sessions = _manager()
    return None if sessions is None else sessions.num_active_sessions()


def spaced(seconds: float) -> float:
    """Return after how many seconds a page should redraw what changes: later if many tabs are open.

    Whoever watches a training has three parts of the page redrawn, which take 10 ms of the processor each second.
    The stage asks for its merges apart from this, and plays them as before.
    """
    return seconds * max(1.0, (visitors() or 0) / FEW)


def forget_ended() -> None:
    """Drop the sessions of closed tabs whose time is over; Streamlit itself waits until another tab is closed."""
    kept = getattr(getattr(_manager(), "_session_storage", None), "_cache", None)
    if kept is not None and hasattr(kept, "expire"):
        kept.expire()


def _manager() -> Any:
    return getattr(runtime.get_instance(), "_session_mgr", None) if runtime.exists() else None
