"""Counting by one process, by all cores, and by a cluster of two workers on this machine: time, memory, merges.

`python -m tests.benchmarks.bench_cluster corpus.txt [copies]` counts so many copies of a text, each a file.
"""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.tables import Row, machine, show
from tokenizer_core.bpe.trainer import Trainer
from tokenizer_core.corpus_counts.dask_connection import local_cluster
from tokenizer_core.corpus_counts.dask_counting import count_on_cluster
from tokenizer_core.corpus_counts.streaming import CountingRules, count_files

PATTERNS = ("gpt2", "o200k")
MEGABYTE = 1e6


def peak() -> int:
    """The most memory that this process had, in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def main() -> None:
    """Count in three ways, and print a table."""
    path, copies = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 24
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        names = [str(shutil.copy(path, Path(folder) / f"{number:04}.txt")) for number in range(copies)]
        size = copies * path.stat().st_size / MEGABYTE
        for pattern in PATTERNS:
            rows += _rows(names, pattern, size)
    print(machine())
    columns = [
        "pattern",
        "MB",
        "way",
        "counting, s",
        "MB/s",
        "this process, MB",
        "each worker, MB",
        "32,000 merges",
    ]
    show("Counting on a cluster", columns, rows)


def _rows(names: list[str], pattern: str, size: float) -> list[Row]:
    rows: list[Row] = []
    count_files(names[:1], CountingRules(pattern))  # compiled code is warm
    cores = os.cpu_count() or 1
    expected = None
    for threads in sorted({1, cores}):
        start = time.perf_counter()
        counts = count_files(names, CountingRules(pattern, threads=threads))
        seconds = time.perf_counter() - start
        expected = Trainer(counts.pretokens, 32_000).step(32_000)
        way = "one process" if threads == 1 else f"{threads} threads"
        rows.append(
            [
                pattern,
                f"{size:.1f}",
                way,
                f"{seconds:.2f}",
                f"{size / seconds:,.0f}",
                f"{peak() / MEGABYTE:.0f}",
                "",
                "",
            ]
        )
    with local_cluster(2, pattern) as client:
        for run in ("2 workers, first run", "2 workers, again"):
            start = time.perf_counter()
            found = count_on_cluster(client, names, CountingRules(pattern))
            seconds = time.perf_counter() - start
            same = Trainer(found.counts.pretokens, 32_000).step(32_000) == expected
            workers = max(client.run(peak).values())
            row = [pattern, f"{size:.1f}", run, f"{seconds:.2f}", f"{size / seconds:,.0f}"]
            rows.append(
                [*row, f"{peak() / MEGABYTE:.0f}", f"{workers / MEGABYTE:.0f}", "the same" if same else "OTHERS"]
            )
    return rows


if __name__ == "__main__":
    main()
