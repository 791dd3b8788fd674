"""A training that was interrupted goes on where it was, and learns what it would have learned without a break."""

from pathlib import Path
from typing import Any

import pytest

from tests.helpers.jobs import LARGE, SMALL, Start, learned, wait_for, wait_until
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.kept import KeptJob, can_continue, entry_of
from tokenizer_core.jobs.library import Library, Quota
from tokenizer_core.jobs.training import Training


def interrupted(job: Job, folder: Path, merges: int) -> KeptJob:
    """The same training as the next start of the app finds it, when it had learned so much."""
    wait_until(job, lambda: len(job.merges) >= merges)
    library = Library(folder, Quota(10, 2**24))
    library.keep_run("me", *entry_of(job))
    (entry,) = library.entries("me")
    job.close()
    kept = KeptJob(entry, lambda: library.learned("me", entry))  # type: ignore[arg-type]
    assert can_continue(kept) == (kept.learned > 0)
    return kept


def gone_on(kept: Job, texts: list[str]) -> Job:
    training = Training(texts, **{name: value for name, value in settings(kept).items() if name != "texts"})
    return Job(training, continues=kept)


def settings(job: Job) -> dict[str, Any]:
    return {name: getattr(job.training, name) for name in Training.__dataclass_fields__}


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, marks=pytest.mark.long),
        {"given": [(98, 97), (256, 98)]},
        {"first_merges": 8},
        pytest.param({"pattern": "llama3"}, marks=pytest.mark.long),
    ],
    ids=["plain", "given", "two stages", "pattern"],
)
def test_it_learns_what_it_would_have_learned(start: Start, tmp_path: Path, more: dict[str, Any]) -> None:
    whole = start(SMALL, 330, **more)
    kept = interrupted(start(SMALL, 330, pace=40, **more), tmp_path, 20)
    before = list(kept.merges)
    job = gone_on(kept, [SMALL])
    assert (job.id, job.merges, job.continued_from) == (kept.id, before, len(before))
    job.set_pace(None)
    wait_for(job, "done")
    wait_for(whole, "done")
    assert job.merges == whole.merges
    assert job.curve[-1] == whole.curve[-1]
    assert [point for point, _ in job.curve] == sorted({point for point, _ in job.curve})
    assert job.corpus_sha256 == whole.corpus_sha256
    job.close()


def test_what_is_known_comes_back_at_once_and_the_rest_at_its_pace(start: Start, tmp_path: Path) -> None:
    kept = interrupted(start(LARGE, 2_000, pace=500), tmp_path, 100)
    known = kept.learned
    job = gone_on(kept, [LARGE])
    job.set_pace(0.01)  # at this pace, the known merges alone would take hours
    wait_until(job, lambda: len(job.merges) == known + 1)
    job.pause()
    wait_for(job, "paused")
    assert job.merges == learned(LARGE, 256 + len(job.merges))
    assert job.seconds >= kept.seconds
    job.close()


def test_another_text_is_noticed_and_nothing_is_lost(start: Start, tmp_path: Path) -> None:
    kept = interrupted(start(SMALL, 330, pace=40), tmp_path, 10)
    job = gone_on(kept, [SMALL + " more"])
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "continued_other_corpus"
    assert job.merges == kept.merges


def test_merges_that_the_text_does_not_give_are_noticed(start: Start, tmp_path: Path) -> None:
    kept = interrupted(start(SMALL, 330, pace=40), tmp_path, 10)
    kept.merges[3] = kept.merges[3]._replace(count=kept.merges[3].count + 1)
    job = gone_on(kept, [SMALL])
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "continued_differs"
    assert job._worker is not None
    assert job._worker.wait(60) is not None


def test_a_training_interrupted_before_it_learned_anything_begins(start: Start, tmp_path: Path) -> None:
    kept = interrupted(Job(Training([SMALL], 300), waits=True), tmp_path, 0)
    job = gone_on(kept, [SMALL])
    wait_for(job, "done")
    assert job.merges == learned(SMALL, 300)


def test_one_that_ended_by_itself_has_nothing_to_go_on_with(start: Start) -> None:
    job = start(SMALL, 260)
    wait_for(job, "done")
    assert not can_continue(job)
