"""Whatever befalls a worker is a failure with its reason, and no worker outlives the app."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from queue import SimpleQueue
from subprocess import Popen
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.helpers.app import mostly_long
from tests.helpers.browser import PATIENCE
from tests.helpers.jobs import LARGE, SMALL, Start, kill_worker, learned, wait_for, wait_until
from tests.helpers.paths import REPOSITORY
from tests.workers.forks import FORKING, POSSIBLE
from tokenizer_core import Merge, Trainer
from tokenizer_core.errors import SpecialTokenError, TextError, TokenizerError
from tokenizer_core.kernels import compiled
from tokenizer_core.workers import child, training_worker
from tokenizer_core.workers.child import MEMORY_BYTES, NICENESS, Child
from tokenizer_core.workers.training_job import Job, start_worker
from tokenizer_core.workers.training_settings import StopRules, Training
from tokenizer_core.workers.training_worker import Conductor

COMPLAINTS: list[str] = []
pytestmark = pytest.mark.usefixtures("started_anew")


def is_running(pid: int) -> bool:
    """Whether a process runs; one that ended and waits to be collected does not."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(done.stdout.strip()) and not done.stdout.strip().startswith("Z")


def hired(training: Training, worker: Child) -> Job:
    """A job whose worker was started before it."""
    job = Job(training, waits=True)
    job.begin(worker)
    return job


def test_a_job_takes_over_a_warm_worker() -> None:
    worker = start_worker()
    job = hired(Training([SMALL], 280), worker)
    wait_for(job, "done")
    assert job.merges == learned(SMALL, 280)
    worker.wait()


def test_a_worker_that_learns_in_plain_python_moves_into_the_loops(start: Start) -> None:
    compiled.stand_in()
    job = start(LARGE, 2_000, pace=200)
    compiled.take_over(lambda: None)
    wait_until(job, lambda: job.merges)
    job.use_loops()
    job.set_pace(None)
    wait_for(job, "done")
    assert job.merges == learned(LARGE, 2_000)


def test_a_worker_that_learns_in_plain_python_loads_the_loops_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = threading.Event()
    told = {"training": Training([SMALL], 280).described()}
    monkeypatch.setattr(sys, "argv", ["worker", "plain"])
    monkeypatch.setattr(training_worker, "send", lambda event, **values: None)
    monkeypatch.setattr(training_worker, "load_loops", loaded.set)
    monkeypatch.setattr(training_worker, "from_app", lambda: None)
    monkeypatch.setattr(training_worker, "receive", lambda stream: told)
    monkeypatch.setattr(training_worker, "contents_in", lambda stream, description: [SMALL.encode()])
    monkeypatch.setattr(training_worker, "take_commands", lambda stream, take: take({"command": "use_loops"}))
    try:
        training_worker.main()
        assert loaded.wait(PATIENCE)
    finally:
        compiled.take_over(lambda: None)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and RLIMIT_AS")
def test_a_worker_that_may_not_take_the_memory_it_needs_says_so() -> None:
    job = Job(Training(["ab" * 2_000_000], 300, pattern="none"), memory_bytes=32 * 2**20)
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "out_of_memory"


def test_a_killed_worker_is_a_failure_that_keeps_the_merges(start: Start) -> None:
    job = start(LARGE, 100_000, pace=50)
    wait_until(job, lambda: job.merges)
    kill_worker(job)
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "worker_killed"
    assert job.merges
    assert job.merges == learned(LARGE, 256 + len(job.merges))
    assert job.tokenizer().vocab_size == 256 + len(job.merges)


def test_a_worker_died_in_the_middle_of_a_line_is_a_failure_like_any_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talks = 'import sys; sys.stdout.write(\'{"event": "paused"}\\n{"event": "mer\'); sys.stdout.flush()'
    patched = SimpleNamespace(
        Popen=lambda command, **more: Popen([sys.executable, "-c", talks], **more), PIPE=-1, DEVNULL=-3
    )
    monkeypatch.setattr(child, "subprocess", patched)
    job = Job(Training([SMALL], 300))
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "worker_died"


def test_a_worker_that_died_before_its_job_is_a_failure() -> None:
    worker = start_worker()
    worker.kill()
    worker.wait()
    job = hired(Training([LARGE], 300), worker)
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "worker_killed"


