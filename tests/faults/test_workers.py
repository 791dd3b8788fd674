"""Workers that are killed or out of memory, and workers that cannot be started, on real processes (Linux).

Each time, the page says why, the merges stay, and the turn, the process and its pipes are given back.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from pages.ui.i18n import error_sentence
from pages.ui.run_registry.registry import Registry
from tests.helpers.app import LANGUAGES
from tests.helpers.jobs import LARGE, wait_for, wait_until
from tests.helpers.paths import REPOSITORY
from tokenizer_core.errors import TokenizerError
from tokenizer_core.workers import child
from tokenizer_core.workers import training_job as jobs
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="needs signals and /proc"),
    pytest.mark.usefixtures("started_anew"),
]
QUICK = Training(["aa ab ba bb " * 50], 260)
SLOW = Training([LARGE], 50_000, pace=50)
LONG_TO_COUNT = Training([f"{LARGE * 40}{n}" for n in range(4)], 50_000, pace=50)


def brought_to(registry: Registry, state: str) -> Job:
    """A training whose worker is in this state."""
    job = registry.start(LONG_TO_COUNT if state == "counting" else SLOW, owner="me")
    if state == "paused":
        wait_until(job, lambda: job.merges)
        job.pause()
    wait_until(job, lambda: job.state == state)
    return job


def send(job: Job, kind: signal.Signals) -> int:
    """Send a signal to a job's worker; return its process id."""
    worker = job._worker
    assert worker is not None
    os.kill(worker.pid, kind)
    return worker.pid


def is_gone(process: int) -> bool:
    """Whether nothing is left of a process, not even what its parent has yet to read."""
    return not Path(f"/proc/{process}").exists()


def fails(job: Job, code: str) -> None:
    """Check that a job has failed with this code, which both languages have a sentence for."""
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == code
    assert len({error_sentence(job.failure, spoken=spoken) for spoken in LANGUAGES}) == 2


@pytest.mark.long
@pytest.mark.parametrize("state", ["starting", "counting", "running", "paused"])
def test_a_killed_worker_gives_its_turn_back(registry: Registry, state: str) -> None:
    job = brought_to(registry, state)
    waiting = registry.start(QUICK, owner="me")
    process = send(job, signal.SIGKILL)
    fails(job, "worker_killed")
    wait_for(waiting, "done")
    wait_until(waiting, lambda: is_gone(process))
    assert registry._at_work == set()


def test_a_worker_that_does_not_obey_is_killed_when_it_is_stopped(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "STOP_SECONDS", 0.1)
    job = brought_to(registry, "running")
    process = send(job, signal.SIGSTOP)
    job.stop()
    wait_for(job, "stopped")
    wait_until(job, lambda: is_gone(process))
    assert (job.ending, job.failure) == ("stopped", None)


@pytest.mark.long
@pytest.mark.parametrize("megabytes", [0, 1, 8, 64, 128, 256])
def test_too_little_memory_is_told_whenever_it_runs_out(megabytes: int) -> None:
    """In reading, counting, setting up or learning 20 MB that hardly repeat themselves."""
    text = " ".join(f"{n:x}{n * 7919:x}" for n in range(1_500_000))
    job = Job(Training([text], 50_000), memory_bytes=megabytes * 2**20)
    wait_until(job, lambda: job.ended or len(job.merges) > 100)
    if not job.ended:
        assert megabytes >= 64  # the corpus itself has 20 MB
        job.close()
        return
    fails(job, "out_of_memory")


def test_no_memory_for_the_thread_that_reads_commands_is_told_too() -> None:
    code = (
        "import sys, threading\n"
        "from tokenizer_core.workers.child import failures_sent\n"
        'def none(*_): raise RuntimeError("can\'t start new thread")\n'
        "threading.Thread.start = none\n"
        "with failures_sent():\n"
        "    threading.Thread().start()\n"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, check=True).stdout
    assert b'"out_of_memory"' in said


NO_FILES = """
import os, resource
from pages.ui.run_registry.registry import Registry
from tokenizer_core.errors import TokenizerError
from tokenizer_core.workers.guarded import open_guarded
from tokenizer_core.workers.parquet_reader import open_parquet_apart
from tokenizer_core.workers.training_settings import Training

def files():
    return len(os.listdir("/proc/self/fd"))

registry, before = Registry(), files()
resource.setrlimit(resource.RLIMIT_NOFILE, (before + 1, 4096))
for _ in range(5):
    job = registry.start(Training(["ab ac " * 20], 258), owner="me")
    registry.sweep()
    print(job.failure.code)
for attempt in (
    lambda: open_guarded("tokenizer.json", b'{"model": {"type": "BPE"}}'),
    lambda: open_parquet_apart(b"PAR1", 1000),
):
    try:
        attempt()
    except TokenizerError as error:
        print(error.code)
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 4096))
job = registry.start(Training(["ab ac " * 20], 258), owner="me")
job.wait(180, lambda: job.ended)
print(job.state)
registry.close()
print(files() - before)
"""


def test_without_a_free_file_descriptor_nothing_starts_and_nothing_leaks() -> None:
    env = {**os.environ, "TOKENIZER_EXPLORER_LIBRARY": "off", "PYTHONPATH": str(REPOSITORY)}
    told = subprocess.run(
        [sys.executable, "-c", NO_FILES], cwd=REPOSITORY, env=env, capture_output=True, check=False, text=True
    )
    assert told.stdout.split() == ["worker_not_started"] * 7 + ["done", "0"], told.stderr


@pytest.mark.parametrize("why", [PermissionError(13, "Permission denied"), MemoryError(), RuntimeError("thread")])
def test_whatever_keeps_a_worker_from_starting_is_told(
    registry: Registry, why: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*command: object, **more: object) -> None:
        raise why

    monkeypatch.setattr(child, "subprocess", SimpleNamespace(Popen=fail, PIPE=-1, DEVNULL=-3))
    fails(registry.start(QUICK), "worker_not_started")
    assert registry._at_work == set()


def test_every_failure_of_a_worker_has_a_sentence() -> None:
    codes = ["worker_died", "worker_killed", "worker_not_started", "out_of_memory"]
    sentences: Callable[[str], set[str]] = lambda spoken: {  # noqa: E731
        error_sentence(TokenizerError(code), spoken=spoken) for code in codes
    }
    assert [len(sentences(spoken)) for spoken in LANGUAGES] == [4, 4]
