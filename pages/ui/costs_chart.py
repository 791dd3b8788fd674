"""What patterns cost, as a chart: rows → specification; no Streamlit, so that tests can read what is drawn."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pages.ui.charts import Spec, spread
from tokenizer_core.segments import Ints
from tokenizer_core.tokenizer import BYTES

POINTS = 60
HEIGHT = 300
LABEL_HEIGHT = 17
COLOURS = {
    "light": ("#0f766e", "#b45309", "#4f46e5", "#be185d"),
    "dark": ("#2dd4bf", "#fbbf24", "#a5b4fc", "#f9a8d4"),
}
DASHES = ([1, 0], [7, 3], [2, 3], [9, 3, 2, 3])


def costs_chart(
    lines: Sequence[tuple[str, Ints]], *, size_title: str, tokens_title: str
) -> tuple[list[dict[str, Any]], Spec]:
    """Rows and specification: tokens against vocabulary size, a line for each name, named at its end.

    Sizes are logarithmic, and so are tokens: equal steps are equal ratios. Lines differ in dashes as in colour.
    """
    rows: list[dict[str, Any]] = []
    for number, (name, counts) in enumerate(lines):
        merges = np.unique(np.geomspace(1, len(counts), POINTS).astype(np.int64)) - 1
        rows += [
            {"line": number, "name": name, "size": BYTES + merge, "tokens": int(counts[merge])}
            for merge in merges.tolist()
        ]
    tokens = [max(1, row["tokens"]) for row in rows]
    low, high = 0.92 * min(tokens), 1.05 * max(tokens)
    most = BYTES + max(len(counts) - 1 for _, counts in lines)
    ends = [{"line": n, "name": name, "tokens": max(1, int(counts[-1]))} for n, (name, counts) in enumerate(lines)]
    scale = float(np.log(high / low))
    places = spread(
        [float(np.log(end["tokens"] / low)) for end in ends], scale * LABEL_HEIGHT / (HEIGHT - 60), scale
    )
    for end, place in zip(ends, places, strict=True):
        end["place"] = float(low * np.exp(place))
    numbers = list(range(len(lines)))
    shades = [_shade(number) for number in numbers]
    line = {"field": "line", "type": "nominal", "legend": None}
    axis = {"titleFontWeight": "normal", "labelFontSize": 12, "titleFontSize": 13, "titlePadding": 8}
    said = [
        {"field": "name", "type": "nominal", "title": " "},
        {"field": "size", "type": "quantitative", "title": size_title, "format": ",d"},
        {"field": "tokens", "type": "quantitative", "title": tokens_title, "format": ",d"},
    ]
    ticks = [size for size in (256, 500, 1_000, 2_000, 4_000, 8_000) if size <= most]
    spec: Spec = {
        "height": HEIGHT,
        "padding": {"left": 4, "top": 12, "right": 8, "bottom": 16},
        "layer": [
            {
                "mark": {
                    "type": "line",
                    "strokeWidth": 2.5,
                    "color": shade,
                    "strokeDash": DASHES[number % 4],
                    "tooltip": True,
                },
                "transform": [{"filter": f"datum.line == {number}"}],
                "encoding": {
                    "x": {
                        "field": "size",
                        "type": "quantitative",
                        "scale": {"type": "log", "domain": [BYTES, max(most, BYTES + 1)], "nice": False},
                        "axis": {"values": ticks, "format": ",d", "title": size_title, "grid": False, **axis},
                    },
                    "y": {
                        "field": "tokens",
                        "type": "quantitative",
                        "scale": {"type": "log", "domain": [low, high], "nice": False},
                        "axis": {"format": "~s", "tickCount": 5, "title": None, **axis},
                    },
                    "tooltip": said,
                    "detail": line,
                },
            }
            for number, shade in zip(numbers, shades, strict=True)
        ]
        + [
            {
                "data": {"values": [end]},
                "mark": {
                    "type": "text",
                    "align": "left",
                    "baseline": "middle",
                    "dx": 6,
                    "fontSize": 12,
                    "limit": 150,
                    "color": shade,
                },
                "encoding": {
                    "x": {"value": "width"},
                    "y": {"field": "place", "type": "quantitative"},
                    "text": {"field": "name", "type": "nominal"},
                },
            }
            for end, shade in zip(ends, shades, strict=True)
        ],
    }
    return rows, spec


def _shade(number: int) -> dict[str, str]:
    light, dark = COLOURS["light"][number % 4], COLOURS["dark"][number % 4]
    return {"expr": f"luminance(background) < 0.4 ? '{dark}' : '{light}'"}
