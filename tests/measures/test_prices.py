"""Prices as people write them, and what is left of a window."""

import pytest

from tokenizer_core.errors import TokenizerError
from tokenizer_core.measures.prices import cost, parse_price
from tokenizer_core.measures.ratios import context_left, thai_entries
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.tokenizer import Tokenizer


@pytest.mark.parametrize(("name", "entries"), [("gpt2", 0), ("cl100k_base", 58), ("o200k_base", 1545)])
def test_thai_entries_of_the_references(name: str, entries: int) -> None:
    assert thai_entries(openai_tokenizer(name)) == entries


def test_thai_entries_leave_out_parts_of_letters() -> None:
    # E0+B8, then +81 for ก; the baht sign ฿ is of no script
    tokenizer = Tokenizer([(0xE0, 0xB8), (256, 0x81), (256, 0xBF)], pattern="none")
    assert thai_entries(tokenizer) == 1


@pytest.mark.parametrize(
    ("written", "price"),
    [
        ("2.50", 2.5),
        (" 2.5 ", 2.5),
        ("$0.15", 0.15),
        ("฿90", 90.0),
        ("90 บาท", 90.0),
        ("1,250", 1250.0),
        ("1,250,000.5", 1250000.5),
        ("2,5", 2.5),
        ("0", 0.0),
        (".5", 0.5),
        ("", None),
        ("  ", None),
    ],
)
def test_prices_are_read_as_people_write_them(written: str, price: float | None) -> None:
    assert parse_price(written) == price


@pytest.mark.parametrize(
    "written",
    ["two", "-1", "1.2.3", "1e9", "nan", "inf", "1 000", "๒.๕.๑", "๒ บาท ๓", "1,2,3", "9" * 40, "<b>", "0x10"],
)
def test_a_price_that_is_no_number_is_refused(written: str) -> None:
    with pytest.raises(TokenizerError) as caught:
        parse_price(written)
    assert caught.value.code == "price_no_number"


def test_context_and_cost() -> None:
    assert context_left(100, 124) == -24
    assert cost(500_000, 2.5) == 1.25
