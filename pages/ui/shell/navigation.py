"""The pages of the app: their files, their titles, and how to switch between them."""

from pathlib import Path

import streamlit as st

from pages.ui.words import t

FOLDER = Path(__file__).resolve().parents[2]
NAMES = ("home", "train", "compare", "languages", "patterns", "stories", "vocabulary")
ASIDE = ("pieces",)
"""Pages that other pages lead to; the navigation has no more room."""


def all_pages() -> list[st.Page]:
    """Return every page, with its title in the visitor's language; the address uses the file's name."""
    return [
        st.Page(FOLDER / f"{name}.py", title=t(f"nav.{name}"), default=name == "home") for name in (*NAMES, *ASIDE)
    ]


def page(name: str) -> Path:
    """Return the file of a page, to link to it."""
    return FOLDER / f"{name}.py"


def go(name: str) -> None:
    """Switch to a page."""
    st.switch_page(page(name))
