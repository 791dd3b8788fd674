"""The one way tokens are drawn in the app: a Streamlit component over `payload.py`."""

import json
import struct
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from .palette import palette_css
from .payload import ENGLISH_LABELS, Column, token_payload

__all__ = ["ENGLISH_LABELS", "Column", "token_payload", "token_view"]

_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "token_view",
    css=palette_css() + (_HERE / "token_view.css").read_text("utf-8"),
    js=(_HERE / "token_view.js").read_text("utf-8"),
)


def token_view(
    payload: bytes,
    *,
    key: str,
    view: Literal["reading", "chips"] = "reading",
    show_white_space: bool = False,
    layout: Literal["columns", "stack"] = "columns",
    toolbar: bool = True,
    max_height: int | None = 560,
) -> None:
    """Draw a payload. People switch view and white space in the browser, without a rerun; these are defaults.

    `max_height` is in pixels, the figures above the columns included; what is shorter gets no scroll bar, and
    `None` draws the text at full length.
    """
    options = {
        "key": key,
        "view": view,
        "white_space": show_white_space,
        "layout": layout,
        "toolbar": toolbar,
        "max_height": max_height,
    }
    _component(key=key, data=_with_options(payload, options))


def _with_options(payload: bytes, options: dict[str, Any]) -> bytes:
    """The options before the payload: Streamlit sends bytes as they are only where they stand alone."""
    words = json.dumps(options).encode("utf-8")
    return struct.pack("<I", len(words)) + words + payload
