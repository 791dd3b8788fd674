"""Chart specifications; without Streamlit, so that tests can read what is drawn.

A specification contains nothing that changes while a training runs: then Streamlit passes the new rows to the
existing chart and does not draw a new one.

Charts are Vega-Lite dictionaries, not Altair objects. The mix frontier was written both ways: 38 lines either way,
but 74 ms in Altair and 0.05 ms as a dictionary, and charts are redrawn up to twice a second while a training runs.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

MAX_POINTS = 300
CURVE_HEIGHT = 300
LABEL_HEIGHT = 15
AXES_HEIGHT = 80
"""The approximate height of axes and padding in a chart, in pixels."""
PADDING = {"left": 4, "top": 12, "right": 8, "bottom": 16}
TYPE = {"titleFontWeight": "normal", "labelFontSize": 12, "titleFontSize": 13, "titlePadding": 8}
"""The type sizes of axes."""
_Point = TypeVar("_Point")
Spec = dict[str, Any]


def shade(light: str, dark: str) -> Spec:
    """Return a color that follows the page's light or dark scheme."""
    return {"expr": f"luminance(background) < 0.4 ? '{dark}' : '{light}'"}


QUIET = shade("#4b5160", "#b6bcc8")
STRONG = shade("#0f766e", "#2dd4bf")
INK = shade("#1f2430", "#e6e8ee")


class Level(NamedTuple):
    """A named level line: what a reference tokenizer needs, at any vocabulary size."""

    name: str
    value: float


class Axis(NamedTuple):
    """The vertical axis. Nothing is written along it, because vertical Thai is hard to read."""

    title: str
    """What the values are; tooltips say it."""
    format: str = ",d"
    """The number format, in d3-format syntax."""
    most: float | None = None
    """The largest value that will come; None if unknown."""
    is_log: bool = False


def quantitative(field: str, **more: Any) -> Spec:
    """Describe a field of numbers."""
    return {"field": field, "type": "quantitative", **more}


def nominal(field: str, **more: Any) -> Spec:
    """Describe a field of words."""
    return {"field": field, "type": "nominal", **more}


def thinned(points: Sequence[_Point], most: int = MAX_POINTS) -> list[_Point]:
    """Return at most `most` of the points, evenly spread, with the first and the last.

    >>> thinned(range(10), 4)
    [0, 3, 6, 9]
    """
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    return [points[round(n * step)] for n in range(most)]


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
    """Specify a line of `value` against `size`, over the range `sizes`, with named level lines.

    Rows have `size` and `value`; `words` has the (title, field) of each further field in the tooltip. If rows have
    a `moment`, a sentence or None, a dot marks each sentence. `own` is the name of the line.
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
    """Specify a dashed line for each level, and its name on the right; the names do not overlap."""
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
    """Specify the line's name at its end: above it, where a falling line leaves room."""
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
    """Specify the tooltip of the point whose size is nearest to the mouse."""
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
    """Specify a dot at each moment, with a tooltip that says what happened."""
    return {
        "transform": [{"filter": "isValid(datum.moment)"}],
        "mark": {
            "type": "point",
            "aria": False,  # the chart's alternative text says it
            "filled": True,
            "size": 90,
            "opacity": 1,
            "color": STRONG,
            "stroke": {"expr": "background"},
            "strokeWidth": 2,
        },
        "encoding": {"tooltip": nominal("moment")},
    }
