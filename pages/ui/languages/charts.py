"""Charts of the Languages page, each as a specification for the page and as SVG to save.

They do without Streamlit, so that tests can read what is drawn.
"""

import html
import json
import textwrap
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pages.ui.widgets import written
from pages.ui.widgets.charts import (
    CATEGORIES,
    INK,
    QUIET,
    STRONG,
    TYPE,
    UNSAID,
    Spec,
    nominal,
    quantitative,
    shade,
)

Row = dict[str, object]
ROW_HEIGHT = 27
"""Pixels of a bar with the room around it; Thai marks need some above."""
MOST_BINS = 40
COLOURS = tuple(light for light, _ in CATEGORIES)
"""As in `.streamlit/config.toml`, for pictures that visitors save."""
_ON_BAR = shade("#ffffff", "#04211d")
MARGIN = 24
"""Pixels around a picture that is saved."""
_LINE_OF_TITLE, _TITLE_HEIGHT = 72, 32
"""Characters of a line of a title, and its height; Thai marks need some of it."""
_FONT = "'Source Sans 3', 'Source Sans', 'Noto Sans Thai', Sarabun, 'Leelawadee UI', Thonburi, sans-serif"


class Bar(NamedTuple):
    """One bar: the tokens of one language by one tokenizer, and its label."""

    group: str
    """The tokenizer: bars of one group stand together under its name."""
    language: str
    value: int
    label: str
    colour: int
    """The index of the language, which has the same color everywhere."""


class Bin(NamedTuple):
    """Pairs whose premium lies between two values, including the first one."""

    start: float
    end: float
    pairs: int


# ---- bars


def bar_rows(bars: Sequence[Bar]) -> tuple[list[Row], int]:
    """Return the rows of the chart from the top, including the names of groups, and the number of rows.

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
    """Return rows and specification of bars with labels on or beside them, so that they need no axis.

    The three words are the titles in a bar's tooltip.
    """
    rows, count = bar_rows(bars)
    said = [
        nominal("group", title=tokenizer),
        nominal("language", title=language),
        quantitative("value", title=tokens, format=",d"),
    ]
    text: Spec = {"type": "text", "baseline": "middle", "fontSize": 13}
    inside = {**text, "align": "right", "dx": -8, "color": _ON_BAR}
    beside = {**text, "align": "left", "dx": 8, "color": INK}
    above = {**text, "align": "left", "fontWeight": 600, "color": INK, "dy": 3}
    return rows, {
        "height": count * ROW_HEIGHT,
        "padding": {"left": 2, "top": 4, "right": 4, "bottom": 4},
        "config": {"view": {"stroke": None}},
        "layer": [
            _bar_layer(bars, count, said),
            _label_layer("datum.kind == 'bar' && datum.inside", inside, said),
            _label_layer("datum.kind == 'bar' && !datum.inside", beside, said),
            _label_layer("datum.kind == 'group'", above, UNSAID),
        ],
    }


def _bar_layer(bars: Sequence[Bar], count: int, said: list[Spec]) -> Spec:
    """Specify the bars, a little apart; the labels use the same scales."""
    most = max((bar.value for bar in bars), default=0) or 1
    languages = max((bar.colour for bar in bars), default=0) + 1
    colours = {"domain": list(range(languages))}
    return {
        "transform": [
            {"filter": "datum.kind == 'bar'"},
            {"calculate": "datum.top + 0.08", "as": "upper"},
            {"calculate": "datum.top + 0.92", "as": "lower"},
        ],
        "mark": {"type": "rect", "cornerRadiusEnd": 4},
        "encoding": {
            "y": quantitative("upper", axis=None, scale={"domain": [count, 0], "nice": False, "zero": False}),
            "y2": {"field": "lower"},
            "x": quantitative("value", axis=None, scale={"domain": [0, most], "nice": False}),
            "x2": {"value": 0},
            "color": nominal("colour", legend=None, scale=colours),
            "tooltip": said,
        },
    }


def _label_layer(which: str, mark: Spec, said: Spec | list[Spec]) -> Spec:
    is_group = "group" in which
    return {
        "transform": [{"filter": which}, {"calculate": "datum.top + 0.5", "as": "middle"}],
        "mark": mark,
        "encoding": {
            "y": quantitative("middle"),
            "x": {"value": 0} if is_group else quantitative("value"),
            "text": nominal("text"),
            "tooltip": said,
        },
    }


def bars_svg(bars: Sequence[Bar], *, title: str, says: str, width: int = 720) -> str:
    """Return the same bars as a standalone SVG: dark on white, with a title, and a sentence for screen readers."""
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
    return _svg(drawn, width, count * ROW_HEIGHT + 16, title, says)


def _svg(drawn: Sequence[str], width: int, height: int, title: str, says: str) -> str:
    """Put a drawing under its title, with a margin around both: a saved picture stands alone."""
    lines = textwrap.wrap(title, _LINE_OF_TITLE, break_long_words=False) or [""]
    top = MARGIN + len(lines) * _TITLE_HEIGHT
    wide, high = width + 2 * MARGIN, top + height + MARGIN
    heading = "".join(
        f'<text x="{MARGIN}" y="{MARGIN + (number + 0.6) * _TITLE_HEIGHT:.1f}" font-size="18" font-weight="600">'
        f"{html.escape(line)}</text>"
        for number, line in enumerate(lines)
    )
    font = html.escape(_FONT, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {wide} {high}" width="{wide}"'
        f' height="{high}" font-family="{font}" font-size="14" fill="#1f2430"><title>{html.escape(title)}</title>'
        f'<desc>{html.escape(says)}</desc><rect width="{wide}" height="{high}" fill="#ffffff"/>{heading}'
        f'<g transform="translate({MARGIN} {top})">{"".join(drawn)}</g></svg>'
    )


# ---- the distribution


def bins(premiums: npt.NDArray[np.float64]) -> list[Bin]:
    """Count the pairs by premium in at most 40 bins of a round width, without undefined premiums.

    The last bin also has all premiums above it: otherwise, one pair in 200 could squeeze the others together.

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
    """Return rows and specification of the pairs by premium, with a line at `overall`, the median.

    `times` writes a premium with its unit.
    """
    width = _width(found)
    rows: list[Row] = [
        {
            "start": each.start,
            "end": each.start + width,
            "pairs": each.pairs,
            "range": f"{each.start:g} – {each.end:g}",
        }
        for each in found
    ]
    most = max((each.pairs for each in found), default=0)
    return rows, {
        "height": 240,
        "padding": {"left": 4, "top": 14, "right": 12, "bottom": 16},
        "layer": [_bin_layer(most, premium, pairs, times("")), *_rule_layers(overall, overall_name, times)],
    }


