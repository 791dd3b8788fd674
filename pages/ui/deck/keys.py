"""What presenter mode keeps in the session."""

from typing import NamedTuple

from pages.ui.session import Value


class Entry(NamedTuple):
    """A part of a talk: a story by its name, or a text in the tokens of references."""

    story: str = ""
    text: str = ""
    lanes: tuple[str, ...] = ()


ENTRIES: Value[list[Entry]] = Value("my_talk", list)
"""The visitor's own talk."""
