"""The corpus of a command: which files are meant, how much memory counting may take, and how far it is."""

import argparse
import contextlib
import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tokenizer_core.cli import corpus
from tokenizer_core.cli.corpus import (
    Guesses,
    Progress,
    cluster_for,
    counted,
    dropped_sentence,
    limit,
    named_files,
    reading_of,
    version_sentence,
)
from tokenizer_core.corpus_counts.counts import Counts
from tokenizer_core.corpus_counts.streaming import CountingRules
from tokenizer_core.errors import CorpusError
from tokenizer_core.patterns.safe_places import CHUNK_BYTES
from tokenizer_core.readers.files import ColumnGuess, EncodingGuess, Unreadable

MB = 2**20


class Terminal(io.StringIO):
    """A terminal that remembers all that was written."""

    def isatty(self) -> bool:
        return True


def said_of(**changes: Any) -> argparse.Namespace:
    """The arguments of `count` with their defaults."""
    usual = {
        "files": ["a.txt"],
        "pattern": None,
        "boundaries": "file",
        "min_pretoken_count": 1,
        "memory": None,
        "threads": 3,
        "column": None,
        "header": None,
        "encoding": None,
        "skip_unreadable": False,
        "engine": "local",
        "scheduler": None,
        "workers": None,
    }
    return argparse.Namespace(**usual | changes)


# ---- which files


def test_the_standard_input_is_read_once_and_a_file_stays_what_it_is(tmp_path: Path) -> None:
    assert named_files(["-"]) == ["-"]
    assert named_files(["gone.txt", "gone.txt"]) == ["gone.txt", "gone.txt"]
    with pytest.raises(CorpusError) as caught:
        named_files(["-", "a", "-"])
    assert caught.value.code == "stdin_twice"
    (tmp_path / "folder.txt" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "a.txt").touch()
    assert named_files([f"{tmp_path}/*.txt"]) == [str(tmp_path / "a.txt")]
    deep = tmp_path / "folder.txt" / "deep" / "er" / "b.txt"
    deep.touch()
    assert named_files([f"{tmp_path}/**/*.txt"]) == [str(tmp_path / "a.txt"), str(deep)]
    with pytest.raises(CorpusError) as caught:
        named_files([f"{tmp_path}/f*.txt"])
    assert (caught.value.code, caught.value.values) == ("no_file_fits", {"pattern": f"{tmp_path}/f*.txt"})


def test_addresses_are_expanded_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "expanded", lambda patterns: [f"{patterns[0]}/1", f"{patterns[0]}/2"])
    assert named_files(["s3://a/*", "b"]) == ["s3://a/*/1", "s3://a/*/2", "b"]


def test_files_are_read_as_the_options_say() -> None:
    reading = reading_of(said_of(column=["text"], header=True, encoding="cp874"))
    assert (reading.columns, reading.header, reading.encoding) == (["text"], True, "cp874")


# ---- how it is counted


class Heard:
    """What counting was asked for."""

    rules: CountingRules
    names: list[str]
    skipped: list[Unreadable] | None


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    found = Heard()

    def count(names: list[str], rules: CountingRules, reading: object, **options: Any) -> Counts:
        found.names, found.rules, found.skipped = names, rules, options["skipped"]
        options["guessed"]("a.txt", EncodingGuess("cp874"))
        if options["skipped"] is not None:
            options["skipped"].append(Unreadable("b.txt", "b.txt: The file\ncould not be read"))
        return Counts.of("a b", "gpt2")

    monkeypatch.setattr(corpus, "count_files", count)
    monkeypatch.setattr(corpus, "size_of", lambda names: None)
    return found


