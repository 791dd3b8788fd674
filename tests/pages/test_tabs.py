"""Tabs of a page: only the open one runs; the address, another language and a return keep it open."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.frame.tabs import TABS
from pages.ui.i18n import catalogue
from tests.helpers.app import ENGLISH, SPOKEN, address, go_to_tab, open_link, open_page
from tests.helpers.paths import REPOSITORY

NAMES = [(page, tab) for page, tabs in TABS.items() for tab in tabs]


def filled(app: AppTest) -> list[str]:
    """The labels of the tabs that have any content."""
    return [tab.label for tab in app.tabs if len(tab)]


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize(("page", "tab"), NAMES)
def test_a_link_opens_its_tab_and_no_other_runs(page: str, tab: str, language: str) -> None:
    app = open_page(page, language, tab=tab)
    words = catalogue(language)
    assert [each.label for each in app.tabs] == [words[f"tabs.{page}_{name}"] for name in TABS[page]]
    assert filled(app) == [words[f"tabs.{page}_{tab}"]]
    assert ("tab" in app.query_params) == (tab != TABS[page][0])


def test_a_tab_stays_open_in_another_language_and_when_people_come_back() -> None:
    app = open_page("vocabulary", tab="cost")
    app.segmented_control(key="lang").set_value("th").run()
    assert filled(app) == [catalogue("th")["tabs.vocabulary_cost"]]
    assert address(app, "tab") == "cost"
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    assert "tab" not in app.query_params
    app.switch_page(str(REPOSITORY / "pages" / "vocabulary.py")).run()
    assert filled(app) == [catalogue("th")["tabs.vocabulary_cost"]]
    go_to_tab(app, "browse")
    assert "tab" not in app.query_params


def test_a_click_on_a_tab_opens_it_though_the_address_still_names_another() -> None:
    app = open_page("patterns", tab="cost")
    assert app.session_state["patterns_tabs"] == ENGLISH["tabs.patterns_cost"]
    app.session_state["open_tabs"] = {"patterns": "whole"}  # as a click does, before the page runs
    app.run()
    assert filled(app) == [ENGLISH["tabs.patterns_whole"]]
    assert address(app, "tab") == "whole"


@pytest.mark.parametrize("tab", ["", "nobody", "<script>", "made_of"])
def test_a_tab_that_there_is_not_is_the_first_one(tab: str) -> None:
    app = open_link("patterns", tab=tab)
    assert filled(app) == [ENGLISH["tabs.patterns_cut"]]
    assert app.query_params.keys() == {"lang"}
