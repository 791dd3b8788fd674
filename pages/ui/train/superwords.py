"""Superwords on the page: whether tokens may cross spaces, and from which vocabulary size on."""

import streamlit as st

from pages.ui.i18n import names, t
from pages.ui.inputs.corpus import Corpus
from pages.ui.train import keys
from pages.ui.widgets.controls import segmented
from tokenizer_core.bpe.vocabulary import BYTES

CHOICES = (keys.NEVER, keys.LATE)
FIRST_STAGE = 0.8
"""The share of the merges that is proposed for the first stage."""


def superwords_picker(corpus: Corpus | None, vocab_size: int, *, by_parity: bool) -> int | None:
    """Return the vocabulary size from which on tokens may cross spaces; None if they never may.

    Where one language chooses, or only counts are there to learn from, a sentence stands in place of the choice.
    """
    st.header(t("superwords.title"), anchor=False, help=t("superwords.help"))
    from_counts = corpus is not None and corpus.counts is not None
    if by_parity or from_counts:
        st.caption(t("superwords.not_by_parity" if by_parity else "superwords.not_from_counts"))
        return None
    crossing = segmented(t("superwords.title"), CHOICES, names("superwords.{}", CHOICES), key=keys.CROSSING.key)
    if crossing == keys.NEVER or vocab_size <= BYTES:
        return None
    _propose(vocab_size)
    size = st.number_input(
        t("superwords.from"),
        BYTES,
        vocab_size - 1,
        step=100,
        key=keys.SUPERWORDS_FROM.key,
        persist_state="session",
        help=t("superwords.from_help"),
        width=260,
    )
    st.caption(t("superwords.in_thai"))
    return int(size)


def first_stage(vocab_size: int) -> int:
    """Return the vocabulary size that is proposed for the first stage."""
    return BYTES + int((vocab_size - BYTES) * FIRST_STAGE)


def _propose(vocab_size: int) -> None:
    """Fill in a size that fits, unless the visitor has chosen one."""
    proposed = first_stage(vocab_size)
    found = keys.SUPERWORDS_FROM.get()
    if found is None or found == keys.SUPERWORDS_PROPOSED.get() or not BYTES <= found < vocab_size:
        keys.SUPERWORDS_FROM.put(proposed)
    keys.SUPERWORDS_PROPOSED.put(proposed)
