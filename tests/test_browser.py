"""The main journey in a real browser: upload, train, watch, compare; and hostile text that must stay text."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from pages.ui.words import catalogue

ROOT = Path(__file__).resolve().parents[1]
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
ENGLISH = catalogue("en")
HOSTILE = "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'><style>*{display:none}</style>"

if not CHROMIUM and not os.environ.get("REQUIRE_BROWSER"):
    pytest.skip("needs Chromium: apt-get install chromium", allow_module_level=True)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A running app."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_healthy(f"http://127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def wait_healthy(address: str) -> None:
    """Wait until the app answers."""
    for _ in range(240):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except OSError:
            time.sleep(0.25)
    raise TimeoutError("the app did not come up")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A fresh visitor, whose page must raise no script error and fetch nothing from elsewhere."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000}, locale="en-US")
    page = context.new_page()
    errors: list[str] = []
    elsewhere: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: elsewhere.append(request.url) if is_elsewhere(request.url) else None)
    page.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    yield page
    context.close()
    assert errors == []
    assert elsewhere == []


def is_elsewhere(url: str) -> bool:
    """Whether a request leaves this machine."""
    return not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|blob:|data:|about:", url)


def count_in(tab: Page, view: str, column: int) -> int:
    """The token count above a column of a token view."""
    text = tab.locator(f".st-key-{view} .count").nth(column).inner_text()
    return int(re.sub(r"\D", "", text))


def start_training(tab: Page, address: str, *, pace: str, size: int = 400) -> None:
    """Upload a corpus and press Train."""
    tab.goto(f"{address}/train?lang=en")
    tab.get_by_role("radio", name=ENGLISH["corpus.upload"]).click()
    corpus = (ROOT / "sample_data" / "parallel.th.txt").read_bytes()
    tab.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        {"name": "ภาษาไทย <b>.txt", "mimeType": "text/plain", "buffer": corpus}
    )
    expect(tab.get_by_text("37,276 characters")).to_be_visible()
    tab.get_by_role("radio", name=pace).click()
    tab.get_by_role("spinbutton", name=ENGLISH["train.size"]).fill(str(size))
    tab.get_by_role("spinbutton", name=ENGLISH["train.size"]).press("Enter")
    expect(tab.get_by_text(f"{size - 256} merges to learn")).to_be_visible()
    tab.locator(".st-key-start button").click()


def test_upload_train_watch_compare(tab: Page, address: str) -> None:
    start_training(tab, address, pace=ENGLISH["train.pace_steady"])
    expect(tab.locator(".merge-row").nth(3)).to_be_visible()  # merges come while it runs
    tab.locator(".st-key-pause button").click()
    expect(tab.get_by_role("button", name=ENGLISH["studio.resume"])).to_be_visible()
    newest = int(tab.locator(".merge-id").first.inner_text())
    tab.locator(".st-key-step button").click()
    expect(tab.locator(".merge-id").first).to_have_text(str(newest + 1))

    tab.get_by_role("link", name=ENGLISH["nav.home"]).click()  # leave, come back
    expect(tab.get_by_role("heading", name=ENGLISH["home.title"])).to_be_visible()
    tab.get_by_role("link", name=ENGLISH["nav.train"]).click()
    expect(tab.locator(".merge-id").first).to_have_text(str(newest + 1))
    tab.reload()  # and reload
    expect(tab.locator(".merge-id").first).to_have_text(str(newest + 1))

    tab.get_by_role("button", name=ENGLISH["studio.resume"]).click()
    tab.get_by_role("radio", name=ENGLISH["train.pace_full"]).click()
    expect(tab.get_by_text(ENGLISH["studio.done"].format(merges=144))).to_be_visible()
    with tab.expect_download() as download:
        tab.get_by_role("button", name=ENGLISH["studio.download_model"]).click()
    assert Path(download.value.path()).read_text(encoding="utf-8").startswith("minbpe v1\n")

    tab.locator(".st-key-to_compare button").click()
    expect(tab.locator(".st-key-compare_view .count")).to_have_count(4)
    assert count_in(tab, "compare_view", 0) > 0


def test_stop_keeps_what_was_learned(tab: Page, address: str) -> None:
    start_training(tab, address, pace=ENGLISH["train.pace_slow"])
    expect(tab.locator(".merge-row").nth(1)).to_be_visible()
    tab.locator(".st-key-stop button").click()
    expect(tab.locator(".st-key-to_compare button")).to_be_visible()
    assert tab.locator(".merge-row").count() >= 2


def test_home_updates_as_one_types(tab: Page, address: str) -> None:
    tab.goto(f"{address}/?lang=en")
    box = tab.get_by_role("textbox", name=ENGLISH["home.text_label"])
    expect(tab.locator(".st-key-home_view .count").first).to_contain_text("50")
    box.fill("๒๕๖๗")
    expect(tab.locator(".st-key-home_view .count").first).to_contain_text("8")


def test_the_language_switch_keeps_the_text_and_is_in_the_address(tab: Page, address: str) -> None:
    tab.goto(f"{address}/?lang=en")
    tab.get_by_role("textbox", name=ENGLISH["home.text_label"]).fill("ส้มตำ")
    expect(tab.locator(".st-key-home_view .count").first).to_contain_text("10")
    tab.get_by_role("radio", name="ไทย").click()
    expect(tab.get_by_role("heading", name=catalogue("th")["home.title"])).to_be_visible()
    expect(tab.get_by_role("textbox")).to_have_value("ส้มตำ")
    assert "lang=th" in tab.url
    tab.reload()
    expect(tab.get_by_role("heading", name=catalogue("th")["home.title"])).to_be_visible()
    tab.get_by_role("button", name=catalogue("th")["home.train"]).click()  # though the browser speaks English
    expect(tab.get_by_role("heading", name=catalogue("th")["train.title"])).to_be_visible()
    assert tab.evaluate("document.documentElement.lang") == "th"


def test_hostile_text_stays_text(tab: Page, address: str) -> None:
    tab.goto(f"{address}/compare?lang=en")
    box = tab.get_by_role("textbox").first
    box.fill(HOSTILE)
    box.press("Control+Enter")
    expect(tab.locator(".st-key-compare_view .count").first).to_contain_text(re.compile(r"\d"))
    expect(tab.get_by_role("heading", name=ENGLISH["compare.title"])).to_be_visible()
    tab.wait_for_timeout(500)
    assert tab.evaluate("window.hacked") is None


def test_answers_carry_security_headers(address: str) -> None:
    with urllib.request.urlopen(address) as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-eval" not in policy
