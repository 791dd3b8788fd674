"""A real cluster on this machine counts what one process counts, even if a worker is killed."""

import os
import random
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browser import PATIENCE
from tokenizer_core import Trainer
from tokenizer_core.corpus_counts import dask_connection, dask_counting
from tokenizer_core.corpus_counts.dask_connection import check_versions, local_cluster, running_cluster, versions
from tokenizer_core.corpus_counts.dask_counting import count_on_cluster
from tokenizer_core.corpus_counts.streaming import CountingRules, count_files
from tokenizer_core.errors import ClusterError, CorpusError

RULES = CountingRules("gpt2", chunk_bytes=2**16)


@pytest.fixture(scope="module")
def client(plain_main: None) -> Iterator[Any]:
    with local_cluster(2, "gpt2") as client:
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


def test_counts_that_do_not_fit_here_stay_there(
    client: Any, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_counting, "_GROWTH", 1_000)
    rules = CountingRules("gpt2", memory_bytes=2**20)
    with pytest.raises(CorpusError) as caught:
        count_on_cluster(client, files, rules)
    assert (caught.value.code, caught.value.values["megabytes"]) == ("counts_memory", 1)
    monkeypatch.undo()
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


def test_a_scheduler_that_is_not_there_is_said_in_time() -> None:
    start = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for address in ("127.0.0.1:9", "nonsense", "nothing://127.0.0.1:9", f"tcp://127.0.0.1:{port}"):
            with pytest.raises(ClusterError) as caught, running_cluster(address, patience=0.5):
                pass
            assert caught.value.code == "scheduler_missing"
    assert time.monotonic() - start < 30


def test_a_running_cluster_is_used_and_left_running(client: Any, files: list[str]) -> None:
    with running_cluster(client.scheduler.address) as mine:
        there = count_on_cluster(mine, files[1:], RULES)
    assert there.counts.sha256 == count_files(files[1:], RULES).sha256
    assert len(client.nthreads()) == 2
    assert dask_connection.PATIENCE_FOR_WORKERS > 5
