"""Every screen passes axe-core's rules of accessibility, wide and light, and narrow and dark."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Page, expect

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from tests.browser.screens import SCREENS, Screen, settled, view
from tests.helpers.accessibility import NARROW, WIDE, Look, violations
from tests.helpers.browser import OpenTab, open_fold

# ---- the screens


def looked_at() -> Iterator[ParameterSet]:
    """Each screen, wide and light, and narrow and dark; a quick run has each of its screens once, by turns."""
    quick = [screen for screen in SCREENS if not screen.is_long]
    for screen in SCREENS:
        for name, look in (("wide", WIDE), ("narrow", NARROW)):
            is_quick = not screen.is_long and quick.index(screen) % 2 == (look is WIDE)
            marks = () if is_quick else pytest.mark.long
            yield pytest.param(screen, look, marks=marks, id=f"{screen.name}, {screen.language}, {name}")


@pytest.mark.parametrize(("screen", "look"), list(looked_at()))
def test_a_screen_is_accessible(open_tab: OpenTab, address: str, axe: str, screen: Screen, look: Look) -> None:
    tab = open_tab(reduced_motion="reduce")
    tab.goto(f"{address}{screen.path}?{urlencode({'lang': screen.language, **screen.link})}")
    settled(tab)
    screen.reach(tab, catalogue(screen.language))
    settled(tab)
    found = violations(tab, axe, [look])
    assert not found, "\n".join(found)


def watched(open_tab: OpenTab, address: str) -> Page:
    """A training at slow play, which has learned a few merges."""
    words = catalogue("th")
    tab = open_tab(reduced_motion="reduce")
    tab.goto(f"{address}/train?lang=th")
    open_fold(tab, words["train.more"])
    tab.locator(".st-key-train_pace button").nth(2).click()  # slow enough to be still at work on a slow machine
    settled(tab)
    tab.locator(".st-key-start button").click()
    stage = tab.locator(".st-key-stage .stage")
    expect(stage.locator(".newest li").nth(2)).to_be_visible()
    expect(stage.locator(".race .switch button")).to_have_count(3)
    return tab


def test_a_training_is_accessible_while_it_runs(open_tab: OpenTab, address: str, axe: str) -> None:
    found = violations(watched(open_tab, address), axe, [WIDE])
    assert not found, "\n".join(found)


@pytest.mark.long
def test_a_training_is_accessible_when_one_asks_what_if(open_tab: OpenTab, address: str, axe: str) -> None:
    tab = watched(open_tab, address)
    tab.locator(".st-key-stage .stage .toggle").click()
    tab.locator(".st-key-what_if_asks button").click()
    tab.locator(".st-key-what_if_go button").click()
    expect(tab.locator(".st-key-parting_what_if")).to_be_visible()
    tab.keyboard.press("e")
    expect(tab.locator(".stage .way.compare")).to_be_visible()
    settled(tab)
    found = violations(tab, axe)
    assert not found, "\n".join(found)


@pytest.mark.long
def test_trainings_are_accessible_beside_one_another(open_tab: OpenTab, address: str, axe: str) -> None:
    words = catalogue("th")
    tab = watched(open_tab, address)
    tab.locator(".st-key-stop button").click()
    expect(tab.locator(".stage .way.compare")).to_be_visible()
    tab.locator(".st-key-again button").click()  # a second run, at full speed to its end
    open_fold(tab, words["train.more"])
    tab.locator(".st-key-train_pace button").last.click()
    settled(tab)
    tab.locator(".st-key-start button").click()
    expect(tab.locator(".stage .way.compare")).to_be_visible()
    settled(tab)
    tab.get_by_text(words["runs.compare"]).click()
    expect(tab.locator(".st-key-runs_view .p").first).to_be_visible()
    tab.get_by_role("button", name=words["runs.more"]).first.click()
    settled(tab)
    found = violations(tab, axe)
    tab.keyboard.press("Escape")
    tab.locator(".stage .way.compare").click()
    size = without_breaks(filled(words["token_view.size_of"], name=words["tokenizers.mine"]))
    expect(tab.get_by_role("slider", name=size)).to_be_visible()
    settled(tab)
    found += violations(tab, axe)
    assert not found, "\n".join(found)


def test_the_page_for_phones_is_accessible(open_tab: OpenTab, address: str, axe: str) -> None:
    tab, phone = open_tab(), open_tab(reduced_motion="reduce")
    tab.goto(f"{address}/stories?lang=th&present=vote")
    phone.goto(address + str(tab.locator(".st-key-deck .vote").get_attribute("data-page")))
    phone.bring_to_front()
    expect(
        phone.get_by_role("button").or_(phone.get_by_role("status").get_by_text(re.compile(".")))
    ).not_to_have_count(0)
    found = violations(phone, axe)
    assert not found, "\n".join(found)


@pytest.mark.long
def test_the_page_taken_away_is_accessible(open_tab: OpenTab, address: str, axe: str, tmp_path: Path) -> None:
    tab = open_tab()
    tab.goto(f"{address}/compare?lang=th")
    view(tab).get_by_role("button", name=catalogue("th")["token_view.save"]).click()
    with tab.expect_download() as download:
        view(tab).get_by_role("button", name=catalogue("th")["token_view.save_html"]).click()
    download.value.save_as(tmp_path / "tokens.html")
    found = []
    for look in (WIDE, NARROW):  # that page keeps the scheme in which it was opened
        alone = open_tab(reduced_motion="reduce", color_scheme=look[-1])
        alone.goto((tmp_path / "tokens.html").as_uri())
        expect(view(alone).locator(".count").first).to_be_visible()
        found += violations(alone, axe, [look])
    assert not found, "\n".join(found)
