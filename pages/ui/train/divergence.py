"""Two vocabularies side by side on the page: where they part, where they meet again, and what only one has."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from altair.typing import ChartType

from pages.ui.i18n import t
from pages.ui.widgets.charts import ROWS, draw
from pages.ui.widgets.token_view.chips import token_chips
from tokenizer_core.analysis.entries import Divergence, divergence
from tokenizer_core.bpe.vocabulary import BYTES

SHOWN = 40
MAX_POINTS = 400


def show_divergence(
    names: tuple[str, str],
    learned: tuple[Sequence[bytes], Sequence[bytes]],
    *,
    marks: tuple[str, str] = ("", ""),
    key: str,
) -> None:
    """Compare what two trainings learned, merge by merge.

    The names may contain Markdown; the marks, drawn beside them, are HTML.
    """
    found = divergence(*learned)
    st.markdown(divergence_sentence(found))
    if not found.splits:
        first, second = map(len, learned)
        if first != second:
            st.markdown(t("parting.longer", name=names[second > first], more=abs(first - second)))
        return
    with st.container(key=f"parting_{key}"):
        draw(divergence_chart, divergence_rows(found), key=f"parting_chart_{key}", says=t("parting.alt"))
    st.caption(t("parting.says", merges=len(found.differing) - 1))
    columns = st.columns(2)
    sides = zip(columns, names, marks, (found.only_first, found.only_second), strict=True)
    for column, name, mark, tokens in sides:
        with column, st.container(horizontal=True, vertical_alignment="center"):
            if mark:
                st.html(mark, width="content")
            st.markdown(t("parting.only", name=name, count=len(tokens)), width="stretch")
        with column:
            st.html(token_chips(tokens[:SHOWN]))
            if len(tokens) > SHOWN:
                st.caption(t("parting.more", count=len(tokens) - SHOWN))


def divergence_sentence(found: Divergence) -> str:
    """Say where two vocabularies part and meet again."""
    if not found.splits:
        return t("parting.never", merges=len(found.differing) - 1)
    words = [t("parting.parts", merge=found.splits[0])]
    if not found.meets:
        words.append(t("parting.never_meet", merges=len(found.differing) - 1))
    elif len(found.meets) == 1:
        words.append(t("parting.meets", merge=found.meets[0]))
    else:
        words.append(t("parting.meets_often", merge=found.meets[0], times=len(found.meets)))
    apart = int(found.differing[-1])
    if found.meets:
        words.append(t("parting.end_apart", apart=apart) if apart else t("parting.end_together"))
    return " ".join(words)


def divergence_rows(found: Divergence) -> pd.DataFrame:
    """Return the tokens that only one vocabulary has, by size, with every parting and meeting among the sizes."""
    last = len(found.differing) - 1
    even = np.linspace(0, last, MAX_POINTS).round().astype(int).tolist()
    turns = [
        place for turn in [*found.splits[:MAX_POINTS], *found.meets[:MAX_POINTS]] for place in (turn - 1, turn)
    ]
    places = np.unique([*even, *turns])
    return pd.DataFrame({"size": BYTES + places, "apart": np.asarray(found.differing)[places]})


def divergence_chart() -> ChartType:
    """Define the tokens that only one vocabulary has, against their size, as steps."""
    rows = alt.Chart(ROWS)
    return alt.layer(
        rows.mark_area(opacity=0.15, interpolate="step-after"),
        rows.mark_line(interpolate="step-after"),
        height=180,
    ).encode(
        alt.X(
            "size:Q",
            title=t("curves.axis_size"),
            scale=alt.Scale(zero=False, nice=False),
            axis=alt.Axis(tickCount=5, format=",d"),
        ),
        alt.Y("apart:Q", title=t("parting.axis"), axis=alt.Axis(tickCount=5, tickMinStep=1, format=",d")),
        tooltip=[
            alt.Tooltip("size:Q", title=t("curves.axis_size"), format=","),
            alt.Tooltip("apart:Q", title=t("parting.axis"), format=","),
        ],
    )
