"""The registry of trainings: how many run at once, and who makes room."""

from collections.abc import Iterator

import pytest

from pages.ui import jobs
from pages.ui.jobs import Registry
from tokenizer_core.errors import TrainingError
from tokenizer_core.job import Training

SLOW = Training(["aa ab ba bb " * 50], 300, pace=0.5)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A registry with room for a single training."""
    monkeypatch.setattr(jobs, "MAX_TRAININGS", 1)
    registry = Registry()
    yield registry
    registry.close()


def test_a_training_that_somebody_watches_is_never_stopped_for_another(registry: Registry) -> None:
    watched = registry.start(SLOW)
    with pytest.raises(TrainingError) as refusal:
        registry.start(SLOW)
    assert refusal.value.code == "too_many_trainings"
    assert not watched.ended


def test_a_training_left_alone_makes_room(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "LEFT_ALONE_SECONDS", 0.0)
    alone = registry.start(SLOW)
    newcomer = registry.start(SLOW)
    while not alone.ended:
        alone.wait(1)
    assert alone.state == "stopped"
    assert not newcomer.ended


def test_a_training_unseen_for_long_is_forgotten(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    job = registry.start(SLOW)
    assert registry.get(job.id) is job
    monkeypatch.setattr(jobs, "UNSEEN_SECONDS", -1.0)
    registry.sweep()
    assert registry.get(job.id) is None


def test_an_unknown_id_finds_nothing(registry: Registry) -> None:
    assert registry.get("nobody") is None
    assert registry.get(None) is None
