"""The chart of vocabulary size against length; without Streamlit, so that tests can read what is drawn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pages.ui.widgets.charts import PADDING, QUIET, STRONG, TYPE, Spec, nominal, quantitative

POINTS = 160


class Way(NamedTuple):
    """One way to cut a corpus: its name, the entries that it needs, and the tokens that it makes."""

    name: str
    size: int
    tokens: int


def naive_chart(
    curve: Sequence[tuple[int, int]],
    ways: Sequence[Way],
    *,
    curve_name: str,
    size_title: str,
    tokens_title: str,
) -> tuple[list[dict[str, Any]], Spec]:
    """Return rows and specification: BPE as a line, each naive tokenizer as a named diamond; logarithmic axes."""
    step = max(1, len(curve) // POINTS)
    drawn = [*curve[::step], curve[-1]]
    rows: list[dict[str, Any]] = [{"size": size, "tokens": tokens} for size, tokens in drawn]
    rows += [{"name": way.name, "size": way.size, "tokens": way.tokens} for way in ways]
    middle = drawn[len(drawn) // 2]
    rows.append({"curve": curve_name, "size": middle[0], "tokens": middle[1]})
    return rows, {
        "height": 340,
        "padding": PADDING,
        "encoding": {
            "x": _axis("size", size_title, [row["size"] for row in rows]),
            "y": _axis("tokens", tokens_title, [row["tokens"] for row in rows]),
        },
        "layer": _layers(size_title, tokens_title),
    }


def _layers(size_title: str, tokens_title: str) -> list[Spec]:
    """Specify the line with its name, and the diamonds with theirs."""
    said = [
        quantitative("size", title=size_title, format=",d"),
        quantitative("tokens", title=tokens_title, format=",d"),
    ]
    line = {"type": "line", "strokeWidth": 3, "color": STRONG}
    point = {"type": "point", "aria": False, "shape": "diamond", "size": 120, "filled": True, "opacity": 1}
    is_line, is_name, is_way = (
        [{"filter": test}]
        for test in (
            "!isValid(datum.name) && !isValid(datum.curve)",
            "isValid(datum.curve)",
            "isValid(datum.name)",
        )
    )
    return [
        {"transform": is_line, "mark": line, "encoding": {"tooltip": said}},
        {
            "transform": is_name,
            "mark": {**_label(STRONG), "align": "left", "dx": 10, "dy": -12},
            "encoding": {"text": nominal("curve")},
        },
        {
            "transform": is_way,
            "mark": {**point, "color": QUIET},
            "encoding": {"tooltip": [nominal("name", title=""), *said]},
        },
        {"transform": is_way, "mark": {**_label(QUIET), "dy": -16}, "encoding": {"text": nominal("name")}},
    ]


def _label(color: Spec) -> Spec:
    return {"type": "text", "fontSize": 13, "color": color, "aria": False}


def _axis(field: str, title: str, values: Sequence[float]) -> Spec:
    """Specify a logarithmic axis that is wider than its values, so that labels fit, with round numbers on it."""
    low, high = 0.55 * min(values), 1.9 * max(values)
    ticks = [tick * 10**power for power in range(8) for tick in (1, 2, 5)]
    return quantitative(
        field,
        scale={"type": "log", "domain": [low, high], "nice": False},
        axis={"title": title, "format": ",d", "values": [tick for tick in ticks if low <= tick <= high], **TYPE},
    )
