"""What tests of the library may ask for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.jobs import SMALL, Start, wait_for
from tests.library.shelf import ROOMY
from tokenizer_core.jobs.job import ENDED, Job
from tokenizer_core.jobs.library import Library
from tokenizer_core.jobs.training import Goal, StopRules, Training


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts jobs, and ends their workers after the test."""
    jobs: list[Job] = []

    def start_job(text: str, vocab_size: int, **more: Any) -> Job:
        jobs.append(Job(Training([text], vocab_size, **more)))
        return jobs[-1]

    yield start_job
    for job in jobs:
        job.close()
        wait_for(job, *ENDED)


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
