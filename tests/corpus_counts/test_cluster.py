"""A real cluster on this machine counts what one process counts, even if a worker is killed."""

import os
import random
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import regex

from tests.helpers.browser import PATIENCE
from tokenizer_core import Trainer
from tokenizer_core.corpus_counts import dask_connection, dask_counting
from tokenizer_core.corpus_counts.dask_connection import check_versions, local_cluster, running_cluster, versions
from tokenizer_core.corpus_counts.dask_counting import count_on_cluster
from tokenizer_core.corpus_counts.streaming import CountingRules, count_files
from tokenizer_core.errors import ClusterError, CorpusError, TokenizerError

RULES = CountingRules("gpt2", chunk_bytes=2**16)
MEMORY = 3 * 2**30


@pytest.fixture(scope="module")
def client(plain_main: None) -> Iterator[Any]:
    with local_cluster(2, "gpt2", memory_bytes=MEMORY) as client:
        yield client


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """One file of 200 kB and some small ones."""
    folder, seeded = tmp_path_factory.mktemp("corpus"), random.Random(5)
    words = [f"{word}{seeded.randrange(900)}" for word in ("ที่", "cat ", "น้ำใจ ", "the ") * 500]
    names = []
    for number, count in enumerate((20_000, 50, 300, 40)):
        text = " ".join(seeded.choices(words, k=count))
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
        names.append(str(folder / f"{number}.txt"))
    return names


def test_a_cluster_learns_the_merges_of_one_process_though_a_worker_is_killed(
    client: Any, files: list[str]
) -> None:
    here = count_files(files, RULES)
    workers: dict[str, int] = client.run(os.getpid)
    read: list[int] = []
    killed_at: list[int] = []

    def kill(more: int) -> None:
        read.append(more)
        if len(read) == 4:
            killed_at.append(sum(read))
            os.kill(next(iter(workers.values())), signal.SIGKILL)

    there = count_on_cluster(client, files, RULES, piece_bytes=8_000, listener=kill)
    whole = sum(Path(name).stat().st_size for name in files)
    assert killed_at[0] < whole / 2
    assert sum(read) == whole  # each piece is told once
    assert there.counts.sha256 == here.sha256
    assert there.counts.recipe == here.recipe
    assert there.unreadable == ()
    assert Trainer(there.counts.pretokens, 400).step(144) == Trainer(here.pretokens, 400).step(144)
    client.wait_for_workers(2, timeout=PATIENCE)
    assert not {next(iter(workers.values()))} & set(client.run(os.getpid).values())


