"""What every test may ask for: bounded examples, the Thai corpus, a running app, and a browser to visit it."""

import functools
import gc
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from itertools import islice
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

os.environ["TOKENIZER_EXPLORER_LIBRARY"] = "off"  # no test keeps anything in the library of whoever runs it
os.environ["TOKENIZER_EXPLORER_MAX_CORPUS_MB"] = "50"  # the same on every machine, and quick to fill

import pytest
from _pytest.assertion import rewrite
from hypothesis import HealthCheck, settings
from playwright.sync_api import Page, sync_playwright
from streamlit.components.v2 import manifest_scanner

from pages.ui.run_registry import registry as trainings
from pages.ui.run_registry.registry import Registry
from tests.helpers.accessibility import AXE
from tests.helpers.browser import CHROMIUM, FLAGS, PATIENCE, OpenTab, Profile, require, running_app, visitors
from tests.helpers.hub import HubHandler, StandInHub
from tests.helpers.jobs import Start, wait_for
from tests.helpers.paths import REPOSITORY, THAI_CORPUS
from tests.helpers.wikipedia import Handler, StandIn
from tests.workers import forks
from tokenizer_core.analysis import branches
from tokenizer_core.patterns import split_patterns as patterns
from tokenizer_core.workers import child
from tokenizer_core.workers.child import Child
from tokenizer_core.workers.compiling import PARTS
from tokenizer_core.workers.training_job import ENDED, Job
from tokenizer_core.workers.training_settings import Training

# The first example loads compiled code from disk, so no deadline. The same examples in every run.
settings.register_profile(
    "bounded",
    deadline=None,
    max_examples=40,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile(
    "fuzz", deadline=None, max_examples=20_000, suppress_health_check=list(HealthCheck), print_blob=True
)
settings.load_profile("bounded")


def pytest_configure(config: pytest.Config) -> None:
    """Compile once what each of several processes would compile at the same time, and keep byte code for all."""
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # as a shell leaves it to what it starts in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        return
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "tokenizer_core.workers.compiling"]
    compilers = [subprocess.Popen([*command, part], cwd=REPOSITORY) for part in PARTS]
    rewrite_assertions(config)
    for each in compilers:
        each.wait()  # whatever fails here fails in a test, which says so


def rewrite_assertions(config: pytest.Config) -> None:
    """Let pytest rewrite all tests once, as each process would when it imports them, which takes ten seconds."""
    state = config.stash.get(rewrite.assertstate_key, None)
    if state is None:  # with --assert=plain
        return
    for file in (REPOSITORY / "tests").rglob("test_*.py"):
        folder = rewrite.get_cache_dir(file)
        kept = folder / (file.stem + rewrite.PYC_TAIL)
        if rewrite.try_makedirs(folder) and rewrite._read_pyc(file, kept) is None:
            source_hash, code = rewrite._rewrite_test(file, config)
            rewrite._write_pyc(state, code, source_hash, kept)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search no garbage among what is collected, neither now nor while the tests run: all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one process begin with all tests that open the app, and another with the rest of those in a browser."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers < 3:
        return
    browsing = [item for item in items if "profile" in getattr(item, "fixturenames", ())]
    opening = [item for item in browsing if "address" in getattr(item, "fixturenames", ())]
    others = iter([item for item in items if item not in set(browsing)])
    share = len(items) // workers  # each process gets so many that stand side by side
    first = [*opening, *islice(others, max(0, share - len(opening)))]
    items[:] = [*first, *(item for item in browsing if item not in set(opening)), *others]


@pytest.fixture(scope="session")
def thai_corpus() -> str:
    """2.2 MB of Thai Wikipedia, which is no part of the project; `THAI_CORPUS` says where it is."""
    if not THAI_CORPUS.is_file():
        pytest.skip(
            f"the Thai corpus must be at {THAI_CORPUS}; THAI_CORPUS in the environment names another place"
        )
    return THAI_CORPUS.read_text(encoding="utf-8").strip()


@pytest.fixture(scope="session", autouse=True)
def packages_read_once() -> Iterator[None]:
    """Streamlit reads what every installed package says of itself once, not for each page that AppTest opens."""
    with pytest.MonkeyPatch.context() as patch:
        read = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", read)
        yield


# ---- the app in a browser


@pytest.fixture(scope="session", autouse=True)
def forked_workers() -> Iterator[None]:
    """Processes of jobs begin as forks of a warm one, where the system can do so, and wait for nobody.

    Four processes test on two cores: a job that let all others go first would not get on.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "NICENESS", 0)
        if forks.POSSIBLE:
            patch.setattr(child, "subprocess", forks.FORKING)
        yield
    forks.FORKER.close()


@pytest.fixture(scope="module")
def started_anew() -> Iterator[None]:
    """Processes of jobs begin as they do in the app."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child, "subprocess", subprocess)
        yield


