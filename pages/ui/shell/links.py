"""Links that restore a view: what the browser puts into one, and what is taken over from one that is opened."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pages.ui.session import Value
from pages.ui.token_view import COLOURS, VIEWS, Link
from pages.ui.words import language
from tokenizer_core.openai import OPENAI_NAMES

PRETOKENS = "pretokens"
LINKABLE = (*OPENAI_NAMES, PRETOKENS)
"""What a link can name: a tokenizer of one's own would need its training, which only its visitor may steer."""
_LINKED_VIEW: Value[dict[str, Any]] = Value("linked_view", dict)
MAX_PATTERN = 1_000
"""Characters of a pattern of one's own that still make a link that every program passes on whole."""


def linked_names(query: Mapping[str, str]) -> list[str]:
    """The tokenizers that a link names; what nobody knows is ignored."""
    return [name for name in dict.fromkeys(query.get("with", "").split(",")) if name in LINKABLE]


def take_over(query: Mapping[str, str]) -> None:
    """Note how a link wants the view to be drawn; what nobody knows is ignored."""
    view = {
        "view": query["view"] if query.get("view") in VIEWS else None,
        "colour": query["colour"] if query.get("colour") in COLOURS else None,
        "show_white_space": True if query.get("white_space") == "1" else None,
    }
    if any(view.values()):
        _LINKED_VIEW.put({name: value for name, value in view.items() if value is not None})


def linked_view() -> dict[str, Any]:
    """How a link wanted the view to be drawn, as arguments of `token_view`."""
    return _LINKED_VIEW.get()


def link_to(names: Sequence[str], *, pattern: str | None = None, has_text: bool = True) -> Link | None:
    """The link of a view with these tokenizers; None where its pattern is too long for one."""
    parameters = {"with": ",".join(name for name in names if name in LINKABLE)}
    if pattern is not None:
        parameters["pattern"] = pattern
    return _link(parameters, [pattern or ""], has_text=has_text, leaves_out_mine="mine" in names)


def link_to_patterns(patterns: Mapping[str, str]) -> Link | None:
    """The link of a text cut by two patterns, which have names; None where they are too long for one."""
    return _link(patterns, patterns.values(), holds="patterns")


def link_to_story(name: str) -> Link:
    """The link that tells this story."""
    return Link({"lang": language(), "story": name}, has_text=False, holds="story")


def _link(parameters: Mapping[str, str], patterns: Iterable[str], **more: Any) -> Link | None:
    if any(len(pattern) > MAX_PATTERN for pattern in patterns):
        return None
    return Link({"lang": language(), **parameters}, **more)
