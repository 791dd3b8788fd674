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


class Known(NamedTuple):
    """How much of a vocabulary is Thai, as counted."""

    tokenizer: str
    """A tokenizer of the app by its key, or the name of another one."""
    tokens: int
    thai: int


class Cut(NamedTuple):
    """The tokens of a text in one tokenizer: enough to draw them without it."""

    name: str
    """Its name, or the key of the words for it."""
    tokens: int
    lengths: tuple[int, ...]
    """The bytes of each piece of the text, end to end."""
    plain: tuple[int, ...] = ()
    """Which pieces belong to no token, by their places."""


class Lesson(NamedTuple):
    """What a lesson about SentencePiece shows of a text: its tokenizers are trained for it, and kept nowhere."""

    name: str
    cuts: tuple[Cut, ...]


class Entry(NamedTuple):
    """A part of a talk: a story by its name, a comparison of languages, a vocabulary, or a text.

    A text is cut by tokenizers, by split patterns or by those of a lesson, or a training is played on it. The text
    of a vocabulary is the token that is looked at; it is empty if that is no text.
    """

    story: str = ""
    text: str = ""
    lanes: tuple[str, ...] = ()
    """Choices of tokenizers. A file or a run is named by what is in it, so a saved talk finds it again."""
    learned: Learned | None = None
    patterns: tuple[str, ...] = ()
    unfair: Unfair | None = None
    known: Known | None = None
    lesson: Lesson | None = None


ENTRIES: Value[list[Entry]] = Value("my_talk", list)
"""The visitor's own talk."""
