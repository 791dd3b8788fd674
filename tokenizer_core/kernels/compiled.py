"""Compile the loops with numba: once per machine if a cache can be written, else once per process.

Compiling takes 15 seconds. Meanwhile plain Python can stand in: from `stand_in` to `take_over`, callers of a loop
ask `are_ready` first.
"""

import _signal  # type: ignore[import-not-found]  # what `signal` calls, in a fifth of the time
import contextlib
import hashlib
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from signal import SIGINT, default_int_handler
from typing import Any

from numba.core import caching, registry

from tokenizer_core.ctrl_c import held

_FunctionCache: Any = caching.FunctionCache
_CPUDispatcher: Any = registry.CPUDispatcher
_ready = threading.Event()
_ready.set()
_thread = threading.local()


def are_ready() -> bool:
    """Return whether to call the loops; if not, plain Python must do the work for now."""
    return _ready.is_set() or getattr(_thread, "loads", False)


def stand_in() -> None:
    """From now on, let plain Python do the work of the loops."""
    _ready.clear()


def take_over(load: Callable[[], None], *, compiles: bool = True) -> bool:
    """Load the loops by calling them in this thread; from then on, let them do the work in all threads.

    If it must not compile, return False where the cache lacks a loop, and let plain Python go on.
    """
    _thread.loads, _thread.compiles = True, compiles
    has_all = True
    try:
        load()
    except _NotCachedError:
        has_all = False
    finally:
        _thread.loads, _thread.compiles = False, True
        if has_all:
            _ready.set()
    return has_all


def wait_until_ready() -> None:
    """Wait for the loops, where plain Python would take longer than compiling."""
    if not are_ready():
        _ready.wait()


@cache
def stamp_of(folder: Path) -> str:
    """Return a hash of the Python files in a folder.

    A loop also holds the functions that it calls in other files, and their constants, but numba looks only at the
    file of the loop itself.
    """
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(folder.glob("*.py")))).hexdigest()


class _NotCachedError(Exception):
    """A loop would have to be compiled in a thread that must not compile."""


class _Cache(_FunctionCache):  # type: ignore[misc]
    """numba's cache on disk; a full disk or a damaged file costs time and stops nothing."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = stamp_of(Path(__file__).parent)

    def load_overload(self, *arguments: Any) -> Any:
        loop = None
        try:
            loop = super().load_overload(*arguments)
        except Exception:  # whatever reading a damaged file raises
            with contextlib.suppress(Exception):
                self.flush()  # so that it can be written anew
        if loop is None and not getattr(_thread, "compiles", True):
            raise _NotCachedError
        return loop

    def save_overload(self, *arguments: Any) -> None:
        with held(), contextlib.suppress(Exception):
            super().save_overload(*arguments)


class _Loop(_CPUDispatcher):  # type: ignore[misc]
    """A compiled function that raises KeyboardInterrupt only when it has returned.

    For each array that a function returns, numba calls a Python function. If Ctrl-C was pressed meanwhile, that
    call raises; numba does not check for it, uses the null pointer that came, and the process crashes.
    """

    def __call__(self, *arguments: Any) -> Any:
        raises = _signal.getsignal(SIGINT) is default_int_handler
        if not raises or threading.current_thread() is not threading.main_thread():
            return super().__call__(*arguments)
        presses: list[int] = []
        _signal.signal(SIGINT, lambda number, frame: presses.append(number))
        try:
            return super().__call__(*arguments)
        finally:
            _signal.signal(SIGINT, default_int_handler)
            if presses:
                raise KeyboardInterrupt


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, at its first call; it runs without Python's lock."""
    return _njit(function)


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled functions call; without an entry for Python, it takes less time."""
    return _njit(function, no_cpython_wrapper=True)


def borrowing(function: Callable[..., Any]) -> Any:
    """Compile an inner function that makes no array and returns none.

    numba counts references to every array argument, with two locked instructions. Without them, a function that is
    called for each pretoken takes half the time.
    """
    return _njit(function, _nrt=False, no_cpython_wrapper=True)


def inlined(function: Callable[..., Any]) -> Any:
    """Force-inline a borrowing function into every caller.

    A call writes thirty numbers about its arrays to memory, which takes longer than finding a pretoken.
    """
    return _njit(function, _nrt=False, no_cpython_wrapper=True, forceinline=True)


def _njit(function: Callable[..., Any], **options: Any) -> Any:
    options |= {"nopython": True, "nogil": True, "no_cfunc_wrapper": True}  # nobody calls these functions from C
    made = _Loop(function, targetoptions=options)
    with contextlib.suppress(RuntimeError):  # neither the folder of the code nor the user's cache can be written
        made._cache = _Cache(function)
    return made
