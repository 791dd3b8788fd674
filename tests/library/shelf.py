"""A library of tokenizers, and what is kept in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokenizer_core.errors import LibraryError
from tokenizer_core.jobs.entry import Entry
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.kept import entry_of
from tokenizer_core.jobs.library import Library, Quota, owner_key

ROOMY = Quota(100, 2**24)


OWNER = owner_key("a secret")


def keep(library: Library, job: Job, owner: str = OWNER, **more: Any) -> Entry:
    entry, learned = entry_of(job, **more)
    library.keep_run(owner, entry, learned)
    return entry


def only(library: Library, owner: str = OWNER) -> Entry:
    (entry,) = library.entries(owner)
    assert isinstance(entry, Entry)
    return entry


def file_of(library: Library, entry: Entry) -> Path:
    return library.root / OWNER / f"{entry.id}.zip"


def refusal(refused: Callable[[], object]) -> str:
    with pytest.raises(LibraryError) as caught:
        refused()
    return caught.value.code
