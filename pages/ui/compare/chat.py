"""Chat markers: two special tokens added to cl100k_base, a conversation in them, and what they cost a model."""

import streamlit as st

from pages.ui.choices.tokenizers import reference_lanes
from pages.ui.compare.keys import CHAT, CHAT_WIDTH
from pages.ui.session import remembered
from pages.ui.token_view import token_view
from pages.ui.token_view.drawings import Text, drawing
from pages.ui.token_view.lanes import Label, Lane
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.live_area import live_text_area
from pages.ui.words import language, t
from tokenizer_core.openai import OpenAITokenizer, with_special_tokens

BASE = "cl100k_base"
MARKERS = (("<|im_start|>", 100_264), ("<|im_end|>", 100_265))
MAX_CHARACTERS = 20_000


def chat_markers() -> None:
    """Draw a conversation with and without markers that act, and the rows that a model would gain."""
    st.markdown(t("chat.what"))
    text = live_text_area(t("chat.text"), key=remembered(CHAT.key, t("examples.chat")), height=170)
    plain = reference_lanes([BASE])
    if not plain:
        return
    extended = with_special_tokens(BASE, MARKERS)
    label = Label(t("chat.name"), t("tokenizers.reference", name=extended.name, count=extended.id_counts.total))
    lanes = [*plain, Lane("chat", label, extended, special_acts=True)]
    token_view(drawing(Text(text[:MAX_CHARACTERS]), lanes, language=language()), key="chat_view", toolbar="short")
    _rows(extended)


def _rows(extended: OpenAITokenizer) -> None:
    """Show which rows the embedding and the output head of a model would gain."""
    width = st.number_input(t("chat.width"), 1, 100_000, step=256, key=remembered(CHAT_WIDTH.key, 4096), width=260)
    counts = extended.id_counts
    head = [t("chat.token"), t("chat.embedding"), t("chat.head")]
    rows = [[token, t("chat.row", row=token_id), t("chat.row", row=token_id)] for token, token_id in MARKERS]
    figures_table([head, *rows], t("chat.table"))
    numbers = len(MARKERS) * int(width)
    st.markdown(t("chat.rows", numbers=numbers, both=2 * numbers, total=counts.total, unused=counts.unused))
