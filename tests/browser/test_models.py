"""A model by its name in a browser: typed on Home, fetched from a stand-in hub, and there on every page."""

import os

import pytest
from playwright.sync_api import expect

from pages.ui.i18n import catalogue, filled
from tests.helpers.browser import OpenTab, at_rest, running_app
from tests.helpers.hub import StandInHub
from tokenizer_core.sources.hub import host

WORDS = catalogue("en")


@pytest.mark.long
def test_a_name_that_is_typed_on_home_becomes_a_lane_there_and_on_compare(
    open_tab: OpenTab, stand_in_hub: StandInHub
) -> None:
    with running_app(**{name: os.environ[name] for name in ("HF_ENDPOINT", "HF_HOME")}) as (address, _):
        tab = open_tab()
        tab.goto(f"{address}/?lang=en")
        expect(tab.locator(".st-key-home_view .count")).to_have_count(3)
        at_rest(tab)
        assert stand_in_hub.asked == []
        tab.get_by_role("button", name=WORDS["home.view"]).click()
        tab.get_by_text(WORDS["compare.open"], exact=True).click()
        box = tab.get_by_role("combobox", name=WORDS["models.name"])
        box.fill("stand/found")
        box.press("Enter")
        tab.get_by_role("button", name=filled(WORDS["models.fetch"], host=host())).click()
        expect(tab.locator(".st-key-home_view .count")).to_have_count(4)
        assert stand_in_hub.sent("tokenizer.json") == 1
        tab.keyboard.press("Escape")
        tab.get_by_role("link", name=WORDS["nav.compare"], exact=True).click()
        expect(tab.locator(".st-key-compare_view .count")).to_have_count(4)
        expect(tab.get_by_role("button", name="found", exact=True)).to_be_visible()
