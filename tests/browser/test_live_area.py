"""What is typed into Compare is drawn as one types: no key has to be pressed, and the caret stays where it is."""

from playwright.sync_api import Page, expect

from pages.ui.widgets.live_area import MOST_LIVE
from pages.ui.words import catalogue
from tests.helpers.browser import at_rest
from tokenizer_core import openai_tokenizer

GPT2 = openai_tokenizer("gpt2")


def expect_gpt2_tokens(tab: Page, text: str) -> None:
    expect(tab.locator(".st-key-compare_view .count").first).to_have_text(f"{len(GPT2.encode(text)):,} tokens")


def test_typing_is_taken_over_and_a_long_text_after_a_longer_pause(tab: Page, address: str) -> None:
    tab.goto(f"{address}/compare?lang=en")
    expect_gpt2_tokens(tab, catalogue("en")["examples.sample"])
    at_rest(tab)
    box = tab.locator(".st-key-compare_text textarea")
    box.fill("Water is here")
    expect_gpt2_tokens(tab, "Water is here")
    box.press("Home")
    for letter in "น้ำ ":  # each drawn while the next is typed
        box.press_sequentially(letter)
        tab.wait_for_timeout(450)
    expect(box).to_have_value("น้ำ Water is here")
    expect(box).to_be_focused()
    expect_gpt2_tokens(tab, "น้ำ Water is here")

    long = "water " * (MOST_LIVE // 6 + 1)
    box.fill(long)
    tab.wait_for_timeout(1_000)
    expect_gpt2_tokens(tab, "น้ำ Water is here")
    expect_gpt2_tokens(tab, long)  # no picture stays old below a new text
