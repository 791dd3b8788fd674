"""Links that restore a view: what the browser puts into one, and what is taken over from one that is opened."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.ui.limits import MAX_VIEW_CHARACTERS
from pages.ui.token_view import COLOURS, VIEWS, Link
from pages.ui.words import language
from tokenizer_core.openai import OPENAI_NAMES

PRETOKENS = "pretokens"
LINKABLE = (*OPENAI_NAMES, PRETOKENS)
"""What a link can name: a tokenizer of one's own would need its training, which only its visitor may steer."""


def take_over() -> None:
    """Put what the address says of text, tokenizers and view where the widgets find it; the rest is ignored."""
    said = st.query_params.to_dict()
    text = said.get("text")
    if text is not None:
        text = text[:MAX_VIEW_CHARACTERS]
        st.session_state.update(home_text=text.replace("\n", " "), compare_text=text, text_source="type")
    names = [name for name in dict.fromkeys(said.get("with", "").split(",")) if name in LINKABLE]
    if names:
        st.session_state.update(dict.fromkeys(("compare_names_True", "compare_names_False"), names))
    if PRETOKENS in names and said.get("pattern"):
        _take_pattern(said["pattern"])
    view = {
        "view": said["view"] if said.get("view") in VIEWS else None,
        "colour": said["colour"] if said.get("colour") in COLOURS else None,
        "show_white_space": True if said.get("white_space") == "1" else None,
    }
    if any(view.values()):
        st.session_state["linked_view"] = {name: value for name, value in view.items() if value is not None}


def _take_pattern(pattern: str) -> None:
    from pages.ui.inputs import PATTERN_ORDER

    named = pattern in PATTERN_ORDER and pattern != "custom"
    st.session_state["compare_pattern_choice"] = pattern if named else "custom"
    if not named:
        st.session_state["compare_pattern_custom"] = pattern


def linked_view() -> dict[str, Any]:
    """How a link wanted the view to be drawn, as arguments of `token_view`."""
    view: dict[str, Any] = st.session_state.get("linked_view", {})
    return view


def link_to(names: Sequence[str], *, pattern: str | None = None, has_text: bool = True) -> Link:
    """The link of a view with these tokenizers."""
    parameters = {"lang": language(), "with": ",".join(name for name in names if name in LINKABLE)}
    if pattern is not None:
        parameters["pattern"] = pattern
    return Link(parameters, has_text, leaves_out_mine="mine" in names)
