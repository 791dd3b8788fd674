"""Several processes at work at once, where threads could not be: `regex` counts the time of its whole process."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from tokenizer_core.errors import CorpusError

CHUNK_BYTES = 2**21
"""Text that a process counts at a time: about a second, so that all are done at about the same time."""
WORTH = 2**21
"""Bytes. So much is counted here before other processes start, which takes them half a second."""

Item = TypeVar("Item")
Result = TypeVar("Result")
Submit = Callable[[Item], Future[Result]]
"""Has an item worked on, and returns what will hold the result."""


def processes_for(threads: int) -> int:
    """Return how many processes work where so many threads were asked for: no more than there are cores."""
    return min(threads, os.cpu_count() or 1)


@contextmanager
def working_here(work: Callable[[Item], Result]) -> Iterator[Submit[Item, Result]]:
    """Within this context, each item is worked on at once, in this process."""

    def submit(item: Item) -> Future[Result]:
        done = Future[Result]()
        done.set_result(work(item))
        return done

    yield submit


@contextmanager
def working_there(
    work: Callable[[Item], Result], processes: int, size: Callable[[Item], int]
) -> Iterator[Submit[Item, Result]]:
    """Within this context, items are worked on in processes of their own, once there are enough bytes of them.

    Raises `CorpusError` if a process cannot be started, or is killed.
    """
    with ExitStack() as at_end, working_here(work) as submit_here:
        pools: list[ProcessPoolExecutor] = []
        seen = 0

        def submit(item: Item) -> Future[Result]:
            nonlocal seen
            seen += size(item)
            if seen <= WORTH:
                return submit_here(item)
            with _deaf(), _starting():
                if not pools:
                    spawn = multiprocessing.get_context("spawn")
                    pools.append(ProcessPoolExecutor(processes, mp_context=spawn, initializer=_end_when_told))
                    at_end.enter_context(pools[0])
                return pools[0].submit(work, item)

        try:
            yield submit
        except BrokenProcessPool:
            raise CorpusError(
                "the processes that count must live to the end; one was killed, perhaps because the memory was"
                " full: ask for fewer of them with --threads",
                "counting_killed",
            ) from None


@contextmanager
def _deaf() -> Iterator[None]:
    """Within this context, Ctrl-C waits, and processes start deaf; else each would say that it was stopped."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_when_told() -> None:
    """Let Ctrl-C end this process without a word; so does the end of its parent, even by SIGKILL."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_after_parent, daemon=True).start()


def _end_after_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _starting() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool:
        raise
    except (OSError, RuntimeError) as error:
        raise CorpusError(f"no process could be started: {error}", "worker_not_started") from None
