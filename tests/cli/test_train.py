"""`python -m tokenizer_core train` and `count`: what they learn, write, refuse, and keep when they are stopped."""

import contextlib
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import regex
import tokenizers

from tests.helpers.browser import PATIENCE
from tests.helpers.files import CSV, JSONL, PARQUET
from tests.helpers.paths import REPOSITORY
from tokenizer_core import Merge, Tokenizer, Trainer, train
from tokenizer_core.__main__ import main
from tokenizer_core.cli import corpus
from tokenizer_core.cli.corpus import Progress, named_files
from tokenizer_core.corpus_counts.counts import Counts
from tokenizer_core.corpus_counts.counts_file import read_counts, write_counts
from tokenizer_core.corpus_counts.streaming import count_files
from tokenizer_core.errors import CorpusError
from tokenizer_core.patterns import split_patterns as patterns

SAMPLE = REPOSITORY / "sample_data"
THAI = SAMPLE / "parallel.th.txt"
TEXT = THAI.read_text(encoding="utf-8")


def done(*arguments: object) -> int:
    return main([*map(str, arguments)])


def fails(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line on stderr of a command that ends with 1."""
    assert done(*arguments) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith(f"{arguments[0]}: ")
    return said.err


def test_superwords_are_what_the_library_trains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = ("--vocab-size", 500, "--superwords-from", 400, "--out", tmp_path / "mine")
    assert done("train", THAI, *mine, "--min-pretoken-count", 1) == 0
    assert Tokenizer.load(tmp_path / "mine.model").merges == train(TEXT, 500, superwords_from=400).merges
    os.mkfifo(tmp_path / "pipe")
    for files in (["--counts", THAI], ["-"], [THAI, "-"], [tmp_path / "pipe"], ["/dev/stdin"]):
        with pytest.raises(SystemExit):
            done("train", *files, *mine, "--force")
        assert "FILES that can be read twice; save standard input or a pipe in a file" in capsys.readouterr().err
    assert "at least 256" in fails(capsys, "train", THAI, *mine, "--force", "--superwords-from", 9)


def test_superwords_say_what_was_guessed_of_a_file_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "thai.txt"
    path.write_bytes(TEXT.encode("cp874", errors="ignore"))
    assert done("train", path, "--vocab-size", 300, "--superwords-from", 280, "--out", tmp_path / "mine") == 0
    assert capsys.readouterr().err.count("does not say its encoding") == 1


def test_files_train_what_the_library_trains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(SAMPLE.glob("*.txt"))
    end = ("--special-token", "<|end|>", "--special-token", "<|pad|>")
    assert done("train", *files, "--vocab-size", 600, "--pattern", "o200k", "--out", tmp_path / "mine", *end) == 0
    assert capsys.readouterr() == ("", "")  # quiet in a pipe
    found = Tokenizer.load(tmp_path / "mine.model")
    texts = [path.read_text(encoding="utf-8") for path in files]
    assert found.merges == train(texts, 600, pattern="o200k").merges
    assert found.special_tokens == {"<|end|>": 600, "<|pad|>": 601}
    assert (tmp_path / "mine.vocab").read_text(encoding="utf-8") == found.vocab_text()


def test_counts_train_the_same_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = tmp_path / "c.parquet"
    assert done("count", SAMPLE / "*.txt", "-o", counts, "--pattern", "cl100k", "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["sha256"] == read_counts(counts, pattern="cl100k").sha256
    assert summary["recipe"]["texts"] == len(list(SAMPLE.glob("*.txt")))
    assert done("train", "--counts", counts, "--vocab-size", 500, "--out", tmp_path / "a") == 0
    assert (
        done("train", SAMPLE / "*.txt", "--vocab-size", 500, "--pattern", "cl100k", "--out", tmp_path / "b") == 0
    )
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()


def test_other_formats_and_a_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ("train", THAI, "--vocab-size", 400, "--pattern", "cl100k", "--json", "--out")
    assert done(*common, tmp_path / "new" / "t.json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["vocab_size"], summary["merges"], summary["stopped"]) == (400, 144, False)
    loaded = tokenizers.Tokenizer.from_file(str(tmp_path / "new" / "t.json"))
    assert done(*common, tmp_path / "t.tiktoken") == 0
    assert len((tmp_path / "t.tiktoken").read_text().splitlines()) == 400
    assert loaded.encode("ดื่มน้ำ").ids == train(TEXT, 400, pattern="cl100k").encode("ดื่มน้ำ")


def test_rare_pretokens_are_dropped_and_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("the cat the cat the dog", encoding="utf-8")
    out = ("--vocab-size", 300, "--out", tmp_path / "m", "--min-pretoken-count", 2)
    assert done("train", tmp_path / "a.txt", *out) == 0
    said = capsys.readouterr().err
    assert "2 of 6 pretokens (7 of 23 bytes) were rare and dropped" in said
    assert "short by more than 1" in said
    assert "because no pair occurs any more" in said
    assert b"dog" not in b"".join(Tokenizer.load(tmp_path / "m.model").vocabulary[256:])


def test_a_terminal_shows_what_was_written_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("ab ab cd cd ab", encoding="utf-8")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert done("train", tmp_path / "a.txt", "--vocab-size", 258, "--out", tmp_path / "m.model") == 0
    model, vocab = tmp_path / "m.model", tmp_path / "m.vocab"
    assert capsys.readouterr().err.endswith(f"train: wrote {model} and {vocab}: 258 tokens\n")
    assert sorted(tmp_path.iterdir()) == [tmp_path / "a.txt", model, vocab]
    assert done("count", tmp_path / "a.txt", "-o", tmp_path / "c", "--pattern", "gpt2") == 0
    assert capsys.readouterr().err.endswith(f"count: 3 different pretokens in {tmp_path / 'c'}\n")
    assert done("count", tmp_path / "a.txt", "-o", tmp_path / "c", "--json") == 0
    assert "different pretokens" not in capsys.readouterr().err


def test_a_summary_tells_the_files_the_special_tokens_and_the_recipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("ab ab cd cd ab", encoding="utf-8")
    given = ("train", tmp_path / "a.txt", "--pattern", "gpt2", "--json", "--special-token", "<จบ>")
    assert done(*given, "--vocab-size", 260, "--out", tmp_path / "m", "--min-count", 3) == 0
    said = capsys.readouterr()
    assert said.err == "train: it has 257 tokens, because no pair occurs 3 times\n"
    assert '"<จบ>"' in said.out
    summary = json.loads(said.out)
    corpus = summary.pop("corpus")
    assert summary == {
        "vocab_size": 257,
        "merges": 1,
        "stopped": False,
        "files": [str(tmp_path / "m.model"), str(tmp_path / "m.vocab")],
        "special_tokens": {"<จบ>": 257},
    }
    assert corpus["distinct_pretokens"] == 3
    assert corpus["sha256"] == Counts.of("ab ab cd cd ab", "gpt2").sha256
    assert (corpus["recipe"]["pattern_name"], corpus["recipe"]["bytes_read"]) == ("gpt2", 14)
    assert done("count", tmp_path / "a.txt", "-o", tmp_path / "c", "--pattern", "gpt2", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {**corpus, "out": str(tmp_path / "c")}


def test_a_command_in_a_thread_trains_too(tmp_path: Path) -> None:
    codes: list[int] = []
    given = ("train", THAI, "--vocab-size", 260, "--out", tmp_path / "m")
    thread = threading.Thread(target=lambda: codes.append(done(*given)))
    thread.start()
    thread.join(PATIENCE)
    assert codes == [0]
    assert Tokenizer.load(tmp_path / "m.model").vocab_size == 260


def test_ctrl_c_at_the_very_end_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step = Trainer.step

    def pressed(trainer: Trainer, n: int = 1) -> list[Merge]:
        merges = step(trainer, n)
        if trainer.done:
            signal.raise_signal(signal.SIGINT)
        return merges

    monkeypatch.setattr(Trainer, "step", pressed)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert done("train", THAI, "--vocab-size", 260, "--out", tmp_path / "m") == 0
        wide = ("--superwords-from", 258, "--force")
        assert done("train", THAI, "--vocab-size", 260, "--out", tmp_path / "m", *wide) == 130
        assert Tokenizer.load(tmp_path / "m.model").vocab_size == 258
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_memory_allowed_is_held_to_before_anything_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[object] = []
    monkeypatch.setattr("tokenizer_core.cli.train.limit", steps.append)

    def noted(*given: Any, **more: Any) -> Counts:
        steps.append("count")
        return count_files(*given, **more)

    monkeypatch.setattr(corpus, "count_files", noted)
    memory = ("--memory", "64MB", "--threads", 1)
    assert done("count", THAI, "-o", tmp_path / "c", *memory) == 0
    assert done("train", THAI, "--vocab-size", 260, "--out", tmp_path / "m", *memory) == 0
    assert steps == [2**26, "count"] * 2


# ---- what is refused


@pytest.mark.parametrize("options", [("--vocab-size", 12), ("--vocab-size", 300, "--superwords-from", 9)], ids=str)
def test_a_size_too_small_is_refused_before_the_work(
    options: tuple[object, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(corpus, "count_files", lambda *_, **__: pytest.fail("it was counted"))
    assert "at least 256" in fails(capsys, "train", THAI, *options, "--out", tmp_path / "m")


def test_bad_input_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--vocab-size", 300, "--out", tmp_path / "m")
    (tmp_path / "bad.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(99))
    assert "bad.txt: This is not a text file." in fails(capsys, "train", tmp_path / "bad.txt", *out)
    assert "nobody: The file could not be read: No such file" in fails(capsys, "train", tmp_path / "nobody", *out)
    assert "No file matches" in fails(capsys, "train", tmp_path / "*.md", *out)
    assert "at least 256" in fails(capsys, "train", THAI, "--vocab-size", 12, "--out", tmp_path / "m")
    assert "a closing ) is missing" in fails(capsys, "train", THAI, *out, "--pattern", "(a")
    assert "only once" in fails(capsys, "train", "-", "-", *out)
    assert "at least one character" in fails(capsys, "train", THAI, *out, "--special-token", "")
    assert "damaged" in fails(capsys, "train", "--counts", THAI, *out)
    done("count", THAI, "-o", tmp_path / "c.parquet", "--pattern", "gpt2")
    assert "nobody: No such file" in fails(capsys, "train", "--counts", "nobody", *out)
    assert f"{tmp_path}: Is a directory" in fails(capsys, "train", "--counts", tmp_path, *out)
    assert "gpt2" in fails(capsys, "train", "--counts", tmp_path / "c.parquet", "--pattern", "o200k", *out)
    assert not list(tmp_path.glob("m*"))


def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    monkeypatch.setattr(corpus, "count_files", lambda *_, **__: pytest.fail("it was counted"))
    for out in (".", "", f"{tmp_path}/new/", tmp_path):
        assert "Is a directory" in fails(capsys, "count", THAI, "-o", out)
        assert "Is a directory" in fails(capsys, "encode", THAI, "--tokenizer", "gpt2", "-o", out)
    for out in ("", ".model", "new/", "new/.model"):
        assert "Is a directory" in fails(capsys, "train", THAI, "--vocab-size", 300, "--out", out)
    assert f"{tmp_path}/file" in fails(capsys, "count", THAI, "-o", tmp_path / "file" / "a")
    monkeypatch.setattr("os.access", lambda *_: False)
    assert f"{tmp_path}: Permission denied" in fails(capsys, "count", THAI, "-o", tmp_path / "a")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_counts_of_another_version_of_regex_are_trained_on_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = Counts.of(TEXT, "gpt2")
    write_counts(replace(counts, recipe=replace(counts.recipe, regex_version="1999.1")), tmp_path / "c")
    assert done("train", "--counts", tmp_path / "c", "--vocab-size", 300, "--out", tmp_path / "m") == 0
    said = capsys.readouterr().err
    assert said.startswith(f"train: the counts were made with regex 1999.1, and here is {regex.__version__}: ")
    assert said.count("\n") == 1


def test_files_that_cannot_be_read_are_skipped_and_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "torn.txt").write_bytes(b"a cat\n" * 200_000 + b"\xff")
    (tmp_path / "empty.txt").touch()
    bad = [tmp_path / "torn.txt", tmp_path / "empty.txt", tmp_path / "nobody"]
    out = ("--vocab-size", 300, "--skip-unreadable", "--out")
    assert done("train", bad[0], THAI, *bad[1:], *out, tmp_path / "m", "--min-pretoken-count", 2) == 0
    said = capfd.readouterr().err.splitlines()
    assert [line.partition(": The")[0] for line in said[:3]] == [f"train: skipped {path}" for path in bad]
    assert said[2].endswith("could not be read: No such file or directory.")
    assert done("train", THAI, *out, tmp_path / "alone", "--min-pretoken-count", 2) == 0
    assert (tmp_path / "m.model").read_bytes() == (tmp_path / "alone.model").read_bytes()
    assert capfd.readouterr().err.splitlines() == said[3:]  # what was dropped
    assert done("encode", *bad, THAI, "--tokenizer", "gpt2", "--skip-unreadable", "-o", tmp_path / "i.json") == 0
    assert capfd.readouterr().err.count("encode: skipped") == 3
    assert len((tmp_path / "i.json").read_text().splitlines()) == 1
    for command in (("train", *bad, *out, tmp_path / "n"), ("encode", *bad, "--tokenizer", "gpt2", out[2])):
        assert done(*command) == 1
        assert "None of the files could be read." in capfd.readouterr().err


def test_files_whose_encoding_was_guessed_are_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "_GUESSES", 1)
    names = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for name in names:
        name.write_bytes("น้ำใจคนไทย ดื่มน้ำ\n".encode("cp874") * 20)
    for command in (("count", "-o", tmp_path / "c"), ("encode", "--tokenizer", "gpt2", "-o", tmp_path / "i")):
        assert done(*command, *names, THAI) == 0
        first, second = capfd.readouterr().err.splitlines()
        assert first == f"{command[0]}: {names[0]} does not say its encoding; it was read as cp874"
        assert second == f"{command[0]}: more files that do not say their encoding: 1"
        assert done(*command, *names, "--encoding", "cp874") == 0
        assert capfd.readouterr().err == ""


def test_a_slow_pattern_is_given_up_within_one_budget_and_its_place_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "time_budget", lambda characters, pattern: 0.1)
    (tmp_path / "a.txt").write_text("a cat\n" * 9 + f"{'a' * 40}!\n", encoding="utf-8")
    slow = ("count", THAI, tmp_path / "a.txt", "--pattern", "(?:a|aa)+$", "-o", tmp_path / "c")
    assert "a.txt: This pattern takes too long: after 0.1 s" in fails(capsys, *slow)
    assert "a.txt, from byte 54: This pattern" in fails(capsys, *slow, "--boundaries", "line")


def test_no_file_is_replaced_unless_told_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.vocab").write_text("mine", encoding="utf-8")
    out = ("train", THAI, "--vocab-size", 260, "--out", tmp_path / "m")
    assert "m.vocab already exists; --force replaces it" in fails(capsys, *out)
    assert done(*out, "--force") == 0
    assert (tmp_path / "m.vocab").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "--vocab-size", "300", "--out", "m"],
        ["train", "a", "--counts", "b", "--vocab-size", "300", "--out", "m"],
        ["train", "a", "--vocab-size", "x", "--out", "m"],
        ["train", "--counts", "b", "--vocab-size", "300", "--out", "m", "--engine", "dask"],
        ["train", "--counts", "b", "--vocab-size", "300", "--out", "m", "--skip-unreadable"],
        ["train", "a", "--vocab-size", "300", "--out", "m", "--memory", "much"],
        ["train", "a", "--vocab-size", "300", "--out", "m", "--memory", "1KB"],
        ["count", "a", "-o", "b", "--min-pretoken-count", "0"],
        ["count", "a"],
        ["train", "a", "--out", "m"],
        ["train", "a", "--vocab-size", "300", "--out", "m", "--fast"],
        ["train", "a", "--vocab-size", "300"],
        ["train", "a", "--vocab-size", "300", "--out", "m", "--min-count", "0"],
        ["train", "a", "--vocab-size", "300", "--out", "m", "--superwords-from", "x"],
        [
            "train",
            "--parity",
            "a=b",
            "--parity",
            "c=d",
            "--vocab-size",
            "300",
            "--out",
            "m",
            "--global-merges",
            "0",
        ],
        ["train", "a", "--vocab-size", "300", "--out", "m", "--threads", "0"],
        ["train", "a", "--vocab-size", "300", "--out", "m", "--boundaries", "page"],
        ["train", "a", "--vocab-size", "300", "--out", "m", "--engine", "spark"],
        ["count", "-o", "b"],
        ["encode", "a"],
        ["encode", "a", "--tokenizer", "gpt2", "--format", "xml"],
        ["encode", "a", "--tokenizer", "gpt2", "--workers", "2"],
        ["decode", "a"],
        ["decode", "a", "--tokenizer", "gpt2", "--boundaries", "page"],
        ["convert", "gpt2"],
        ["convert", "--to", "gpt2"],
        ["convert", "gpt2", "--to", "exe"],
        ["compare", "a", "b", "--joining", "words"],
        ["compare", "a", "b", "--pattern", "words"],
        ["learn"],
        ["models", "gpt2"],
        *([], ["compare"], ["compare", "a", "b", "--format", "xml"], ["frobnicate"]),
    ],
    ids=" ".join,
)
def test_a_wrong_command_is_three_lines_and_exit_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    wrong, usage, pointer = capsys.readouterr().err.splitlines()
    name = " ".join(["python -m tokenizer_core", *(each for each in arguments[:1] if each != "frobnicate")])
    assert wrong.startswith(f"{name}: ")
    assert usage.startswith(f"usage: {name} ")
    assert pointer == f"{name} --help lists all options"


def test_a_missing_vocabulary_size_names_usual_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "a", "--out", "m"])
    assert "--vocab-size is missing; usual are 1000" in capsys.readouterr().err


def test_files_are_named_by_patterns(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "[c].txt", "d/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    found = named_files([f"{tmp_path}/[c].txt", f"{tmp_path}/[ab].txt", f"{tmp_path}/**/e.txt"])
    assert [Path(name).name for name in found] == ["[c].txt", "a.txt", "b.txt", "e.txt"]
    with pytest.raises(CorpusError):
        named_files([f"{tmp_path}/*.md"])


# ---- in a process of its own


def started(code: str, *arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """A command in a process, after some code."""
    # A shell may start what runs in the background deaf to Ctrl-C.
    hearing = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    hearing += "; from tokenizer_core.ctrl_c import end_at_once; end_at_once()"
    script = f"import sys\n{hearing}\n{code}\nfrom tokenizer_core.__main__ import main\nsys.exit(main())"
    return subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)], cwd=REPOSITORY, **options)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals to open here")
def test_ctrl_c_keeps_what_was_learned_so_far(tmp_path: Path) -> None:
    import pty

    slow = "from tokenizer_core.cli import train, corpus; train._AT_ONCE = 1; corpus._EVERY = 0"
    ours, theirs = pty.openpty()
    out = ("--vocab-size", 100_000, "--out", tmp_path / "m", "--json")
    process = started(slow, "train", *SAMPLE.glob("*.txt"), *out, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    said = b""
    while b"merges/s" not in said:
        said += os.read(ours, 1_000)
    process.send_signal(signal.SIGINT)
    while b"kept" not in said.partition(b"stopped")[2]:
        said += os.read(ours, 1_000)
    summary = json.loads(process.communicate()[0])
    os.close(ours)
    assert process.returncode == 130
    assert b" left" in said
    found = Tokenizer.load(tmp_path / "m.model")
    assert 0 < len(found.merges) == summary["merges"] < 90_000
    assert summary["stopped"]
    texts = [path.read_text(encoding="utf-8") for path in SAMPLE.glob("*.txt")]
    assert found.merges == train(texts, found.vocab_size).merges


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_ctrl_c_pressed_twice_keeps_nothing(tmp_path: Path) -> None:
    slow = "import time; from tokenizer_core.cli import train; train._AT_ONCE = 1; step = train.Trainer.step"
    slow += "; train.Trainer.step = lambda *more: print('step', file=sys.stderr, flush=True) or step(*more)"
    slow += "; train.replacing = lambda *paths: print('writes', file=sys.stderr, flush=True) or time.sleep(600)"
    out = ("--vocab-size", 100_000, "--out", tmp_path / "m")
    process = started(slow, "train", *SAMPLE.glob("*.txt"), *out, stderr=subprocess.PIPE)
    assert process.stderr is not None
    for line in (b"step\n", b"writes\n"):
        while process.stderr.readline() != line:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == b"train: stopped; no file was written\n"
    assert process.returncode == 130
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_ctrl_c_while_counting_leaves_no_file(tmp_path: Path) -> None:
    process = started(
        "", "count", "-", "-o", tmp_path / "c.parquet", stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    for _ in range(20):  # more than a pipe holds: afterwards, the process is reading
        process.stdin.write(b"the cat sat on the mat\n" * 10_000)
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:  # it may be between two looks at the keyboard
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
    assert process.stderr is not None
    assert process.stderr.read() == b"count: stopped; no file was written\n"
    assert process.returncode == 130
    assert not list(tmp_path.iterdir())
    process.stderr.close()
    process.stdin.close()


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_too_little_memory_is_a_sentence(tmp_path: Path) -> None:
    words = "\n".join(f"{n} the" for n in range(0, 3_000_000_000, 5_003)).encode()
    process = started(
        "",
        *("train", "-", "--vocab-size", 300, "--out", tmp_path / "m", "--memory", "64MB", "--pattern", "gpt2"),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    said = process.communicate(words)[1].decode()
    assert "Traceback" not in said
    assert "memory" in said
    assert (process.returncode, said.count("\n")) == (1, 1)
    assert not list(tmp_path.iterdir())


def test_a_training_that_needs_more_memory_than_allowed_says_how_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int | None] = []
    monkeypatch.setattr("tokenizer_core.cli.train.limit", limits.append)
    monkeypatch.setattr("tokenizer_core.cli.train._ROW_BYTES", 2**10)
    (tmp_path / "a.txt").write_text("ab" * 2**16)
    options = ("--vocab-size", 300, "--out", tmp_path / "m", "--pattern", "none", "--memory", "64MB")
    said = fails(capsys, "train", tmp_path / "a.txt", *options)
    assert "needs 128 MB of memory, but only 64 MB are allowed" in said
    assert limits == [64 * 2**20]  # counting was already held to it


# ---- progress


def test_progress_says_how_far_how_fast_and_how_long() -> None:
    now = 0.0
    progress = Progress("count", "MB", 100 * 2**20, per=2**20, clock=lambda: now)
    now = 2.0
    progress.add(20 * 2**20)
    assert progress.sentence() == "count: 20 of 100 MB, 10 MB/s, 8 s left"
    endless = Progress("count", "MB", None, per=2**20, clock=lambda: now)
    now = 4.0
    endless.add(2**21)
    assert endless.sentence() == "count: 2 MB, 1 MB/s"


# ---- columns of tables

TABLES = {
    "a.csv": CSV.encode(),
    "a.csv.gz": gzip.compress(CSV.encode()),
    "a.jsonl": JSONL.encode(),
    "a.parquet": PARQUET,
}


def tables_in(folder: Path) -> list[Path]:
    for name, content in TABLES.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in TABLES]


def done_with(command: str, *arguments: object) -> int:
    rest = {
        "train": ("--vocab-size", 300, "--force", "--out"),
        "count": ("-o",),
        "encode": ("--tokenizer", "gpt2", "-o"),
    }[command]
    *files, out = arguments
    return main([command, *map(str, (*files, *rest, out))])


@pytest.mark.parametrize("command", ["train", "count", "encode"])
def test_a_column_that_is_not_there_is_answered_with_those_that_are(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for path in tables_in(tmp_path):
        assert done_with(command, path, "--column", "fr", tmp_path / "x") == 1
        said = capfd.readouterr().err
        assert said.startswith(f"{command}: {path}: A column must be one of ")
        assert said.endswith("th, en), got 'fr'.\n")


def test_what_was_read_without_a_column_is_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "_GUESSES", 1)
    paths = tables_in(tmp_path)
    (tmp_path / "b.csv").write_text("id,name,text\n" + "1,Somchai,a cat and a dog\n" * 3, encoding="utf-8")
    for command in ("train", "count", "encode"):
        assert done_with(command, *paths, tmp_path / "b.csv", tmp_path / "x") == 0
        assert capfd.readouterr().err.splitlines()[:2] == [
            f"{command}: {paths[0]} and 3 more: text comes from th, en; --column chooses among th, en",
            f"{command}: more tables whose columns were chosen: 1",
        ]
    assert done_with("count", tmp_path / "b.csv", tmp_path / "x") == 0
    said = f"count: {tmp_path}/b.csv: text comes from text; --column chooses among name, text\n"
    assert capfd.readouterr().err == said
    (tmp_path / "c.csv").write_text("id,text\n" + "1,a cat and a dog\n" * 3, encoding="utf-8")
    assert done_with("count", tmp_path / "c.csv", tmp_path / "x") == 0  # one column of text: nothing was chosen
    assert done_with("count", paths[0], "--column", "en", tmp_path / "x") == 0
    assert capfd.readouterr().err == ""
