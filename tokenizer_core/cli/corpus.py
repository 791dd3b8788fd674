"""Reading a corpus: the files that are meant, counting them, guesses about them, progress and limits."""

import argparse
import glob
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import regex

from tokenizer_core.corpus_counts.counts import Counts
from tokenizer_core.corpus_counts.dask_connection import local_cluster, running_cluster
from tokenizer_core.corpus_counts.dask_counting import count_on_cluster
from tokenizer_core.corpus_counts.streaming import CountingRules, count_files
from tokenizer_core.ctrl_c import undone
from tokenizer_core.errors import CorpusError
from tokenizer_core.patterns.safe_places import CHUNK_BYTES
from tokenizer_core.readers.files import (
    STANDARD_INPUT,
    ColumnGuess,
    Guess,
    Reading,
    Unreadable,
    size_of,
)
from tokenizer_core.readers.labels import listed
from tokenizer_core.readers.storage import expanded, is_address
from tokenizer_core.workers.child import limit_memory

if TYPE_CHECKING:
    from distributed import Client

_SPARE = 2**29
"""Memory for compiled code and the stacks of threads, which may not fail: it would crash the program."""
_GUESSES = 5
_EVERY = 0.2
"""Seconds between two lines of progress."""


def named_files(patterns: Sequence[str]) -> list[str]:
    """Return the files that match the patterns, those of each pattern sorted by name.

    Raises `CorpusError` if no file matches a pattern.
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
            raise CorpusError("no_file_fits", pattern=pattern)
        names += found
    if names.count(STANDARD_INPUT) > 1:
        raise CorpusError("stdin_twice")
    return names


def reading_of(said: argparse.Namespace) -> Reading:
    """Return the read options among the arguments."""
    return Reading(said.column, said.header, said.encoding)


def counted(said: argparse.Namespace, command: str, *, is_first: bool = True) -> Counts:
    """Count the files that the arguments name, with progress on a terminal.

    What was guessed and skipped is said the first time only.
    """
    names = named_files(said.files)
    rules = CountingRules(
        pattern=said.pattern or "mark_aware",
        boundaries=said.boundaries,
        min_count=said.min_pretoken_count,
        memory_bytes=None if said.memory is None else said.memory * 4 // 5,
        threads=said.threads,
        # A chunk needs up to ten times its size if all pretokens differ.
        chunk_bytes=min(CHUNK_BYTES, (said.memory or sys.maxsize) // (64 * (said.threads + 1))),
    )
    guesses = Guesses()
    with Progress(command, "MB", size_of(names), per=2**20).shown() as progress:
        if said.engine == "dask":
            with cluster_for(said, rules.pattern) as client:
                counts, skipped, found = count_on_cluster(
                    client,
                    names,
                    rules,
                    reading_of(said),
                    skip_unreadable=said.skip_unreadable,
                    listener=progress.add,
                )
            for _, name, guess in found:
                guesses.add(name, guess)
        else:
            left_out: list[Unreadable] | None = [] if said.skip_unreadable else None
            counts = count_files(
                names, rules, reading_of(said), skipped=left_out, listener=progress.add, guessed=guesses.add
            )
            skipped = tuple(left_out or ())
    if is_first:
        say_skipped(skipped, command)
        guesses.say(command)
    return counts


def cluster_for(said: argparse.Namespace, pattern: str) -> AbstractContextManager["Client"]:
    """Connect to the cluster that was named, or start one for the time of the work."""
    if said.scheduler is not None:
        return running_cluster(said.scheduler)
    return local_cluster(said.workers or os.cpu_count() or 1, pattern)


class Guesses:
    """Guesses about files; tables with the same columns share a line, and only the first lines are printed."""

    def __init__(self) -> None:
        self._encodings: list[tuple[str, str]] = []
        self._tables: dict[ColumnGuess, list[str]] = {}

    def add(self, name: str, guess: Guess) -> None:
        """Note a guess about a file."""
        if isinstance(guess, ColumnGuess):
            self._tables.setdefault(guess, []).append(name)
        else:
            self._encodings.append((name, guess.encoding))

    def say(self, command: str) -> None:
        """Print the guesses."""
        said = [
            f"{name} does not say its encoding; it was read as {encoding}"
            for name, encoding in self._encodings[:_GUESSES]
        ]
        if more := len(self._encodings[_GUESSES:]):
            said.append(f"more files that do not say their encoding: {more:,}")
        for (chosen, columns), (name, *others) in list(self._tables.items())[:_GUESSES]:
            alike = f" and {len(others):,} more" if others else ""
            said.append(
                f"{name}{alike}: text comes from {listed(chosen)}; --column chooses among {listed(columns)}"
            )
        if more := sum(map(len, list(self._tables.values())[_GUESSES:])):
            said.append(f"more tables whose columns were chosen: {more:,}")
        for sentence in said:
            print(f"{command}: {sentence}", file=sys.stderr)


def say_skipped(skipped: Sequence[Unreadable], command: str) -> None:
    """Name the files that were left out, a line for each."""
    for file in skipped:
        print(f"{command}: skipped {' '.join(file.why.split())}", file=sys.stderr)


def limit(memory: int | None) -> None:
    """Limit the memory of this process, so that it fails before it fills the machine."""
    limit_memory(None if memory is None else memory + _SPARE)


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
        """Note progress."""
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

    @contextmanager
    def shown(self) -> Iterator["Progress"]:
        """Clear the line at the end."""
        with undone(self._clear):
            try:
                yield self
            finally:
                self._clear()

    def _clear(self) -> None:
        if self._said:
            self._write("")

    def _write(self, sentence: str) -> None:
        with suppress(OSError):
            sys.stderr.write(f"\r{sentence.ljust(len(self._said))}" + ("" if sentence else "\r"))
            sys.stderr.flush()
        self._said = sentence


def lasting(seconds: float) -> str:
    """Write a time in words.

    >>> lasting(7.6), lasting(125), lasting(7_330)
    ('8 s', '2 min 5 s', '2 h 2 min')
    """
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3_600} h {whole % 3_600 // 60} min"
