"""A server killed in mid-training is started again: the page, the list and the training go on where they were."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pages.ui.words import catalogue
from tests.helpers.browser import at_rest, wait_healthy
from tests.helpers.paths import REPOSITORY

ENGLISH = catalogue("en")


def serve(port: int, library: Path) -> "subprocess.Popen[bytes]":
    """Start the app as `streamlit run` does."""
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        env={**os.environ, "TOKENIZER_EXPLORER_LIBRARY": str(library)},
    )
    wait_healthy(f"http://127.0.0.1:{port}")
    return server


@pytest.mark.long
def test_a_killed_server_comes_back_with_what_was_learned(tab: Page, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = serve(port, tmp_path)
    try:
        tab.goto(f"http://127.0.0.1:{port}/?lang=en")
        at_rest(tab)
        tab.locator(".st-key-home_train button").first.click()
        stage = tab.locator(".st-key-stage .stage")
        expect(stage).to_have_attribute("data-position", re.compile("[1-9]"))
        tab.wait_for_timeout(6_000)  # runs are kept every five seconds
        server.send_signal(signal.SIGKILL)
        server.wait()
        server = serve(port, tmp_path)
        tab.context.clear_cookies()  # another browser, and no address of a run
        tab.goto(f"http://127.0.0.1:{port}/train?lang=en")
        at_rest(tab)
        expect(tab.get_by_text(re.compile(r"interrupted: \d+ of 744"))).to_be_visible()
        tab.get_by_role("button", name=ENGLISH["runs.open"]).click()
        expect(stage).to_have_attribute("data-position", re.compile("[1-9]"))
        at_rest(tab)
        tab.locator(".st-key-continue_run button").click()
        expect(stage).to_have_attribute("data-state", "running")
        tab.keyboard.press("e")
        expect(tab.get_by_text(ENGLISH["studio.done"].format(merges=744))).to_be_visible()
        expect(stage).to_have_attribute("data-position", "744")
    finally:
        server.kill()
        server.wait()
