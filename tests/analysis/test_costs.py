"""Prices as people write them, what rows cost a model, and the last doubling that is worthwhile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer_core.analysis.costs import (
    PUBLISHED,
    WORTHWHILE,
    Model,
    parse_price,
    row_parameters,
    sweet_spot,
)
from tokenizer_core.errors import TokenizerError

# ---- prices


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


# ---- the vocabulary of a model


FALLING = st.lists(st.integers(0, 9), min_size=1, max_size=900).map(
    lambda falls: [10_000 - sum(falls[:n]) for n in range(len(falls))]
)


@pytest.mark.parametrize(
    ("model", "millions"),
    list(zip(PUBLISHED, (39, 80, 262, 1_051, 524), strict=True)),
    ids=[model.name for model in PUBLISHED],
)
def test_the_rows_of_known_models_have_as_many_parameters_as_published(model: Model, millions: int) -> None:
    assert round(row_parameters(model.vocab_size, model.width, is_tied=model.is_tied) / 1e6) == millions


@given(FALLING)
def test_no_doubling_beyond_the_sweet_spot_is_worthwhile(counts: list[int]) -> None:
    spot, last = sweet_spot(counts), 255 + len(counts)

    def saved(size: int) -> float:
        return 1 - counts[size - 256] / counts[size // 2 - 256]

    if spot is None:
        assert last < 512 or saved(last) >= WORTHWHILE
    else:
        assert all(saved(size) < WORTHWHILE for size in range(max(spot + 1, 512), last + 1))
        assert spot == 256 or saved(spot) >= WORTHWHILE


def test_a_text_without_tokens_has_no_worthwhile_doubling() -> None:
    assert sweet_spot([0] * 600) == 256
