"""`python -m tokenizer_core encode` and `decode`: texts of any size → token ids, and back."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeGuard

from tokenizer_core.commands.compare import tokenizer_named
from tokenizer_core.commands.corpus import (
    Guesses,
    Progress,
    add_boundaries,
    add_corpus,
    failing,
    named_files,
    reading_of,
    say_skipped,
)
from tokenizer_core.commands.encode_there import EncodingOrder, IdSink, encode_on_cluster, unreadable_there
from tokenizer_core.commands.engine import add_engine, cluster_for, wrong_choice
from tokenizer_core.commands.id_files import FORMATS, IdWriter, format_of, pieces_of_ids
from tokenizer_core.commands.options import Commands, add_command, check_out
from tokenizer_core.counting.cluster import versions
from tokenizer_core.counting.reading import blocks_of, size_of
from tokenizer_core.counting.safe_places import chunks_of
from tokenizer_core.counting.streaming import CountingRules
from tokenizer_core.counting.unreadable import Unreadable, none_readable, readable, why_unreadable
from tokenizer_core.errors import CorpusError
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.openai import OpenAITokenizer
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.special_tokens import allowed_tokens
from tokenizer_core.tokenizer import Tokenizer

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
    encode = add_command(commands, "encode", summary="texts to token ids", about=_ABOUT_ENCODE)
    add_corpus(encode)
    _add_tokenizer(encode)
    encode.add_argument("--format", choices=FORMATS, help="by default what the name of --out tells, or text")
    encode.add_argument("-o", "--out", metavar="IDS", help="the file to write; by default the standard output")
    encode.add_argument(
        "--special-token", action="append", metavar="TOKEN", help="a special token that acts in the text; or all"
    )
    add_engine(encode)

    def checked(said: argparse.Namespace) -> int:
        if wrong := wrong_choice(said):
            encode.error(wrong)
        return failing("encode", run_encode, said)

    encode.set_defaults(run=checked)
    decode = add_command(commands, "decode", summary="token ids to text", about=_ABOUT_DECODE)
    decode.add_argument("files", nargs="*", metavar="IDS", help="files of ids; by default the standard input")
    add_boundaries(decode)
    _add_tokenizer(decode)
    decode.set_defaults(run=lambda said: failing("decode", run_decode, said))


def _add_tokenizer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tokenizer",
        required=True,
        metavar="TOKENIZER",
        help="gpt2, cl100k_base, o200k_base, or a file: a .model of minbpe or SentencePiece, a tokenizer.json, or"
        " a rank file of tiktoken; GPT-2's two files have a + between",
    )
    parser.add_argument("--pattern", help="the split pattern of files that do not hold one")


def run_encode(said: argparse.Namespace) -> int:
    """Encode all files and write the ids."""
    names = named_files(said.files or ["-"])
    if said.out is not None:
        check_out(said.out)
    tokenizer = tokenizer_named(said.tokenizer, said.pattern, command="encode")
    special = _special_of(tokenizer, said.special_token)
    form = said.format or format_of(said.out)
    if said.skip_unreadable and said.engine == "local":
        names = _without(names, [why_unreadable(name, reading_of(said)) for name in names])
    progress, guesses = Progress("encode", "MB", size_of(names), per=2**20), Guesses()
    try:
        with IdWriter(said.out, form) as writer:
            if said.engine == "dask":
                _encode_there(said, names, tokenizer, special, writer, progress, guesses)
            for name in names if said.engine == "local" else ():
                blocks = _named_blocks(name, said, progress, guesses)
                encode_blocks(tokenizer, blocks, special, said.boundaries, writer)
                if said.boundaries == "file":
                    writer.end_text()
    finally:
        progress.end()
    guesses.say("encode")
    return 0


def _without(names: Sequence[str], skipped: Sequence[Unreadable | None]) -> list[str]:
    """Name the files that cannot be read, and return the others."""
    left_out = [each for each in skipped if each is not None]
    say_skipped(left_out, "encode")
    if len(left_out) == len(names):
        raise none_readable(left_out)
    return [name for name, why in zip(names, skipped) if why is None]


def encode_blocks(
    tokenizer: AnyTokenizer, blocks: Iterator[bytes], special: list[str], boundaries: str, sink: IdSink
) -> None:
    """Encode the text in some blocks; if each line is a text, end each."""
    if boundaries == "line":
        _encode_lines(tokenizer, chunks_of(blocks, "none", "line"), special, sink)
        return
    for chunk in chunks_of(blocks, pattern_of(tokenizer, special)):
        sink.add(tokenizer.encode(chunk.decode(), allowed_special=special))


def _named_blocks(name: str, said: argparse.Namespace, progress: Progress, guesses: Guesses) -> Iterator[bytes]:
    """Yield the text of a file, which is named in an error of reading it."""
    with readable(name, None):
        yield from blocks_of(name, reading_of(said), listener=progress.add, guessed=partial(guesses.add, name))


def _encode_there(
    said: argparse.Namespace,
    names: list[str],
    tokenizer: AnyTokenizer,
    special: list[str],
    writer: IdWriter,
    progress: Progress,
    guesses: Guesses,
) -> None:
    """Encode on a cluster."""
    rules = CountingRules(pattern_of(tokenizer, special), said.boundaries)
    order = EncodingOrder(encode_blocks, tokenizer, special, rules, reading_of(said), versions())
    with cluster_for(said, rules.pattern) as client:
        if said.skip_unreadable:
            names = _without(names, unreadable_there(client, names, order.reading))
        encode_on_cluster(client, names, order, writer, listener=progress.add, guessed=guesses.add)


def _special_of(tokenizer: AnyTokenizer, tokens: list[str] | None) -> list[str]:
    """Return the special tokens that act; raise `SpecialTokenError` for one that the tokenizer does not have."""
    if tokens == ["all"]:
        return list(tokenizer.special_tokens)
    return list(allowed_tokens(tokenizer.special_tokens, tokens or ()))


def pattern_of(tokenizer: AnyTokenizer, special: list[str]) -> str:
    """Return the pattern by whose pretokens a text can be cut; "none" if it must stay whole."""
    # A special token with white space might be cut in two.
    has_space = any(character.isspace() for token in special for character in token)
    return tokenizer.pattern if _has_bytes(tokenizer) and not has_space else "none"


def _encode_lines(tokenizer: AnyTokenizer, chunks: Iterator[bytes], special: list[str], sink: IdSink) -> None:
    """Encode each line as a text of its own, without its end."""
    for chunk in chunks:
        lines = chunk.decode().replace("\r\n", "\n").removesuffix("\n").split("\n")
        if special:
            for line in lines:
                sink.add(tokenizer.encode(line, allowed_special=special))
                sink.end_text()
            continue
        encoded = tokenizer.encode_each(lines)
        end = 0
        for count in encoded.counts.tolist():
            sink.add(encoded.ids[end : end + count])
            sink.end_text()
            end += count


def run_decode(said: argparse.Namespace) -> int:
    """Decode all ids and write the bytes."""
    tokenizer = tokenizer_named(said.tokenizer, said.pattern, command="decode")
    names = said.files or ["-"]
    if names.count("-") > 1:
        raise CorpusError("the standard input can be read only once; - came twice", "stdin_twice")
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
