"""What tests of the library may ask for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.jobs import SMALL, wait_for
from tests.library.shelf import ROOMY
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.library import Library
from tokenizer_core.jobs.training import Goal, StopRules, Training


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A library that is empty."""
    return Library(tmp_path / "library", ROOMY)


@pytest.fixture(scope="module")
def finished() -> Iterator[Job]:
    """A training that has ended."""
    texts = [SMALL, "another text"]
    special = {"<|end|>": 400}
    stop = StopRules(2, 60.0, Goal("a goal", 1, "gpt2"))
    job = Job(Training(texts, 300, "llama3", special, stop, corpus_name="` *letters* `", given=[(97, 98)]))
    wait_for(job, "done")
    yield job
    job.close()
