"""The metrics of each language by each tokenizer, with their conditions and definitions."""

from collections.abc import Sequence

import streamlit as st

from pages.ui.choices.parallel_texts import Compared
from pages.ui.choices.tokenizers import entries_with_thai
from pages.ui.languages import keys
from pages.ui.languages.counts import counted, segmenter_of, sizes
from pages.ui.languages.topics import show_topics
from pages.ui.session import one_of, remembered
from pages.ui.token_view.lanes import Lane
from pages.ui.widgets import written
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.fold import fold
from pages.ui.words import t
from tokenizer_core.measures.ratios import (
    broken_share,
    bytes_per_token,
    characters_per_token,
    continued_share,
    fertility,
    premium,
)
from tokenizer_core.measures.segmenters import NEWMM, WHITE_SPACE, Segmenter

DEFINED = (
    *("tokens", "premium", "characters", "clusters", "bytes", "words", "fertility", "continued_words"),
    *("characters_per_token", "bytes_per_token", "broken_characters", "broken_clusters", "thai_entries"),
)
"""The metrics that have a definition, in this order."""


def show_metrics(compared: Compared, lanes: Sequence[Lane]) -> None:
    """Show the metrics of one language, with the definitions below."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        places = range(len(compared.names))
        chosen = st.selectbox(
            t("languages.language"),
            places,
            format_func=compared.names.__getitem__,
            key=one_of(f"languages_metrics_of_{compared.parallel.digest[:12]}", places),
            persist_state="session",
            width=260,
        )
        with_words = st.toggle(
            t("metrics.count_words"),
            key=remembered(keys.WITH_WORDS.key, False),
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
    definitions()
    show_topics(compared, lanes)


def words_said(segmenter: Segmenter | None) -> str:
    """Say what found the words, or why none are counted."""
    if segmenter is None:
        return t("metrics.no_segmenter", package="pythainlp")
    return t("metrics.segmented_by", segmenter=segmenter_name(segmenter))


def segmenter_name(segmenter: Segmenter) -> str:
    """Return the name of a segmenter in the visitor's language."""
    return {NEWMM: NEWMM, WHITE_SPACE: t("metrics.white_space")}[segmenter.name]


def metrics_table(
    compared: Compared, lanes: Sequence[Lane], side: int, segmenter: Segmenter | None
) -> list[list[str]]:
    """Return a row for each metric and a column for each tokenizer; sizes of the text are the same in all columns.

    A metric without a value in any column, like words without a segmenter, is left out.
    """
    parallel = compared.parallel
    size = sizes(parallel, side, segmenter)
    found: dict[str, list[str]] = {name: [] for name in DEFINED}
    for lane in lanes:
        cuts = counted(parallel, side, lane, segmenter).cuts
        base = counted(parallel, compared.base, lane).cuts.tokens
        found["tokens"].append(f"{cuts.tokens:,}")
        found["premium"].append(written.premium(premium(cuts.tokens, base)))
        found["characters"].append(f"{size.characters:,}")
        found["clusters"].append(f"{size.clusters:,}")
        found["bytes"].append(f"{size.bytes:,}")
        found["characters_per_token"].append(
            written.ratio_or_none(characters_per_token(size.characters, cuts.tokens))
        )
        found["bytes_per_token"].append(written.ratio_or_none(bytes_per_token(size.bytes, cuts.tokens)))
        found["broken_characters"].append(
            written.fine_share(broken_share(cuts.broken_characters, size.characters))
        )
        found["broken_clusters"].append(written.fine_share(broken_share(cuts.broken_clusters, size.clusters)))
        found["thai_entries"].append(f"{entries_with_thai(lane):,}")
        words, continued = size.words, cuts.continued_words
        has_words = words is not None and continued is not None
        found["words"].append(f"{words:,}" if words is not None else written.NONE)
        found["fertility"].append(written.ratio_or_none(fertility(cuts.tokens, words or 0) if has_words else None))
        share = continued_share(continued or 0, words or 0) if has_words else None
        found["continued_words"].append(written.fine_share(share))
    head = [t("metrics.metric"), *(lane.name for lane in lanes)]
    known = {name: figures for name, figures in found.items() if set(figures) != {written.NONE}}
    return [head, *([t(f"metrics.{name}"), *figures] for name, figures in known.items())]


def definitions() -> None:
    """Show what each metric means, and where it comes from."""
    with fold(t("metrics.definitions"), icon=":material/menu_book:", key="metrics_definitions"):
        st.markdown("\n".join(f"- **{t(f'metrics.{name}')}** – {t(f'metrics.{name}_is')}" for name in DEFINED))
