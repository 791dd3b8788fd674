"""Links that restore a view: what a link contains, and what the pages take from an opened link."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pages.ui.i18n import language
from pages.ui.session import Maybe, Value
from pages.ui.widgets.token_view import COLOURS, VIEWS, Link
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.sources.hub import PREFIX, is_hub_name

PRETOKENS = "pretokens"
LINKABLE = (*OPENAI_NAMES, PRETOKENS)
"""What a link can name beside models of the Hub.

The visitor's own tokenizer would need its training, which only they may control.
"""
MAX_PATTERN = 1_000
"""Characters of a custom pattern in a link; some programs cut off longer links."""
KEPT_IN_ADDRESS = {"lang", "job", "present", "notes", "tab", "lesson"}
"""Parameters that stay in the address of a page."""


class _Opened(NamedTuple):
    """The parameters of an opened link, and the pages that have taken them."""

    parameters: dict[str, str]
    taken_by: set[str]


_OPENED: Maybe[_Opened] = Maybe("opened_link")
_LINKED_VIEW: Value[dict[str, Any]] = Value("linked_view", dict)


def remember_link(query: Mapping[str, str]) -> None:
    """Keep an opened link for the pages, and how it wants the view to look; ignore unknown values."""
    view = {
        "view": query["view"] if query.get("view") in VIEWS else None,
        "colour": query["colour"] if query.get("colour") in COLOURS else None,
        "show_white_space": True if query.get("white_space") == "1" else None,
        "looped": True if query.get("looped") == "1" else None,
    }
    if any(view.values()):
        _LINKED_VIEW.put({name: value for name, value in view.items() if value is not None})
    if query.keys() - KEPT_IN_ADDRESS:
        _OPENED.put(_Opened(dict(query), set()))


def link_for(page: str) -> Mapping[str, str]:
    """Return the parameters of the last opened link, the first time that a page asks; later, nothing."""
    opened = _OPENED.get()
    if opened is None or page in opened.taken_by:
        return {}
    opened.taken_by.add(page)
    return opened.parameters


def linked_names(query: Mapping[str, str]) -> list[str]:
    """Return the tokenizers that a link names; ignore unknown names."""
    return [name for name in dict.fromkeys(query.get("with", "").split(",")) if _is_linkable(name)]


def is_model(name: str) -> bool:
    """Tell whether a name in a link means a model of the Hub, perhaps with its version."""
    wanted, _, revision = name.removeprefix(PREFIX).partition("@")
    return name.startswith(PREFIX) and is_hub_name(wanted) and (f"{revision}0").isalnum()


def _is_linkable(name: str) -> bool:
    return name in LINKABLE or is_model(name)


def linked_view() -> dict[str, Any]:
    """Return how a link wanted the view to look, as arguments of `token_view`."""
    return _LINKED_VIEW.get()


def link_to(names: Sequence[str], *, pattern: str | None = None, has_text: bool = True) -> Link | None:
    """Return the link to a view with these tokenizers; None if its pattern is too long for a link."""
    linkable = list(filter(_is_linkable, names))
    parameters = {"with": ",".join(linkable)}
    if pattern is not None:
        parameters["pattern"] = pattern
    return _link(parameters, [pattern or ""], has_text=has_text, leaves_out_mine=linkable != list(names))


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
