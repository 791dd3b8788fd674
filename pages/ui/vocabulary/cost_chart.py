"""The chart of what a vocabulary size costs and saves; without Streamlit, so that tests can read what is drawn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pages.ui.widgets.charts import INK, PADDING, QUIET, STRONG, TYPE, Spec, nominal, quantitative
from tokenizer_core.measures.model_cost import Model, row_parameters
from tokenizer_core.vocabulary import BYTES

POINTS = 60


class Point(NamedTuple):
    """A tokenizer at one vocabulary size: its name, its ids, and the tokens of the text."""

    name: str
    size: int
    tokens: int


def cost_chart(
    name: str,
    counts: Sequence[int],
    others: Sequence[Point],
    model: Model,
    spot: int | None,
    *,
    titles: tuple[str, str, str],
    spot_label: str,
) -> tuple[list[dict[str, Any]], Spec]:
    """Return rows and specification: tokens against parameters, a line for one tokenizer and dots for the others.

    `counts` are the tokens after each number of merges; `titles` name vocabulary size, parameters and tokens. Both
    axes are logarithmic: equal steps are equal ratios.
    """
    rows = _rows(name, counts, others, model)
    size_title, parameters_title, tokens_title = titles
    encoding = {
        # "G" is what people who count parameters write as "B".
        "x": _log("parameters", parameters_title, labelExpr="replace(format(datum.value, '~s'), 'G', 'B')"),
        "y": _log("tokens", tokens_title, format="~s"),
        "tooltip": [
            nominal("name", title=" "),
            quantitative("size", title=size_title, format=","),
            quantitative("parameters", title=parameters_title, format=","),
            quantitative("tokens", title=tokens_title, format=","),
        ],
    }
    layer = _layers(encoding)
    if spot is not None:
        layer += _spot(spot, int(counts[spot - BYTES]), model, encoding, spot_label, rows)
    return rows, {"height": 340, "padding": {**PADDING, "right": 60, "top": 24}, "layer": layer}


def _rows(name: str, counts: Sequence[int], others: Sequence[Point], model: Model) -> list[dict[str, Any]]:
    return [
        {
            "is_line": is_line,
            **point._asdict(),
            "parameters": row_parameters(point.size, model.width, is_tied=model.is_tied),
        }
        for is_line, points in ((True, _points(name, counts)), (False, others))
        for point in points
        if point.tokens
    ]


def _points(name: str, counts: Sequence[int]) -> list[Point]:
    """Return the points of the line, with merges spread evenly on a logarithmic scale."""
    merges = np.unique(np.geomspace(1, len(counts), POINTS).astype(np.int64)) - 1
    return [Point(name, BYTES + merge, int(counts[merge])) for merge in merges.tolist()]


def _layers(encoding: Spec) -> list[Spec]:
    """Specify the line, the dots of the others, and their names."""
    line = {"type": "line", "strokeWidth": 3, "color": STRONG, "tooltip": True}
    dots = {"type": "point", "filled": True, "size": 90, "color": QUIET, "opacity": 1, "tooltip": True}
    text = {"type": "text", "dy": -12, "fontSize": 13, "color": INK}
    others = [{"filter": "!datum.is_line"}]
    return [
        {"mark": line, "transform": [{"filter": "datum.is_line"}], "encoding": encoding},
        {"mark": dots, "transform": others, "encoding": encoding},
        {"mark": text, "transform": others, "encoding": {**encoding, "text": nominal("name")}},
    ]


def _log(field: str, title: str, **labels: str) -> Spec:
    scale = {"type": "log", "nice": False, "padding": 24}
    return quantitative(field, scale=scale, axis={"title": title, "tickCount": 6, **labels, **TYPE})


def _spot(
    size: int, tokens: int, model: Model, encoding: Spec, label: str, rows: Sequence[dict[str, Any]]
) -> list[Spec]:
    """Specify the mark of the sweet spot on the line, and its label beside it.

    The line falls to the right, so nothing is below it on the left, and nothing above it on the right.
    """
    parameters = row_parameters(size, model.width, is_tied=model.is_tied)
    ends = [row["parameters"] for row in rows]
    is_left = parameters * parameters < min(ends) * max(ends)
    aside = {"align": "left", "dx": 12, "dy": -16} if is_left else {"align": "right", "dx": -12, "dy": 18}
    data = {"values": [{"parameters": parameters, "tokens": tokens, "size": size, "name": label}]}
    mark = {"type": "point", "shape": "diamond", "filled": True, "size": 260, "color": STRONG, "opacity": 1}
    text = {"type": "text", **aside, "fontSize": 14, "fontWeight": 600, "color": INK}
    return [
        {"data": data, "mark": {**mark, "tooltip": True}, "encoding": encoding},
        {"data": data, "mark": text, "encoding": {**encoding, "text": nominal("name")}},
    ]
