"""Thai pages without the English that Streamlit writes by itself: uploaders, lists, text boxes."""

from playwright.sync_api import FilePayload, Page, expect

from pages.ui.limits import MAX_CORPUS_BYTES
from pages.ui.words import catalogue
from tests.helpers.browser import at_rest

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


def test_the_upload_of_a_corpus_speaks_thai_and_says_its_limit(tab: Page, address: str) -> None:
    tab.goto(f"{address}/train?lang=th")
    tab.locator(".st-key-train_card label").filter(has_text=THAI["train.card_own"]).click()
    tab.get_by_role("radio", name=THAI["corpus.upload"]).first.click()
    uploader = tab.get_by_test_id("stFileUploader").first
    label = THAI["corpus.upload_label"].format(limit=MAX_CORPUS_BYTES // 2**20)
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
    tab.evaluate("document.querySelectorAll('details:not([open]) > summary').forEach((each) => each.click())")
    at_rest(tab)
    columns = tab.get_by_test_id("stMultiSelect").locator("input")
    columns.click()
    third = THAI["files.column"].format(number=3)
    expect(tab.get_by_role("option", name=third)).to_be_visible()
    assert english(tab) == []
    columns.press_sequentially("zzz")
    expect(tab.get_by_role("option", name=third)).to_have_count(0)
    assert english(tab) == []


def test_the_count_of_a_limited_text_is_left_as_it_is(tab: Page, address: str) -> None:
    tab.goto(f"{address}/languages?lang=th")
    at_rest(tab)
    price = tab.locator(".st-key-languages_price")
    price.locator("input").fill("90 บาท")
    spans = price.get_by_test_id("InputInstructions").locator("span")
    expect(spans).to_have_count(2)
    assert spans.first.evaluate(SHOWN) == f'"{THAI["streamlit.enter"]}"'
    assert spans.last.evaluate(SHOWN) == "none"
    price.locator("input").press("Enter")
    expect(spans).to_have_count(1)
    assert spans.first.evaluate(SHOWN) == "none"
