"""`count` and `encode` with --engine dask give what one process gives, and wrong choices a sentence."""

import asyncio
import contextlib
import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browser import PATIENCE
from tests.helpers.files import PARQUET
from tests.helpers.jobs import wait_for_end_of
from tests.helpers.paths import REPOSITORY
from tokenizer_core import train
from tokenizer_core.__main__ import main
from tokenizer_core.cli import encode
from tokenizer_core.cli.corpus import Progress
from tokenizer_core.corpus_counts import file_parts
from tokenizer_core.corpus_counts.counts_file import read_counts
from tokenizer_core.corpus_counts.dask_connection import local_cluster

THAI = REPOSITORY / "sample_data" / "parallel.th.txt"
ENGLISH = REPOSITORY / "sample_data" / "parallel.en.txt"


@pytest.fixture(scope="module")
def scheduler(plain_main: None) -> Iterator[str]:
    with local_cluster(2, "mark_aware") as client:
        yield client.scheduler.address


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(ENGLISH.read_bytes()))
    (tmp_path / "b.parquet").write_bytes(PARQUET)
    (tmp_path / "c.txt").write_bytes("น้ำใจคนไทย ดื่มน้ำ\n".encode("cp874") * 20)
    (tmp_path / "d.csv").write_bytes("id,th,en\n1,น้ำใจคนไทย ดื่มน้ำ,the cat\n".encode("cp874") * 9)
    names = ["a.txt.gz", "b.parquet", "c.txt", "d.csv"]
    return [str(THAI), *(str(tmp_path / name) for name in names), str(THAI)]


