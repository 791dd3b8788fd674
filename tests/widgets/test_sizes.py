"""The sliders of vocabulary sizes in the heads: what they tell the page, and that a hand can hold one."""

from typing import Any

import pytest
from playwright.sync_api import Page

from pages.ui.widgets.token_view.payload import token_payload
from tests.helpers.drawing import LABELS, PARAGRAPH, THAI, draw, in_shadow, lane_over, redraw
from tokenizer_core import train

FULL = train(PARAGRAPH * 9, 300)
LANES = [lane_over(THAI, FULL, "mine"), lane_over(THAI, FULL, "other")]


def sizes(at: int, most: int = 300) -> dict[int, dict[str, Any]]:
    return {0: {"of": "run:1", "least": 256, "most": most, "at": at, "special": 2}}


def answer(page: Page, at: int) -> None:
    """Draw the lane as the page does after it was told of another size."""
    lanes = [lane_over(THAI, FULL.at(at), "mine"), LANES[1]]
    redraw(page, token_payload(THAI, lanes, labels=LABELS), sizes=sizes(at))


def drawn(page: Page) -> None:
    """Draw a view whose first lane has sizes; what it tells the page is noted."""
    draw(page, THAI, LANES, view="staff", sizes=sizes(300))
    page.evaluate(
        "() => { window.told = []; const draw = window.draw; const setStateValue = (...said) => told.push(said);"
        " window.draw = (component) => draw({ ...component, setStateValue }); }"
    )
    answer(page, 300)


def test_only_a_lane_with_stages_has_a_slider_and_it_names_its_tokenizer(page: Page) -> None:
    drawn(page)
    slider = page.get_by_role("slider")
    assert slider.count() == 1
    assert slider.get_attribute("aria-label") == "Vocabulary size of mine"
    assert page.locator(".head").first.locator("output").inner_text() == "Size: 302 of 302 tokens"
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.locator(".head").first.locator("output").is_visible()  # a bare slider does not say what it does


@pytest.mark.parametrize("are_numbers_first", [False, True])
def test_under_the_sentence_that_says_who_needs_fewest_a_slider_stays_with_its_tokenizer(
    page: Page, are_numbers_first: bool
) -> None:
    more = {"text_first": True, "numbers_first": are_numbers_first}
    draw(page, THAI, LANES, view="staff", sizes=sizes(300), **more)
    slider = page.get_by_role("slider")
    assert slider.count() == 1
    head = page.locator(".head").filter(has=slider)
    assert head.locator(".name").inner_text().endswith("mine")
    assert page.locator(".verdict").count() == 1
    assert page.locator(".head").count() == (1 if are_numbers_first else 2), "numbers stand beside their rows"


def test_a_slider_tells_one_size_at_a_time_and_the_last_one_always(page: Page) -> None:
    drawn(page)
    page.get_by_role("slider").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    assert page.evaluate("told") == [["size", {"of": "run:1", "size": 299}]]
    answer(page, 299)
    assert page.evaluate("told.at(-1)") == ["size", {"of": "run:1", "size": 297}]
    assert page.get_by_role("slider").input_value() == "297", "an answer that comes late moves nothing back"
    answer(page, 297)
    assert page.evaluate("told.length") == 2
    assert in_shadow(page, "root.activeElement.type") == "range", "the hand has lost it"
    assert page.locator(".head .count").first.inner_text().split()[0] == str(len(FULL.at(297).encode(THAI)))


def test_without_a_hand_on_it_a_slider_shows_the_size_that_is_drawn(page: Page) -> None:
    drawn(page)
    answer(page, 280)
    assert page.get_by_role("slider").input_value() == "280"
    assert page.locator("output").inner_text() == "Size: 282 of 302 tokens"
    redraw(page, token_payload(THAI, LANES, labels=LABELS))
    assert page.get_by_role("slider").count() == 0


def test_a_shorter_number_does_not_change_the_slider_under_a_hand(page: Page) -> None:
    draw(page, THAI, LANES, view="staff", sizes=sizes(123_456, 123_456))
    slider = page.get_by_role("slider")
    box = slider.bounding_box()
    for size in (100_000, 9_999, 256):
        slider.evaluate("(slider, size) => { slider.value = size; slider.oninput(); }", size)
        assert f"{size + 2:,}" in page.locator("output").inner_text()
        assert slider.bounding_box() == box
