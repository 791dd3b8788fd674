"""Tokenizers outlive the app that trained them, whatever ends it, and belong to those who trained them."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pages.ui.frame import visitor
from pages.ui.i18n import error_sentence
from pages.ui.run_registry import keeping
from pages.ui.run_registry import registry as trainings
from pages.ui.run_registry.keeping import Keeper, Run, open_saved_runs, user_data
from pages.ui.run_registry.registry import Registry
from tests.helpers.app import LANGUAGES
from tests.helpers.browser import PATIENCE
from tests.helpers.jobs import LARGE, SMALL, learned
from tests.helpers.jobs import wait_until as wait_for_job
from tests.helpers.paths import REPOSITORY
from tests.saved_runs.shelf import ROOMY
from tokenizer_core.errors import TrainingError
from tokenizer_core.saved_runs import entry as entry_files
from tokenizer_core.saved_runs.entry import Entry, Learned
from tokenizer_core.saved_runs.folder import SavedRuns
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training

SLOW = Training([SMALL], 330, pace=5)
QUICK = Training([SMALL], 260)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def started(folder: Path) -> Iterator[Callable[[], Registry]]:
    """Starts the registry of an app with this folder, as often as the app is started."""
    opened: list[Registry] = []

    def start() -> Registry:
        opened.append(Registry(SavedRuns(folder, ROOMY)))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def wait(reached: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def entries(folder: Path, owner: str = "me") -> list[Entry]:
    return [each for each in SavedRuns(folder, ROOMY).entries(owner) if isinstance(each, Entry)]


# ---- the registry


def test_a_run_that_ended_is_kept_at_once_and_comes_back(started: Callable[[], Registry], folder: Path) -> None:
    before = started()
    job = before.start(QUICK, owner="me")
    before.rename(job.id, "a name")
    wait(
        lambda: [entry.vocab_size for entry in entries(folder) if entry.run and entry.run.state == "done"] == [260]
    )
    after = started()
    (run,) = after.runs("me")
    again = after.get(job.id)
    assert again is run.job
    assert (run.name, run.job.state, run.job.ending) == ("a name", "done", "size")
    assert (again.merges, again.curve) == (job.merges, job.curve)
    assert after.runs("you") == []


def test_a_run_at_work_when_the_app_stops_is_interrupted_and_keeps_its_merges(
    started: Callable[[], Registry],
) -> None:
    before = started()
    job = before.start(SLOW, owner="me")
    wait_for_job(job, lambda: len(job.merges) >= 3)
    before.close()
    after = started()
    kept = after.get(job.id)
    assert kept is not None
    assert (kept.state, kept.ending) == ("stopped", "interrupted")
    assert kept.merges == job.merges[: len(kept.merges)]
    assert len(kept.merges) >= 3


def test_a_run_unviewed_for_long_leaves_the_memory_and_not_the_library(
    started: Callable[[], Registry], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = started()
    job = opened.start(SLOW, owner="me")
    wait_for_job(job, lambda: job.merges)
    with monkeypatch.context() as held_back:
        held_back.setattr(trainings, "UNSEEN_SECONDS", -1.0)
        opened.sweep()
    assert job.ended
    again = opened.get(job.id)
    assert again is not None
    assert again is not job
    assert (again.ending, again.merges) == ("interrupted", job.merges[: len(again.merges)])


def test_a_deleted_run_stays_deleted(started: Callable[[], Registry], folder: Path) -> None:
    opened = started()
    job = opened.start(SLOW, owner="me")
    wait(lambda: entries(folder))
    opened.delete("me", job.id)
    opened._keeper.keep_all()
    assert (opened.get(job.id), opened.runs("me"), entries(folder), job.ended) == (None, [], [], True)


def test_trainings_that_no_list_shows_are_not_kept(started: Callable[[], Registry], folder: Path) -> None:
    opened = started()
    job = opened.start(QUICK)
    wait_for_job(job, lambda: job.ended)
    opened.close()
    assert not folder.exists()


def test_the_library_limits_the_runs_of_a_visitor(
    started: Callable[[], Registry], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainings, "SAVED_RUNS_ENTRIES", 1)
    opened = started()
    opened.start(QUICK, owner="me")
    with pytest.raises(TrainingError) as caught:
        opened.start(QUICK, owner="me")
    assert (caught.value.code, caught.value.values) == ("too_many_runs", {"limit": 1})


CHILD = """
import sys, time
from pages.ui.run_registry.registry import registry
from tests.helpers.jobs import LARGE
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training
if __name__ == "__main__":
    done = registry().start(Training(["ab ac ad ae " * 9], 259), owner="me")
    job = registry().start(Training([LARGE], 50_000, pace=200), owner="me")
    while not job.merges or not done.ended:
        time.sleep(0.01)
    print(done.id, job.id, flush=True)
    time.sleep(600)
