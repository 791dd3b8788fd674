"""Hostile texts, ids, links and downloads: nothing in them acts, nothing hangs, and texts stay texts."""

import csv
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen
from xml.etree import ElementTree

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from pages.ui.i18n import catalogue
from tests.helpers.app import mostly_long
from tests.helpers.browser import PATIENCE, OpenTab, Profile, visitors

ENGLISH, THAI = catalogue("en"), catalogue("th")
TAGS = (
    "<script>window.hacked=1</script><style>*{display:none}</style><img src=x onerror='window.hacked=1'>"
    '<svg onload="window.hacked=1"><iframe src="javascript:parent.hacked=1"></iframe>'
)
ENDS = "</script></style></textarea></title>--><script>window.hacked=1</script><!-- ]]>"
TEXTS = {
    "tags": TAGS,
    "ends of tags": ENDS,
    "directions": "\u202eevil\u202c \u2066x\u2069 \u200f\u061c \u202d\u202b(a[b{c \u2067\u2068 العربية <b>",
    "markdown": ":material/home: $$x$$ **b** [a](javascript:alert(1)) ![i](https://example.com/i.png) :red[r] `c`",
    "templates": "%PAYLOAD% %OPTIONS% {} {0} {count} %s ${window.hacked=1} {{7*7}} \\u003cscript\\u003e $& $1",
    "controls": "".join(map(chr, [*range(10), 11, 12, *range(14, 32), *range(127, 160)])) + "\u2028\u2029\ufeff.",
    "no characters": "\ufffe \uffff \ufdd0 \U0001fffe \U0010ffff \ue000 .",
}
LARGE = {
    "100,000 marks on one letter": "a" + "\u0301" * 100_000,
    "100,000 emoji": "👩‍🚀😀" * 50_000,
    "a word of 250 KB": "a" * 2**18,
    "a word of 1 MB": "a" * 2**20,
    "1,000,000 spaces": " " * 1_000_000,
}
# The browser itself takes 14 seconds to set 100,000 marks in a text box.
TYPED = {"10,000 marks on one letter": "a" + "\u0301" * 10_000, "100,000 emoji": LARGE["100,000 emoji"]}
IDS = {
    "out of range": ("31373 9999999", "9999999"),
    "negative": ("31373, -1", "-1"),
    "a float": ("1.5", "1.5"),
    "words": (f"1 {TAGS}", "<script>window.hacked"),
    "ten to the 400": (f"1{'0' * 400}", "1000"),
    "halves of characters": ("19567 247 31479", ENGLISH["text.ids_broken"]),
    "none": ("", ENGLISH["token_view.empty"]),
}
LINKS = {
    "text with tags": {"text": TAGS},
    "tags everywhere": dict.fromkeys(["view", "colour", "with", "lang", "job", "white_space", "pattern"], TAGS),
    "unknown names": {"with": "unknown,mine,__class__", "view": "view", "job": "../../etc/passwd"},
    "an endless pattern": {"with": "pretokens", "pattern": "(a+)+$", "text": "a" * 100 + "!"},
    "a pattern that is none": {"with": "gpt2,pretokens", "pattern": "(((<b>"},
    "a text of a whole page": {"text": "น้ำใจ " * 1_000},
}
Found = TypeVar("Found")


# ---- what every page must still do


