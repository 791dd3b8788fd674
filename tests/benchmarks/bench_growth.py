"""How distinct pretokens grow with a corpus, by Heaps' law, and up to where their training fits on one machine.

`python -m tests.benchmarks.bench_growth NAME=FILE,FILE,… …` counts the first 0.5, 1, 2, 10, 57 and 570 MB of the
distinct texts that each name stands for, as far as they go; a folder stands for its files. Copies do not grow.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.benchmarks.tables import Row, machine, show
from tokenizer_core.bpe.trainer import MAX_DISTINCT_BYTES
from tokenizer_core.patterns.cutter import Tally
from tokenizer_core.patterns.pretokens import counted_pretokens

SIZES = (0.5, 1, 2, 10, 57, 570)
PATTERNS = ("gpt2", "cl100k", "mark_aware")
TRAINER = 32
"""Bytes of memory that training takes for each byte of distinct pretokens: the table of growth in README.md."""
FAR = 10**12


def texts(paths: list[str]) -> Iterator[str]:
    """The texts, each once."""
    seen = set()
    for path in map(Path, paths):
        for file in sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]:
            try:
                text = file.read_text(encoding="utf-8")
            except (UnicodeDecodeError, OSError):
                continue
            if "\0" not in text and hash(text) not in seen:
                seen.add(hash(text))
                yield text


def counted(found: Iterator[str], pattern: str) -> list[list[float]]:
    """MB read, distinct pretokens, and their bytes, at each size."""
    tally, rows, goals, size = Tally(), [], list(SIZES), 0
    for text in found:
        for part in _parts(text):
            tally.add_counts(*counted_pretokens(part, pattern))
            size += len(part.encode())
            if goals and size >= goals[0] * 1e6:
                rows.append([size / 1e6, *_distinct(tally)])
                goals.pop(0)
    return rows if size < 1.1e6 * rows[-1][0] else [*rows, [size / 1e6, *_distinct(tally)]]


def _distinct(tally: Tally) -> tuple[int, int]:
    own, ends, _ = tally.pretokens()
    return ends.size, own.size


def _parts(text: str) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size > 250_000:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)


def fitted(rows: list[list[float]], column: int) -> tuple[float, float]:
    """K and β of distinct = K · bytes ^ β, by least squares over the logarithms."""
    x, y = (np.log([row[place] * (1e6 if place == 0 else 1) for row in rows]) for place in (0, column))
    beta, log_k = np.polyfit(x, y, 1)
    return float(np.exp(log_k)), float(beta)


def main() -> None:
    """Print a table for each corpus and pattern."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="+", metavar="NAME=FILES")
    said = parser.parse_args()
    measured: list[Row] = []
    far: list[Row] = []
    for corpus in said.corpora:
        name, _, paths = corpus.partition("=")
        for pattern in PATTERNS:
            rows = counted(texts(paths.split(",")), pattern)
            for size, distinct, own in rows:
                measured.append([name, pattern, f"{size:,.1f}", f"{distinct:,.0f}", f"{own / 1e6:,.2f}"])
            if len(rows) < 3:
                sys.exit(f"{name} needs at least 2 MB of distinct text")
            (_, beta), (k, beta_bytes) = fitted(rows, 1), fitted(rows, 2)
            at_far = k * FAR**beta_bytes
            fits = (MAX_DISTINCT_BYTES / k) ** (1 / beta_bytes)
            far.append(
                [
                    name,
                    pattern,
                    f"{beta:.2f}",
                    f"{beta_bytes:.2f}",
                    f"{at_far / 1e9:,.1f}",
                    f"{TRAINER * at_far / 1e9:,.0f}",
                    f"{fits / 1e12:,.3f}",
                ]
            )
    print(machine())
    show("Growth of distinct pretokens", ["corpus", "pattern", "MB", "distinct pretokens", "their MB"], measured)
    columns = ["corpus", "pattern", "β, pretokens", "β, bytes", "GB of them at 1 TB", "GB to train on them"]
    show("Heaps' law: K · bytes ^ β", [*columns, "TB until 2³¹ bytes"], far)


if __name__ == "__main__":
    main()
