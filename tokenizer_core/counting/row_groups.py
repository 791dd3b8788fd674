"""Parts of a large Parquet file: runs of its row groups, which workers read at the same time.

A pretoken may span the end of a group. So the text of a run begins at the first place in it that no pretoken
spans, and goes on to the first such place after it. Blocks of text end where cells do, and no such place is told
by what stands before a cell; so each block is searched by itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import regex

from tokenizer_core.counting.guesses import Guess
from tokenizer_core.counting.reading import Reading, joined_cells
from tokenizer_core.counting.storage import is_address, opened
from tokenizer_core.counting.table_streams import columns_to_read
from tokenizer_core.texts.parquet import RowGroups, open_parquet, open_row_groups

_CELL_END = b"\n"


class Runs(NamedTuple):
    """The runs of a file, as the first group of each and the one after its last, and the columns to be read."""

    groups: list[range]
    sizes: list[int]
    """Bytes on the disk, shared out by what the columns have in each run."""
    columns: tuple[str, ...]
    guesses: tuple[Guess, ...]
    """How the columns were chosen, if nobody named them."""


def runs_of(name: str, reading: Reading, size: int, run_bytes: int) -> Runs:
    """Part a Parquet file into runs of about `run_bytes`; raise `CorpusError` if it is damaged."""
    guesses: list[Guess] = []
    with opened(name) as file:
        table = open_parquet(file if is_address(name) else Path(name), None)
        columns = columns_to_read(table, reading.columns, guesses.append)
    with _row_groups(name) as opened_groups:
        weights = opened_groups.sizes([opened_groups.labels.index(label) for label in columns])
    whole = max(1, sum(weights))
    ends = [size * weight // whole for weight in accumulate(weights)]
    groups, sizes, start, done = [], [], 0, 0
    for group, end in enumerate(ends, 1):
        if end - done >= run_bytes or group == len(ends):
            last = size if group == len(ends) else end
            groups.append(range(start, group))
            sizes.append(last - done)
            start, done = group, last
    return Runs(groups, sizes, columns, tuple(guesses))


def blocks_in_run(
    name: str, columns: tuple[str, ...], groups: range, places: regex.Pattern[bytes]
) -> Iterator[bytes]:
    """Yield the text of a run as UTF-8, in blocks; `places` finds where no pretoken spans."""
    with _row_groups(name) as opened_groups:
        chosen = [opened_groups.labels.index(label) for label in columns]
        following = range(groups.stop, opened_groups.count)

        def blocks(numbers: range) -> Iterator[bytes]:
            rows = (opened_groups.rows(chosen, number) for number in numbers)
            return joined_cells(cell for group in rows for _, cells in group for cell in cells or ())

        is_begun = groups.start == 0
        for block in blocks(groups):
            if is_begun:
                yield block
            elif (place := _first_place(block, places)) is not None:
                is_begun = True
                yield block[place:]
        if not is_begun:  # one long word: whoever has its beginning reads it all
            return
        for block in blocks(following):
            place = _first_place(block, places)
            yield block[:place]
            if place is not None:
                return


def _first_place(block: bytes, places: regex.Pattern[bytes]) -> int | None:
    """Return the first safe place in a block, which stands after the end of a cell; None if there is none."""
    found = places.search(_CELL_END + block)
    return None if found is None else max(0, found.start() - len(_CELL_END))


@contextmanager
def _row_groups(name: str) -> Iterator[RowGroups]:
    with opened(name) as file:
        yield open_row_groups(file if is_address(name) else Path(name))
