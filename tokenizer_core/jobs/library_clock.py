"""How long a library has been kept, whatever the system's clock says: what is deleted by age depends on it.

A system's clock may be years ahead for an hour, and come back. So the time is counted in a file of the library:
while the app runs, by the clock that nobody sets; across a restart, by at most one day. If too little is counted,
folders are only deleted later.
"""

import contextlib
import threading
import time
from pathlib import Path

MOST_BETWEEN_RUNS = 86_400.0
"""Seconds that may be counted from the last reading of one run of the app to the first of the next."""
_LONGEST = 2.0**40


class LibraryClock:
    """Counts the seconds of a library's life in a file, which several processes may share."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.Lock()
        self._steady: float | None = None

    def now(self) -> float:
        """Return the seconds counted so far, and save them if the disk allows it."""
        with self._lock:
            counted, wall = read_numbers(self.file, 2) or (0.0, time.time())
            steady, here = time.monotonic(), time.time()
            most = MOST_BETWEEN_RUNS if self._steady is None else steady - self._steady
            counted += min(max(0.0, here - wall), most)
            self._steady = steady
            write_numbers(self.file, counted, here)
            return counted


def read_numbers(file: Path, count: int) -> tuple[float, ...] | None:
    """Return the numbers in a file; None if there are not so many, as after a crash."""
    with contextlib.suppress(OSError, ValueError):
        found = tuple(map(float, file.read_text("ascii").split()))
        if len(found) == count and all(0 <= number < _LONGEST for number in found):
            return found
    return None


def write_numbers(file: Path, *numbers: float) -> None:
    """Write numbers into a file, if its folder is there and the disk allows it."""
    with contextlib.suppress(OSError):
        file.write_text(" ".join(f"{number:.3f}" for number in numbers), "ascii")
