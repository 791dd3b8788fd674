"""Words of the pages: terms are explained, Thai lines break between words, Streamlit writes no English."""

import re

import pytest
from playwright.sync_api import FilePayload, Page, expect

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import JOINER, WHOLE
from pages.ui.i18n.glossary import terms_explained_on, terms_in
from pages.ui.limits import MAX_CORPUS_BYTES
from tests.helpers.browser import PATIENCE, at_rest

OPEN_ALL = "document.querySelectorAll('details:not([open]) > summary').forEach((each) => each.click())"


def open_page(tab: Page, address: str) -> None:
    """Go to a page, and wait until it is drawn."""
    tab.goto(address)
    expect(tab.get_by_role("heading", level=1)).to_be_visible()
    at_rest(tab)


# ---- lines of Thai, at the widths of phones and of a desktop: none ends inside a word of the glossary


LONG = [
    pytest.param(path, marks=pytest.mark.long) for path in ("train", "compare", "languages", "patterns", "stories")
]
UNBROKEN = [word.replace("|", f"{JOINER}?") for word in WHOLE] + [f"GPT-{JOINER}?\\d\\w*"]
# Every place of these words in what is seen, as the words around it, where it spans two lines.
BROKEN = """(pattern) => {
  const found = { broken: [], seen: 0 };
  const walk = document.createTreeWalker(document.querySelector('[data-testid="stMain"]'), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const { parentElement } = node;
    if (!parentElement.checkVisibility() || parentElement.closest("textarea, pre, code, style")) continue;
    for (const match of node.data.matchAll(new RegExp(pattern, "g"))) {
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      found.seen++;
      const parts = [...range.getClientRects()].filter(({ width }) => width > 0.5);
      const lines = new Set(parts.map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.broken.push(node.data.slice(Math.max(0, match.index - 20), match.index + 30));
    }
  }
  return found;
}"""


@pytest.mark.parametrize("path", ["", *LONG])
def test_no_line_ends_inside_a_word_of_the_glossary(tab: Page, address: str, path: str) -> None:
    open_page(tab, f"{address}/{path}?lang=th")
    tab.evaluate(OPEN_ALL)
    at_rest(tab)
    for width in (320, 390, 1280):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.wait_for_timeout(300)
        found = tab.evaluate(BROKEN, "|".join(UNBROKEN))
        assert found["seen"] > 5
        assert found["broken"] == [], f"{width} pixels"


def test_the_words_would_break_without_the_marks(tab: Page, address: str) -> None:
    """Or this test shows nothing."""
    open_page(tab, f"{address}/?lang=th")
    text = "ตัวแบ่งโทเค็นของเราใช้กี่โทเค็นเปรียบเทียบช่องว่างกับตัวอักษรพิเศษ " * 20
    tab.evaluate(
        "(text) => { const line = document.createElement('p'); line.textContent = text;"
        " line.style.width = '300px'; document.querySelector('[data-testid=stMain]').append(line); }",
        text,
    )
    found = tab.evaluate(BROKEN, "|".join(UNBROKEN))
    assert len(found["broken"]) > 0
    assert all(re.search("[ก-๛]", words) for words in found["broken"])


# ---- terms


MARKED = "() => [...(CSS.highlights.get('term') ?? [])].map((range) => range.toString())"
PLACE = """(place) => {
  const range = [...CSS.highlights.get('term')][place];
  range.startContainer.parentElement.scrollIntoView({ block: "center" });
  const [{ left, top, width, height }] = range.getClientRects();
  return [left + width / 2, top + height / 2];
}"""
EXPLAINED = (
    '[data-testid="stHeading"]:not(:has(h1)), [data-testid="stCaptionContainer"], [data-testid="stMetricLabel"]'
)


def marked_words(tab: Page, language: str, expected: set[str]) -> list[str]:
    """The words that are marked, as soon as all expected terms are among them."""
    for _ in range(4 * PATIENCE):
        words: list[str] = tab.evaluate(MARKED)
        missing = expected - {term.name for word in words for term in terms_in(word, language)}
        if not missing:
            return words
        tab.wait_for_timeout(250)
    raise AssertionError(f"not explained: {missing}")


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "th"])
def test_every_term_that_is_seen_is_explained_where_it_stands(tab: Page, address: str, language: str) -> None:
    for path in ("", "train", "compare", "languages", "patterns"):
        open_page(tab, f"{address}/{path}?lang={language}")
        seen = "\n".join(tab.locator(EXPLAINED).all_inner_texts())
        meant = {term.name for term in terms_explained_on(path or "home", language)}
        expected = {term.name for term in terms_in(seen, language)} & meant
        assert expected
        marked = marked_words(tab, language, expected)
        tab.mouse.move(*tab.evaluate(PLACE, 0))
        (term,) = terms_in(marked[0], language)
        expect(tab.locator("#meaning")).to_contain_text(term.meaning)
        tab.keyboard.press("Escape")
        expect(tab.locator("#meaning")).to_be_hidden()


