"""`python -m tokenizer_core train`: learn a tokenizer from files of any size, or from counts."""

import argparse
import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tokenizer_core.commands.corpus import (
    INTERRUPTED,
    Progress,
    add_corpus,
    add_counting,
    counted,
    dropped_sentence,
    failing,
    limit,
    positive,
    version_sentence,
)
from tokenizer_core.commands.count import summary_of
from tokenizer_core.commands.engine import add_engine, wrong_choice
from tokenizer_core.commands.options import Commands, add_command, check_out
from tokenizer_core.counting.counts import Counts
from tokenizer_core.counting.counts_file import read_counts
from tokenizer_core.errors import ExportError, TrainingError
from tokenizer_core.formats.exports import export
from tokenizer_core.patterns import compile_pattern
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Merge, Trainer, check_vocab_size
from tokenizer_core.vocabulary import BYTES

_ABOUT = """\
Learn a tokenizer from files, which are read in parts, or with --counts from what `count` wrote. On a cluster the
files are counted; it learns here from the counts.

--out says where and how it is written:
  mine             mine.model and mine.vocab, minbpe's files, which the app opens too
  mine.tiktoken    a rank file of tiktoken
  tokenizer.json   Hugging Face's tokenizers and transformers, under any name that ends in .json
`convert` writes other formats, with proof.

Ctrl-C while it learns keeps what was learned; the exit code is 130 then. Pressed twice, it keeps nothing.
"""
_AT_ONCE = 64
"""Merges between two looks at the keyboard: a few milliseconds, seconds on a corpus of gigabytes."""
_ROW_BYTES = 32
"""Memory of the trainer for each byte of distinct pretokens."""


def add_to(commands: Commands) -> None:
    """Add the command and its options to a parser."""
    parser = add_command(commands, "train", summary="a tokenizer from a corpus of any size", about=_ABOUT)
    add_corpus(parser)
    parser.add_argument("--counts", metavar="COUNTS", help="a file that `count` wrote, instead of FILES")
    parser.add_argument("--vocab-size", type=positive, required=True, metavar="N", help="256 bytes and the merges")
    parser.add_argument("--out", required=True, metavar="NAME", help="the files to write")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    add_counting(parser)
    parser.add_argument(
        "--min-count", type=positive, default=1, metavar="N", help="end when no pair occurs so often; by default 1"
    )
    parser.add_argument(
        "--special-token", action="append", default=[], metavar="TOKEN", help="a special token; repeat it"
    )
    parser.add_argument("--json", action="store_true", help="print what was learned from what as JSON")
    add_engine(parser)

    def checked(said: argparse.Namespace) -> int:
        if wrong := wrong_choice(said):
            parser.error(wrong)
        if said.counts is not None and (said.engine == "dask" or said.skip_unreadable):
            parser.error(f"{'--engine dask' if said.engine == 'dask' else '--skip-unreadable'} needs FILES")
        if bool(said.files) == (said.counts is not None):
            parser.error("either FILES or --counts must come, and not both")
        return failing("train", run, said)

    parser.set_defaults(run=checked)


def run(said: argparse.Namespace) -> int:
    """Count, learn and write."""
    check_vocab_size(said.vocab_size)
    if said.engine == "local":  # workers made here would have the limit of this process
        limit(said.memory)
    compile_pattern(said.pattern or "mark_aware")
    untrained = Tokenizer([], pattern=said.pattern or "mark_aware", special_tokens=said.special_token)
    _check_out(untrained, said)
    counts = _counts(said)
    if said.engine == "dask":
        limit(said.memory)
    _check_memory(counts, said.memory)
    trainer = Trainer(counts.pretokens, said.vocab_size, said.min_count)
    merges, is_stopped = _learned(trainer, said.vocab_size)
    pattern = counts.recipe.pattern_name or counts.recipe.pattern
    tokenizer = Tokenizer(
        [(merge.left, merge.right) for merge in merges], pattern=pattern, special_tokens=said.special_token
    )
    paths = _write(tokenizer, said.out)
    _report(said, counts, tokenizer, paths, is_stopped=is_stopped)
    return INTERRUPTED if is_stopped else 0


