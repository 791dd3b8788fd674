"""What rows cost, and the sweet spot: the last doubling that is worthwhile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer_core.measures.model_cost import PUBLISHED, WORTHWHILE, Model, row_parameters, sweet_spot

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


def test_rows_that_are_not_tied_cost_twice_as_much() -> None:
    assert row_parameters(300, 7, is_tied=False) == 2 * row_parameters(300, 7, is_tied=True) == 4_200


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
