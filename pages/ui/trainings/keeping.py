"""Keeps runs in the library while they learn, so that neither a restart nor a crash loses them."""

import contextlib
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pages.ui.limits import LIBRARY_BYTES, LIBRARY_DAYS, LIBRARY_ENTRIES, LIBRARY_FOLDER, OFF
from tokenizer_core.errors import LibraryError
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.kept import KeptJob, entry_of
from tokenizer_core.jobs.library import Library, Quota
from tokenizer_core.jobs.process import CANNOT_START
from tokenizer_core.jobs.recipe import Recipe

LOCAL = "local"
"""The owner of what is trained in a browser on this machine."""
KEEP_SECONDS = 5.0
"""Time between two savings of a run that learns."""
VISIT_SECONDS = 3600.0


@dataclass
class Run:
    """A training and what the app knows about it: its owner, its name, and when it was last viewed."""

    job: Job
    owner: str
    """The key of the visitor, which is no secret; "" for trainings that no list shows."""
    name: str
    """The name that the visitor gave it; "" without one."""
    number: int = 0
    """The lowest number that none of its owner's other runs had when it began; it decides its color."""
    steering: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """The key that lets its owner's pages control it; never in an address that people see."""
    expected: Recipe | None = None
    """The recipe that it follows, if any."""
    seen: float = field(default_factory=time.monotonic)


def open_library() -> Library | None:
    """Return the library that the environment names, or one in the user's data; None if it has no place."""
    if LIBRARY_FOLDER is not None and LIBRARY_FOLDER.strip().lower() in OFF:
        return None
    try:
        folder = Path(LIBRARY_FOLDER).expanduser() if LIBRARY_FOLDER else user_data() / "library"
    except RuntimeError:  # a user without a home, as in some containers
        return None
    return Library(folder.absolute(), Quota(LIBRARY_ENTRIES, LIBRARY_BYTES))


def user_data() -> Path:
    """Return the folder of this app among the user's data, where the system has its place for it."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "Tokenizer Explorer"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Tokenizer Explorer"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "tokenizer-explorer"


class Keeper:
    """Saves the runs that have owners, in a thread of its own: when it is woken, and every few seconds."""

    def __init__(self, library: Library | None, runs: Callable[[], Sequence[Run]]) -> None:
        self.library = library
        self.lock = threading.RLock()
        """Held while runs are saved, so that none comes back that is deleted at that moment."""
        self._runs = runs
        self._saved: dict[str, tuple[object, ...]] = {}
        self._troubles: dict[str, LibraryError] = {}
        self._visits: dict[str, float] = {}
        self._wake = threading.Event()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def trouble(self, owner: str) -> LibraryError | None:
        """Return why the latest saving of an owner's run failed; None if it did not."""
        return self._troubles.get(owner)

    def begin(self) -> None:
        """Save what has changed from now on, until `close` is called."""
        if self.library is None:
            return
        with self._starting, contextlib.suppress(*CANNOT_START):  # the next change may find a thread
            if self._thread is None:
                self._closed = threading.Event()
                thread = threading.Thread(target=self._work, args=(self._closed,), daemon=True)
                thread.start()
                self._thread = thread
        self._wake.set()

    def wake(self) -> None:
        """Save now what has changed, if saving has begun."""
        self._wake.set()

    def keep_all(self) -> None:
        """Save what has changed since it was saved last."""
        if self.library is not None:
            with self.lock:
                for run in self._runs():
                    if run.owner:
                        self._keep(self.library, run)

    def note(self, run: Run) -> None:
        """Note that a run is as it is in the library."""
        self._saved[run.job.id] = _state_of(run)

    def visit(self, owner: str) -> None:
        """Note that an owner was here; forget, at times, those who never came back."""
        now = time.monotonic()
        if self.library is not None and now - self._visits.get(owner, -VISIT_SECONDS) >= VISIT_SECONDS:
            self._visits[owner] = now
            self.library.visit(owner)
            self.library.forget_owners(LIBRARY_DAYS * 86_400, but=LOCAL)

    def close(self) -> None:
        """Save everything, and stop."""
        with self._starting:
            self._closed.set()
            self._thread = None
        self._wake.set()
        self.keep_all()

    def _work(self, closed: threading.Event) -> None:
        while not closed.is_set():
            self._wake.wait(KEEP_SECONDS)
            self._wake.clear()
            if not closed.is_set():
                with contextlib.suppress(*CANNOT_START):  # the next time, there may be memory for it
                    self.keep_all()

    def _keep(self, library: Library, run: Run) -> None:
        state = _state_of(run)
        if self._saved.get(run.job.id) == state:
            return
        try:
            if isinstance(run.job, KeptJob):
                library.rename(run.owner, run.job.id, run.name)
            else:
                library.keep_run(
                    run.owner, *entry_of(run.job, name=run.name, number=run.number, expected=run.expected)
                )
        except LibraryError as error:
            self._troubles[run.owner] = error.bare()
            return
        except MemoryError:  # of this run alone: the others may be smaller
            self._troubles[run.owner] = LibraryError("a run must fit into the memory twice", "library_no_memory")
            return
        self._troubles.pop(run.owner, None)
        self._saved[run.job.id] = state


def _state_of(run: Run) -> tuple[object, ...]:
    job = run.job
    return type(job), job.state, job.learned, job.corpus_sha256, run.name, run.number, run.expected is not None
