"""The registry of running trainings, and the worker kept warm for the next one."""

import subprocess
import threading
import time
from functools import cache

from pages.ui.limits import LEFT_ALONE_SECONDS, MAX_TRAININGS, UNSEEN_SECONDS
from tokenizer_core.errors import TrainingError
from tokenizer_core.job import Job, Training, end_worker, start_worker
from tokenizer_core.worker import warm_up


class Registry:
    """All trainings of this server by their id, which only their owner's address holds."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._last_seen: dict[str, float] = {}
        self._spare: subprocess.Popen[bytes] | None = None
        self._preparing: threading.Thread | None = None
        self._warm = threading.Event()
        self._warm.set()
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Start the spare worker, which compiles what is not yet compiled, then load that here."""
        self._warm.clear()
        self._preparing = threading.Thread(target=self._warm_up, daemon=True)
        self._preparing.start()

    @property
    def is_warm(self) -> bool:
        """Whether this process can encode at once; until then it would hold every page for seconds."""
        return self._warm.is_set()

    def start(self, training: Training) -> Job:
        """Start a training; raises `TrainingError` where too many run already."""
        self.sweep()
        with self._lock:
            running = [job for job in self._jobs.values() if not job.ended]
            if len(running) >= MAX_TRAININGS and not self._stop_one_left_alone(running):
                raise TrainingError(
                    f"at most {MAX_TRAININGS} trainings run at once", "too_many_trainings", limit=MAX_TRAININGS
                )
            spare, self._spare = self._spare, None
            job = Job(training, spare if spare and spare.poll() is None else None)
            self._jobs[job.id] = job
            self._last_seen[job.id] = time.monotonic()
        self._preparing = threading.Thread(target=self._prepare_spare, daemon=True)
        self._preparing.start()
        return job

    def _stop_one_left_alone(self, running: list[Job]) -> bool:
        """Stop the training that has gone unseen longest, if for long enough; it keeps what it learned."""
        job = min(running, key=lambda job: self._last_seen[job.id])
        if time.monotonic() - self._last_seen[job.id] < LEFT_ALONE_SECONDS:
            return False
        job.stop()
        return True

    def get(self, job_id: str | None) -> Job | None:
        """The training with this id, noted as seen; None for an unknown id."""
        with self._lock:
            job = self._jobs.get(job_id or "")
            if job:
                self._last_seen[job.id] = time.monotonic()
            return job

    def sweep(self) -> None:
        """End and forget trainings that nobody has looked at for long."""
        with self._lock:
            limit = time.monotonic() - UNSEEN_SECONDS
            unseen = [job_id for job_id, seen in self._last_seen.items() if seen < limit]
            for job_id in unseen:
                del self._last_seen[job_id]
                self._jobs.pop(job_id).close()

    def close(self) -> None:
        """End every worker."""
        if self._preparing:
            self._preparing.join(timeout=5)
        with self._lock:
            for job in self._jobs.values():
                job.close()
            spare, self._spare = self._spare, None
        if spare:
            end_worker(spare)

    def _warm_up(self) -> None:
        """In a process of its own first: compiling in a thread would hold every page for seconds."""
        worker = start_worker()
        assert worker.stdout is not None
        ready = worker.stdout.readline()  # comes when all is compiled
        end_worker(worker)
        if ready:
            warm_up()
        self._warm.set()
        self._prepare_spare()

    def _prepare_spare(self) -> None:
        with self._lock:
            if self._spare is None or self._spare.poll() is not None:
                self._spare = start_worker()


@cache
def registry() -> Registry:
    """The one registry of this server."""
    return Registry()
