"""What the pickers keep in the session."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

from pages.ui.choices.corpus import Corpus
from pages.ui.choices.opened_files import OpenedFile
from pages.ui.choices.upload import Upload
from pages.ui.limits import MAX_OPENED_FILES, MAX_VIEW_CHARACTERS
from pages.ui.session import Maybe, Value
from tokenizer_core.errors import TokenizerFileError
from tokenizer_core.jobs.counts_reader import CountsReading
from tokenizer_core.patterns import SPLIT_PATTERNS
from tokenizer_core.texts.mixing import Mix, ScriptSizes, Unit
from tokenizer_core.texts.wikipedia import Article

OWN_PATTERN = "custom"
"""The choice of a custom split pattern."""

CORPORA: Value[dict[str, Corpus]] = Value("corpora", dict)
"""The last corpus of each source, with its figures."""
MEASURED: Value[dict[tuple[int, ...], dict[Unit, ScriptSizes]]] = Value("mix_measured", dict)
MIXED: Maybe[tuple[Any, Mix]] = Maybe("mix_mixed")
LOOKED_AT: Maybe[str] = Maybe("corpus_looked_at")
"""The uploaded file whose settings are shown; stored here because a page change resets its widget."""
FILE: Maybe[str] = Maybe("corpus_file")
COUNTS: Maybe[tuple[str, CountsReading]] = Maybe("corpus_counts")
"""The reading of the last uploaded file of counted pieces, by the key of the file."""
ARTICLES: Value[dict[tuple[str, str], Article]] = Value("wikipedia_articles", dict)
"""Articles by language and title."""
ASKED_TITLES: Value[set[tuple[str, str]]] = Value("wikipedia_known", set)
"""The language and the title of each fetched article, with the title as the visitor wrote it."""
SAID: Value[list[Callable[[], str]]] = Value("wikipedia_said", list)
"""The messages of the last fetch, as functions, so that they follow a change of language."""
OPENED_FILES: Value[list[OpenedFile]] = Value("opened_files", list)
SOURCE_OF_CORPUS: Maybe[str] = Maybe("corpus_source")
SOURCE_OF_TEXT: Maybe[str] = Maybe("text_source")
SOURCE_OF_PARALLEL: Maybe[str] = Maybe("languages_source")
TYPED_TEXT: Maybe[str] = Maybe("compare_text")


def upload(place: str) -> Maybe[Upload]:
    """Return the session value of the last upload at a place."""
    return Maybe(f"{place}_upload")


def refused_upload(place: str) -> Maybe[Upload]:
    """Return the session value of the last upload at a place that was more than the visitor may hold."""
    return Maybe(f"{place}_upload_refused")


def widget(key: str) -> Maybe[Any]:
    """Return the session value of a widget."""
    return Maybe(key)


def keep_file(file: OpenedFile, instead_of: str = "") -> None:
    """Keep an opened tokenizer, in the place of another one if its key is given.

    Of equal names the second is numbered, because browsers know a choice by its name. Raises `TokenizerFileError`
    if too many are open.
    """
    known = {each.key: each for each in OPENED_FILES.get()}
    taken = {each.name for key, each in known.items() if key not in (instead_of, file.key)}
    names = (f"{file.name} ({number})" if number > 1 else file.name for number in count(1))
    file = replace(file, name=next(name for name in names if name not in taken))
    if file.key not in known and not instead_of and len(known) >= MAX_OPENED_FILES:
        raise TokenizerFileError(
            f"at most {MAX_OPENED_FILES} tokenizers can be open; close one of them",
            "file_too_many_open",
            limit=MAX_OPENED_FILES,
        )
    known[instead_of if instead_of in known else file.key] = file
    OPENED_FILES.put(list({each.key: each for each in known.values()}.values()))


def close_file(key: str) -> None:
    """Close an opened tokenizer."""
    OPENED_FILES.put([each for each in OPENED_FILES.get() if each.key != key])


def leave_the_sample() -> None:
    """Lead to files, unless the visitor already chose another source than the bundled sentences."""
    if SOURCE_OF_CORPUS.get() in (None, "sample"):
        SOURCE_OF_CORPUS.put("upload")


def choose_pattern(prefix: str, pattern: str) -> None:
    """Choose a split pattern in the picker with this prefix; a pattern without a name becomes the custom one."""
    named = pattern in SPLIT_PATTERNS
    Maybe[str](f"{prefix}_choice").put(pattern if named else OWN_PATTERN)
    if not named:
        Maybe[str](f"{prefix}_custom").put(pattern)


def show_text(text: str) -> None:
    """Put a text into the text picker."""
    TYPED_TEXT.put(text[:MAX_VIEW_CHARACTERS])
    SOURCE_OF_TEXT.put("type")
