"""A library of tokenizers, and what is kept in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokenizer_core.errors import SavedRunsError
from tokenizer_core.saved_runs.entry import Entry
from tokenizer_core.saved_runs.folder import Quota, SavedRuns, owner_key
from tokenizer_core.saved_runs.job import entry_of
from tokenizer_core.workers.training_job import Job

ROOMY = Quota(100, 2**24)


OWNER = owner_key("a secret")


def keep(saved: SavedRuns, job: Job, owner: str = OWNER, **more: Any) -> Entry:
    entry, learned = entry_of(job, **more)
    saved.keep_run(owner, entry, learned)
    return entry


def only(saved: SavedRuns, owner: str = OWNER) -> Entry:
    (entry,) = saved.entries(owner)
    assert isinstance(entry, Entry)
    return entry


def file_of(saved: SavedRuns, entry: Entry) -> Path:
    return saved.root / OWNER / f"{entry.id}.zip"


def error_of(refused: Callable[[], object]) -> SavedRunsError:
    with pytest.raises(SavedRunsError) as caught:
        refused()
    return caught.value


def refusal(refused: Callable[[], object]) -> str:
    return error_of(refused).code
