"""A fold: what few people need, behind a line that opens it."""

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.session import one_of


def fold(
    label: str,
    *,
    key: str,
    icon: str,
    is_open: bool = False,
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
) -> DeltaGenerator:
    """Draw a fold, at first closed unless `is_open`; it stays as it is when the language changes.

    The session value under its key tells whether it is open. Streamlit knows a fold by its label, so without the
    session every fold would close when its label is translated.
    """
    one_of(key, (is_open, not is_open))
    if on_change is None:
        return st.expander(label, key=key, icon=icon, on_change="rerun")
    return st.expander(label, key=key, icon=icon, on_change=on_change, args=args)
