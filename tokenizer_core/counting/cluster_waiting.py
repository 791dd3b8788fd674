"""Wait for what a cluster makes: report progress, and say in a sentence what went wrong."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from tokenizer_core.counting.reading import Listener
from tokenizer_core.errors import ClusterError, TokenizerError

if TYPE_CHECKING:
    from distributed import Client, Future

PATIENCE_FOR_WORKERS = 60
"""Seconds without any worker until the counting ends. A nanny starts a new worker in a few seconds."""
_TURN = 0.5
"""Seconds between two looks, in which Ctrl-C is noticed, too."""


@contextmanager
def progress_told(client: "Client", topic: str, listener: Listener) -> Iterator[None]:
    """Tell the listener how many bytes were read, each piece once, also if a lost worker's pieces come again."""
    told: set[int] = set()

    def hear(event: tuple[float, Any]) -> None:
        _, piece = event
        if piece["number"] not in told:
            told.add(piece["number"])
            listener(piece["bytes"])

    client.subscribe_topic(topic, hear)
    try:
        yield
    finally:
        if client.status == "running":
            client.unsubscribe_topic(topic)


def results_awaited(client: "Client", futures: Sequence["Future"]) -> None:
    """Return when all are there; raise the error of the first that failed, or `ClusterError`."""
    from distributed import wait

    waiting, last_seen = list(futures), time.monotonic()
    try:
        while waiting:
            try:
                with client.as_current():
                    wait(waiting, timeout=_TURN, return_when="FIRST_COMPLETED")
            except TimeoutError:
                if client.nthreads():
                    last_seen = time.monotonic()
                elif time.monotonic() - last_seen > PATIENCE_FOR_WORKERS:
                    raise _no_workers() from None
            for future in waiting:
                if future.status in ("error", "cancelled", "lost"):
                    _raise(future)
            waiting = [future for future in waiting if not future.done()]
    except OSError as error:
        raise _scheduler_gone() from error


def _raise(future: "Future") -> NoReturn:
    """Raise the error of a task."""
    from distributed import KilledWorker

    if future.status != "error":
        raise _scheduler_gone()
    error = future.exception()
    if isinstance(error, TokenizerError):
        raise error
    if isinstance(error, KilledWorker | MemoryError):
        raise ClusterError(
            f"a task must fit in the memory of a worker; the workers that ran it were killed or had none left"
            f" ({' '.join(str(error).split())[:200]})",
            "cluster_worker_killed",
        ) from error
    raise error


def _no_workers() -> ClusterError:
    return ClusterError(
        f"a cluster must have a worker; it had none for {PATIENCE_FOR_WORKERS} s",
        "workers_gone",
        seconds=PATIENCE_FOR_WORKERS,
    )


def _scheduler_gone() -> ClusterError:
    return ClusterError("the scheduler must stay until the end; the connection to it was lost", "scheduler_gone")
