"""The values of one visitor's session: nothing else touches Streamlit's session state.

The `keys.py` of a folder declares the values of that folder; the shell's `visitor.py` those of the visitor.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import streamlit as st

T = TypeVar("T")


class Value(Generic[T]):
    """A value under one key; until there is one, what `make` gives."""

    def __init__(self, key: str, make: Callable[[], T]) -> None:
        self.key = key
        self._make = make

    def get(self) -> T:
        """The value; one that was just made is kept."""
        if self.key not in st.session_state:
            st.session_state[self.key] = self._make()
        value: T = st.session_state[self.key]
        return value

    def put(self, value: T) -> None:
        """Set the value; of a widget only before it is drawn, or in a callback."""
        st.session_state[self.key] = value

    def take(self) -> T:
        """The value, which is then forgotten."""
        value = self.get()
        self.forget()
        return value

    def forget(self) -> None:
        """Drop the value."""
        st.session_state.pop(self.key, None)


class Maybe(Value[T | None]):
    """A value that may be missing."""

    def __init__(self, key: str) -> None:
        super().__init__(key, lambda: None)

    def get(self) -> T | None:
        """The value, or None."""
        value: T | None = st.session_state.get(self.key)
        return value


_worded: Value[set[str]] = Value("worded_keys", set)
"""Keys of widgets whose choices are shown in the visitor's language."""


def remembered(key: str, default: str | float | list[str]) -> str:
    """Give the widget of this key its default once; afterwards it keeps its value by itself."""
    if key not in st.session_state:
        st.session_state[key] = default
    return key


def one_of(key: str, options: Sequence[Any], default: Any = None) -> str:
    """Give a selectbox its default once, and let its choice stay when the language changes.

    The browser knows a choice by its name only, which the page no longer knows in another language. A value that
    is assigned while the language changes is sent to the browser under its new name: see `rename_choices`. A
    choice that is no longer offered becomes the default again, which is the first option where none is given.
    """
    if st.session_state.get(key) not in options:
        st.session_state[key] = options[0] if default is None else default
    _worded.get().add(key)
    return key


def rename_choices() -> None:
    """Assign every choice that is shown in words anew, because the language has just changed."""
    for key in _worded.get():
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]
