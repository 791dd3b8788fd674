"""What charts share: names that do not lie over one another."""

from hypothesis import given
from hypothesis import strategies as st

from pages.ui.widgets.charts import spread


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
