"""The premium of the sample by topic, and how much of it is length of the text and how much the tokenizer."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from pages.ui.choices.parallel_texts import Compared
from pages.ui.choices.samples import sample_topics
from pages.ui.languages.counts import counted
from pages.ui.token_view.lanes import Lane
from pages.ui.widgets import written
from pages.ui.widgets.figures_table import Column, sortable_table
from pages.ui.words import t
from tokenizer_core.measures.ratios import premium


class Parted(NamedTuple):
    """A premium as a product: characters by characters, times tokens per character by tokens per character."""

    pairs: int
    length: float
    """The characters of the language divided by those of the base."""
    premiums: tuple[float | None, ...]
    """By each tokenizer, the tokens of the language divided by those of the base."""


def show_topics(compared: Compared, lanes: Sequence[Lane]) -> None:
    """Show the premium by topic, if the text is the sample; for other texts the topics are not known."""
    if not compared.is_sample or not compared.others:
        return
    side = compared.others[0]
    topics = sample_topics()
    found = [parted(compared, side, lanes, places) for places in topics.values()]
    whole = parted(compared, side, lanes, range(compared.parallel.pairs))
    st.header(t("topics.title"), anchor=False)
    st.markdown(
        "  \n".join(
            t(
                "topics.product",
                name=lane.name,
                premium=written.premium(times),
                length=written.ratio(whole.length),
                tokenizer=written.ratio(times / whole.length),
            )
            for lane, times in zip(lanes, whole.premiums, strict=True)
            if times is not None
        )
    )
    st.caption(t("topics.how"))
    columns = [
        Column(t("topics.topic"), [t(f"topics.{topic}") for topic in topics]),
        Column(t("topics.pairs"), [each.pairs for each in found], "{:,}".format),
        Column(t("topics.length"), [each.length for each in found], written.premium),
        *(
            Column(lane.name, [each.premiums[place] for each in found], written.premium)
            for place, lane in enumerate(lanes)
        ),
    ]
    sortable_table(columns, t("topics.title"), key="languages_topics")


def parted(compared: Compared, side: int, lanes: Sequence[Lane], places: Sequence[int]) -> Parted:
    """Return the premium of some pairs by each tokenizer, and the part of it that is length of the text."""
    language, base = (compared.parallel.lines[each] for each in (side, compared.base))
    characters, by = (sum(len(lines[place]) for place in places) for lines in (language, base))
    chosen = list(places)
    premiums = tuple(
        premium(
            *(int(counted(compared.parallel, each, lane).counts[chosen].sum()) for each in (side, compared.base))
        )
        for lane in lanes
    )
    return Parted(len(chosen), characters / by, premiums)
