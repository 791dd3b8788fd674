"""Chart specifications; without Streamlit, so that tests can read what is drawn.

A specification contains nothing that changes while a training runs: then Streamlit passes the new rows to the
existing chart and does not draw a new one.

Charts are Vega-Lite dictionaries, not Altair objects. The mix frontier was written both ways: 38 lines either way,
but 74 ms in Altair and 0.05 ms as a dictionary, and charts are redrawn up to twice a second while a training runs.
"""

from collections.abc import Sequence
from typing import Any

PADDING = {"left": 4, "top": 12, "right": 8, "bottom": 16}
TYPE = {"titleFontWeight": "normal", "labelFontSize": 12, "titleFontSize": 13, "titlePadding": 8}
"""The type sizes of axes."""
Spec = dict[str, Any]


def shade(light: str, dark: str) -> Spec:
    """Return a color that follows the page's light or dark scheme."""
    return {"expr": f"luminance(background) < 0.4 ? '{dark}' : '{light}'"}


CATEGORIES = (("#0f766e", "#2dd4bf"), ("#b45309", "#fbbf24"), ("#4f46e5", "#a5b4fc"), ("#be185d", "#f9a8d4"))
"""The colors that tell things apart, in light and in dark: those of charts in `.streamlit/config.toml`."""
UNSAID: Spec = {"value": ""}
"""The tooltip of a mark that needs none: without it, or with null, Streamlit shows the names of the fields."""
QUIET = shade("#4b5160", "#b6bcc8")
STRONG = shade("#0f766e", "#2dd4bf")
INK = shade("#1f2430", "#e6e8ee")


def quantitative(field: str, **more: Any) -> Spec:
    """Describe a field of numbers."""
    return {"field": field, "type": "quantitative", **more}


def nominal(field: str, **more: Any) -> Spec:
    """Describe a field of words."""
    return {"field": field, "type": "nominal", **more}


def spread(places: Sequence[float], gap: float, most: float) -> list[float]:
    """Move places apart until neighbors have a gap, and no further; keep them from 0 to `most` if there is room.

    >>> spread([50, 10, 12], gap=10, most=100), spread([99, 100], gap=10, most=100)
    ([50.0, 6.0, 16.0], [90.0, 100.0])
    """

    def lowest(group: Sequence[int]) -> float:
        """Return the lowest place of a group of touching neighbors, so that the group keeps its own middle."""
        height = (len(group) - 1) * gap
        middle = sum(places[index] for index in group) / len(group)
        return max(0.0, float(min(middle - height / 2, most - height)))

    groups: list[list[int]] = []
    for index in sorted(range(len(places)), key=places.__getitem__):
        groups.append([index])
        while len(groups) > 1 and lowest(groups[-1]) < lowest(groups[-2]) + len(groups[-2]) * gap:
            upper = groups.pop()
            groups[-1] += upper
    moved = {index: lowest(group) + rank * gap for group in groups for rank, index in enumerate(group)}
    return [moved[index] for index in range(len(places))]
