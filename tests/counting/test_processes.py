"""By a pattern that only `regex` knows, several processes count what one counts, and end as they should."""

import contextlib
import os
import random
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.helpers.browser import PATIENCE
from tests.helpers.hostile import HOSTILE_PIECES
from tests.helpers.jobs import wait_for_end_of
from tests.helpers.paths import REPOSITORY
from tokenizer_core.counting import processes
from tokenizer_core.counting.processes import processes_for, working_there
from tokenizer_core.counting.streaming import CountingRules, count_files
from tokenizer_core.counting.unreadable import Unreadable
from tokenizer_core.cutter import is_compiled
from tokenizer_core.errors import CorpusError

PATTERN = r"(?<!a)\w+|\s"

pytestmark = pytest.mark.usefixtures("plain_main")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "WORTH", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)


def test_processes_count_what_one_process_counts(tmp_path: Path) -> None:
    assert not is_compiled(PATTERN)
    seeded = random.Random(4)
    names = [str(tmp_path / f"{n}.txt") for n in range(4)]
    for name in names:
        signs = seeded.choices([*HOSTILE_PIECES, "cat ", "ที่นี่", "\n", "\r\n"], k=600)
        Path(name).write_text("".join(signs), encoding="utf-8", newline="")
    Path(names[1]).write_bytes((b"b" * 3_000 + b"\n") * 400 + b"\xff")
    found = []
    for threads in (1, 2):
        skipped: list[Unreadable] = []
        rules = CountingRules(PATTERN, "line", threads=threads, chunk_bytes=2**19 * threads)
        found.append(count_files(names, rules, skipped=skipped))
        assert [each.name for each in skipped] == [names[1]]
    assert (found[0].sha256, found[0].recipe) == (found[1].sha256, found[1].recipe)


def test_a_process_that_is_killed_gives_a_sentence_and_is_silent_itself(capfd: pytest.CaptureFixture[str]) -> None:
    told = pytest.raises(CorpusError, match="one was killed")
    with told as caught, working_there(signal.raise_signal, 2, int) as submit:
        submit(signal.SIGINT).result()
    assert caught.value.code == "counting_killed"
    assert capfd.readouterr().err == ""


def test_a_process_that_cannot_be_started_gives_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(processes, "ProcessPoolExecutor", full)
    with pytest.raises(CorpusError) as caught, working_there(len, 2, len) as submit:
        submit("a cat")
    assert caught.value.code == "worker_not_started"


def test_little_text_is_counted_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "WORTH", 10)
    monkeypatch.setattr(processes, "ProcessPoolExecutor", lambda *_, **__: pytest.fail("it is not worth it"))
    with working_there(len, 2, len) as submit:
        assert [submit("a cat").result() for _ in range(2)] == [5, 5]
    assert processes_for(8) == 2


def _start_counting(counts: Path) -> subprocess.Popen[bytes]:
    """Start a command that counts in two processes, and waits for more."""
    options = ("--boundaries", "line", "--threads", "2", "-o", counts)
    started = subprocess.Popen(
        [sys.executable, "-m", "tokenizer_core", "count", "-", "--pattern", PATTERN, *map(str, options)],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert started.stdin is not None
    for _ in range(30):  # 7 MB: afterwards, two processes count
        started.stdin.write(b"the cat sat on the mat\n" * 10_000)
    return started


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize("kill", [os.killpg, os.kill])
def test_ctrl_c_ends_the_processes_that_count(tmp_path: Path, kill: partial[None]) -> None:
    started = _start_counting(tmp_path / "c.counts")
    for _ in range(PATIENCE // 10):
        kill(started.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.wait(10)
            break
    else:
        started.kill()
    assert started.communicate()[1] == b"count: stopped; no file was written\n"
    assert started.returncode == 130
    assert not list(tmp_path.iterdir())
    wait_for_end_of(started.pid)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_processes_that_count_end_with_one_that_is_killed(tmp_path: Path) -> None:
    started = _start_counting(tmp_path / "c.counts")
    started.kill()
    started.communicate(timeout=PATIENCE)  # until nobody holds its stderr any more
    assert started.returncode == -signal.SIGKILL
