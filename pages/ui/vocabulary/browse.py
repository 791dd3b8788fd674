"""All entries of a vocabulary in the browser: searched, filtered, sorted and walked through there."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from pages.ui.token_view.bundle import bundle
from pages.ui.token_view.lanes import Lane
from pages.ui.token_view.palette import TINT_COUNT
from pages.ui.token_view.serve import Offer, address, offers, view_css
from pages.ui.vocabulary.lanes import Uses, entries_in
from pages.ui.vocabulary.payload import pack
from pages.ui.vocabulary.texts import OwnText
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import error_sentence, language, section, t
from pages.ui.words.breaks import without_breaks
from tokenizer_core.measures.entries import SCRIPTS, Script

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
    words = json.dumps(
        {
            "address": address(_offered(lane)),
            "name": without_breaks(lane.name),
            "labels": section("entries"),
            "locale": language(),
            "tints": TINT_COUNT,
            "scripts": SCRIPTS,
            "script": _first_script(lane),
            "picked": picked,
            "used": len(uses.ids),
            "counted": without_breaks(t("entries.counted", text=text.name)) if len(uses.ids) else "",
        }
    ).encode("utf-8")
    data = len(words).to_bytes(4, "little") + words + np.concatenate(uses).astype("<i4").tobytes()
    clicked = _component(key="vocabulary_view", data=data, on_picked_change=lambda: None).picked
    known = entries_in(lane).ids
    return int(clicked) if isinstance(clicked, (int, float)) and int(clicked) in known else None


def _first_script(lane: Lane) -> Script:
    """Return the script that is shown at first: that of the page's language, if the vocabulary has it."""
    return "thai" if language() == "th" and entries_in(lane).count("thai") else "latin"


def _offered(lane: Lane) -> str:
    """Return the name under which the browser fetches the entries."""

    def make() -> bytes:
        return _payloads.get(lane.key, lambda: pack(entries_in(lane)))

    return offers().offer(f"vocabulary {lane.key}", Offer(make, partial(error_sentence, spoken=language())))
