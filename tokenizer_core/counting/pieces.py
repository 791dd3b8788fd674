"""Parts of files that workers read at the same time: byte ranges of large texts, row groups of large Parquet.

The ends of a part move on to the next place that no pretoken spans. Neighbours look for it in the same way, so
each byte is in exactly one part, and nobody needs to read a file from its beginning. Other files are read whole:
what is packed as gz can be unpacked only from its beginning, and a CSV row may begin anywhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

import regex

from tokenizer_core.counting.guesses import Guess, Guessed
from tokenizer_core.counting.reading import BLOCK_BYTES, STANDARD_INPUT, Reading, blocks_of, is_parquet, plain_utf8
from tokenizer_core.counting.row_groups import blocks_in_run, runs_of
from tokenizer_core.counting.safe_places import MAX_CHUNK_BYTES, places_in
from tokenizer_core.counting.storage import bytes_of, everywhere, expanded, opened
from tokenizer_core.counting.streaming import CountingRules
from tokenizer_core.counting.unreadable import Unreadable, none_readable, readable
from tokenizer_core.errors import CorpusError

_BEFORE = 3
"""Bytes before a place that tell whether it is safe."""
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
    """The first byte; or row group, of a Parquet file that is parted."""
    end: int | None = None
    """None if the file is read to its end, and by its kind: gz, a table, or another encoding."""
    columns: tuple[str, ...] = ()
    """Of a Parquet file that is parted; otherwise whoever reads the file chooses them."""
    guesses: tuple[Guess, ...] = ()
    """How they were chosen, in the first piece."""


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
    """Return the tasks in the order of the files, and the files that are not there.

    Raises `CorpusError`, which names the file, if none may be skipped.
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
        raise none_readable(unreadable)
    return units, unreadable


def _files_there(names: Sequence[str], skipped: list[Unreadable] | None) -> list[tuple[str, int]]:
    """Return each file that is there, and its size; 0 if its storage does not tell."""
    there = []
    for name in expanded(names):
        if name == STANDARD_INPUT:
            raise CorpusError(
                "a cluster must be given files that its workers can open; - is the standard input", "cluster_stdin"
            )
        with readable(name, skipped):
            there.append((everywhere(name), bytes_of(everywhere(name)) or 0))
    return there


def pieces_of(name: str, number: int, rules: CountingRules, reading: Reading, *, piece_bytes: int) -> list[Piece]:
    """Part a plain text or Parquet by a pattern for which places to cut are known; leave any other file whole.

    Raises `OSError` if the file cannot be read.
    """
    size = bytes_of(name)
    if size is None or size <= piece_bytes or places_in(rules.pattern, rules.boundaries) is None:
        return [Piece(number, name, size or 0)]
    if is_parquet(name):
        return _groups_of(name, number, reading, size=size, piece_bytes=piece_bytes)
    if not plain_utf8(name, reading):
        return [Piece(number, name, size)]
    starts = range(0, size, piece_bytes)
    return [
        Piece(number + n, name, min(piece_bytes, size - start), start, start + piece_bytes)
        for n, start in enumerate(starts)
    ]


def _groups_of(name: str, number: int, reading: Reading, *, size: int, piece_bytes: int) -> list[Piece]:
    """Part a Parquet file by its row groups."""
    runs = runs_of(name, reading, size, piece_bytes)
    if len(runs.groups) == 1:
        return [Piece(number, name, size)]
    pieces = [
        Piece(number + n, name, share, groups.start, groups.stop, runs.columns)
        for n, (groups, share) in enumerate(zip(runs.groups, runs.sizes))
    ]
    return [replace(pieces[0], guesses=runs.guesses), *pieces[1:]]


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
        yield from blocks_in_run(piece.name, piece.columns, range(piece.start, piece.end), places)
        return
    with opened(piece.name) as file:
        begin = _first_place(file, piece.start, piece.end, places)
        if begin is None:  # one long word: whoever has its beginning reads it all
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
    """Yield what stands up to `stop`, or the end of the file; raise `CorpusError` if it is not UTF-8."""
    rest = b""
    while block := file.read(BLOCK_BYTES if stop is None else min(BLOCK_BYTES, stop - at - len(rest))):
        held = rest + block
        try:
            end = len(held)
            held.decode()
        except UnicodeDecodeError as error:
            end = error.start
            if error.reason != "unexpected end of data":
                raise _broken(at + end) from None
        rest = held[end:]
        yield held[:end].removeprefix(_MARK) if at == 0 else held[:end]
        at += end
    if rest:
        raise _broken(at)


def _broken(offset: int) -> CorpusError:
    return CorpusError(
        f"the file must be UTF-8 from end to end; byte {offset:,} is broken", "broken_utf8_byte", offset=offset
    )
