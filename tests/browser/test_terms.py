"""Technical words are explained where they stand, in both languages, on every page."""

import pytest
from playwright.sync_api import Page, expect

from pages.ui.words.glossary import terms_in
from tests.helpers.browser import PATIENCE, at_rest

MARKED = "() => [...(CSS.highlights.get('term') ?? [])].map((range) => range.toString())"
PLACE = """(place) => {
  const range = [...CSS.highlights.get('term')][place];
  range.startContainer.parentElement.scrollIntoView({ block: "center" });
  const [{ left, top, width, height }] = range.getClientRects();
  return [left + width / 2, top + height / 2];
}"""
WORDS = (
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


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "th"])
def test_every_term_that_is_seen_is_explained_where_it_stands(tab: Page, address: str, language: str) -> None:
    for path in ("", "train", "compare", "languages", "patterns"):
        tab.goto(f"{address}/{path}?lang={language}")
        expect(tab.get_by_role("heading", level=1)).to_be_visible()
        at_rest(tab)
        seen = "\n".join(tab.locator(WORDS).all_inner_texts())
        expected = {term.name for term in terms_in(seen, language)}
        assert expected
        marked = marked_words(tab, language, expected)
        tab.mouse.move(*tab.evaluate(PLACE, 0))
        (term,) = terms_in(marked[0], language)
        expect(tab.locator("#meaning")).to_contain_text(term.meaning)
        tab.keyboard.press("Escape")
        expect(tab.locator("#meaning")).to_be_hidden()
