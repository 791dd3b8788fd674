"""A choice of one among a few, all of them in sight."""

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
    """One of the options, at first the default or else the first one; it is kept over page changes.

    `called` names an option in the visitor's language. A label that is not shown is there for screen readers.
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
