"""How the loops are compiled: once per machine where a cache can be written, else once per process."""

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Any:
    """The function, compiled by numba at its first call; other threads run meanwhile."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither beside the code nor in the user's folder can anything be written
        return numba.njit(nogil=True)(function)
