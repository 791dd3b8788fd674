"""A browser, and tabs of visitors in it."""

import contextlib
import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Dialog, Locator, Page, Request, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.helpers.paths import REPOSITORY

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
"""The first, where it is installed, has no window to draw: tests in a browser take a seventh less."""
FLAGS = [
    *(
        "--no-sandbox",
        "--disable-gpu",
        "--disable-software-rasterizer",
        "--disable-quic",
        "--no-first-run",
        "--disable-sync",
    ),
    *("--disable-background-networking", "--disable-component-update"),
]
# Nothing fades from here on: colours halfway between two others are nobody's, and Streamlit pales what a slow
# machine is still drawing.
STILL = """() => {
  const still = new CSSStyleSheet();
  still.replaceSync(`*, ::before, ::after { transition: none !important; animation: none !important }
    [data-stale=true] { opacity: 1 !important }`);
  const within = [...document.querySelectorAll("*")].map((each) => each.shadowRoot).filter(Boolean);
  for (const root of [document, ...within]) root.adoptedStyleSheets = [still];
}"""
PATIENCE = int(os.environ.get("PATIENCE") or 180)
"""Seconds after which something is taken to hang; a slow machine must not fail."""


def require(is_there: object, what: str) -> None:
    """Skip where something is not installed; with REQUIRE_BROWSER=1 fail."""
    if is_there:
        return
    if os.environ.get("REQUIRE_BROWSER"):
        pytest.fail(f"needs {what}, which REQUIRE_BROWSER asks for")
    pytest.skip(f"needs {what}")


@contextmanager
def running_app(**environment: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Start the app as `streamlit run` does; give its address and its process, and end it afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(
            command, cwd=REPOSITORY, stdout=said, stderr=subprocess.STDOUT, env={**os.environ, **environment}
        ) as server,
    ):
        try:
            try:
                wait_healthy(f"http://127.0.0.1:{port}")
            except TimeoutError as error:
                said.seek(0)
                error.add_note(
                    f"exit code {server.poll()}; it said: {said.read()[-4000:].decode(errors='replace')}"
                )
                raise
            yield f"http://127.0.0.1:{port}", server
        finally:
            end(server)


def end(server: "subprocess.Popen[bytes]") -> None:
    """Ask a server to end, which it must do while visitors look at it."""
    server.terminate()
    try:
        server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        raise


def wait_healthy(address: str) -> None:
    """Wait until the app answers."""
    last: OSError | None = None
    for _ in range(4 * PATIENCE):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except OSError as error:
            last = error
            time.sleep(0.25)
    raise TimeoutError("the app did not come up") from last


def websocket_status(address: str, origin: str | None) -> int:
    """The app's answer to a browser whose page of this origin opens the websocket: 101 lets it in."""
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=PATIENCE)
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    headers = {**upgrade, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "streamlit"}
    connection.request("GET", "/_stcore/stream", headers=headers | ({"Origin": origin} if origin else {}))
    try:
        return connection.getresponse().status
    finally:
        connection.close()


OpenTab = Callable[..., Page]


@dataclass
class Profile:
    """A browser, and its tabs that nobody uses: a tab that has loaded one page loads the next much faster."""

    context: BrowserContext
    idle: list[Page] = field(default_factory=list)

    def take(self) -> Page:
        """A tab in front of the others: one that is hidden draws late."""
        tab = self.idle.pop() if self.idle else self.context.new_page()
        self.context.clear_cookies()  # they say who a visitor is
        tab.bring_to_front()
        return tab

    def give_back(self, tab: Page) -> None:
        """Leave the page, which ends its visitor's session, and make the tab as it was."""
        tab.goto("about:blank")
        tab.emulate_media(color_scheme="null", reduced_motion="null")
        self.idle.append(tab)


@contextmanager
def visitors(profile: Profile) -> Iterator[OpenTab]:
    """Opens tabs of fresh visitors, which must raise no script error and fetch nothing from elsewhere.

    A visitor is a session of the app, which begins anew with each page that is loaded.
    """
    tabs: list[Page] = []
    errors: list[str] = []
    elsewhere: list[str] = []

    def fail(error: object) -> None:
        errors.append(str(error))

    def refuse(dialog: Dialog) -> None:
        errors.append(f"a dialog opened: {dialog.message}")
        dialog.dismiss()

    def watch(request: Request) -> None:
        if not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|blob:|data:|about:|file:", request.url):
            elsewhere.append(request.url)

    def open_one(**media: Any) -> Page:
        tab = profile.take()
        tabs.append(tab)
        tab.set_viewport_size({"width": 1280, "height": 1000})
        tab.emulate_media(**media)
        tab.on("pageerror", fail)
        tab.on("dialog", refuse)
        tab.on("request", watch)
        tab.set_default_timeout(1_000 * PATIENCE)
        expect.set_options(timeout=1_000 * PATIENCE)
        return tab

    yield open_one
    for tab in tabs:
        profile.give_back(tab)
        tab.remove_listener("pageerror", fail)
        tab.remove_listener("dialog", refuse)
        tab.remove_listener("request", watch)
    assert errors == []
    assert elsewhere == []


def at_rest(tab: Page) -> None:
    """Wait until no run of the page is under way."""
    expect(tab.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(tab.locator("[data-stale=true]")).to_have_count(0)


def open_fold(tab: Page, title: str) -> None:
    """Open what is folded away; a click on what is drawn anew at that moment gets lost, so it is given again."""
    fold = tab.locator("details").filter(has=tab.locator(":scope > summary").filter(has_text=title)).first
    deadline = time.monotonic() + PATIENCE
    while fold.get_attribute("open") is None:
        assert time.monotonic() < deadline, f"{title} never opened"
        at_rest(tab)
        fold.locator("summary").first.click()
        tab.wait_for_timeout(300)


def press_until_gone(button: Locator) -> None:
    """Press a button that leaves once it was pressed; again, if the page drew it anew under the press."""
    expect(button).to_be_visible()
    deadline = time.monotonic() + PATIENCE
    while button.count():
        assert time.monotonic() < deadline, "the button never left"
        at_rest(button.page)
        with contextlib.suppress(PlaywrightTimeout):
            button.click(timeout=2_000)
        button.page.wait_for_timeout(300)
