"""The scripts of the vocabulary: every search finds what Python finds, and nothing hostile holds the page up."""

import base64
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from pages.ui.token_view.bundle import bundle
from pages.ui.vocabulary.browse import BROWSER
from pages.ui.vocabulary.payload import pack
from tests.helpers.drawing import HOSTILE
from tokenizer_core import train
from tokenizer_core.measures.entries import SCRIPTS, Entries, entries_of

CORPUS = "ÉAéa ΔδΔ น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ The cat sat on the mat. aaaa abab 👍🏽👍🏽 \n\n กากา 12 2567 e\u0301" * 4
LOAD = """async ([code, packed]) => {
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  window.parts = await import(address);
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  window.known = new window.parts.Vocabulary(bytes.buffer);
}"""
FIND = """([kind, query, matchesCase]) => {
  const found = window.parts.search(window.known, { kind, query, matchesCase });
  return found === null || found === "bad" ? found : [...found.keys()].filter((place) => found[place]);
}"""
SELECT = """([change, used, scripts]) => {
  const { known, parts } = window;
  const uses = new Uint32Array(known.size);
  for (const [place, count] of used) uses[place] = count;
  const all = { script: null, use: "all", order: "order", shortest: 1, longest: 1e9, first: 0, last: 1e9 };
  const choice = { ...all, ...change };
  const { places, counts } = parts.select(known, choice, null, uses, scripts);
  return [[...places], [...counts]];
}"""
MATCH = """(source) => new Promise((then) => {
  window.regex ??= new window.parts.RegexSearch(window.known);
  const start = performance.now();
  window.regex.run(source, (answer) => then({ ...answer, found: answer.found && [...answer.found.keys()]
    .filter((place) => answer.found[place]), took: performance.now() - start }));
})"""


@pytest.fixture(scope="module")
def entries() -> Entries:
    """A vocabulary with letters, parts of letters, words, and a special token."""
    return entries_of(train(CORPUS, 256 + 150, special_tokens=["<|end|>", *filter(None, HOSTILE.values())]))


@pytest.fixture(scope="module")
def scripts(page: Page, entries: Entries) -> Page:
    """A page that has the vocabulary's modules and the packed entries."""
    code = "\n".join(bundle(BROWSER / f"{name}.js") for name in ("packed", "search", "selection", "regex_search"))
    page.evaluate(LOAD, [code, base64.b64encode(pack(entries)).decode()])
    return page


@pytest.mark.parametrize("query", ["น้ำ", "่", "a", "at", " ", "\n", "<script>", "👍", "aaaaaaaaaaaaaaaa", "\u0e19"])
def test_a_text_is_found_wherever_its_bytes_stand_within_one_token(
    scripts: Page, entries: Entries, query: str
) -> None:
    expected = [place for place, token in enumerate(entries.tokens) if query.encode() in token]
    assert scripts.evaluate(FIND, ["text", query, True]) == expected


@pytest.mark.parametrize("query", ["THE", "the", "ÉA", "Δ", "น้ำ", "🅰", "İ"])
def test_capitals_do_not_count_unless_they_are_to(scripts: Page, entries: Entries, query: str) -> None:
    texts = [token.decode(errors="surrogateescape").lower() for token in entries.tokens]
    needle = query.lower().encode()
    expected = [place for place, text in enumerate(texts) if needle in text.encode(errors="surrogateescape")]
    assert scripts.evaluate(FIND, ["text", query, False]) == expected


@pytest.mark.parametrize(
    ("query", "needle"),
    [("E0 B8", b"\xe0\xb8"), ("e0b8", b"\xe0\xb8"), ("0xE0, 0x00", b"\xe0\x00"), ("61", b"a"), ("b8", b"\xb8")],
)
def test_bytes_are_found_however_they_are_written(
    scripts: Page, entries: Entries, query: str, needle: bytes
) -> None:
    expected = [place for place, token in enumerate(entries.tokens) if needle in token]
    assert scripts.evaluate(FIND, ["bytes", query]) == expected


