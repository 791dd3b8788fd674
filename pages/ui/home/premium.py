"""What the same message costs in Thai and in English: a sentence, a picture, and why."""

import altair as alt
import pandas as pd
import streamlit as st
from altair.typing import ChartType

from pages.ui.frame.navigation import page
from pages.ui.i18n import t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_premiums, sample_text
from pages.ui.widgets.charts import ROWS, draw, in_both
from pages.ui.widgets.colours import INK
from pages.ui.widgets.controls import fold
from pages.ui.widgets.formatting import ratio

STEP = 44
"""Pixels of a bar with the room around it."""


def premium_section() -> None:
    """Draw the highest and the lowest premium as a sentence, all of them as bars, and the way to more."""
    premiums = sorted(sample_premiums(), key=lambda each: -each[1])
    if not premiums:
        return  # the page says which files are missing
    (dear, most), (cheap, least) = premiums[0], premiums[-1]
    values = {"dear": t(f"tokenizers.{dear}"), "cheap": t(f"tokenizers.{cheap}"), "most": ratio(most)}
    says = t("home.bill", least=ratio(least), **values)
    st.header(says, anchor=False)
    draw(premium_chart, premium_rows(premiums), key="home_premiums", says=says)
    st.caption(t("home.bill_source", lines=len(sample_text("parallel.th.txt").splitlines())))
    with fold(t("home.why"), icon=":material/help:", key="home_why"):
        st.markdown(t("home.what_is_a_token"))
        st.markdown(t("home.bill_why"))
        st.markdown(t("home.bill_elsewhere"))
    with st.container(horizontal=True):
        st.page_link(page("languages"), label=t("home.bill_more"), icon=":material/arrow_forward:")
        st.page_link(page("patterns"), label=t("home.patterns_more"), icon=":material/arrow_forward:")


def premium_rows(premiums: list[tuple[str, float]]) -> pd.DataFrame:
    """Return a bar for each tokenizer; a long one has its label inside."""
    most = max(value for _, value in premiums)
    rows = [
        (without_breaks(t(f"tokenizers.{name}")), value, f"{ratio(value)} ×", value > most / 2)
        for name, value in premiums
    ]
    return pd.DataFrame(rows, columns=["name", "premium", "label", "inside"])


def premium_chart() -> ChartType:
    """Define bars with labels on or beside them, and a line where Thai would cost as much as English."""
    words = {"labelFontSize": 16, "labelLimit": 240, "labelPadding": 10, "labelColor": in_both(INK)}
    names = alt.Axis(title=None, ticks=False, domain=False, **words)
    rows = alt.Chart(ROWS).encode(
        alt.X("premium:Q", axis=None, scale=alt.Scale(domainMin=0, nice=False)),
        alt.Y("name:N", sort=None, axis=names, scale=alt.Scale(paddingInner=0.25, paddingOuter=0.1)),
    )
    labels = rows.encode(text="label:N")
    even = alt.Chart(ROWS).transform_aggregate(count="count()").encode(x=alt.datum(1))
    return alt.layer(
        rows.mark_bar(cornerRadiusEnd=4),
        labels.transform_filter("datum.inside").mark_text(style="inside", fontSize=20, fontWeight=600),
        labels.transform_filter("!datum.inside").mark_text(style="right", fontSize=20, fontWeight=600),
        even.mark_rule(style="quiet", strokeDash=[4, 4], aria=False),
        even.mark_text(style="quiet", align="left", dx=-3, baseline="bottom").encode(
            y=alt.value(-4), text=alt.datum(without_breaks(t("home.bill_even")))
        ),
        height=alt.Step(STEP),
        padding={"left": 2, "top": 8, "right": 4, "bottom": 4},
    )
