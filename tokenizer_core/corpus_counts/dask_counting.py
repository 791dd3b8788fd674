"""Count files on a Dask cluster: a map over pieces of files, then a tree of sums.

The pretokens are shared out, and each share is added up by itself. So a worker holds the chunk that it counts
and a few sums of one share; this process holds the pretokens that are left, and checks their size first.
"""

import operator
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.corpus_counts.counts import Counts, chosen
from tokenizer_core.corpus_counts.dask_connection import (
    progress_told,
    refuse_other_versions,
    results_awaited,
    tell,
    this_worker,
    versions,
)
from tokenizer_core.corpus_counts.file_parts import Piece, blocks_in, plan
from tokenizer_core.corpus_counts.streaming import Chunk, CountingRules, count_chunks
from tokenizer_core.errors import CorpusError
from tokenizer_core.patterns.cutter import Tally
from tokenizer_core.patterns.pretokens import PretokenCounts
from tokenizer_core.patterns.safe_places import chunks_of
from tokenizer_core.patterns.split_patterns import compile_pattern
from tokenizer_core.readers.files import DETECT, Guess, Listener, Reading, Unreadable, readable

if TYPE_CHECKING:
    from distributed import Client

MAX_SHARES = 32
"""Shares of the pretokens that are added up separately. More would make the scheduler the slowest part."""
_AT_ONCE = 8
"""Sums that are added up by one task: they are in one worker's memory together."""
_GROWTH = 3
"""Peak memory of this process, in sizes of all shares: the shares, their concatenation, and its sorted copy."""
_SHIFT = 32
# For each byte, a number; the sum over a pretoken decides its share.
_SPREAD = (np.arange(1, 257, dtype=np.uint64) ** np.uint64(5)) * np.uint64(0x9E3779B97F4A7C15)
_HIGH_BITS = np.uint64(40)
Key = tuple[str, int, int]


@dataclass(frozen=True, eq=False)
class PartCounts:
    """Counts of some chunks of a corpus, added up in any order with the same result.

    Each pretoken carries the place where it appeared first; adding up keeps the smallest.

    >>> chunks = [Counts.of(text, "mark_aware") for text in ("a cat", " a dog", " cat")]
    >>> parts = [PartCounts.of(chunk, number) for number, chunk in enumerate(chunks)]
    >>> PartCounts.merged(parts[2], PartCounts.merged(parts[1], parts[0])).in_order().pretokens.strings()
    ['a', ' cat', ' a', ' dog']
    """

    counts: Counts
    firsts: NDArray[np.int64]
    """For each pretoken, the chunk and the place in it where it appeared first, as one number."""

    @classmethod
    def of(cls, counts: Counts, chunk: int) -> Self:
        """Take the counts of one chunk, and its number in the order of the text, from 0 up."""
        return cls(counts, (chunk << _SHIFT) + np.arange(counts.pretokens.ends.size, dtype=np.int64))

    @classmethod
    def merged(cls, *parts: Self) -> Self:
        """Add up the counts of different chunks; raise `CountsError` if they do not belong together."""
        recipe = reduce(lambda sum_, recipe: sum_.joined(recipe), (part.counts.recipe for part in parts))
        tally = Tally()
        firsts = np.empty(0, dtype=np.int64)
        for part in parts:
            rows = tally.add_counts(*part.counts.pretokens)
            new = rows[rows >= firsts.size]
            firsts = np.concatenate([firsts, np.full(new.size, np.iinfo(np.int64).max)])
            firsts[rows] = np.minimum(firsts[rows], part.firsts)
        return cls(Counts(PretokenCounts(*tally.pretokens()), recipe), firsts)

    def in_order(self) -> Counts:
        """Return the counts in order of first appearance in the text."""
        return Counts(chosen(self.counts.pretokens, np.argsort(self.firsts)), self.counts.recipe)

    def without_rare(self, min_count: int) -> Self:
        """Drop pretokens that occur fewer than `min_count` times, as `Counts.without_rare` does."""
        kept = self.counts.without_rare(min_count)
        return type(self)(kept, self.firsts[self.counts.pretokens.counts >= min_count])

    def shared_out(self, shares: int) -> list[Self]:
        """Divide the pretokens into shares; on every machine, a pretoken belongs to the same share.

        So each share of a corpus can be added up by itself, and no worker needs to hold all pretokens. Each share
        has its part of the recipe's totals; the number of texts and the like go to the first share.

        >>> part = PartCounts.of(Counts.of("a cat a dog", "gpt2"), 0)
        >>> sorted(word for share in part.shared_out(3) for word in share.counts.pretokens.strings())
        [' a', ' cat', ' dog', 'a']
        """
        pretokens, whole = self.counts.pretokens, self.counts.recipe
        owner = np.empty(0, dtype=np.uint64)
        if pretokens.ends.size:
            sums = np.add.reduceat(_SPREAD[pretokens.text], pretokens.ends - pretokens.lengths)
            owner = (sums >> _HIGH_BITS) % np.uint64(shares)
        rest, found = whole, []
        for share in range(1, shares):
            rows = np.flatnonzero(owner == share)
            own = Counts.counted(chosen(pretokens, rows), whole.pattern, boundaries=whole.boundaries)
            found.append(type(self)(own, self.firsts[rows]))
            rest = replace(
                rest,
                pretokens=rest.pretokens - own.recipe.pretokens,
                bytes_read=rest.bytes_read - own.recipe.bytes_read,
            )
        rows = np.flatnonzero(owner == 0)
        return [type(self)(Counts(chosen(pretokens, rows), rest), self.firsts[rows]), *found]

    @classmethod
    def of_shares(cls, *shares: Self) -> Self:
        """Join shares; no two have a pretoken in common."""
        recipe = reduce(lambda sum_, recipe: sum_.joined(recipe), (share.counts.recipe for share in shares))
        recipe = replace(recipe, short_by=max(share.counts.recipe.short_by for share in shares))
        texts, ends, counts = zip(*(share.counts.pretokens for share in shares))
        starts = np.cumsum([0, *(text.size for text in texts[:-1])])
        pretokens = PretokenCounts(
            np.concatenate(texts),
            np.concatenate([end + start for end, start in zip(ends, starts)]),
            np.concatenate(counts),
        )
        return cls(Counts(pretokens, recipe), np.concatenate([share.firsts for share in shares]))


