"""Two tabs on one training that press opposite buttons, and a clock that is set back."""

import random
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pages.ui.stage.paces import PACES
from pages.ui.stage.serve import KEY_HEADER, routes
from pages.ui.trainings import registry as trainings
from pages.ui.trainings.registry import registry
from tests.helpers.jobs import LARGE, SMALL, learned, wait_for, wait_until
from tests.helpers.paths import REPOSITORY
from tests.helpers.routes import Answer
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.training import Training

COMMANDS = ("pause", "resume", "step", "end", *(f"pace-{name}" for name in PACES))
CLOCKS = {
    "pages/ui/choices/kept_files.py",
    "tokenizer_core/jobs/job.py",
    "tokenizer_core/jobs/kept.py",
    "tokenizer_core/jobs/library.py",
    "tokenizer_core/jobs/library_clock.py",
}
"""Where the clock on the wall may be read: for dates that people see, for the age of files, across a restart."""


def begun(text: str, size: int, pace: float | None) -> Job:
    job = registry().start(Training([text], size, pace=pace), owner="me")
    wait_until(job, lambda: job.merges)
    return job


def pressed(job: Job, commands: list[str]) -> None:
    """Give commands one after another, as one tab does."""
    run = registry().run(job.id)
    assert run is not None
    for command in commands:
        answer = Answer(routes(), f"/stage/steer/en/{command}", "POST", {KEY_HEADER: run.steering})
        assert answer.status == 200


def test_tabs_that_press_opposite_buttons_leave_the_training_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainings, "MAX_TRAININGS", 1)
    monkeypatch.setattr("pages.ui.stage.serve.CLICK_WAIT", 0.01)
    job = begun(LARGE, 3_000, 20)
    waiting = registry().start(Training([SMALL], 260), owner="you")
    chance = random.Random(15)
    tabs = [[chance.choice(COMMANDS[:-1]) for _ in range(15)] for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda commands: pressed(job, commands), tabs))
    assert len(registry()._at_work) <= 1
    assert registry()._queue.count(job) <= 1
    wait_until(job, lambda: job.ended or job.state in ("paused", "running"))
    pressed(job, ["pause", "end"])
    deadline = time.monotonic() + 60
    while not (job.ended and waiting.ended):  # a pause may come after a command to go on
        assert time.monotonic() < deadline, (job.state, waiting.state)
        pressed(job, ["end"])
        time.sleep(0.05)
    assert (job.state, waiting.state) == ("done", "done")
    assert job.merges == learned(LARGE, 3_000)
    assert registry().standing()[:3] == (0, 0, 0)


def test_one_tab_deletes_what_the_other_renames_and_steers() -> None:
    job = begun(LARGE, 50_000, 20)
    run = registry().run(job.id)
    assert run is not None
    registry().delete("me", job.id)
    registry().rename(job.id, "a name")
    registry().expect(job.id, None)
    registry().resume(job)
    answer = Answer(routes(), "/stage/steer/en/resume", "POST", {KEY_HEADER: run.steering})
    assert (answer.status, job.ended, registry().standing()) == (404, True, (0, 0, 0, 0))


def test_only_dates_and_the_age_of_files_come_from_the_clock_on_the_wall() -> None:
    reads = re.compile(r"\btime\.time\(|\bdatetime\.(now|today|utcnow)\(|\bdate\.today\(")
    found = {
        path.relative_to(REPOSITORY).as_posix()
        for folder in ("pages", "tokenizer_core")
        for path in Path(REPOSITORY, folder).rglob("*.py")
        if reads.search(path.read_text("utf-8"))
    }
    assert found == CLOCKS


def test_a_clock_set_back_by_a_year_changes_no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    before = begun(SMALL, 300, None)
    wait_for(before, "done")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 365 * 86_400)
    after = begun(SMALL, 300, None)
    wait_for(after, "done")
    registry().sweep()
    assert after.merges == before.merges
    assert all(0 <= seconds < 86_400 for seconds in (after.work_seconds, after.seconds))
    assert {run.job.id for run in registry().runs("me")} == {before.id, after.id}
