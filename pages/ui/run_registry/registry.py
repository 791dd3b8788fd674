"""The registry of trainings: which run, which wait, and whose they are; and a spare worker, already warm."""

import contextlib
import secrets
import threading
import time
from collections import Counter
from functools import cache
from itertools import count
from typing import NamedTuple

from pages.ui.limits import (
    LEFT_ALONE_SECONDS,
    MAX_KEPT_CHARACTERS,
    MAX_PAUSED,
    MAX_RUNS,
    MAX_TRAININGS,
    MAX_WAITING,
    MAX_WORKER_BYTES,
    SAVED_RUNS_ENTRIES,
    UNSEEN_SECONDS,
)
from pages.ui.run_registry.keeping import Keeper, Run, open_saved_runs
from tokenizer_core.errors import SavedRunsError, TokenizerError, TrainingError
from tokenizer_core.kernels.compiled import stand_in, take_over
from tokenizer_core.saved_runs.entry import Entry
from tokenizer_core.saved_runs.folder import Damaged, SavedRuns
from tokenizer_core.saved_runs.job import SavedJob
from tokenizer_core.saved_runs.recipe import Recipe
from tokenizer_core.workers.child import CANNOT_START, Child
from tokenizer_core.workers.compiling import PARTS, load_all
from tokenizer_core.workers.training_job import Job, start_worker
from tokenizer_core.workers.training_settings import Training

SWEEP_SECONDS = 15.0
AT_WORK = ("starting", "counting", "running")


class Standing(NamedTuple):
    """How many trainings this server has, by what they do."""

    at_work: int
    waiting: int
    paused: int
    runs: int
    """Those that are in memory, whatever they do."""