def eventually(find: Callable[[], Found], holds: Callable[[Found], object]) -> Found:
    """Ask until the answer is as wanted. The page's policy forbids Playwright's own way, which needs eval."""
    deadline = time.monotonic() + PATIENCE
    while not holds(found := find()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert holds(found), repr(found)[:500]
    return found


def shown(view: Locator) -> str:
    """The text of the first lane, as far as its first row goes."""
    return view.locator(".lane:not(.ruler) .cell").first.text_content() or ""


def draws(view: Locator, text: str) -> None:
    """The view shows this text, or its beginning, and has counted it."""
    eventually(
        lambda: shown(view), lambda seen: seen and text.startswith(seen) and len(seen) >= min(len(text), 32)
    )
    expect(view.locator(".count").first).to_have_text(re.compile(r"\d"))


def answers(tab: Page, view: Locator, title: str) -> None:
    """Clicks still do what they shall, in the browser alone and through the app; and nothing was hacked."""
    view.locator(".lane:not(.ruler) .p").first.click()
    expect(view.locator(".ladder")).to_be_visible()
    menu = tab.locator(".st-key-home_menu button").first  # Home has its views there
    if menu.count():
        menu.click()
    for name in ("columns" if menu.count() else "chips", "staff"):  # chips show one tokenizer, and Home several
        button = tab.get_by_role("button", name=ENGLISH[f"token_view.{name}"], exact=True)
        button.scroll_into_view_if_needed()  # scrolling moves what stands below a closer look; then it is still
        button.click()
        expect(view.locator(f".token-view.{name}")).to_be_visible()
    tab.keyboard.press("Escape")
    responds(tab, title)


def responds(tab: Page, title: str) -> None:
    """The page changes its language and back; no text has run as a script."""
    for name, words in (("ไทย", THAI), ("English", ENGLISH)):
        tab.get_by_role("radiogroup", name="Language / ภาษา").get_by_role("radio", name=name).click()
        expect(tab.get_by_role("heading", name=words[title])).to_be_visible()
    assert tab.evaluate("window.hacked") is None


# ---- texts


@pytest.fixture(scope="module")
def tabs(profile: Profile) -> Iterator[dict[str, Page]]:
    """Tabs that several tests use one after another, by path: each puts another text there."""
    with visitors(profile) as open_one:
        yield {path: open_one() for path in ("/", "/compare")}


def opened(tab: Page, url: str, title: str) -> Page:
    """The page as the test before left it, or anew where that one failed halfway."""
    tab.bring_to_front()  # a tab that is hidden draws late
    if not tab.get_by_role("heading", name=ENGLISH[title]).is_visible():
        tab.goto(f"{url}?lang=en")
        expect(tab.locator(".count").first).to_be_visible()
    return tab


@pytest.fixture
def home(tabs: dict[str, Page], address: str) -> Page:
    return opened(tabs["/"], f"{address}/", "home.title")


@pytest.fixture
def compare(tabs: dict[str, Page], address: str) -> Page:
    return opened(tabs["/compare"], f"{address}/compare", "compare.title")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_home_shows_a_hostile_text_as_text(home: Page, text: str) -> None:
    view = home.locator(".st-key-home_view")
    home.get_by_role("textbox", name=ENGLISH["home.text_label"]).fill(text)
    draws(view, text)
    assert shown(view) == text
    assert home.evaluate("window.hacked") is None


@pytest.mark.parametrize("text", mostly_long(TEXTS.values(), TEXTS["tags"]), ids=TEXTS)
def test_compare_shows_a_hostile_text_as_text(compare: Page, text: str) -> None:
    view = compare.locator(".st-key-compare_view")
    compare.get_by_role("radio", name=ENGLISH["text.type"]).click()
    box = compare.get_by_role("textbox", name=ENGLISH["text.type_label"])
    box.fill(text)
    box.press("Control+Enter")
    draws(view, text)
    assert shown(view) == text
    answers(compare, view, "compare.title")


@pytest.mark.parametrize("text", mostly_long(LARGE.values(), LARGE["a word of 250 KB"]), ids=LARGE)
def test_a_large_text_does_not_hang_the_page(compare: Page, text: str) -> None:
    view = compare.locator(".st-key-compare_view")
    compare.get_by_role("radio", name=ENGLISH["text.upload"]).click()
    file = FilePayload(name="<b>$x$ :red[a].txt", mimeType="text/plain", buffer=text.encode())
    compare.locator(".st-key-text_file input[type=file]").set_input_files(file)
    draws(view, text)
    answers(compare, view, "compare.title")


@pytest.mark.long
@pytest.mark.parametrize("text", TYPED.values(), ids=TYPED)
def test_a_large_text_does_not_hang_home(home: Page, text: str) -> None:
    view = home.locator(".st-key-home_view")
    home.get_by_role("textbox", name=ENGLISH["home.text_label"]).fill(text)
    draws(view, text)
    answers(home, view, "home.title")


def test_ids_that_are_none_are_refused_in_words(compare: Page) -> None:
    compare.get_by_role("radio", name=ENGLISH["text.ids"]).click()
    box = compare.get_by_role("textbox", name=ENGLISH["text.ids_label"])
    message = compare.get_by_test_id("stAlert").or_(compare.locator(".st-key-compare_view .note"))
    for typed, said in IDS.values():
        box.fill(typed)
        box.press("Control+Enter")
        expect(message.filter(has_text=said)).to_be_visible()
    responds(compare, "compare.title")


# ---- links


@pytest.mark.parametrize(
    ("path", "title", "link"),
    [
        pytest.param(path, title, link, id=f"{page}-{name}", marks=() if name == short else pytest.mark.long)
        for page, path, title, short in (
            ("home", "/", "home.title", ""),
            ("compare", "/compare", "compare.title", "tags everywhere"),
        )
        for name, link in LINKS.items()
    ],
)
def test_a_hostile_link_opens_a_page_that_works(
    tab: Page, address: str, path: str, title: str, link: dict[str, str]
) -> None:
    tab.goto(f"{address}{path}?{urlencode({'lang': 'en'} | link)}")
    expect(tab.get_by_role("heading", name=ENGLISH[title])).to_be_visible()
    responds(tab, title)


def test_a_link_without_end_is_refused_and_harms_nobody(home: Page, address: str) -> None:
    with pytest.raises(HTTPError, match="400"):
        urlopen(f"{address}/?text={'x' * 200_000}")
    responds(home, "home.title")


# ---- downloads


@pytest.fixture
def taken(tab: Page, address: str, tmp_path: Path) -> Callable[[str, str], Path]:
    """Returns the file that the menu saves for a text: the text, then the kind of file."""

    def take(text: str, kind: str) -> Path:
        tab.goto(f"{address}/compare?{urlencode({'lang': 'en', 'text': text})}")
        view = tab.locator(".st-key-compare_view")
        draws(view, text)
        view.get_by_role("button", name=ENGLISH["token_view.save"]).click()
        with tab.expect_download() as download:
            view.get_by_role("button", name=ENGLISH[f"token_view.save_{kind}"]).click()
        download.value.save_as(tmp_path / f"tokens.{kind}")
        return tmp_path / f"tokens.{kind}"

    return take


def test_the_page_taken_away_shows_a_hostile_text_as_text(
    taken: Callable[[str, str], Path], open_tab: OpenTab
) -> None:
    text = TAGS + ENDS + TEXTS["templates"]
    page = taken(text, "html").as_uri()
    alone = open_tab()
    requests: list[str] = []
    alone.on("request", lambda request: requests.append(request.url))
    alone.goto(page)
    draws(alone.locator("body"), text)
    assert shown(alone.locator("body")) == text
    alone.locator(".lane:not(.ruler) .p").first.click()
    expect(alone.locator(".ladder")).to_be_visible()
    assert alone.evaluate("window.hacked") is None
    assert requests == [page]


@pytest.mark.long
def test_the_picture_taken_away_holds_a_hostile_text_as_text(taken: Callable[[str, str], Path]) -> None:
    picture = ElementTree.parse(taken(TAGS + ENDS + TEXTS["controls"] + TEXTS["no characters"], "svg"))
    svg = "{http://www.w3.org/2000/svg}"
    assert {element.tag for element in picture.iter()} == {svg + name for name in ("svg", "title", "rect", "text")}
    words = "".join(element.text or "" for element in picture.iter(f"{svg}text"))
    assert "".join((TAGS + ENDS).split()) in "".join(words.split())  # a space by itself is only a box
    assert "U+FFFE" in words


def test_no_cell_of_the_table_taken_away_is_a_formula(taken: Callable[[str, str], Path]) -> None:
    text = "=HYPERLINK(1) \n=1+1 +1 -1 @SUM \t=1 \r=1"
    with taken(text, "csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["text"] == "'="
    assert [cell for row in rows for cell in row.values() if cell.startswith(tuple("=+-@\t\r"))] == []


@pytest.mark.long
def test_the_tokens_taken_away_hold_the_text(taken: Callable[[str, str], Path]) -> None:
    text = TAGS + TEXTS["controls"]
    tokens = json.loads(taken(text, "json").read_text(encoding="utf-8"))
    assert tokens["text"] == text
