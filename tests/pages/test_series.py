"""Trainings one after another: each begins when the one before has ended, and can be stopped and resumed."""

import time
from collections.abc import Callable

import pytest

from pages.ui.run_registry.registry import registry
from pages.ui.run_registry.series import Plan, Series, stop_all_but
from tests.helpers.browser import PATIENCE
from tokenizer_core.errors import PatternError, TokenizerError
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training

TEXT = "aa ab ba bb " * 50
ENDLESS = Training([TEXT], 300, pace=0.5)


def carry_on(series: Series, reached: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline
        series.go_on()


def sizes(outcomes: list[int], wanted: tuple[int, ...]) -> Plan:
    """Train each size; note how many merges came of it."""
    for size in wanted:
        outcome = yield Training([TEXT], size)
        outcomes.append(len(outcome.merges) if isinstance(outcome, Job) else -1)


def test_trainings_follow_one_another_and_leave_nothing_behind() -> None:
    outcomes: list[int] = []
    series = Series(sizes(outcomes, (258, 259, 260)), 3)
    assert (series.share, series.at_work) == (0.0, True)
    carry_on(series, lambda: series.is_complete)
    assert outcomes == [2, 3, 4]
    assert (series.share, series.at_work, series.job) == (1.0, False, None)


def test_a_stopped_series_goes_on_with_the_training_that_was_under_way() -> None:
    begun: list[int] = []

    def plan() -> Plan:
        begun.append(1)
        yield ENDLESS
        begun.append(2)

    series = Series(plan(), 1)
    carry_on(series, lambda: series.job is not None and series.job.state == "running")
    stopped = series.job
    assert stopped is not None
    series.stop()
    assert (series.stopped, series.at_work, registry().get(stopped.id)) == (True, False, None)
    series.resume()
    carry_on(series, lambda: series.job is not None)
    assert series.job is not stopped
    assert series.job is not None
    assert series.job.training == ENDLESS
    assert begun == [1]


@pytest.mark.parametrize("takes_failures", [True, False])
def test_a_failure_is_handed_to_the_plan_or_stops_the_series(takes_failures: bool) -> None:
    outcomes: list[object] = []

    def plan() -> Plan:
        outcomes.append((yield Training([TEXT], 260, "(unbalanced")))
        outcomes.append((yield Training([TEXT], 260)))

    series = Series(plan(), 2, takes_failures=takes_failures)
    carry_on(series, lambda: series.is_complete or series.failure)
    if takes_failures:
        assert [type(outcome) for outcome in outcomes] == [TokenizerError, Job]
        assert series.failure is None
    else:
        assert series.failure is not None
        assert series.failure.code == "pattern_syntax"
        assert outcomes == []
        assert not series.at_work


def test_a_training_that_is_refused_at_once_is_a_failure_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(training: Training) -> Job:
        raise PatternError("pattern_slow", excerpt="")

    monkeypatch.setattr(registry(), "start", refuse)
    series = Series(sizes([], (260,)), 1)
    series.go_on()
    assert series.failure is not None
    assert series.failure.code == "pattern_slow"


def test_one_series_at_a_time_is_at_work() -> None:
    one, other, ended = (Series(sizes([], (258,)), 1) for _ in range(3))
    carry_on(ended, lambda: ended.is_complete)
    stop_all_but(one, [one, other, ended])
    assert (one.stopped, other.stopped, ended.stopped) == (False, True, False)
