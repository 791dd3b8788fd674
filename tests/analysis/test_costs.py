"""Prices as people write them, what rows cost a model, and the last doubling that is worthwhile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer_core.analysis.costs import (
    PUBLISHED,
    WORTHWHILE,
    Model,
    cost,
    currency_of,
    parse_price,
    row_parameters,
    sweet_spot,
    with_currency,
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
        ("¥1,250", 1250.0),
        ("1,250,000.5", 1250000.5),
        ("1,250.5", 1250.5),
        ("2,5", 2.5),
        ("12,50 €", 12.5),
        ("0,75£", 0.75),
        ("๑,๒๕๐", 1250.0),
        ("๒.๕๐ บาท", 2.5),
        ("999999999,99", 999999999.99),
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
    assert (caught.value.code, caught.value.values) == ("price_no_number", {"price": written})


def test_a_long_text_that_is_no_price_is_shown_only_in_part() -> None:
    with pytest.raises(TokenizerError) as caught:
        parse_price("two " * 99)
    assert caught.value.values["price"] == "two " * 10


@pytest.mark.parametrize(
    ("written", "currency", "shown"),
    [
        *(("$1", "$", "$9.50"), ("1 €", "€", "€9.50"), ("£1", "£", "£9.50"), ("¥1", "¥", "¥9.50")),
        *(("฿1", "฿", "฿9.50"), ("1 บาท", "บาท", "9.50 บาท"), ("1", "", "9.50")),
    ],
    ids=str,
)
def test_a_cost_is_written_in_the_currency_of_its_price(written: str, currency: str, shown: str) -> None:
    assert currency_of(written) == currency
    assert parse_price(written) == 1.0
    assert with_currency("9.50", currency) == shown
    assert cost(3_000_000, 1.0) == 3.0


# ---- the vocabulary of a model


FALLING = st.lists(st.integers(0, 9), min_size=1, max_size=900).map(
    lambda falls: [10_000 - sum(falls[:n]) for n in range(len(falls))]
)


@pytest.mark.parametrize(
    ("model", "parameters"),
    list(zip(PUBLISHED, (38_597_376, 80_411_200, 262_144_000, 1_050_673_152, 524_288_000), strict=True)),
    ids=[model.name for model in PUBLISHED],
)
def test_the_rows_of_known_models_have_as_many_parameters_as_published(model: Model, parameters: int) -> None:
    assert row_parameters(model.vocab_size, model.width, is_tied=model.is_tied) == parameters


@given(FALLING)
def test_no_doubling_from_the_sweet_spot_on_is_worthwhile(counts: list[int]) -> None:
    spot, last = sweet_spot(counts), 255 + len(counts)

    def saved(size: int) -> float:
        return 1 - counts[2 * size - 256] / counts[size - 256]

    if spot is None:
        assert last < 512 or saved(last // 2) >= WORTHWHILE
    else:
        assert all(saved(size) < WORTHWHILE for size in range(spot, last // 2 + 1))
        assert spot == 256 or saved(spot - 1) >= WORTHWHILE


@pytest.mark.parametrize(
    ("after", "spot"),
    [(950, None), (951, 256)],
    ids=["a twentieth saved", "less"],
)
def test_a_doubling_must_save_a_twentieth_of_the_tokens(after: int, spot: int | None) -> None:
    assert sweet_spot([1_000] * 256 + [after]) == spot


def test_a_vocabulary_that_was_never_doubled_has_no_sweet_spot_yet() -> None:
    assert sweet_spot([1_000] * 256) is None
    assert sweet_spot([1_000] * 257) == 256
    assert [sweet_spot([100] * 256 + [50] * 1_000, worthwhile=share) for share in (0.5, 0.6)] == [512, 256]


def test_a_text_without_tokens_has_no_worthwhile_doubling() -> None:
    assert sweet_spot([0] * 600) == 256
