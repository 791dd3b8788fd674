"""The deck: views that fill the screen, one after another, for a room that looks at a projector."""

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import numpy as np
import segno
import streamlit as st
from msgspec import Meta, Struct

from pages.ui.frame import presenting
from pages.ui.i18n import language, section, translations
from pages.ui.i18n.breaks import without_breaks
from pages.ui.widgets.bars import BARS_CSS
from pages.ui.widgets.colours import TINT_COUNT
from pages.ui.widgets.formatting import ratio
from pages.ui.widgets.player.serve import stage_css
from pages.ui.widgets.receipt import receipt_css
from pages.ui.widgets.token_view.lanes import Lane
from pages.ui.widgets.token_view.serve import bundle
from tokenizer_core.analysis.cuts import piece_ends
from tokenizer_core.bpe.segments import TextMap

BROWSER = Path(__file__).parent / "browser"
MOST_CHARACTERS = 600
"""Characters of a text on a slide; nobody reads more from the last row."""
_HERE_ONLY = ("localhost", "127.0.0.1", "::1", "0.0.0.0")
_EVERYWHERE = (None, "", "0.0.0.0", "::")
"""What the app is told to listen at, so that the network can reach it."""
_ELSEWHERE = ("192.0.2.1", 9)
"""An address that no machine has, so it is on the way to all others."""
_ALONE = """
[data-testid="stMainBlockContainer"] [data-testid="stElementContainer"]:not(.st-key-deck),
[data-testid="stHeader"], [data-testid="stToolbar"] { visibility: hidden; }
"""
"""Hides what stands behind the deck, which takes it from the keyboard too."""
Said = Mapping[str, str]
"""Words in each language that they have; the deck shows those of its own."""


_css = stage_css() + receipt_css() + BARS_CSS + (BROWSER / "deck.css").read_text("utf-8")
_component = st.components.v2.component("deck", css=_css, js=bundle(BROWSER / "deck.js"))


Count = Annotated[int, Meta(ge=0, lt=10**9)]
Name = Annotated[str, Meta(min_length=1)]


class Cut(Struct, frozen=True):
    """The tokens of a text in one tokenizer: enough to draw them without it."""

    name: Name
    """Its name, or the key of the words for it."""
    tokens: Count
    lengths: tuple[Annotated[int, Meta(gt=0)], ...]
    """The bytes of each piece of the text, end to end."""
    plain: tuple[Count, ...] = ()
    """Which pieces belong to no token, by their places."""
    special: tuple[Count, ...] = ()
    """Which pieces are special tokens, by their places."""


@dataclass(frozen=True)
class View:
    """A text in the tokens of some lanes, or, without lanes, a text in large letters."""

    text: str
    lanes: Sequence[Lane | Cut] = ()
    label: str = ""
    before: Sequence[int] = ()
    """Tokens of another text in each lane, to compare with."""
    counts_letters: bool = True
    """Whether a number below a letter says how many tokens it is cut into."""


@dataclass(frozen=True)
class Slide:
    """What fills the screen: words, bars, a question, texts in tokens, a tree, chips, a stage, a bill, a vote."""

    kind: Literal["words", "bars", "ask", "tokens", "tree", "chips", "stage", "receipt", "vote"]
    title: Said = field(default_factory=dict)
    says: Said = field(default_factory=dict)
    over: Said = field(default_factory=dict)
    """A small line above: what this belongs to."""
    notes: Said = field(default_factory=dict)
    """What the speaker may say."""
    is_strong: bool = False
    shows_code: bool = False
    """Whether it shows the QR code of the address, where phones can open it."""
    views: Sequence[View] = ()
    choices: Sequence[str] = ()
    right: int = 0
    """The index of the true choice."""
    stage: Mapping[str, Any] | None = None
    """The options of a stage."""
    receipt: Mapping[str, Any] | None = None
    """The options of a receipt."""
    html: str = ""
    """Bars, how a token was made, or chips."""
    is_outcome: bool = False
    """Whether it shows what has become of the film before it."""
    vote: Mapping[str, Any] | None = None
    """The options of a vote."""


def present(make: Callable[[], Sequence[Slide]], goes_on: Callable[[], None] | None = None) -> bool:
    """Fill the screen with slides if this page is presented; return whether it is. Escape draws it as usual.

    After the last slide a key that leads further calls `goes_on`, which gives this page something else to show.
    """
    if not presenting.presents():
        return False
    slides, shows_notes = make(), presenting.shows_notes()
    drawn = [_drawn(slide) for slide in slides]
    name = sha256(json.dumps([drawn, language(), shows_notes]).encode()).hexdigest()
    same = [[slide.kind, dict(slide.title), dict(slide.over)] for slide in slides]
    here = reachable(st.context.url or "")
    data = {
        "name": name,
        "talk": sha256(json.dumps(same).encode()).hexdigest(),
        "slides": drawn,
        "labels": section("deck", has_breaks=True),
        "locale": language(),
        "tints": TINT_COUNT,
        "showsNotes": shows_notes,
        "goesOn": goes_on is not None and not shows_notes,
        "what": presenting.what(),
        "code": squares_of(here),
        "address": here,
    }
    st.html(f"<style>{_ALONE}</style>")
    _component(
        key="deck",
        data=json.dumps(data).encode(),
        on_left_change=presenting.leave,
        on_further_change=goes_on or (lambda: None),
    )
    return True


