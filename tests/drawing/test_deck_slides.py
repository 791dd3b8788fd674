"""Slides of a deck: rows that are compared stay on a line each, unless that costs too much of the type."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from pages.ui.deck import BROWSER, View, _view
from pages.ui.stage.serve import stage_css
from pages.ui.token_view.bundle import bundle
from pages.ui.token_view.lanes import Label, Lane
from pages.ui.token_view.palette import TINT_COUNT
from pages.ui.words import catalogue
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer

DRAW = """async ([code, css, slide, tints]) => {
  const style = document.head.appendChild(document.createElement("style"));
  style.textContent = css;
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { SlideView } = await import(address);
  const deck = document.body.appendChild(document.createElement("div"));
  deck.className = "token-view deck";
  const place = deck.appendChild(document.createElement("div"));
  place.className = "deck-place";
  const view = new SlideView(slide, { tints, locale: "th", labels: { letters: "" } }, ["th"]);
  place.append(view.element);
  view.placed();
  const lines = view.boards.map(({ line }) => {
    const { lineHeight, fontSize } = getComputedStyle(line);
    return [Math.round(line.clientHeight / parseFloat(lineHeight)), parseFloat(fontSize)];
  });
  view.remove();
  deck.remove();
  style.remove();
  return lines;
}"""


def lines_of(page: Page, text: str) -> list[tuple[int, float]]:
    """The lines of each row, and the size of their type."""
    lanes = [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES]
    slide: dict[str, Any] = {"kind": "tokens", "over": {}, "title": {}, "says": {}, "notes": {}}
    slide["views"] = [json.loads(json.dumps(_view(View(text, lanes))))]
    page.set_viewport_size({"width": 1920, "height": 1080})
    css = stage_css() + (BROWSER / "deck.css").read_text("utf-8")
    found = page.evaluate(DRAW, [bundle(BROWSER / "slides.js"), css, slide, TINT_COUNT])
    return [tuple(each) for each in found]


@pytest.mark.parametrize("text", [catalogue("th")["examples.thai"], "กขคงจฉ", "น้ำ"])
def test_a_sentence_for_which_a_line_suffices_is_not_broken(page: Page, text: str) -> None:
    lines = lines_of(page, text)
    assert [count for count, _ in lines] == [1] * len(OPENAI_NAMES)
    assert all(size >= 64 for _, size in lines)


def test_a_long_text_takes_several_lines_and_stays_large(page: Page) -> None:
    lines = lines_of(page, catalogue("th")["examples.sample"])
    assert all(count > 1 for count, _ in lines)
    assert all(size >= 40 for _, size in lines)
