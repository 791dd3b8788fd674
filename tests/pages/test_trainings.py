"""The registry of trainings: how many run at once, who waits, whose they are, and what is given back."""

import json
import re
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue
from pages.ui.inputs.tokenizers import run_names, swatch
from pages.ui.run_registry import registry as trainings
from pages.ui.run_registry.registry import Registry
from tests.helpers.app import job_of, start_training
from tests.helpers.app import wait_until as wait_for_page
from tests.helpers.browser import PATIENCE
from tests.helpers.jobs import kill_worker
from tokenizer_core.errors import TrainingError
from tokenizer_core.kernels import compiled
from tokenizer_core.workers import child
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training

SLOW = Training(["aa ab ba bb " * 50], 300, pace=0.5)
QUICK = Training(["aa ab ba bb " * 50], 260)


def wait_until(job: Job, reached: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, f"still {job.state}"
        job.wait(0.05)


def test_a_training_waits_for_its_turn_and_gets_it(registry: Registry) -> None:
    first, second, third = (registry.start(SLOW) for _ in range(3))
    assert [registry.place(job) for job in (first, second, third)] == [None, 1, 2]
    assert (second.state, third.state) == ("waiting", "waiting")
    wait_until(first, lambda: first.state == "running")
    first.stop()
    wait_until(second, lambda: second.state == "running")
    assert [registry.place(job) for job in (first, second, third)] == [None, None, 1]


def test_one_visitor_with_many_trainings_keeps_no_other_waiting(registry: Registry) -> None:
    many = [registry.start(SLOW, owner="many") for _ in range(5)]
    one, other = (registry.start(SLOW, owner=owner) for owner in ("one", "other"))
    assert [registry.place(job) for job in (*many, one, other)] == [None, 3, 4, 5, 6, 1, 2]
    again = registry.start(SLOW, owner="one")
    assert [registry.place(job) for job in (one, other, many[1], again)] == [1, 2, 3, 4]
    wait_until(many[0], lambda: many[0].state == "running")
    many[0].stop()
    wait_until(one, lambda: one.state == "running")
    assert [registry.place(job) for job in (other, many[1], again)] == [1, 2, 3]


def test_a_paused_training_takes_no_turn_and_waits_when_it_goes_on(registry: Registry) -> None:
    first = registry.start(SLOW)
    wait_until(first, lambda: first.state == "running")
    first.pause()
    wait_until(first, lambda: first.state == "paused")
    second = registry.start(SLOW)
    wait_until(second, lambda: second.state == "running")
    registry.resume(first)
    assert (first.state, registry.place(first)) == ("paused", 1)
    learned = len(first.merges)
    first.step(2)  # a step is but a moment
    wait_until(first, lambda: len(first.merges) == learned + 2)
    second.stop()
    wait_until(first, lambda: first.state == "running")
    assert registry.place(first) is None


def test_a_training_that_dies_lets_the_next_one_in(registry: Registry) -> None:
    first, second = registry.start(SLOW), registry.start(SLOW)
    wait_until(first, lambda: first.merges)
    kill_worker(first)
    wait_until(second, lambda: second.state == "running")
    assert (first.state, first.failure is not None) == ("failed", True)
    assert first.merges


def test_a_waiting_training_can_be_stopped_and_forgotten(registry: Registry) -> None:
    first, second, third = (registry.start(SLOW, owner="me") for _ in range(3))
    second.stop()
    assert (second.state, registry.place(second), registry.place(third)) == ("stopped", None, 1)
    registry.forget(third.id)
    assert registry.get(third.id) is None
    assert third.ended
    assert [run.job for run in registry.runs("me")] == [first, second]


def test_deleting_a_run_that_trains_ends_its_worker_and_lets_the_next_one_in(registry: Registry) -> None:
    first, second = registry.start(SLOW, owner="me"), registry.start(SLOW, owner="me")
    wait_until(first, lambda: first.state == "running")
    registry.forget(first.id)
    wait_until(second, lambda: second.state == "running")
    assert first.ended
    assert registry.run(first.id) is None


def test_slow_play_left_alone_is_paused_for_those_who_wait(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = registry.start(SLOW)
    wait_until(alone, lambda: alone.state == "running")
    registry.sweep()
    assert alone.state == "running"  # nobody waits, and it was seen a moment ago
    monkeypatch.setattr(trainings, "LEFT_ALONE_SECONDS", 0.0)
    newcomer = registry.start(SLOW)
    registry.sweep()
    wait_until(newcomer, lambda: newcomer.state == "running")
    assert alone.state == "paused"


def test_full_speed_left_alone_comes_to_its_end(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainings, "LEFT_ALONE_SECONDS", 0.0)
    first, second = registry.start(QUICK), registry.start(QUICK)
    registry.sweep()
    wait_until(second, lambda: second.ended)
    assert (first.state, second.state) == ("done", "done")


def test_of_too_many_paused_workers_the_one_unseen_for_longest_ends(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainings, "MAX_PAUSED", 1)
    older = registry.start(SLOW)
    wait_until(older, lambda: older.merges)
    older.pause()
    wait_until(older, lambda: older.state == "paused")
    newer = registry.start(SLOW)
    wait_until(newer, lambda: newer.merges)
    newer.pause()
    wait_until(newer, lambda: newer.state == "paused")
    registry.sweep()
    wait_until(older, lambda: older.ended)
    assert (older.state, newer.state, bool(older.merges)) == ("stopped", "paused", True)


def test_a_run_unseen_for_long_is_forgotten(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    job = registry.start(SLOW)
    assert registry.get(job.id) is job
    monkeypatch.setattr(trainings, "UNSEEN_SECONDS", -1.0)
    registry.sweep()
    assert registry.get(job.id) is None
    assert job.ended


def test_texts_beyond_the_limit_are_given_back_and_merges_stay(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = registry.start(QUICK)
    wait_until(job, lambda: job.ended)
    registry.sweep()
    assert job.training.texts
    monkeypatch.setattr(trainings, "MAX_KEPT_CHARACTERS", 10)
    registry.sweep()
    assert (list(job.training.texts), len(job.merges)) == ([], 4)


def test_an_owner_sees_only_runs_of_their_own_and_has_a_limit(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainings, "MAX_RUNS", 2)
    mine = [registry.start(QUICK, owner="me", name=name) for name in ("one", "two")]
    registry.start(QUICK, owner="you")
    registry.start(QUICK)
    assert [(run.job, run.name) for run in registry.runs("me")] == [(mine[0], "one"), (mine[1], "two")]
    assert registry.runs("") == []
    with pytest.raises(TrainingError) as refusal:
        registry.start(QUICK, owner="me")
    assert refusal.value.code == "too_many_runs"


def test_an_unknown_id_finds_nothing(registry: Registry) -> None:
    assert registry.get("nobody") is None
    assert registry.get(None) is None
    registry.forget("nobody")


# ---- when no worker can be started


@pytest.fixture
def no_workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """No worker can be started until this is called."""

    def fail(*command: object, **more: object) -> None:
        raise OSError(24, "Too many open files")

    with monkeypatch.context() as held_back:
        held_back.setattr(child, "subprocess", SimpleNamespace(Popen=fail, PIPE=-1, DEVNULL=-3))
        yield held_back.undo


def test_a_training_that_cannot_start_says_so_and_gives_its_turn_back(
    registry: Registry, no_workers: Callable[[], None]
) -> None:
    for _ in range(3):
        job = registry.start(QUICK)
        assert job.state == "failed"
        assert job.failure is not None
        assert job.failure.code == "worker_not_started"
    no_workers()
    job = registry.start(QUICK)
    wait_until(job, lambda: job.ended)
    assert (job.state, len(job.merges)) == ("done", 4)


def test_many_that_wait_fail_one_after_another_when_no_worker_can_be_started(
    registry: Registry, no_workers: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainings, "MAX_TRAININGS", 0)
    monkeypatch.setattr(trainings, "MAX_WAITING", 300)
    waiting = [registry.start(QUICK) for _ in range(300)]
    monkeypatch.setattr(trainings, "MAX_TRAININGS", 1)
    registry.sweep()
    assert {job.state for job in waiting} == {"failed"}


def test_the_app_comes_up_where_no_worker_can_be_started(no_workers: Callable[[], None]) -> None:
    registry = Registry()
    registry.warm_up()
    compiled.wait_until_ready()
    registry.close()


# ---- runs are told apart


def test_runs_without_a_name_of_the_visitors_are_named_by_what_they_learn(registry: Registry) -> None:
    kinds = [("mark_aware", 258), ("llama3", 258), ("llama3", 258), ("[a-z]+", 258), ("llama3", 257)]
    for pattern, size in kinds:
        registry.start(Training(["abcabcabcabc"], size, pattern, corpus_name="` *th* `"), owner="me")
    registry.start(QUICK, owner="me", name="*mine*")
    names = [*run_names(registry.runs("me")).values()]
    assert names == [
        "*th* · Thai-aware · 258",
        "*th* · Llama 3 · 258",
        "*th* · Llama 3 · 258 (2)",
        "*th* · My own pattern · 258",
        "*th* · Llama 3 · 257",
        "*mine*",
    ]


def test_runs_keep_a_swatch_of_their_own(registry: Registry) -> None:
    first, *others = [registry.start(QUICK, owner="me").id for _ in range(8)]
    before = {run.job.id: swatch(run) for run in registry.runs("me")}
    assert len(set(before.values())) == 8
    registry.forget(first)
    newest = registry.start(QUICK, owner="me").id
    after = {run.job.id: swatch(run) for run in registry.runs("me")}
    assert [after[run] for run in others] == [before[run] for run in others]
    assert after[newest] == before[first]


def test_two_runs_on_one_text_are_told_apart_where_they_are_compared() -> None:
    app = start_training(size=280)
    wait_for_page(app, lambda: job_of(app).ended)
    first = job_of(app).id
    app.run()
    app.button(key=f"again_{first}").click().run()
    app.selectbox(key="pattern_choice").set_value("llama3").run()
    app.button(key="start").click().run()
    wait_for_page(app, lambda: job_of(app).ended and job_of(app).id != first)
    assert brought_into_view(app) == []
    app.session_state["compare_runs"] = True
    app.run()
    (seen,) = brought_into_view(app)
    assert seen["target"] == "compare_runs"
    names = ["Thai and English · Llama 3 · 280", "Thai and English · Thai-aware · 280"]
    assert app.selectbox(key="compared_0").options == app.selectbox(key="compared_1").options == names
    swatches = [
        found[0]
        for block in app.get("html")
        if (found := re.findall(r"<span aria-hidden.*</span>", block.proto.body))
    ]
    listed, compared, parted = swatches[:2], swatches[2:4], swatches[4:]
    assert len(set(listed)) == 2
    assert listed == compared == parted  # the newest first
    assert any(catalogue("en")["parting.parts"].split("{")[0] in each.value for each in app.markdown)
    assert brought_into_view(app.run()) == [seen]


# ---- what comes below the fold


def brought_into_view(app: AppTest) -> list[dict[str, str]]:
    return [
        json.loads(element.proto.bytes)
        for element in app.get("bidi_component")
        if element.proto.component_name == "into_view"
    ]


@pytest.mark.long
def test_each_answer_to_what_if_comes_into_view() -> None:
    app = start_training(corpus="ab cd ab cd abcd abcd xy xy " * 5, size=262, pace="slowest")
    job = job_of(app)
    job.pause()
    seen: list[dict[str, str]] = []
    for popover in ("what_if_asks", "what_if_asks1"):  # a new one each time: it is closed, whatever comes late
        app.session_state[popover] = True
        wait_for_page(app, lambda: job.state == "paused" and bool(app.radio))
        assert brought_into_view(app) == seen[-1:]
        app.button(key="what_if_go").click().run()
        seen += brought_into_view(app)
        wait_for_page(app, lambda: app.session_state["what_if"].series.is_complete)
        assert brought_into_view(app) == seen[-1:]  # the same occasion: nobody is pulled back
    assert [each["target"] for each in seen] == ["what_if_answer"] * 2
    assert seen[0]["occasion"] != seen[1]["occasion"]
