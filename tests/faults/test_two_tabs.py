"""Two tabs on one training that press opposite buttons."""

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.ui.run_registry import registry as trainings
from pages.ui.run_registry.registry import registry
from pages.ui.widgets.player.serve import KEY_HEADER, PACES, routes
from tests.helpers.jobs import LARGE, SMALL, learned, wait_until
from tests.helpers.routes import Answer
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training

COMMANDS = ("pause", "resume", "step", "end", *(f"pace-{name}" for name in PACES))


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
    monkeypatch.setattr("pages.ui.widgets.player.serve.CLICK_WAIT", 0.01)
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
