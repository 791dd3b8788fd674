"""`python -m tokenizer_core train` and `count`: learn a tokenizer from files of any size, or only count them."""

import argparse
import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tokenizer_core.bpe.parity_trainer import ParityTrainer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Trainer, check_vocab_size
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.cli.corpus import Progress, counted, dropped_sentence, limit, version_sentence
from tokenizer_core.cli.options import (
    Commands,
    add_command,
    add_corpus,
    add_counting,
    add_engine,
    check_engine,
    check_out,
    positive,
    refuse,
)
from tokenizer_core.cli.parity import (
    ABOUT,
    NamedGroup,
    add_parity,
    counted_groups,
    distinct_bytes,
    parity_sentence,
    parity_trainer,
    tokens_per_unit,
)
from tokenizer_core.corpus_counts.counts import Counts
from tokenizer_core.corpus_counts.counts_file import read_counts, write_counts
from tokenizer_core.ctrl_c import INTERRUPTED, replacing
from tokenizer_core.errors import ExportError, TrainingError
from tokenizer_core.interop.exports import export
from tokenizer_core.patterns.split_patterns import SUPERWORDS, compile_pattern
from tokenizer_core.readers.files import STANDARD_INPUT

_ABOUT_TRAIN = """\
Learn a tokenizer from files, which are read in parts, or with --counts from what `count` wrote. On a cluster the
files are counted; it learns here from the counts.

--out says where and how it is written:
  mine             mine.model and mine.vocab, minbpe's files, which the app opens too
  mine.tiktoken    a rank file of tiktoken
  tokenizer.json   Hugging Face's tokenizers and transformers, under any name that ends in .json
`convert` writes other formats, with proof.

With --superwords-from, the last tokens may cross spaces, such as “by the way”: SuperBPE, arXiv 2503.13423. Whole
lines are counted for them, so memory grows with the text. The files are read twice, because neither the pieces nor
the lines tell the other; pipes and standard input can be read only once, so save them in a file first.

Ctrl-C while it learns keeps what was learned; the exit code is 130 then. Pressed twice, it keeps nothing.
"""
_ABOUT_COUNT = """\
Count the pretokens of files, and write the counts with their recipe as Parquet: all that training needs of a
corpus. The files are read in parts, so memory grows with different pretokens only, not with text.
"""
_USUAL = "usual are 1000 for a small text, 32000 for one language, 100000 to 200000 for many"
_AT_ONCE = 64
"""Merges between two checks for Ctrl-C: milliseconds, or seconds on a corpus of gigabytes."""
_ROW_BYTES = 32
"""Memory of the trainer for each byte of distinct pretokens."""


def add_to(commands: Commands) -> None:
    """Add both commands and their options to a parser."""
    parser = add_command(
        commands,
        "train",
        usage="{FILE ... | --counts COUNTS | --parity LANGUAGE=FILES ...} --vocab-size N --out NAME",
        summary="a tokenizer from a corpus of any size",
        about=_ABOUT_TRAIN + "\n" + ABOUT,
    )
    add_corpus(parser)
    parser.add_argument("--counts", metavar="COUNTS", help="a file that `count` wrote, instead of FILES")
    parser.add_argument("--vocab-size", type=positive, metavar="N", help=f"256 bytes and the merges; {_USUAL}")
    parser.add_argument("--out", required=True, metavar="NAME", help="the files to write; their folder is made")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    add_counting(parser)
    parser.add_argument(
        "--min-count", type=positive, default=1, metavar="N", help="end when no pair occurs so often; by default 1"
    )
    parser.add_argument(
        "--special-token", action="append", default=[], metavar="TOKEN", help="a special token; repeat it"
    )
    parser.add_argument(
        "--superwords-from", type=positive, metavar="N", help="from this size on, tokens may cross spaces"
    )
    parser.add_argument("--json", action="store_true", help="print what was learned from what as JSON")
    add_parity(parser)
    add_engine(parser)

    parser.set_defaults(run=run_train)
    count = add_command(
        commands,
        "count",
        usage="FILE [FILE ...] -o COUNTS",
        summary="the pretokens of a large corpus, in a file to train from",
        about=_ABOUT_COUNT,
    )
    add_corpus(count, files="+")
    count.add_argument(
        "-o",
        "--out",
        required=True,
        metavar="COUNTS",
        help="the file to write, replaced if there; its folder is made",
    )
    add_counting(count)
    count.add_argument("--json", action="store_true", help="print the recipe as JSON")
    add_engine(count)
    count.set_defaults(run=run_count)


