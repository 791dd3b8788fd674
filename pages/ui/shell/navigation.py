"""The pages of the app: their files, their titles, and the way from one to another."""

from pathlib import Path

import streamlit as st

from pages.ui.words import t

FOLDER = Path(__file__).resolve().parents[2]
NAMES = ("home", "train", "compare", "languages", "patterns")


def all_pages() -> list[st.Page]:
    """Every page, titled in the visitor's language; the address keeps the file's name."""
    return [st.Page(FOLDER / f"{name}.py", title=t(f"nav.{name}"), default=name == "home") for name in NAMES]


def page(name: str) -> Path:
    """The file of a page, for links to it."""
    return FOLDER / f"{name}.py"


def go(name: str) -> None:
    """Switch to a page."""
    st.switch_page(page(name))
