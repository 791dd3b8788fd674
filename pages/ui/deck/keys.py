"""What presenter mode keeps in the session."""

from typing import NamedTuple

from pages.ui.session import Value


class Learned(NamedTuple):
    """A training that has been: enough of it to be played again without its texts."""

    corpus: str
    pattern: str
    merges: tuple[tuple[int, int, int], ...]
    """Left, right and count of each merge."""


class Unfair(NamedTuple):
    """The highest premium of parallel texts, and the most unfair pair by the same tokenizer, as counted."""

    tokenizer: str
    """A tokenizer of the app by its key, or the name of another one."""
    languages: tuple[str, str]
    """The language, and the one it is divided by; those of the bundled sentences by their keys."""
    premium: float
    line: int = 0
    """The line of the pair, from 1; 0 if no pair has a premium."""
    pair_premium: float = 0.0
    texts: tuple[str, str] = ("", "")


class Entry(NamedTuple):
    """A part of a talk: a story by its name, a comparison of languages, or a text.

    A text is cut by tokenizers or by split patterns, or a training is played on it.
    """

    story: str = ""
    text: str = ""
    lanes: tuple[str, ...] = ()
    """Choices of tokenizers. A file or a run is named by what is in it, so a saved talk finds it again."""
    learned: Learned | None = None
    patterns: tuple[str, ...] = ()
    unfair: Unfair | None = None


ENTRIES: Value[list[Entry]] = Value("my_talk", list)
"""The visitor's own talk."""
