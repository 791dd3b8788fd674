"""Worksheets: a sheet for pupils that gives nothing away, and a sheet for the teacher with the live answer."""

import html
import re

import pytest

from pages.ui import i18n as words
from pages.ui.i18n.breaks import without_breaks
from pages.ui.stories.all_stories import STORIES, make_story
from pages.ui.stories.form import Part, Story
from pages.ui.stories.worksheet import worksheet
from pages.ui.widgets import printing
from tests.helpers.app import HOSTILE_HTML, SPOKEN


@pytest.fixture(params=SPOKEN)
def language(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The visitor's language."""
    chosen = str(request.param)
    for module in (words, printing):
        monkeypatch.setattr(module, "language", lambda: chosen)
    return chosen


def sheets(told: Story) -> tuple[str, str]:
    """What is read on the first sheet and on the second."""
    page = worksheet(told).decode()
    pupil, teacher = re.findall(r"<section.*?</section>", page, re.DOTALL)
    return tuple(html.unescape(re.sub(r"<[^>]+>", "", sheet)) for sheet in (pupil, teacher))  # type: ignore[return-value]


@pytest.mark.parametrize("name", STORIES)
def test_the_first_sheet_asks_and_the_second_answers(name: str, language: str) -> None:
    told = make_story(name)
    pupil, teacher = sheets(told)
    says = {step: without_breaks(told.says(step)).replace("**", "") for step in ("question", "says", "remember")}
    truth = told.prediction.choices[told.prediction.right]
    assert says["question"] in pupil
    assert all(part.text in pupil for part in told.parts)
    assert all(f">{choice}<" in worksheet(told).decode() for choice in told.prediction.choices)
    assert says["says"] not in pupil
    assert says["remember"] not in pupil
    assert without_breaks(words.t("worksheet.answer", truth=truth)) not in pupil
    assert says["says"] in teacher
    assert says["remember"] in teacher
    assert without_breaks(words.t("worksheet.answer", truth=truth)) in teacher


def test_the_blanks_are_empty_and_the_teachers_table_is_filled(language: str) -> None:
    told = make_story("polite")
    page = worksheet(told).decode()
    blanks = re.search(r'<table class="blank">.*?</table>', page, re.DOTALL)
    assert blanks is not None
    cells = re.findall(r"<td>(.*?)</td>", blanks[0])
    assert cells == [""] * 2 * len(told.parts) * len(told.lanes)
    filled = page.partition('class="teacher"')[2]
    assert [int(count) for count in re.findall(r"<td>(\d+)</td>", filled)] == [
        told.figures[f"{lane}_{part.key}"] for part in told.parts for lane in told.lanes
    ]


def test_only_the_texts_keep_characters_that_nobody_sees(language: str) -> None:
    told = make_story("zero_width")
    page = worksheet(told).decode()
    assert page.count("\u200b") == 1
    assert "[U+200B]" in page
    other = worksheet(make_story("doctor")).decode()
    assert other == without_breaks(other)


def test_a_text_is_escaped() -> None:
    lanes = make_story("water").lanes
    told = Story(
        "water", [Part("water", HOSTILE_HTML, "<b>")], lanes, "gpt2_water", ("gpt2_water", "o200k_base_water")
    )
    page = worksheet(told).decode()
    assert "<script" not in page
    assert "<b>" not in page
    assert html.escape("<script>") in page
