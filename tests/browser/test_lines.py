"""Lines of Thai, at the widths of phones and of a desktop: no line ends inside a word of the glossary."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.ui.words.breaks import JOINER, WHOLE
from tests.helpers.browser import at_rest

LONG = [pytest.param(path, marks=pytest.mark.long) for path in ("compare", "languages", "patterns", "stories")]
WORDS = [word.replace("|", f"{JOINER}?") for word in WHOLE] + [f"GPT-{JOINER}?\\d\\w*"]
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


@pytest.mark.parametrize("path", ["", "train", *LONG])
def test_no_line_ends_inside_a_word_of_the_glossary(tab: Page, address: str, path: str) -> None:
    tab.goto(f"{address}/{path}?lang=th")
    expect(tab.get_by_role("heading", level=1)).to_be_visible()
    at_rest(tab)
    tab.evaluate("document.querySelectorAll('details:not([open]) > summary').forEach((each) => each.click())")
    at_rest(tab)
    for width in (320, 390, 1280):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.wait_for_timeout(300)
        found = tab.evaluate(BROKEN, "|".join(WORDS))
        assert found["seen"] > 5
        assert found["broken"] == [], f"{width} pixels"


def test_the_words_would_break_without_the_marks(tab: Page, address: str) -> None:
    """Or this test shows nothing."""
    tab.goto(f"{address}/?lang=th")
    expect(tab.get_by_role("heading", level=1)).to_be_visible()
    at_rest(tab)
    text = "ตัวแบ่งโทเค็นของเราใช้กี่โทเค็นเปรียบเทียบช่องว่างกับตัวอักษรพิเศษ " * 20
    tab.evaluate(
        "(text) => { const line = document.createElement('p'); line.textContent = text;"
        " line.style.width = '300px'; document.querySelector('[data-testid=stMain]').append(line); }",
        text,
    )
    found = tab.evaluate(BROKEN, "|".join(WORDS))
    assert len(found["broken"]) > 0
    assert all(re.search("[ก-๛]", words) for words in found["broken"])
