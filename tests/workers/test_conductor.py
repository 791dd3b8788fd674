"""How a worker trains: its pace, its commands and its reports, by a clock of the test."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import pytest

from tests.helpers.jobs import SMALL
from tokenizer_core import Tokenizer, Trainer, count_pretokens
from tokenizer_core.bpe.parity_trainer import ParityTrainer
from tokenizer_core.bpe.trainer import cluster_merges
from tokenizer_core.bpe.vocabulary import Pair
from tokenizer_core.corpus_counts.counts import Counts
from tokenizer_core.corpus_counts.counts_file import write_counts
from tokenizer_core.workers import training_worker
from tokenizer_core.workers.training_settings import CountedCorpus, Goal, Pace, ParityUnit, StopRules, Training
from tokenizer_core.workers.training_worker import Conductor, count, first_stage, trainer_of

TEXT = SMALL[:600]
PLAIN = Trainer(count_pretokens(TEXT, "mark_aware"), 300).step(300)


@dataclass
class Stage:
    """A clock that stands still unless something waits, and all that was told and awaited."""

    now: float = 0.0
    events: list[dict[str, Any]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now

    def named(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == name]

    @property
    def reports(self) -> list[int]:
        """How many merges each report had."""
        return [len(event["merges"]) for event in self.named("merges")]

    @property
    def ending(self) -> object:
        return self.events[-1]["ending"]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    found = Stage()
    monkeypatch.setattr(training_worker, "time", found)
    monkeypatch.setattr(
        training_worker, "send", lambda event, **values: found.events.append({"event": event, **values})
    )
    return found


class Commands(SimpleQueue[dict[str, Any]]):
    """Commands that are there from the beginning; waiting for more takes its time on the clock of the test."""

    def __init__(self, stage: Stage, given: Iterable[dict[str, Any]] = ()) -> None:
        self.stage = stage
        for command in given:
            self.put(command)

    def get(self, block: bool = True, timeout: float | None = None) -> dict[str, Any]:
        if self.empty() and timeout is not None:
            self.stage.waits.append(round(timeout, 9))
            self.stage.now += timeout
        return super().get_nowait()


def conductor_of(stage: Stage, training: Training, *commands: dict[str, Any]) -> Conductor:
    contents = [text.encode() for text in training.texts]
    return Conductor(
        trainer_of(training, count(training, contents)[0], contents), Commands(stage, commands), training
    )


def conducted(
    stage: Stage, training: Training, *commands: dict[str, Any], first: Sequence[Pair] = ()
) -> Conductor:
    conductor = conductor_of(stage, training, *commands)
    stage.events.clear()
    conductor.run(first)
    return conductor


def learned(stage: Stage) -> list[tuple[int, int, int]]:
    return [merge for event in stage.named("merges") for merge in event["merges"]]


# ---- pace


@pytest.mark.parametrize(
    ("pace", "size", "wait"),
    [(1.0, 1, 1.0), (0.5, 1, 2.0), (100.0, 10, 0.1), (14.0, 1, 1 / 14), (16.0, 2, 2 / 16)],
)
def test_a_pace_decides_how_many_merges_come_at_once_and_how_long_to_wait(
    stage: Stage, pace: float, size: int, wait: float
) -> None:
    conducted(stage, Training([TEXT], 256 + 4 * size, pace=pace))
    assert stage.reports == [size] * 4
    assert stage.waits == [pytest.approx(wait)] * 4
    assert learned(stage) == [(merge.left, merge.right, merge.count) for merge in PLAIN[: 4 * size]]


def test_at_full_speed_nothing_waits_and_all_is_told_at_once(stage: Stage) -> None:
    conducted(stage, Training([TEXT], 300))
    assert (stage.reports, stage.waits, stage.ending) == ([44], [], "size")
    assert [event["event"] for event in stage.events] == ["merges", "finished"]


def test_a_gathering_pace_is_read_first_then_doubles_and_at_last_holds_nothing_back(stage: Stage) -> None:
    conductor = conductor_of(stage, Training([TEXT], 300, pace="gathering"))
    for learned, rate in ((0, 1 / 4.5), (1, 1 / 4.5), (2, 1 / 3.5), (3, 1 / 3), (4, 0.8), (11, 0.8)):
        conductor.pairs = [(0, 0)] * learned
        assert conductor.rate() == rate
    conductor.pairs = [(0, 0)] * 12
    conductor.gathers_from = 5.0
    rates = []
    for seconds in (5.0, 10.0, 15.0, 20.0):
        conductor.seconds = seconds
        rates.append(conductor.rate())
    assert rates == pytest.approx([1.0, 200**0.5, 200.0, 200**1.5])
    for seconds in (43.0, 10**7):
        conductor.seconds = seconds
        assert conductor.rate() is None
    for pace in (2.0, None):
        conductor.pace = pace
        assert conductor.rate() == pace


def test_a_gathering_pace_starts_anew_when_it_is_asked_for(stage: Stage) -> None:
    conductor = conductor_of(stage, Training([TEXT], 300, pace=None))
    conductor.pairs, conductor.seconds = [(0, 0)] * 12, 50.0
    conductor.obey({"command": "pace", "pace": "gathering"})
    assert conductor.rate() == 1.0


def test_counts_are_of_a_size_that_is_unknown(stage: Stage, tmp_path: Path) -> None:
    counts = Counts.of(TEXT, "mark_aware")
    write_counts(counts, tmp_path / "c")
    corpus = CountedCorpus(counts.recipe, counts.sha256, len(TEXT), 9)
    found, sha256 = count(Training((), 300, counts=corpus), [(tmp_path / "c").read_bytes()])
    assert stage.events == [{"event": "counting", "done": 0, "size": 0, "seconds": 0.0}]
    assert (sha256, len(found), int(found[0].counts.sum())) == (
        counts.sha256,
        1,
        int(counts.pretokens.counts.sum()),
    )


def test_a_gathering_pace_begins_where_people_begin_to_watch(stage: Stage) -> None:
    conducted(stage, Training([TEXT], 256 + 14, pace="gathering"))
    assert stage.waits[:12] == pytest.approx([4.5, 3.5, 3.0, *[1.25] * 8, 1.0])
    assert 0 < stage.waits[13] < stage.waits[12] < 1.0
    assert stage.reports == [1] * 14


# ---- stop rules


@pytest.mark.parametrize(("seconds", "merges"), [(3.0, 3), (2.5, 3), (3.1, 4)])
def test_a_time_limit_counts_the_waits(stage: Stage, seconds: float, merges: int) -> None:
    conducted(stage, Training([TEXT], 300, pace=1.0, stop=StopRules(max_seconds=seconds)))
    assert (stage.reports, stage.ending) == ([1] * merges, "time")


def test_merges_that_would_make_the_tokens_too_long_end_the_training(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, merges in ((256 + 2 + 3 + 4, 3), (256 + 2 + 3 + 3, 2), (256 + 1, 0), (256 + 2 + 3 + 4 + 5, 4)):
        stage.events.clear()
        monkeypatch.setattr(training_worker, "MAX_VOCABULARY_BYTES", most)
        given = [(97, 98), (256, 99), (257, 100), (258, 101)]
        conducted(stage, Training(["abcde abcde"], 260, given=given))
        assert learned(stage) == [(left, right, 2) for left, right in given[:merges]]
        assert stage.ending == ("length" if merges < 4 else "size")


def test_a_goal_keeps_the_merge_that_reaches_it_and_drops_the_others(stage: Stage) -> None:
    text = TEXT[:40]
    counts = [len(Tokenizer([(m.left, m.right) for m in PLAIN[:n]]).encode(text)) for n in range(len(PLAIN) + 1)]
    goal = counts[10]
    expected = next(n for n, tokens in enumerate(counts) if tokens < goal)
    conducted(stage, Training([TEXT], 300, stop=StopRules(beat=Goal(text, goal))))
    assert (sum(stage.reports), stage.ending) == (expected, "beaten")
    stage.events.clear()
    conducted(stage, Training([TEXT], 300, stop=StopRules(beat=Goal("ab", 3))))
    assert (sum(stage.reports), stage.ending) == (0, "beaten")
    assert stage.named("merges")[0]["curve"] == []


# ---- commands


def test_commands_are_obeyed_one_after_the_other(stage: Stage) -> None:
    commands: list[dict[str, Any]] = [
        {"command": "pause"},
        {"command": "step", "merges": 2},
        {"command": "step", "merges": 1},
        {"command": "resume"},
        {"command": "step", "merges": 3},
        {"command": "resume"},
        {"command": "stop"},
    ]
    conducted(stage, Training([TEXT], 300), *commands)
    names = [event["event"] for event in stage.events if event["event"] != "choice"]
    assert names == [
        *("merges", "paused", "merges", "merges", "running"),
        *("merges", "paused", "merges", "running", "merges", "finished"),
    ]
    assert (stage.reports[1:3], stage.reports[4]) == ([2, 1], 3)
    assert stage.ending == "stopped"
    total = sum(stage.reports)
    assert learned(stage) == [(merge.left, merge.right, merge.count) for merge in PLAIN[:total]]


def test_a_command_for_another_pace_ends_the_wait(stage: Stage) -> None:
    conducted(stage, Training([TEXT], 256 + 3, pace=0.1), {"command": "pace", "pace": 2.0})
    assert stage.waits == [0.5, 0.5]
    assert stage.ending == "size"


def test_a_stop_before_the_last_merge_is_a_stop(stage: Stage) -> None:
    conducted(stage, Training([TEXT], 256 + 9, pace=1.0), {"command": "stop"})
    assert (stage.reports, stage.ending, stage.waits) == ([1], "stopped", [])


# ---- reports


@pytest.mark.parametrize("size", [300, 256 + 400, 256 + 800, 256 + 1_250])
def test_the_curve_has_some_points_of_each_report_and_always_its_last(stage: Stage, size: int) -> None:
    text = " ".join(f"{a}{b}{c}" for a in "abcdefghij" for b in "klmnopqrst" for c in "uvwxyzABCD") * 2
    conducted(stage, Training([text], size, "none"))
    trainer = Trainer(count_pretokens(text, "none"), size)
    merges, tokens = trainer.step(size), list(trainer.token_counts)
    stride = max(1, (size - 256) // 400)
    places = sorted({*range(stride, len(merges) + 1, stride), len(merges)})
    (report,) = stage.named("merges")
    assert report["curve"] == [(place, tokens[place - 1]) for place in places]


def test_the_next_pairs_are_told_at_a_pace_that_people_can_follow(stage: Stage) -> None:
    for pace, count_of_choices in ((4.0, 4), (4.1, 0)):
        stage.events.clear()
        conducted(stage, Training([TEXT], 256 + 3, pace=pace))
        choices = stage.named("choice")
        assert len(choices) == count_of_choices
        for choice, merge in zip(choices, PLAIN):
            assert choice["candidates"][0] == (merge.left, merge.right, merge.count)
            assert len(choice["candidates"]) <= 10
            assert choice["served"] is None
        assert [choice["after"] for choice in choices] == list(range(count_of_choices))
    trainer = Trainer(count_pretokens(TEXT, "mark_aware"), 300)
    stage.events.clear()
    conducted(stage, Training([TEXT], 256 + 1, pace=1.0))
    first = stage.named("choice")[0]
    assert (first["candidates"], first["ties"]) == ([tuple(each) for each in trainer.candidates(10)], trainer.ties)


def test_given_pairs_come_first_and_are_told_in_one_report(stage: Stage) -> None:
    given = [(merge.left, merge.right) for merge in PLAIN[:3]]
    conducted(stage, Training([TEXT], 260, given=given))
    assert stage.reports == [3, 1]
    assert learned(stage) == [(merge.left, merge.right, merge.count) for merge in PLAIN[:4]]
    stage.events.clear()
    first = [(merge.left, merge.right) for merge in PLAIN[:2]]
    conducted(stage, Training([TEXT], 260), first=[*first, (0, 1)])
    assert stage.reports[0] == 2
    assert sum(stage.reports) == 4


def test_by_parity_each_report_says_who_chose_and_each_choice_who_chooses(stage: Stage) -> None:
    training = Training(["ab ab cd", "กา กา"], 262, parity=True, unit="bytes", pace=1.0)
    conductor = conducted(stage, training)
    assert isinstance(conductor.trainer, ParityTrainer)
    served = [who for event in stage.named("merges") for who in event["served"]]
    assert len(served) == len(learned(stage)) > 3
    choices = [choice["served"] for choice in stage.named("choice")]
    assert choices[: len(served)] == served
    assert {0, 1} <= set(served)
    stage.events.clear()
    conducted(stage, Training([TEXT], 260, pace=1.0))
    assert [event["served"] for event in stage.named("merges")] == [()] * 4


# ---- before the first merge


def test_a_first_stage_has_at_most_the_merges_that_the_vocabulary_has() -> None:
    text = "ที่นี่ ที่นั่น " * 5
    contents = [text.encode()]
    for size, merges, expected in ((300, 4, 4), (258, 4, 2), (256, 4, 0), (300, 0, 0)):
        training = Training([text], size, first_merges=merges)
        assert first_stage(training, contents) == (cluster_merges([text], expected) if expected else [])
    rare = Training([text], 300, first_merges=9, stop=StopRules(99))
    assert first_stage(rare, contents) == []
    counts = Counts.of(text, "mark_aware")
    of_counts = CountedCorpus(counts.recipe, counts.sha256, len(text), 2)
    assert first_stage(Training((), 300, first_merges=4, counts=of_counts), contents) == []


def test_a_worker_without_an_app_says_that_it_is_ready_and_ends(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_worker, "sys", SimpleNamespace(argv=["worker"]))
    monkeypatch.setattr(training_worker, "load_loops", lambda: None)
    monkeypatch.setattr(training_worker, "from_app", lambda: None)
    monkeypatch.setattr(training_worker, "receive", lambda stream: None)
    training_worker.main()
    assert stage.events == [{"event": "ready"}]


def test_an_empty_text_by_parity_is_one_unit(stage: Stage) -> None:
    units: tuple[ParityUnit, ...] = ("lines", "characters", "bytes")
    for unit in units:
        training = Training(["", "ab ab"], 258, parity=True, unit=unit)
        conducted(stage, training)
    conducted(stage, Training(["ab", "ab ab"], 258, parity=True, measured=["", "ab"]))
    assert stage.ending in ("size", "pairs")


PACES: tuple[Pace, ...] = (None, 1.0)


@pytest.mark.parametrize("pace", PACES, ids=str)
def test_the_seconds_of_work_only_grow(stage: Stage, pace: Pace) -> None:
    conducted(stage, Training([TEXT], 262, pace=pace))
    seconds = [event["work_seconds"] for event in stage.named("merges")]
    assert seconds == sorted(seconds) == [0.0] * len(seconds)