"""


def test_a_process_that_is_killed_in_mid_training_loses_nothing_that_was_saved(
    folder: Path, started: Callable[[], Registry]
) -> None:
    env = {**os.environ, "TOKENIZER_EXPLORER_LIBRARY": str(folder), "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen([sys.executable, "-c", CHILD], cwd=REPOSITORY, env=env, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        try:
            done_id, job_id = child.stdout.readline().decode().split()
            wait(lambda: {entry.id: entry.run and entry.run.recipe for entry in entries(folder)}.get(job_id))
            wait(lambda: {entry.id: entry.vocab_size > 256 for entry in entries(folder)}.get(done_id))
        finally:
            child.send_signal(signal.SIGKILL)
    saved = {entry.id: entry.vocab_size - 256 for entry in entries(folder)}
    opened = started()
    done, cut_short = opened.get(done_id), opened.get(job_id)
    assert done is not None
    assert cut_short is not None
    assert (done.state, len(done.merges)) == ("done", 3)
    assert (cut_short.ending, len(cut_short.merges)) == ("interrupted", saved[job_id])
    assert cut_short.merges == learned(LARGE, 256 + saved[job_id])


def test_a_worker_killed_while_its_run_is_saved_gives_everything_back(
    started: Callable[[], Registry], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainings, "MAX_TRAININGS", 1)
    reached, go, fsync = threading.Event(), threading.Event(), os.fsync

    def wait_before(handle: int) -> None:
        reached.set()
        assert go.wait(PATIENCE)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", wait_before)
    opened = started()
    job, waiting = (opened.start(each, owner="me") for each in (SLOW, QUICK))
    wait_for_job(job, lambda: job.merges and reached.is_set())
    assert job._worker is not None
    job._worker.kill()
    wait_for_job(job, lambda: job.state == "failed")
    assert entries(folder) == []  # nothing half while it is being saved
    go.set()
    opened.sweep()
    wait_for_job(waiting, lambda: waiting.state == "done")
    opened._keeper.keep_all()
    assert opened.trouble("me") is None
    assert [entry.run and entry.run.state for entry in entries(folder)] == ["interrupted", "done"]
    assert job.merges == learned(SMALL, 256 + len(job.merges))
    assert opened.standing()[:2] == (0, 0)


def test_a_saving_without_memory_is_told_and_spoils_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = entry_files.packed_run
    mine, yours = (Run(Job(QUICK, waits=True), owner, "") for owner in ("me", "you"))

    def pack(entry: Entry, merges: Learned) -> bytes:
        if entry.id == mine.job.id:
            raise MemoryError
        return packed(entry, merges)

    saved = SavedRuns(tmp_path, ROOMY)
    keeper = Keeper(saved, lambda: [mine, yours])
    with monkeypatch.context() as short:
        short.setattr(entry_files, "packed_run", pack)
        keeper.keep_all()
    trouble = keeper.troubles.get("me")
    assert trouble is not None
    assert len({error_sentence(trouble, spoken=spoken) for spoken in LANGUAGES}) == 2
    assert (keeper.troubles.get("you"), saved.entries("me")) == (None, [])
    assert [entry.id for entry in saved.entries("you")] == [yours.job.id]
    keeper.keep_all()
    assert keeper.troubles.get("me") is None
    assert [entry.id for entry in saved.entries("me")] == [mine.job.id]


# ---- whose it is, and where


class Context:
    """What Streamlit knows of a connection."""

    def __init__(self, headers: dict[str, str], ip: str | None = None) -> None:
        self.headers = headers
        self.ip_address = ip


HERE = {"Host": "localhost:8501", "Origin": "http://localhost:8501"}


@pytest.mark.parametrize(
    ("headers", "ip", "is_here"),
    [
        (HERE, None, True),
        ({"Host": "127.0.0.1:8501"}, None, True),
        ({"Host": "[::1]:8501", "Origin": "http://[::1]:8501"}, None, True),
        (HERE, "192.168.1.9", False),
        ({}, None, False),
        ({**HERE, "Origin": "https://tokens.example.org"}, None, False),
        ({**HERE, "Host": "tokens.example.org"}, None, False),
        ({**HERE, "X-Forwarded-For": "8.8.8.8"}, None, False),
        ({**HERE, "Host": "localhost.example.org"}, None, False),
        ({**HERE, "Origin": "null"}, None, False),
    ],
)
def test_only_a_browser_on_this_machine_is_here(
    headers: dict[str, str], ip: str | None, is_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.ui.frame.visitor.st.context", Context(headers, ip))
    assert visitor.is_local() is is_here
    monkeypatch.setattr(visitor, "IS_PUBLIC", True)
    assert not visitor.is_local()


@pytest.mark.parametrize("value", ["", "off", "OFF "])
def test_the_library_can_be_turned_off(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "SAVED_RUNS_FOLDER", value)
    assert open_saved_runs() is None


def test_the_library_is_where_the_environment_says_or_in_the_users_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "SAVED_RUNS_FOLDER", str(tmp_path))
    opened = open_saved_runs()
    assert opened is not None
    assert opened.root == tmp_path
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert user_data() == tmp_path / "tokenizer-explorer"
