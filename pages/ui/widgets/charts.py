"""Rows → chart specification; no Streamlit, so that tests can read what is drawn.

A specification says nothing that changes while a training runs: Streamlit then hands the new rows to the chart
that stands there, and draws no new one.

Charts are dictionaries of Vega-Lite, not Altair's objects. The mix frontier was written in both: 38 lines either
way, but 74 ms in Altair and 0.05 ms as a dictionary, and charts are renewed twice a second while a training runs.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

MAX_POINTS = 300
CURVE_HEIGHT = 300
LABEL_HEIGHT = 15
AXES_HEIGHT = 80
"""Pixels of a chart's height that are not its lines', about."""
PADDING = {"left": 4, "top": 12, "right": 8, "bottom": 16}
TYPE = {"titleFontWeight": "normal", "labelFontSize": 12, "titleFontSize": 13, "titlePadding": 8}
"""How axes are written."""
_Point = TypeVar("_Point")
Spec = dict[str, Any]


def shade(light: str, dark: str) -> Spec:
    """A colour that follows the page from light to dark."""
    return {"expr": f"luminance(background) < 0.4 ? '{dark}' : '{light}'"}


QUIET = shade("#4b5160", "#b6bcc8")
STRONG = shade("#0f766e", "#2dd4bf")
INK = shade("#1f2430", "#e6e8ee")


class Level(NamedTuple):
    """What a reference tokenizer needs, whatever the vocabulary size: a level line and its name."""

    name: str
    value: float


class Axis(NamedTuple):
    """What stands at the upright axis; nothing is written along it, for Thai set upright is hard to read."""

    title: str
    """What the values are: said with each."""
    format: str = ",d"
    """How numbers are written, as d3-format has it."""
    most: float | None = None
    """The largest value that will come; None where nobody knows it."""
    is_log: bool = False


def quantitative(field: str, **more: Any) -> Spec:
    """A field of numbers."""
    return {"field": field, "type": "quantitative", **more}


def nominal(field: str, **more: Any) -> Spec:
    """A field of words."""
    return {"field": field, "type": "nominal", **more}


def thinned(points: Sequence[_Point], most: int = MAX_POINTS) -> list[_Point]:
    """At most so many of the points, evenly spread; the first and the last always among them.

    >>> thinned(range(10), 4)
    [0, 3, 6, 9]
    """
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    return [points[round(n * step)] for n in range(most)]


def spread(places: Sequence[float], gap: float, most: float) -> list[float]:
    """The places, moved apart until neighbours have a gap, and no further; from 0 to `most` where there is room.

    >>> spread([50, 10, 12], gap=10, most=100), spread([99, 100], gap=10, most=100)
    ([50.0, 6.0, 16.0], [90.0, 100.0])
    """

    def lowest(group: Sequence[int]) -> float:
        """Where the lowest of neighbours that touch stands, so that they have their own middle."""
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


def curve_spec(
    sizes: tuple[int, int],
    size_title: str,
    axis: Axis,
    *,
    levels: Sequence[Level] = (),
    own: str = "",
    words: Sequence[tuple[str, str]] = (),
    height: int = CURVE_HEIGHT,
) -> Spec:
    """A line of `value` against `size`, from the smallest to the largest of `sizes`, with named level lines.

    Rows have `size` and `value`; in `words` stand further fields that are shown with each point, by their titles.
    Where rows have a `moment`, a sentence or None, a dot stands at those that have one. `own` names the line.
    """
    y = quantitative("value", axis=_axis(axis), scale=_scale(axis))
    layers = [
        *_level_layers(levels, axis, height),
        {"mark": {"type": "area" if not axis.is_log else "line", "opacity": 0.12}},
        {"mark": {"type": "line", "strokeWidth": 2.5}},
        *([_name_layer(own, sum(sizes) / 2)] if own else []),
        _hover_layer([(size_title, "size", ",d"), (axis.title, "value", axis.format)], words),
        _moment_layer(),
    ]
    x_axis = {"tickCount": 5, "format": ",d", "title": size_title, "grid": False, **TYPE}
    x_scale = {"domain": list(sizes), "nice": False}
    return {
        "height": height,
        "padding": PADDING,
        "encoding": {"x": quantitative("size", axis=x_axis, scale=x_scale), "y": y},
        "layer": layers,
    }


def _axis(axis: Axis) -> Spec:
    if axis.is_log and axis.most:
        powers = [10**power for power in range(len(str(int(axis.most))))]
        return {"values": powers, "format": axis.format, "title": None, **TYPE}
    return {"tickCount": 5, "format": axis.format, "title": None, **TYPE}


def _scale(axis: Axis) -> Spec:
    if axis.is_log:
        return {"type": "log", "domainMin": 1, **({"domainMax": axis.most} if axis.most else {})}
    return {"domainMin": 0, **({"domainMax": axis.most, "nice": False} if axis.most else {})}


def _level_layers(levels: Sequence[Level], axis: Axis, height: int) -> list[Spec]:
    """A dashed line for each level, and its name to the right, where names do not lie over one another."""
    if not levels:
        return []
    most = axis.most or max(level.value for level in levels)
    gap = most * LABEL_HEIGHT / (height - AXES_HEIGHT)
    places = spread([level.value for level in levels], gap, most)
    values = [
        {"name": level.name, "level": level.value, "place": place}
        for level, place in zip(levels, places, strict=True)
    ]
    across: Spec = {"x": {"value": 0}, "x2": {"value": "width"}, "tooltip": None}
    label: Spec = {"type": "text", "align": "left", "baseline": "middle", "dx": 6, "fontSize": 12, "color": QUIET}
    return [
        {
            "data": {"values": values},
            "mark": {"type": "rule", "strokeDash": [5, 4], "color": QUIET, "opacity": 0.8},
            "encoding": {**across, "y": quantitative("level")},
        },
        {
            "data": {"values": values},
            "mark": label,
            "encoding": {
                "x": {"value": "width"},
                "y": quantitative("place"),
                "text": nominal("name"),
                "tooltip": quantitative("level", title=axis.title, format=axis.format),
            },
        },
    ]


def _name_layer(own: str, middle: float) -> Spec:
    """The line's name at its end: above it, where a line that falls leaves room."""
    left = f"datum.size < {middle}"
    mark = {
        "type": "text",
        "fontSize": 13,
        "fontWeight": 600,
        "color": STRONG,
        "align": {"expr": f"{left} ? 'left' : 'right'"},
        "baseline": "bottom",
        "dy": -7,
    }
    text = {"text": {"value": own}}
    return {
        "transform": [
            {"joinaggregate": [{"op": "max", "field": "size", "as": "last"}]},
            {"filter": "datum.size == datum.last"},
        ],
        "layer": [
            {"mark": {**mark, "stroke": {"expr": "background"}, "strokeWidth": 4}, "encoding": text},
            {"mark": mark, "encoding": text},
            {"mark": {"type": "point", "aria": False, "filled": True, "size": 60, "opacity": 1, "color": STRONG}},
        ],
        "encoding": {"tooltip": None},
    }


def _hover_layer(numbers: Sequence[tuple[str, str, str]], words: Sequence[tuple[str, str]]) -> Spec:
    """What a point says: that of the size nearest to the mouse."""
    said = [quantitative(field, title=title, format=written) for title, field, written in numbers]
    said += [nominal(field, title=title) for title, field in words]
    nearest = {"type": "point", "on": "pointermove", "nearest": True, "encodings": ["x"], "clear": "pointerout"}
    return {
        "params": [{"name": "near", "select": nearest}],
        "mark": {"type": "point", "aria": False, "filled": True, "size": 50, "color": STRONG},
        "encoding": {
            "opacity": {"condition": {"param": "near", "empty": False, "value": 1}, "value": 0},
            "tooltip": said,
        },
    }


def _moment_layer() -> Spec:
    """A dot where something happened, which says what."""
    return {
        "transform": [{"filter": "isValid(datum.moment)"}],
        "mark": {
            "type": "point",
            "aria": False,  # the alternative text of the chart says it all
            "filled": True,
            "size": 90,
            "opacity": 1,
            "color": STRONG,
            "stroke": {"expr": "background"},
            "strokeWidth": 2,
        },
        "encoding": {"tooltip": nominal("moment")},
    }