class FileGuess(NamedTuple):
    """A guess about a file, with the file's place in the order of the files."""

    number: int
    name: str
    guess: Guess


class Sum(NamedTuple):
    """The result of a task: the sum of some pieces, None if they were skipped, and the skipped files."""

    counts: PartCounts | None
    unreadable: tuple[Unreadable, ...] = ()
    guesses: tuple[FileGuess, ...] = ()
    """Only in the sums of the first share."""


class CountedFiles(NamedTuple):
    """The counts of all files that could be read, the files that could not, and guesses about files."""

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

    `names` are paths or addresses that every worker can open. A file that cannot be read is left out as a whole if
    `skip_unreadable`; otherwise raises a `TokenizerError` that names it.
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
        distinct, size = map(sum, zip(*client.gather(client.map(_size, shares, pure=False))))
        if rules.memory_bytes is not None and _GROWTH * size > rules.memory_bytes:
            raise CorpusError("counts_memory", megabytes=rules.memory_bytes // 2**20, distinct=distinct)
        sums: list[Sum] = []
        while shares:  # each is released on its worker as soon as it is here
            sums.append(shares.pop(0).result())
    return _together(sums, missing)


def order_of(
    rules: CountingRules, reading: Reading, shares: int, *, skip_unreadable: bool = False
) -> CountingOrder:
    """Return the order for the workers; none of them drops what is rare in a piece."""
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
    """Add tasks that each add up a few keys, until one key is left; return it."""
    while len(keys) > 1:
        above = []
        for start in range(0, len(keys), _AT_ONCE):
            above.append((name, next(numbers), share))
            graph[above[-1]] = (function, keys[start : start + _AT_ONCE])
        keys = above
    return keys[0]


# ---- tasks of workers


def count_pieces(order: CountingOrder, pieces: Sequence[Piece]) -> list[Sum]:
    """Count some pieces; return a sum for each share."""
    refuse_other_versions(this_worker(), versions(), order.versions)  # a worker may have come late
    parts: list[PartCounts] = []
    unreadable: list[Unreadable] = []
    guesses: list[FileGuess] = []
    for piece in pieces:
        with readable(piece.name, unreadable if order.skip_unreadable else None):
            found: list[Guess] = []
            blocks = blocks_in(piece, order.rules, order.reading, found.append)
            texts = chunks_of(blocks, order.rules.pattern, order.rules.boundaries, size=order.rules.chunk_bytes)
            chunks = (Chunk(text, starts_text=number == piece.start == 0) for number, text in enumerate(texts))
            parts.append(PartCounts.of(count_chunks(chunks, order.rules), piece.number))
            guesses += [FileGuess(piece.number, piece.name, guess) for guess in found]
    tell(order.topic, {"number": pieces[0].number, "bytes": sum(piece.size for piece in pieces)})
    shares: Sequence[PartCounts | None] = [None] * order.shares
    if parts:
        shares = (parts[0] if len(parts) == 1 else PartCounts.merged(*parts)).shared_out(order.shares)
    first, *others = (Sum(share, tuple(unreadable)) for share in shares)
    return [first._replace(guesses=tuple(guesses)), *others]


def sum_of_file(sums: list[Sum]) -> Sum:
    """Add up pieces of one file; if one piece cannot be read, leave out the whole file."""
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
    """Drop the rare pretokens of a whole share, which has all counts of its pretokens."""
    return total if total.counts is None else total._replace(counts=total.counts.without_rare(min_count))


def _size(share: Sum) -> tuple[int, int]:
    """Return how many distinct pretokens there are, and the memory that they take."""
    if share.counts is None:
        return 0, 0
    arrays = (*share.counts.counts.pretokens, share.counts.firsts)
    return share.counts.firsts.size, sum(array.nbytes for array in arrays)


def _together(sums: list[Sum], missing: Sequence[Unreadable]) -> CountedFiles:
    """Put the shares together, in order of first appearance; each share names the same files that were skipped."""
    unreadable = tuple(sorted({*missing, *sums[0].unreadable}))
    shares = [each.counts for each in sums if each.counts is not None]
    if not shares:
        raise CorpusError("no_file_readable", why=unreadable[0].why)
    guesses = tuple(sorted(_guesses(sums), key=operator.attrgetter("number")))
    return CountedFiles(PartCounts.of_shares(*shares).in_order(), unreadable, guesses)
