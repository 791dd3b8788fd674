"""Trainings from the library: they have ended, and read what they learned when it is first asked for."""

import time
from collections.abc import Callable

from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.entry import Entry, KeptRun, Learned, damaged
from tokenizer_core.jobs.job import Ending, Job
from tokenizer_core.jobs.recipe import Recipe, recipe_of
from tokenizer_core.trainer import Merge
from tokenizer_core.vocabulary import BYTES


class KeptJob(Job):
    """A training that ended before this app started, or was interrupted by the app's end."""

    def __init__(self, entry: Entry, read: Callable[[], Learned]) -> None:
        """Take what the entry says of the run; `read` reads what it learned, and raises `LibraryError`."""
        run = entry.run
        if run is None:
            raise ValueError("only a run can be a training")
        try:
            super().__init__(run.training, waits=True)
        except TokenizerError as error:  # special tokens whose ids collide
            raise damaged(error) from None
        self._read = read
        self._learned = entry.vocab_size - BYTES
        self._is_read = False
        self.id, self.created = entry.id, entry.created
        self.state = "done" if run.state == "done" else "stopped"
        self.ending = _ending_of(run)
        self.pretokens, self.distinct_pretokens = run.pretokens, run.distinct_pretokens
        self.work_seconds, self._busy_seconds = run.work_seconds, run.seconds
        if run.recipe is not None:
            self.corpus_sha256 = run.recipe.corpus_sha256
            self.corpus_characters = run.recipe.corpus_characters
            self.versions = dict(run.recipe.versions)

    @property
    def merges(self) -> list[Merge]:
        """The merges learned; raise `LibraryError` if the entry is damaged."""
        self.read()
        return self._merges

    @property
    def curve(self) -> list[tuple[int, int]]:
        """The tokens in the corpus after some of the merges; raise `LibraryError` if the entry is damaged."""
        self.read()
        return self._curve

    @property
    def learned(self) -> int:
        """How many merges are learned."""
        return self._learned

    def read(self) -> None:
        """Read what was learned, unless it is read already; raise `LibraryError` if the entry is damaged."""
        if not self._is_read:
            merges, curve = self._read()
            if len(merges) != self._learned:
                raise damaged("it has learned something else")
            self._merges, self._curve = list(merges), list(curve)
            self._is_read = True


def entry_of(
    job: Job, *, name: str = "", number: int = 0, expected: Recipe | None = None
) -> tuple[Entry, Learned]:
    """Return what the library keeps of a training, now."""
    state = job.state  # before the merges: a training that has ended learns nothing more
    ending = job.ending
    merges = list(job.merges)
    learned = Learned(merges, [point for point in list(job.curve) if point[0] <= len(merges)])
    recipe = recipe_of(job, merges)
    run = KeptRun(
        job.training.forgotten(),
        state if state in ("done", "stopped") else "interrupted",
        "interrupted" if state not in ("done", "stopped") else ending,
        recipe,
        job.pretokens,
        job.distinct_pretokens,
        job.work_seconds,
        job.seconds,
        number,
        expected,
    )
    size = BYTES + len(merges)
    return Entry(job.id, name, job.created, time.time(), size, job.training.pattern, run), learned


def can_continue(job: Job) -> bool:
    """Tell whether a training ended before its time, and can go on where it was."""
    was_cut_short = job.ending == "interrupted" or job.state == "failed"
    return job.ended and was_cut_short and job.learned > 0 and job.corpus_sha256 is not None


def _ending_of(run: KeptRun) -> Ending:
    if run.state == "interrupted":
        return "interrupted"
    known: dict[str | None, Ending] = {
        ending: ending for ending in ("size", "pairs", "length", "time", "beaten", "stopped")
    }
    return known.get(run.ending, "stopped")
