"""Pair by pair: the distribution of the premium, the most unfair sentence, and both sides in tokens."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from pages.ui.i18n import language, names, t
from pages.ui.inputs.parallel_texts import Compared
from pages.ui.languages.charts import bins, distribution_chart, distribution_rows
from pages.ui.languages.counts import counted, pair_premiums
from pages.ui.session import one_of, remembered
from pages.ui.widgets import formatting
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.charts import draw
from pages.ui.widgets.controls import segmented
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.drawings import Text, drawing
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.ratios import premium

ORDERS = ("dearest", "cheapest", "file")
LISTED = 8
"""Pairs in the list."""
LEAST_FOR_SHARE = 20
"""Pairs of which nine in ten can be said; of fewer, between what all of them lie."""
WHOLE_CHARACTERS = 600
"""Characters of a line that is drawn at full length; a longer one scrolls in a box."""
Ints = npt.NDArray[np.int64]
Premiums = npt.NDArray[np.float64]
_most_unfair = Bounded[tuple[int, float] | None](256, weigh=lambda pair: 1)


def show_pairs(compared: Compared, lanes: Sequence[Lane], first: int, reader: Lane | None) -> None:
    """Show the premium of every pair by one tokenizer, in order, and one of the pairs in tokens.

    It is of the language `first`, by the receipt's `reader`, until the visitor chooses others.
    """
    lane, side, order = _choose(compared, lanes, first, reader)
    premiums = pair_premiums(compared, side, lane)
    chart, listed = st.columns(2, gap="large")
    with chart:
        _distribution(compared, premiums, lane, side)
    ranked = ranking(premiums, order)
    place = _choose_place(compared, len(ranked))
    with listed:
        _list(compared, premiums, ranked, side, place)
    _pair(compared, premiums, int(ranked[place]), side, lane, lanes)


def ranking(premiums: Premiums, order: str) -> Ints:
    """Return the pairs in this order; those without a premium come last, and equal ones in file order.

    Three times as many tokens are as unfair as a third of them.

    >>> ranking(np.array([1.0, np.nan, 3.0, 0.25]), "dearest").tolist()
    [3, 2, 0, 1]
    """
    if order == "file":
        return np.arange(len(premiums))
    unfair = unfairness(premiums)
    keys = np.where(np.isnan(unfair), np.inf, -unfair if order == "dearest" else unfair)
    return np.argsort(keys, kind="stable")


def unfairness(premiums: Premiums) -> Premiums:
    """Return how far each premium is from 1, as a logarithm; NaN for a pair without a premium or tokens."""
    is_known = np.isfinite(premiums) & (premiums > 0)
    logs: Premiums = np.log(premiums, out=np.full(len(premiums), np.nan), where=is_known)
    return np.abs(logs)


def most_unfair(compared: Compared, language: int, lane: Lane) -> tuple[int, float] | None:
    """Return the place of the pair farthest from 1, and its premium; None if no pair has a premium."""

    def make() -> tuple[int, float] | None:
        premiums = pair_premiums(compared, language, lane)
        if np.isnan(far := unfairness(premiums)).all():
            return None
        pair = int(np.nanargmax(far))
        return pair, float(premiums[pair])

    return _most_unfair.get((compared.parallel.digest, language, compared.base, lane.key), make)


def _choose(compared: Compared, lanes: Sequence[Lane], first: int, reader: Lane | None) -> tuple[Lane, int, str]:
    """Let the visitor choose the tokenizer, the language and the order."""
    with st.container(horizontal=True, vertical_alignment="top"):
        by_key = {lane.key: lane for lane in lanes}
        called = {lane.key: lane.name for lane in lanes}
        begins = reader.key if reader is not None and reader.key in by_key else lanes[0].key
        key = st.selectbox(
            t("languages.pairs_by"),
            list(by_key),
            format_func=called.__getitem__,
            key=one_of(f"languages_pairs_by_{begins}", list(by_key), begins),
            persist_state="session",
            width=220,
        )
        side = first
        if len(compared.others) > 1:
            place = f"languages_pairs_of_{compared.parallel.digest[:12]}_{compared.base}"
            chosen = st.selectbox(
                t("languages.pairs_of"),
                compared.others,
                format_func=compared.names.__getitem__,
                key=one_of(place, compared.others, first),
                persist_state="session",
                width=220,
            )
            side = side if chosen is None else int(chosen)
        order = segmented(
            t("languages.order"),
            ORDERS,
            names("languages.order_{}", ORDERS),
            key="languages_order",
            show_label=True,
        )
    return by_key.get(str(key), lanes[0]), side, order


def _choose_place(compared: Compared, count: int) -> int:
    """Let the visitor choose the place in the order; return it counted from 0."""
    place = st.number_input(
        t("languages.place", count=count),
        min_value=1,
        max_value=count,
        step=1,
        key=remembered(f"languages_place_{compared.parallel.digest[:12]}", 1),
        persist_state="session",
        width=260,
    )
    return int(place or 1) - 1


def _distribution(compared: Compared, premiums: Premiums, lane: Lane, side: int) -> None:
    """Show how the premium differs from pair to pair, its median, and the premium of all lines together."""
    known = premiums[np.isfinite(premiums)]
    found = bins(premiums)
    if not found:
        st.info(t("languages.no_premium"))
        return
    low, middle, high = (float(value) for value in np.quantile(known, [0.05, 0.5, 0.95]))
    least, most = float(known.min()), float(known.max())
    is_of_all = len(known) < LEAST_FOR_SHARE or (low, high) == (least, most)
    if is_of_all:
        low, high = least, most
    tokens, base = (counted(compared.parallel, place, lane).cuts.tokens for place in (side, compared.base))
    sentence = t(
        "languages.distribution_says_all" if is_of_all else "languages.distribution_says",
        tokenizer=lane.name,
        low=formatting.ratio(low),
        high=formatting.ratio(high),
        middle=formatting.ratio(middle),
        overall=formatting.ratio(premium(tokens, base) or 0.0),
        language=compared.spoken[side],
        base=compared.spoken[compared.base],
    )
    draw(distribution_chart, distribution_rows(found, middle), key="languages_distribution", says=sentence)
    st.caption(sentence)
    if left_out := len(premiums) - len(known):
        st.caption(t("languages.pairs_left_out", count=left_out))


def _list(compared: Compared, premiums: Premiums, ranked: Ints, side: int, place: int) -> None:
    """List some pairs around the one that is shown, in the chosen order."""
    first = max(0, min(place - 1, len(ranked) - LISTED))
    listed = ranked[first : first + LISTED]
    frame = pd.DataFrame(
        {
            t("languages.place_short"): np.arange(first, first + len(listed)) + 1,
            t("languages.line"): listed + 1,
            t("languages.premium"): premiums[listed],
            compared.names[side]: [
                formatting.beginning(compared.parallel.lines[side][pair]) for pair in listed.tolist()
            ],
        }
    )
    formats = {t("languages.premium"): formatting.premium}
    figures_table(frame, t("languages.list"), formats=formats, words=(3,), marked=place - first)


def _pair(compared: Compared, premiums: Premiums, pair: int, side: int, lane: Lane, lanes: Sequence[Lane]) -> None:
    """Show both sides of a pair in tokens, and say whether it is the most unfair pair."""
    times = float(premiums[pair]) if np.isfinite(premiums[pair]) else None
    is_worst = times is not None and times == np.nanmax(premiums)
    st.markdown(
        t(
            "languages.most_unfair" if is_worst else "languages.this_pair",
            line=pair + 1,
            premium=formatting.premium(times),
            tokenizer=lane.name,
        )
    )
    for place in (side, compared.base):
        st.markdown(f"**{compared.spoken[place]}**")
        line = compared.parallel.lines[place][pair]
        drawn = drawing(Text(line), lanes, language=language())
        height = None if len(line) <= WHOLE_CHARACTERS else 420
        token_view(drawn, key=f"languages_pair_{place}", toolbar="short", max_height=height)
