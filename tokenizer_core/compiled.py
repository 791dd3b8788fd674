"""Compile the loops with numba: once per machine if a cache can be written, else once per process."""

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Any:
    """Return the function for numba to compile at its first call; other threads run while it runs."""
    return _njit(function)


def borrowing(function: Callable[..., Any]) -> Any:
    """Do the same for a function that makes no array, and returns none: it only borrows those of its caller.

    numba counts references to every array that a function is given, with two locked instructions. This function
    does not, so that one which is called for each pretoken takes half the time.
    """
    return _njit(function, _nrt=False)


def _njit(function: Callable[..., Any], **options: Any) -> Any:
    options |= {"nogil": True, "no_cfunc_wrapper": True}  # nobody calls these functions from C
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # neither the folder of the code nor the user's cache folder is writable
        return numba.njit(**options)(function)
