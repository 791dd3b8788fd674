"""Charts of the languages page: what is drawn, and the same as specification for the page and as SVG to keep.

No Streamlit, so that tests can read what is drawn.
"""

import html
import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pages.ui.charts import Spec

Row = dict[str, object]
ROW_HEIGHT = 27
"""Pixels of a bar with the room around it; Thai marks need some above."""
MOST_BINS = 40
COLOURS = ("#0f766e", "#b45309", "#4f46e5", "#be185d")
"""As in `.streamlit/config.toml`, for what is taken away."""
_DARK = "luminance(background) < 0.4"
_QUIET = {"expr": f"{_DARK} ? '#b6bcc8' : '#4b5160'"}
_STRONG = {"expr": f"{_DARK} ? '#2dd4bf' : '#0f766e'"}
_ON_BAR = {"expr": f"{_DARK} ? '#04211d' : '#ffffff'"}
_INK = {"expr": f"{_DARK} ? '#e6e8ee' : '#1f2430'"}
_FONT = "'Source Sans 3', 'Source Sans', 'Noto Sans Thai', Sarabun, 'Leelawadee UI', Thonburi, sans-serif"


class Bar(NamedTuple):
    """One bar: the tokens of one language by one tokenizer, and what stands beside it."""

    group: str
    """The tokenizer: bars of one group stand together under its name."""
    language: str
    value: int
    label: str
    colour: int
    """The place of the language, which has its colour everywhere."""


class Bin(NamedTuple):
    """Pairs whose premium lies between two values, the first one included."""

    start: float
    end: float
    pairs: int


# ---- bars


def bar_rows(bars: Sequence[Bar]) -> tuple[list[Row], int]:
    """The rows of the chart from the top, names of groups among them, and how many rows there are.

    >>> rows, count = bar_rows([Bar("GPT-2", "Thai", 9, "Thai 9", 0), Bar("GPT-2", "English", 3, "English 3", 1)])
    >>> [(row["kind"], row["top"]) for row in rows], count
    ([('group', 0), ('bar', 1), ('bar', 2)], 3)
    """
    most = max((bar.value for bar in bars), default=0) or 1
    rows: list[Row] = []
    group = None
    for bar in bars:
        if bar.group != group:
            group = bar.group
            rows.append({"kind": "group", "top": len(rows), "text": group})
        rows.append(
            {
                "kind": "bar",
                "top": len(rows),
                "text": bar.label,
                "value": bar.value,
                "inside": bar.value > 0.5 * most,
                "language": bar.language,
                "group": group,
                "colour": bar.colour,
            }
        )
    return rows, len(rows)


def bar_chart(bars: Sequence[Bar], *, tokens: str, tokenizer: str, language: str) -> tuple[list[Row], Spec]:
    """Rows and specification of bars with their labels on them or beside them; no axis is needed then.

    The three words are the titles of what a bar says under the mouse.
    """
    rows, count = bar_rows(bars)
    most = max((bar.value for bar in bars), default=0) or 1
    languages = max((bar.colour for bar in bars), default=0) + 1
    y: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [count, 0], "nice": False, "zero": False}}
    x: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [0, most], "nice": False}}
    said = [
        {"field": "group", "type": "nominal", "title": tokenizer},
        {"field": "language", "type": "nominal", "title": language},
        {"field": "value", "type": "quantitative", "title": tokens, "format": ",d"},
    ]
    text: Spec = {"type": "text", "baseline": "middle", "fontSize": 13}
    spec: Spec = {
        "height": count * ROW_HEIGHT,
        "padding": {"left": 2, "top": 4, "right": 4, "bottom": 4},
        "config": {"view": {"stroke": None}},
        "layer": [
            {
                "transform": [
                    {"filter": "datum.kind == 'bar'"},
                    {"calculate": "datum.top + 0.08", "as": "upper"},
                    {"calculate": "datum.top + 0.92", "as": "lower"},
                ],
                "mark": {"type": "rect", "cornerRadiusEnd": 4},
                "encoding": {
                    "y": {"field": "upper", **y},
                    "y2": {"field": "lower"},
                    "x": {"field": "value", **x},
                    "x2": {"value": 0},
                    "color": {
                        "field": "colour",
                        "type": "nominal",
                        "legend": None,
                        "scale": {"domain": list(range(languages))},
                    },
                    "tooltip": said,
                },
            },
            _label_layer(
                "datum.kind == 'bar' && datum.inside", {**text, "align": "right", "dx": -8, "color": _ON_BAR}
            ),
            _label_layer(
                "datum.kind == 'bar' && !datum.inside", {**text, "align": "left", "dx": 8, "color": _INK}
            ),
            _label_layer(
                "datum.kind == 'group'", {**text, "align": "left", "fontWeight": 600, "color": _INK, "dy": 3}
            ),
        ],
    }
    return rows, spec


