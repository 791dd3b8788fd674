"""Links that restore a view: what the browser puts into one, and what is taken over from one that is opened."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui.limits import MAX_VIEW_CHARACTERS
from pages.ui.token_view import COLOURS, VIEWS, Link
from pages.ui.words import language
from tokenizer_core.openai import OPENAI_NAMES
from tokenizer_core.patterns import SPLIT_PATTERNS

PRETOKENS = "pretokens"
LINKABLE = (*OPENAI_NAMES, PRETOKENS)
"""What a link can name: a tokenizer of one's own would need its training, which only its visitor may steer."""
LANES = ("first", "second")
"""The patterns of the lab, by the names that a link has for them."""
MAX_PATTERN = 1_000
"""Characters of a pattern of one's own that still make a link that every program passes on whole."""


def take_over() -> None:
    """Put what the address says of text, tokenizers and view where the widgets find it; the rest is ignored."""
    said = st.query_params.to_dict()
    text = said.get("text")
    if text is not None:
        text = text[:MAX_VIEW_CHARACTERS]
        st.session_state.update(
            home_text=text.replace("\n", " "), compare_text=text, text_source="type", lab_text=text
        )
    names = [name for name in dict.fromkeys(said.get("with", "").split(",")) if name in LINKABLE]
    if names:
        st.session_state.update(dict.fromkeys(("compare_names_True", "compare_names_False"), names))
    if PRETOKENS in names and said.get("pattern"):
        _take_pattern("compare_pattern", said["pattern"])
    for lane in LANES:
        if said.get(lane):
            _take_pattern(f"lab_{lane}", said[lane])
    if said.get("story"):
        st.session_state.update(languages_view="stories", linked_story=said["story"])
    view = {
        "view": said["view"] if said.get("view") in VIEWS else None,
        "colour": said["colour"] if said.get("colour") in COLOURS else None,
        "show_white_space": True if said.get("white_space") == "1" else None,
    }
    if any(view.values()):
        st.session_state["linked_view"] = {name: value for name, value in view.items() if value is not None}


def _take_pattern(key: str, pattern: str) -> None:
    """Choose a pattern; one without a name becomes the visitor's own."""
    named = pattern in SPLIT_PATTERNS
    st.session_state[f"{key}_choice"] = pattern if named else "custom"
    if not named:
        st.session_state[f"{key}_custom"] = pattern


def linked_view() -> dict[str, Any]:
    """How a link wanted the view to be drawn, as arguments of `token_view`."""
    view: dict[str, Any] = st.session_state.get("linked_view", {})
    return view


def link_to(names: Sequence[str], *, pattern: str | None = None, has_text: bool = True) -> Link | None:
    """The link of a view with these tokenizers; None where its pattern is too long for one."""
    parameters = {"with": ",".join(name for name in names if name in LINKABLE)}
    if pattern is not None:
        parameters["pattern"] = pattern
    return _link(parameters, [pattern or ""], has_text=has_text, leaves_out_mine="mine" in names)


def link_to_patterns(patterns: Sequence[str]) -> Link | None:
    """The link of the text under the knife with both patterns; None where they are too long for one."""
    return _link(dict(zip(LANES, patterns, strict=True)), patterns, holds="patterns")


def link_to_story(name: str) -> Link:
    """The link that tells this story."""
    return Link({"lang": language(), "story": name}, has_text=False, holds="story")


def _link(parameters: Mapping[str, str], patterns: Iterable[str], **more: Any) -> Link | None:
    if any(len(pattern) > MAX_PATTERN for pattern in patterns):
        return None
    return Link({"lang": language(), **parameters}, **more)
