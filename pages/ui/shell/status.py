"""What whoever runs the app may see above a page: tabs, trainings, queue, uploads and memory, with nobody's text.

`?status=` with the secret of the environment opens it for a session; without a secret in the environment, nobody
sees it. The address is clean again after the first page run.
"""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from pages.ui.limits import MAX_TRAININGS, STATUS_SECRET
from pages.ui.session import Value
from pages.ui.shell.sessions import visitors
from pages.ui.shell.uploads import uploads_held
from pages.ui.trainings.registry import registry
from pages.ui.widgets import written
from pages.ui.words import t

REFRESH_SECONDS = 2.0
_SHOWS: Value[bool] = Value("shows_status", bool)
_PROCESSES = Path("/proc")


def take_over(query: Mapping[str, str]) -> None:
    """Open the status if the address has the secret; a wrong one closes it."""
    if "status" in query:
        _SHOWS.put(_is_secret(query["status"]))


def status() -> None:
    """Draw the status above the page, again and again, if this session may see it."""
    if STATUS_SECRET and _SHOWS.get():
        st.fragment(_figures, run_every=REFRESH_SECONDS)()


def _is_secret(given: str) -> bool:
    """Compare in constant time, so that nobody can guess the secret letter by letter."""
    return bool(STATUS_SECRET) and secrets.compare_digest(
        given.encode("utf-8", "surrogatepass"), STATUS_SECRET.encode("utf-8", "surrogateescape")
    )


def _figures() -> None:
    standing = registry().standing()
    own, workers = memory()
    figures = {
        "visitors": _number(visitors()),
        "at_work": f"{standing.at_work} / {MAX_TRAININGS}",
        "waiting": _number(standing.waiting),
        "paused": _number(standing.paused),
        "runs": _number(standing.runs),
        "uploads": "{:,.0f} / {:,.0f} MB".format(*(size / 2**20 for size in uploads_held())),
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
    return written.NONE if value is None else f"{value:,}"


def _megabytes(size: int | None) -> str:
    return written.NONE if size is None else f"{size / 2**20:,.0f} MB"
