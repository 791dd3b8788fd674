"""What files do not say of themselves, and how they were read."""

from collections.abc import Callable
from typing import NamedTuple


class EncodingGuess(NamedTuple):
    """The encoding of a file that does not say it."""

    encoding: str


class ColumnGuess(NamedTuple):
    """The columns of a table that were read, because none were named, out of all that hold text."""

    chosen: tuple[str, ...]
    columns: tuple[str, ...]


Guess = EncodingGuess | ColumnGuess


class FileGuess(NamedTuple):
    """A guess, with the file and its place in the order of the files."""

    number: int
    name: str
    guess: Guess


Guessed = Callable[[Guess], None]
"""Is told how a file was read that does not say it itself."""
