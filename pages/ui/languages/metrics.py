"""The metrics of each language by each tokenizer, their definitions, and the premium of the sample by topic."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.ui.i18n import t
from pages.ui.inputs.corpus import sample_topics
from pages.ui.inputs.parallel_texts import Compared
from pages.ui.inputs.tokenizers import entries_with_thai
from pages.ui.languages.counts import counted, segmenter_of, sizes
from pages.ui.session import Value, one_of, remembered
from pages.ui.widgets import formatting
from pages.ui.widgets.controls import fold
from pages.ui.widgets.figures_table import figures_table, sortable_table
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.cuts import TextSizes
from tokenizer_core.analysis.ratios import (
    broken_share,
    bytes_per_token,
    characters_per_token,
    fertility,
    premium,
)
from tokenizer_core.analysis.segmenters import WHITE_SPACE, Segmenter

WITH_WORDS: Value[bool] = Value("languages_words", bool)
"""Whether the metrics include words."""

DEFINED = (
    *("tokens", "premium", "characters", "clusters", "bytes", "words", "fertility", "continued_words"),
    *("characters_per_token", "bytes_per_token", "broken_characters", "broken_clusters", "thai_entries"),
)
"""The metrics that have a definition, in this order."""


def show_metrics(compared: Compared, lanes: Sequence[Lane], first: int) -> None:
    """Show the metrics of one language, at first of this one, with the definitions below."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        places = range(len(compared.names))
        chosen = st.selectbox(
            t("languages.language"),
            places,
            format_func=compared.names.__getitem__,
            key=one_of(f"languages_metrics_of_{compared.parallel.digest[:12]}", places, first),
            persist_state="session",
            width=260,
        )
        with_words = st.toggle(
            t("metrics.count_words"),
            key=remembered(WITH_WORDS.key, False),
            persist_state="session",
            help=t("metrics.count_words_help"),
        )
    side = int(chosen or 0)
    segmenter = segmenter_of(compared.parallel, side) if with_words else None
    with st.spinner(t("languages.counting")):  # finding the words of 100,000 lines takes a minute
        figures = metrics_table(compared, lanes, side, segmenter)
    figures_table(figures, t("languages.view_metrics"))
    # One caption: another element would move the definitions down, and that closes them.
    st.caption(t("metrics.counted") + (" " + words_said(segmenter) if with_words else ""))
    with fold(t("metrics.definitions"), icon=":material/menu_book:", key="metrics_definitions"):
        st.markdown("\n".join(f"- **{t(f'metrics.{name}')}** – {t(f'metrics.{name}_is')}" for name in DEFINED))
    show_topics(compared, lanes)


def words_said(segmenter: Segmenter | None) -> str:
    """Say what found the words, or why none are counted."""
    if segmenter is None:
        return t("metrics.no_segmenter", package="pythainlp")
    name = t("metrics.white_space") if segmenter.name == WHITE_SPACE else segmenter.name
    return t("metrics.segmented_by", segmenter=name)


def metrics_table(
    compared: Compared, lanes: Sequence[Lane], side: int, segmenter: Segmenter | None
) -> pd.DataFrame:
    """Return a row for each metric and a column for each tokenizer; sizes of the text are the same in all columns.

    A metric without a value in any column, like words without a segmenter, is left out.
    """
    size = sizes(compared.parallel, side, segmenter)
    columns = [_metrics_of(compared, lane, side, size, segmenter) for lane in lanes]
    rows = [[t(f"metrics.{name}"), *(column[name] for column in columns)] for name in DEFINED]
    known = [row for row in rows if set(row[1:]) != {formatting.NONE}]
    return pd.DataFrame(known, columns=[t("metrics.metric"), *(lane.name for lane in lanes)])


def _metrics_of(
    compared: Compared, lane: Lane, side: int, size: TextSizes, segmenter: Segmenter | None
) -> dict[str, str]:
    """Return each metric by its name, as written."""
    cuts = counted(compared.parallel, side, lane, segmenter).cuts
    base = counted(compared.parallel, compared.base, lane).cuts.tokens
    words, continued = size.words, cuts.continued_words
    has_words = words is not None and continued is not None
    return {
        "tokens": f"{cuts.tokens:,}",
        "premium": formatting.premium(premium(cuts.tokens, base)),
        "characters": f"{size.characters:,}",
        "clusters": f"{size.clusters:,}",
        "bytes": f"{size.bytes:,}",
        "words": f"{words:,}" if words is not None else formatting.NONE,
        "fertility": formatting.ratio(fertility(cuts.tokens, words or 0) if has_words else None),
        "continued_words": formatting.fine_share(broken_share(continued or 0, words or 0) if has_words else None),
        "characters_per_token": formatting.ratio(characters_per_token(size.characters, cuts.tokens)),
        "bytes_per_token": formatting.ratio(bytes_per_token(size.bytes, cuts.tokens)),
        "broken_characters": formatting.fine_share(broken_share(cuts.broken_characters, size.characters)),
        "broken_clusters": formatting.fine_share(broken_share(cuts.broken_clusters, size.clusters)),
        "thai_entries": f"{entries_with_thai(lane):,}",
    }


def show_topics(compared: Compared, lanes: Sequence[Lane]) -> None:
    """Show the premium by topic, if the text is the sample; for other texts the topics are not known."""
    if not compared.is_sample or not compared.others:
        return
    side = compared.others[0]
    topics = sample_topics()
    length, *premiums = _topic(compared, side, lanes, range(compared.parallel.pairs))
    assert length is not None
    st.header(t("topics.title"), anchor=False)
    products = [
        t(
            "topics.product",
            name=lane.name,
            premium=formatting.premium(times),
            length=formatting.ratio(length),
            tokenizer=formatting.ratio(times / length),
        )
        for lane, times in zip(lanes, premiums, strict=True)
        if times is not None
    ]
    st.markdown("  \n".join(products))
    st.caption(t("topics.how"))
    rows = [
        (t(f"topics.{topic}"), len(places), *_topic(compared, side, lanes, places))
        for topic, places in topics.items()
    ]
    heads = [t(f"topics.{name}") for name in ("topic", "pairs", "length")]
    names = [lane.name for lane in lanes]
    frame = pd.DataFrame(rows, columns=[*heads, *names])[[heads[0], *names, *heads[1:]]]
    formats = dict.fromkeys([*names, heads[2]], formatting.premium)
    sortable_table(frame, t("topics.title"), formats=formats, key="languages_topics")


def _topic(compared: Compared, side: int, lanes: Sequence[Lane], places: Sequence[int]) -> list[float | None]:
    """Return the characters of some pairs divided by those of the base, then their premium by each tokenizer.

    A premium is a product: characters by characters, times tokens per character by tokens per character.
    """
    chosen, sides = list(places), (side, compared.base)
    characters, base = (sum(len(compared.parallel.lines[each][place]) for place in chosen) for each in sides)
    tokens = [
        [int(counted(compared.parallel, each, lane).counts[chosen].sum()) for each in sides] for lane in lanes
    ]
    return [characters / base, *(premium(*both) for both in tokens)]
