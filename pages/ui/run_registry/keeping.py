"""Saves runs on the disk, so that a restart loses none: finished ones whole, others to be trained again."""

import contextlib
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pages.ui.limits import OFF, SAVED_RUNS_BYTES, SAVED_RUNS_DAYS, SAVED_RUNS_ENTRIES, SAVED_RUNS_FOLDER
from tokenizer_core.errors import SavedRunsError
from tokenizer_core.saved_runs.folder import Quota, SavedRuns
from tokenizer_core.saved_runs.job import SavedJob, entry_of
from tokenizer_core.saved_runs.recipe import Recipe
from tokenizer_core.workers.training_job import Job

LOCAL = "local"
"""The owner of what is trained in a browser on this machine."""
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


def open_saved_runs() -> SavedRuns | None:
    """Return the runs saved in the environment's folder, or else in the user's data; None without a folder."""
    if SAVED_RUNS_FOLDER is not None and SAVED_RUNS_FOLDER.strip().lower() in OFF:
        return None
    try:
        folder = Path(SAVED_RUNS_FOLDER).expanduser() if SAVED_RUNS_FOLDER else user_data() / "library"
    except RuntimeError:  # a user without a home, as in some containers
        return None
    return SavedRuns(folder.absolute(), Quota(SAVED_RUNS_ENTRIES, SAVED_RUNS_BYTES))


def user_data() -> Path:
    """Return the folder of this app among the user's data, where the system has its place for it."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "Tokenizer Explorer"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Tokenizer Explorer"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "tokenizer-explorer"


class Keeper:
    """Saves the runs that have owners: in a thread of its own when they begin and when they end."""

    def __init__(self, saved: SavedRuns | None, runs: Callable[[], Sequence[Run]]) -> None:
        self.saved = saved
        self.lock = threading.RLock()
        """Held while runs are saved, so that none comes back that is deleted at that moment."""
        self._runs = runs
        self._saved: dict[str, tuple[object, ...]] = {}
        self.troubles: dict[str, SavedRunsError] = {}
        """Why the latest saving of an owner's run failed."""
        self._visits: dict[str, float] = {}
        self._pool = ThreadPoolExecutor(1)

    def keep_soon(self) -> None:
        """Save what has changed, without waiting for the disk."""
        with contextlib.suppress(RuntimeError):  # no thread is left; the next sweep saves it
            self._pool.submit(self.keep_all)

    def keep_all(self) -> None:
        """Save what has changed since it was saved last."""
        with self.lock:
            for run in self._runs():
                if self._saved.get(run.job.id) != _state_of(run):
                    self.keep(run)

    def keep(self, run: Run) -> None:
        """Save a run with what it has learned so far."""
        if self.saved is None or not run.owner:
            return
        state = _state_of(run)
        try:
            with self.lock:
                if isinstance(run.job, SavedJob):
                    self.saved.rename(run.owner, run.job.id, run.name)
                else:
                    entry = entry_of(run.job, name=run.name, number=run.number, expected=run.expected)
                    self.saved.keep_run(run.owner, *entry)
        except SavedRunsError as error:
            self.troubles[run.owner] = error.bare()
        except MemoryError:  # of this run alone: the others may be smaller
            self.troubles[run.owner] = SavedRunsError("saved_no_memory")
        else:
            self.troubles.pop(run.owner, None)
            self._saved[run.job.id] = state

    def note(self, run: Run) -> None:
        """Note that a run is as it is saved."""
        self._saved[run.job.id] = _state_of(run)

    def visit(self, owner: str) -> None:
        """Note that an owner was here; forget, at times, those who never came back."""
        now = time.monotonic()
        if self.saved is not None and now - self._visits.get(owner, -VISIT_SECONDS) >= VISIT_SECONDS:
            self._visits[owner] = now
            self.saved.visit(owner)
            self.saved.forget_owners(SAVED_RUNS_DAYS * 86_400, but=LOCAL)


def _state_of(run: Run) -> tuple[object, ...]:
    """Return what a saved run must be saved again for: an unfinished one only once its text is known."""
    job = run.job
    ending = job.state if job.ended else None
    return type(job), ending, job.corpus_sha256, run.name, run.number, run.expected is not None