def _check_said(said: argparse.Namespace) -> None:
    """Refuse options that do not go together, and a pattern or an output that cannot be used, before any work."""
    check_engine(said)
    if said.counts is not None and (said.engine == "dask" or said.skip_unreadable):
        refuse(f"{'--engine dask' if said.engine == 'dask' else '--skip-unreadable'} needs FILES")
    if [bool(said.files), said.counts is not None, bool(said.parity)].count(True) != 1:
        refuse("FILES, --counts or --parity must come, and one of them only")
    if (said.measured or said.global_merges) and not said.parity:
        refuse("--measured and --global-merges need --parity")
    if said.superwords_from and (not said.files or any(map(_is_read_once, said.files))):
        refuse("--superwords-from needs FILES that can be read twice; save standard input or a pipe in a file")
    if said.vocab_size is None:
        refuse(f"--vocab-size is missing; {_USUAL}")
    check_vocab_size(said.vocab_size)
    check_vocab_size(said.superwords_from or said.vocab_size)
    compile_pattern(said.pattern or "mark_aware")
    _check_out(Tokenizer([], pattern=said.pattern or "mark_aware", special_tokens=said.special_token), said)


def run_train(said: argparse.Namespace) -> int:
    """Count, learn and write."""
    _check_said(said)
    if said.engine == "local":  # workers made here would have the limit of this process
        limit(said.memory)
    groups: list[NamedGroup] = []
    if said.parity:
        groups, counts = counted_groups(said)
    elif said.counts is None:
        counts = counted(said, "train")
    else:
        counts = read_counts(said.counts, pattern=said.pattern).without_rare(said.min_pretoken_count)
    if said.engine == "dask":
        limit(said.memory)
    _check_memory(distinct_bytes(groups, counts, said), said.memory)
    lines = _counted_lines(said) if said.superwords_from else None
    trainer = _trainer_of(counts, groups, said)
    with _ctrl_c() as pressed:
        merges = _learned(trainer, pressed)
        pattern = counts.recipe.pattern_name or counts.recipe.pattern
        if lines and not pressed.is_set():
            pattern = SUPERWORDS
            trainer = Trainer(lines.pretokens, said.vocab_size, said.min_count, merges=merges)
            merges += _learned(trainer, pressed)
        is_stopped = pressed.is_set() and not (trainer.done and trainer.vocab_size == said.vocab_size)
        tokenizer = Tokenizer(merges, pattern=pattern, special_tokens=said.special_token)
        paths = _write(tokenizer, said.out)
    if isinstance(trainer, ParityTrainer) and sys.stderr.isatty():
        print(f"train: {parity_sentence(groups, trainer)}", file=sys.stderr)
    _report(said, counts, tokenizer, paths, is_stopped=is_stopped, groups=tokens_per_unit(groups, trainer))
    return INTERRUPTED if is_stopped else 0


def _is_read_once(name: str) -> bool:
    """Tell whether a file has nothing left after it is read: standard input, or a pipe such as <(zcat a.gz)."""
    return name == STANDARD_INPUT or Path(name).is_fifo() or Path(name).is_char_device()


def _trainer_of(counts: Counts, groups: list[NamedGroup], said: argparse.Namespace) -> Trainer | ParityTrainer:
    """Return the trainer of the languages, or without any that of all counts."""
    size = min(said.superwords_from or said.vocab_size, said.vocab_size)
    return parity_trainer(groups, said) if groups else Trainer(counts.pretokens, size, said.min_count)


