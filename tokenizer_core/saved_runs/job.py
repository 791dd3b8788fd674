"""Saved trainings as jobs: they have ended, and read what they learned when it is first asked for."""

import time
from collections.abc import Callable
from functools import cached_property

from tokenizer_core.bpe.trainer import Merge
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.saved_runs.entry import Entry, Learned, SavedRun
from tokenizer_core.saved_runs.recipe import Recipe, recipe_of
from tokenizer_core.workers.training_job import Job


class SavedJob(Job):
    """A training that ended before this app started, or was interrupted by the app's end."""

    def __init__(self, entry: Entry, read: Callable[[], Learned]) -> None:
        """Take what the entry says of the run; `read` reads what it learned, and raises `SavedRunsError`."""
        run = entry.run
        if run is None:
            raise ValueError("only a run can be a training")
        super().__init__(run.training, waits=True)
        self._read = read
        self._learned = entry.vocab_size - BYTES
        self.id, self.created = entry.id, entry.created
        self.state = "done" if run.state == "done" else "stopped"
        self.ending = "interrupted" if run.state == "interrupted" else run.ending or "stopped"
        self.pretokens, self.distinct_pretokens = run.pretokens, run.distinct_pretokens
        self.work_seconds, self._busy_seconds = run.work_seconds, run.seconds
        if run.recipe is not None:
            self.corpus_sha256 = run.recipe.corpus_sha256
            self.corpus_characters = run.recipe.corpus_characters
            self.versions = dict(run.recipe.versions)
            if run.recipe.superwords_from is not None:
                self.superwords_after = run.recipe.superwords_from - BYTES

    @cached_property
    def saved(self) -> Learned:
        """What was learned, read when it is first asked for; raise `SavedRunsError` if the entry is damaged."""
        return self._read()

    @property
    def merges(self) -> list[Merge]:
        """The merges learned; raise `SavedRunsError` if the entry is damaged."""
        return self.saved.merges

    @property
    def curve(self) -> list[tuple[int, int]]:
        """The tokens in the corpus after some of the merges; raise `SavedRunsError` if the entry is damaged."""
        return self.saved.curve

    @property
    def served(self) -> list[int | None]:
        """With parity, who chose each merge; raise `SavedRunsError` if the entry is damaged."""
        return list(self.saved.served)

    @property
    def learned(self) -> int:
        """How many merges are learned."""
        return self._learned


def entry_of(
    job: Job, *, name: str = "", number: int = 0, expected: Recipe | None = None
) -> tuple[Entry, Learned]:
    """Return what is saved of a training, now."""
    state = job.state  # before the merges: a training that has ended learns nothing more
    ending = job.ending
    merges = list(job.merges)
    curve = [point for point in list(job.curve) if point[0] <= len(merges)]
    learned = Learned(merges, curve, job.served[: len(merges)])
    run = SavedRun(
        job.training.forgotten(),
        state if state in ("done", "stopped") else "interrupted",
        ending if state in ("done", "stopped") else "interrupted",
        recipe_of(job, merges),
        job.pretokens,
        job.distinct_pretokens,
        job.work_seconds,
        job.seconds,
        number,
        expected,
    )
    size = BYTES + len(merges)
    return Entry(job.id, name, job.created, time.time(), size, job.training.pattern, run), learned
