"""What presenter mode keeps in the session."""

from typing import NamedTuple

from pages.ui.session import Value


class Learned(NamedTuple):
    """A training that has been: enough of it to be played again without its texts."""

    corpus: str
    pattern: str
    merges: tuple[tuple[int, int, int], ...]
    """Left, right and count of each merge."""


class Entry(NamedTuple):
    """A part of a talk: a story by its name, a text in the tokens of references, or a training on a sentence."""

    story: str = ""
    text: str = ""
    lanes: tuple[str, ...] = ()
    learned: Learned | None = None


ENTRIES: Value[list[Entry]] = Value("my_talk", list)
"""The visitor's own talk."""
