"""What a vocabulary is made of: scripts and lengths along the order learned."""

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st
from altair.typing import ChartType

from pages.ui.i18n import as_plain_markdown, language, t
from pages.ui.i18n.breaks import with_breaks
from pages.ui.inputs.tokenizers import entries_with_thai, name_of
from pages.ui.vocabulary.choices import entries_in
from pages.ui.widgets import formatting
from pages.ui.widgets.bars import count_bars
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.charts import ROWS, draw
from pages.ui.widgets.controls import answer
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.slides import Slide
from pages.ui.widgets.token_view.chips import plain_token
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.entries import SCRIPTS, Entries, Script, vocab_size_with_special

BOXES = 60
MOST_BARS = 5
"""Bars that a slide has room for."""
LONGEST = 24
"""Bytes of the last bar of lengths, which counts all longer tokens, too."""
TICKS = ["1", *map(str, range(3, LONGEST, 3)), f"{LONGEST}+"]
"""A Thai character has three bytes."""
Counts = npt.NDArray[np.int64]
_lengths_of = Bounded[tuple[Counts, Counts]](8, weigh=lambda lengths: 1)


def composition(lane: Lane, lanes: Sequence[Lane]) -> list[Slide]:
    """Draw what a vocabulary is made of, and how much Thai all have; return its scripts as a slide."""
    entries = entries_in(lane)
    figures = {script: entries.count(script) for script in ("thai", "latin")}
    said = t("made_of.answer", name=name_of(lane), count=len(entries.ids), **figures)
    answer(said, key="made_of")
    _strip(entries)
    left, right = st.columns(2, gap="large")
    with left:
        _lengths(lane, entries)
    with right:
        _thai(lanes)
    counts = [(t(f"entries.script_{script}"), entries.count(script)) for script in SCRIPTS if script != "special"]
    most = sorted(counts, key=lambda each: -each[1])[:MOST_BARS]
    return [Slide("bars", title={language(): with_breaks(said)}, html=count_bars(most, says=said))]