def _drawn(slide: Slide) -> dict[str, Any]:
    found: dict[str, Any] = {name: dict(getattr(slide, name)) for name in ("title", "says", "over", "notes")}
    found |= {"kind": slide.kind, "isStrong": slide.is_strong, "views": [_view(view) for view in slide.views]}
    if slide.choices:
        found |= {"choices": list(slide.choices), "right": slide.right}
    if slide.is_outcome:
        found["isOutcome"] = True
    if slide.shows_code:
        found["showsCode"] = True
    if slide.html:
        found["html"] = slide.html
    return found | {"stage": slide.stage, "receipt": slide.receipt, "vote": slide.vote}


def _view(view: View) -> dict[str, Any]:
    """Describe a text: where its letters start, and where the tokens of each lane end, in bytes."""
    text_map = TextMap(view.text)
    starts = np.flatnonzero(text_map.cluster_starts[:-1])
    lanes = []
    for lane, before in zip_longest(view.lanes, view.before):
        cut = _cut(view.text, lane)
        lanes.append(
            {
                "name": without_breaks(cut.name),
                "count": cut.tokens,
                "kind": "tokens" if isinstance(lane, Cut) else lane.kind,
                "ends": list(accumulate(cut.lengths)),
                "plain": list(cut.plain),
                "special": list(cut.special),
                **({} if before is None else {"before": before}),
            }
        )
    return {
        "label": without_breaks(view.label),
        "text": view.text,
        "countsLetters": view.counts_letters,
        "clusters": text_map.byte_at_char[starts].tolist(),
        "lanes": lanes,
    }


def verdict(view: View) -> Said:
    """Say who needs the fewest tokens for a text, and how many others take; or, of one lane, what a stripe is."""
    counts = {
        lane.label.name.partition(":")[0]: cut_of(view.text, lane).tokens
        for lane in view.lanes
        if isinstance(lane, Lane) and lane.kind == "tokens" and not _loses(view.text, lane)
    }
    least, most = min(counts.values(), default=0), max(counts.values(), default=0)
    if len(counts) < 2 or not least:
        return translations("home.stripe")
    if least == most:
        return translations("deck.even", count=least)
    few, many = (", ".join(name for name, count in counts.items() if count == end) for end in (least, most))
    return translations("deck.fewest", names=few, count=least, others=many, times=ratio(most / least))


def _loses(text: str, lane: Lane) -> bool:
    """Tell whether some of the text is lost: who does not know it needs few tokens for that reason."""
    kind_of = getattr(lane.tokenizer, "token_kind", None)
    return kind_of is not None and any(kind_of(each) == "unknown" for each in set(lane.tokenizer.encode(text)))


def one_by_one(first: View, second: View) -> tuple[View, View]:
    """Return two texts for a slide each, the second with the numbers of the first before its own."""
    before = [_cut(first.text, lane).tokens for lane in first.lanes]
    return first, replace(second, label=f"{first.label} : {second.label}", before=before)


def _cut(text: str, lane: Lane | Cut) -> Cut:
    return lane if isinstance(lane, Cut) else cut_of(text, lane)


def tears_a_letter(view: View) -> bool:
    """Tell whether tokens of a lane end inside a letter with its marks."""
    drawn = _view(view)
    whole = {*drawn["clusters"], len(view.text.encode())}
    return any(not whole.issuperset(lane["ends"]) for lane in drawn["lanes"])


def cut_of(text: str, lane: Lane) -> Cut:
    """Return the tokens of a text in a lane."""
    pieces, _ = piece_ends(text, lane.tokenizer, special_acts=lane.special_acts)
    solid = pieces.lengths > 0  # a token without text has no place on a slide, but counts
    plain = np.flatnonzero(~pieces.are_tokens[solid])
    special = np.flatnonzero(np.isin(pieces.ids[solid], list(lane.tokenizer.special_tokens.values())))
    tokens = int(np.count_nonzero(pieces.are_tokens))
    return Cut(
        lane.label.name,
        tokens,
        lengths=tuple(pieces.lengths[solid].tolist()),
        plain=tuple(plain.tolist()),
        special=tuple(special.tolist()),
    )


def reachable(address: str) -> str:
    """Return this address of the app as others in the network can open it; "" if only this machine can.

    >>> reachable("http://192.168.1.5:8501/"), reachable("http://localhost:8501/")
    ('http://192.168.1.5:8501/', '')
    """
    parts = urlsplit(address)
    if parts.hostname not in (None, *_HERE_ONLY):
        return address
    host = _host_in_network() if parts.hostname and st.get_option("server.address") in _EVERYWHERE else ""
    return parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host).geturl() if host else ""


def _host_in_network() -> str:
    """Return the address at which other machines reach this one; "" without a network. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(_ELSEWHERE)
        except OSError:
            return ""
        host = str(way.getsockname()[0])
    return "" if host in _HERE_ONLY else host


def squares_of(address: str) -> list[list[int]] | None:
    """Return the squares of a QR code of an address, dark ones as 1; None without one.

    >>> squares_of(""), len(squares_of("http://192.168.1.5:8501/") or [])
    (None, 25)
    """
    return [list(map(int, row)) for row in segno.make(address, micro=False).matrix] if address else None
