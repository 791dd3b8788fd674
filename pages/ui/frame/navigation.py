"""The pages of the app: their files, their titles, and how to switch between them.

To add

- a page X: its script pages/X.py, its name below, its parts in pages/ui/X/, its words in i18n/*/X.toml with a
  title, "nav.X" and "manual.X" where those of other pages are, and X in PAGE_FOLDERS of the house tests;
- a lesson: its line in LESSONS of learn/lessons.py, its screens in learn/browser/, its words in i18n/*/learn.toml;
- a story: a function and its line in STORIES of stories/all_stories.py, its words in i18n/*/stories.toml;
- a split pattern: SPLIT_PATTERNS in patterns/split_patterns.py of the library, its words in i18n/*/choices.toml;
- a source of texts: a function in inputs/, its line in SOURCES of inputs/corpus_picker.py;
- a language: a folder in i18n/ with the keys of Thai, a file in i18n/characters/, its line in LANGUAGES.
"""

from pathlib import Path

import streamlit as st

from pages.ui.i18n import language, t
from pages.ui.session import Value

FOLDER = Path(__file__).resolve().parents[2]
NAMES = ("home", "learn", "train", "compare", "languages", "patterns", "vocabulary")
ASIDE = {"stories": "learn", "pieces": "train"}
"""Pages for which the navigation has no more room, and the page that each belongs to."""


_PAGES: Value[dict[str, list[st.Page]]] = Value("pages", dict)
"""The pages of a session, by language."""


def all_pages() -> list[st.Page]:
    """Return every page, with its title in the visitor's language; the address uses the file's name."""
    known = _PAGES.get()
    if (spoken := language()) not in known:
        known[spoken] = [
            st.Page(FOLDER / f"{name}.py", title=t(f"nav.{name}"), default=name == "home")
            for name in (*NAMES, *ASIDE)
        ]
    return known[spoken]


def page(name: str) -> Path:
    """Return the file of a page, to link to it."""
    return FOLDER / f"{name}.py"


def go(name: str) -> None:
    """Switch to a page."""
    st.switch_page(page(name))


def halves() -> None:
    """Draw the way between the two halves of Learn, lessons and stories, each with an address of its own."""
    with st.container(horizontal=True, key="halves"):
        st.page_link(page("learn"), label=t("learn.lessons"), icon=":material/school:")
        st.page_link(page("stories"), label=t("learn.stories"), icon=":material/quiz:")