def _label_layer(which: str, mark: Spec) -> Spec:
    is_group = "group" in which
    return {
        "transform": [{"filter": which}, {"calculate": "datum.top + 0.5", "as": "middle"}],
        "mark": mark,
        "encoding": {
            "y": {"field": "middle", "type": "quantitative"},
            "x": {"value": 0} if is_group else {"field": "value", "type": "quantitative"},
            "text": {"field": "text", "type": "nominal"},
            "tooltip": None,
        },
    }


def bars_svg(bars: Sequence[Bar], *, title: str, width: int = 720) -> str:
    """The same bars as a picture that stands alone: black on white, the title above and to screen readers."""
    rows, count = bar_rows(bars)
    most = max((bar.value for bar in bars), default=0) or 1
    drawn = []
    for row in rows:
        top = int(str(row["top"])) * ROW_HEIGHT + 8
        middle = top + ROW_HEIGHT / 2 + 4.5
        words = html.escape(str(row["text"]))
        if row["kind"] == "group":
            drawn.append(f'<text x="0" y="{middle + 2:.1f}" font-weight="600">{words}</text>')
            continue
        length = max(1.0, (width - 4) * int(str(row["value"])) / most)
        colour = COLOURS[int(str(row["colour"])) % len(COLOURS)]
        drawn.append(
            f'<rect x="0" y="{top + 2}" width="{length:.1f}" height="{ROW_HEIGHT - 4}" rx="3" fill="{colour}"/>'
        )
        drawn.append(
            f'<text x="{length - 8:.1f}" y="{middle:.1f}" text-anchor="end" fill="#ffffff">{words}</text>'
            if row["inside"]
            else f'<text x="{length + 8:.1f}" y="{middle:.1f}">{words}</text>'
        )
    return _svg(drawn, width, count * ROW_HEIGHT + 16, title)


def _svg(drawn: Sequence[str], width: int, height: int, title: str) -> str:
    words = html.escape(title)
    font = html.escape(_FONT, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" font-family="{font}" font-size="14" fill="#1f2430"><title>{words}</title>'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>{"".join(drawn)}</svg>'
    )


# ---- the distribution


def bins(premiums: npt.NDArray[np.float64]) -> list[Bin]:
    """How many pairs have which premium, in at most 40 steps of a round width; undefined premiums are left out.

    The last one holds all above as well, where one pair in 200 would stretch the others together.

    >>> bins(np.array([1.0, 1.1, 1.9, np.nan]))[:2]
    [Bin(start=1.0, end=1.05, pairs=1), Bin(start=1.05, end=1.1, pairs=0)]
    """
    known = premiums[np.isfinite(premiums)]
    if not len(known):
        return []
    low, high = float(known.min()), float(np.quantile(known, 0.995, method="higher"))
    width = next(step for step in _steps() if (high - low) / step < MOST_BINS - 1)
    first = np.floor(low / width + 1e-9)
    places = np.floor(np.minimum(known, high) / width + 1e-9) - first
    pairs = np.bincount(places.astype(np.int64))
    edges = np.round((first + np.arange(len(pairs) + 1)) * width, 6)
    found = [Bin(float(a), float(b), int(count)) for a, b, count in zip(edges, edges[1:], pairs, strict=False)]
    return [*found[:-1], found[-1]._replace(end=max(found[-1].end, float(known.max())))]


def _steps() -> Sequence[float]:
    return [digit * 10.0**power for power in range(-2, 9) for digit in (1, 2, 5)]


