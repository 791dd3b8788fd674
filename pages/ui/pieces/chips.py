"""Tokens as chips, for tokenizers whose tokens do not spell the text; one function draws one lane."""

import html
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import regex
import streamlit as st

from pages.ui.frame.navigation import go
from pages.ui.i18n import as_name, errors_shown, language, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.opened_files import OpenedFile, keep_file
from pages.ui.inputs.text import show_text
from pages.ui.widgets import formatting
from pages.ui.widgets.slides import MOST_CHARACTERS as MOST_ON_A_SLIDE
from pages.ui.widgets.slides import Slide, cut_of
from pages.ui.widgets.slides.talk import Entry, Lesson, is_lesson_word
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.chips import Share, bytes_of, chip_style, share_html, shares_of, visible
from pages.ui.widgets.token_view.drawings import Text, drawing
from pages.ui.widgets.token_view.lanes import Label, Lane
from pages.ui.widgets.token_view.payload import tint
from tokenizer_core.analysis.cuts import places_tokens
from tokenizer_core.bpe.protocols import AnyTokenizer, PlacedTokens
from tokenizer_core.bpe.segments import segments

MOST_CHIPS = 400
MOST_NAMED = 12
"""Characters that are named of a text."""
WITH_IDS = ("prefix", "ids", "own")
"""The lessons whose ids a room must see."""
SPACE = "▁"
"""What SentencePiece writes for a space, and before the first word."""
BLANK = visible(" ")
_STYLE = """<style>
.st-key-pieces_lesson code { color: inherit; } /* what was lost must not look well */
.piece-lane { display: grid; gap: .25rem 1.25rem; align-items: center; }
.piece-total b { font-size: 1.75rem; line-height: 1.2; font-weight: 600; }
.piece-total div { display: inline; margin-inline-start: .5rem; opacity: .8; }
@media (min-width: 1000px) {
  .piece-lane { grid-template-columns: 10rem 1fr; }
  .piece-total b { font-size: 3.5rem; line-height: 1; }
  .piece-total div { display: block; margin: 0; }
}
.piece-chips { display: flex; flex-wrap: wrap; gap: .3rem; }
.piece-chips > span { display: inline-flex; flex-direction: column; align-items: center; max-width: 100%;
  padding: 0 .4rem .1rem; font-size: 1.6rem; line-height: 1.75; white-space: pre-wrap; overflow-wrap: anywhere; }
.piece-chips small { font-size: .75rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.piece-chips .badge { font-family: "Source Code Pro", monospace; font-size: 1.1rem; line-height: 2.5;
  border: 2px solid light-dark(#4b5160, #b6bcc8); }
.piece-chips .unknown { border-style: dashed; border-color: light-dark(#a3160c, #ff9d8f); }
@media (max-width: 640px) {
  .piece-chips .hex-name { padding-inline: .25rem; font-size: 1rem; line-height: 2.8; }
}
@media (hover: none) { /* what pointing shows elsewhere, at the foot of the screen */
  .piece-chips > span:focus::after { content: attr(title); position: fixed; inset: auto .75rem .75rem; z-index: 9;
    padding: .5rem .75rem; border-radius: .5rem; font-size: 1rem; line-height: 1.7; white-space: normal;
    color: light-dark(#ffffff, #191814); background: light-dark(#2b2a27, #f2f0eb); }
}
.piece-room { container-type: inline-size; }
/* As large as the longest row has room: so much is beside the letters of a chip, and a letter is so wide. */
@media (min-width: 1000px) {
  .piece-chips > span {
    font-size: clamp(2.25rem, calc((100cqi - 1.15rem * var(--chips)) / (.7 * var(--letters))), 5rem);
  }
  .piece-chips small { font-size: max(.75rem, .28em); }
}
</style>"""


class ShownLane(NamedTuple):
    """One tokenizer of a lesson, and what is said beside it."""

    called: str
    """Its name, or the key of the words for it: a talk says them in another language too."""
    tokenizer: AnyTokenizer
    caption: str = ""

    @property
    def name(self) -> str:
        """The name that people read."""
        return t(self.called) if is_lesson_word(self.called) else self.called


class Counted(NamedTuple):
    """How many tokens a tokenizer needs for a text, and which characters of it are lost."""

    name: str
    tokens: int
    lost: str = ""


class Chip(NamedTuple):
    """What is drawn of one token."""

    shown: "str | list[Share]"
    """What its tokenizer writes for it, or else the characters that it covers, whole or in part."""
    token_id: int
    kind: str
    """"ordinary", "byte", "bytes", or what has a badge: "unknown", "control"."""
    covers: Sequence[Share]
    """The stretch of the text under it."""


