"""All entries of a vocabulary, searched and walked through in the browser, beside the token that is looked at."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from pages.ui.i18n import error_sentence, errors_shown, language, section, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.session import Maybe
from pages.ui.vocabulary.biography import biography, relations
from pages.ui.vocabulary.choices import (
    FirstLook,
    OwnText,
    Uses,
    entries_in,
    entry_of,
    first_look,
    pick,
    picked_among,
    picked_in,
    text_below,
    uses_in,
)
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.colours import TINT_COUNT
from pages.ui.widgets.slides.talk import add_button
from pages.ui.widgets.token_view.lanes import Lane
from pages.ui.widgets.token_view.serve import Offer, address, bundle, offers, view_css
from tokenizer_core.analysis.entries import SCRIPTS, Entries

BROWSER = Path(__file__).parent / "browser"
CACHE_BYTES = 64 * 2**20
_TOLD: Maybe[Mapping[str, Any]] = Maybe("vocabulary_view")
"""What the browser tells once: the id that was "picked" by a click, or "found" first by a search; or the text that
a search "missed", because no token has it."""
_MISSED: Maybe[str] = Maybe("vocabulary_missed")
MOST_SEARCHED = 200
"""Characters of a text that no token has, whose tokens are shown instead."""
_payloads = Bounded[bytes](CACHE_BYTES, weigh=len)
_component = st.components.v2.component(
    "vocabulary",
    css=view_css() + (BROWSER / "vocabulary.css").read_text("utf-8"),
    js=bundle(BROWSER / "vocabulary.js"),
)


class Part(NamedTuple):
    """Some entries of a vocabulary, which are shown alone."""

    name: str
    entries: Entries


def browse(lane: Lane, lanes: Sequence[Lane], part: Part | None = None) -> None:
    """Draw the entries, beside them how a token was made, and below both its relations: a fragment of the page."""
    with errors_shown():
        _take_picks(lane)
        place, text = text_below()
        uses = uses_in(lane, text)
        with place:
            left, right = st.columns([3, 5])
            with left:
                entries_view(lane, uses, text, part)
            token_id = picked_among(lane, part.entries) if part else picked_in(lane)
            with right:
                biography(lane, token_id, uses, text)
            if not part:
                add_button(entry_of(lane, lanes), key="vocabulary_add")
            relations(lane, token_id, uses, text, lanes)


def entries_view(lane: Lane, uses: Uses, text: OwnText, part: Part | None = None) -> None:
    """Draw the vocabulary of a lane, or a part of it."""
    key = f"{lane.key} {part.name}" if part else lane.key
    offer = Offer(
        lambda: _payloads.get(key, lambda: pack(part.entries if part else entries_in(lane))),
        partial(error_sentence, spoken=language()),
    )
    look = FirstLook(None, picked_among(lane, part.entries)) if part else first_look(lane)
    words = json.dumps(
        {
            "address": address(offers().offer(f"vocabulary {key}", offer)),
            "name": without_breaks(lane.name),
            "part": part.name if part else "",
            "labels": section("entries"),
            "locale": language(),
            "tints": TINT_COUNT,
            "scripts": SCRIPTS,
            "script": look.script,
            "opens": look.token_id,
            "picked": look.token_id if part else picked_in(lane),
            "missed": missed_in(lane),
            "used": len(uses.ids),
            "counted": without_breaks(t("entries.counted", text=text.name)) if len(uses.ids) else "",
        }
    ).encode("utf-8")
    data = len(words).to_bytes(4, "little") + words + np.concatenate(uses).astype("<i4").tobytes()
    _component(
        key=_TOLD.key,
        data=data,
        on_picked_change=lambda: None,
        on_found_change=lambda: None,
        on_missed_change=lambda: None,
    )


def missed_in(lane: Lane) -> dict[str, Any] | None:
    """Return the text that a search missed, and the ids of its tokens; None if there is none."""
    query = _MISSED.get()
    return {"query": query, "ids": list(lane.tokenizer.encode(query))} if query else None


def _take_picks(lane: Lane) -> None:
    """Look at the token that was clicked or found just now, if any; browsers may tell anything."""
    told = _TOLD.get() or {}
    if isinstance(missed := told.get("missed"), str):
        _MISSED.put(missed[:MOST_SEARCHED])
    for asked, by_click in ((told.get("picked"), True), (told.get("found"), False)):
        if isinstance(asked, (int, float)) and int(asked) in entries_in(lane).ids:
            pick(lane, int(asked), by_click=by_click)


def pack(entries: Entries) -> bytes:
    """Pack a header, then ids, ends in bytes, scripts, and the bytes of all tokens; numbers are little-endian."""
    header = json.dumps({"entries": len(entries.tokens)}).encode("utf-8")
    header += b" " * (-len(header) % 4)  # numbers must start at a multiple of four
    ends = np.cumsum(np.fromiter(map(len, entries.tokens), dtype=np.int64, count=len(entries.tokens)))
    return b"".join(
        [
            len(header).to_bytes(4, "little"),
            header,
            entries.ids.astype("<i4").tobytes(),
            ends.astype("<u4").tobytes(),
            entries.scripts.tobytes(),
            *entries.tokens,
        ]
    )
