"""The app's process: it answers before anything is compiled, and a killed one comes back with its training."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pages.ui.i18n import catalogue, filled
from tests.helpers.browser import PATIENCE, at_rest, open_fold, running_app
from tokenizer_core.workers.compiling import PARTS

ENGLISH = catalogue("en")


def halt_compilers(app: int, how_many: int) -> None:
    """Halt the processes that compile for the app as they start; they never end."""
    halted: set[int] = set()
    deadline = time.monotonic() + PATIENCE
    while len(halted) < how_many:
        assert time.monotonic() < deadline, f"{len(halted)} processes compile"
        # In whole lines: a long path would push the module out of 80 columns. Exits with 1 if there are none.
        children = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(app)]
        found = subprocess.run(children, capture_output=True, text=True, check=False)
        compilers = {int(line.split()[0]) for line in found.stdout.splitlines() if "workers.compiling" in line}
        for compiler in compilers - halted:
            os.kill(compiler, signal.SIGSTOP)
        halted |= compilers
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="asks ps for the children of a process")
def test_a_training_is_seen_and_compared_before_the_loops_are_compiled(tab: Page, tmp_path: Path) -> None:
    with running_app(NUMBA_CACHE_DIR=str(tmp_path)) as (address, app):
        halt_compilers(app.pid, len(PARTS))
        tab.goto(f"{address}/train?lang=en")
        size = tab.get_by_role("spinbutton", name=ENGLISH["train.size"])
        size.fill("300")
        size.press("Enter")
        expect(tab.get_by_text("44 merges to learn")).to_be_visible()
        at_rest(tab)
        tab.locator(".st-key-start button").click()
        stage = tab.locator(".st-key-stage .stage")
        expect(stage).to_have_attribute("data-position", re.compile("[1-9]"))
        tab.keyboard.press("e")
        expect(tab.get_by_text(filled(ENGLISH["studio.done"], merges=44))).to_be_visible()
        for page in ("compare", "vocabulary"):
            tab.get_by_role("link", name=ENGLISH[f"nav.{page}"], exact=True).click()
            at_rest(tab)
            expect(tab.get_by_text(ENGLISH["tokenizers.mine"]).first).to_be_visible()
        assert not list(tmp_path.rglob("*merge_best*"))


@pytest.mark.long
def test_a_killed_server_comes_back_with_its_training(tab: Page, tmp_path: Path) -> None:
    stage = tab.locator(".st-key-stage .stage")
    with running_app(TOKENIZER_EXPLORER_LIBRARY=str(tmp_path)) as (address, server):
        tab.goto(f"{address}/?lang=en")
        at_rest(tab)
        tab.locator(".st-key-home_train button").first.click()
        expect(stage).to_have_attribute("data-position", re.compile("[1-9]"))
        tab.wait_for_timeout(1_000)  # it was saved when its text was known
        server.kill()
    with running_app(TOKENIZER_EXPLORER_LIBRARY=str(tmp_path)) as (address, _):
        tab.context.clear_cookies()  # another browser, and no address of a run
        tab.goto(f"{address}/train?lang=en")
        at_rest(tab)
        open_fold(tab, ENGLISH["runs.earlier"].partition(":")[0])
        expect(tab.get_by_text(re.compile(r"interrupted: \d+ of 744"))).to_be_visible()
        tab.get_by_role("button", name=ENGLISH["runs.again"]).click()
        at_rest(tab)
        tab.locator(".st-key-start button").click()
        expect(stage).to_have_attribute("data-state", "running")
        tab.keyboard.press("e")
        expect(tab.get_by_text(filled(ENGLISH["studio.done"], merges=744))).to_be_visible()
        expect(stage).to_have_attribute("data-position", "744")
