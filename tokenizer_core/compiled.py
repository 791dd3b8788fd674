"""Compile the loops with numba: once per machine if a cache can be written, else once per process."""

import contextlib
from collections.abc import Callable
from typing import Any

import numba
from numba.core import caching

_FunctionCache: Any = caching.FunctionCache


class _Cache(_FunctionCache):  # type: ignore[misc]
    """numba's cache on disk; a full disk, or a file that a crash left empty, costs time and stops nothing."""

    def load_overload(self, *arguments: Any) -> Any:
        try:
            return super().load_overload(*arguments)
        except Exception:  # whatever reading a damaged file raises
            with contextlib.suppress(Exception):
                self.flush()  # so that it can be written anew
            return None

    def save_overload(self, *arguments: Any) -> None:
        with contextlib.suppress(Exception):
            super().save_overload(*arguments)


def compiled(function: Callable[..., Any]) -> Any:
    """Return the function for numba to compile at its first call; other threads run while it runs."""
    return _njit(function)


def borrowing(function: Callable[..., Any]) -> Any:
    """Do the same for a function that makes no array, and returns none: it only borrows those of its caller.

    numba counts references to every array that a function is given, with two locked instructions. This function
    does not, so that one which is called for each pretoken takes half the time.
    """
    return _njit(function, _nrt=False)


def inlined(function: Callable[..., Any]) -> Any:
    """Do the same for a function that becomes a part of each caller, with all that it calls of its kind.

    A call writes all that numba knows of each array to memory, thirty numbers for a pretoken. To find the pretoken
    takes less time.
    """
    return _njit(function, _nrt=False, forceinline=True)


def _njit(function: Callable[..., Any], **options: Any) -> Any:
    options |= {"nogil": True, "no_cfunc_wrapper": True}  # nobody calls these functions from C
    made: Any = numba.njit(**options)(function)
    with contextlib.suppress(RuntimeError):  # neither the folder of the code nor the user's cache can be written
        made._cache = _Cache(function)
    return made
