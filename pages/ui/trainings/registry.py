"""The registry of trainings: which run, which wait, and whose they are; and a spare worker, already warm."""

import contextlib
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from typing import NamedTuple

from pages.ui.limits import (
    LEFT_ALONE_SECONDS,
    LIBRARY_ENTRIES,
    MAX_KEPT_CHARACTERS,
    MAX_PAUSED,
    MAX_RUNS,
    MAX_TRAININGS,
    MAX_WAITING,
    MAX_WORKER_BYTES,
    UNSEEN_SECONDS,
)
from pages.ui.trainings.keeping import Keeper, Run, open_library
from tokenizer_core.errors import LibraryError, TrainingError
from tokenizer_core.jobs.counted import CountedCorpus
from tokenizer_core.jobs.entry import Entry
from tokenizer_core.jobs.job import Job, start_worker
from tokenizer_core.jobs.kept import KeptJob
from tokenizer_core.jobs.library import Damaged, Library
from tokenizer_core.jobs.process import CANNOT_START, Process, end_process, is_suspended, start_process
from tokenizer_core.jobs.recipe import Recipe
from tokenizer_core.jobs.training import Training
from tokenizer_core.jobs.worker import warm_up

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

    At most `MAX_TRAININGS` run at the same time; the others wait for their turn in the order they came. A paused
    training takes no turn. With a library, runs are kept there too, and come back from it when they are asked for.

    What changes the runs or the queue holds the lock. What only looks takes none, since a page must not wait until
    a process has started: looking up, and copying a list or the values of a dictionary, are one step in Python.
    """

    def __init__(self, library: Library | None = None) -> None:
        self.library = library
        self._keeper = Keeper(library, lambda: list(self._runs.values()))
        self._runs: dict[str, Run] = {}
        self._queue: list[Job] = []
        self._at_work: set[str] = set()
        self._spare: Process | None = None
        self._preparing: threading.Thread | None = None
        self._warm = threading.Event()
        self._warm.set()
        self._closed = threading.Event()
        self._gives_turns = False
        self._lock = threading.RLock()

    def warm_up(self) -> None:
        """Compile in a worker what is not yet compiled, then load it here; sweep the runs from now on."""
        self._warm.clear()
        self._preparing = threading.Thread(target=self._warm_up, daemon=True)
        self._preparing.start()
        threading.Thread(target=self._look_after, daemon=True).start()

    @property
    def is_warm(self) -> bool:
        """Whether this process can encode at once; before that, encoding would block every page for seconds."""
        return self._warm.is_set()

    def start(self, training: Training, *, owner: str = "", name: str = "") -> Job:
        """Start a training, or let it wait for its turn; raise `TrainingError` if too many wait or are kept."""
        with self._lock:
            self._free_what_is_stuck()
        limit = MAX_RUNS if self.library is None else LIBRARY_ENTRIES
        if owner and len(self.runs(owner)) >= limit:
            raise TrainingError(f"at most {limit} runs are kept", "too_many_runs", limit=limit)
        with self._lock:
            if len(self._queue) >= MAX_WAITING:
                raise TrainingError(f"at most {MAX_WAITING} trainings wait", "queue_full", limit=MAX_WAITING)
            job = Job(training, waits=True, memory_bytes=MAX_WORKER_BYTES, when_changed=self._on_change)
            self._runs[job.id] = Run(job, owner, name, self._free_number(owner))
            self._queue.append(job)
            self._go_on()
        self._keeper.begin()
        return job

    def continue_run(self, job_id: str, texts: Sequence[str], counts: CountedCorpus | None = None) -> Job | None:
        """Let an interrupted training go on with the texts or counts that it began with; None if it is unknown."""
        with self._lock:
            run = self._runs.get(job_id)
            if run is None or not run.job.ended:
                return run.job if run else None
            job = Job(
                replace(run.job.training, texts=texts, counts=counts),
                waits=True,
                memory_bytes=MAX_WORKER_BYTES,
                when_changed=self._on_change,
                continues=run.job,
            )
            run.job = job
            self._queue.append(job)
            self._go_on()
        self._keeper.begin()
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
        if run is not None and isinstance(run.job, KeptJob):
            try:
                run.job.read()
            except LibraryError:
                self.forget(run.job.id)
                return None
        return run.job if run else None

    def run(self, job_id: str | None) -> Run | None:
        """Return the run with this id, and note that it was viewed; None if the id is unknown."""
        run = self._runs.get(job_id or "")
        found = self.library.find(job_id) if run is None and job_id and self.library is not None else None
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

    def trouble(self, owner: str) -> LibraryError | None:
        """Return why an owner's runs cannot be kept; None if they are."""
        return self._keeper.trouble(owner)

    def rename(self, job_id: str, name: str) -> None:
        """Give a run another name, unless another tab has deleted it."""
        with self._lock:
            if job_id in self._runs:
                self._runs[job_id].name = name
        self._keeper.begin()

    def delete(self, owner: str, job_id: str) -> None:
        """End a training if it still runs, and delete it for good; raise `LibraryError` if the disk refuses."""
        with self._keeper.lock:
            if self.library is not None:
                self.library.delete(owner, job_id)
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
        """End a training if it still runs, and free the memory of what it learned; the library keeps it."""
        with self._lock:
            run = self._runs.pop(job_id, None)
            if run:
                self._drop(run.job)

    def sweep(self) -> None:
        """Free what is stuck, and what nobody has viewed for a long time: runs, turns, paused workers, texts."""
        self._keeper.keep_all()
        with self._lock:
            now = time.monotonic()
            self._free_what_is_stuck()
            for job_id in [job_id for job_id, run in self._runs.items() if now - run.seen > UNSEEN_SECONDS]:
                self.forget(job_id)
            longest_unseen = sorted(self._runs.values(), key=lambda run: run.seen)
            if self._queue:
                self._pause_one_left_alone([run for run in longest_unseen if now - run.seen > LEFT_ALONE_SECONDS])
            paused = [
                run.job for run in longest_unseen if run.job.state == "paused" and run.job not in self._queue
            ]
            for job in paused[: max(0, len(paused) - MAX_PAUSED)]:
                job.stop()
            self._give_texts_back(longest_unseen)
            self._go_on()

    def close(self) -> None:
        """End every worker and forget every run."""
        self._closed.set()
        if self._preparing:
            self._preparing.join(timeout=5)
        self._keeper.close()
        with self._lock:
            self._queue.clear()
            for job_id in list(self._runs):
                self.forget(job_id)
            spare, self._spare = self._spare, None
        if spare:
            end_process(spare)

    def _kept(self, owner: str) -> list[Entry | Damaged]:
        return self.library.entries(owner) if self.library is not None and owner else []

    def _take_back(self, owner: str, entry: Entry) -> Run | None:
        """Take a run from the library into memory, unless it is there already or is no run."""
        library = self.library
        if library is None or entry.run is None or entry.id in self._runs:
            return self._runs.get(entry.id)
        try:
            job = KeptJob(entry, lambda: library.learned(owner, entry))
        except LibraryError:
            library.set_aside(owner, entry.id)
            return None
        run = Run(job, owner, entry.name, entry.run.number, expected=entry.run.expected)
        self._runs[job.id] = run
        self._keeper.note(run)
        return run

    def _free_number(self, owner: str) -> int:
        taken = {run.number for run in self._runs.values() if run.owner == owner}
        return next(number for number in count() if number not in taken)

    def _on_change(self, job: Job) -> None:
        """Give free turns to the next trainings after a training has started, paused or ended."""
        with self._lock:
            if job.state not in AT_WORK:
                self._at_work.discard(job.id)
            if job.ended and job in self._queue:
                self._queue.remove(job)
            self._go_on()
        self._keeper.wake()

    def _go_on(self) -> None:
        """Give the free turns to the trainings that wait, first come, first served."""
        if self._gives_turns:  # called again by a training that could not begin; the loop below continues
            return
        self._gives_turns = True
        try:
            self._give_turns()
        finally:
            self._gives_turns = False

    def _give_turns(self) -> None:
        while self._queue and len(self._at_work) < MAX_TRAININGS:
            job = self._queue.pop(0)
            self._at_work.add(job.id)
            if job.state == "paused":
                job.resume()
            else:
                job.begin(self._take_spare())
                self._want_spare()

    def _drop(self, job: Job) -> None:
        """End a training for good."""
        if job in self._queue:
            self._queue.remove(job)
        self._at_work.discard(job.id)
        job.close()
        self._go_on()

    def _free_what_is_stuck(self) -> None:
        """Take the turns back from trainings that have died, whatever the cause."""
        for run in list(self._runs.values()):
            if run.job not in self._queue:
                run.job.notice_death()
        self._at_work &= {run.job.id for run in self._runs.values() if not run.job.ended}
        self._queue = [job for job in self._queue if not job.ended]

    def _pause_one_left_alone(self, unseen: list[Run]) -> None:
        """Pause the least recently viewed slow training; a training at full speed ends by itself."""
        for run in unseen:
            if run.job.id in self._at_work and run.job.pace is not None:
                run.job.pause()
                return

    def _give_texts_back(self, longest_unseen: list[Run]) -> None:
        """Drop the texts of ended trainings until the rest is within the limit; what they learned stays."""
        texts = {id(text): len(text) for run in longest_unseen for text in run.job.training.held}
        for run in longest_unseen:
            if sum(texts.values()) <= MAX_KEPT_CHARACTERS:
                return
            if run.job.ended:
                for text in run.job.training.held:
                    texts.pop(id(text), None)
                run.job.forget_texts()

    def _look_after(self) -> None:
        """Sweep every `SWEEP_SECONDS` until the app ends."""
        while not self._closed.wait(SWEEP_SECONDS):
            with contextlib.suppress(*CANNOT_START):  # the next sweep may have what this one lacked
                self.sweep()

    def _warm_up(self) -> None:
        """Compile in a separate process first: compiling in a thread would block every page for seconds."""
        try:
            worker = start_worker()
        except CANNOT_START:
            warm_up()
        else:
            assert worker.stdout is not None
            ready = worker.stdout.readline()  # arrives when everything is compiled
            end_process(worker)
            if ready:
                warm_up()
        self._warm.set()
        self._prepare_spare()
        with contextlib.suppress(*CANNOT_START):  # then it is compiled when it is first needed
            start_process("compiling").communicate()

    def _take_spare(self) -> Process | None:
        """Return the spare worker if it is alive; end one that is halted, or close what is left of it."""
        spare, self._spare = self._spare, None
        if spare is None or (spare.poll() is None and not is_suspended(spare)):
            return spare
        end_process(spare)
        return None

    def _want_spare(self) -> None:
        """Prepare a spare worker in a thread, unless one does so already: `close` waits for only one."""
        if self._preparing is None or not self._preparing.is_alive():
            with contextlib.suppress(RuntimeError):  # no thread is left; a spare worker only saves time
                self._preparing = threading.Thread(target=self._prepare_spare, daemon=True)
                self._preparing.start()

    def _prepare_spare(self) -> None:
        """Start a spare worker if there is none; without one, a training starts its own."""
        with self._lock:
            self._spare = self._take_spare()
            if self._spare is not None:
                return
        with contextlib.suppress(*CANNOT_START):
            started = start_worker()
            with self._lock:
                is_wanted = self._spare is None and not self._closed.is_set()
                if is_wanted:
                    self._spare = started
            if not is_wanted:
                end_process(started)


@cache
def registry() -> Registry:
    """Return the only registry of this server."""
    return Registry(open_library())