def test_an_unreadable_file_ends_the_counting_or_is_skipped(client: Any, files: list[str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.txt"
    broken.write_bytes("ที่ ".encode() * 2_000 + b"\xff two " * 10)
    with pytest.raises(CorpusError, match=r"broken\.txt"):
        count_on_cluster(client, [*files, str(broken)], RULES, piece_bytes=4_000)
    there = count_on_cluster(client, [str(broken), *files[1:]], RULES, piece_bytes=4_000, skip_unreadable=True)
    assert there.counts.sha256 == count_files(files[1:], RULES).sha256
    assert [file.name for file in there.unreadable] == [str(broken)]
    with pytest.raises(CorpusError) as caught:
        count_on_cluster(client, [str(broken)], RULES, skip_unreadable=True)
    assert caught.value.code == "no_file_readable"


def test_each_worker_of_this_machine_counts_one_piece_at_a_time_in_its_memory(client: Any) -> None:
    from distributed import default_client  # takes half a second

    workers = list(client.scheduler_info()["workers"].values())
    assert [(worker["nthreads"], worker["memory_limit"]) for worker in workers] == [(1, MEMORY)] * 2
    assert len({os.getpid(), *client.run(os.getpid).values()}) == 3
    folders = {Path(worker["local_directory"]).parents[1] for worker in workers}
    assert [folder.name.startswith("tokenizer-cluster-") for folder in folders] == [True]
    with pytest.raises(ValueError, match="client"):
        default_client()  # what else runs in this process is not sent to the workers


def test_counts_that_do_not_fit_here_stay_there(
    client: Any, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_counting, "_GROWTH", 1_000)
    rules = CountingRules("gpt2", memory_bytes=2**20)
    with pytest.raises(CorpusError) as caught:
        count_on_cluster(client, files, rules)
    distinct = count_files(files, CountingRules("gpt2")).pretokens.ends.size
    assert (caught.value.code, caught.value.values) == ("counts_memory", {"megabytes": 1, "distinct": distinct})
    monkeypatch.undo()
    text, ends, _ = count_files(files[1:2], RULES).pretokens
    needed = 3 * (text.size + 3 * 8 * ends.size)  # with an end, a count and a place for each
    enough, less = (CountingRules("gpt2", memory_bytes=size) for size in (needed, needed - 1))
    assert count_on_cluster(client, files[1:2], enough).counts.pretokens.ends.size == ends.size
    with pytest.raises(CorpusError):
        count_on_cluster(client, files[1:2], less)
    rare = CountingRules("gpt2", min_count=3)
    there = count_on_cluster(client, files, rare)
    assert there.counts.sha256 == count_files(files, rare).sha256
    assert there.counts.recipe == count_files(files, rare).recipe


def test_a_worker_with_other_versions_is_refused_by_name(
    client: Any, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check_versions(client)
    worker = min(client.run(os.getpid))
    another = {"tokenizer_core": "another", "regex": "1"}
    with pytest.raises(ClusterError, match="another") as caught:
        check_versions(client, another)
    assert caught.value.values["worker"] == worker
    monkeypatch.setattr(dask_counting, "versions", lambda: another)
    with pytest.raises(ClusterError, match="instead of another") as late:  # asked in each task
        count_on_cluster(client, files[1:], RULES)
    assert late.value.values["worker"] in client.run(os.getpid)


def test_a_worker_without_the_library_is_refused_by_name(client: Any) -> None:
    missing = ModuleNotFoundError("No module named 'tokenizer_core'")
    with pytest.raises(ClusterError, match="tcp://a:1 has tokenizer_core none"):
        dask_connection.refuse_other_versions("tcp://a:1", missing, versions())
    ours = versions()
    assert ours["regex"] == regex.__version__
    assert re.fullmatch("[0-9a-f]{12}", ours["tokenizer_core"])
    dask_connection.refuse_other_versions("tcp://a:1", {**ours, "more": "1"}, ours)
    with pytest.raises(ClusterError) as caught:
        dask_connection.refuse_other_versions("tcp://a:1", {"regex": ours["regex"]}, {"regex": "1", **ours})
    assert caught.value.values == {
        "worker": "tcp://a:1",
        "name": "tokenizer_core",
        "expected": ours["tokenizer_core"],
        "found": "none",
    }


def test_a_scheduler_that_is_not_there_is_said_in_time() -> None:
    start = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for address in ("127.0.0.1:9", "nonsense", "nothing://127.0.0.1:9", f"tcp://127.0.0.1:{port}"):
            with pytest.raises(ClusterError) as caught, running_cluster(address, patience=0.5):
                pass
            assert (caught.value.code, caught.value.values) == (
                "scheduler_missing",
                {"address": address, "seconds": 0.5},
            )
    assert time.monotonic() - start < 30


def test_a_scheduler_and_its_first_worker_are_waited_for_as_long_as_is_usual(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[tuple[int, float]] = []

    def none_comes(client: Any, count: int, timeout: float) -> None:
        waited.append((count, timeout))
        raise TimeoutError

    monkeypatch.setattr(dask_connection, "PATIENCE", 0.25)
    with pytest.raises(ClusterError) as caught, running_cluster("127.0.0.1:9"):
        pass
    assert caught.value.values["seconds"] == 0.25
    monkeypatch.setattr(dask_connection, "PATIENCE", 7)
    monkeypatch.setattr("distributed.Client.wait_for_workers", none_comes)
    address = client.scheduler.address
    with pytest.raises(ClusterError) as caught, running_cluster(address):
        pass
    assert (caught.value.code, caught.value.values) == ("workers_missing", {"address": address, "seconds": 7})
    assert waited == [(1, 7)]


def test_a_running_cluster_is_used_and_left_running(client: Any, files: list[str]) -> None:
    with running_cluster(client.scheduler.address) as mine:
        there = count_on_cluster(mine, files[1:], RULES)
    assert there.counts.sha256 == count_files(files[1:], RULES).sha256
    assert len(client.nthreads()) == 2
    assert dask_connection.PATIENCE_FOR_WORKERS > 5


# ---- waiting for a cluster that does what a test wants


class Task:
    """The result of a task, as a client sees it."""

    def __init__(self, status: str, error: Exception | None = None) -> None:
        self.status = status
        self.exception = lambda: error

    def done(self) -> bool:
        return self.status != "pending"


class StandIn:
    """A client with some workers, and what it was told of a topic."""

    def __init__(self, workers: int = 1, status: str = "running") -> None:
        self.workers, self.status = workers, status
        self.heard_of: dict[str, Callable[[Any], None]] = {}

    def nthreads(self) -> dict[str, int]:
        return {f"tcp://10.0.0.{number}:1": 1 for number in range(self.workers)}

    def as_current(self) -> nullcontext[None]:
        return nullcontext()

    def subscribe_topic(self, topic: str, hear: Callable[[Any], None]) -> None:
        self.heard_of[topic] = hear

    def unsubscribe_topic(self, topic: str) -> None:
        del self.heard_of[topic]


def awaited(client: StandIn, tasks: list[Task]) -> None:
    dask_connection.results_awaited(client, tasks)


@pytest.mark.parametrize(
    ("task", "code"),
    [
        (Task("cancelled"), "scheduler_gone"),
        (Task("lost"), "scheduler_gone"),
        (Task("error", MemoryError()), "cluster_worker_killed"),
        (Task("error", CorpusError("no_rows")), "no_rows"),
    ],
    ids=["cancelled", "lost", "no memory", "a file"],
)
def test_a_task_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, task: Task, code: str) -> None:
    monkeypatch.setattr("distributed.wait", lambda tasks, **options: None)
    with pytest.raises(TokenizerError) as caught:
        awaited(StandIn(), [Task("finished"), task])
    assert caught.value.code == code
    assert str(caught.value)


def test_a_task_that_killed_several_workers_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import KilledWorker  # takes half a second

    monkeypatch.setattr("distributed.wait", lambda tasks, **options: None)
    with pytest.raises(ClusterError) as caught:
        awaited(StandIn(), [Task("error", KilledWorker("count", None, 3))])
    assert caught.value.code == "cluster_worker_killed"


def test_an_error_of_the_code_itself_is_raised_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("distributed.wait", lambda tasks, **options: None)
    with pytest.raises(ZeroDivisionError):
        awaited(StandIn(), [Task("error", ZeroDivisionError())])


def test_a_connection_that_breaks_while_waiting_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(tasks: list[Task], **options: Any) -> None:
        raise ConnectionResetError

    monkeypatch.setattr("distributed.wait", broken)
    with pytest.raises(ClusterError) as caught:
        awaited(StandIn(), [Task("pending")])
    assert caught.value.code == "scheduler_gone"


def test_counting_waits_as_long_as_there_are_workers_and_ends_if_none_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow, waited = Task("pending"), []

    def wait(tasks: list[Task], **options: Any) -> None:
        waited.append(tasks)
        if len(waited) < 4:
            raise TimeoutError
        slow.status = "finished"

    monkeypatch.setattr("distributed.wait", wait)
    monkeypatch.setattr(dask_connection, "PATIENCE_FOR_WORKERS", -1)
    awaited(StandIn(workers=1), [Task("finished"), slow])
    assert waited[1:] == [[slow]] * 3  # what is done is not waited for again
    waited.clear()
    slow.status = "pending"
    with pytest.raises(ClusterError) as caught:
        awaited(StandIn(workers=0), [slow])
    assert (caught.value.code, caught.value.values) == ("workers_gone", {"seconds": -1})


@pytest.mark.parametrize("status", ["running", "closed"])
def test_each_piece_is_told_once_though_it_is_read_again(status: str) -> None:
    client, read = StandIn(status=status), list[int]()
    with dask_connection.progress_told(client, "pieces", read.append):
        for number, size in ((0, 5), (2, 7), (0, 5), (1, 0)):
            client.heard_of["pieces"]((1.0, {"number": number, "bytes": size}))
    assert read == [5, 7, 0]
    assert list(client.heard_of) == ([] if status == "running" else ["pieces"])
