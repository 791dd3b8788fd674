"""The one way tokens are drawn in the app: a text and its lanes → a payload → a drawing in the browser."""

import json
import struct
from dataclasses import dataclass
from typing import Any, Literal, get_args

import streamlit as st

from .drawings import Drawing
from .serve import address, view_css, view_js

View = Literal["staff", "columns", "chips"]
Colour = Literal["piece", "bytes", "broken", "branch"]
VIEWS: tuple[View, ...] = get_args(View)
COLOURS: tuple[Colour, ...] = get_args(Colour)
_component = st.components.v2.component("token_view", css=view_css(), js=view_js())


@dataclass(frozen=True)
class Link:
    """What a link to this view says besides text and view: the page's own parameters."""

    parameters: dict[str, str]
    has_text: bool = True
    leaves_out_mine: bool = False
    holds: Literal["tokenizers", "patterns", "story"] = "tokenizers"
    """What people are told that it holds; a story brings its own text."""


def token_view(
    drawing: Drawing,
    *,
    key: str,
    view: View = "staff",
    colour: Colour = "piece",
    show_white_space: bool = False,
    mark_differences: bool = False,
    ruler: bool = True,
    large: bool = False,
    toolbar: Literal["full", "short", "none"] = "full",
    max_height: int | None = 560,
    link: Link | None = None,
) -> None:
    """Draw a payload. People switch view and colour in the browser, without a rerun; these are the defaults.

    `max_height` is in pixels, the figures above the lanes included; what is shorter gets no scroll bar, and
    `None` draws the text at full length. `large` sets a short text in larger type.
    """
    options = {
        "key": key,
        "view": view,
        "colour": colour,
        "white_space": show_white_space,
        "marks": mark_differences,
        "ruler": ruler,
        "large": large,
        "toolbar": toolbar,
        "max_height": max_height,
        "whole": drawing.whole and address(drawing.whole),
        "page": address("page.html"),
        "link": link
        and {
            "parameters": link.parameters,
            "text": link.has_text,
            "mine": link.leaves_out_mine,
            "holds": link.holds,
        },
    }
    _component(key=key, data=_with_options(drawing.payload, options))


def _with_options(payload: bytes, options: dict[str, Any]) -> bytes:
    """The options before the payload: Streamlit sends bytes as they are only where they stand alone."""
    words = json.dumps(options).encode("utf-8")
    return struct.pack("<I", len(words)) + words + payload
