"""The report prints on one sheet, and a picture is saved."""

import re

from playwright.sync_api import Page
from streamlit.testing.v1 import AppTest

from pages.ui.words import catalogue
from tests.helpers.browser import PATIENCE
from tests.helpers.languages_page import make_csv_and_report


def test_the_report_prints_on_one_sheet(tab: Page) -> None:
    app = AppTest.from_function(make_csv_and_report, default_timeout=PATIENCE)
    app.run()
    tab.set_content(app.session_state["html"].decode())
    printed = tab.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1


def test_a_picture_is_saved_as_png(tab: Page, address: str) -> None:
    tab.goto(f"{address}/languages?lang=th")
    words = catalogue("th")
    tab.get_by_role("radio", name=words["languages.view_take_away"]).click()
    with tab.expect_download() as download:
        tab.get_by_role("button", name=words["report.png"]).first.click()
    content = download.value.path().read_bytes()
    width, height = (int.from_bytes(content[start : start + 4], "big") for start in (16, 20))
    assert content.startswith(b"\x89PNG")
    assert width == 2 * 720
    assert height > 300