def test_counting_is_told_the_pattern_the_boundaries_and_four_fifths_of_the_memory(
    heard: Heard, capsys: pytest.CaptureFixture[str]
) -> None:
    counted(said_of(), "count")
    assert (heard.rules.pattern, heard.rules.boundaries, heard.rules.min_count) == ("mark_aware", "file", 1)
    assert (heard.rules.memory_bytes, heard.rules.threads, heard.rules.chunk_bytes) == (None, 3, CHUNK_BYTES)
    assert (heard.names, heard.skipped) == (["a.txt"], None)
    options = {
        "pattern": "gpt2",
        "boundaries": "line",
        "min_pretoken_count": 5,
        "memory": 1_000 * MB,
        "threads": 1,
    }
    counted(said_of(**options, skip_unreadable=True), "count")
    assert (heard.rules.pattern, heard.rules.boundaries, heard.rules.min_count) == ("gpt2", "line", 5)
    assert heard.rules.memory_bytes == 800 * MB
    assert heard.rules.chunk_bytes == min(CHUNK_BYTES, 1_000 * MB // 128)
    counted(said_of(memory=64 * MB), "count")
    assert heard.rules.chunk_bytes == MB // 4
    said = capsys.readouterr().err
    assert said.count("count: a.txt does not say its encoding; it was read as cp874\n") == 3
    assert said.count("count: skipped b.txt: The file could not be read\n") == 1
    counted(said_of(skip_unreadable=True), "train", is_first=False)
    assert capsys.readouterr().err == ""


def test_a_cluster_is_made_for_the_work_or_the_one_that_runs_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(corpus, "running_cluster", lambda *given: asked.append(given))
    monkeypatch.setattr(corpus, "local_cluster", lambda *given: asked.append(given))
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    for more in ({"scheduler": "tcp://a:1"}, {"workers": 2}, {}):
        cluster_for(said_of(**more), "gpt2")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    cluster_for(said_of(), "gpt2")
    assert asked == [("tcp://a:1",), (2, "gpt2"), (6, "gpt2"), (1, "gpt2")]


def test_the_memory_of_the_process_is_limited_with_room_for_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[int | None] = []
    monkeypatch.setattr(corpus, "limit_memory", limits.append)
    limit(None)
    limit(100 * MB)
    assert limits == [None, 612 * MB]


def test_what_is_missing_of_counts_is_said() -> None:
    counts = Counts.of("a b a b c", "gpt2")
    assert dropped_sentence(counts) is None
    assert version_sentence(counts) is None
    sentence = dropped_sentence(Counts.of("x " * 2_000 + "y " * 1_500, "gpt2").without_rare(1_800))
    assert sentence is not None
    assert "no count of a pretoken is short by more than 1,799" in sentence


# ---- guesses


def test_of_many_guesses_the_first_five_are_said_and_the_others_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    guesses = Guesses()
    for n in range(1_006):
        guesses.add(f"{n}.txt", EncodingGuess("cp874"))
        guesses.add(f"{n}.csv", ColumnGuess((f"t{min(n, 6)}",), ("id", "t")))
    guesses.say("count")
    lines = capsys.readouterr().err.splitlines()
    assert lines[:5] == [f"count: {n}.txt does not say its encoding; it was read as cp874" for n in range(5)]
    assert lines[5] == "count: more files that do not say their encoding: 1,001"
    assert lines[6] == "count: 0.csv: text comes from t0; --column chooses among id, t"
    assert lines[11:] == ["count: more tables whose columns were chosen: 1,001"]
    few = Guesses()
    for n in range(2_001):
        few.add(f"{n}.csv", ColumnGuess(("t",), ("id", "t")))
    few.say("count")
    assert capsys.readouterr().err == (
        "count: 0.csv and 2,000 more: text comes from t; --column chooses among id, t\n"
    )


# ---- progress


def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """The terminal that stands in for stderr from here on; pytest sets its own before each test."""
    found = Terminal()
    monkeypatch.setattr(sys, "stderr", found)
    return found


def test_a_terminal_shows_one_line_that_is_written_anew_and_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    now = [0.0]
    with Progress("count", "MB", 100 * MB, per=MB, clock=lambda: now[0]).shown() as progress:
        for moment, more in ((0.1, 10 * MB), (1.0, 10 * MB), (1.1, 10 * MB), (2.0, 70 * MB)):
            now[0] = moment
            progress.add(more)
    first = "count: 20 of 100 MB, 20 MB/s, 4 s left"
    last = "count: 100 of 100 MB, 50 MB/s, 0 s left"
    assert terminal.getvalue() == f"\r{first}\r{last}\r{' ' * len(last)}\r"


def test_a_shorter_line_leaves_nothing_of_the_longer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    now = [0.0]
    progress = Progress("train", "merges", 5_000, clock=lambda: now[0])
    now[0] = 1.0
    progress.add(1)
    now[0] = 2.0
    progress.add(3_999)
    lines = terminal.getvalue().split("\r")[1:]
    assert [line.rstrip() for line in lines] == [
        "train: 1 of 5,000 merges, 1 merges/s, 1 h 23 min left",
        "train: 4,000 of 5,000 merges, 2,000 merges/s, 0 s left",
    ]
    assert len(lines[1]) >= len(lines[0])


def test_nothing_done_yet_says_nothing_of_the_time_left() -> None:
    now = [5.0]
    progress = Progress("count", "MB", 10 * MB, per=MB, clock=lambda: now[0])
    assert progress.sentence() == "count: 0 of 10 MB, 0 MB/s"
    progress.add(2 * MB)
    now[0] = 7.0
    assert progress.sentence() == "count: 2 of 10 MB, 1 MB/s, 8 s left"


def test_a_pipe_and_a_work_that_showed_nothing_stay_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    with Progress("count", "MB", None).shown():
        pass
    assert terminal.getvalue() == ""
    quiet = io.StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    now = [0.0]
    with Progress("count", "MB", 9, clock=lambda: now[0]).shown() as progress:
        now[0] = 9.0
        progress.add(1)
    assert quiet.getvalue() == ""


def test_the_line_is_cleared_also_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    now = [0.0]
    progress = Progress("count", "MB", None, clock=lambda: now[0])
    with contextlib.suppress(ValueError), progress.shown():
        now[0] = 1.0
        progress.add(1)
        raise ValueError("torn")
    assert terminal.getvalue().endswith(" \r")
