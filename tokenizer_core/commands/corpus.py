"""What the commands that read a corpus have in common: their options, their progress, and how they end."""

import argparse
import glob
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import regex

from tokenizer_core.commands.engine import counted_there
from tokenizer_core.commands.options import add_reading, one_line
from tokenizer_core.counting.counts import Counts
from tokenizer_core.counting.guesses import ColumnGuess, Guess
from tokenizer_core.counting.reading import STANDARD_INPUT, Reading, size_of
from tokenizer_core.counting.safe_places import CHUNK_BYTES
from tokenizer_core.counting.storage import expanded, is_address
from tokenizer_core.counting.streaming import CountingRules, count_files
from tokenizer_core.counting.unreadable import Unreadable
from tokenizer_core.errors import CorpusError, TokenizerError
from tokenizer_core.jobs.process import limit_memory
from tokenizer_core.patterns import SPLIT_PATTERNS
from tokenizer_core.texts.labels import listed

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 and the number of the signal."""
_SIZE = re.compile(r"(\d+(?:\.\d+)?) *([KMGT]?)(i?)B?", re.IGNORECASE)
_SPARE = 2**29
"""Memory for compiled code and the stacks of threads, which may not fail: it would crash the program."""
_LEAST_MEMORY = 64 * 2**20
_GUESSES = 5
_EVERY = 0.2
"""Seconds between two lines of progress."""


def add_corpus(parser: argparse.ArgumentParser, *, files: str = "*") -> None:
    """Add the files, and what is to be known of them, to a parser."""
    parser.add_argument(
        "files",
        nargs=files,
        metavar="FILE",
        help="text, .csv, .tsv, .jsonl or .parquet, each of the first four also as .gz; patterns such as"
        " 'corpus/*.txt' (** for all folders); - is the standard input",
    )
    parser.add_argument(
        "--column", action="append", metavar="NAME", help="a column of tables; repeat it; by default the prose"
    )
    add_reading(parser)
    parser.add_argument(
        "--skip-unreadable", action="store_true", help="leave out files that cannot be read, and name them"
    )
    add_boundaries(parser)


def add_boundaries(parser: argparse.ArgumentParser) -> None:
    """Add the choice of what is one text to a parser."""
    parser.add_argument(
        "--boundaries",
        choices=["file", "line"],
        default="file",
        help="what is one text: a file (by default), or each line without its end; no token crosses from one to"
        " the next",
    )


def add_counting(parser: argparse.ArgumentParser) -> None:
    """Add how pretokens are counted to a parser."""
    parser.add_argument(
        "--pattern",
        help=f"the split pattern: {', '.join(SPLIT_PATTERNS)}, or a regular expression; by default mark_aware",
    )
    parser.add_argument(
        "--min-pretoken-count",
        type=positive,
        default=1,
        metavar="N",
        help="drop pretokens that occur less often; how much that can matter is printed; by default 1",
    )
    parser.add_argument(
        "--memory",
        type=memory_size,
        metavar="SIZE",
        help="memory for counts and training, such as 4GB, besides 0.5 GB for the program; if it is too little,"
        " the command ends with a sentence, or drops rare pretokens earlier",
    )
    parser.add_argument(
        "--threads", type=positive, default=_cores(), metavar="N", help="by default %(default)s, all cores"
    )


def positive(said: str) -> int:
    """Read a number from 1 up."""
    if not said.isascii() or not said.isdigit() or not 1 <= int(said) < 2**31:
        raise argparse.ArgumentTypeError(f"a whole number from 1 up must come; {said!r} came")
    return int(said)


def memory_size(said: str) -> int:
    """Read a size of memory.

    >>> memory_size("4GB"), memory_size("1.5 GiB") == memory_size("1.5g")
    (4294967296, True)
    """
    found = _SIZE.fullmatch(said.strip())
    size = float(found[1]) * 2 ** (10 * " KMGT".index(found[2].upper() or " ")) if found else 0
    if not _LEAST_MEMORY <= size < 2**60:
        raise argparse.ArgumentTypeError(f"a size such as 4GB must come, 64MB or more; {said!r} came")
    return int(size)


def named_files(patterns: Sequence[str]) -> list[str]:
    """Return the files that are meant, those of a pattern in order of their names.

    Raises `CorpusError` if no file fits a pattern.
    """
    names: list[str] = []
    for pattern in patterns:
        if is_address(pattern):
            names += expanded([pattern])
            continue
        if pattern == STANDARD_INPUT or Path(pattern).exists() or not glob.has_magic(pattern):
            names.append(pattern)
            continue
        paths = glob.glob(pattern, recursive=True)  # noqa: PTH207  Path.glob knows no absolute patterns
        found = sorted(path for path in paths if Path(path).is_file())
        if not found:
            raise CorpusError(
                f"at least one file must fit {pattern!r}; none does", "no_file_fits", pattern=pattern
            )
        names += found
    if names.count(STANDARD_INPUT) > 1:
        raise CorpusError("the standard input can be read only once; - came twice", "stdin_twice")
    return names


def reading_of(said: argparse.Namespace) -> Reading:
    """Return what the arguments say of the files."""
    return Reading(said.column, said.header, said.encoding)


def counted(said: argparse.Namespace, command: str) -> Counts:
    """Count the files that the arguments name, with progress on a terminal."""
    names = named_files(said.files)
    rules = CountingRules(
        pattern=said.pattern or "mark_aware",
        boundaries=said.boundaries,
        min_count=said.min_pretoken_count,
        memory_bytes=None if said.memory is None else said.memory * 4 // 5,
        threads=said.threads,
        chunk_bytes=_chunk_bytes(said.memory, said.threads),
    )
    progress, guesses = Progress(command, "MB", size_of(names), per=2**20), Guesses()
    try:
        if said.engine == "dask":
            counts, skipped, found = counted_there(said, names, rules, reading_of(said), progress.add)
            for _, name, guess in found:
                guesses.add(name, guess)
        else:
            left_out: list[Unreadable] | None = [] if said.skip_unreadable else None
            counts = count_files(
                names, rules, reading_of(said), skipped=left_out, listener=progress.add, guessed=guesses.add
            )
            skipped = tuple(left_out or ())
    finally:
        progress.end()
    say_skipped(skipped, command)
    guesses.say(command)
    return counts


class Guesses:
    """How files were read that do not say it themselves; the first are named."""

    def __init__(self) -> None:
        self._encodings: list[tuple[str, str]] = []
        self._tables: dict[ColumnGuess, list[str]] = {}

    def add(self, name: str, guess: Guess) -> None:
        """Note how a file was read."""
        if isinstance(guess, ColumnGuess):
            self._tables.setdefault(guess, []).append(name)
        else:
            self._encodings.append((name, guess.encoding))

    def say(self, command: str) -> None:
        """Say it on a line for each of the first files, and how many more there are; tables alike share one."""
        for name, encoding in self._encodings[:_GUESSES]:
            print(f"{command}: {name} does not say its encoding; it was read as {encoding}", file=sys.stderr)
        if more := len(self._encodings[_GUESSES:]):
            print(f"{command}: more files that do not say their encoding: {more:,}", file=sys.stderr)
        tables = list(self._tables.items())
        for (chosen, columns), (name, *others) in tables[:_GUESSES]:
            alike = f" and {len(others):,} more" if others else ""
            read, all_ = listed(chosen), listed(columns)
            print(
                f"{command}: {name}{alike}: text comes from {read}; --column chooses among {all_}",
                file=sys.stderr,
            )
        if more := sum(len(names) for _, names in tables[_GUESSES:]):
            print(f"{command}: more tables whose columns were chosen: {more:,}", file=sys.stderr)


def say_skipped(skipped: Sequence[Unreadable], command: str) -> None:
    """Name the files that were left out, a line for each."""
    for file in skipped:
        print(f"{command}: skipped {' '.join(file.why.split())}", file=sys.stderr)


def limit(memory: int | None) -> None:
    """Limit this process, so that it fails before it fills the machine; its own checks come first."""
    limit_memory(None if memory is None else memory + _SPARE)


def _chunk_bytes(memory: int | None, threads: int) -> int:
    """Return how much text is counted at a time: a chunk may take ten times its size, if all pretokens differ."""
    return CHUNK_BYTES if memory is None else min(CHUNK_BYTES, memory // (64 * (threads + 1)))


def dropped_sentence(counts: Counts) -> str | None:
    """Say what is missing from counts, and how much that can matter; None if nothing is.

    >>> dropped_sentence(Counts.of("a b a b c", "gpt2").without_rare(2))
    '3 of 5 pretokens (5 of 9 bytes) were rare and dropped; no count of a pretoken is short by more than 1'
    """
    recipe = counts.recipe
    if not recipe.short_by:
        return None
    return (
        f"{recipe.dropped:,} of {recipe.pretokens:,} pretokens ({recipe.dropped_bytes:,} of {recipe.bytes_read:,}"
        f" bytes) were rare and dropped; no count of a pretoken is short by more than {recipe.short_by:,}"
    )


def version_sentence(counts: Counts) -> str | None:
    """Say that another version of `regex` cut the texts; None if it was the one that is here.

    >>> version_sentence(Counts.of("a b", "gpt2"))
    """
    recipe = counts.recipe
    if not recipe.is_of_other_regex:
        return None
    return (
        f"the counts were made with regex {recipe.regex_version}, and here is {regex.__version__}: if they"
        " disagree on whether a rare character is a letter, text is cut otherwise here"
    )


class Progress:
    """One line on a terminal, written anew: how far the work is, its rate, and the time left; silent in a pipe."""

    def __init__(
        self,
        command: str,
        unit: str,
        whole: int | None,
        *,
        per: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._said = ""
        self._command = command
        self._unit = unit
        self._whole = whole
        self._per = per
        self._clock = clock
        self._start = self._last = clock()
        self._done = 0
        self._is_shown = sys.stderr.isatty()

    def add(self, more: int) -> None:
        """Note that so much more is done."""
        self._done += more
        now = self._clock()
        if self._is_shown and now - self._last >= _EVERY:
            self._last = now
            self._write(self.sentence())

    def sentence(self) -> str:
        """Say how far the work is."""
        seconds = max(self._clock() - self._start, 1e-9)
        rate = self._done / seconds
        said = f"{self._command}: {self._done / self._per:,.0f}"
        if self._whole is not None:
            said += f" of {self._whole / self._per:,.0f}"
        said += f" {self._unit}, {rate / self._per:,.0f} {self._unit}/s"
        if self._whole is not None and rate > 0:
            said += f", {lasting((self._whole - self._done) / rate)} left"
        return said

    def end(self) -> None:
        """Clear the line."""
        if self._said:
            self._write("")

    def _write(self, sentence: str) -> None:
        with suppress(OSError):
            sys.stderr.write(f"\r{sentence.ljust(len(self._said))}" + ("" if sentence else "\r"))
            sys.stderr.flush()
        self._said = sentence


def lasting(seconds: float) -> str:
    """Write a time as people say it.

    >>> lasting(7.6), lasting(125), lasting(7_330)
    ('8 s', '2 min 5 s', '2 h 2 min')
    """
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3_600} h {whole % 3_600 // 60} min"


def failing(command: str, work: Callable[[argparse.Namespace], int], said: argparse.Namespace) -> int:
    """Do the work of a command; say on one line of stderr why it failed, and return the exit code."""
    try:
        return work(said)
    except BrokenPipeError:
        raise
    except (TokenizerError, OSError) as error:
        if isinstance(error, OSError) and error.filename is None:
            raise  # the output: `__main__` says so
        print(f"{command}: {one_line(error)}", file=sys.stderr)
        return 1
    except MemoryError:
        print(f"{command}: the work must fit in the memory; it is full", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{command}: stopped; no file was written", file=sys.stderr)
        return INTERRUPTED


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
