"""Draws tokens, everywhere in the app: a text and its lanes become a payload, which the browser draws."""

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

import streamlit as st

from pages.ui.session import Maybe
from pages.ui.widgets.token_view.drawings import Drawing
from pages.ui.widgets.token_view.serve import BROWSER, address, bundle, faces, view_css

View = Literal["staff", "columns", "chips"]
Colour = Literal["piece", "bytes", "broken", "branch"]
VIEWS: tuple[View, ...] = get_args(View)
COLOURS: tuple[Colour, ...] = get_args(Colour)
_component = st.components.v2.component("token_view", css=view_css(), js=bundle(BROWSER / "view.js"))


@dataclass(frozen=True)
class Link:
    """The parameters that a page adds to a link to its view, which holds the text and the view."""

    parameters: dict[str, str]
    has_text: bool = True
    leaves_out_mine: bool = False
    holds: Literal["tokenizers", "patterns", "story"] = "tokenizers"
    """What the menu says that it holds; a story brings its own text."""


class Stages(NamedTuple):
    """The vocabulary sizes that a lane can have, and the one that it has."""

    of: str
    """What the page calls the lane when the visitor has moved it to another size."""
    least: int
    most: int
    at: int
    special: int = 0
    """Its special tokens, which it has at every size."""


def token_view(
    drawing: Drawing,
    *,
    key: str,
    view: View = "staff",
    colour: Colour = "piece",
    show_white_space: bool = False,
    mark_differences: bool = False,
    looped: bool = False,
    ruler: bool = True,
    large: bool = False,
    largest: bool = False,
    numbers_first: bool = False,
    toolbar: Literal["full", "short", "none", "apart"] = "full",
    text_first: bool = False,
    max_height: int | None = 560,
    link: Link | None = None,
    sizes: Mapping[int, Stages] = MappingProxyType({}),
) -> None:
    """Draw a payload, with these choices until the visitor makes others in the browser, without a rerun.

    `looped` is for Thai letters as schools teach them. `max_height`, in pixels, includes the figures above the
    lanes; with `None` the whole text is drawn. `large` sets a short text in larger type, and `largest` up to 64
    characters in type that can be read across a room, where the width allows. With `text_first` the tokens stand
    as high as they can: the bar and the legend come below them, and the heads take a line less. `sizes` gives the
    heads of these lanes, by number, a slider of vocabulary sizes; `moved_size` says where it was moved.

    With `numbers_first` each row of a short text has its number of tokens at the left, which says all else when it
    is pointed at, in letters that fill the screen; a longer text has such numbers above it, or with `text_first`
    its heads. `toolbar_of` draws a bar that is "apart".
    """
    options = {
        "key": key,
        "view": view,
        "colour": colour,
        "white_space": show_white_space,
        "marks": mark_differences,
        "looped": looped,
        "ruler": ruler,
        "large": large,
        "largest": largest,
        "numbers_first": numbers_first,
        "toolbar": toolbar,
        "text_first": text_first,
        "max_height": max_height,
        "link": link and asdict(link),
        "sizes": {number: stages._asdict() for number, stages in sizes.items()},
        # Where the browser fetches what is left out here.
        "whole": drawing.whole and address(drawing.whole),
        "faces": faces(),
        "page": address("page.html"),
    }
    _component(key=key, data=_with_options(drawing.payload, options), on_size_change=lambda: None)


def moved_size(key: str) -> tuple[str, int] | None:
    """Return which lane of a view the visitor moved last, and to which size; call it before the view is drawn."""
    moved = (Maybe[Any](key).get() or {}).get("size")
    if not isinstance(moved, dict) or not isinstance(moved.get("size"), int):
        return None
    return str(moved.get("of")), int(moved["size"])


def toolbar_of(key: str) -> None:
    """Draw the toolbar of the view with this key, which stands apart from it."""
    _component(key=f"{key}_toolbar", data=_with_options(b"", {"bar_of": key}))


def _with_options(payload: bytes, options: dict[str, Any]) -> bytes:
    """Put the options before the payload: Streamlit sends bytes unchanged only if it sends nothing else."""
    words = json.dumps(options).encode("utf-8")
    return struct.pack("<I", len(words)) + words + payload
