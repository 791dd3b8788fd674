"""Count files on a Dask cluster: a map over pieces of files, then a tree of sums.

The pretokens are shared out, and each share is added up by itself. So a worker holds the chunk that it counts
and a few sums of one share; this process holds the pretokens that are left, and checks their size first.
"""

import operator
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tokenizer_core.counting.cluster import refuse_other_versions, this_worker, versions
from tokenizer_core.counting.cluster_waiting import progress_told, results_awaited
from tokenizer_core.counting.counts import Counts
from tokenizer_core.counting.guesses import FileGuess, Guess
from tokenizer_core.counting.parts import PartCounts
from tokenizer_core.counting.pieces import Piece, blocks_in, plan
from tokenizer_core.counting.reading import DETECT, Listener, Reading
from tokenizer_core.counting.safe_places import chunks_of
from tokenizer_core.counting.streaming import Chunk, CountingRules, count_chunks
from tokenizer_core.counting.unreadable import Unreadable, none_readable, readable
from tokenizer_core.errors import CorpusError
from tokenizer_core.patterns import compile_pattern

if TYPE_CHECKING:
    from distributed import Client

MAX_SHARES = 32
"""Shares of the pretokens that are added up separately. More would make the scheduler the slowest part."""
_AT_ONCE = 8
"""Sums that are added up by one task: they are in one worker's memory together."""
_GROWTH = 3
"""This process holds the shares, puts them together, and sorts them into a copy."""
Key = tuple[str, int, int]
Item = TypeVar("Item")


class Sum(NamedTuple):
    """What a task hands on: the sum of some pieces, or none if they were skipped, and the files that were."""

    counts: PartCounts | None
    unreadable: tuple[Unreadable, ...] = ()
    guesses: tuple[FileGuess, ...] = ()
    """Only in the sums of the first share: how files were read that do not say it."""


class CountedFiles(NamedTuple):
    """The counts of all files that could be read, the files that could not, and how others were read."""

    counts: Counts
    unreadable: tuple[Unreadable, ...]
    guesses: tuple[FileGuess, ...] = ()
    """In the order of the files."""


@dataclass(frozen=True)
class CountingOrder:
    """What every worker needs to know."""

    rules: CountingRules
    reading: Reading
    shares: int
    skip_unreadable: bool
    topic: str
    versions: dict[str, str]


def count_on_cluster(
    client: "Client",
    names: Sequence[str],
    rules: CountingRules,
    reading: Reading = DETECT,
    *,
    skip_unreadable: bool = False,
    piece_bytes: int | None = None,
    listener: Listener = lambda read: None,
) -> CountedFiles:
    """Count the pretokens of files, each a text of its own, exactly as `streaming.count_files` does.

    `names` are paths or addresses that every worker can open. Raises `TokenizerError`, which names the file if one
    cannot be read, or else leaves out the whole file and says so. Progress is told to `listener`.
    """
    compile_pattern(rules.pattern)
    workers = len(client.nthreads())
    units, missing = plan(names, rules, reading, workers, piece_bytes, skip_unreadable=skip_unreadable)
    order = order_of(rules, reading, min(workers, MAX_SHARES), skip_unreadable=skip_unreadable)
    graph, keys = graph_of(order, units, rules.min_count)
    with progress_told(client, order.topic, listener):
        shares = client.get(graph, keys, sync=False)
        del graph
        results_awaited(client, shares)
        _check_sizes(client.gather(client.map(_size, shares, pure=False)), rules.memory_bytes)
        sums: list[Sum] = []
        while shares:  # each is released on its worker as soon as it is here
            sums.append(shares.pop(0).result())
    return _together(sums, missing)


def order_of(
    rules: CountingRules, reading: Reading, shares: int, *, skip_unreadable: bool = False
) -> CountingOrder:
    """Return what the workers need to know; none of them drops what is rare in a piece."""
    rules = replace(rules, min_count=1, memory_bytes=None, threads=1)
    return CountingOrder(rules, reading, shares, skip_unreadable, f"count-{secrets.token_hex(8)}", versions())


def graph_of(
    order: CountingOrder, units: Sequence[Sequence[Sequence[Piece]]], min_count: int
) -> tuple[dict[Key, Any], list[Key]]:
    """Return Dask's graph, and the keys of the shares; a unit is the tasks of one large file, or of small ones."""
    graph: dict[Key, Any] = {}
    numbers = iter(range(2**62))
    counted = []
    for unit in units:
        counted.append([(f"{order.topic}-pieces", next(numbers), 0) for _ in unit])
        graph |= {key: (count_pieces, order, tuple(pieces)) for key, pieces in zip(counted[-1], unit)}
    ends = []
    for share in range(order.shares):
        files = []
        for keys in counted:
            own = [(f"{order.topic}-share", key[1], share) for key in keys]
            graph |= {mine: (operator.getitem, key, share) for mine, key in zip(own, keys)}
            files.append(_tree(graph, f"{order.topic}-file", own, sum_of_file, share, numbers))
        total = _tree(graph, f"{order.topic}-sum", files, sum_of_files, share, numbers)
        ends.append((f"{order.topic}-kept", 0, share))
        graph[ends[-1]] = (without_rare, total, min_count)
    return graph, ends