def chips_of(tokenizer: AnyTokenizer, text: str) -> list[Chip]:
    """Return a chip for each token of a text."""
    content = text.encode()
    if places_tokens(tokenizer, text):
        placed = tokenizer.encode_placed(text)
    else:
        ids = np.array(tokenizer.encode(text), dtype=np.int32)
        ends = np.cumsum([len(tokenizer.token_bytes(token_id)) for token_id in ids.tolist()], dtype=np.int64)
        placed = PlacedTokens(ids, np.append(0, ends)[: len(ids)].astype(np.int64), ends)
    return [
        Chip(*_face(tokenizer, token_id, content, start, end), covers=shares_of(content, start, end))
        for token_id, start, end in zip(*(each.tolist() for each in placed), strict=True)
    ]


def _face(
    tokenizer: AnyTokenizer, token_id: int, content: bytes, start: int, end: int
) -> tuple[str | list[Share], int, str]:
    token_text: Callable[[int], str] | None = getattr(tokenizer, "token_text", None)
    if token_text is None:
        shares = shares_of(content, start, end)
        is_text = all(share.end - share.start == share.size for share in shares)
        return shares, token_id, "ordinary" if is_text else "byte" if end - start == 1 else "bytes"
    kind = str(getattr(tokenizer, "token_kind", lambda _: "ordinary")(token_id))
    is_known = kind in ("byte", "unknown", "control")
    return visible(token_text(token_id)), token_id, kind if is_known else "ordinary"


def draw_lanes(lanes: Sequence[ShownLane], text: str) -> list[Counted]:
    """Draw the tokens of a text by each tokenizer, beside their number, as large as the longest row has room."""
    rows = [chips_of(lane.tokenizer, text) for lane in lanes]
    letters, most = (max(map(count, rows), default=0) for count in (_letters, len))
    st.html(f"{chip_style()}{_STYLE}")
    room = f"--letters:{max(letters, 1)};--chips:{most}"
    for lane, chips in zip(lanes, rows, strict=True):
        st.html(f'<div style="{room}">{_lane_html(lane, chips)}</div>')
        if lane.caption:
            st.markdown(lane.caption)
        if len(chips) > MOST_CHIPS:
            st.caption(t("pieces.chips_cut", shown=MOST_CHIPS, count=len(chips)))
    shown = [chip for chips in rows for chip in chips[:MOST_CHIPS]]
    said = [t("pieces.ids")]
    if any(chip.kind in ("byte", "bytes") and not isinstance(chip.shown, str) for chip in shown):
        said.append(t("pieces.hatched"))
    if any(chip.kind == "ordinary" and SPACE in str(chip.shown) for chip in shown):
        said.append(t("pieces.space", sign=SPACE))
    if any(chip.kind == "ordinary" and str(chip.shown).startswith("##") for chip in shown):
        said.append(t("pieces.inside"))
    if any(BLANK in str(chip.shown) for chip in shown):
        said.append(t("pieces.blank", sign=BLANK))
    st.caption(" ".join(said))
    return [Counted(lane.name, len(chips), _lost(chips)) for lane, chips in zip(lanes, rows, strict=True)]


def _lost(chips: Sequence[Chip]) -> str:
    """Return the characters under unknown tokens, without white space."""
    covered = "".join(share.characters for chip in chips if chip.kind == "unknown" for share in chip.covers)
    return "".join(covered.split())


def _lane_html(lane: ShownLane, chips: Sequence[Chip]) -> str:
    total = (
        f'<div class="piece-total"><b>{len(chips):,}</b> {t("token_view.tokens", count=len(chips))}'
        f"<div>{html.escape(lane.name)}</div></div>"
    )
    drawn = chips_html(chips[:MOST_CHIPS], label=without_breaks(lane.name))
    return f'<div class="piece-lane">{total}<div class="piece-room">{drawn}</div></div>'


def chips_slide(name: str, title: str, lanes: Sequence[ShownLane], text: str) -> Slide:
    """Return the tokens of a text by each tokenizer for a full screen, below what is to be seen."""
    text = text[:MOST_ON_A_SLIDE]
    drawn = "".join(_lane_html(lane, chips_of(lane.tokenizer, text)) + _slide_caption(lane) for lane in lanes)
    look = "piece-slide" if name in WITH_IDS else "piece-slide bare"
    shown = f'<div class="{look}"><div class="piece-text">{html.escape(text)}</div>{drawn}</div>'
    over = {language(): t(f"lessons.{name}")}
    return Slide("chips", over=over, title={language(): title}, html=f"{chip_style()}{shown}")


def _slide_caption(lane: ShownLane) -> str:
    said = lane.caption.replace("`", "")
    return f'<div class="piece-caption">{html.escape(without_breaks(said))}</div>' if said else ""


