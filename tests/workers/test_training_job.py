"""What a job takes in from its worker and sends to it, whatever the order, and how it ends."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.helpers.browser import PATIENCE
from tokenizer_core import Merge
from tokenizer_core.bpe.trainer import Candidate
from tokenizer_core.errors import TokenizerError
from tokenizer_core.workers import training_job
from tokenizer_core.workers.child import Child
from tokenizer_core.workers.training_job import Choice, Job, State
from tokenizer_core.workers.training_settings import Counting, Training

TRAINING = Training(["abab", "a text\nof lines", "left out"], 300, special_tokens=["<s>"], pace=2.0)
STARTED = {"event": "started", "token_count": 9, "pretokens": 3, "distinct": 2, "corpus_sha256": "beef"}


class Worker:
    """A worker that says what the test lets it say, and remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[Mapping[str, Any], Sequence[object]]] = []
        self.says: SimpleQueue[dict[str, Any] | Exception | None] = SimpleQueue()
        self.kills = self.closes = 0
        self.is_closed = threading.Event()

    def send(self, description: Mapping[str, Any], contents: Sequence[object] = ()) -> None:
        self.told.append((description, contents))

    def events(self) -> Iterator[dict[str, Any]]:
        while (event := self.says.get()) is not None:
            if isinstance(event, Exception):
                raise event
            yield event
        raise TokenizerError("worker_killed")

    def kill(self) -> None:
        self.kills += 1
        self.says.put(None)

    def close(self) -> None:
        self.closes += 1
        self.says.put(None)
        self.is_closed.set()

    @property
    def commands(self) -> list[Mapping[str, Any]]:
        return [description for description, _ in self.told[1:]]


def hired(training: Training = TRAINING, **options: Any) -> tuple[Job, Worker]:
    """A job at work with such a worker."""
    job, worker = Job(training, waits=True, **options), Worker()
    job.begin(cast(Child, worker))
    return job, worker


def takes(job: Job, *events: dict[str, Any]) -> None:
    for event in events:
        job._take_in(event)


def merges_of(
    *rows: tuple[int, int, int], curve: object = (), served: object = (), seconds: float = 0.5
) -> dict[str, Any]:
    return {"event": "merges", "merges": rows, "curve": curve, "work_seconds": seconds, "served": served}


# ---- what it takes in


def test_each_event_changes_what_it_is_about() -> None:
    states: list[State] = []
    job, worker = hired(when_changed=lambda job: states.append(job.state))
    assert (job.state, job.token_count, job.learned, job.merge_goal, job.choice) == ("starting", None, 0, 44, None)
    assert (job.counting, job.corpus_sha256, job.corpus_characters) == (Counting(0, 0, 0.0), None, 4 + 15 + 8)
    assert (job.work_seconds, job.pretokens, job.distinct_pretokens, job.curve, job.served) == (0.0, 0, 0, [], [])
    assert (job.recounts, job.superwords_after, job.failure, job.ending) == (False, None, None, None)
    assert job.opening == "abab\na text\nof lines"
    takes(job, {"event": "counting", "done": 4, "size": 19, "seconds": 0.25})
    assert (job.state, job.counting) == ("counting", Counting(4, 19, 0.25))
    takes(job, STARTED)
    assert (job.state, job.pretokens, job.distinct_pretokens, job.corpus_sha256) == ("running", 3, 2, "beef")
    assert (job.token_count, job.curve) == (9, [(0, 9)])
    takes(job, merges_of((97, 98, 2), (256, 256, 1), curve=[(2, 5)], served=[None, 1]))
    takes(job, merges_of((97, 99, 1), curve=[(3, 4)], served=[0], seconds=0.75))
    assert job.merges == [Merge(97, 98, 256, 2), Merge(256, 256, 257, 1), Merge(97, 99, 258, 1)]
    assert (job.learned, job.served, job.curve, job.work_seconds) == (
        3,
        [None, 1, 0],
        [(0, 9), (2, 5), (3, 4)],
        0.75,
    )
    takes(job, {"event": "choice", "after": 3, "candidates": [[1, 2, 9], [3, 4, 9]], "ties": 1, "served": 0})
    assert job.choice == Choice(3, [Candidate(1, 2, 9), Candidate(3, 4, 9)], 1, 0)
    takes(job, {"event": "paused"}, {"event": "running"}, {"event": "paused"})
    assert (job.state, job.ended) == ("paused", False)
    takes(job, {"event": "finished", "ending": "size"})
    assert (job.state, job.ending, job.ended, job.failure, job.choice) == ("done", "size", True, None, None)
    assert job.latest_choice is not None
    assert states == ["starting", "counting", "running", "paused", "running", "paused", "done"][1:]
    job.close()
    assert (job.state, job.ending, worker.closes) == ("done", "size", 1)


