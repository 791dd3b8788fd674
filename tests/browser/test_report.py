"""The report prints on one sheet and a worksheet on two, and a picture is saved."""

import re

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue
from pages.ui.stories.all_stories import make_story
from pages.ui.stories.worksheet import worksheet
from pages.ui.widgets.printing import MARGIN
from tests.helpers.browser import PATIENCE, open_fold
from tests.helpers.languages_page import make_csv_and_report


def test_the_report_prints_on_one_sheet(tab: Page) -> None:
    app = AppTest.from_function(make_csv_and_report, default_timeout=PATIENCE)
    app.run()
    tab.set_content(app.session_state["html"].decode())
    printed = tab.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1


@pytest.mark.long
def test_a_picture_is_saved_as_png(tab: Page, address: str) -> None:
    tab.goto(f"{address}/languages?lang=th")
    words = catalogue("th")
    open_fold(tab, words["languages.view_take_away"])
    with tab.expect_download() as download:
        tab.get_by_role("button", name=words["report.png"]).first.click()
    content = download.value.path().read_bytes()
    width, height = (int.from_bytes(content[start : start + 4], "big") for start in (16, 20))
    assert content.startswith(b"\x89PNG")
    assert width == 2 * (720 + 2 * MARGIN)
    assert height > 300


@pytest.mark.parametrize("name", ["doctor", "registers", "bangkok", "chat"])
def test_a_worksheet_prints_on_two_sheets(tab: Page, name: str) -> None:
    tab.set_content(worksheet(make_story(name)).decode())
    printed = tab.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 2
    tab.set_viewport_size({"width": 673, "height": 1017})  # what the margins leave of A4
    tab.emulate_media(media="print")
    overflows = "() => { const { scrollHeight, clientHeight } = document.querySelector('.pupil');"
    assert tab.evaluate(overflows + " return scrollHeight > clientHeight; }") is False
    tab.emulate_media(media="null")


def test_a_story_is_told_by_keyboard_and_its_worksheet_saved(tab: Page, address: str) -> None:
    tab.goto(f"{address}/languages?lang=en&story=water")  # an old link
    expect(tab).to_have_url(re.compile(r"/stories\?lang=en$"))
    choice = tab.locator(".st-key-story_choice_0 button")
    choice.focus()
    choice.press("Enter")
    expect(tab.locator(".st-key-story_water_water .p").first).to_be_visible()
    expect(choice).to_be_focused()
    tab.locator(".st-key-story_more button").first.click()
    with tab.expect_download() as download:
        tab.locator(".st-key-story_worksheet button").first.click()
    assert download.value.suggested_filename == "worksheet-water-en.html"
