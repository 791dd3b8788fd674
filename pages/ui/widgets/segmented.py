"""A choice of one among a few options, all of them visible."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from pages.ui.session import remembered

T = TypeVar("T", bound=str | int)


def segmented(
    label: str,
    options: Sequence[T],
    called: Callable[[T], str],
    *,
    key: str,
    default: T | None = None,
    show_label: bool = False,
    help: str | None = None,
    on_change: Callable[[], None] | None = None,
) -> T:
    """Let the visitor choose one option, at first the default or else the first one; it survives page changes.

    `called` names an option in the visitor's language. Screen readers read the label even if it is not shown.
    """
    first = options[0] if default is None else default
    chosen: T | None = st.segmented_control(
        label,
        options,
        format_func=called,
        required=True,
        key=remembered(key, first),
        persist_state="session",
        label_visibility="visible" if show_label else "collapsed",
        help=help,
        on_change=on_change,
        wrap=True,
    )
    return first if chosen is None else chosen
