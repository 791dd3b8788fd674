"""One small tree of exceptions that carry data.

Every error has an English message for programmers. From its `code` and `values`, an interface can build the same
message in another language.
"""

from collections.abc import Callable
from functools import partial
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

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[str]]:
        """Pass through to another process whole."""
        return partial(type(self), code=self.code, **self.values), (str(self),)

    def bare(self) -> Self:
        """Drop the traceback, context and cause, which keep whole texts alive, and return the error."""
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self


class PatternError(TokenizerError):
    """A split pattern that does not compile, is too slow on a text, or is too large."""


class TextError(TokenizerError):
    """A text with lone surrogates, which no byte-level tokenizer can encode."""


class TrainingError(TokenizerError):
    """A vocabulary size or a count out of range, or a pair that the corpus does not have."""


class SpecialTokenError(TokenizerError):
    """Special tokens that are empty, invalid, duplicated or unknown, or whose ids collide."""


class TokenIdError(TokenizerError):
    """A token id that the vocabulary does not have."""


class ModelFileError(TokenizerError):
    """A `.model` file that is damaged, or a tokenizer that the file format cannot hold."""


class TokenizerFileError(TokenizerError):
    """A file of another program's tokenizer that is damaged, too large, unknown, or cannot do what is asked."""


class RankFileError(TokenizerError):
    """A reference tokenizer that is unknown, or a rank file that is missing, damaged or impossible."""


class ExportError(TokenizerError):
    """A tokenizer that a file format cannot hold."""


class CorpusError(TokenizerError):
    """Files or texts that cannot be read, mixed or compared."""


class CountsError(TokenizerError):
    """Counted pretokens that are damaged, out of range, or do not belong together."""


class ClusterError(TokenizerError):
    """A cluster that is not there, has other versions of the library, or lost what it was counting."""


class WikipediaError(CorpusError):
    """An article that could not be fetched."""


class RecipeError(TokenizerError):
    """A file that is not a training recipe, or a recipe with other training rules."""


class LibraryError(TokenizerError):
    """A kept tokenizer that is damaged, or a library that is full or cannot be written."""