def _width(found: Sequence[Bin]) -> float:
    """Return the width of a bin as drawn; the last bin may reach further."""
    return found[0].end - found[0].start if len(found) > 1 else 1.0


def _bin_layer(most: int, premium: str, pairs: str, unit: str) -> Spec:
    """Specify a column for each bin, with room above for the name of the line."""
    x_axis = {
        "title": premium,
        "format": ",.3~f",
        "labelExpr": f"datum.label + {json.dumps(unit, ensure_ascii=False)}",
        "grid": False,
        "tickCount": 6,
        **TYPE,
    }
    y_axis = {"title": pairs, "tickCount": 4, "format": ",d", **TYPE}
    return {
        "mark": {"type": "rect", "color": STRONG, "opacity": 0.85},
        "encoding": {
            "x": quantitative("start", axis=x_axis, scale={"nice": False, "zero": False}),
            "x2": {"field": "end"},
            "y": quantitative("pairs", axis=y_axis, scale={"domainMax": 1.2 * most, "nice": False}),
            "y2": {"value": "height"},
            "tooltip": [nominal("range", title=premium), quantitative("pairs", title=pairs, format=",d")],
        },
    }


def _rule_layers(overall: float | None, name: str, times: Callable[[str], str]) -> list[Spec]:
    """Specify the line at the median premium and its name; nothing if there is no median."""
    if overall is None:
        return []
    rule: Spec = {"data": {"values": [{"at": overall, "name": f"{name} {times(written.ratio(overall))}"}]}}
    at = {"x": quantitative("at"), "tooltip": UNSAID}
    text = {"type": "text", "align": "left", "dx": 6, "dy": 8, "fontSize": 12, "color": INK}
    return [
        {**rule, "mark": {"type": "rule", "color": QUIET, "strokeDash": [5, 4]}, "encoding": at},
        {**rule, "mark": text, "encoding": {**at, "y": {"value": 0}, "text": nominal("name")}},
    ]


def distribution_svg(
    found: Sequence[Bin], overall: float | None, *, title: str, overall_name: str, times: Callable[[str], str]
) -> str:
    """Return the same distribution as a standalone SVG with its title."""
    drawn = [*_svg_columns(found), *_svg_edges(found, times)]
    if overall is not None:
        low = found[0].start if found else 0.0
        share = (overall - low) / (_width(found) * max(1, len(found)))
        at = min(max(share, 0.0), 1.0) * _SVG_WIDTH
        anchor, aside = ("end", -6) if at > _SVG_WIDTH / 2 else ("start", 6)
        drawn.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="14" y2="{_SVG_BOTTOM}" stroke="#4b5160"'
            ' stroke-dasharray="5 4"/>'
            f'<text x="{at + aside:.1f}" y="26" font-size="13" text-anchor="{anchor}">'
            f"{html.escape(overall_name)} {times(written.ratio(overall))}</text>"
        )
    return _svg(drawn, _SVG_WIDTH, _SVG_HEIGHT, title, title)


_SVG_WIDTH, _SVG_HEIGHT = 720, 262
_SVG_BOTTOM = 240
"""The y of the base of the columns."""


def _svg_columns(found: Sequence[Bin]) -> list[str]:
    """Draw a column for each bin, with its pairs above it if there is room, else only above the tallest one."""
    most = max((each.pairs for each in found), default=0) or 1
    tallest = max(found, key=lambda each: each.pairs, default=None)
    has_room = len(found) <= 24 and most < 1_000
    drawn = []
    for place, each in enumerate(found):
        width = _SVG_WIDTH / len(found)
        left, tall = place * width, 190 * each.pairs / most
        drawn.append(
            f'<rect x="{left + 0.5:.1f}" y="{_SVG_BOTTOM - tall:.1f}" width="{width - 1:.1f}"'
            f' height="{tall:.1f}" fill="{COLOURS[0]}"/>'
        )
        if has_room or each is tallest:
            drawn.append(
                f'<text x="{left + width / 2:.1f}" y="{_SVG_BOTTOM - tall - 4:.1f}" font-size="11"'
                f' text-anchor="middle">{each.pairs:,}</text>'
            )
    return drawn


def _svg_edges(found: Sequence[Bin], times: Callable[[str], str]) -> list[str]:
    """Write where bins start, for at most eight of them."""
    every = -(-len(found) // 8)
    return [
        f'<text x="{place * _SVG_WIDTH / len(found):.1f}" y="{_SVG_BOTTOM + 18}" font-size="12"'
        f' text-anchor="{"middle" if place else "start"}">{times(f"{found[place].start:g}")}</text>'
        for place in range(0, len(found), every or 1)
    ]
