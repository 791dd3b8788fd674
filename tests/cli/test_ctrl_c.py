"""Ctrl-C ends every command with one sentence and exit code 130, wherever it is, and leaves nothing behind."""

import base64
import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.helpers.app import mostly_long
from tests.helpers.browser import PATIENCE
from tests.helpers.jobs import wait_for_end_of
from tests.helpers.paths import REPOSITORY
from tokenizer_core import train

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals to open here")

HEARS = b"tokenizer_core.errors"
"""The first module that is imported after Ctrl-C is heard."""
COMMANDS = {
    "count": ("count", "{text}", "-o", "{out}/c.parquet"),
    "lines": ("count", "{text}", "-o", "{out}/c.parquet", "--boundaries", "line", "--threads", "1"),
    "own": ("count", "{text}", "-o", "{out}/c", "--pattern", r"(?<!a)\w+|\s", "--threads", "2"),
    "train": ("train", "{text}", "--vocab-size", "1000", "--out", "{out}/m"),
    "encode": ("encode", "{text}", "--tokenizer", "gpt2", "-o", "{out}/ids.npy"),
    "mine": ("encode", "{text}", "--tokenizer", "{folder}/mine.model", "-o", "{out}/ids.parquet"),
    "decode": ("decode", "{folder}/ids", "--tokenizer", "gpt2"),
    "compare": ("compare", "{text}", "{text}", "--tokenizers", "gpt2"),
    "convert": ("convert", "gpt2", "--to", "tokenizer.json", "--out", "{out}"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text that is at work for seconds, because its words are all different, and what reads it."""
    folder = tmp_path_factory.mktemp("texts")
    noise = base64.encodebytes(random.Random(1).randbytes(15_000_000))
    (folder / "long").write_bytes(noise)
    (folder / "short").write_bytes(noise[:3_000_000])
    (folder / "ids").write_text("1 2 3 4 5 6 7 8 9\n" * 200_000)
    train(noise[:100_000].decode(), 400).save(folder / "mine")
    return folder


def started(name: str, text: str, folder: Path, out: Path, *, stderr: int) -> subprocess.Popen[bytes]:
    for each in (out, out / "made", out / "temporary"):
        each.mkdir(exist_ok=True)
    names = {"text": folder / text, "folder": folder, "out": out / "made"}
    command, *arguments = (argument.format(**names) for argument in COMMANDS[name])
    arguments[:1] = 4 * arguments[:1] if text == "long" else arguments[:1]
    return subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "tokenizer_core", command, *arguments],
        cwd=REPOSITORY,
        env=os.environ | {"TMPDIR": str(out / "temporary")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
    )


def interrupted(
    name: str, text: str, folder: Path, out: Path, *, mark: bytes = HEARS, times: int = 1, seconds: float = 0
) -> str:
    """Press Ctrl-C when a command has said something some times; return what it says then, without imports."""
    import pty

    ours, theirs = pty.openpty()
    said = bytearray()

    def read() -> None:
        with contextlib.suppress(OSError):  # the end
            while block := os.read(ours, 4_096):
                said.extend(block)

    process = started(name, text, folder, out, stderr=theirs)
    os.close(theirs)
    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    deadline = time.monotonic() + PATIENCE
    while said.count(mark) < times and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(seconds)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    try:
        code = process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    wait_for_end_of(process.pid)
    reading.join(PATIENCE)
    os.close(ours)
    lines = [line.rpartition("\r")[2] for line in said.decode().replace("\r\n", "\n").split("\n")]
    words = "\n".join(line for line in lines if line.strip() and "import time:" not in line)
    assert code == (130 if "stopped" in words else 0), (code, words)
    assert "Traceback" not in words
    assert not [*out.glob("made/.*"), *out.glob("temporary/*")]
    assert words.count("stopped") <= 1
    assert "no file was written" not in words or not list(out.glob("made/*"))
    return words


@pytest.mark.parametrize(
    "module",
    [
        HEARS,
        pytest.param(b" numpy\r", marks=pytest.mark.long),
        pytest.param(b" regex._regex\r", marks=pytest.mark.long),
        b"numba.core.types\r",
    ],
    ids=["first", "numpy", "regex", "numba"],
)
def test_ctrl_c_while_importing_is_a_sentence(module: bytes, folder: Path, tmp_path: Path) -> None:
    assert interrupted("count", "long", folder, tmp_path, mark=module) == "count: stopped; no file was written"


@pytest.mark.parametrize("name", mostly_long(["count", "lines", "train", "encode"], "count"))
def test_ctrl_c_at_work_is_a_sentence(
    name: str, folder: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Its progress is seen, and the work goes on for seconds, most of them in the loops."""
    seconds = random.Random(request.node.name).random() / 2
    said = interrupted(name, "long", folder, tmp_path, mark=b"MB/s", seconds=seconds)
    assert said == f"{COMMANDS[name][0]}: stopped; no file was written"


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_at_any_moment_is_a_sentence(name: str, folder: Path, tmp_path: Path) -> None:
    begin = time.monotonic()
    assert started(name, "short", folder, tmp_path / "whole", stderr=subprocess.DEVNULL).wait() == 0
    whole, seeded = time.monotonic() - begin, random.Random(name)
    said = [
        interrupted(name, "short", folder, tmp_path / str(n), seconds=whole * seeded.random()) for n in range(25)
    ]
    assert sum("stopped" in words for words in said) > 5
