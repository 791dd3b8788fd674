"""The end of a text: how a space, and each letter that comes next, moves the boundaries of its last tokens."""

import html
from collections.abc import Sequence
from typing import NamedTuple

import regex
import streamlit as st

from pages.ui.i18n import as_plain_markdown, errors_shown, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.tokenizers import name_of
from pages.ui.session import Maybe, Value, distinct, remembered
from pages.ui.widgets.controls import segmented
from pages.ui.widgets.figures_table import scroll_box
from pages.ui.widgets.token_view.chips import chip_style, placed_chip, visible
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.cuts import piece_ends
from tokenizer_core.bpe.protocols import AnyTokenizer

MOST_CHARACTERS = 20_000
"""The end of a text that is encoded, once for each row."""
MOST_LETTERS = 12
TAIL_BYTES = 12
"""What is shown of a text, at least: a phone has room for little."""
ENDINGS_OPEN: Value[bool] = Value("compare_endings_open", bool)
_NEXT: Maybe[str] = Maybe("compare_next")
_STYLE = """<style>
/* Where it is too wide, the end is what people came to see. */
.endings { overflow-x: auto; direction: rtl; }
.endings table { border-collapse: collapse; direction: ltr; margin: 0 auto 0 0; }
.endings td:first-child { position: sticky; left: 0; z-index: 1; background: light-dark(#fff, #171614); }
.endings td:first-child::after { content: ""; position: absolute; inset: 0 auto 0 100%; width: 1rem;
  background: linear-gradient(to right, light-dark(#fff, #171614), transparent); }
.endings td { border: 0; border-bottom: 1px solid rgba(128,128,128,.18); padding: .3rem .75rem .3rem 0;
  font-size: 1.125rem; line-height: 1.9; white-space: nowrap; font-variant-numeric: tabular-nums; }
.endings .new .token-chip { outline: 2px solid light-dark(#0f766e, #2dd4bf); outline-offset: 1px; }
.endings .token-chip { display: inline-block; margin-inline-end: .3rem; vertical-align: middle; }
</style>"""


class Row(NamedTuple):
    """A text with some of what comes next, and its last tokens."""

    added: str
    size: int
    """All tokens of the text."""
    ends: Sequence[int]
    """Where tokens end, in bytes."""
    content: bytes
    tokens: list[tuple[tuple[int, int], bool]]
    """Where the last tokens are in the content, each with whether it was not there in the row before."""


def endings(text: str, lanes: Sequence[Lane]) -> None:
    """Draw the last tokens of a text, of the same with a space, and with each letter of what comes next."""
    by_choice = {lane.choice: lane for lane in lanes if lane.kind == "tokens"}
    if not by_choice:
        return
    st.markdown(t("endings.what"))
    names = distinct({each: name_of(lane) for each, lane in by_choice.items()})
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        key = remembered(_NEXT.key, without_breaks(t("endings.example")))
        following = st.text_input(t("endings.next"), key=key, max_chars=MOST_LETTERS, live=True)
    with right:
        key = f"compare_ending_{'_'.join(by_choice)}"
        chosen = segmented(t("compare.tokenizers"), list(by_choice)[::-1], names.__getitem__, key=key)
    base = text.rstrip(" ")[-MOST_CHARACTERS:]
    with errors_shown():
        rows = rows_of(base, following or "", by_choice[chosen].tokenizer)
        st.html(chip_style() + _STYLE + rows_html(rows))
        if text != text.rstrip(" "):
            st.warning(t("endings.has_space"), icon=":material/space_bar:")
        if len(rows) > 2:
            space_ends = len(base.encode()) + 1
            words = "endings.stays" if space_ends in rows[2].ends else "endings.joins"
            st.markdown(t(words, name=names[chosen], letter=as_plain_markdown(rows[2].added.strip())))
        st.caption(t("endings.framed"))


def rows_of(base: str, following: str, tokenizer: AnyTokenizer) -> list[Row]:
    """Return the rows: the text alone, with a space, and with each further letter.

    All show the text from the same place on, where a token begins in every row.
    """
    letters = regex.findall(r"\X", following.strip())
    texts = [base, *(f"{base} {''.join(letters[:count])}" for count in range(len(letters) + 1))]
    found = [piece_ends(text, tokenizer) for text in texts]
    edges = [sorted({0, *ends.tolist()}) for _, ends in found]
    before = max(0, len(base.encode()) - TAIL_BYTES)
    start = max(place for place in set.intersection(*map(set, edges)) if place <= before)
    rows: list[Row] = []
    known: set[tuple[int, int]] = set()
    for text, (pieces, _), ends in zip(texts, found, edges):
        spans = [span for span in zip(ends, ends[1:]) if span[0] >= start]
        tokens = [(span, bool(rows) and span not in known) for span in spans]
        rows.append(Row(text[len(base) :], int(pieces.are_tokens.sum()), ends, text.encode(), tokens))
        known = set(spans)
    return rows


def rows_html(rows: Sequence[Row]) -> str:
    """Return the HTML of the rows: what was added, the last tokens, and how many tokens the text has."""
    lines = []
    for row in rows:
        chips = "".join(
            f'<span class="{"new" if new else "old"}">{placed_chip(row.content, *span)}</span>'
            for span, new in row.tokens
        )
        added = html.escape(visible(row.added))
        lines.append(f"<tr><td>… {added}</td><td>{chips}</td><td>{t('endings.count', count=row.size)}</td></tr>")
    return scroll_box("endings", f"<table>{''.join(lines)}</table>", t("endings.title"))