def test_what_comes_after_the_end_is_dropped() -> None:
    job, _ = hired()
    takes(job, STARTED, {"event": "finished", "ending": "stopped"})
    assert (job.state, job.ending) == ("stopped", "stopped")
    takes(job, merges_of((97, 98, 2)), {"event": "running"})
    assert (job.merges, job.state) == ([], "stopped")
    job.close()


def test_the_tokenizer_is_of_the_merges_so_far() -> None:
    job, _ = hired()
    takes(job, STARTED)
    bare = job.tokenizer()
    assert (bare.vocab_size, bare.special_tokens, bare.pattern) == (256, {"<s>": 256}, "mark_aware")
    assert job.tokenizer() is bare
    takes(job, merges_of((97, 98, 2)))
    learned = job.tokenizer()
    assert (learned.merges, learned.special_tokens) == ([(97, 98)], {"<s>": 257})
    job.close()


def test_the_time_of_training_is_without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(training_job, "time", SimpleNamespace(monotonic=lambda: now[0], time=lambda: 5.0))
    job, _ = hired()
    assert (job.created, job.seconds) == (5.0, 0.0)
    for event, passes, seconds in (
        ({"event": "counting", "done": 0, "size": 9, "seconds": 0.0}, 7, 0.0),
        (STARTED, 2, 2.0),
        ({"event": "paused"}, 30, 2.0),
        ({"event": "running"}, 3, 5.0),
        ({"event": "running"}, 1, 6.0),
        ({"event": "finished", "ending": "size"}, 50, 6.0),
    ):
        takes(job, event)
        now[0] += passes
        assert job.seconds == seconds
    job.close()


# ---- what it sends


def test_a_worker_gets_the_training_and_then_each_command() -> None:
    job, worker = hired(memory_bytes=123)
    description, contents = worker.told[0]
    assert description == {"training": TRAINING.described(), "memory_bytes": 123}
    assert contents == TRAINING.texts
    job.pause()
    job.resume()
    job.step()
    job.step(7)
    job.set_pace("gathering")
    job.use_loops()
    assert job.pace == "gathering"
    assert worker.commands == [
        {"command": "pause"},
        {"command": "resume"},
        {"command": "step", "merges": 1},
        {"command": "step", "merges": 7},
        {"command": "pace", "pace": "gathering"},
        {"command": "use_loops"},
    ]
    job.close()
    job.pause()
    assert len(worker.commands) == 6


def test_commands_wait_for_a_worker() -> None:
    job, worker = Job(TRAINING, waits=True), Worker()
    assert (job.state, job.pace) == ("waiting", 2.0)
    job.set_pace(9.0)
    job.pause()
    job.begin(cast(Child, worker))
    assert worker.commands == [{"command": "pace", "pace": 9.0}, {"command": "pause"}]
    job.close()


def test_a_job_that_no_longer_waits_sends_the_worker_away() -> None:
    job, worker = Job(TRAINING, waits=True), Worker()
    job.close()
    assert (job.state, job.ending) == ("stopped", "stopped")
    job.begin(cast(Child, worker))
    assert (worker.told, worker.closes, job.state) == ([], 1, "stopped")
    job.begin()
    assert job.state == "stopped"


def test_a_job_that_ends_while_it_hires_kills_its_worker() -> None:
    job, worker = Job(TRAINING, waits=True), Worker()
    worker.send = lambda *told: job.close() if job._worker is None else setattr(job, "state", "stopped")  # type: ignore[method-assign]
    job.begin(cast(Child, worker))
    assert worker.is_closed.wait(PATIENCE)
    assert worker.kills == 1


