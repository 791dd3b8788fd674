"""What a vocabulary is made of: scripts and lengths along the order learned, and what it shares with another."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import streamlit as st

from pages.ui.choices.tokenizers import entries_with_thai
from pages.ui.token_view.chips import plain_token
from pages.ui.token_view.lanes import Lane
from pages.ui.vocabulary.lanes import called_apart, entries_in, name_of
from pages.ui.vocabulary.made_of_chart import lengths_chart, lengths_of, strip_chart
from pages.ui.widgets import written
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.segmented import segmented
from pages.ui.words import as_plain_markdown, t
from tokenizer_core.measures.entries import SCRIPTS, Entries, Overlap, overlap

_lengths_of = Bounded[tuple[list[int], list[int]]](8, weigh=lambda lengths: 1)
_overlaps = Bounded[Overlap](32, weigh=lambda found: 1)


def made_of(lane: Lane, lanes: Sequence[Lane]) -> None:
    """Draw what a vocabulary is made of, and compare it with the others."""
    st.header(t("made_of.title", name=name_of(lane)), anchor=False)
    entries = entries_in(lane)
    _strip(entries)
    left, right = st.columns(2, gap="large")
    with left:
        _lengths(lane, entries)
    with right:
        _thai(lanes)
        _overlap(lane, lanes)


def _strip(entries: Entries) -> None:
    names = {script: f"{t(f'entries.script_{script}')} · {entries.count(script):,}" for script in SCRIPTS}
    rows, spec = strip_chart(entries, names, order_title=t("made_of.order"), count_title=t("made_of.entries"))
    thai = np.flatnonzero(entries.scripts == SCRIPTS.index("thai"))
    says = t("made_of.strip_says")
    if len(thai):
        first = as_plain_markdown(plain_token(entries.tokens[thai[0]]))
        half = int(thai[(len(thai) - 1) // 2]) + 1
        says += " " + t(
            "made_of.strip_thai", token=first, id=str(entries.ids[thai[0]]), count=len(thai), half=half
        )
    st.vega_lite_chart(rows, spec, key="vocabulary_strip", alt=says)
    st.caption(says)


def _lengths(lane: Lane, entries: Entries) -> None:
    st.subheader(t("made_of.lengths"), anchor=False)
    every, thai = _lengths_of.get(lane.key, lambda: (lengths_of(entries), lengths_of(entries, "thai")))
    groups = {t("entries.all"): every, **({t("entries.script_thai"): thai} if thai else {})}
    rows, spec = lengths_chart(groups, length_title=t("made_of.bytes"), share_title=t("made_of.share"))
    ((usual, _),) = Counter(every).most_common(1)
    says = t("made_of.lengths_says", usual=usual, longest=max(every))
    if thai:
        ((usual_thai, _),) = Counter(thai).most_common(1)
        says += " " + t("made_of.lengths_thai", usual=usual_thai)
    st.vega_lite_chart(rows, spec, key="vocabulary_lengths", alt=says)
    st.caption(says)


def _thai(lanes: Sequence[Lane]) -> None:
    st.subheader(t("made_of.thai"), anchor=False)
    rows = [[t("made_of.tokenizer"), t("made_of.entries"), t("made_of.thai_entries"), t("made_of.share")]]
    for lane in lanes:
        size, thai = lane.tokenizer.vocab_size, entries_with_thai(lane)
        rows.append([lane.name, f"{size:,}", f"{thai:,}", written.fine_share(thai / size)])
    figures_table(rows, t("made_of.thai"))
    st.caption(t("made_of.thai_says"))


def _overlap(lane: Lane, lanes: Sequence[Lane]) -> None:
    others = {each.choice: each for each in lanes if each.choice != lane.choice}
    if not others:
        return
    st.subheader(t("made_of.overlap"), anchor=False)
    chosen = segmented(
        t("made_of.overlap_with"),
        list(others),
        called_apart(list(others.values())).__getitem__,
        key=f"vocabulary_overlap_{lane.choice}_{len(others)}",
        show_label=True,
    )
    other = others[chosen]
    found = _overlaps.get((lane.key, other.key), lambda: overlap(entries_in(lane), entries_in(other)))
    own, others_own = (found.both + only for only in (found.only_first, found.only_second))
    st.markdown(
        t(
            "made_of.overlap_says",
            both=found.both,
            name=name_of(lane),
            other=name_of(other),
            share=written.share(found.both / max(1, own)),
            other_share=written.share(found.both / max(1, others_own)),
        )
    )
