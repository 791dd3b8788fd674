"""The picker of an encoding, and what people call each."""

from collections.abc import Callable

import streamlit as st

from pages.ui.choices import keys
from pages.ui.words import section, t
from tokenizer_core.texts.encodings import CANDIDATE_ENCODINGS


def encoding_picker(
    widget: str, current: str | None, choose: Callable[[str | None], None], *, label: str | None = None
) -> None:
    """A choice among encodings, of which none is chosen while no one fits; `choose` is told of it."""
    value = keys.widget(widget)
    options, known = list(CANDIDATE_ENCODINGS), section("encodings")
    if current:
        value.put(current.removesuffix("-sig"))
        options = list(dict.fromkeys([*options, current.removesuffix("-sig")]))
    st.selectbox(
        label or t("corpus.encoding"),
        options,
        format_func={option: known.get(option, option) for option in options}.__getitem__,
        index=None,
        key=widget,
        placeholder=t("corpus.choose_encoding"),
        on_change=lambda: choose(value.get()),
    )


def encoding_name(encoding: str) -> str:
    """What people call an encoding; its technical name where they have none for it."""
    encoding = encoding.removesuffix("-sig")
    return section("encodings").get(encoding, encoding)
