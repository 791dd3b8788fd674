"""What can go wrong, as one small tree of exceptions that carry data.

Every error has an English message for programmers, and a `code` with `values` from which an interface can
build the same sentence in another language.
"""

from typing import Any, Self


class TokenizerError(ValueError):
    """Base of all errors that a user's input can cause.

    >>> error = TokenizerError("the vocabulary size must be at least 256; 12 came", "vocab_size_low", size=12)
    >>> str(error), error.code, error.values
    ('the vocabulary size must be at least 256; 12 came', 'vocab_size_low', {'size': 12})
    """

    def __init__(self, message: str, code: str, **values: Any) -> None:
        super().__init__(message)
        self.code = code
        self.values = values

    def bare(self) -> Self:
        """The error without the frames in which it came about, for who keeps it: they hold on to whole texts."""
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self


class PatternError(TokenizerError):
    """A split pattern that does not compile, is too slow on a text, or is too large."""


class TextError(TokenizerError):
    """A text that no byte-level tokenizer can take: it holds lone surrogates."""


class TrainingError(TokenizerError):
    """A training that cannot start: a vocabulary size or counts out of range."""


class SpecialTokenError(TokenizerError):
    """Special tokens that are empty, duplicated, or whose ids collide."""


class TokenIdError(TokenizerError):
    """A token id that the vocabulary does not have."""


class ModelFileError(TokenizerError):
    """A `.model` file that is damaged, or a tokenizer that the file format cannot hold."""


class RankFileError(TokenizerError):
    """A reference tokenizer whose rank files are missing or damaged."""


class CorpusError(TokenizerError):
    """Uploaded bytes that are no text."""


class WikipediaError(CorpusError):
    """An article that could not be fetched."""


class RecipeError(TokenizerError):
    """A file that is no recipe of a training, or one of other rules."""
