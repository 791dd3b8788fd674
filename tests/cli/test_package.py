"""The wheel is a whole library, with its data, its command and the app, wherever it is installed."""

import os
import socket
import subprocess
import sys
import sysconfig
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.browser import PATIENCE, end, wait_healthy, websocket_status
from tests.helpers.paths import REPOSITORY
from tokenizer_core import openai_tokenizer
from tokenizer_core.corpus_counts.dask_connection import running_cluster
from tokenizer_core.corpus_counts.dask_counting import count_on_cluster
from tokenizer_core.corpus_counts.streaming import CountingRules, count_files


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment with the wheel; other packages come from this environment."""
    folder = tmp_path_factory.mktemp("installed")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=REPOSITORY, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
    programs = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "-q"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs


def said(*command: str | Path, cwd: Path) -> str:
    """What a command prints, run away from the project's folder."""
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout


def test_the_library_brings_its_data(installed: Path, tmp_path: Path) -> None:
    code = "import tokenizer_core as core; print(core.openai_tokenizer('gpt2').encode('น้ำ')); print(core.__file__)"
    ids, file = said(installed / "python", "-c", code, cwd=tmp_path).splitlines()
    assert ids == str(openai_tokenizer("gpt2").encode("น้ำ"))
    assert not Path(file).is_relative_to(REPOSITORY)


def test_the_command_says_its_name(installed: Path, tmp_path: Path) -> None:
    assert said(installed / "tokenizer-explorer", "--help", cwd=tmp_path).startswith("usage: tokenizer-explorer ")


@pytest.mark.long  # compiles the loops
def test_the_command_trains_and_encodes(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "cat.txt").write_text("a cat, a cat")
    command = installed / "tokenizer-explorer"
    said(command, "train", "cat.txt", "--vocab-size", "258", "--out", "mine", cwd=tmp_path)
    said(command, "encode", "cat.txt", "--tokenizer", "mine.model", "-o", "ids.txt", cwd=tmp_path)
    assert said(command, "decode", "ids.txt", "--tokenizer", "mine.model", cwd=tmp_path) == "a cat, a cat"


def test_the_command_opens_the_app(installed: Path, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [str(installed / "tokenizer-explorer"), "app", "--port", port]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as app:
        try:
            wait_healthy(f"http://127.0.0.1:{port}")
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/token-view/page.html", timeout=PATIENCE) as page:
                assert "script-src" in page.headers["Content-Security-Policy"]
            assert websocket_status(f"http://127.0.0.1:{port}", "http://127.0.0.1:9999") == 403
        finally:
            end(app)


@pytest.mark.long
def test_a_worker_of_a_cluster_needs_the_wheel_alone(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "cat.txt").write_text("a cat, a cat")
    names = [str(tmp_path / "cat.txt")]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    python = str(installed / "python")
    dask: dict[str, Any] = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": ""}}
    start = [python, "-m", "distributed.cli.dask_scheduler", "--host", address, "--no-dashboard"]
    work = [python, "-m", "distributed.cli.dask_worker", address, "--no-dashboard"]
    with subprocess.Popen(start, **dask) as scheduler, subprocess.Popen(work, **dask) as worker:
        try:
            rules = CountingRules("gpt2")
            with running_cluster(address) as client:
                assert str(installed.parent) in str(client.run(lambda: __import__("tokenizer_core").__file__))
                counts = count_on_cluster(client, names, rules)
            assert counts.counts.sha256 == count_files(names, rules).sha256
        finally:
            end(worker)
            end(scheduler)
