"""The charts of what a vocabulary is made of; without Streamlit, so that tests can read what is drawn."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pages.ui.widgets.charts import PADDING, QUIET, STRONG, TYPE, Spec, nominal, quantitative
from tokenizer_core.measures.entries import SCRIPTS, Entries, Script

BINS = 60
LONGEST = 24
"""Bytes of the last bar of lengths, which counts all longer tokens, too."""
Rows = list[dict[str, Any]]


def strip_chart(
    entries: Entries, names: Mapping[Script, str], *, order_title: str, count_title: str
) -> tuple[Rows, Spec]:
    """Return rows and specification: a row of boxes for each script, darker where more of its entries are.

    The entries stand from left to right in the order learned; each row has its own scale, since one script can
    have a thousand times as many entries as another.
    """
    learned = entries.scripts[entries.scripts != SCRIPTS.index("special")]
    edges = np.linspace(0, len(learned), min(BINS, len(learned)) + 1).round().astype(int)
    rows: Rows = []
    for code, script in enumerate(SCRIPTS):
        counts = np.diff(np.append(0, np.cumsum(learned == code))[edges])
        for first, end, count in zip(edges, edges[1:], counts, strict=False):
            if counts.any():
                share = float(count / counts.max())
                rows.append({"script": names[script], "first": int(first), "end": int(end), "count": int(count)})
                rows[-1]["share"] = share
    shown = list(dict.fromkeys(row["script"] for row in rows))
    axis = {"grid": False, "tickCount": 6, "format": ",d", "title": order_title, **TYPE}
    return rows, {
        "height": {"step": 24},
        "padding": PADDING,
        "mark": {"type": "rect", "color": STRONG},
        "encoding": {
            "x": quantitative("first", axis=axis, scale={"domain": [0, len(learned)], "nice": False}),
            "x2": {"field": "end"},
            "y": nominal("script", sort=shown, title=None, axis={**TYPE, "labelLimit": 200}),
            "opacity": quantitative("share", legend=None, scale={"domain": [0, 1], "range": [0.04, 1]}),
            "tooltip": [
                nominal("script", title=" "),
                quantitative("first", title=order_title, format=","),
                quantitative("count", title=count_title, format=","),
            ],
        },
    }


def lengths_of(entries: Entries, script: Script | None = None) -> list[int]:
    """Return how many bytes each entry has, of one script or of all but special tokens."""
    code = None if script is None else SCRIPTS.index(script)
    special = SCRIPTS.index("special")
    return [
        len(token)
        for token, each in zip(entries.tokens, entries.scripts.tolist(), strict=True)
        if (each != special if code is None else each == code)
    ]


def lengths_chart(
    groups: Mapping[str, Sequence[int]], *, length_title: str, share_title: str
) -> tuple[Rows, Spec]:
    """Return rows and specification: the share of each length in bytes, bars for all and dots for a part."""
    rows = [row for number, (name, lengths) in enumerate(groups.items()) for row in _shares(number, name, lengths)]
    order = [row["length"] for row in rows[:LONGEST]]
    axis = {**TYPE, "labelAngle": 0, "labelOverlap": True}
    encoding = {
        "x": nominal("length", sort=order, title=length_title, axis=axis),
        "y": quantitative("share", title=None, axis={**TYPE, "format": ".0%", "tickCount": 4}),
        "tooltip": [
            nominal("group", title=" "),
            nominal("length", title=length_title),
            quantitative("share", title=share_title, format=".1%"),
        ],
    }
    bars = {"type": "bar", "color": QUIET, "opacity": 0.45, "tooltip": True}
    point = {"color": STRONG, "size": 45, "filled": True}
    dots = {"type": "line", "color": STRONG, "point": point, "tooltip": True}
    layer = [
        {"mark": mark, "transform": [{"filter": f"datum.number == {number}"}], "encoding": encoding}
        for number, mark in enumerate((bars, dots)[: len(groups)])
    ]
    return rows, {"height": 220, "padding": PADDING, "layer": layer}


def _shares(number: int, name: str, lengths: Sequence[int]) -> Rows:
    counts = np.bincount(np.minimum(lengths, LONGEST), minlength=LONGEST + 1)[1:]
    return [
        {
            "group": name,
            "number": number,
            "length": f"{length}+" if length == LONGEST else str(length),
            "count": int(count),
            "share": float(count / max(1, len(lengths))),
        }
        for length, count in enumerate(counts, start=1)
    ]