# ---- what Streamlit writes by itself: uploaders, lists, text boxes


THAI = catalogue("th")
TABLE = "first,second,third,fourth\n" + "น้ำใจคนไทย,ดื่มน้ำเยอะๆ,abc,def\n" * 30
# English that is seen: letters large enough to read, outside code and icons.
SEEN = """() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (!parent.checkVisibility() || parent.closest("style, script, code, pre")) continue;
    if (parseFloat(getComputedStyle(parent).fontSize) > 1) found.push(node.data);
  }
  return found.join("\\n");
}"""
SHOWN = "(element) => getComputedStyle(element, '::after').content"
OF_STREAMLIT = ("Upload", "per file", "200MB", "Browse", "Choose", "Select all", "No results", "Press ")


def english(tab: Page) -> list[str]:
    """The words of Streamlit that are seen."""
    seen = tab.evaluate(SEEN)
    return [words for words in OF_STREAMLIT if words in seen]


RING = """(option) => {
  const [ring, words] = [option.querySelector("div > div"), option.querySelector("p")];
  const middle = (element, height) => element.getBoundingClientRect().top + height / 2;
  const line = parseFloat(getComputedStyle(words).lineHeight);
  return middle(ring, ring.offsetHeight) - middle(words, line);
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_ring_of_a_text_to_train_on_stands_on_the_line_of_its_words(
    tab: Page, address: str, width: int
) -> None:
    tab.set_viewport_size({"width": width, "height": 844})
    tab.goto(f"{address}/train?lang=th")
    at_rest(tab)
    for option in tab.locator(".st-key-train_card [data-testid=stRadioOption]").all():
        assert abs(option.evaluate(RING)) <= 1


def test_the_upload_of_a_corpus_speaks_thai_and_says_its_limit(tab: Page, address: str) -> None:
    tab.goto(f"{address}/train?lang=th")
    caption = tab.locator('.st-key-train_card [data-testid="stRadioCaption"]').last
    box = caption.bounding_box()
    assert box is not None
    tab.mouse.click(box["x"] + 20, box["y"] + box["height"] / 2)  # the whole card is pressed
    tab.get_by_role("radio", name=THAI["corpus.upload"]).first.click()
    uploader = tab.get_by_test_id("stFileUploader").first
    label = filled(THAI["corpus.upload_label"], limit=MAX_CORPUS_BYTES // 2**20)
    expect(uploader.get_by_text(label)).to_be_visible()
    at_rest(tab)
    assert english(tab) == []
    assert uploader.locator("button p").evaluate(SHOWN) == f'"{THAI["streamlit.upload"]}"'
    tab.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(
        FilePayload(name="table.csv", mimeType="text/csv", buffer=TABLE.encode())
    )
    expect(uploader.get_by_text("table.csv")).to_be_visible()
    expect(tab.get_by_text(THAI["files.how_read"])).to_be_visible()
    at_rest(tab)
    tab.evaluate(OPEN_ALL)
    at_rest(tab)
    columns = tab.get_by_test_id("stMultiSelect").locator("input")
    columns.click()
    third = filled(THAI["files.column"], number=3)
    expect(tab.get_by_role("option", name=third)).to_be_visible()
    assert english(tab) == []
    columns.press_sequentially("zzz")
    expect(tab.get_by_role("option", name=third)).to_have_count(0)
    assert english(tab) == []


@pytest.mark.long
def test_the_count_of_a_limited_text_is_left_as_it_is(tab: Page, address: str) -> None:
    tab.goto(f"{address}/languages?lang=th")
    at_rest(tab)
    tab.locator(".st-key-languages_terms button").click()
    price = tab.locator(".st-key-languages_price")
    price.locator("input").fill("90 บาท")
    spans = price.get_by_test_id("InputInstructions").locator("span")
    expect(spans).to_have_count(2)
    assert spans.first.evaluate(SHOWN) == f'"{THAI["streamlit.enter"]}"'
    assert spans.last.evaluate(SHOWN) == "none"
    price.locator("input").press("Enter")
    expect(spans).to_have_count(1)
    assert spans.first.evaluate(SHOWN) == "none"
