"""What every benchmark prints and needs: tables, the best of several runs, the machine, and the peers."""

import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import distributions

from tests.helpers.paths import REPOSITORY

CORPUS = REPOSITORY.parent / "shared" / "corpora" / "thai_wiki_small.txt"
RUNS = 5
Row = Iterable[object]


@contextmanager
def needs_peers() -> Iterator[None]:
    """End a script whose peers are not installed with a sentence."""
    try:
        yield
    except ImportError as error:
        sys.exit(f"{error.name} is not installed: pip install -r tests/benchmarks/requirements.txt")


def best_of(
    tasks: Sequence[Callable[[], object]], *, runs: int = RUNS, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Seconds of the fastest run of each task, the tasks taking turns."""
    seconds = [math.inf] * len(tasks)
    for _ in range(runs):
        for n, task in enumerate(tasks):
            started = clock()
            task()
            seconds[n] = min(seconds[n], clock() - started)
    return seconds


def machine() -> str:
    """What the figures depend on."""
    packages = ("numba", "numpy", "regex", "tiktoken", "rustbpe", "tokenizers", "bpeasy")
    found = {each.name: each.version for each in distributions()}
    versions = ", ".join(f"{package} {found[package]}" for package in packages if package in found)
    return f"{os.cpu_count()} CPUs ({platform.machine()}), Python {platform.python_version()}, {versions}"


def show(title: str, header: list[str], rows: list[Row]) -> None:
    """A Markdown table under its title."""
    print(f"### {title}\n")
    for cells in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(map(str, cells)) + " |")
    print(flush=True)
