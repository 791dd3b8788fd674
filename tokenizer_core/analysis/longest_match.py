"""WordPiece's walk through a word: from the left, always the longest entry that fits."""

from collections.abc import Mapping
from typing import NamedTuple


class WordPiece(NamedTuple):
    """What a model knows."""

    vocabulary: Mapping[str, int]
    unknown_id: int
    prefix: str = "##"
    """Stands before each piece but the first of a word."""
    most_characters: int = 100
    """A longer word is unknown."""


class Attempt(NamedTuple):
    """A piece that was looked up, as the vocabulary writes it; `start` and `end` count characters of the word."""

    start: int
    end: int
    written: str
    token_id: int | None
    """None if the vocabulary lacks it."""


class Walk(NamedTuple):
    """How a word becomes tokens."""

    word: str
    attempts: list[Attempt]
    ids: list[int]
    """One unknown token if some part of the word has no entry."""


def walk(word: str, model: WordPiece) -> Walk:
    """Cut a word: look up the rest of it, drop its last character until there is an entry, and go on behind it.

    >>> found = walk("unable", WordPiece({"un": 0, "##able": 1, "[UNK]": 2}, 2))
    >>> [attempt.written for attempt in found.attempts], found.ids
    (['unable', 'unabl', 'unab', 'una', 'un', '##able'], [0, 1])
    """
    attempts: list[Attempt] = []
    start = 0
    while start < len(word) <= model.most_characters:
        for end in range(len(word), start, -1):
            written = word[start:end] if not start else model.prefix + word[start:end]
            attempts.append(Attempt(start, end, written, model.vocabulary.get(written)))
            if attempts[-1].token_id is not None:
                break
        else:
            break
        start = attempts[-1].end
    ids = [each.token_id for each in attempts if each.token_id is not None]
    return Walk(word, attempts, ids if start == len(word) else [model.unknown_id])