class Registry:
    """All trainings of this server by their id, which only their owner's address contains.

    At most `MAX_TRAININGS` run at the same time; the others wait for their turn in the order they came, but those
    of an owner with several at work or in line wait for owners with fewer. A paused training takes no turn. Saved
    runs come back into memory when they are asked for.

    Methods that change the runs or the queue hold the lock. Methods that only read do not, so that no page waits
    for a process to start: a lookup, and a copy of a list or of a dictionary's values, are one step in Python.
    """

    def __init__(self, saved: SavedRuns | None = None) -> None:
        self.saved = saved
        self._keeper = Keeper(saved, lambda: list(self._runs.values()))
        self._runs: dict[str, Run] = {}
        self._queue: list[Job] = []
        self._at_work: set[str] = set()
        self._spare: Child | None = None
        self._preparing: threading.Thread | None = None
        self._compilers: list[Child] = []
        self._closed = threading.Event()
        self._gives_turns = False
        self._lock = threading.RLock()

    def warm_up(self) -> None:
        """Get the compiled loops ready, while plain Python does their work; sweep the runs from now on."""
        stand_in()
        if self._closed.is_set():
            return
        self._preparing = threading.Thread(target=self._get_loops_ready, daemon=True)
        self._preparing.start()
        threading.Thread(target=self._look_after, daemon=True).start()

    def start(self, training: Training, *, owner: str = "", name: str = "") -> Job:
        """Start a training, or let it wait for its turn; raise `TrainingError` if too many wait or are kept."""
        limit = MAX_RUNS if self.saved is None else SAVED_RUNS_ENTRIES
        if owner and len(self.runs(owner)) >= limit:
            raise TrainingError("too_many_runs", limit=limit)
        with self._lock:
            if len(self._queue) >= MAX_WAITING:
                raise TrainingError("queue_full", limit=MAX_WAITING)
            job = Job(training, waits=True, memory_bytes=MAX_WORKER_BYTES, when_changed=self._on_change)
            taken = {run.number for run in self._runs.values() if run.owner == owner}
            self._runs[job.id] = Run(job, owner, name, next(number for number in count() if number not in taken))
            self._queue.append(job)
            self._go_on()
        self._keeper.keep_soon()
        return job

    def resume(self, job: Job) -> None:
        """Continue a paused training as soon as a turn is free."""
        with self._lock:
            if job.state == "paused" and job not in self._queue and job.id not in self._at_work:
                self._queue.append(job)
            self._go_on()

    def place(self, job: Job) -> int | None:
        """Return a training's place in the queue, counted from 1; None if it does not wait."""
        queue = list(self._queue)
        return queue.index(job) + 1 if job in queue else None

    def standing(self) -> Standing:
        """Count the trainings."""
        with self._lock:
            paused = sum(run.job.state == "paused" for run in self._runs.values())
            return Standing(len(self._at_work), len(self._queue), paused, len(self._runs))

    def get(self, job_id: str | None) -> Job | None:
        """Return the training with this id, and note that it was viewed; None if it is unknown or damaged."""
        run = self.run(job_id)
        if run is not None and isinstance(run.job, SavedJob):
            try:
                _ = run.job.saved  # read now
            except SavedRunsError:
                self.forget(run.job.id)
                return None
        return run.job if run else None

    def run(self, job_id: str | None) -> Run | None:
        """Return the run with this id, and note that it was viewed; None if the id is unknown."""
        run = self._runs.get(job_id or "")
        found = self.saved.find(job_id) if run is None and job_id and self.saved is not None else None
        if found is not None:
            with self._lock:
                run = self._take_back(*found)
        if run:
            run.seen = time.monotonic()
        return run

    def runs(self, owner: str) -> list[Run]:
        """Return the runs of an owner in the order they were started, and note that all were viewed."""
        self._keeper.visit(owner)
        kept = self._kept(owner)  # outside the lock: reading may take a moment
        if kept:
            with self._lock:
                for entry in kept:
                    if isinstance(entry, Entry):
                        self._take_back(owner, entry)
        found = [run for run in list(self._runs.values()) if run.owner == owner and owner]
        for run in found:
            run.seen = time.monotonic()
        return sorted(found, key=lambda run: run.job.created)

    def damaged(self, owner: str) -> list[Damaged]:
        """Return what an owner's folder holds that cannot be read."""
        return [each for each in self._kept(owner) if isinstance(each, Damaged)]

    def trouble(self, owner: str) -> SavedRunsError | None:
        """Return why an owner's runs cannot be kept; None if they are."""
        return self._keeper.troubles.get(owner)

    def rename(self, job_id: str, name: str) -> None:
        """Give a run another name, unless another tab has deleted it."""
        with self._lock:
            if job_id in self._runs:
                self._runs[job_id].name = name
        self._keeper.keep_soon()

    def delete(self, owner: str, job_id: str) -> None:
        """End a training if it still runs, and delete it for good; raise `SavedRunsError` if the disk refuses."""
        with self._keeper.lock:
            if self.saved is not None:
                self.saved.delete(owner, job_id)
            self.forget(job_id)

    def steered(self, key: str) -> Job | None:
        """Return the training that this key controls; None if there is none."""
        given = key.encode("utf-8", "surrogatepass")  # text is compared only if it is ASCII
        found = [run for run in list(self._runs.values()) if secrets.compare_digest(run.steering.encode(), given)]
        return self.get(found[0].job.id) if found else None

    def expect(self, job_id: str, recipe: Recipe | None) -> None:
        """Store the recipe that a training follows, unless another tab has deleted it."""
        with self._lock:
            if job_id in self._runs:
                self._runs[job_id].expected = recipe

    def expected(self, job_id: str) -> Recipe | None:
        """Return the recipe that a training follows."""
        run = self.run(job_id)
        return run.expected if run else None

    def forget(self, job_id: str) -> None:
        """End a training if it still runs, and free the memory of what it learned; what is saved stays."""
        with self._lock:
            run = self._runs.pop(job_id, None)
            if run:
                self._leave(run.job)
                run.job.close()
                self._go_on()

    def _forget_but_keep(self, job_id: str) -> None:
        """Forget a run, but save what an unfinished one has learned so far."""
        with self._keeper.lock:
            run = self._runs.get(job_id)
            if run is not None and not run.job.ended:
                self._keeper.keep(run)
            self.forget(job_id)

    def sweep(self) -> None:
        """Save what is not saved yet, and free what was not viewed for long: runs, turns, workers, texts."""
        self._keeper.keep_all()
        now = time.monotonic()
        for run in list(self._runs.values()):
            if now - run.seen > UNSEEN_SECONDS:
                self._forget_but_keep(run.job.id)
        with self._lock:
            longest_unseen = sorted(self._runs.values(), key=lambda run: run.seen)
            jobs = [run.job for run in longest_unseen]
            if self._queue:  # a training at full speed ends by itself, so a slow one is paused
                alone = [run.job for run in longest_unseen if now - run.seen > LEFT_ALONE_SECONDS]
                slow = [job for job in alone if job.id in self._at_work and job.pace is not None]
                for job in slow[:1]:
                    job.pause()
            paused = [job for job in jobs if job.state == "paused" and job not in self._queue]
            for job in paused[: max(0, len(paused) - MAX_PAUSED)]:
                job.stop()
            self._give_texts_back(jobs)
            self._go_on()

    def close(self) -> None:
        """End every worker and forget every run."""
        self._closed.set()
        for compiler in self._compilers:
            compiler.kill()
        if self._preparing:
            self._preparing.join(timeout=5)
        with self._lock:
            self._queue.clear()
        self._keeper.keep_all()
        for run in list(self._runs.values()):
            self._forget_but_keep(run.job.id)
        with self._lock:
            spare, self._spare = self._spare, None
        if spare:
            spare.close()

    def _kept(self, owner: str) -> list[Entry | Damaged]:
        return self.saved.entries(owner) if self.saved is not None and owner else []

    def _take_back(self, owner: str, entry: Entry) -> Run | None:
        """Take a saved run into memory, unless it is there already or is a file."""
        saved = self.saved
        if saved is None or entry.run is None or entry.id in self._runs:
            return self._runs.get(entry.id)
        job = SavedJob(entry, lambda: saved.learned(owner, entry))
        run = Run(job, owner, entry.name, entry.run.number, expected=entry.run.expected)
        self._runs[job.id] = run
        self._keeper.note(run)
        return run

    def _on_change(self, job: Job) -> None:
        """Give free turns to the next trainings after a training has started, paused or ended."""
        with self._lock:
            if job.ended:
                self._leave(job)
            elif job.state not in AT_WORK:
                self._at_work.discard(job.id)
            self._go_on()
        self._keeper.keep_soon()

    def _go_on(self) -> None:
        """Give the free turns to the trainings that wait."""
        if self._gives_turns:  # called again by a training that could not begin; the loop below continues
            return
        self._gives_turns = True
        try:
            self._put_in_order()
            while self._queue and len(self._at_work) < MAX_TRAININGS:
                job = self._queue.pop(0)
                self._at_work.add(job.id)
                if job.state == "paused":
                    job.resume()
                else:
                    job.begin(self._take_spare())
                    self._want_spare()
        finally:
            self._gives_turns = False

    def _put_in_order(self) -> None:
        """Let owners with fewer trainings at work or in line go first: one visitor's many delay nobody."""
        taken = Counter(run.owner for run in self._runs.values() if run.job.id in self._at_work)
        before: dict[str, int] = {}
        for job in self._queue:
            owner = self._runs[job.id].owner
            before[job.id] = taken[owner]
            taken[owner] += 1
        self._queue = sorted(self._queue, key=lambda job: before[job.id])

    def _leave(self, job: Job) -> None:
        """Take a training out of the queue, or take its turn back."""
        if job in self._queue:
            self._queue.remove(job)
        self._at_work.discard(job.id)

    def _give_texts_back(self, jobs: list[Job]) -> None:
        """Drop the texts of ended trainings until the rest is within the limit; what they learned stays."""
        texts = {id(text): len(text) for job in jobs for text in job.training.held}
        for job in jobs:
            if sum(texts.values()) <= MAX_KEPT_CHARACTERS:
                return
            if job.ended:
                for text in job.training.held:
                    texts.pop(id(text), None)
                job.forget_texts()

    def _look_after(self) -> None:
        """Sweep every `SWEEP_SECONDS` until the app ends."""
        while not self._closed.wait(SWEEP_SECONDS):
            with contextlib.suppress(*CANNOT_START):  # the next sweep may have what this one lacked
                self.sweep()

    def _get_loops_ready(self) -> None:
        """Load the loops; compile them before in other processes, because a thread would block every page."""
        if not take_over(load_all, compiles=False):
            self._prepare_spare()  # which learns in plain Python
            with contextlib.suppress(TokenizerError):
                for part in PARTS:
                    self._compilers.append(Child("compiling", part))
            for compiler in self._compilers:
                compiler.wait()
                compiler.close()
            if self._closed.is_set():
                return
            take_over(load_all)  # compiles here what could not be compiled there
        with self._lock:
            for run in self._runs.values():
                run.job.use_loops()
            plain, self._spare = self._spare, None
        if plain is not None:
            plain.close()
        self._prepare_spare()

    def _take_spare(self) -> Child | None:
        """Return the spare worker if it is alive; close what is left of a dead one."""
        spare, self._spare = self._spare, None
        if spare is None or spare.is_alive():
            return spare
        spare.close()
        return None

    def _want_spare(self) -> None:
        """Prepare a spare worker in a thread if there is none, unless one does so already."""
        if self._spare is None and (self._preparing is None or not self._preparing.is_alive()):
            with contextlib.suppress(RuntimeError):  # no thread is left; a spare worker only saves time
                self._preparing = threading.Thread(target=self._prepare_spare, daemon=True)
                self._preparing.start()

    def _prepare_spare(self) -> None:
        """Start a spare worker in place of the last one; if none can be started, a training starts its own."""
        with contextlib.suppress(TokenizerError):
            spare: Child | None = start_worker()
            with self._lock:
                if not self._closed.is_set():
                    spare, self._spare = self._spare, spare
            if spare is not None:
                spare.close()


@cache
def registry() -> Registry:
    """Return the only registry of this server."""
    return Registry(open_saved_runs())