def _counted_lines(said: argparse.Namespace) -> Counts:
    """Count the lines of the files, for tokens that cross spaces."""
    again = {"pattern": SUPERWORDS, "min_pretoken_count": 1}
    lines = counted(argparse.Namespace(**{**vars(said), **again}), "train", is_first=False)
    _check_memory(lines.pretokens.text.size, said.memory)
    return lines


def _check_memory(distinct: int, memory: int | None) -> None:
    """Refuse a training that needs more memory than allowed, before it starts."""
    needed = _ROW_BYTES * distinct
    if memory is not None and needed > memory:
        raise TrainingError("training_memory", megabytes=memory // 2**20, needed=needed // 2**20)


def _learned(trainer: Trainer | ParityTrainer, pressed: threading.Event) -> list[tuple[int, int]]:
    """Learn until the end, or until Ctrl-C is pressed."""
    merges: list[tuple[int, int]] = []
    with Progress("train", "merges", trainer.vocab_size - BYTES - trainer.merge_count).shown() as progress:
        while not pressed.is_set() and (learned := trainer.step(_AT_ONCE)):
            merges += [(merge.left, merge.right) for merge in learned]
            progress.add(len(learned))
    return merges


@contextmanager
def _ctrl_c() -> Iterator[threading.Event]:
    """Note the first Ctrl-C, so that the merges so far are kept; a second one ends the program."""
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
    if to := {".json": "tokenizer.json", ".tiktoken": "tiktoken"}.get(path.suffix):
        (content,) = export(tokenizer, to).files.values()
        return {path: content}
    prefix = out.removesuffix(".model")
    return {
        Path(f"{prefix}.model"): tokenizer.model_text().encode(),
        Path(f"{prefix}.vocab"): tokenizer.vocab_text().encode(),
    }


def _check_out(untrained: Tokenizer, said: argparse.Namespace) -> None:
    """Refuse an output that cannot be written, or exists, before hours of work."""
    name = said.out.removesuffix(".model")
    if not name or name.endswith("/"):
        check_out(name)  # a folder is no name
    for path in _files_of(untrained, said.out):
        if path.is_file() and not said.force:
            raise ExportError("export_file_there", file=str(path))
        check_out(str(path))


def _write(tokenizer: Tokenizer, out: str) -> list[str]:
    """Write all files, or none."""
    files = _files_of(tokenizer, out)
    with replacing(*files) as parts:
        for part, content in zip(parts, files.values()):
            part.write_bytes(content)
    return list(map(str, files))


def _report(
    said: argparse.Namespace,
    counts: Counts,
    tokenizer: Tokenizer,
    paths: list[str],
    *,
    is_stopped: bool,
    groups: dict[str, dict[str, Any]],
) -> None:
    """Print remarks on stderr, and with --json the summary on stdout."""
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
        special: dict[str, Any] = {"special_tokens": tokenizer.special_tokens}
        if groups:
            special["languages"] = groups
        print(json.dumps({**summary, **special, "corpus": summary_of(counts)}, ensure_ascii=False, indent=2))


# ---- count


def run_count(said: argparse.Namespace) -> int:
    """Count and write."""
    check_engine(said)
    check_out(said.out)
    if said.engine == "local":  # workers made here would have the limit of this process
        limit(said.memory)
    counts = counted(said, "count")
    write_counts(counts, said.out)
    if missing := dropped_sentence(counts):
        print(f"count: {missing}", file=sys.stderr)
    if said.json:
        print(json.dumps({**summary_of(counts), "out": said.out}, ensure_ascii=False, indent=2))
    elif sys.stderr.isatty():
        print(f"count: {counts.pretokens.ends.size:,} different pretokens in {said.out}", file=sys.stderr)
    return 0


def summary_of(counts: Counts) -> dict[str, Any]:
    """Return the summary of counts for --json."""
    name = counts.recipe.pattern_name
    recipe = {"pattern_name": name, **asdict(counts.recipe)}
    return {"distinct_pretokens": int(counts.pretokens.ends.size), "sha256": counts.sha256, "recipe": recipe}
