"""Pieces of files that workers read at the same time: byte ranges of large texts, row groups of large Parquet.

Both ends of a piece move on to the next safe place, which no pretoken spans. Neighbours find the same place, so
each byte is in exactly one piece. Other files are read whole: gz can be unpacked only from its beginning, and a
CSV row may begin anywhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import BinaryIO

import regex

from tokenizer_core.corpus_counts.streaming import CountingRules
from tokenizer_core.errors import CorpusError
from tokenizer_core.patterns.safe_places import MAX_CHUNK_BYTES, places_in
from tokenizer_core.readers.files import (
    BLOCK_BYTES,
    STANDARD_INPUT,
    Guess,
    Guessed,
    Reading,
    Unreadable,
    blocks_of,
    columns_to_read,
    is_parquet,
    is_plain_utf8,
    readable,
)
from tokenizer_core.readers.parquet import parquet_at
from tokenizer_core.readers.storage import bytes_of, everywhere, expanded, opened
from tokenizer_core.readers.tables import text_blocks

_BEFORE = 3
"""Bytes before a place that decide whether it is safe."""
_WINDOW = 2**16
_MARK = "\ufeff".encode()
LEAST_PIECE, LARGEST_PIECE = 2**23, 2**28
_NO_ROOM = -1
_TURNS = 16
"""Pieces for each worker, so that all are done at about the same time."""


@dataclass(frozen=True)
class Piece:
    """A file, or a part of it."""

    number: int
    """Its place in the order of the texts, from 0 up."""
    name: str
    size: int
    """Bytes on the disk."""
    start: int = 0
    """The first byte; of a Parquet file in pieces, the first row group."""
    end: int | None = None
    """None if the file is read whole: gz, a table, or another encoding."""
    columns: tuple[str, ...] = ()
    """The columns of a Parquet file in pieces."""
    guesses: tuple[Guess, ...] = ()
    """How the columns were chosen; in the first piece."""


Unit = list[list[Piece]]
"""The tasks of one large file, each with one piece; or one task with several small files."""


def plan(
    names: Sequence[str],
    rules: CountingRules,
    reading: Reading,
    workers: int,
    piece_bytes: int | None = None,
    *,
    skip_unreadable: bool = False,
) -> tuple[list[Unit], list[Unreadable]]:
    """Return the tasks in the order of the files, and the files that cannot be opened.

    Raises `CorpusError`, which names such a file, unless `skip_unreadable`.
    """
    unreadable: list[Unreadable] = []
    skipped = unreadable if skip_unreadable else None
    there = _files_there(names, skipped)
    if piece_bytes is None:
        total = sum(size for _, size in there)
        piece_bytes = min(max(total // (_TURNS * max(workers, 1)), LEAST_PIECE), LARGEST_PIECE)
    units: list[Unit] = []
    number, room = 0, _NO_ROOM
    for name, _ in there:
        with readable(name, skipped):
            pieces = pieces_of(name, number, rules, reading, piece_bytes=piece_bytes)
            number += len(pieces)
            room -= pieces[0].size
            if len(pieces) > 1:
                units.append([[piece] for piece in pieces])
                room = _NO_ROOM
            elif room >= 0:
                units[-1][0] += pieces
            else:
                units.append([pieces])
                room = piece_bytes - pieces[0].size
    if not units:
        raise CorpusError("no_file_readable", why=unreadable[0].why)
    return units, unreadable


def _files_there(names: Sequence[str], skipped: list[Unreadable] | None) -> list[tuple[str, int]]:
    """Return each file that is there, and its size; 0 if its storage does not tell."""
    there = []
    for name in expanded(names):
        if name == STANDARD_INPUT:
            raise CorpusError("cluster_stdin")
        with readable(name, skipped):
            there.append((everywhere(name), bytes_of(everywhere(name)) or 0))
    return there


def pieces_of(name: str, number: int, rules: CountingRules, reading: Reading, *, piece_bytes: int) -> list[Piece]:
    """Divide plain text or Parquet if the pattern has known safe places; leave any other file whole.

    Raises `OSError` if the file cannot be read.
    """
    size = bytes_of(name)
    if size is None or size <= piece_bytes or places_in(rules.pattern, rules.boundaries) is None:
        return [Piece(number, name, size or 0)]
    if is_parquet(name):
        return _groups_of(name, number, reading, size=size, piece_bytes=piece_bytes)
    if not is_plain_utf8(name, reading):
        return [Piece(number, name, size)]
    starts = range(0, size, piece_bytes)
    return [
        Piece(number + n, name, min(piece_bytes, size - start), start, start + piece_bytes)
        for n, start in enumerate(starts)
    ]


def _groups_of(name: str, number: int, reading: Reading, *, size: int, piece_bytes: int) -> list[Piece]:
    """Divide a Parquet file into runs of row groups; each has its share of the bytes on the disk."""
    guesses: list[Guess] = []
    with parquet_at(name) as file:
        columns = columns_to_read(file.table(None), reading.columns, guesses.append)
        totals = list(accumulate(file.sizes(list(map(file.labels.index, columns)))))
    pieces: list[Piece] = []
    start = done = 0
    for stop, total in enumerate(totals, 1):
        end = size if stop == len(totals) else size * total // max(1, totals[-1])
        if end - done >= piece_bytes or stop == len(totals):
            pieces.append(Piece(number + len(pieces), name, end - done, start, stop, columns))
            start, done = stop, end
    if len(pieces) == 1:
        return [Piece(number, name, size)]
    return [replace(pieces[0], guesses=tuple(guesses)), *pieces[1:]]


def blocks_in(
    piece: Piece, rules: CountingRules, reading: Reading, guessed: Guessed = lambda guess: None
) -> Iterator[bytes]:
    """Yield the text of a piece as UTF-8, in blocks of no particular size.

    Raises `CorpusError`, which names no file, and `OSError`.
    """
    places = places_in(rules.pattern, rules.boundaries)
    if piece.end is None or places is None:
        yield from blocks_of(piece.name, reading, guessed=guessed)
        return
    if piece.columns:
        for guess in piece.guesses:
            guessed(guess)
        yield from _blocks_of_groups(piece, piece.end, places)
        return
    with opened(piece.name) as file:
        begin = _first_place(file, piece.start, piece.end, places)
        if begin is None:  # one long word, which the piece with its beginning reads
            return
        stop = _first_place(file, piece.end, piece.end + MAX_CHUNK_BYTES, places)
        file.seek(begin)
        yield from _checked_blocks(file, begin, stop)


def _first_place(file: BinaryIO, start: int, limit: int, places: regex.Pattern[bytes]) -> int | None:
    """Return the first safe place from `start` on and before `limit`; None if there is none."""
    if start == 0:
        return 0
    at = start - min(_BEFORE, start)
    file.seek(at)
    held = b""
    while at < limit and (block := file.read(_WINDOW)):
        held += block
        if found := places.search(held, max(0, start - at)):
            place: int = at + found.start()
            return place if place < limit else None
        at += max(0, len(held) - _BEFORE)
        held = held[-_BEFORE:]
    return None


def _checked_blocks(file: BinaryIO, at: int, stop: int | None) -> Iterator[bytes]:
    """Yield the text up to `stop`, or to the end of the file; raise `CorpusError` if it is not UTF-8."""
    rest = b""
    while block := file.read(BLOCK_BYTES if stop is None else min(BLOCK_BYTES, stop - at - len(rest))):
        held = rest + block
        try:
            end = len(held)
            held.decode()
        except UnicodeDecodeError as error:
            end = error.start
            if error.reason != "unexpected end of data":
                raise CorpusError("broken_utf8_byte", offset=at + end) from None
        rest = held[end:]
        yield held[:end].removeprefix(_MARK) if at == 0 else held[:end]
        at += end
    if rest:
        raise CorpusError("broken_utf8_byte", offset=at)


def _blocks_of_groups(piece: Piece, end: int, places: regex.Pattern[bytes]) -> Iterator[bytes]:
    """Yield the text of a run of row groups, from its first safe place to the first one after its end.

    Blocks end where cells do, and whether a place is safe never depends on an earlier cell. So each block is
    searched by itself.
    """
    with parquet_at(piece.name) as file:
        columns = list(map(file.labels.index, piece.columns))

        def blocks(groups: range) -> Iterator[bytes]:
            return map(str.encode, text_blocks(cells or () for _, cells in file.rows(columns, groups)))

        is_begun = piece.start == 0
        for block in blocks(range(piece.start, end)):
            if is_begun:
                yield block
            elif (place := _place_after_cell(block, places)) is not None:
                is_begun = True
                yield block[place:]
        if not is_begun:  # one long word, which the piece with its beginning reads
            return
        for block in blocks(range(end, file.groups.stop)):
            place = _place_after_cell(block, places)
            yield block[:place]
            if place is not None:
                return


def _place_after_cell(block: bytes, places: regex.Pattern[bytes]) -> int | None:
    """Return the first safe place in a block that follows the end of a cell; None if there is none."""
    found = places.search(b"\n" + block)
    return None if found is None else max(0, found.start() - 1)
