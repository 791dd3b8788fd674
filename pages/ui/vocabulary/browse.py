"""All entries of a vocabulary in the browser: searched, filtered, sorted and walked through there."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from pages.ui.i18n import error_sentence, language, section, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.vocabulary.choices import OwnText, Uses, entries_in
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.colours import TINT_COUNT
from pages.ui.widgets.token_view.lanes import Lane
from pages.ui.widgets.token_view.serve import Offer, address, bundle, offers, view_css
from tokenizer_core.analysis.entries import SCRIPTS, Entries

BROWSER = Path(__file__).parent / "browser"
CACHE_BYTES = 64 * 2**20
_payloads = Bounded[bytes](CACHE_BYTES, weigh=len)
_component = st.components.v2.component(
    "vocabulary",
    css=view_css() + (BROWSER / "vocabulary.css").read_text("utf-8"),
    js=bundle(BROWSER / "vocabulary.js"),
)


def entries_view(lane: Lane, uses: Uses, text: OwnText, picked: int) -> int | None:
    """Draw the vocabulary of a lane; return the id that was clicked just now, if any."""
    entries = entries_in(lane)
    offer = Offer(
        lambda: _payloads.get(lane.key, lambda: pack(entries_in(lane))), partial(error_sentence, spoken=language())
    )
    words = json.dumps(
        {
            "address": address(offers().offer(f"vocabulary {lane.key}", offer)),
            "name": without_breaks(lane.name),
            "labels": section("entries"),
            "locale": language(),
            "tints": TINT_COUNT,
            "scripts": SCRIPTS,
            # At first the script of the page's language, if the vocabulary has it.
            "script": "thai" if language() == "th" and entries.count("thai") else "latin",
            "picked": picked,
            "used": len(uses.ids),
            "counted": without_breaks(t("entries.counted", text=text.name)) if len(uses.ids) else "",
        }
    ).encode("utf-8")
    data = len(words).to_bytes(4, "little") + words + np.concatenate(uses).astype("<i4").tobytes()
    clicked = _component(key="vocabulary_view", data=data, on_picked_change=lambda: None).picked
    return int(clicked) if isinstance(clicked, (int, float)) and int(clicked) in entries.ids else None


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
