"""The pages of the app: their files, their icons, and the way from one to another."""

from pathlib import Path

import streamlit as st

from pages.ui.words import t

FOLDER = Path(__file__).resolve().parents[1]
ICONS = {"home": ":material/home:", "train": ":material/model_training:", "compare": ":material/compare_arrows:"}


def all_pages() -> list[st.Page]:
    """Every page, titled in the visitor's language; the address keeps the file's name."""
    return [
        st.Page(FOLDER / f"{name}.py", title=t(f"nav.{name}"), icon=icon, default=name == "home")
        for name, icon in ICONS.items()
    ]


def go(name: str) -> None:
    """Switch to a page."""
    st.switch_page(FOLDER / f"{name}.py")
