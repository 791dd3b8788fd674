"""Intervals of premiums: within what the lines allow, the same in every run, narrower with more lines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer_core.analysis import bootstrap
from tokenizer_core.analysis.bootstrap import premium_intervals

LINES = st.lists(st.tuples(st.integers(0, 500), st.integers(1, 200)), min_size=1, max_size=30)


@given(LINES)
def test_an_interval_lies_between_the_least_and_the_highest_premium_of_a_line(
    lines: list[tuple[int, int]],
) -> None:
    tokens, base = zip(*lines, strict=True)
    ((low, high),) = [each or (np.nan, np.nan) for each in premium_intervals([tokens], [base], draws=200)]
    each = [first / second for first, second in lines]
    assert min(each) - 1e-9 <= low <= high <= max(each) + 1e-9


@given(LINES, st.integers(1, 9))
def test_twice_the_tokens_are_twice_the_premium_and_no_row_depends_on_another(
    lines: list[tuple[int, int]], factor: int
) -> None:
    tokens, base = np.array(lines).T
    alone = premium_intervals([tokens], [base], draws=50)
    assert premium_intervals([tokens], [base], draws=50) == alone
    both = premium_intervals([tokens, tokens * factor], [base, base], draws=50)
    np.testing.assert_allclose(np.array([both[0]]), np.array(alone), rtol=1e-9)
    np.testing.assert_allclose(np.array(both[1]), np.array(both[0]) * factor, rtol=1e-9)


def test_it_covers_the_true_premium_as_often_as_it_says_and_narrows_with_the_root_of_the_lines() -> None:
    random, covered, widths = np.random.default_rng(1), 0, {100: 0.0, 400: 0.0}
    for lines in widths:
        for _ in range(100):
            base = random.integers(5, 40, lines)
            tokens = random.poisson(2.0 * base)
            ((low, high),) = [each or (0.0, 0.0) for each in premium_intervals([tokens], [base], draws=300)]
            covered += low <= 2.0 <= high
            widths[lines] += (high - low) / 100
    assert 0.9 <= covered / 200 <= 0.99
    assert 1.7 <= widths[100] / widths[400] <= 2.3


def test_many_lines_drawn_in_blocks_vary_as_much_as_lines_drawn_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(2)
    base = random.integers(5, 40, 5_003)
    tokens = random.poisson(2.0 * base)
    ((low, high),) = [each or (0.0, 0.0) for each in premium_intervals([tokens], [base])]
    monkeypatch.setattr(bootstrap, "MOST_DRAWN", 9_999)
    ((exact_low, exact_high),) = [each or (0.0, 0.0) for each in premium_intervals([tokens], [base], draws=300)]
    assert low < tokens.sum() / base.sum() < high
    assert 0.8 < (high - low) / (exact_high - exact_low) < 1.25


def test_intervals_are_those_of_lines_drawn_by_the_seed() -> None:
    base, tokens = np.array([3, 5, 2, 9, 4]), np.array([6, 7, 9, 20, 4])
    drawn = np.random.default_rng(7).multinomial(5, [0.2] * 5, size=400)
    low, high = np.quantile((drawn @ tokens) / (drawn @ base), [0.025, 0.975])
    for _ in range(2):  # the second time, the draws are known
        ((found_low, found_high),) = [
            each or (0.0, 0.0) for each in premium_intervals([tokens], [base], draws=400, seed=7)
        ]
        assert (found_low, found_high) == pytest.approx((low, high))


def test_lines_without_tokens_give_no_interval() -> None:
    assert premium_intervals([[0, 3]], [[0, 0]], draws=20) == [None]
    assert premium_intervals(np.zeros((2, 0)), np.zeros((2, 0))) == [None, None]
    assert premium_intervals([[2, 4]], [[1, 2]], draws=1) == [(2.0, 2.0)]
    assert premium_intervals([[4] * 2_000_001], [[2] * 2_000_001], draws=3) == [(2.0, 2.0)]


def test_a_larger_share_of_draws_has_a_wider_interval_around_the_same_middle() -> None:
    random = np.random.default_rng(3)
    base = random.integers(5, 40, 60)
    rows = ([random.poisson(2.0 * base)], [base])
    found = [premium_intervals(*rows, share=share)[0] or (0.0, 9.0) for share in (1.0, 0.95, 0.5, 0.0)]
    lows, highs = zip(*found)
    assert list(lows) == sorted(lows)
    assert list(highs) == sorted(highs, reverse=True)
    assert lows[-1] == highs[-1]
    assert premium_intervals(*rows) == [found[1]]
    assert premium_intervals(*rows, draws=1_000, seed=20_221) == [found[1]]
    assert premium_intervals(*rows, seed=1) != [found[1]]