def draw_stripes(lanes: Sequence[ShownLane], text: str) -> None:
    """Draw the tokens of a text by each tokenizer as stripes of its letters, beside their number."""
    drawn = [Lane(lane.called, Label(lane.name), lane.tokenizer) for lane in lanes]
    token_view(
        drawing(Text(text), drawn, language=language()),
        key="pieces_view",
        toolbar="none",
        numbers_first=True,
        ruler=False,
        large=True,
        max_height=None,
    )
    if any(len(segment.token_ids) > 1 for lane in lanes for segment in segments(text, lane.tokenizer)):
        st.caption(t("pieces.stripes"))


def _letters(chips: Sequence[Chip]) -> int:
    """Return how many letters wide the chips are together; marks stand above or below a letter."""
    faces = (
        each.shown if isinstance(each.shown, str) else "".join(s.characters for s in each.shown) for each in chips
    )
    return sum(len(regex.findall(r"\X", face)) for face in faces)


def say_who_needs_fewest(counted: Sequence[Counted]) -> None:
    """Say which of several tokenizers needs the fewest tokens, and how many times as many another does.

    Where one loses characters, say which instead: fewer tokens for less of the text are no gain.
    """
    if lossy := [each for each in counted if each.lost]:
        for name, _, lost in lossy:
            named = as_name(lost[:MOST_NAMED]) + ("…" if len(lost) > MOST_NAMED else "")
            said = t("pieces.lost", name=name, count=len(lost), characters=named)
            st.header(said, anchor=False)
        return
    if len(counted) < 2 or not all(each.tokens for each in counted):  # one that drops the whole text needs none
        return
    least, most = (choose(counted, key=lambda each: each.tokens) for choose in (min, max))
    if least.tokens == most.tokens:
        said = t("token_view.verdict_even", count=least.tokens)
    else:
        times = formatting.ratio(most.tokens / least.tokens)
        said = t("token_view.verdict", least=least.name, count=least.tokens, most=most.name, ratio=times)
    st.header(said, anchor=False)


def entry_of(lesson: str, lanes: Sequence[ShownLane], text: str) -> Entry:
    """Return what is shown of a text, for a full screen and for the visitor's talk."""
    text = text[:MOST_ON_A_SLIDE]
    cuts = (cut_of(text, Lane(lane.called, Label(lane.called), lane.tokenizer)) for lane in lanes)
    return Entry(text=text, lesson=Lesson(lesson, tuple(cuts)))


def chips_html(chips: Sequence[Chip], *, label: str) -> str:
    """Return chips as HTML, those of a token in one colour in all rows; everything in them is escaped."""
    items = (_chip_html(chip, tint(_token_of(chip))) for chip in chips)
    return f'<div role="list" class="piece-chips" aria-label="{html.escape(label)}">{"".join(items)}</div>'


def _token_of(chip: Chip) -> bytes:
    """Return the bytes that decide the colour of a chip."""
    return chip.shown.encode() if isinstance(chip.shown, str) else b"".join(map(bytes_of, chip.shown))


def _chip_html(chip: Chip, tinted: int) -> str:
    covered = " + ".join(map(_covered, chip.covers))
    said = t("pieces.covers", what=covered) if covered else t("pieces.covers_nothing")
    if chip.kind != "ordinary":
        said = f"{t(f'pieces.kind_{chip.kind}')} · {said}"
    shares = [] if isinstance(chip.shown, str) else chip.shown
    inner = html.escape(chip.shown) if isinstance(chip.shown, str) else "".join(map(share_html, shares))
    look = f"badge {chip.kind}" if chip.kind in ("unknown", "control") else f"token-chip tint-{tinted}"
    if chip.kind == "byte" and not shares:
        look += " hex-name"
    title = html.escape(without_breaks(said))
    shown = f"<span>{inner}</span><small>{chip.token_id}</small>"
    return f'<span role="listitem" tabindex="-1" class="{look}" title="{title}">{shown}</span>'


def _covered(share: Share) -> str:
    """Name the characters of a share, or of one character its bytes, counted from 1."""
    text, size = visible(share.characters), share.size
    if share.end - share.start == size:
        return f"“{text}”"
    places = f"{share.start + 1}" if share.end - share.start == 1 else f"{share.start + 1}–{share.end}"
    return t("pieces.covers_part", places=places, size=size, text=text)


def compare_button(label: str, files: Callable[[], Sequence[OpenedFile]], text: str, *, key: str) -> None:
    """Draw a button that opens tokenizers on Compare, where they are lanes beside all others, with this text."""
    if st.button(label, icon=":material/compare_arrows:", key=key):
        with errors_shown():  # too many may be open
            for file in files():
                keep_file(file)
            if text.strip():
                show_text(text)
            go("compare")
