"""Tokens that their own text does not become, by reason, each with its story."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from pages.ui.i18n import errors_shown, language, t
from pages.ui.i18n.breaks import unbroken, with_breaks
from pages.ui.inputs.tokenizers import name_of
from pages.ui.vocabulary.browse import Part, browse
from pages.ui.vocabulary.choices import entries_in, picked_among
from pages.ui.widgets.bars import count_bars
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.controls import answer, segmented
from pages.ui.widgets.slides import Slide
from pages.ui.widgets.token_view.chips import token_chips
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.unreachable import REASONS, Unreachable, unreachable

_found = Bounded[Unreachable](8, weigh=lambda found: 1)


def say_how_many_are_unreached(lane: Lane) -> list[Slide]:
    """Say how many tokens a vocabulary has that their own text does not become; return the reasons as a slide."""
    with st.spinner(t("unreached.working")):
        found = _found_in(lane)
    says = t("unreached.answer", name=unbroken(name_of(lane)), count=len(found.ids), all=len(entries_in(lane).ids))
    answer(with_breaks(says), key="unreached")
    counts = [(t(f"unreached.{reason}"), found.count(reason)) for reason in REASONS if found.count(reason)]
    bars = count_bars(counts, says=says)
    return [Slide("bars", title={language(): with_breaks(says)}, html=bars)]


def _found_in(lane: Lane) -> Unreachable:
    return _found.get(lane.key, lambda: unreachable(lane.tokenizer))


def unreached(lane: Lane, lanes: Sequence[Lane]) -> None:
    """List the tokens that their own text does not become, for one reason: a fragment of the page."""
    with errors_shown():
        found = _found_in(lane)
        reasons = [reason for reason in REASONS if found.count(reason)]
        if not reasons:
            return
        said = {reason: f"{t(f'unreached.{reason}')} · {found.count(reason):,}" for reason in reasons}
        key = f"vocabulary_reason_{'_'.join(reasons)}"
        reason = segmented(t("unreached.why"), reasons, said.__getitem__, key=key)
        ids = found.ids[np.array(found.reasons) == reason]
        part = Part(reason, entries_in(lane).only(np.isin(entries_in(lane).ids, ids)))
        if reason != "no_text":
            _becomes(lane, picked_among(lane, part.entries))
        st.markdown(t(f"unreached.{reason}_why"))
        browse(lane, lanes, part)
        st.caption(t("unreached.what"))


def _becomes(lane: Lane, token_id: int) -> None:
    """Show what the text of a token becomes instead."""
    st.caption(t("unreached.becomes"))
    ids = lane.tokenizer.encode(lane.tokenizer.decode([token_id]))
    arrow = '<span aria-hidden="true"> → </span>'
    sides = [token_chips([lane.tokenizer.token_bytes(each) for each in side]) for side in ([token_id], ids)]
    st.html(f'<div style="font-size:1.5rem;display:flex;gap:.6rem;align-items:center">{arrow.join(sides)}</div>')
