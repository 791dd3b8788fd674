"""What tests share: bounded examples, hostile texts, the Thai corpus; a running app, and a browser to visit it."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect, sync_playwright

REPOSITORY = Path(__file__).resolve().parents[1]
THAI_CORPUS = Path(os.environ.get("THAI_CORPUS", REPOSITORY.parent / "shared" / "corpora" / "thai_wiki_small.txt"))

# The first example loads compiled code from disk, so no deadline. The same examples in every run.
settings.register_profile(
    "bounded",
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("bounded")

HOSTILE_PIECES = [
    *("a", "aa", "aaaaa", "ab", "b", "A", "don't", "WE'LL", "ſ", "ß", "ﬁ", "İ", "x_1", "12345", "٣٤", "๑๒๓"),
    *("ที่", "น้ำใจ", "กำ", "ำ", "่", "เแ", "ภาษาไทย", " ไม่", "ๆ", "฿", "ดื่มน้ำเยอะๆ นะ", "e\u0301", "\u0301\u0301"),
    *("😀", "👨‍👩‍👧", "🇹🇭", "👍🏽", "❤️", "‍", "\u200b", "\ufeff", "\u202e", "\u2066", "مرحبا", "한국", "漢字"),
    *(" ", "  ", "\t", "\n", "\r\n", "\r", "\n\n ", "\v", "\f", "\x1c", "\x85", "\u2028", "\u00a0", "\u3000"),
    *("\0", "\x1b", "\x7f", "<script>", "</style>", "&amp;", "<|endoftext|>", "{}", "\\", "'", '"', "'s", "..."),
    *("\uffff", "\ue000", "\U0010ffff", "𝒳", "ǆ", "ﷺ", "!!!\n", "//", "=)"),
]
hostile_texts: SearchStrategy[str] = st.one_of(
    st.lists(st.sampled_from(HOSTILE_PIECES), max_size=30).map("".join),
    st.text(max_size=40),
    st.text(alphabet="ab", max_size=40),
)
"""Texts without lone surrogates in which splitting, merging or decoding could go wrong."""


@pytest.fixture(scope="session")
def thai_corpus() -> str:
    """2.2 MB of Thai Wikipedia, which is no part of the project; `THAI_CORPUS` says where it is."""
    if not THAI_CORPUS.is_file():
        pytest.skip(
            f"the Thai corpus must be at {THAI_CORPUS}; THAI_CORPUS in the environment names another place"
        )
    return THAI_CORPUS.read_text(encoding="utf-8").strip()


def least_seconds(function: Callable[..., object], *arguments: object) -> float:
    """How long a call takes at the best of three times, to be compared with another of the same run."""

    def seconds() -> float:
        start = time.perf_counter()
        function(*arguments)
        return time.perf_counter() - start

    return min(seconds() for _ in range(3))


# ---- the app in a browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 600
"""Seconds after which something is taken to hang; a slow machine must not fail."""


def require(is_there: object, what: str) -> None:
    """Skip where something is not installed; with REQUIRE_BROWSER=1 fail."""
    if is_there:
        return
    if os.environ.get("REQUIRE_BROWSER"):
        pytest.fail(f"needs {what}, which REQUIRE_BROWSER asks for")
    pytest.skip(f"needs {what}")


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """A running app, one for all tests."""
    require(CHROMIUM, "Chromium: apt-get install chromium")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    many = {**os.environ, "TOKENIZER_EXPLORER_MAX_TRAININGS": "16"}  # tests leave trainings behind
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, env=many
    ) as server:
        try:
            wait_healthy(f"http://127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def wait_healthy(address: str) -> None:
    """Wait until the app answers."""
    for _ in range(4 * PATIENCE):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except OSError:
            time.sleep(0.25)
    raise TimeoutError("the app did not come up")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a window. Not for the session: its event loop would run in all later tests."""
    require(CHROMIUM, "Chromium: apt-get install chromium")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


OpenTab = Callable[..., Page]


@contextmanager
def visitors(browser: Browser) -> Iterator[OpenTab]:
    """Opens tabs of fresh visitors, which must raise no script error and fetch nothing from elsewhere."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []
    elsewhere: list[str] = []

    def refuse(dialog: Dialog) -> None:
        errors.append(f"a dialog opened: {dialog.message}")
        dialog.dismiss()

    def open_one(**choices: Any) -> Page:
        choices = {"viewport": {"width": 1280, "height": 1000}, "locale": "en-US"} | choices
        context = browser.new_context(**choices)
        contexts.append(context)
        context.on("weberror", lambda error: errors.append(str(error.error)))
        context.on("dialog", refuse)
        context.on("request", lambda request: elsewhere.append(request.url) if is_elsewhere(request.url) else None)
        page = context.new_page()
        page.set_default_timeout(1_000 * PATIENCE)
        expect.set_options(timeout=1_000 * PATIENCE)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert errors == []
    assert elsewhere == []


@pytest.fixture
def open_tab(browser: Browser) -> Iterator[OpenTab]:
    """Opens tabs of fresh visitors."""
    with visitors(browser) as open_one:
        yield open_one


@pytest.fixture
def tab(open_tab: OpenTab) -> Page:
    """A fresh visitor's tab."""
    return open_tab()


def is_elsewhere(url: str) -> bool:
    """Whether a request leaves this machine."""
    return not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|blob:|data:|about:|file:", url)
