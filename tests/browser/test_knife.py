"""The knife in a browser: checked as one types, and never in the way of others."""

import pytest
from playwright.sync_api import Page, expect

from tests.helpers.app import ENGLISH
from tests.helpers.browser import OpenTab


def test_a_pattern_is_checked_as_one_types(tab: Page, address: str) -> None:
    tab.goto(f"{address}/patterns?lang=en")
    counts = tab.locator(".st-key-lab_view .heads .count")
    expect(counts).to_have_text(["15 pieces", "10 pieces"])
    edges = tab.locator(".st-key-lab_view .p").first.evaluate("(box) => getComputedStyle(box).boxShadow")
    assert "1.75px 0px" in edges  # a gap between pieces of one colour, which a hairline of 1 px is not
    tab.get_by_role("combobox", name=ENGLISH["lab.first"]).click()
    tab.get_by_role("option", name=ENGLISH["pattern.custom_name"]).click()
    own = tab.get_by_role("textbox", name=ENGLISH["pattern.custom_label"])
    own.fill("")
    own.press_sequentially("[a-z]+|(")
    expect(tab.get_by_role("alert")).to_contain_text("not a valid regular expression")
    own.press_sequentially(".)")
    expect(tab.get_by_role("alert")).to_have_count(0)
    expect(counts).to_have_text(["37 pieces", "10 pieces"])
    expect(tab.locator(".st-key-lab_view .branch code").first).to_have_text("[a-z]+")


@pytest.mark.long
def test_a_slow_pattern_lets_other_visitors_go_on(open_tab: OpenTab, address: str) -> None:
    slow, other = open_tab(), open_tab()
    slow.goto(f"{address}/patterns?lang=en")
    slow.get_by_role("textbox", name=ENGLISH["lab.text"]).fill("a" * 15_000 + "b")
    slow.get_by_role("combobox", name=ENGLISH["lab.first"]).click()
    slow.get_by_role("option", name=ENGLISH["pattern.custom_name"]).click()
    slow.get_by_role("textbox", name=ENGLISH["pattern.custom_label"]).fill("(a+)+$")
    other.goto(f"{address}/patterns?lang=th")
    expect(other.locator(".st-key-lab_view .count").first).to_contain_text("15")
    slow.bring_to_front()  # a tab that is hidden draws late
    expect(slow.get_by_role("alert")).to_contain_text("takes too long")
