"""Times that are compared with others of the same run."""

import time
from collections.abc import Callable


def least_seconds(function: Callable[..., object], *arguments: object) -> float:
    """How long a call takes at the best of three times, to be compared with another of the same run.

    Seconds of the processor, so that what else runs on the machine does not count.
    """

    def seconds() -> float:
        start = time.process_time()
        function(*arguments)
        return time.process_time() - start

    return min(seconds() for _ in range(3))
