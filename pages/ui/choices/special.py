"""The switch that lets the special tokens in a text act, and why it is off at first."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pages.ui.token_view.drawings import token_count
from pages.ui.token_view.lanes import Label, Lane
from pages.ui.words import t
from tokenizer_core.formats.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.openai import references

MARKER, NEAR_MISS = "<|endoftext|>", "<|endoftex"


def special_switch(lanes: Sequence[Lane]) -> list[Lane]:
    """Draw the switch and its explanation; return the lanes with their special tokens acting if it is on."""
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        acts = st.toggle(t("special.act"), key="special_act", persist_state="session")
        with st.popover(t("special.why"), icon=":material/help:", type="tertiary", key="special_why"):
            _lesson()
    return [_acting(lane) if acts else lane for lane in lanes]


def _acting(lane: Lane) -> Lane:
    """Return a lane in which special tokens act; say in its caption where they never do."""
    if isinstance(lane.tokenizer, SentencePieceTokenizer):
        caption = f"{lane.label.caption} · {t('special.never')}"
        return replace(lane, special_acts=True, label=lane.label._replace(caption=caption))
    return replace(lane, special_acts=True)


def _lesson() -> None:
    """Explain special tokens with counts of GPT-2."""
    st.markdown(t("special.what"))
    for name, tokenizer in references(["gpt2"]).items():
        lane = Lane(name, Label(name), tokenizer)
        counts = {
            "off": token_count(lane, MARKER),
            "on": token_count(replace(lane, special_acts=True), MARKER),
            "near": token_count(replace(lane, special_acts=True), NEAR_MISS),
        }
        st.markdown(t("special.counts", **counts))
    st.markdown(t("special.danger"))
