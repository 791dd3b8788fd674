"""The status bar for the operator: tabs, trainings, queue, uploads and memory, without any text of a visitor.

`?status=` with the secret of the environment opens it for a session; without a secret in the environment, nobody
sees it. The address is clean again after the first page run.
"""

import os
import secrets
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime

from pages.ui.frame.upload_limit import upload_sizes
from pages.ui.i18n import t
from pages.ui.limits import MAX_TRAININGS, STATUS_SECRET
from pages.ui.run_registry.registry import registry
from pages.ui.session import Value
from pages.ui.widgets import formatting

REFRESH_SECONDS = 2.0
FIRST_PAGE = threading.Event()
"""Set when the first page has been drawn."""
FEW_TABS = 10
"""Open tabs up to which pages redraw what changes as often as they like."""
_SHOWS: Value[bool] = Value("shows_status", bool)
_PROCESSES = Path("/proc")


def take_from_address(query: Mapping[str, str]) -> None:
    """Open the status if the address has the secret; a wrong one closes it."""
    if "status" in query:
        _SHOWS.put(is_secret(query["status"]))


def status() -> None:
    """Draw the status above the page, again and again, if this session may see it."""
    if STATUS_SECRET and _SHOWS.get():
        st.fragment(_figures, run_every=REFRESH_SECONDS)()


def is_secret(given: str) -> bool:
    """Compare in constant time, so that nobody can guess the secret letter by letter."""
    return bool(STATUS_SECRET) and secrets.compare_digest(
        given.encode("utf-8", "surrogatepass"), STATUS_SECRET.encode("utf-8", "surrogateescape")
    )


def _figures() -> None:
    standing = registry().standing()
    own, workers = memory()
    figures = {
        "visitors": _number(open_tabs()),
        "at_work": f"{standing.at_work} / {MAX_TRAININGS}",
        "waiting": _number(standing.waiting),
        "paused": _number(standing.paused),
        "runs": _number(standing.runs),
        "uploads": "{:,.0f} / {:,.0f} MB".format(*(size / 2**20 for size in upload_sizes())),
        "memory": _megabytes(own),
        "workers": _megabytes(workers),
    }
    with st.container(horizontal=True, gap="medium", key="status"):
        for name, figure in figures.items():
            st.metric(t(f"status.{name}"), figure, width="content")


def memory() -> tuple[int | None, int | None]:
    """Return the bytes of memory of this process, and of all that it has started; None if the system keeps it."""
    if not _PROCESSES.is_dir():
        return None, None
    own = os.getpid()
    started = [int(each.name) for each in _PROCESSES.glob("[0-9]*") if _parent(each) == own]
    return _resident(own), sum(_resident(process) for process in started)


def _parent(folder: Path) -> int | None:
    try:
        return int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):  # it has just ended
        return None


def _resident(process: int) -> int:
    try:
        return int((_PROCESSES / str(process) / "statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _number(value: int | None) -> str:
    return formatting.NONE if value is None else f"{value:,}"


def _megabytes(size: int | None) -> str:
    return formatting.NONE if size is None else f"{size / 2**20:,.0f} MB"


# ---- Streamlit's sessions: a tab's session stays for a while after the tab is closed


def open_tabs() -> int | None:
    """Return how many tabs are open; None outside a server, or if Streamlit has moved this private attribute."""
    sessions = _session_manager()
    return None if sessions is None else sessions.num_active_sessions()


def refresh_interval(seconds: float) -> float:
    """Return after how many seconds a page should redraw what changes: later if many tabs are open.

    A page that shows a training redraws three of its parts, which takes 10 ms of the processor each second.
    """
    return seconds * max(1.0, (open_tabs() or 0) / FEW_TABS)


def forget_ended_sessions() -> None:
    """Drop the sessions of closed tabs whose time is over; Streamlit itself waits until another tab is closed."""
    cache = getattr(getattr(_session_manager(), "_session_storage", None), "_cache", None)
    if cache is not None and hasattr(cache, "expire"):
        cache.expire()


def _session_manager() -> Any:
    return getattr(runtime.get_instance(), "_session_mgr", None) if runtime.exists() else None
