"""`python -m tokenizer_core encode` and `decode`: texts of any size → token ids, and back.

On a Dask cluster, pieces of files are encoded at the same time and come back in the order of the texts. No more
pieces are under way than the workers need, so that neither they nor this process hold many ids.
"""

import argparse
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from tokenizer_core.bpe.openai import OpenAITokenizer
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.special_tokens import allowed_tokens
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.cli.corpus import Guesses, Progress, cluster_for, named_files, reading_of, say_skipped
from tokenizer_core.cli.id_files import FORMATS, HeldIds, IdWriter, format_of, pieces_of_ids, written_ids
from tokenizer_core.cli.models import TOKENIZER, tokenizer_named
from tokenizer_core.cli.options import (
    Commands,
    add_boundaries,
    add_command,
    add_corpus,
    add_engine,
    check_engine,
    check_out,
)
from tokenizer_core.corpus_counts.dask_connection import (
    refuse_other_versions,
    results_awaited,
    this_worker,
    versions,
)
from tokenizer_core.corpus_counts.file_parts import Piece, blocks_in, plan
from tokenizer_core.corpus_counts.streaming import CountingRules
from tokenizer_core.errors import CorpusError
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.patterns.safe_places import chunks_of
from tokenizer_core.readers.files import Guess, Reading, Unreadable, blocks_of, readable, size_of, why_unreadable
from tokenizer_core.readers.storage import everywhere

if TYPE_CHECKING:
    from distributed import Client, Future

PIECE_BYTES = 2**23
_AHEAD = 2
"""Pieces under way for each worker: the next one waits there when one is done."""
_ABOUT_ENCODE = """\
Encode files, or the standard input, to token ids. A text is read and written piece by piece where the split
pattern of its tokenizer allows it. A tokenizer of another kind, such as SentencePiece, needs each text whole: at
most 256 MB, or with --boundaries line any number of lines. With --skip-unreadable, each file
is first read to its end, because ids that were written cannot be taken back.

Formats: text has a line of ids for each text, json an array on a line for each, npy one array of all ids (int32),
and parquet a row for each id with the number of its text.
"""
_ABOUT_DECODE = """\
Write the text of token ids: a line of ids for each text, in any of the formats of `encode`. Bytes that are not
valid UTF-8 are written as they are. With --boundaries line, each text becomes a line.
"""


def add_to(commands: Commands) -> None:
    """Add both commands and their options to a parser."""
    encode = add_command(
        commands,
        "encode",
        usage="[FILE ...] --tokenizer TOKENIZER",
        summary="texts to token ids",
        about=_ABOUT_ENCODE,
    )
    add_corpus(encode)
    _add_tokenizer(encode)
    encode.add_argument("--format", choices=FORMATS, help="by default what the name of --out tells, or text")
    encode.add_argument("-o", "--out", metavar="IDS", help="the file to write; by default the standard output")
    encode.add_argument(
        "--special-token", action="append", metavar="TOKEN", help="a special token that acts in the text; or all"
    )
    add_engine(encode)
    encode.set_defaults(run=run_encode)
    decode = add_command(
        commands,
        "decode",
        usage="[IDS ...] --tokenizer TOKENIZER",
        summary="token ids to text",
        about=_ABOUT_DECODE,
    )
    decode.add_argument("files", nargs="*", metavar="IDS", help="files of ids; by default the standard input")
    add_boundaries(decode)
    _add_tokenizer(decode)
    decode.set_defaults(run=run_decode)


def _add_tokenizer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tokenizer",
        required=True,
        metavar="TOKENIZER",
        help=TOKENIZER,
    )
    parser.add_argument("--pattern", help="the split pattern of files that do not hold one")


# ---- encode


def run_encode(said: argparse.Namespace) -> int:
    """Encode all files and write the ids."""
    check_engine(said)
    names = named_files(said.files or ["-"])
    if said.out is not None:
        check_out(said.out)
    tokenizer = tokenizer_named(said.tokenizer, said.pattern, "encode")
    wanted = tokenizer.special_tokens if said.special_token == ["all"] else said.special_token or ()
    special = list(allowed_tokens(tokenizer.special_tokens, wanted))
    rules = CountingRules(pattern_of(tokenizer, special), said.boundaries)
    order = EncodingOrder(tokenizer, special, rules, reading_of(said), versions() if said.engine == "dask" else {})
    guesses = Guesses()
    if said.skip_unreadable and said.engine == "local":
        names = _without(names, [why_unreadable(name, order.reading) for name in names])
    bar = Progress("encode", "MB", size_of(names), per=2**20)
    with bar.shown() as progress, written_ids(said.out, said.format or format_of(said.out)) as writer:
        if said.engine == "dask":
            with cluster_for(said, rules.pattern) as client:
                if said.skip_unreadable:
                    names = _without(names, _unreadable_there(client, names, order.reading))
                _encode_on_cluster(client, names, order, writer, progress, guesses)
        else:
            for name in names:
                _encode_blocks(order, _named_blocks(name, order.reading, progress, guesses), writer)
                if said.boundaries == "file":
                    writer.add([], is_end=True)
    guesses.say("encode")
    return 0


def _named_blocks(name: str, reading: Reading, progress: Progress, guesses: Guesses) -> Iterator[bytes]:
    """Yield the text of a file, which is named in an error of reading it; errors of writing stay as they are."""
    with readable(name, None):
        yield from blocks_of(name, reading, listener=progress.add, guessed=partial(guesses.add, name))


