"""The files of a tokenizer on the Compare page for other libraries, and the token ids of the text."""

from collections.abc import Sequence

import streamlit as st

from pages.ui.choices.samples import sample_texts
from pages.ui.compare import keys
from pages.ui.exports.panel import take_along
from pages.ui.session import one_of
from pages.ui.token_view.drawings import Text
from pages.ui.token_view.lanes import Lane
from pages.ui.widgets.fold import fold
from pages.ui.words import t
from tokenizer_core.formats.exportable import may_be_exported

MOST_CHARACTERS = 5_000
"""Characters whose token ids are shown, to be copied."""


def take_a_lane_along(text: Text, lanes: Sequence[Lane]) -> None:
    """Let the visitor choose a tokenizer of the page, copy the ids of the text, and take its files."""
    known = {lane.choice: lane for lane in lanes if may_be_exported(lane.tokenizer)}
    if not known:
        return
    with fold(t("exports.title"), icon=":material/luggage:", key=keys.EXPORTS_OPEN.key):
        if not keys.EXPORTS_OPEN.get():
            return
        names = {choice: lane.name for choice, lane in known.items()}  # not the lanes: Streamlit keeps it for long
        chosen = st.selectbox(
            t("compare.tokenizers"),
            list(known),
            format_func=names.__getitem__,
            key=one_of(keys.EXPORTED, list(known)),
        )
        lane = known[chosen]
        if isinstance(text.content, str) and text.content:
            ids = lane.tokenizer.encode(text.content[:MOST_CHARACTERS])
            with st.popover(t("exports.ids", count=len(ids)), icon=":material/content_copy:"):
                st.code(str(ids), language=None, wrap_lines=True)
        name = "tokenizer" if lane.is_own else lane.key
        take_along(lane.tokenizer, lane.key, sample_texts(), name=name)
