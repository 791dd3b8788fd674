"""Charts of the Languages page, each as a definition for the page and as SVG to save."""

import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from altair.typing import ChartType

from pages.ui.i18n import t
from pages.ui.widgets import formatting
from pages.ui.widgets.charts import ROWS, size
from pages.ui.widgets.colours import CATEGORIES, ON_BAR, QUIET
from pages.ui.widgets.printing import svg_picture
from tokenizer_core.analysis.bootstrap import Interval

ROW_HEIGHT = 33
"""Pixels of a bar with the room around it; Thai marks need some above."""
ROW_ON_PAGE = 42
MOST_BINS = 40
SQUEEZED = 2
"""If the range of the premiums is this many times that of 99.5 % of them, the last bin has all above."""
PICTURE_WIDTH = 720
FOLDER = Path(__file__).parent


class Bar(NamedTuple):
    """One bar: the tokens of one language by one tokenizer, and its label."""

    group: str
    """The tokenizer: bars of one group stand together under its name."""
    language: str
    value: int
    label: str
    colour: int
    """The index of the color of the language, which is the same everywhere."""


class Bin(NamedTuple):
    """Pairs whose premium lies between two values, including the first one."""

    start: float
    end: float
    pairs: int


# ---- bars


def premium_with(interval: Interval | None, premium: float | None) -> str:
    """Write a premium, and its interval in brackets if there is one."""
    written = formatting.premium(premium)
    return f"{written} ({formatting.interval(interval)})" if interval else written


def bar_rows(bars: Sequence[Bar]) -> list[dict[str, Any]]:
    """Return the rows of the chart from the top: the name of each group, which has no value, and its bars.

    >>> bars = [Bar("GPT-2", "Thai", 9, "Thai 9", 0), Bar("GPT-2", "English", 3, "English 3", 1)]
    >>> [row["label"] for row in bar_rows(bars)]
    ['GPT-2', 'Thai 9', 'English 3']
    """
    most = max((bar.value for bar in bars), default=0)
    rows: list[dict[str, Any]] = []
    for group, members in groupby(bars, key=attrgetter("group")):
        rows.append({**dict.fromkeys(Bar._fields), "group": group, "label": group, "inside": False})
        rows += [{**bar._asdict(), "inside": bar.value > 0.5 * most} for bar in members]
    return [{"top": top, **row} for top, row in enumerate(rows)]


@lru_cache(maxsize=64)
def packed_rows(bars: tuple[Bar, ...]) -> bytes:
    """Return those rows as an Arrow stream, as Streamlit sends them: it packs a data frame anew at each click."""
    table, stream = pa.Table.from_pylist(bar_rows(bars)), pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return bytes(stream.getvalue())


def bar_chart() -> ChartType:
    """Define bars with labels on or beside them, so that they need no axis, under the names of their groups."""
    rows = alt.Chart(ROWS)
    bars = rows.transform_filter("isValid(datum.value)").encode(
        alt.X("value:Q", axis=None, scale=alt.Scale(nice=False)),
        tooltip=[
            alt.Tooltip("group:N", title=t("languages.tokenizer")),
            alt.Tooltip("language:N", title=t("languages.language")),
            alt.Tooltip("value:Q", title=t("languages.tokens"), format=",d"),
        ],
    )
    # On a phone there is no room for the interval in brackets, which the table has too.
    words = alt.expr("width < 400 ? replace(datum.label, regexp(' \\\\([^)]*\\\\)$'), '') : datum.label")
    letters = alt.ExprRef(**size(16))
    names = rows.transform_filter("!isValid(datum.value)").encode(x=alt.value(0), text="label:N")
    return alt.layer(
        # Without a domain, the first colour would go to whichever language is drawn.
        bars.mark_bar(cornerRadiusEnd=4).encode(
            alt.Color("colour:N", legend=None, scale=alt.Scale(domain=list(range(len(CATEGORIES)))))
        ),
        bars.transform_filter("datum.inside").mark_text(style="inside", fontSize=letters, text=words),
        bars.transform_filter("!datum.inside").mark_text(style="right", fontSize=letters, text=words),
        names.mark_text(style="right", fontSize=letters, dx=0, dy=3, fontWeight=600),
        height=alt.Step(ROW_ON_PAGE),
        padding={"left": 2, "top": 4, "right": 4, "bottom": 4},
    ).encode(alt.Y("top:O", axis=None, scale=alt.Scale(paddingInner=0.16, paddingOuter=0.08)))


def bars_svg(bars: Sequence[Bar], *, title: str, says: str) -> str:
    """Return the same bars as a standalone SVG with a title, and a sentence for screen readers."""
    rows = bar_rows(bars)
    most = max((bar.value for bar in bars), default=0) or 1
    for row in rows:
        has_bar = row["value"] is not None
        row["length"] = max(1.0, round((PICTURE_WIDTH - 4) * row["value"] / most, 1)) if has_bar else None
        row["fill"] = CATEGORIES[int(row["colour"])].light if has_bar else ""
    height = len(rows) * ROW_HEIGHT + 16
    shown = {"rows": rows, "step": ROW_HEIGHT, "on_bar": ON_BAR.light}
    return svg_picture(FOLDER / "bars.svg", PICTURE_WIDTH, height, title=title, says=says, **shown)


