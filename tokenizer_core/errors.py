"""One small tree of exceptions that carry data. Their English sentences are in `errors.toml`.

From the `code` and the `values` of an error, an interface can build its sentence in another language.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Self


class TokenizerError(ValueError):
    """Base of all errors that a user's input can cause.

    >>> error = TokenizerError("vocab_size_low", size=12)
    >>> str(error), error.code, error.values
    ('The vocabulary size must be at least 256, got 12.', 'vocab_size_low', {'size': 12})
    """

    def __init__(self, code: str, /, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

    def __str__(self) -> str:
        sentence, values = sentence_of(self, english())
        return _WithCommas().vformat(sentence, (), values)

    def at(self, **place: str | int) -> Self:
        """Return the same error with the `file` or the `line` where it occurred; a place it already has stays."""
        return type(self)(self.code, **{**place, **self.values})

    def bare(self) -> Self:
        """Drop the traceback, context and cause, which keep whole texts alive, and return the error."""
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self


@cache
def english() -> dict[str, str]:
    """Return the words of `errors.toml` by dotted key, such as "errors.vocab_size_low"."""
    tables = tomllib.loads(Path(__file__).with_name("errors.toml").read_text("utf-8"))
    return {f"{name}.{key}": words for name, table in tables.items() for key, words in table.items()}


def sentence_of(error: TokenizerError, words: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """Return the sentence of an error with names in braces, and their values; `words` are those of a language.

    >>> sentence_of(TokenizerError("vocab_size_low", size=12), english())
    ('The vocabulary size must be at least 256, got {size}.', {'size': 12})
    """
    sentence, values = words[f"errors.{error.code}"], error.values
    if error.code == "pattern_syntax":
        values = {**values, "character": values["position"] + 1}  # people count from 1
        faults = [key for key in words if key.startswith("regex.") and values["why"].startswith(key[6:])]
        sentence = sentence.replace("{why}", words[max(faults, key=len)]) if faults else sentence
    for place in ("line", "file"):
        if place in values and f"{{{place}}}" not in sentence:
            sentence = words[f"places.{place}"] + sentence
    return sentence, values


class _WithCommas(Formatter):
    """Fills in values; integers get commas."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return format(value, "," if isinstance(value, int) else format_spec)


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


class SourceError(TokenizerError):
    """A model that is not at hand under its name, or that could not be fetched."""


class ChatError(TokenizerError):
    """A conversation that a model's chat template cannot wrap."""


class ExportError(TokenizerError):
    """A tokenizer that a file format cannot hold."""


class ExportWarning(TokenizerError):
    """A known incompatibility of an export; it comes with the export and is not raised."""


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


class SavedRunsError(TokenizerError):
    """A saved tokenizer that is damaged, or a folder of saved runs that is full or cannot be written."""


def refused_field(error: Exception) -> str:
    """Return the path of the field that msgspec refuses; "" if the whole content is no JSON.

    >>> refused_field(ValueError("Expected `int` >= 1 - at `$.given[...][0]`"))
    'given[...][0]'
    >>> refused_field(ValueError("Object missing required field `corpus`"))
    'corpus'
    """
    paths = re.findall(r"(?:required field `|at `\$\.?)([^`]*)`", str(error))
    return ".".join(reversed(paths))
