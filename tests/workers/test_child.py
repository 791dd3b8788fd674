"""How a child and the app talk, what ends a child, and how each end is told."""

import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from types import SimpleNamespace
from typing import Any

import pytest

from tests.helpers.browser import PATIENCE
from tokenizer_core.errors import CorpusError, TokenizerError
from tokenizer_core.workers import child
from tokenizer_core.workers.child import (
    Child,
    Order,
    Task,
    contents_in,
    failures_sent,
    receive,
    run,
    send,
    texts_of,
)


def says(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let a child run some code instead of its module."""
    patched = SimpleNamespace(
        Popen=lambda command, **more: Popen([sys.executable, "-S", "-c", code], **more),
        PIPE=subprocess.PIPE,
        DEVNULL=subprocess.DEVNULL,
    )
    monkeypatch.setattr(child, "subprocess", patched)


def failure_of(started: Child) -> TokenizerError:
    """What a child ends with."""
    try:
        with pytest.raises(TokenizerError) as caught:
            list(started.events())
    finally:
        started.close()
    return caught.value


# ---- from the app's side


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("", "worker_died"),
        ("print('{\"event\": ', end='')", "worker_died"),
        ("import os; os.kill(os.getpid(), 9)", "worker_killed"),
        ('print(\'{"event": "failed", "code": "stdin_twice", "values": {}}\')', "stdin_twice"),
    ],
    ids=["ends", "half a line", "killed", "failed"],
)
def test_each_end_of_a_child_is_told_by_the_error_of_its_work(
    code: str, failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(monkeypatch, code)
    assert failure_of(Child("any")).code == failure
    found = failure_of(Child("any", died=CorpusError("damaged_file", kind="x")))
    assert isinstance(found, CorpusError)
    assert (found.code, dict(found.values)) == (
        (failure, {}) if failure == "stdin_twice" else ("damaged_file", {"kind": "x"})
    )


def test_what_a_child_writes_is_read_line_by_line_and_its_complaints_go_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    complaints: list[str] = []
    says(
        monkeypatch,
        "import sys; line = sys.stdin.buffer.readline(); size = len(sys.stdin.buffer.read(9));"
        "sys.stderr.buffer.write(b'one\\n\\xff\\n'); sys.stderr.flush();"
        'sys.stdout.write(line.decode() + \'{"event": "read", "size": %d}\\n\' % size)',
    )
    started = Child("any", log=complaints.append)
    started.send({"event": "told"}, ["ก\ud800", b"123"])
    events = started.events()
    assert next(events) == {"event": "told", "sizes": [6, 3]}
    assert next(events) == {"event": "read", "size": 9}
    started.wait()
    assert not started.is_alive()
    started.close()
    assert complaints == ["one\n", "\ufffd\n"]


class NoThread(threading.Thread):
    def start(self) -> None:
        raise RuntimeError("can't start new thread")


def test_without_a_free_thread_no_child_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Popen[bytes]] = []

    def noted(command: list[str], **more: Any) -> Popen[bytes]:
        started.append(Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"], **more))
        return started[-1]

    monkeypatch.setattr(child, "subprocess", SimpleNamespace(Popen=noted, PIPE=-1, DEVNULL=-3))
    running = Child("any", died=CorpusError("damaged_file", kind="x"))
    with monkeypatch.context() as patch:
        patch.setattr(child, "threading", SimpleNamespace(Thread=NoThread, Event=threading.Event))
        with pytest.raises(CorpusError) as caught, running.limited(9, None):
            pytest.fail("it is not limited")
        assert caught.value.code == "worker_not_started"
    running.close()
    started.clear()
    with monkeypatch.context() as patch:
        patch.setattr(child, "threading", SimpleNamespace(Thread=NoThread))
        with pytest.raises(CorpusError) as caught:
            Child("any", died=CorpusError("damaged_file", kind="x"))
    assert caught.value.code == "worker_not_started"
    assert started[0].wait(PATIENCE) == -9


def test_where_the_system_hides_processor_time_the_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def hidden() -> bytes:
        raise OSError

    says(monkeypatch, "import time; time.sleep(600)")
    started = Child("any")
    try:
        monkeypatch.setattr(child, "Path", lambda path: SimpleNamespace(read_bytes=hidden))
        with (
            started.limited(0.05, CorpusError("stdin_twice"), patience=1_000),
            pytest.raises(CorpusError) as caught,
        ):
            next(started.events())
        assert caught.value.code == "stdin_twice"
    finally:
        started.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the seconds in which another process computes are Linux's")
def test_a_child_that_computes_for_too_long_is_ended_long_before_its_patience(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    says(monkeypatch, "while True: pass")
    started, begun = Child("any"), time.monotonic()
    try:
        with started.limited(0.05, CorpusError("stdin_twice"), patience=4_000), pytest.raises(CorpusError):
            next(started.events())
    finally:
        started.close()
    assert time.monotonic() - begun < 200


def test_a_child_that_answers_in_time_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, 'import time; print(\'{"event": "ready"}\', flush=True); time.sleep(600)')
    started = Child("any")
    threads = threading.active_count()
    try:
        with started.limited(3_600, CorpusError("stdin_twice")):
            assert next(started.events()) == {"event": "ready"}
        deadline = time.monotonic() + PATIENCE
        while threading.active_count() > threads:  # nobody watches it any longer
            assert time.monotonic() < deadline
            time.sleep(0.001)
        assert started.is_alive()
    finally:
        started.close()
    assert not started.is_alive()


def test_a_child_is_started_by_its_name_beside_the_others_or_by_its_full_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commands: list[list[str]] = []

    def refuse(command: list[str], **more: Any) -> None:
        commands.append(command[command.index("-m") + 1 :])
        raise OSError

    monkeypatch.setattr(child, "subprocess", SimpleNamespace(Popen=refuse, PIPE=-1, DEVNULL=-3))
    for module in ("guarded", "tokenizer_core.sources.hub"):
        with pytest.raises(TokenizerError) as caught:
            Child(module, "plain")
        assert caught.value.code == "worker_not_started"
    assert commands == [["tokenizer_core.workers.guarded", "plain"], ["tokenizer_core.sources.hub", "plain"]]


class Echo(Task):
    """A task whose child says a few events."""

    module = "any"
    died = CorpusError("damaged_file", kind="x")

    def __init__(self, order: Callable[[], Order], **options: Any) -> None:
        super().__init__(turns=options.get("turns"), seconds=options.get("seconds"))
        self.late = CorpusError("stdin_twice")
        self.taken: list[str] = []
        self.start(order)

    def take_in(self, event: dict[str, Any]) -> bool:
        self.taken.append(event["event"])
        return bool(event["event"] == "outcome")


def ended(task: Task) -> Task:
    task.wait(PATIENCE)
    assert task.ended
    return task


EVENTS = "\n".join(f'print(\'{{"event": "{name}"}}\')' for name in ("progress", "outcome", "late"))


def test_a_task_ends_with_its_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, EVENTS)
    task = Echo(lambda: ({}, []), seconds=PATIENCE)
    ended(task)
    assert (task.taken, task.failure, task.stopped) == (["progress", "outcome"], None, False)
    task.stop()
    assert not task.stopped


def test_a_task_that_does_not_come_to_its_outcome_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(error: Exception) -> Callable[[], Order]:
        def order() -> Order:
            raise error

        return order

    codes = []
    for error in (OSError(), MemoryError(), RuntimeError(), CorpusError("stdin_twice")):
        failure = ended(Echo(fails(error))).failure
        assert failure is not None
        codes.append(failure.code)
    assert codes == [*["worker_not_started"] * 3, "stdin_twice"]
    says(monkeypatch, 'print(\'{"event": "progress"}\')')
    died = ended(Echo(lambda: ({}, []))).failure
    says(monkeypatch, "import time; time.sleep(600)")
    late = ended(Echo(lambda: ({}, []), seconds=0.01)).failure
    assert [each and each.code for each in (died, late)] == ["damaged_file", "stdin_twice"]


def test_a_task_waits_for_its_turn_and_needs_none_once_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, EVENTS)
    turns, asked = threading.Semaphore(0), list[int]()

    def order() -> Order:
        asked.append(1)
        return {}, []

    tasks = [Echo(order, turns=turns) for _ in range(2)]
    tasks[0].wait(0.01)
    assert (asked, tasks[0].ended) == ([], False)
    tasks[0].stop()
    turns.release()
    for task in tasks:
        ended(task)
    assert (tasks[0].stopped, tasks[0].taken, tasks[0].failure) == (True, [], None)
    assert (tasks[1].taken, asked) == (["progress", "outcome"], [1])


# ---- within the child


def stream_of(description: dict[str, Any], *contents: bytes) -> io.BytesIO:
    sizes = list(map(len, contents))
    return io.BytesIO(
        json.dumps({"memory_bytes": None, "sizes": sizes} | description).encode() + b"\n" + b"".join(contents)
    )


def test_a_description_comes_before_its_texts() -> None:
    stream = stream_of({"name": "a"}, "ก\ud800".encode("utf-8", "surrogatepass"), b"", b"c")
    description = receive(stream)
    assert description is not None
    assert description["name"] == "a"
    contents = list(contents_in(stream, description))
    assert list(texts_of(contents)) == ["ก\ud800", "", "c"]
    assert receive(io.BytesIO()) is None


def test_a_child_works_once_on_what_it_is_given_and_not_at_all_if_the_app_is_gone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    worked: list[tuple[object, list[bytes]]] = []
    monkeypatch.setattr(child, "take_commands", lambda stream, take: None)
    for stream in (stream_of({"name": "a"}, b"1", b"23"), io.BytesIO()):
        monkeypatch.setattr(child, "from_app", lambda stream=stream: stream)
        run(lambda description, contents: worked.append((description["name"], contents)))
    assert worked == [("a", [b"1", b"23"])]

    def full(description: dict[str, Any], contents: list[bytes]) -> None:
        raise MemoryError

    monkeypatch.setattr(child, "from_app", lambda: stream_of({}))
    run(full, CorpusError("damaged_file", kind="x"))
    assert json.loads(capsys.readouterr().out) == {
        "event": "failed",
        "code": "damaged_file",
        "values": {"kind": "x"},
    }


@pytest.mark.parametrize(
    ("error", "full", "code"),
    [
        (CorpusError("stdin_twice"), None, "stdin_twice"),
        (MemoryError(), None, "out_of_memory"),
        (MemoryError(), CorpusError("stdin_twice"), "stdin_twice"),
        (RuntimeError("can't start new thread"), None, "out_of_memory"),
    ],
    ids=["refusal", "memory", "full", "thread"],
)
def test_a_failure_is_an_event(
    error: Exception, full: TokenizerError | None, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with failures_sent(full):
        raise error
    assert json.loads(capsys.readouterr().out) == {"event": "failed", "code": code, "values": {}}


def test_a_fault_of_the_program_is_no_event(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="torn"), failures_sent():
        raise RuntimeError("torn")
    assert capsys.readouterr().out == ""


def test_half_a_surrogate_pair_goes_through_and_valid_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    send("read", text="ก\ud800")
    send("read", is_valid=True, text="ก")
    first, second = capsys.readouterr().out.splitlines()
    assert (first.isascii(), json.loads(first)) == (True, {"event": "read", "text": "ก\ud800"})
    assert second == '{"event": "read", "text": "ก"}'


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_memory_is_limited_beyond_what_the_process_has(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    limits: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, both: limits.append((kind, both)))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (5, 2**62))
    child.limit_memory(None)
    assert limits == []
    child.limit_memory(2**50)
    ((kind, (soft, hard)),) = limits
    assert (kind, hard) == (resource.RLIMIT_AS, 2**62)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    assert abs(soft - 2**50 - used) < 2**28


def test_where_memory_cannot_be_limited_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    child.limit_memory(1)


def test_commands_are_taken_in_and_the_end_of_the_app_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    ends, taken, over = list[int](), list[dict[str, Any]](), threading.Event()

    def end(code: int) -> None:
        ends.append(code)
        over.set()

    monkeypatch.setattr(child, "os", SimpleNamespace(_exit=end))
    child.take_commands(io.BytesIO(b'{"command": "pause"}\n{"command": "stop"}\n'), taken.append)
    assert over.wait(PATIENCE)
    assert (taken, ends) == ([{"command": "pause"}, {"command": "stop"}], [0])
