"""Rows → chart specification; no Streamlit, so that tests can read what is drawn."""

from collections.abc import Sequence
from typing import Any

MAX_POINTS = 300


def thinned(points: Sequence[tuple[int, int]], most: int = MAX_POINTS) -> list[tuple[int, int]]:
    """At most so many of the points, evenly spread; the first and the last always among them.

    >>> thinned([(n, n) for n in range(10)], 4)
    [(0, 0), (3, 3), (6, 6), (9, 9)]
    """
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    return [points[round(n * step)] for n in range(most)]


def token_curve(
    points: Sequence[tuple[int, int]], merge_goal: int, merges_title: str, tokens_title: str
) -> tuple[list[dict[str, int]], dict[str, Any]]:
    """Tokens of the corpus against merges learned: the rows and the specification of a line that falls."""
    rows = [{"merges": merges, "tokens": tokens} for merges, tokens in thinned(points)]
    most = max((tokens for _, tokens in points), default=1)
    axis = {"grid": True, "tickCount": 5, "titleFontWeight": "normal", "labelFontSize": 12, "titleFontSize": 13}
    spec = {
        "height": 260,
        "encoding": {
            "x": {
                "field": "merges",
                "type": "quantitative",
                "title": merges_title,
                "scale": {"domain": [0, max(merge_goal, 1)], "nice": False},
                "axis": axis,
            },
            "y": {
                "field": "tokens",
                "type": "quantitative",
                "title": tokens_title,
                "scale": {"domain": [0, most]},
                "axis": {**axis, "format": ",d"},
            },
            "tooltip": [
                {"field": "merges", "type": "quantitative", "title": merges_title, "format": ","},
                {"field": "tokens", "type": "quantitative", "title": tokens_title, "format": ","},
            ],
        },
        "layer": [
            {"mark": {"type": "area", "opacity": 0.12}},
            {"mark": {"type": "line", "strokeWidth": 2.5}},
        ],
    }
    return rows, spec
