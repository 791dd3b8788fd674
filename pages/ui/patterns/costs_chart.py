"""The chart of what patterns cost; without Streamlit, so that tests can read what is drawn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pages.ui.widgets.charts import CATEGORIES, PADDING, TYPE, Spec, nominal, quantitative, shade, spread
from tokenizer_core.segments import Ints
from tokenizer_core.vocabulary import BYTES

POINTS = 60
HEIGHT = 300
LABEL_HEIGHT = 17
SHADES = [shade(light, dark) for light, dark in CATEGORIES]
DASHES = ([1, 0], [7, 3], [2, 3], [9, 3, 2, 3])


class _Frame(NamedTuple):
    """The range of the chart: sizes up to the largest, tokens from the lowest to the highest."""

    most: int
    low: float
    high: float


def costs_chart(
    lines: Sequence[tuple[str, Ints]], *, size_title: str, tokens_title: str
) -> tuple[list[dict[str, Any]], Spec]:
    """Return rows and specification: tokens against vocabulary size, a line for each name, named at its end.

    Both axes are logarithmic: equal steps are equal ratios. Lines differ in dashes as well as in color.
    """
    rows = [row for number, (name, counts) in enumerate(lines) for row in _rows(number, name, counts)]
    tokens = [max(1, row["tokens"]) for row in rows]
    most = BYTES + max(len(counts) - 1 for _, counts in lines)
    frame = _Frame(most, 0.92 * min(tokens), 1.05 * max(tokens))
    said = [
        nominal("name", title=" "),
        quantitative("size", title=size_title, format=",d"),
        quantitative("tokens", title=tokens_title, format=",d"),
    ]
    drawn = [_line_layer(number, frame, size_title, said) for number in range(len(lines))]
    return rows, {"height": HEIGHT, "padding": PADDING, "layer": drawn + _name_layers(lines, frame)}


def _rows(number: int, name: str, counts: Ints) -> list[dict[str, Any]]:
    """Return the points of a line, with merges spread evenly on a logarithmic scale."""
    merges = np.unique(np.geomspace(1, len(counts), POINTS).astype(np.int64)) - 1
    return [
        {"line": number, "name": name, "size": BYTES + merge, "tokens": int(counts[merge])}
        for merge in merges.tolist()
    ]


def _line_layer(number: int, frame: _Frame, size_title: str, said: list[Spec]) -> Spec:
    """Specify one line and its tooltip."""
    ticks = [size for size in (256, 500, 1_000, 2_000, 4_000, 8_000) if size <= frame.most]
    return {
        "mark": {
            "type": "line",
            "strokeWidth": 2.5,
            "color": SHADES[number % 4],
            "strokeDash": DASHES[number % 4],
            "tooltip": True,
        },
        "transform": [{"filter": f"datum.line == {number}"}],
        "encoding": {
            "x": quantitative(
                "size",
                scale={"type": "log", "domain": [BYTES, max(frame.most, BYTES + 1)], "nice": False},
                axis={"values": ticks, "format": ",d", "title": size_title, "grid": False, **TYPE},
            ),
            "y": quantitative(
                "tokens",
                scale={"type": "log", "domain": [frame.low, frame.high], "nice": False},
                axis={"format": "~s", "tickCount": 5, "title": None, **TYPE},
            ),
            "tooltip": said,
            "detail": nominal("line", legend=None),
        },
    }


def _name_layers(lines: Sequence[tuple[str, Ints]], frame: _Frame) -> list[Spec]:
    """Specify the names on the right, each at the end of its line, or as near as its neighbors allow."""
    scale = float(np.log(frame.high / frame.low))
    ends = [max(1, int(counts[-1])) for _, counts in lines]
    places = spread([float(np.log(end / frame.low)) for end in ends], scale * LABEL_HEIGHT / (HEIGHT - 60), scale)
    text = {"type": "text", "align": "left", "baseline": "middle", "dx": 6, "fontSize": 12, "limit": 150}
    return [
        {
            "data": {"values": [{"name": name, "place": float(frame.low * np.exp(place))}]},
            "mark": {**text, "color": SHADES[number % 4]},
            "encoding": {"x": {"value": "width"}, "y": quantitative("place"), "text": nominal("name")},
        }
        for number, ((name, _), place) in enumerate(zip(lines, places, strict=True))
    ]