@pytest.mark.parametrize(("kind", "query"), [("bytes", "E0 B"), ("bytes", "xyz"), ("id", "1.5"), ("id", "abc")])
def test_what_is_no_byte_and_no_id_is_said_to_be_bad(scripts: Page, kind: str, query: str) -> None:
    assert scripts.evaluate(FIND, [kind, query]) == "bad"


def test_ids_are_found_one_by_one_and_in_ranges(scripts: Page) -> None:
    assert scripts.evaluate(FIND, ["id", "97, 300-302 9999999999"]) == [97, 300, 301, 302]
    assert scripts.evaluate(FIND, ["text", ""]) is None


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("5-3", [3, 4, 5]),
        ("๙๗", [97]),
        ("９７, ๓๐๐–๓๐๑", [97, 300, 301]),
        ("0,097 5,6,7", [5, 6, 7, 97]),
        ("1,000", []),
        ("97,", [97]),
    ],
)
def test_ids_are_read_as_people_write_them(scripts: Page, query: str, found: list[int]) -> None:
    assert scripts.evaluate(FIND, ["id", query]) == found


@pytest.mark.parametrize("source", ["^[a-z]+$", "น้ำ", r"\d", "^[ก-ฮ]$", "[ก-ฮ]{2}"])
def test_a_regular_expression_finds_what_python_finds(scripts: Page, entries: Entries, source: str) -> None:
    texts = [token.decode("utf-8", errors="replace") for token in entries.tokens]
    expected = [place for place, text in enumerate(texts) if re.search(source, text)]
    assert scripts.evaluate(MATCH, source)["found"] == expected


def test_a_fault_in_an_expression_is_told(scripts: Page) -> None:
    assert "fault" in scripts.evaluate(MATCH, "(a")


def test_an_expression_that_never_ends_is_stopped_and_the_next_one_works(scripts: Page) -> None:
    answer: dict[str, Any] = scripts.evaluate(MATCH, r"^(([\s\S]+)+)+\u{10FFFF}$")
    assert answer.get("isSlow") is True
    assert scripts.evaluate(MATCH, "^a$")["found"] == [97]


ORDERS: dict[str, Callable[[Entries, int], Any]] = {
    "order": lambda entries, place: place,
    "newest": lambda entries, place: -place,
    "longest": lambda entries, place: (-len(entries.tokens[place]), place),
    "shortest": lambda entries, place: (len(entries.tokens[place]), place),
    "letters": lambda entries, place: (entries.tokens[place], place),
    "used": lambda entries, place: (-{7: 3, 300: 9}.get(place, 0), place),
}


@pytest.mark.parametrize("order", ORDERS)
def test_each_order_is_what_its_name_says(scripts: Page, entries: Entries, order: str) -> None:
    places, counts = scripts.evaluate(SELECT, [{"order": order}, [[7, 3], [300, 9]], len(SCRIPTS)])
    assert places == sorted(range(len(entries.tokens)), key=lambda place: ORDERS[order](entries, place))
    assert counts == [entries.count(script) for script in SCRIPTS]


FILTERS: dict[str, tuple[dict[str, Any], Callable[[Entries, int], bool]]] = {
    "script": ({"script": 0}, lambda entries, place: bool(entries.scripts[place] == 0)),
    "length": ({"shortest": 2, "longest": 3}, lambda entries, place: 2 <= len(entries.tokens[place]) <= 3),
    "ids": ({"first": 256, "last": 300}, lambda entries, place: 256 <= int(entries.ids[place]) <= 300),
    "used": ({"use": "used"}, lambda entries, place: place in (7, 300)),
    "unused": ({"use": "unused"}, lambda entries, place: place not in (7, 300)),
}


@pytest.mark.parametrize("name", FILTERS)
def test_each_filter_keeps_what_its_name_says(scripts: Page, entries: Entries, name: str) -> None:
    change, keeps = FILTERS[name]
    places, _ = scripts.evaluate(SELECT, [change, [[7, 3], [300, 9]], len(SCRIPTS)])
    assert places == [place for place in range(len(entries.tokens)) if keeps(entries, place)]