def _tree(
    graph: dict[Key, Any],
    name: str,
    keys: list[Key],
    function: Callable[[list[Sum]], Sum],
    share: int,
    numbers: Iterator[int],
) -> Key:
    """Add tasks that add up a few keys each, until one is left; return it."""
    while len(keys) > 1:
        above = []
        for group in groups(keys, _AT_ONCE):
            above.append((name, next(numbers), share))
            graph[above[-1]] = (function, list(group))
        keys = above
    return keys[0]


def groups(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Yield so many items at a time.

    >>> [*groups("abcde", 2)]
    ['ab', 'cd', 'e']
    """
    return (items[start : start + size] for start in range(0, len(items), size))


# ---- tasks of workers


def count_pieces(order: CountingOrder, pieces: Sequence[Piece]) -> list[Sum]:
    """Count some pieces; return a sum for each share."""
    refuse_other_versions(this_worker(), versions(), order.versions)  # a worker may have come late
    parts: list[PartCounts] = []
    unreadable: list[Unreadable] = []
    guesses: list[FileGuess] = []
    for piece in pieces:
        with readable(piece.name, unreadable if order.skip_unreadable else None):
            parts.append(PartCounts.of(_counted(piece, order, guesses), piece.number))
    _tell(order.topic, pieces)
    shares: Sequence[PartCounts | None] = [None] * order.shares
    if parts:
        shares = (parts[0] if len(parts) == 1 else PartCounts.merged(*parts)).shared_out(order.shares)
    first, *others = (Sum(share, tuple(unreadable)) for share in shares)
    return [first._replace(guesses=tuple(guesses)), *others]


def _counted(piece: Piece, order: CountingOrder, guesses: list[FileGuess]) -> Counts:
    def note(guess: Guess) -> None:
        guesses.append(FileGuess(piece.number, piece.name, guess))

    blocks = blocks_in(piece, order.rules, order.reading, note)
    texts = chunks_of(blocks, order.rules.pattern, order.rules.boundaries, size=order.rules.chunk_bytes)
    chunks = (Chunk(text, starts_text=number == piece.start == 0) for number, text in enumerate(texts))
    return count_chunks(chunks, order.rules)


def _tell(topic: str, pieces: Sequence[Piece]) -> None:
    """Report progress to the client, if a worker runs this."""
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:
        return
    worker.log_event(topic, {"number": pieces[0].number, "bytes": sum(piece.size for piece in pieces)})


def sum_of_file(sums: list[Sum]) -> Sum:
    """Add up pieces of one file, which is left out as a whole if one piece cannot be read."""
    unreadable = next((each.unreadable for each in sums if each.unreadable), ())
    return Sum(None, unreadable, _guesses(sums)) if unreadable else sum_of_files(sums)


def sum_of_files(sums: list[Sum]) -> Sum:
    """Add up different files."""
    counts = [each.counts for each in sums if each.counts is not None]
    unreadable = tuple(file for each in sums for file in each.unreadable)
    return Sum(PartCounts.merged(*counts) if counts else None, unreadable, _guesses(sums))


def _guesses(sums: Sequence[Sum]) -> tuple[FileGuess, ...]:
    return tuple(guess for each in sums for guess in each.guesses)


def without_rare(total: Sum, min_count: int) -> Sum:
    """Drop the rare pretokens of a whole share: all counts of a pretoken are here."""
    return total if total.counts is None else total._replace(counts=total.counts.without_rare(min_count))


def _size(share: Sum) -> tuple[int, int]:
    """Return how many distinct pretokens there are, and the memory that they take."""
    if share.counts is None:
        return 0, 0
    arrays = (*share.counts.counts.pretokens, share.counts.firsts)
    return share.counts.firsts.size, sum(array.nbytes for array in arrays)


# ---- in this process


def _check_sizes(sizes: Sequence[tuple[int, int]], memory_bytes: int | None) -> None:
    """Raise `CorpusError` if the counts do not fit in this process."""
    distinct, size = map(sum, zip(*sizes))
    if memory_bytes is not None and _GROWTH * size > memory_bytes:
        raise CorpusError(
            f"the distinct pretokens must fit in {memory_bytes / 2**20:,.0f} MB; {distinct:,} of them do not:"
            " allow more memory, or drop rare ones",
            "counts_memory",
            megabytes=memory_bytes // 2**20,
            distinct=distinct,
        )


def _together(sums: list[Sum], missing: Sequence[Unreadable]) -> CountedFiles:
    """Put the shares together, in order of first appearance; each share names the same files that were skipped."""
    unreadable = tuple(sorted({*missing, *sums[0].unreadable}))
    shares = [each.counts for each in sums if each.counts is not None]
    if not shares:
        raise none_readable(unreadable)
    guesses = tuple(sorted(_guesses(sums), key=operator.attrgetter("number")))
    return CountedFiles(PartCounts.of_shares(*shares).in_order(), unreadable, guesses)