def _counts(said: argparse.Namespace) -> Counts:
    if said.counts is None:
        return counted(said, "train")
    return read_counts(said.counts, pattern=said.pattern).without_rare(said.min_pretoken_count)


def _check_memory(counts: Counts, memory: int | None) -> None:
    """Refuse what would not fit before it is tried."""
    needed = _ROW_BYTES * counts.pretokens.text.size
    if memory is not None and needed > memory:
        raise TrainingError(
            f"the training must fit in {memory / 2**20:,.0f} MB; {counts.pretokens.ends.size:,} different"
            f" pretokens take {needed / 2**20:,.0f} MB: drop rare ones with --min-pretoken-count",
            "training_memory",
            megabytes=memory // 2**20,
            needed=needed // 2**20,
        )


def _learned(trainer: Trainer, vocab_size: int) -> tuple[list[Merge], bool]:
    """Learn until the end, or until Ctrl-C is pressed; tell which."""
    merges: list[Merge] = []
    progress = Progress("train", "merges", vocab_size - BYTES)
    with _ctrl_c() as pressed:
        while not pressed.is_set() and (learned := trainer.step(_AT_ONCE)):
            merges += learned
            progress.add(len(learned))
    progress.end()
    return merges, pressed.is_set()


@contextmanager
def _ctrl_c() -> Iterator[threading.Event]:
    """Note Ctrl-C, so that no step is lost half way; a second one ends the program as usual."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return

    def note(number: int, frame: object) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


# ---- writing


def _files_of(tokenizer: Tokenizer, out: str) -> dict[Path, bytes]:
    """Return the content of each file."""
    path = Path(out)
    if path.suffix == ".json":
        (content,) = export(tokenizer, "tokenizer.json").files.values()
        return {path: content}
    if path.suffix == ".tiktoken":
        (content,) = export(tokenizer, "tiktoken").files.values()
        return {path: content}
    prefix = out.removesuffix(".model")
    return {
        Path(f"{prefix}.model"): tokenizer.model_text().encode(),
        Path(f"{prefix}.vocab"): tokenizer.vocab_text().encode(),
    }


def _check_out(untrained: Tokenizer, said: argparse.Namespace) -> None:
    """Refuse what cannot be written before hours of work, and files that are there."""
    name = said.out.removesuffix(".model")
    if not name or name.endswith("/"):
        check_out(name)  # a folder is no name
    for path in _files_of(untrained, said.out):
        if path.is_file() and not said.force:
            raise ExportError(f"{path} is there already; --force replaces it", "export_file_there", file=str(path))
        check_out(str(path))


def _write(tokenizer: Tokenizer, out: str) -> list[str]:
    """Write each file whole, or not at all."""
    files = _files_of(tokenizer, out)
    for path, content in files.items():
        part = path.with_name(f".{path.name}.part")
        try:
            part.write_bytes(content)
            part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink()
    return list(map(str, files))


def _report(
    said: argparse.Namespace, counts: Counts, tokenizer: Tokenizer, paths: list[str], *, is_stopped: bool
) -> None:
    """Print what is to be known on stderr, and the summary on stdout if it was asked for."""
    size = tokenizer.vocab_size
    remarks = [version_sentence(counts), dropped_sentence(counts)]
    if is_stopped:
        remarks.append(f"stopped; what was learned is kept: {size:,} of {said.vocab_size:,} tokens in {paths[0]}")
    elif size < said.vocab_size:
        often = f"{said.min_count} times" if said.min_count > 1 else "any more"
        remarks.append(f"it has {size:,} tokens, because no pair occurs {often}")
    elif sys.stderr.isatty():
        remarks.append(f"wrote {' and '.join(paths)}: {size:,} tokens")
    for remark in filter(None, remarks):
        print(f"train: {remark}", file=sys.stderr)
    if said.json:
        summary = {"vocab_size": size, "merges": size - BYTES, "stopped": is_stopped, "files": paths}
        special = {"special_tokens": tokenizer.special_tokens}
        print(json.dumps({**summary, **special, "corpus": summary_of(counts)}, ensure_ascii=False, indent=2))
