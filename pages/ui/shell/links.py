"""Links that restore a view: what a link contains, and what the app takes from an opened link."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pages.ui.session import Value
from pages.ui.token_view import COLOURS, VIEWS, Link
from pages.ui.words import language
from tokenizer_core.openai import OPENAI_NAMES

PRETOKENS = "pretokens"
LINKABLE = (*OPENAI_NAMES, PRETOKENS)
"""What a link can name. The visitor's own tokenizer would need its training, which only its visitor may steer."""
_LINKED_VIEW: Value[dict[str, Any]] = Value("linked_view", dict)
MAX_PATTERN = 1_000
"""Characters of a custom pattern in a link; some programs cut off longer links."""


def linked_names(query: Mapping[str, str]) -> list[str]:
    """Return the tokenizers that a link names; ignore unknown names."""
    return [name for name in dict.fromkeys(query.get("with", "").split(",")) if name in LINKABLE]


def take_over(query: Mapping[str, str]) -> None:
    """Store how a link wants the view to look; ignore unknown values."""
    view = {
        "view": query["view"] if query.get("view") in VIEWS else None,
        "colour": query["colour"] if query.get("colour") in COLOURS else None,
        "show_white_space": True if query.get("white_space") == "1" else None,
        "looped": True if query.get("looped") == "1" else None,
    }
    if any(view.values()):
        _LINKED_VIEW.put({name: value for name, value in view.items() if value is not None})


def linked_view() -> dict[str, Any]:
    """Return how a link wanted the view to look, as arguments of `token_view`."""
    return _LINKED_VIEW.get()


def link_to(names: Sequence[str], *, pattern: str | None = None, has_text: bool = True) -> Link | None:
    """Return the link to a view with these tokenizers; None if its pattern is too long for a link."""
    parameters = {"with": ",".join(name for name in names if name in LINKABLE)}
    if pattern is not None:
        parameters["pattern"] = pattern
    return _link(parameters, [pattern or ""], has_text=has_text, leaves_out_mine=not set(names) <= set(LINKABLE))


def link_to_patterns(patterns: Mapping[str, str]) -> Link | None:
    """Return the link to a text cut by two patterns, keyed by their names in the link; None if one is too long."""
    return _link(patterns, patterns.values(), holds="patterns")


def link_to_story(name: str) -> Link:
    """Return the link to a story."""
    return Link({"lang": language(), "story": name}, has_text=False, holds="story")


def _link(parameters: Mapping[str, str], patterns: Iterable[str], **more: Any) -> Link | None:
    if any(len(pattern) > MAX_PATTERN for pattern in patterns):
        return None
    return Link({"lang": language(), **parameters}, **more)
