"""Regular expressions over a vocabulary: they find what Python finds, and none holds the page up."""

import base64
import re
from typing import Any

import pytest
import regex
from playwright.sync_api import Page

from pages.ui.vocabulary.browse import BROWSER, pack
from pages.ui.widgets.token_view.serve import bundle
from tokenizer_core import train
from tokenizer_core.analysis.entries import Entries, entries_of

LOAD = """async ([code, packed]) => {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { RegexSearch, Vocabulary } = await import(address);
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  window.regex = new RegexSearch(new Vocabulary(bytes.buffer));
}"""
MATCH = """(source) => new Promise((then) => window.regex.run(source, (answer) => then({
  ...answer, found: answer.found && [...answer.found.keys()].filter((place) => answer.found[place]) })))"""


@pytest.fixture(scope="module")
def entries() -> Entries:
    return entries_of(
        train(
            "น้ำใจคนไทย ดื่มน้ำ The cat sat on the mat. 12 2567 👍🏽 กากา" * 4,
            256 + 90,
            special_tokens=["<น" + 60 * "|"],
        )
    )


@pytest.fixture(scope="module")
def scripts(page: Page, entries: Entries) -> Page:
    """A page that has the packed entries, and searches them."""
    code = "\n".join(bundle(BROWSER / f"{name}.js") for name in ("search", "regex_search"))
    page.evaluate(LOAD, [code, base64.b64encode(pack(entries)).decode()])
    return page


@pytest.mark.parametrize("source", ["^[a-z]+$", "น้ำ", r"\d", "^[ก-ฮ]$", "[ก-ฮ]{2}"])
def test_a_regular_expression_finds_what_python_finds(scripts: Page, entries: Entries, source: str) -> None:
    texts = [token.decode("utf-8", errors="replace") for token in entries.tokens]
    expected = [place for place, text in enumerate(texts) if re.search(source, text)]
    assert scripts.evaluate(MATCH, source)["found"] == expected


def test_a_script_needs_no_prefix(scripts: Page, entries: Entries) -> None:
    texts = [token.decode("utf-8", errors="replace") for token in entries.tokens]
    expected = [place for place, text in enumerate(texts) if regex.search(r"\A\p{Thai}{2,}\Z", text)]
    assert expected
    assert scripts.evaluate(MATCH, r"^\p{Thai}{2,}$")["found"] == expected
    assert scripts.evaluate(MATCH, r"^\p{Letter}$")["found"] == scripts.evaluate(MATCH, r"^\p{L}$")["found"]


def test_a_fault_is_told_and_an_expression_that_never_ends_is_stopped(scripts: Page) -> None:
    assert "fault" in scripts.evaluate(MATCH, "(a")
    answer: dict[str, Any] = scripts.evaluate(MATCH, r"^(([\s\S]+)+)+\u{10FFFF}$")
    assert answer.get("isSlow") is True
    assert scripts.evaluate(MATCH, "^a$")["found"] == [97]