@pytest.mark.parametrize("boundaries", [pytest.param("file", marks=pytest.mark.long), "line"])
def test_a_cluster_gives_what_one_process_gives(
    scheduler: str,
    files: list[str],
    tmp_path: Path,
    boundaries: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(file_parts, "LEAST_PIECE", 5_000)
    monkeypatch.setattr(encode, "PIECE_BYTES", 7_000)
    there = ["--engine", "dask", "--scheduler", scheduler]
    train(THAI.read_text(encoding="utf-8"), 300).save(tmp_path / "mine")
    command = ["encode", *files, "--tokenizer", str(tmp_path / "mine.model"), "--boundaries", boundaries]
    counting = ["count", *files, "--boundaries", boundaries, "--min-pretoken-count", "2"]
    said = []
    for name, engine in (("here", []), ("there", there)):
        assert main([*counting, "-o", str(tmp_path / f"{name}.counts"), *engine]) == 0
        assert main([*command, "-o", str(tmp_path / f"{name}.json"), *engine]) == 0
        said.append(capfd.readouterr().err)
    assert said[0].count("was read as cp874") == said[0].count("--column chooses among") == 4
    assert said[1] == said[0]
    here, away = (read_counts(tmp_path / f"{name}.counts") for name in ("here", "there"))
    assert (here.sha256, here.recipe) == (away.sha256, away.recipe)
    assert (tmp_path / "here.json").read_bytes() == (tmp_path / "there.json").read_bytes()
    assert (tmp_path / "here.json").read_bytes().count(b"]\n") == here.recipe.texts


class Cluster:
    """A cluster of two workers that do each task at once, here."""

    def __init__(self) -> None:
        self.open = self.most_open = 0
        self.sizes: list[int] = []

    def nthreads(self) -> dict[str, int]:
        return {"one": 1, "two": 1}

    def submit(self, task: Callable[..., Any], *given: Any, pure: bool) -> "Task":
        assert not pure  # the same piece of a file that has changed is another task
        return Task(self, task(*[each.found if isinstance(each, Task) else each for each in given]))

    def map(self, task: Callable[..., Any], given: list[Any], *, pure: bool, **options: Any) -> list["Task"]:
        return [self.submit(partial(task, **options), each, pure=pure) for each in given]

    def gather(self, tasks: list["Task"]) -> list[Any]:
        return [each.found for each in tasks]


class Task:
    """A task that is done."""

    def __init__(self, cluster: Cluster, found: Any) -> None:
        self.cluster, self.found = cluster, found
        cluster.open += 1
        cluster.most_open = max(cluster.most_open, cluster.open)

    def result(self) -> Any:
        self.cluster.open -= 1
        return self.found


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    made = Cluster()
    monkeypatch.setattr(encode, "cluster_for", lambda said, pattern: contextlib.nullcontext(made))
    monkeypatch.setattr(encode, "results_awaited", lambda client, tasks: None)
    monkeypatch.setattr(encode, "this_worker", lambda: "here")
    monkeypatch.setattr(file_parts, "LEAST_PIECE", 5_000)
    monkeypatch.setattr(encode, "PIECE_BYTES", 7_000)
    return made


@pytest.mark.parametrize("boundaries", ["file", "line"])
def test_pieces_come_back_in_the_order_of_the_texts_and_few_are_under_way(
    cluster: Cluster,
    files: list[str],
    tmp_path: Path,
    boundaries: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    done: list[Progress] = []

    class Noted(Progress):
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **options)
            done.append(self)

    monkeypatch.setattr(encode, "Progress", Noted)
    command = ["encode", *files, "--tokenizer", "gpt2", "--boundaries", boundaries, "-o"]
    assert main([*command, str(tmp_path / "here.json")]) == 0
    here = capsys.readouterr().err
    assert main([*command, str(tmp_path / "there.json"), "--engine", "dask"]) == 0
    assert capsys.readouterr().err == here
    assert (tmp_path / "there.json").read_bytes() == (tmp_path / "here.json").read_bytes()
    assert 2 < cluster.most_open <= 7
    assert done[1].sentence().partition(",")[0] == done[0].sentence().partition(",")[0]


def test_a_worker_with_other_software_is_refused_and_unreadable_files_are_found_there(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [
        "encode",
        str(ENGLISH),
        str(tmp_path / "gone.txt"),
        str(THAI),
        "--tokenizer",
        "gpt2",
        "--engine",
        "dask",
    ]
    assert main([*command, "--skip-unreadable", "-o", str(tmp_path / "there")]) == 0
    assert capsys.readouterr().err.startswith(f"encode: skipped {tmp_path / 'gone.txt'}: ")
    assert main(["encode", str(ENGLISH), str(THAI), "--tokenizer", "gpt2", "-o", str(tmp_path / "here")]) == 0
    assert (tmp_path / "there").read_bytes() == (tmp_path / "here").read_bytes()
    found = iter([{"regex": "1"}])
    monkeypatch.setattr(encode, "versions", lambda: next(found, {"regex": "2"}))
    assert main([*command[:2], *command[3:], "-o", str(tmp_path / "other")]) == 1
    assert "regex" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_skipped_files_are_named(scheduler: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    there = ["--engine", "dask", "--scheduler", scheduler, "-o", str(tmp_path / "a.counts")]
    assert main(["count", str(THAI), str(tmp_path / "gone.txt"), *there]) == 1
    unreadable = f"{tmp_path}/gone.txt: The file could not be read: No such file or directory.\n"
    assert capfd.readouterr().err == f"count: {unreadable}"
    assert not (tmp_path / "a.counts").exists()
    assert main(["count", str(THAI), str(tmp_path / "gone.txt"), *there, "--skip-unreadable"]) == 0
    assert capfd.readouterr().err == f"count: skipped {unreadable}"
    assert read_counts(tmp_path / "a.counts").recipe.texts == 1
    (tmp_path / "torn.txt").write_bytes(b"a cat\n" * 200_000 + b"\xff")
    command = ["encode", str(tmp_path / "torn.txt"), str(THAI), "--tokenizer", "gpt2", "--skip-unreadable", "-o"]
    assert main([*command, str(tmp_path / "ids"), *there[:4]]) == 0
    assert "encode: skipped " in capfd.readouterr().err
    assert main([*command, str(tmp_path / "here")]) == 0
    assert (tmp_path / "ids").read_bytes() == (tmp_path / "here").read_bytes()


def test_training_counts_there_and_learns_here(scheduler: str, tmp_path: Path) -> None:
    command = ["train", str(THAI), str(ENGLISH), "--vocab-size", "400", "--out"]
    assert main([*command, str(tmp_path / "here")]) == 0
    assert main([*command, str(tmp_path / "there"), "--engine", "dask", "--scheduler", scheduler]) == 0
    assert (tmp_path / "there.model").read_bytes() == (tmp_path / "here.model").read_bytes()


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (["--workers", "2"], "--workers needs --engine dask"),
        (["--scheduler", "tcp://a:1"], "--scheduler needs --engine dask"),
        (["--engine", "dask", "--workers", "0"], "--workers: must be a whole number from 1 up"),
        (["--engine", "dask", "--workers", "2", "--scheduler", "tcp://a:1"], "not both"),
    ],
)
def test_choices_that_do_not_go_together_are_refused(
    choices: list[str], sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["count", str(THAI), "-o", "a.counts", *choices])
    assert caught.value.code == 2
    assert sentence in capfd.readouterr().err


def test_a_cluster_is_found_from_a_notebook_too(scheduler: str, tmp_path: Path) -> None:
    counting = ["count", str(THAI), "-o", str(tmp_path / "a.counts"), "--engine", "dask", "--scheduler", scheduler]
    before, own = asyncio._get_running_loop(), asyncio.new_event_loop()
    asyncio._set_running_loop(own)  # as in the thread that runs a notebook's cells
    try:
        assert main(counting) == 0
    finally:
        asyncio._set_running_loop(before)
        own.close()


def test_a_scheduler_that_is_not_there_ends_the_command(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tokenizer_core.corpus_counts.dask_connection.PATIENCE", 0.5)
    there = ["--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"]
    assert main(["count", str(THAI), "-o", str(tmp_path / "a.counts"), *there]) == 1
    assert "No Dask scheduler answered at tcp://127.0.0.1:9" in capfd.readouterr().err


def _opened_for_writing(pipe: Path) -> int:
    """Wait until a worker reads."""
    for _ in range(600):
        with contextlib.suppress(OSError):
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        time.sleep(0.1)
    raise AssertionError("nobody reads")


@pytest.mark.long
def test_ctrl_c_ends_the_workers_that_were_made(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "endless.txt.gz")
    command = [sys.executable, "-m", "tokenizer_core", "count", str(tmp_path / "endless.txt.gz"), "-o", "a.counts"]
    started = subprocess.Popen(
        [*command, "--engine", "dask", "--workers", "2"],
        cwd=REPOSITORY,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        written = _opened_for_writing(tmp_path / "endless.txt.gz")
        os.killpg(started.pid, signal.SIGINT)
        _, said = started.communicate(timeout=PATIENCE)
        os.close(written)
        assert started.returncode == 130
        assert said.startswith("count: stopped;")
        assert said.count("\n") == 1
    finally:
        started.kill()
    wait_for_end_of(started.pid)
