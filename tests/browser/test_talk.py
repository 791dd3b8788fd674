"""The talk of ten minutes by keyboard alone, readable from the last row."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.ui.i18n import catalogue

SMALLEST = """() => {
  const deck = [...document.querySelectorAll(".st-key-deck *")].find((each) => each.shadowRoot).shadowRoot;
  const sizes = [];
  const walk = document.createTreeWalker(deck.querySelector(".deck"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { parentElement, data } = walk.currentNode;
    const isSeen = parentElement.checkVisibility({ checkOpacity: true });
    if (!data.trim() || parentElement.closest("[hidden], option") || !isSeen) continue;
    sizes.push([parseFloat(getComputedStyle(parentElement).fontSize), data.slice(0, 40)]);
  }
  const slide = deck.querySelector(".deck-slide");
  const isWhole = slide.scrollHeight <= slide.clientHeight + 1 && slide.scrollWidth <= slide.clientWidth + 1;
  const sentences = [...slide.querySelectorAll(".line:not(.probe)")];
  const lines = sentences.map((line) => parseFloat(getComputedStyle(line).fontSize));
  const views = slide.querySelectorAll(".view").length;
  return { lines, views, smallest: sizes.sort((one, other) => one[0] - other[0])[0], isWhole };
}"""


@pytest.mark.parametrize(
    ("language", "width", "height"),
    [("th", 1280, 720), pytest.param("en", 1920, 1080, marks=pytest.mark.long)],
)
def test_the_talk_is_walked_by_keyboard_and_read_from_the_last_row(
    tab: Page, address: str, language: str, width: int, height: int
) -> None:
    tab.set_viewport_size({"width": width, "height": height})
    tab.goto(f"{address}/stories?lang={language}&present=1")
    deck = tab.locator(".st-key-deck .deck")
    expect(deck).to_be_visible()
    slides = int(deck.locator(".deck-where").inner_text().split("/")[1])
    assert slides > 30
    for place in range(slides):
        expect(deck).to_have_attribute("data-at", str(place))
        kind = deck.get_attribute("data-kind")
        found = tab.evaluate(SMALLEST)
        least, words = found["smallest"]
        assert least >= 28 * width / 1920 - 0.1, (place, words)
        assert found["isWhole"] or kind == "stage", place
        # One sentence, which two lines hold; or three short ones, which stand side by side.
        if kind == "stage" or found["views"] in (1, 3):
            assert all(size >= 64 * width / 1920 for size in found["lines"]), (place, found["lines"])
        tab.keyboard.press("ArrowRight")
        if kind == "stage":  # merge 0 stands still until somebody starts the show
            expect(deck.locator(".stage")).to_have_attribute("data-position", re.compile("[1-9]"))
            expect(deck).to_have_attribute("data-at", str(place))
            tab.keyboard.press("ArrowRight")
        if kind == "ask":
            expect(deck.locator(".choice.right")).to_have_count(1)
            tab.keyboard.press("PageDown")
    tab.keyboard.press("PageUp")
    expect(deck).to_have_attribute("data-at", str(slides - 2))
    if language == "th":  # a phone, and a board that is touched, have no keys
        for what, at in (("back", slides - 3), ("next", slides - 2)):
            deck.get_by_role("button", name=catalogue("th")[f"deck.{what}"], exact=True).click()
            expect(deck).to_have_attribute("data-at", str(at))
        deck.get_by_role("button", name=catalogue("th")["deck.leave"]).click()
    else:
        tab.keyboard.press("Escape")
    expect(deck).to_have_count(0)
    assert "present" not in tab.url
