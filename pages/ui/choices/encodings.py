"""The picker of an encoding, and the common names of encodings."""

from collections.abc import Callable

import streamlit as st

from pages.ui.choices import keys
from pages.ui.words import section, t
from tokenizer_core.texts.encodings import CANDIDATE_ENCODINGS


def encoding_picker(
    widget: str, current: str | None, choose: Callable[[str | None], None], *, label: str | None = None
) -> None:
    """Let the visitor choose an encoding, and pass it to `choose`; none is selected if `current` is None."""
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
    """Return the common name of an encoding, or else its technical name."""
    encoding = encoding.removesuffix("-sig")
    return section("encodings").get(encoding, encoding)
