"""The vocabulary in a browser: a search, a walk by keyboard, and the story of a token."""

from playwright.sync_api import Page, expect

from pages.ui.words import catalogue
from tests.helpers.browser import at_rest
from tokenizer_core.openai import openai_tokenizer

ENGLISH = catalogue("en")


def test_a_token_is_searched_walked_to_and_looked_at(tab: Page, address: str) -> None:
    tab.goto(f"{address}/vocabulary?lang=en")
    shown = tab.locator(".vocabulary")
    expect(shown.locator(".entry").first).to_be_visible()
    shown.get_by_role("button", name=ENGLISH["entries.all"]).first.click()
    shown.get_by_role("searchbox").fill("ข้อความ")
    tokens = openai_tokenizer("o200k_base")
    found = [each for each in range(tokens.vocab_size) if "ข้อความ".encode() in tokens.token_bytes(each)]
    expect(shown).to_have_attribute("data-shown", str(len(found)))
    shown.get_by_role("listbox").focus()
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    expect(tab.locator(".st-key-biography").get_by_text(str(found[1]), exact=True).first).to_be_visible()
    at_rest(tab)
    expect(shown.locator(".entry[aria-selected=true]")).to_contain_text(str(found[1]))
    shown.get_by_label(ENGLISH["entries.kind"]).select_option(ENGLISH["entries.kind_regex"])
    shown.get_by_role("searchbox").fill(r"^(([\s\S]+)+)+\u{10FFFF}$")
    expect(shown.get_by_text(ENGLISH["entries.too_slow"])).to_be_visible()
