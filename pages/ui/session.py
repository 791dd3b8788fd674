"""The values of a visitor's session; no other module accesses Streamlit's session state.

Each value is declared once, in the module that it belongs to.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Generic, TypeVar

import streamlit as st

T = TypeVar("T")


class Value(Generic[T]):
    """A session value under one key; `make` makes the first one."""

    def __init__(self, key: str, make: Callable[[], T]) -> None:
        self.key = key
        self._make = make

    def get(self) -> T:
        """Return the value; make and keep one if there is none yet."""
        try:
            value: T = st.session_state[self.key]
        except KeyError:
            value = st.session_state[self.key] = self._make()
        return value

    def put(self, value: T) -> None:
        """Set the value; set a widget's value only before it is drawn, or in a callback."""
        st.session_state[self.key] = value

    def take(self) -> T:
        """Return the value and forget it."""
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
        """Return the value, or None if it is missing."""
        value: T | None = st.session_state.get(self.key)
        return value


_worded: Value[set[str]] = Value("worded_keys", set)
"""Keys of widgets whose choices are shown in the visitor's language."""


def remembered(key: str, default: str | float | list[str]) -> str:
    """Give the widget with this key its default, unless it already has a value; return the key."""
    if key not in st.session_state:
        st.session_state[key] = default
    return key


def chosen_among(key: str, options: Sequence[str], default: Sequence[str], *, new: Sequence[str] = ()) -> str:
    """Give the widget of several choices its default; return the key.

    Choices that are no longer offered are dropped. What is new since the widget was last drawn is chosen.
    """
    seen_key = f"{key}_seen"
    seen = st.session_state.get(seen_key, [])
    if key not in st.session_state:
        st.session_state[key] = list(default)
    chosen = st.session_state[key]
    wanted = [*chosen, *(choice for choice in new if choice not in seen and choice not in chosen)]
    if (kept := [choice for choice in wanted if choice in options]) != chosen:
        st.session_state[key] = kept
    st.session_state[seen_key] = list(new)
    return key


def one_of(key: str, options: Sequence[Any], default: Any = None) -> str:
    """Give a selectbox its default, and let its choice survive a change of language; return the key.

    The browser knows a choice only by its name, which the page does not know in another language. So
    `rename_choices` assigns the choice again when the language changes, and the browser gets the new name. A
    choice that is no longer offered becomes the default, which is the first option if none is given.
    """
    if st.session_state.get(key) not in options:
        st.session_state[key] = options[0] if default is None else default
    _worded.get().add(key)
    return key


def distinct(names: Mapping[str, str]) -> dict[str, str]:
    """Number the second of equal names and those after it, because browsers know a choice by its name.

    >>> distinct({"run:1": "mine", "file:1": "mine"})
    {'run:1': 'mine', 'file:1': 'mine (2)'}
    """
    found: dict[str, str] = {}
    for choice, name in names.items():
        numbered = (f"{name} ({number})" if number > 1 else name for number in count(1))
        found[next(each for each in numbered if each not in found)] = choice
    return {choice: name for name, choice in found.items()}


def rename_choices() -> None:
    """Assign every choice that is shown in words again, after these have changed, as with the language."""
    for key in _worded.get():
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]