@pytest.mark.parametrize(
    ("training", "code"),
    [
        (Training([SMALL], 300, pattern="(a"), "pattern_syntax"),
        (Training([SMALL], 300, pattern="a{999999999}"), "pattern_complex"),
        pytest.param(Training(["a" * 3000 + "b"], 300, pattern="(a+)+$"), "pattern_slow", marks=pytest.mark.long),
        (Training([SMALL], 12), "vocab_size_low"),
        (Training([SMALL], 300, stop=StopRules(0)), "min_count_low"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_training_refuses_is_a_failure_with_its_reason(training: Training, code: str) -> None:
    job = Job(training)
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == code
    assert str(job.failure)


def test_lone_surrogates_and_unfit_special_tokens_are_refused_before_a_worker_starts() -> None:
    with pytest.raises(TextError):
        Job(Training(["a\ud800"], 300))
    with pytest.raises(SpecialTokenError):
        Job(Training([SMALL], 300, special_tokens=["<a>", "<a>"]))


def test_an_ended_job_leaves_no_process(start: Start) -> None:
    job = start(SMALL, 280)
    wait_for(job, "done")
    job.close()
    assert job._worker is not None
    assert not is_running(job._worker.pid)


def test_an_idle_worker_can_be_ended() -> None:
    worker = start_worker()
    worker.close()
    assert not is_running(worker.pid)


@pytest.mark.parametrize("moment", mostly_long(["idle", "running", "paused"], "running"))
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and ps")
def test_no_worker_outlives_an_app_that_was_killed(moment: str) -> None:
    app = (
        "import time\n"
        "from tokenizer_core.workers.training_job import Job, start_worker\n"
        "from tokenizer_core.workers.training_settings import Training\n"
        "worker = start_worker()\n"
        f"job = Job(Training([{LARGE[:2000]!r}], 100_000, pace=1), waits=True) if {moment!r} != 'idle' else None\n"
        "if job: job.begin(worker)\n"
        "while job and not job.merges: job.wait(0.1)\n"
        f"if {moment!r} == 'paused': job.pause(); job.wait(5)\n"
        "print(worker.pid, flush=True)\n"
        "time.sleep(100)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", app], cwd=REPOSITORY, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert is_running(worker)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + PATIENCE
    while is_running(worker):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_work_on_merges_is_measured_without_the_waits_of_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of the test: each merge takes a quarter of a second, and each wait ten seconds."""
    now = [0.0]
    sent: list[dict[str, Any]] = []

    class SlowTrainer(Trainer):
        def step(self, n: int = 1) -> list[Merge]:
            now[0] += 0.25 * n
            return super().step(n)

    def wait(conductor: Conductor, moment: float) -> None:
        now[0] += 10

    monkeypatch.setattr(training_worker, "send", lambda event, **values: sent.append({"event": event, **values}))
    monkeypatch.setattr(training_worker, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(Conductor, "obey_until", wait)
    trainer = SlowTrainer({"abcdefgh": 2}, 260)
    Conductor(trainer, SimpleQueue(), Training(["abcdefgh" * 2], 260, pace=1.0)).run()
    assert [each["work_seconds"] for each in sent if each["event"] == "merges"] == [0.25, 0.5, 0.75, 1.0]
    assert now[0] > 40


def test_a_gathering_pace_lets_people_read_the_first_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of the test, on which only waits take time."""
    now = [0.0]
    learned: list[float] = []

    class NotingTrainer(Trainer):
        def step(self, n: int = 1) -> list[Merge]:
            merges = super().step(n)
            learned.extend(now[0] for _ in merges)
            return merges

    def wait(conductor: Conductor, moment: float) -> None:
        now[0] = moment

    monkeypatch.setattr(training_worker, "send", lambda event, **values: None)
    monkeypatch.setattr(training_worker, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(Conductor, "obey_until", wait)
    text = "".join(map(chr, range(33, 97)))
    trainer = NotingTrainer({text: 2}, 256 + 50)
    Conductor(trainer, SimpleQueue(), Training([text * 2], 256 + 50, pace="gathering")).run()
    assert np.diff(learned)[:12] == pytest.approx([4.5, 3.5, 3.0, *[1.25] * 8, 1.0])
    assert np.all(np.diff(learned[:35], n=2) <= 1e-9)  # ever faster; then some come together


def test_a_batch_ends_when_its_time_is_up_or_a_command_comes() -> None:
    commands: SimpleQueue[Any] = SimpleQueue()
    conductor = Conductor(Trainer({"abcd": 2}, 259), commands, Training(["abcd" * 2], 259))
    assert conductor.is_interrupted(-float("inf"))
    assert not conductor.is_interrupted(float("inf"))
    commands.put("pause")
    assert conductor.is_interrupted(float("inf"))


def test_a_job_tells_the_work_from_the_time_watched(start: Start) -> None:
    job = start(SMALL, 262, pace=20.0)
    wait_for(job, "done")
    assert 0 < job.work_seconds < job.seconds


# ---- workers of tests begin as forks


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Child]]:
    """A worker of each kind."""
    if not POSSIBLE:
        pytest.skip("needs Linux")
    monkeypatch.setattr(child, "NICENESS", NICENESS)
    workers = []
    for kind in (FORKING, subprocess):
        monkeypatch.setattr(child, "subprocess", kind)
        workers.append(Child("training_worker", log=COMPLAINTS.append))
    yield workers
    for each in workers:
        each.close()


def told(worker: Child, training: Training) -> tuple[list[dict[str, Any]], str | None, list[str]]:
    """All that a worker says of a training, but for times; how it fails; and what it complains of.

    How many merges it reports at once depends on its speed, so they are put together.
    """
    COMPLAINTS.clear()
    worker.send({"training": training.described(), "memory_bytes": MEMORY_BYTES}, [SMALL])
    events: list[dict[str, Any]] = []
    try:
        for event in worker.events():
            known = {name: event[name] for name in event if "seconds" not in name}
            if event["event"] == "merges" and events[-1]["event"] == "merges":
                events[-1] |= {name: [*events[-1][name], *known[name]] for name in known if name != "event"}
            else:
                events.append(known)
            if event["event"] == "finished":
                return events, None, list(COMPLAINTS)
    except TokenizerError as error:
        return events, error.code, list(COMPLAINTS)
    raise AssertionError("`events` raises when the worker ends")


@pytest.mark.parametrize(
    ("pattern", "failure"),
    [("mark_aware", None), pytest.param("(a", "pattern_syntax", marks=pytest.mark.long)],
)
def test_a_fork_says_what_a_worker_started_anew_says(both: list[Child], pattern: str, failure: str | None) -> None:
    forked, anew = (told(worker, Training([SMALL], 260, pattern=pattern)) for worker in both)
    assert forked == anew
    assert forked[1:] == (failure, [])


def test_every_worker_lets_others_go_first(both: list[Child]) -> None:
    assert [os.getpriority(os.PRIO_PROCESS, worker.pid) for worker in both] == [NICENESS] * 2
