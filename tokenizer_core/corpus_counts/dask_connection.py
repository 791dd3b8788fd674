"""A Dask cluster to work on: a running one, or one started on this machine for the time of the work."""

import asyncio
import hashlib
import logging
import multiprocessing
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from multiprocessing import resource_tracker, util
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import regex

from tokenizer_core.ctrl_c import held, undone
from tokenizer_core.errors import ClusterError, TokenizerError
from tokenizer_core.patterns.cutter import WORTH, cutter_of, is_compiled
from tokenizer_core.readers.files import Listener

if TYPE_CHECKING:
    from distributed import Client, Future

PATIENCE = 10
"""Seconds to wait for a scheduler, and then for its first worker."""
PATIENCE_FOR_WORKERS = 60
"""Seconds without any worker until the counting ends. A nanny starts a new worker in a few seconds."""
_TURN = 0.5
"""Seconds between two checks for lost workers."""


@contextmanager
def running_cluster(address: str, *, patience: float | None = None) -> Iterator["Client"]:
    """Connect to the scheduler at an address such as tcp://10.0.0.1:8786.

    Raises `ClusterError` if it does not answer, has no worker, or a worker has other versions of the library.
    """
    from distributed import Client  # 0.5 s to import

    patience = PATIENCE if patience is None else patience
    try:
        # A client that finds no scheduler ends slowly and prints a stack trace, so ask for one first.
        with ThreadPoolExecutor(1) as thread:  # in a notebook, this thread already has an event loop
            thread.submit(asyncio.run, asyncio.wait_for(_identity(address), patience)).result()
        client = Client(address, timeout=patience, set_as_default=False)
    except Exception as error:  # something else may answer there, with anything
        raise ClusterError("scheduler_missing", address=address, seconds=patience) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=patience)
        except TimeoutError as error:
            raise ClusterError("workers_missing", address=address, seconds=patience) from error
        check_versions(client)
        yield client


async def _identity(address: str) -> None:
    """Ask a scheduler what it is."""
    from distributed import Security
    from distributed.core import rpc

    async with rpc(address, connection_args=Security().get_connection_args("client")) as scheduler:
        await scheduler.identity()


@contextmanager
def local_cluster(workers: int, pattern: str, *, memory_bytes: int | None = None) -> Iterator["Client"]:
    """Start worker processes on this machine; end them whatever happens, Ctrl-C included.

    Each has one thread, because `memory_bytes`, its share of the memory, is enough for one task at a time.
    """
    from distributed import Client, LocalCluster

    if is_compiled(pattern):
        cutter = cutter_of(pattern)  # compile once here, not in every worker at the same time
        cutter.add([b"a " * WORTH])
        cutter.add_counts(*cutter.pretokens())
    with ExitStack() as at_end:
        if hasattr(signal, "pthread_sigmask"):
            resource_tracker.ensure_running()  # it unblocks Ctrl-C where it starts, so it starts first
        with held():  # the workers start with Ctrl-C blocked: this process ends them
            folder = at_end.enter_context(tempfile.TemporaryDirectory(prefix="tokenizer-cluster-"))
            cluster = at_end.enter_context(
                LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    memory_limit=memory_bytes or "auto",
                    scheduler_kwargs={
                        "dashboard": False,
                        "dashboard_address": "127.0.0.1:0",  # any free port
                        "local_directory": folder,
                    },
                    local_directory=folder,
                    silence_logs=logging.CRITICAL,
                )
            )
            at_end.enter_context(undone(partial(_end_at_once, cluster, folder)))
        client = at_end.enter_context(Client(cluster, set_as_default=False))
        client.wait_for_workers(workers, timeout=6 * PATIENCE)
        yield client


def _end_at_once(cluster: Any, folder: str) -> None:
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
    end_children()
    shutil.rmtree(folder, ignore_errors=True)


def end_children() -> None:
    """Kill the processes that `multiprocessing` started here, and free their semaphores."""
    for child in multiprocessing.active_children():
        child.kill()
    run_finalizers: Any = getattr(util, "_run_finalizers", None)
    if run_finalizers is not None:  # else the resource tracker warns of leaked semaphores
        run_finalizers(0)


# ---- versions


@cache
def versions() -> dict[str, str]:
    """Return the versions that decide how texts are cut: the SHA-256 of this library's source, and `regex`."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return {"tokenizer_core": digest.hexdigest()[:12], "regex": regex.__version__}


def check_versions(client: "Client", ours: dict[str, str] | None = None) -> None:
    """Raise `ClusterError`, which names the worker, if one has other versions than this process."""
    found: dict[str, Any] = client.run(versions, on_error="return")
    for worker, theirs in sorted(found.items()):
        refuse_other_versions(worker, theirs, ours or versions())


def refuse_other_versions(worker: str, theirs: Any, ours: dict[str, str]) -> None:
    """Raise `ClusterError` if the versions that a worker reports are not `ours`.

    >>> refuse_other_versions("tcp://10.0.0.2:1", {"regex": "1"}, {"regex": "2"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tokenizer_core.errors.ClusterError: All workers must have ..., but tcp://10.0.0.2:1 has regex 1 instead of 2.
    """
    for name, version in ours.items():
        other = theirs.get(name, "none") if isinstance(theirs, dict) else f"none ({theirs})"
        if other != version:
            raise ClusterError("worker_version", worker=worker, name=name, expected=version, found=other)


def this_worker() -> str:
    """Return the address of the worker that runs this task; outside a worker, the number of the process."""
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return f"process {os.getpid()}"


def tell(topic: str, progress: dict[str, int]) -> None:
    """Report progress to the client, if a worker runs this."""
    from distributed import get_worker

    with suppress(ValueError):
        get_worker().log_event(topic, progress)


# ---- waiting for results


@contextmanager
def progress_told(client: "Client", topic: str, listener: Listener) -> Iterator[None]:
    """Call the listener with the bytes of each piece, once even if a lost worker's piece is read again."""
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
    """Wait for all results; raise the error of the first that failed, or `ClusterError`."""
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
                    raise ClusterError("workers_gone", seconds=PATIENCE_FOR_WORKERS) from None
            for future in waiting:
                if future.status in ("error", "cancelled", "lost"):
                    _raise(future)
            waiting = [future for future in waiting if not future.done()]
    except OSError as error:
        raise ClusterError("scheduler_gone") from error


def _raise(future: "Future") -> NoReturn:
    """Raise the error of a task."""
    from distributed import KilledWorker

    if future.status != "error":
        raise ClusterError("scheduler_gone")
    error = future.exception()
    if isinstance(error, TokenizerError):
        raise error
    if isinstance(error, KilledWorker | MemoryError):
        raise ClusterError("cluster_worker_killed") from error
    raise error