@pytest.fixture(scope="session")
def spare_workers() -> Iterator[list[Child]]:
    """The warm worker that the last test left, if it left one: warming one up takes longer than most trainings."""
    spare: list[Child] = []
    yield spare
    for worker in spare:
        worker.close()


@pytest.fixture(autouse=True)
def no_worker_left(spare_workers: list[Child]) -> Iterator[None]:
    """End the trainings that a test started in its own process; the spare worker waits for the next test."""
    shared = trainings.registry()
    shared._spare = spare_workers.pop() if spare_workers else None
    yield
    if shared._preparing:
        shared._preparing.join()
    spare = shared._take_spare()
    shared.close()
    if spare:
        spare_workers.append(spare)


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """A running app, one for all tests."""
    require(CHROMIUM, "Chromium: apt-get install chromium")
    with running_app(TOKENIZER_EXPLORER_MAX_TRAININGS="16") as (found, _):  # tests leave trainings behind
        yield found


@pytest.fixture(scope="session")
def profile() -> Iterator[Profile]:
    """Debian's Chromium, without a window, one for all tests. Its event loop runs on in the main thread."""
    require(CHROMIUM, "Chromium: apt-get install chromium")
    with sync_playwright() as play:
        context = play.chromium.launch_persistent_context("", executable_path=CHROMIUM, args=FLAGS, locale="en-US")
        yield Profile(context)
        context.close()


@pytest.fixture
def open_tab(profile: Profile) -> Iterator[OpenTab]:
    """Opens tabs of fresh visitors."""
    with visitors(profile) as open_one:
        yield open_one


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    require(AXE.is_file(), "axe-core: install it as .ci/run does, or name the path of axe.min.js in AXE_CORE")
    return AXE.read_text(encoding="utf-8")


@pytest.fixture
def tab(open_tab: OpenTab) -> Page:
    """A fresh visitor's tab."""
    return open_tab()


@pytest.fixture(scope="module")
def page(profile: Profile) -> Iterator[Page]:
    """An empty page that runs no script but the view's, and fails on any error."""
    errors: list[str] = []  # raising where one is heard would end the browser's connection
    page = profile.context.new_page()
    page.set_viewport_size({"width": 1200, "height": 800})
    page.set_default_timeout(1_000 * PATIENCE)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("about:blank")
    yield page
    page.close()
    assert errors == []


# ---- jobs


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts jobs, and ends their workers after the test."""
    jobs: list[Job] = []

    def start_job(text: str, vocab_size: int, **more: Any) -> Job:
        jobs.append(Job(Training([text], vocab_size, **more)))
        return jobs[-1]

    yield start_job
    for job in jobs:
        job.close()
        wait_for(job, *ENDED)


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A registry in which a single training is at work at a time."""
    monkeypatch.setattr(trainings, "MAX_TRAININGS", 1)
    registry = Registry()
    yield registry
    registry.close()


@pytest.fixture(scope="module")
def plain_main() -> Iterator[None]:
    """A main module that processes may import: AppTest leaves its script there, and they would run it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        yield


# ---- Wikipedia


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """A Wikipedia of this machine."""
    monkeypatch.setenv("no_proxy", "*")
    server = StandIn(("127.0.0.1", 0), Handler)
    server.asked, server.headers = [], []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


# ---- the Hugging Face Hub


@pytest.fixture
def stand_in_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[StandInHub]:
    """A hub of this machine with an empty cache, and no way to any other machine."""
    from huggingface_hub import constants, file_download  # takes half a second

    server = StandInHub(("127.0.0.1", 0), HubHandler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    for name in [
        name for name in os.environ if name.startswith(("HF_", "HUGGINGFACE_", "TOKENIZER_EXPLORER_HUB"))
    ]:
        monkeypatch.delenv(name)
    proxies = {"http_proxy": server.address, "https_proxy": server.address, "no_proxy": "127.0.0.1"}
    for name, value in {"HF_ENDPOINT": server.address, "HF_HOME": str(tmp_path / "hf"), **proxies}.items():
        monkeypatch.setenv(name, value)  # whatever a child asks of others comes to the stand-in too
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)
    monkeypatch.setattr(file_download, "time", SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setattr("urllib.request._opener", None)  # it would keep these proxies for the tests that follow
    connect = socket.socket.connect

    def connect_here(self: socket.socket, address: Any) -> None:
        assert self.family == socket.AF_UNIX or address[0] == "127.0.0.1", f"this test asks {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)
    yield server
    assert [each for each in server.asked if "://" in each or each.startswith("CONNECT")] == []
    server.shutdown()
    server.server_close()


# ---- patterns


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow pattern is given up after 0.2 s instead of 2."""
    for module in (patterns, branches):
        monkeypatch.setattr(module, "time_budget", lambda characters, pattern: 0.2)
