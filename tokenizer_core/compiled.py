"""Compile the loops with numba: once per machine if a cache can be written, else once per process."""

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Any:
    """Return the function for numba to compile at its first call; other threads run while it runs."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither the folder of the code nor the user's cache folder is writable
        return numba.njit(nogil=True)(function)
