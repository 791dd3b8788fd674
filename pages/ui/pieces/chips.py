"""Tokens as chips, for tokenizers whose tokens do not spell the text; one function draws one lane."""

import html
import unicodedata
from collections.abc import Callable
from typing import NamedTuple
from zlib import crc32

import numpy as np
import streamlit as st

from pages.ui.token_view.palette import DARK, LIGHT, TINT_COUNT
from pages.ui.words import t
from pages.ui.words.breaks import without_breaks
from tokenizer_core.protocols import AnyTokenizer, PlacedTokens

MOST_CHIPS = 400
_TINTS = "\n".join(
    f".piece-chips .t{n} {{ background: light-dark({LIGHT.tints[n]}, {DARK.tints[n]}); }}"
    for n in range(TINT_COUNT)
)
_STYLE = f"""<style>
.piece-chips {{ display: flex; flex-wrap: wrap; gap: .3rem; }}
.piece-chips > span {{ display: inline-flex; flex-direction: column; align-items: center; margin: 0;
  padding: 0 .4rem .1rem; border-radius: .4rem; color: light-dark({LIGHT.ink}, {DARK.ink}); font-size: 1.6rem;
  line-height: 1.75; overflow-wrap: anywhere; }}
.piece-chips small {{ font-size: .75rem; line-height: 1.3; font-variant-numeric: tabular-nums; }}
.piece-chips .badge {{ font-family: "Source Code Pro", monospace; font-size: 1.1rem; line-height: 2.5;
  background: none; color: inherit; border: 2px solid light-dark(#4b5160, #b6bcc8); }}
.piece-chips .unknown {{ border-style: dashed; border-color: light-dark(#a3160c, #ff9d8f); }}
{_TINTS}
</style>"""


class Chip(NamedTuple):
    """What is drawn of one token."""

    shown: str
    token_id: int
    kind: str
    """"ordinary", or a badge: "byte", "bytes", "unknown", "control"."""
    covers: str
    """The stretch of the text under it."""


def chips_of(tokenizer: AnyTokenizer, text: str) -> list[Chip]:
    """Return a chip for each token of a text."""
    content = text.encode()
    encode_placed: Callable[[str], PlacedTokens] | None = getattr(tokenizer, "encode_placed", None)
    if encode_placed is None:
        ids = np.array(tokenizer.encode(text), dtype=np.int32)
        ends = np.cumsum([len(tokenizer.token_bytes(token_id)) for token_id in ids.tolist()], dtype=np.int64)
        placed = PlacedTokens(ids, np.append(0, ends)[: len(ids)].astype(np.int64), ends)
    else:
        placed = encode_placed(text)
    return [
        Chip(*_face(tokenizer, token_id), covers=content[start:end].decode("utf-8", "replace"))
        for token_id, start, end in zip(*(each.tolist() for each in placed), strict=True)
    ]


def _face(tokenizer: AnyTokenizer, token_id: int) -> tuple[str, int, str]:
    """Return what a token looks like: its text, its id, and which kind it is."""
    token_text: Callable[[int], str] | None = getattr(tokenizer, "token_text", None)
    if token_text is None:
        token = tokenizer.token_bytes(token_id)
        try:
            return seen(token.decode("utf-8")), token_id, "ordinary"
        except UnicodeDecodeError:
            return token.hex(" ").upper(), token_id, "byte" if len(token) == 1 else "bytes"
    kind = str(getattr(tokenizer, "token_kind", lambda _: "ordinary")(token_id))
    is_badge = kind in ("byte", "unknown", "control")
    return seen(token_text(token_id)), token_id, kind if is_badge else "ordinary"


def seen(text: str) -> str:
    r"""Make a token visible: spaces, controls, and a mark that has no letter to stand on.

    >>> seen(" a\n"), seen("\u0e48"), seen("\u200b")
    ('␣a⏎', '◌่', 'U+200B')
    """
    named = {" ": "␣", "\n": "⏎", "\t": "⇥"}
    shown = "".join(
        named.get(each) or (f"U+{ord(each):04X}" if unicodedata.category(each)[0] in "CZ" else each)
        for each in text
    )
    return f"◌{shown}" if shown and (unicodedata.category(shown[0]) == "Mn" or shown[0] == "ำ") else shown


def draw_lane(name: str, caption: str, tokenizer: AnyTokenizer, text: str) -> None:
    """Draw the tokens of a text, large, under the name of their tokenizer and their number."""
    chips = chips_of(tokenizer, text)
    st.markdown(f"**{name}** · {t('pieces.tokens', count=len(chips))}" + (f" · {caption}" if caption else ""))
    st.html(_STYLE + chips_html(chips[:MOST_CHIPS], label=without_breaks(name)))
    if len(chips) > MOST_CHIPS:
        st.caption(t("pieces.chips_cut", shown=MOST_CHIPS, count=len(chips)))


def chips_html(chips: list[Chip], *, label: str) -> str:
    """Return chips as HTML; everything in them is escaped."""
    items = "".join(map(_chip_html, chips))
    return f'<div role="list" class="piece-chips" aria-label="{html.escape(label)}">{items}</div>'


def _chip_html(chip: Chip) -> str:
    title = html.escape(_said(chip))
    shown = f"<span>{html.escape(chip.shown)}</span><small>{chip.token_id}</small>"
    return f'<span role="listitem" class="{_look(chip)}" title="{title}">{shown}</span>'


def _look(chip: Chip) -> str:
    tint = crc32(chip.shown.encode()) % TINT_COUNT
    return f"t{tint}" if chip.kind == "ordinary" else f"badge {chip.kind}"


def _said(chip: Chip) -> str:
    """Say what a chip is, and what of the text it covers."""
    covered = t("pieces.covers", text=chip.covers) if chip.covers else t("pieces.covers_nothing")
    words = covered if chip.kind == "ordinary" else f"{t(f'pieces.kind_{chip.kind}')} · {covered}"
    return without_breaks(words)
