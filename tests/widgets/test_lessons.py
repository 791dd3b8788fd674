"""Screens of the lessons in a browser, in the file that needs no app."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.ui.i18n import LANGUAGE
from pages.ui.learn.lessons import offline_page

OpenLesson = Callable[..., Locator]
TEXT = "The kindness of Thai people. Drink plenty of water, okay?"


@pytest.fixture
def open_lesson(page: Page, tmp_path: Path) -> OpenLesson:
    def opened(number: int, *, width: int = 1024, screen: int = 1) -> Locator:
        """A screen of a lesson, with all before it answered."""
        LANGUAGE.put("en")
        (tmp_path / "lessons.html").write_bytes(offline_page("en"))
        LANGUAGE.forget()
        page.emulate_media(reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 844})
        page.goto((tmp_path / "lessons.html").as_uri())
        lesson = page.locator(".learn")
        lesson.locator(f".lessons li:nth-child({number}) button").click()
        for _ in range(screen - 1):
            go_on(lesson)
        return lesson

    return opened


def go_on(lesson: Locator) -> None:
    """Do what the screen asks for, and go on."""
    if lesson.locator(".foot .strong").is_disabled():
        lesson.locator(".screen .choices button").first.click()
    lesson.locator(".foot .strong").click()


@pytest.mark.parametrize("width", [390, 1024])
def test_tokens_stand_letter_under_letter_and_say_which_cuts_are_met(open_lesson: OpenLesson, width: int) -> None:
    lesson = open_lesson(1, width=width)
    gaps = lesson.locator(".gap-cut")
    gaps.nth(0).click()  # T|he
    gaps.nth(2).click()  # The|␣
    lesson.locator(".choices .strong").click()
    expect(lesson.locator(".under")).to_have_text(list(TEXT))
    expect(lesson.locator("button.strong")).to_have_text("Next")  # what was done is not the thing to do
    expect(lesson.locator(".gap-cut .joint.cut")).to_have_count(12)
    apart = """(row) => [...row.querySelectorAll(".uncut")].map((holder) => {
      const [above, below] = [...holder.children].map((letter) => letter.getBoundingClientRect());
      return Math.abs(above.left + above.right - below.left - below.right) / 2;
    })"""
    assert max(lesson.locator(".cuttable").evaluate(apart)) < 1
    assert [gap.get_attribute("class") for gap in (gaps.nth(0), gaps.nth(2))] == ["gap-cut missed", "gap-cut"]
    expect(lesson.locator(".verdict")).to_contain_text("You drew 2, and met 1.")
    gaps.nth(0).click()
    expect(lesson.locator(".verdict")).to_contain_text("You drew 1, and met 1.")
    gaps.nth(2).click()
    expect(lesson.locator(".verdict")).not_to_contain_text("You drew")  # nobody did


def test_numbers_stand_before_the_question_and_a_lost_one_is_crossed_out(open_lesson: OpenLesson) -> None:
    lesson = open_lesson(1, screen=2)
    expect(lesson.locator(".ask .question")).to_contain_text("464")
    expect(lesson.locator(".ids")).to_contain_text("464 · 23887 · 286")
    lesson.locator(".ask .choices button").first.click()
    lost, *others = lesson.locator(".numbers button").all()
    crossed = "(button) => getComputedStyle(button).textDecorationLine"
    assert [each.evaluate(crossed) for each in (lost, others[0])] == ["line-through", "none"]


def test_no_line_of_tokens_ends_with_a_space_of_the_next(open_lesson: OpenLesson) -> None:
    for width in (320, 390, 500):
        lesson = open_lesson(1, width=width, screen=2)
        words = lesson.locator(".reading .p")
        lines = words.evaluate_all("(words) => words.map((word) => word.getClientRects().length)")
        assert set(lines) == {1}, width
        places = words.evaluate_all("(words) => words.map((word) => word.getBoundingClientRect().top)")
        assert len(set(places)) > 1, "it stands on several lines"


def test_a_merge_says_why_it_saves_less_than_was_counted_and_what_is_saved_in_all(open_lesson: OpenLesson) -> None:
    lesson = open_lesson(3, screen=2)  # by hand, in the file
    pairs, said = lesson.locator(".pair"), lesson.locator(".work .verdict")
    expect(said).to_have_text("11 tokens so far.")
    pairs.first.click()
    expect(said).to_have_text(
        "9 tokens, 2 saved. a + a was counted 4 times, but some of these places share a token: "
        "only 2 could be merged."
    )
    pairs.first.click()
    expect(said).to_have_text("7 tokens, 4 saved.")
    lesson.get_by_role("button", name="Undo").click()
    expect(said).to_have_text("9 tokens, 2 saved.")


@pytest.mark.parametrize("width", [390, 1024])
def test_no_line_of_the_program_is_cut(open_lesson: OpenLesson, width: int) -> None:
    listing = open_lesson(3, width=width, screen=4).locator(".listing")
    assert listing.evaluate("(list) => list.scrollWidth <= list.clientWidth")
    expect(listing.locator(".lit")).to_be_in_viewport(ratio=1)


def test_the_one_thing_to_do_at_the_end_of_a_lesson_is_the_next_one(open_lesson: OpenLesson) -> None:
    lesson = open_lesson(1, screen=5)
    expect(lesson.locator("button.strong")).to_have_text("Next lesson: A letter is a number; a number is bytes")
    lesson.locator("button.strong").click()
    expect(lesson.locator(".where")).to_contain_text("A letter is a number")
    expect(lesson.locator("progress")).to_have_attribute("value", "1")
    lesson = open_lesson(4, screen=4)
    expect(lesson.locator("button.strong")).to_have_text("All lessons")  # the last one of the file
    lesson.locator("button.strong").click()
    expect(lesson.locator(".lessons .done")).to_have_count(2)
