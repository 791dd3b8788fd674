"""The sentence of Home on letters that take several tokens: true for every tokenizer that it names."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.home.letters import letters_said
from pages.ui.i18n.breaks import without_breaks
from pages.ui.widgets.token_view.lanes import Label, Lane
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer

LANES = [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES]


@pytest.mark.parametrize(
    ("text", "letters", "count", "is_whole_in_one"),
    [
        ("น้ำใจ", "น้ำ", 6, True),
        ("the cat", None, 0, False),
        ("", None, 0, False),
        ("𓀀", "𓀀", 4, False),
        ("*น้ำ*", "น้ำ", 6, True),
        ("a 🐘", "␣🐘", 3, False),
    ],
    ids=["Thai", "English", "empty", "a hieroglyph", "markup", "a space"],
)
def test_the_letters_that_cost_most_are_named(
    text: str, letters: str | None, count: int, is_whole_in_one: bool
) -> None:
    found = without_breaks(letters_said(text, LANES))
    whole = " o200k_base has all of it within one token." if is_whole_in_one else ""
    said = f"gpt2 has no token for {letters}: it puts it together from {count} smaller ones.{whole}"
    assert found == (said if letters else "")


@given(st.text() | st.text("น้ำใจ👍🏽e\u0301 \r\n"))
def test_what_is_said_is_true_of_any_text(text: str) -> None:
    found = without_breaks(letters_said(text, LANES))
    assert not found or not text.isascii() or "\r\n" in text, "a letter of one byte is one token"
    for lane in LANES:
        if found.startswith(f"{lane.name} has no token"):
            (count,) = re.findall(r"together from (\d+) smaller", found)
            assert 2 <= int(count) <= len(lane.tokenizer.encode(text))