def _without(names: Sequence[str], skipped: Sequence[Unreadable | None]) -> list[str]:
    """Name the files that cannot be read, and return the others."""
    left_out = [each for each in skipped if each is not None]
    say_skipped(left_out, "encode")
    if len(left_out) == len(names):
        raise CorpusError("no_file_readable", why=left_out[0].why)
    return [name for name, why in zip(names, skipped) if why is None]


@dataclass(frozen=True)
class EncodingOrder:
    """How texts are encoded, here or by every worker."""

    tokenizer: AnyTokenizer
    special: list[str]
    rules: CountingRules
    reading: Reading
    versions: dict[str, str]


def _encode_blocks(order: EncodingOrder, blocks: Iterator[bytes], sink: IdWriter) -> None:
    """Encode the text in some blocks; if each line is a text, end each."""
    tokenizer, special = order.tokenizer, order.special
    if order.rules.boundaries == "file":
        for chunk in chunks_of(blocks, order.rules.pattern):
            sink.add(tokenizer.encode(chunk.decode(), allowed_special=special))
        return
    for chunk in chunks_of(blocks, "none", "line"):
        lines = chunk.decode().replace("\r\n", "\n").removesuffix("\n").split("\n")
        if special:
            for line in lines:
                sink.add(tokenizer.encode(line, allowed_special=special), is_end=True)
            continue
        encoded = tokenizer.encode_each(lines)
        for ids in np.split(encoded.ids, np.cumsum(encoded.counts)[:-1]):
            sink.add(ids, is_end=True)


def pattern_of(tokenizer: AnyTokenizer, special: list[str]) -> str:
    """Return the pattern by whose pretokens a text can be cut; "none" if it must stay whole."""
    # A special token with white space might be cut in two.
    has_space = any(character.isspace() for token in special for character in token)
    return tokenizer.pattern if _has_bytes(tokenizer) and not has_space else "none"


# ---- encode on a cluster


def _encode_on_cluster(
    client: "Client",
    names: Sequence[str],
    order: EncodingOrder,
    writer: IdWriter,
    progress: Progress,
    guesses: Guesses,
) -> None:
    """Encode files and write the ids as one process would."""
    units, _ = plan(names, order.rules, order.reading, len(client.nthreads()), PIECE_BYTES)
    pieces = [piece for unit in units for task in unit for piece in task]
    # A task, not scattered data: if the workers that hold it are killed, the scheduler has it made again.
    there = client.submit(_same, order, pure=False)
    under_way: deque[tuple[Piece, Future]] = deque()
    most = _AHEAD * len(client.nthreads())
    for piece, after in zip_longest(pieces, pieces[1:]):
        under_way.append((piece, client.submit(encode_piece, there, piece, pure=False)))
        while under_way and (len(under_way) > most or after is None):
            first, future = under_way.popleft()
            results_awaited(client, [future])
            found, found_guesses = future.result()
            is_end = not under_way or under_way[0][0].name != first.name or under_way[0][0].start == 0
            _write(found, writer, ends_text=is_end and order.rules.boundaries == "file")
            progress.add(first.size)
            for guess in found_guesses:
                guesses.add(first.name, guess)


def _unreadable_there(client: "Client", names: Sequence[str], reading: Reading) -> list[Unreadable | None]:
    """Let the workers read each file to its end; return for each why that fails, or None."""
    futures = client.map(why_unreadable, list(map(everywhere, names)), reading=reading, pure=False)
    results_awaited(client, futures)
    found: list[Unreadable | None] = client.gather(futures)
    return found


def _same(order: EncodingOrder) -> EncodingOrder:
    return order


def _write(found: HeldIds, writer: IdWriter, *, ends_text: bool) -> None:
    ids = found.ids()
    start = 0
    for end in found.ends:
        writer.add(ids[start:end], is_end=True)
        start = end
    writer.add(ids[start:], is_end=ends_text)


def encode_piece(order: EncodingOrder, piece: Piece) -> tuple[HeldIds, list[Guess]]:
    """Encode a piece on a worker; return its ids, and guesses about the file."""
    refuse_other_versions(this_worker(), versions(), order.versions)
    held, guesses = HeldIds(), list[Guess]()
    with readable(piece.name, None):
        blocks = blocks_in(piece, order.rules, order.reading, guesses.append)
        _encode_blocks(order, blocks, held)
    held.parts = [held.ids()]  # one array is sent faster than one for each line
    return held, guesses


# ---- decode


def run_decode(said: argparse.Namespace) -> int:
    """Decode all ids and write the bytes."""
    tokenizer = tokenizer_named(said.tokenizer, said.pattern, "decode")
    names = said.files or ["-"]
    if names.count("-") > 1:
        raise CorpusError("stdin_twice")
    write = sys.stdout.buffer.write
    for name in names:
        held: list[int] = []
        for ids, is_end in pieces_of_ids(name):
            if _has_bytes(tokenizer):
                write(tokenizer.decode_bytes(ids))
            else:  # what a token spells may depend on its neighbours
                held += ids
            if is_end:
                write(tokenizer.decode(held).encode("utf-8", errors="replace") if held else b"")
                held = []
                write(b"\n" if said.boundaries == "line" else b"")
    sys.stdout.buffer.flush()
    return 0


def _has_bytes(tokenizer: AnyTokenizer) -> TypeGuard[Tokenizer | OpenAITokenizer | FileTokenizer]:
    """Tell whether each token has bytes of its own, and the split pattern alone says how a text is cut."""
    return isinstance(tokenizer, Tokenizer | OpenAITokenizer | FileTokenizer)
