"""What tests of jobs may ask for."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.jobs import Start, wait_for
from tokenizer_core.jobs.job import ENDED, Job
from tokenizer_core.jobs.training import Training


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
