"""A Dask cluster to count on: one that runs, or one made on this machine for the time of the counting."""

import asyncio
import hashlib
import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any

import regex

from tokenizer_core.cutter import WORTH, cutter_of, is_compiled
from tokenizer_core.errors import ClusterError

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 10
"""Seconds to wait for a scheduler, and then for its first worker."""


@contextmanager
def running_cluster(address: str, *, patience: float | None = None) -> Iterator["Client"]:
    """Connect to the scheduler at an address such as tcp://10.0.0.1:8786, whose workers are there already.

    Raises `ClusterError` if it does not answer, has no worker, or a worker has other versions of what counts.
    """
    from distributed import Client  # 0.5 s to import

    patience = PATIENCE if patience is None else patience
    try:
        # Asked before, because a client that finds no scheduler takes its time to end, and prints a stack trace.
        with ThreadPoolExecutor(1) as apart:  # in a notebook, this thread has a loop already
            apart.submit(_ask, address, patience).result()
        client = Client(address, timeout=patience, set_as_default=False)
    except Exception as error:  # what answers there may be no scheduler, and its answer may mean anything
        raise ClusterError(
            f"a scheduler must answer at {address} within {patience:g} s, such as tcp://10.0.0.1:8786; none did",
            "scheduler_missing",
            address=address,
            seconds=patience,
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=patience)
        except TimeoutError as error:
            raise ClusterError(
                f"the scheduler at {address} must have a worker; none came within {patience:g} s",
                "workers_missing",
                address=address,
                seconds=patience,
            ) from error
        check_versions(client)
        yield client


def _ask(address: str, patience: float) -> None:
    """Ask a scheduler what it is, and wait so long for the answer."""
    asyncio.run(asyncio.wait_for(_identity(address), patience))


async def _identity(address: str) -> None:
    """Ask a scheduler what it is."""
    from distributed import Security
    from distributed.core import rpc

    async with rpc(address, connection_args=Security().get_connection_args("client")) as scheduler:
        await scheduler.identity()


@contextmanager
def local_cluster(workers: int, pattern: str, *, memory_bytes: int | None = None) -> Iterator["Client"]:
    """Start workers on this machine, each a process; end them whatever happens, Ctrl-C included.

    Each has one thread, because one task at a time is what its share of the memory, `memory_bytes`, is for.
    """
    from distributed import Client, LocalCluster

    if is_compiled(pattern):
        cutter = cutter_of(pattern)  # compiled here once and cached, not by each worker at the same time
        cutter.add([b"a " * WORTH])
        cutter.add_counts(*cutter.pretokens())
    with tempfile.TemporaryDirectory(prefix="tokenizer-cluster-") as folder:
        with _without_ctrl_c():
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=memory_bytes or "auto",
                scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},  # any free port
                local_directory=folder,
                silence_logs=logging.CRITICAL,
            )
        with cluster, Client(cluster, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=6 * PATIENCE)
            yield client


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C wait; threads and processes started meanwhile never see it, because this process ends them."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    resource_tracker.ensure_running()  # it lets Ctrl-C through again where it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@cache
def versions() -> dict[str, str]:
    """Return what decides how texts are cut: this library, by the SHA-256 of its source, and `regex`."""
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
    """Raise `ClusterError` if what a worker says of its versions is not what it must be.

    >>> refuse_other_versions("tcp://10.0.0.2:1", {"regex": "1"}, {"regex": "2"})
    Traceback (most recent call last):
    tokenizer_core.errors.ClusterError: the worker tcp://10.0.0.2:1 must have regex 2, as here; it has 1
    """
    for name, version in ours.items():
        other = theirs.get(name, "none") if isinstance(theirs, dict) else f"none ({theirs})"
        if other != version:
            raise ClusterError(
                f"the worker {worker} must have {name} {version}, as here; it has {other}",
                "worker_version",
                worker=worker,
                name=name,
                expected=version,
                found=other,
            )


def this_worker() -> str:
    """Return the address of the worker that runs a task, or else the number of the process."""
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return f"process {os.getpid()}"