def _strip(entries: Entries) -> None:
    names = {script: f"{t(f'entries.script_{script}')} · {entries.count(script):,}" for script in SCRIPTS}
    thai = np.flatnonzero(entries.scripts == SCRIPTS.index("thai"))
    says = t("made_of.strip_says")
    if len(thai):
        first = f"**{as_plain_markdown(plain_token(entries.tokens[thai[0]]))}**"
        half = int(thai[(len(thai) - 1) // 2]) + 1
        says += " " + t(
            "made_of.strip_thai", token=first, id=str(entries.ids[thai[0]]), count=len(thai), half=half
        )
    draw(strip_chart, strip_rows(entries, names), key="vocabulary_strip", says=says)
    st.caption(says)


def strip_rows(entries: Entries, names: Mapping[Script, str]) -> pd.DataFrame:
    """Cut the order learned into boxes, and count the entries of each script in each box."""
    learned = entries.scripts[entries.scripts != SCRIPTS.index("special")]
    edges = np.linspace(0, len(learned), min(BOXES, len(learned)) + 1).round().astype(int)
    parts = np.split(learned, edges[1:-1])
    counts = np.array([np.bincount(part, minlength=len(SCRIPTS)) for part in parts]).T
    shown = [code for code in range(len(SCRIPTS)) if counts[code].any()]
    return pd.DataFrame(
        {
            "script": np.repeat([names[SCRIPTS[code]] for code in shown], len(parts)),
            "first": np.tile(edges[:-1], len(shown)),
            "end": np.tile(edges[1:], len(shown)),
            "count": counts[shown].ravel(),
            "share": (counts[shown] / counts[shown].max(axis=1, keepdims=True)).ravel(),
        }
    )


def strip_chart() -> ChartType:
    """Define a row of boxes for each script, from left to right in the order learned, darker for more entries.

    Each row has its own scale, since one script can have a thousand times as many entries as another.
    """
    boxes: alt.Chart = (
        alt.Chart(ROWS, height=alt.Step(28))
        .mark_rect()
        .encode(
            alt.X(
                "first:Q",
                title=t("made_of.order"),
                scale=alt.Scale(nice=False),
                axis=alt.Axis(grid=False, tickCount=6, format=",d"),
            ),
            alt.X2("end"),
            alt.Y("script:N", title=None, sort=None, axis=alt.Axis(labelLimit=200, labelOverlap=False)),
            alt.Opacity("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.04, 1])),
            tooltip=[
                alt.Tooltip("script:N", title=" "),
                alt.Tooltip("first:Q", title=t("made_of.order"), format=","),
                alt.Tooltip("count:Q", title=t("made_of.entries"), format=","),
            ],
        )
    )
    return boxes


def _lengths(lane: Lane, entries: Entries) -> None:
    st.subheader(t("made_of.lengths"), anchor=False)
    every, thai = _lengths_of.get(lane.key, lambda: (lengths_of(entries), lengths_of(entries, "thai")))
    says = t("made_of.lengths_says", usual=int(every.argmax()), longest=len(every) - 1, last=LONGEST)
    if len(thai):
        says += " " + t("made_of.lengths_thai", usual=int(thai.argmax()))
    draw(lengths_chart, length_rows(every, thai), key="vocabulary_lengths", says=says)
    st.caption(says)


def lengths_of(entries: Entries, script: Script | None = None) -> Counts:
    """Count the entries of each length in bytes, of one script or of all but special tokens."""
    special = SCRIPTS.index("special")
    is_counted = entries.scripts != special if script is None else entries.scripts == SCRIPTS.index(script)
    return np.bincount([len(token) for token, counts in zip(entries.tokens, is_counted.tolist()) if counts])


def length_rows(every: Counts, thai: Counts) -> pd.DataFrame:
    """Return the share of each length in bytes, of all tokens and of the Thai ones, if there are any.

    The last row of each has all longer tokens, too. The row that rises most above the other one carries the name.
    """
    lengths = [*map(str, range(1, LONGEST)), f"{LONGEST}+"]
    shown = [
        np.bincount(np.arange(len(counts)).clip(max=LONGEST), counts, LONGEST + 1)[1:].astype(np.int64)
        for counts in (every, thai)
    ]
    shares = [counts / max(1, counts.sum()) for counts in shown]
    rows: list[tuple[str, bool, str, int, float, str]] = []
    for i, name in enumerate(("entries.all", "entries.script_thai")):
        named = int((shares[i] - shares[1 - i]).argmax())
        rows += [
            (t(name), i == 1, length, count, share, t(name) if n == named else "")
            for n, (length, count, share) in enumerate(zip(lengths, shown[i].tolist(), shares[i].tolist()))
            if shown[i].any()
        ]
    return pd.DataFrame(rows, columns=["group", "is_thai", "length", "count", "share", "label"])


def lengths_chart() -> ChartType:
    """Define the share of each length in bytes: bars for all tokens, dots for the Thai ones."""
    rows = alt.Chart(ROWS)
    every, thai = rows.transform_filter("!datum.is_thai"), rows.transform_filter("datum.is_thai")
    return alt.layer(
        every.mark_bar(style="quiet", opacity=0.45),
        thai.mark_line(strokeWidth=2),
        thai.mark_point(size=45),
        every.mark_text(dy=-9, style="halo").encode(text="label:N"),  # the line of Thai may cross it
        every.mark_text(dy=-9, style="quiet").encode(text="label:N"),
        thai.mark_text(dy=-11, style="strong").encode(text="label:N"),
        height=220,
    ).encode(
        alt.X("length:N", title=t("made_of.bytes"), sort=None, axis=alt.Axis(labelAngle=0, values=TICKS)),
        alt.Y("share:Q", title=None, axis=alt.Axis(format=".0%", tickCount=4)),
        tooltip=[
            alt.Tooltip("group:N", title=" "),
            alt.Tooltip("length:N", title=t("made_of.bytes")),
            alt.Tooltip("share:Q", title=t("made_of.share"), format=".1%"),
        ],
    )


def _thai(lanes: Sequence[Lane]) -> None:
    st.subheader(t("made_of.thai"), anchor=False)
    sizes = [vocab_size_with_special(lane.tokenizer) for lane in lanes]
    thai = [entries_with_thai(lane) for lane in lanes]
    frame = pd.DataFrame(
        {
            t("made_of.tokenizer"): [lane.name for lane in lanes],
            t("made_of.entries"): sizes,
            t("made_of.thai_entries"): thai,
            t("made_of.share"): np.array(thai) / sizes,
        }
    )
    figures_table(frame, t("made_of.thai"), formats={t("made_of.share"): formatting.fine_share})
    st.caption(t("made_of.thai_says"))
