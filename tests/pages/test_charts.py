"""What charts share: fewer points with the same ends, and names that do not lie over one another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.widgets.charts import spread, thinned


@pytest.mark.parametrize("length", [1, 2, 300, 301, 5_000])
def test_a_curve_is_thinned_but_keeps_its_ends(length: int) -> None:
    points = [(n, length - n) for n in range(length)]
    kept = thinned(points, 300)
    assert len(kept) <= 300
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert len(set(kept)) == len(kept)


@given(st.lists(st.floats(0, 100), max_size=6))
def test_names_beside_level_lines_never_lie_over_one_another(places: list[float]) -> None:
    moved = spread(places, gap=15, most=100)
    ordered = sorted(moved)
    assert all(above - below >= 15 - 1e-9 for below, above in zip(ordered, ordered[1:], strict=False))
    assert all(-1e-9 <= place <= 100 + 1e-9 for place in moved)
    by_place = sorted(range(len(places)), key=places.__getitem__)
    assert [moved[index] for index in by_place] == ordered


def test_names_with_room_stay_where_their_lines_are() -> None:
    assert spread([80, 10, 40], gap=15, most=100) == [80, 10, 40]
