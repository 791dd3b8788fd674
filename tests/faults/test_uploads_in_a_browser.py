"""Uploads that are refused, as a person sees them: a full disk for temporary files, and more than one may hold."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.ui.words import catalogue, error_sentence
from tests.helpers.app import LANGUAGES
from tests.helpers.browser import at_rest, wait_healthy
from tests.helpers.paths import REPOSITORY
from tokenizer_core.errors import CorpusError

pytestmark = pytest.mark.long
MB = 2**20


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A disk of 1 MB for temporary files."""
    place = tmp_path_factory.mktemp("tmp")
    made = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if sys.platform != "linux" or subprocess.run(made, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a disk here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture(scope="module")
def small(disk: Path) -> Iterator[str]:
    """The address of an app with this disk, in which a visitor may hold 1 MB."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    limits = {"TMPDIR": str(disk), "TOKENIZER_EXPLORER_MAX_UPLOADS_MB": "1"}
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        env={**os.environ, **limits},
    )
    try:
        wait_healthy(f"http://127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def choose(tab: Page, widget: str, name: str, size: int) -> None:
    content = (b"a cat sat on a mat\n" * (size // 19 + 1))[:size]
    tab.locator(f".st-key-{widget} input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )


def said(tab: Page, code: str, language: str, **values: object) -> Locator:
    """Where the page says this, up to the name of a setting."""
    sentence = error_sentence(CorpusError("", code, **values), spoken=language)
    return tab.get_by_test_id("stAlert").filter(has_text=sentence.split("`")[0].strip())


@pytest.mark.parametrize("language", LANGUAGES)
def test_refused_uploads_say_why_and_what_was_there_stays(
    tab: Page, small: str, disk: Path, language: str
) -> None:
    words = catalogue(language)
    tab.goto(f"{small}/train?lang={language}")
    at_rest(tab)
    tab.locator(".st-key-train_card label").last.click()
    tab.get_by_role("radio", name=words["corpus.upload"]).click()
    choose(tab, "corpus_files", "large.txt", 2 * MB)  # larger than the disk
    expect(said(tab, "upload_no_room", language)).to_be_visible()
    assert list(disk.iterdir()) == []  # what had arrived of it is gone
    choose(tab, "corpus_files", "mine.txt", 700_000)
    expect(tab.get_by_text("700,000").first).to_be_visible()
    tab.get_by_role("link", name=words["nav.compare"], exact=True).click()
    tab.get_by_role("radio", name=words["text.upload"]).click()
    choose(tab, "text_file", "other.txt", 600_000)
    refusal = said(tab, "uploads_too_large", language, limit=1, megabytes=1.2)
    expect(refusal).to_be_visible()
    tab.locator(".st-key-remove_upload_corpus button").click()
    expect(refusal).to_be_hidden()
    expect(tab.get_by_text("221,052").first).to_be_visible()  # tokens, of the file that was refused before
