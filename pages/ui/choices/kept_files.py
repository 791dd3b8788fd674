"""Tokenizers that the visitor opened from files, kept in the library: the files as they came."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from pages.ui.choices.keys import OPENED_FILES, keep_file
from pages.ui.choices.opened_files import OpenedFile, open_file
from pages.ui.shell import visitor
from pages.ui.trainings.registry import registry
from tokenizer_core.errors import LibraryError
from tokenizer_core.jobs.entry import MAX_NAME, Entry

REPAIRED = "yes"


def store_files(files: Mapping[str, bytes], file: OpenedFile, *, repair: bool = False) -> None:
    """Keep the files of an opened tokenizer, if there is a library and it has room."""
    library = registry().library
    if library is None:
        return
    options = {f"name{number}": name[:MAX_NAME] for number, name in enumerate(files)}
    options |= {"pattern": file.pattern} if file.pattern else {}
    options |= {"repair": REPAIRED} if repair else {}
    tokenizer, now = file.opened.tokenizer, time.time()
    pattern = str(getattr(tokenizer, "pattern", ""))
    entry = Entry(
        file.opened.digest[:32], "", now, now, tokenizer.vocab_size, pattern, file_name=file.name, options=options
    )
    with suppress(LibraryError):  # it is open all the same; the next run that is kept says what is wrong
        library.keep_files(visitor.owner(), entry, list(files.values()))


def kept_files() -> list[Entry]:
    """Return the files that the visitor opened, oldest first."""
    library = registry().library
    found = library.entries(visitor.owner()) if library is not None else []
    return [entry for entry in found if isinstance(entry, Entry) and entry.run is None]


def open_kept(entry: Entry) -> None:
    """Open a kept file on every page; raise `TokenizerError` if it cannot be read, or if too many are open."""
    library = registry().library
    if library is None:
        return
    contents = library.files_of(visitor.owner(), entry)
    files = {entry.options.get(f"name{number}", str(number)): each for number, each in enumerate(contents)}
    file = open_file(files, pattern=entry.options.get("pattern"), repair=entry.options.get("repair") == REPAIRED)
    keep_file(replace(file, name=file_title(entry)))


def is_open(entry: Entry) -> bool:
    """Tell whether a kept file is open in this session."""
    return any(each.opened.digest.startswith(entry.id) for each in OPENED_FILES.get())


def file_title(entry: Entry) -> str:
    """Return the name of a kept file: the visitor's, or else that of the file."""
    return entry.name or entry.file_name