def distribution_chart(
    found: Sequence[Bin],
    overall: float | None,
    *,
    premium: str,
    pairs: str,
    overall_name: str,
    times: Callable[[str], str],
) -> tuple[list[Row], Spec]:
    """Rows and specification of the pairs by premium, with a line where the middle one stands.

    `times` writes a premium with its unit.
    """
    width = found[0].end - found[0].start if len(found) > 1 else 1.0
    most = max((each.pairs for each in found), default=0)
    rows: list[Row] = [
        {
            "start": each.start,
            "end": each.start + width,
            "pairs": each.pairs,
            "range": f"{each.start:g} – {each.end:g}",
        }
        for each in found
    ]
    type_of = {"titleFontWeight": "normal", "labelFontSize": 12, "titleFontSize": 13, "titlePadding": 8}
    axis = {
        "title": premium,
        "format": ",.3~f",
        "labelExpr": f"datum.label + {json.dumps(times(''), ensure_ascii=False)}",
        "grid": False,
        "tickCount": 6,
        **type_of,
    }
    layers: list[Spec] = [
        {
            "mark": {"type": "rect", "color": _STRONG, "opacity": 0.85},
            "encoding": {
                "x": {
                    "field": "start",
                    "type": "quantitative",
                    "axis": axis,
                    "scale": {"nice": False, "zero": False},
                },
                "x2": {"field": "end"},
                "y": {
                    "field": "pairs",
                    "type": "quantitative",
                    "axis": {"title": pairs, "tickCount": 4, "format": ",d", **type_of},
                    "scale": {"domainMax": 1.2 * most, "nice": False},
                },
                "y2": {"value": "height"},
                "tooltip": [
                    {"field": "range", "type": "nominal", "title": premium},
                    {"field": "pairs", "type": "quantitative", "title": pairs, "format": ",d"},
                ],
            },
        }
    ]
    if overall is not None:
        rule: Spec = {"data": {"values": [{"at": overall, "name": f"{overall_name} {times(f'{overall:.2f}')}"}]}}
        at = {"x": {"field": "at", "type": "quantitative"}}
        layers += [
            {**rule, "mark": {"type": "rule", "color": _QUIET, "strokeDash": [5, 4]}, "encoding": at},
            {
                **rule,
                "mark": {"type": "text", "align": "left", "dx": 6, "dy": 8, "fontSize": 12, "color": _INK},
                "encoding": {**at, "y": {"value": 0}, "text": {"field": "name", "type": "nominal"}},
            },
        ]
    return rows, {
        "height": 240,
        "padding": {"left": 4, "top": 14, "right": 12, "bottom": 16},
        "layer": layers,
    }


def distribution_svg(
    found: Sequence[Bin], overall: float | None, *, title: str, overall_name: str, times: Callable[[str], str]
) -> str:
    """The same distribution as a picture that stands alone, with its title below."""
    width, height, bottom = 720, 280, 240
    most = max((each.pairs for each in found), default=0) or 1
    step = found[0].end - found[0].start if len(found) > 1 else 1.0
    low = found[0].start if found else 0.0
    span = step * max(1, len(found))
    drawn = []
    tallest = max(found, key=lambda each: each.pairs, default=None)
    has_room = len(found) <= 24 and most < 1_000
    for place, each in enumerate(found):
        left, tall = place * width / len(found), 190 * each.pairs / most
        drawn.append(
            f'<rect x="{left + 0.5:.1f}" y="{bottom - tall:.1f}" width="{width / len(found) - 1:.1f}"'
            f' height="{tall:.1f}" fill="{COLOURS[0]}"/>'
        )
        if has_room or each is tallest:
            middle = left + width / len(found) / 2
            drawn.append(
                f'<text x="{middle:.1f}" y="{bottom - tall - 4:.1f}" font-size="11" text-anchor="middle">'
                f"{each.pairs:,}</text>"
            )
    every = -(-len(found) // 8)
    for place in range(0, len(found), every or 1):
        anchor = "middle" if place else "start"
        drawn.append(
            f'<text x="{place * width / len(found):.1f}" y="{bottom + 18}" font-size="12"'
            f' text-anchor="{anchor}">{times(f"{found[place].start:g}")}</text>'
        )
    if overall is not None:
        at = min(max((overall - low) / span, 0.0), 1.0) * width
        anchor, aside = ("end", -6) if at > width / 2 else ("start", 6)
        drawn.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="14" y2="{bottom}" stroke="#4b5160" stroke-dasharray="5 4"/>'
            f'<text x="{at + aside:.1f}" y="26" font-size="13" text-anchor="{anchor}">'
            f"{html.escape(overall_name)} {times(f'{overall:.2f}')}</text>"
        )
    drawn.append(
        f'<text x="{width / 2}" y="{height - 4}" font-size="12" text-anchor="middle">{html.escape(title)}</text>'
    )
    return _svg(drawn, width, height, title)
