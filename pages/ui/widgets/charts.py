"""Charts: their theme, what their definitions share, and drawing one with new rows.

A definition is a function without arguments that returns an Altair chart over `ROWS`: it may contain words, but
nothing that depends on rows, which are a data frame or an Arrow stream. Altair needs 10 to 60 ms to validate a
definition and to write it as Vega-Lite, so this is done once for each language. While a training runs, Streamlit
passes new rows to the chart on the page and does not draw it anew.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from altair.typing import ChartType

from pages.ui.i18n import language
from pages.ui.widgets.colours import CATEGORIES, INK, ON_BAR, QUIET, Colour

Definition = Callable[[], ChartType]
ROWS = alt.NamedData("rows")
"""The rows of a chart; those that belong to no layer are filtered out in each layer."""
ROUND_NUMBERS = [digit * 10**power for power in range(12) for digit in (1, 2, 3, 5)]
"""Ticks of logarithmic axes; Vega leaves out those beyond the rows."""
LABEL_HEIGHT = 20
"""Pixels from one name at the end of a line to the next; Thai marks need some of them."""


# ---- the theme


def in_both(colour: Colour) -> Any:
    """Return a color that follows the light or dark scheme of the page."""
    return {"expr": f"luminance(background) < 0.4 ? '{colour.dark}' : '{colour.light}'"}


@alt.theme.register("tokenizer_explorer", enable=True)
def theme() -> alt.theme.ThemeConfig:
    """Return what all charts have in common, beside fonts and category colors, which come from Streamlit's theme.

    Charts have no title inside: it would cut off Thai upper marks. Without a tooltip of its own, a mark has none;
    Streamlit would show the names of fields.
    """
    styles: Any = {
        "strong": {"color": in_both(CATEGORIES[0])},
        "quiet": {"color": in_both(QUIET)},
        "halo": {"stroke": {"expr": "background"}, "strokeWidth": 5, "strokeJoin": "round"},
        "right": {"align": "left", "baseline": "middle", "dx": 8},
        "inside": {"align": "right", "baseline": "middle", "dx": -8, "color": in_both(ON_BAR)},
    }
    return {
        "padding": {"left": 4, "top": 12, "right": 8, "bottom": 16},
        "config": {
            "axis": {"titleFontSize": size(13, 18), "labelFontSize": size(12, 16), "titlePadding": 8},
            "axisBand": {"labelFlush": False},  # a name stands beside its row
            "mark": {"tooltip": None},
            "text": {"fontSize": size(13), "color": in_both(INK), "aria": False},
            "line": {"strokeWidth": 2.5},
            "point": {"size": 80, "filled": True, "opacity": 1},
            "style": styles,
        },
    }


def size(pixels: int, projected: int | None = None) -> Any:
    """Return a size of letters that is larger on a projector: by a fifth, as `frame` makes others, or as given."""
    large = projected or round(1.2 * pixels)
    return {"expr": f"windowSize()[0] >= 1700 && windowSize()[1] >= 950 ? {large} : {pixels}"}


def log_scale(padding: int = 20) -> alt.Scale:
    """Return a scale on which equal steps are equal ratios, with room for labels, in pixels, at both ends."""
    return alt.Scale(type="log", nice=False, padding=padding)


def log_spaced(count: int, points: int) -> list[int]:
    """Return at most this many places from 0 to `count` - 1, with steps that look even on a logarithmic axis."""
    places: list[int] = (np.unique(np.geomspace(1, count, points).astype(np.int64)) - 1).tolist()
    return places


# ---- drawing


def draw(define: Definition, rows: pd.DataFrame | bytes, *, key: str, says: str) -> None:
    """Draw a chart with these rows; `says` describes it to screen readers."""
    specification = vega_lite(define, language())
    st.vega_lite_chart(spec={**specification, "datasets": {"rows": rows}}, key=key, alt=says)


@cache
def vega_lite(define: Definition, spoken: str) -> dict[str, Any]:
    """Return a definition as Vega-Lite, with words in the visitor's language, which is `spoken`."""
    return define().to_dict()


# ---- names at the ends of lines


def with_line_ends(rows: pd.DataFrame, value: str, *, height: float) -> pd.DataFrame:
    """Add the `place` of the name of each line to its last row: at its value, or as near as other names allow.

    The scale is logarithmic, and the lines are drawn on `height` pixels.
    """
    is_end = ~rows.duplicated("line", keep="last")
    low, high = np.log(rows[value].min()), np.log(rows[value].max())
    span = max(high - low, 0.1)
    places = spread((np.log(rows[value][is_end]) - low).tolist(), span * LABEL_HEIGHT / height, span)
    return rows.assign(place=pd.Series(np.exp(np.array(places) + low), rows.index[is_end]))


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
