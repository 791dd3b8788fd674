"""Two vocabularies side by side on the page: where they part, where they meet again, and what only one has."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from pages.ui.token_view.chips import token_chips
from pages.ui.widgets.charts import TYPE, Spec, quantitative
from pages.ui.words import t
from tokenizer_core.measures.parting import Parting, parting
from tokenizer_core.vocabulary import BYTES

SHOWN = 40
MAX_POINTS = 400


def show_parting(
    names: tuple[str, str],
    learned: tuple[Sequence[bytes], Sequence[bytes]],
    *,
    marks: tuple[str, str] = ("", ""),
    key: str,
) -> None:
    """Compare what two trainings learned, merge by merge.

    The names may contain Markdown; the marks, drawn beside them, are HTML.
    """
    found = parting(*learned)
    st.markdown(parting_sentence(found))
    if not found.parts:
        first, second = map(len, learned)
        if first != second:
            st.markdown(t("parting.longer", name=names[second > first], more=abs(first - second)))
        return
    rows, spec = parting_curve(found, t("curves.axis_size"), t("parting.axis"))
    with st.container(key=f"parting_{key}"):
        st.vega_lite_chart(rows, spec, key=f"parting_chart_{key}", alt=t("parting.alt"))
    st.caption(t("parting.says", merges=len(found.apart) - 1))
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


def parting_sentence(found: Parting) -> str:
    """Say where two vocabularies part and meet again."""
    if not found.parts:
        return t("parting.never", merges=len(found.apart) - 1)
    words = [t("parting.parts", merge=found.parts[0])]
    if not found.meets:
        words.append(t("parting.never_meet", merges=len(found.apart) - 1))
    elif len(found.meets) == 1:
        words.append(t("parting.meets", merge=found.meets[0]))
    else:
        words.append(t("parting.meets_often", merge=found.meets[0], times=len(found.meets)))
    apart = int(found.apart[-1])
    if found.meets:
        words.append(t("parting.end_apart", apart=apart) if apart else t("parting.end_together"))
    return " ".join(words)


def parting_curve(found: Parting, size_title: str, apart_title: str) -> tuple[list[dict[str, int]], Spec]:
    """Return rows and specification of the tokens that only one has, by size, with each parting and meeting."""
    last = len(found.apart) - 1
    even = np.linspace(0, last, MAX_POINTS).round().astype(int).tolist()
    turns = [
        place for turn in [*found.parts[:MAX_POINTS], *found.meets[:MAX_POINTS]] for place in (turn - 1, turn)
    ]
    places = sorted({*even, *turns})
    rows = [{"size": BYTES + place, "apart": int(found.apart[place])} for place in places]
    axis = {"grid": True, "tickCount": 5, "format": ",d", **TYPE}
    spec = {
        "height": 180,
        "encoding": {
            "x": quantitative(
                "size",
                title=size_title,
                scale={"domain": [BYTES, BYTES + max(last, 1)], "nice": False},
                axis=axis,
            ),
            "y": quantitative("apart", title=apart_title, axis={**axis, "tickMinStep": 1}),
            "tooltip": [
                quantitative("size", title=size_title, format=","),
                quantitative("apart", title=apart_title, format=","),
            ],
        },
        "layer": [
            {"mark": {"type": "area", "opacity": 0.15, "interpolate": "step-after"}},
            {"mark": {"type": "line", "strokeWidth": 2, "interpolate": "step-after"}},
        ],
    }
    return rows, spec
