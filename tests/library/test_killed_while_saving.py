"""A process killed in the midst of a saving, and a worker killed, halted or without memory during one.

What is kept is the old or the new, never half; and the turn, the process and the memory are given back.
"""

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pages.ui.trainings import keeping
from pages.ui.trainings import registry as trainings
from pages.ui.trainings.keeping import Keeper, Run
from pages.ui.trainings.registry import Registry
from pages.ui.words import error_sentence
from tests.helpers.app import LANGUAGES
from tests.helpers.jobs import LARGE, SMALL, learned, wait_for, wait_until
from tests.helpers.paths import REPOSITORY
from tests.library.shelf import ROOMY
from tokenizer_core.jobs import entry as entries
from tokenizer_core.jobs.entry import Entry, Learned
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.library import Library
from tokenizer_core.jobs.training import Training

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs signals and limits of Linux")
QUICK = Training([SMALL], 260)
SLOW = Training([LARGE], 50_000, pace=50)

# ---- the server


SAVING = """
import os, signal, sys
from pathlib import Path
from tests.library.shelf import ROOMY
from tokenizer_core.jobs.entry import Entry
from tokenizer_core.jobs.library import Library

root, moment = Path(sys.argv[1]), sys.argv[2]
library = Library(root, ROOMY)

def keep(content):
    library.keep_files("me", Entry("the-same-id", content[:3].decode(), 1.0, 2.0, 257, "none"), [content])

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def torn(handle, mode):
    file = os.fdopen(handle, mode)
    whole = file.write
    class Torn:
        def __enter__(self): return self
        def __exit__(self, *_): file.close()
        def write(self, content):
            whole(content[:len(content) // 2])
            file.flush()
            die()
    return Torn()

class System:
    def __getattr__(self, name):
        return getattr(os, name)

keep(b"old" * 50_000)
from tokenizer_core.jobs import library as module
module.os = system = System()
replace = Path.replace
if moment == "begun":
    system.fdopen = die
elif moment == "half written":
    system.fdopen = torn
elif moment == "written":
    system.fsync = die
elif moment == "about to be renamed":
    Path.replace = die
elif moment == "renamed":
    Path.replace = lambda path, to: (replace(path, to), die())
keep(b"new" * 50_000)
"""