@pytest.mark.parametrize(
    "error", [OSError(), RuntimeError(), MemoryError(), TokenizerError("out_of_memory")], ids=repr
)
def test_without_a_worker_a_job_fails(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> None:
        raise error

    monkeypatch.setattr(training_job, "start_worker", refuse)
    job = Job(TRAINING)
    assert (job.state, job.failure and job.failure.code) == ("failed", "worker_not_started")
    job, worker = Job(TRAINING, waits=True), Worker()
    worker.send = refuse  # type: ignore[method-assign,assignment]
    job.begin(cast(Child, worker))
    assert (job.state, worker.closes) == ("failed", 1)


@pytest.mark.parametrize(("is_ready", "arguments"), [(True, ()), (False, ("plain",))])
def test_a_worker_learns_in_plain_python_until_the_loops_are_ready(
    is_ready: bool, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(training_job, "are_ready", lambda: is_ready)
    monkeypatch.setattr(training_job, "Child", lambda *given: started.append(given))
    training_job.start_worker()
    assert started == [("training_worker", *arguments)]


# ---- how it ends


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (TokenizerError("out_of_memory"), "out_of_memory"),
        (None, "worker_killed"),
    ],
    ids=["failed", "killed"],
)
def test_whatever_a_worker_says_last_ends_the_job_and_the_worker(said: Any, code: str) -> None:
    job, worker = hired()
    worker.says.put(STARTED)
    job.wait(PATIENCE, lambda: job.state == "running")
    worker.says.put(said)
    assert worker.is_closed.wait(PATIENCE)
    assert (job.state, job.failure and job.failure.code) == ("failed", code)


def test_the_events_of_a_worker_end_with_the_training() -> None:
    job, worker = hired()
    for event in (STARTED, {"event": "finished", "ending": "pairs"}, {"event": "running"}):
        worker.says.put(event)
    assert worker.is_closed.wait(PATIENCE)
    assert (job.state, job.ending, job.failure) == ("done", "pairs", None)


def test_a_stop_is_a_command_and_a_worker_that_does_not_obey_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_job, "STOP_SECONDS", 0.01)
    job, worker = hired()
    takes(job, STARTED)
    job.stop()
    assert worker.commands == [{"command": "stop"}]
    assert worker.is_closed.wait(PATIENCE)
    assert (job.state, job.ending) == ("stopped", "stopped")


def test_a_stop_without_a_free_thread_closes_the_worker_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoTimer(threading.Timer):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    job, worker = hired()
    takes(job, STARTED)
    monkeypatch.setattr(training_job, "threading", SimpleNamespace(Timer=NoTimer))
    job.stop()
    assert (job.state, worker.is_closed.is_set()) == ("stopped", True)


@pytest.mark.parametrize(
    "before", [[], [{"event": "counting", "done": 0, "size": 9, "seconds": 0.0}]], ids=["starting", "counting"]
)
def test_a_training_that_has_not_begun_is_closed_at_once(before: list[dict[str, Any]]) -> None:
    job, worker = hired()
    takes(job, *before)
    job.stop()
    assert (job.state, worker.closes > 0, worker.commands) == ("stopped", True, [])


def test_whoever_waits_is_told_of_each_change_and_of_the_end() -> None:
    job, _ = hired()
    met: list[bool] = []

    def meet() -> None:
        job.wait(PATIENCE, lambda: job.state == "running")
        met.append(job.state == "running")

    thread = threading.Thread(target=meet)
    thread.start()
    takes(job, STARTED)
    thread.join(PATIENCE)
    assert met == [True]
    waiting = threading.Thread(target=job.wait, args=(PATIENCE, lambda: False))
    waiting.start()
    job.close()
    waiting.join(PATIENCE)
    assert not waiting.is_alive()


def test_forgotten_texts_leave_what_was_learned() -> None:
    job, _ = hired()
    takes(job, STARTED, merges_of((97, 98, 2)), {"event": "finished", "ending": "size"})
    job.forget_texts()
    assert (job.training.texts, job.training.vocab_size, job.corpus_characters) == ((), 300, 27)
    assert job.tokenizer().merges == [(97, 98)]
    job.close()
