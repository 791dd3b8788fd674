"""What Windows lacks is asked for before it is used: everything works where it is hidden."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.browser import running_app
from tests.helpers.paths import REPOSITORY

HIDDEN = """
import io, os, signal, sys

del signal.pthread_sigmask, os.setpriority, os.nice, os.sysconf, os.sched_getaffinity
sys.modules["resource"] = sys.modules["fcntl"] = sys.modules["uvloop"] = None
opened = io.open

def open_elsewhere(file, *more, **named):
    if str(file).startswith("/proc"):
        raise FileNotFoundError(2, "hidden", str(file))
    return opened(file, *more, **named)

io.open = open_elsewhere
"""
"""Python runs this at the start of each process, also of those that a process starts."""
COMMANDS = """
import sys
from tokenizer_core.__main__ import main

assert [main(command.split()) for command in sys.argv[1:]] == [0] * 4
"""
TRAINING = """
from tokenizer_core.workers.training_job import ENDED, Job
from tokenizer_core.workers.training_settings import Training

job = Job(Training(["a cat, a cat"], 260))
job.wait(100, until=lambda: job.ended)
assert len(job.merges) == 4, job.failure
"""


@pytest.fixture
def hidden(tmp_path: Path) -> dict[str, str]:
    """The environment of processes that lack what Windows lacks."""
    (tmp_path / "sitecustomize.py").write_text(HIDDEN)
    return {"PYTHONPATH": f"{tmp_path}:{REPOSITORY}"}


def run(hidden: dict[str, str], *arguments: str, cwd: Path) -> None:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=hidden, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_the_commands_need_nothing_that_windows_lacks(hidden: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "cat.txt").write_text("a cat, a cat\n" * 9)
    commands = (
        "train cat.txt --vocab-size 260 --out mine --memory 2G --threads 2",
        "count cat.txt -o counts.parquet --pattern (?<=a)b --threads 2",
        "encode cat.txt --tokenizer mine.model -o ids.npy",
        "convert mine.model --to tiktoken --out there",
    )
    run(hidden, "-c", COMMANDS, *commands, cwd=tmp_path)


def test_a_training_needs_nothing_that_windows_lacks(hidden: dict[str, str], tmp_path: Path) -> None:
    run(hidden, "-c", TRAINING, cwd=tmp_path)


def test_the_app_needs_nothing_that_windows_lacks(hidden: dict[str, str]) -> None:
    with running_app(**{**hidden, "TOKENIZER_EXPLORER_STATUS": "secret"}) as (_, app):
        assert app.poll() is None