# ---- the distribution


def bins(premiums: npt.NDArray[np.float64]) -> list[Bin]:
    """Count the pairs by premium in at most 40 bins of a round width, without undefined premiums.

    The last bin also has all premiums above it where one pair in 200 would squeeze the others together.

    >>> bins(np.array([1.0, 1.1, 1.9, np.nan]))[:2]
    [Bin(start=1.0, end=1.05, pairs=1), Bin(start=1.05, end=1.1, pairs=0)]
    """
    known = premiums[np.isfinite(premiums)]
    if not len(known):
        return []
    low, most, high = (float(value) for value in np.quantile(known, [0, 0.995, 1], method="higher"))
    if high - low > SQUEEZED * (most - low):
        high = most
    steps = (digit * 10.0**power for power in range(-2, 9) for digit in (1, 2, 5))
    width = next(step for step in steps if (high - low) / step < MOST_BINS - 1)
    first = np.floor(low / width + 1e-9)
    places = np.floor(np.minimum(known, high) / width + 1e-9) - first
    pairs = np.bincount(places.astype(np.int64))
    edges = np.round((first + np.arange(len(pairs) + 1)) * width, 6)
    found = [Bin(float(a), float(b), int(count)) for a, b, count in zip(edges, edges[1:], pairs, strict=False)]
    return [*found[:-1], found[-1]._replace(end=max(found[-1].end, float(known.max())))]


def distribution_rows(found: Sequence[Bin], middle: float) -> pd.DataFrame:
    """Return the bins, and at the end the median premium with its name and room for it above the tallest bin.

    A last bin that has all above says so.
    """
    width = _width(found)
    bins = [
        {
            "start": each.start,
            "end": each.start + width,
            "pairs": each.pairs,
            "range": f"{each.start:g} – {each.end:g}",
            "above": _open_name(each, width),
        }
        for each in found
    ]
    room = 1.2 * max(each.pairs for each in found)
    return pd.DataFrame([*bins, {"median": middle, "name": _middle_name(middle), "room": room}])


def _width(found: Sequence[Bin]) -> float:
    """Return the width of a bin as drawn; the last bin may reach further."""
    return found[0].end - found[0].start if len(found) > 1 else 1.0


def _open_name(each: Bin, width: float) -> str:
    """Return the name of a bin that has all premiums above its start; "" for the others."""
    return f"≥ {each.start:g}" if each.end > each.start + 1.5 * width else ""


def _middle_name(middle: float) -> str:
    return f"{t('languages.middle')} {formatting.premium(middle)}"


def distribution_chart() -> ChartType:
    """Define a column for each bin of premiums, and a line at the median."""
    rows, times = alt.Chart(ROWS), json.dumps(t("languages.times", premium=""))
    columns = rows.transform_filter("isValid(datum.pairs)").encode(
        alt.X(
            "start:Q",
            bin="binned",
            title=t("languages.premium_of_pair"),
            scale=alt.Scale(nice=False, zero=False),
            axis=alt.Axis(format=",.3~f", labelExpr=f"datum.label + {times}", grid=False, tickCount=6),
        ),
        alt.X2("end"),
        alt.Y(
            "pairs:Q",
            title=t("languages.counted"),
            scale=alt.Scale(nice=False),
            axis=alt.Axis(tickCount=4, tickMinStep=1, format=",d"),
        ),
        tooltip=[
            alt.Tooltip("range:N", title=t("languages.premium_of_pair")),
            alt.Tooltip("pairs:Q", title=t("languages.counted"), format=",d"),
        ],
    )
    median = rows.transform_filter("isValid(datum.median)").encode(x="median:Q")
    return alt.layer(
        columns.mark_bar(opacity=0.85, binSpacing=1),
        columns.transform_filter("datum.above")
        .mark_text(style="quiet", dy=-8, align="right")
        .encode(x="end:Q", text="above:N"),
        median.mark_rule(style="quiet", strokeDash=[5, 4]),
        median.mark_text(style="right", dy=8).encode(y="room:Q", text="name:N"),
        height=240,
    )


def distribution_svg(found: Sequence[Bin], middle: float, *, title: str) -> str:
    """Return the same distribution as a standalone SVG with its title.

    The pairs of each bin stand above it if there is room, else only those of the tallest one. At most eight bins
    say where they start.
    """
    tallest = max(found, key=lambda each: each.pairs)
    share = (middle - found[0].start) / (_width(found) * len(found))
    shown = {
        "bins": found,
        "above": _open_name(found[-1], _width(found)) if len(found) > 1 else "",
        "step": PICTURE_WIDTH / len(found),
        "tallest": tallest,
        "most": tallest.pairs or 1,
        "has_room": len(found) <= 24 and tallest.pairs < 1_000,
        "named_every": -(-len(found) // 8),
        "at": round(min(max(share, 0.0), 1.0) * PICTURE_WIDTH, 1),
        "half": PICTURE_WIDTH / 2,
        "median": _middle_name(middle),
        "fill": CATEGORIES[0].light,
        "quiet": QUIET.light,
    }
    return svg_picture(FOLDER / "distribution.svg", PICTURE_WIDTH, 262, title=title, says=title, **shown)
