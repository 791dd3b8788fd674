"""Times that are compared with others of the same run."""

import time
from collections.abc import Callable


def least_seconds(function: Callable[..., object], *arguments: object) -> float:
    """How long a call takes at the best of three times, to be compared with another of the same run."""

    def seconds() -> float:
        start = time.perf_counter()
        function(*arguments)
        return time.perf_counter() - start

    return min(seconds() for _ in range(3))