MOMENTS = [
    "half written",
    "renamed",
    *(pytest.param(moment, marks=pytest.mark.long) for moment in ("begun", "written", "about to be renamed")),
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_server_killed_in_mid_save_keeps_the_old_or_the_new(tmp_path: Path, moment: str) -> None:
    killed = subprocess.run([sys.executable, "-c", SAVING, str(tmp_path), moment], cwd=REPOSITORY, check=False)
    assert killed.returncode == -signal.SIGKILL
    library = Library(tmp_path, ROOMY)
    (entry,) = library.entries("me")
    assert isinstance(entry, Entry)
    kept = "new" if moment == "renamed" else "old"
    assert (entry.name, library.files_of("me", entry)) == (kept, [kept.encode() * 50_000])
    left = list(tmp_path.rglob("*.tmp"))
    assert len(left) == (moment != "renamed")
    for file in left:
        os.utime(file, (1, 1))
    library.keep_files("me", entry, [b"newer"])
    assert library.files_of("me", entry) == [b"newer"]
    assert list(tmp_path.rglob("*.tmp")) == []  # what was left behind takes no room for ever


# ---- its workers


class Saving:
    """A registry whose savings stop just before they reach the disk, until they are let go."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.go = threading.Event(), threading.Event()
        self.go.set()
        self.root = root
        self.registry = Registry(Library(root, ROOMY))
        fsync = os.fsync

        def wait(handle: int) -> None:
            if not self.go.is_set():
                self.reached.set()
            assert self.go.wait(60)
            fsync(handle)

        monkeypatch.setattr(os, "fsync", wait)

    def stop(self) -> None:
        """Stop at the next saving, until `go` is set."""
        self.go.clear()

    def kept(self) -> list[tuple[str, int]]:
        """The state of each kept run, and how many merges it has; fails if one is damaged."""
        library = Library(self.root, ROOMY)
        found: list[tuple[str, int]] = []
        for entry in library.entries("me"):
            assert isinstance(entry, Entry)
            assert entry.run is not None
            found.append((entry.run.state, len(library.learned("me", entry).merges)))
        return found


@pytest.fixture
def saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Saving]:
    monkeypatch.setattr(trainings, "MAX_TRAININGS", 1)
    monkeypatch.setattr(keeping, "KEEP_SECONDS", 0.05)
    found = Saving(tmp_path / "library", monkeypatch)
    yield found
    found.go.set()
    found.registry.close()


def worker_of(job: Job) -> int:
    assert job._worker is not None
    return job._worker.pid


def limit_memory(worker: int) -> None:
    """Let a worker have no more memory than it has."""
    resource.prlimit(worker, resource.RLIMIT_DATA, (1, 1))


FAULTS: dict[str, tuple[Callable[[int], None], str]] = {
    "killed": (lambda worker: os.kill(worker, signal.SIGKILL), "worker_killed"),
    "halted": (lambda worker: os.kill(worker, signal.SIGSTOP), "worker_halted"),
    "out of memory": (limit_memory, "out_of_memory"),
}


@pytest.mark.parametrize(
    "fault",
    [
        "killed",
        pytest.param("halted", marks=pytest.mark.long),
        pytest.param("out of memory", marks=pytest.mark.long),
    ],
)
def test_a_worker_lost_during_a_saving_gives_everything_back(saving: Saving, fault: str) -> None:
    registry = saving.registry
    job = registry.start(SLOW, owner="me")
    waiting = registry.start(QUICK, owner="me")
    saving.stop()
    wait_until(job, lambda: len(job.merges) > 3 and saving.reached.is_set())
    worker = worker_of(job)
    harm, code = FAULTS[fault]
    harm(worker)
    if fault == "out of memory":
        job.set_pace(None)
    if fault != "halted":  # only a sweep finds that, and sweeps wait for a saving
        wait_for(job, "failed")
    assert {state for state, _ in saving.kept()} <= {"interrupted"}  # nothing half while it is being saved
    saving.go.set()
    registry.sweep()
    registry.sweep()
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == code
    assert len({error_sentence(job.failure, spoken=spoken) for spoken in LANGUAGES}) == 2
    wait_for(waiting, "done")
    registry._keeper.keep_all()
    assert registry.trouble("me") is None
    assert saving.kept() == [("interrupted", len(job.merges)), ("done", 4)]
    assert job.merges == learned(LARGE, 256 + len(job.merges))
    assert registry._at_work == set()
    wait_until(job, lambda: not Path(f"/proc/{worker}").exists())


def test_a_saving_without_memory_is_told_and_spoils_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = entries.packed_run
    mine, yours = (Run(Job(QUICK, waits=True), owner, "") for owner in ("me", "you"))

    def pack(entry: Entry, merges: Learned) -> bytes:
        if entry.id == mine.job.id:
            raise MemoryError
        return packed(entry, merges)

    library = Library(tmp_path, ROOMY)
    keeper = Keeper(library, lambda: [mine, yours])
    with monkeypatch.context() as short:
        short.setattr(entries, "packed_run", pack)
        keeper.keep_all()
    trouble = keeper.trouble("me")
    assert trouble is not None
    assert len({error_sentence(trouble, spoken=spoken) for spoken in LANGUAGES}) == 2
    assert (keeper.trouble("you"), library.entries("me")) == (None, [])
    assert [entry.id for entry in library.entries("you")] == [yours.job.id]
    keeper.keep_all()
    assert keeper.trouble("me") is None
    assert [entry.id for entry in library.entries("me")] == [mine.job.id]
