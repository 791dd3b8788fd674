"""`python -m tokenizer_core compare`: its tables, its exit codes, and that its figures are tiktoken's."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest
import tiktoken

from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import gpt2_files, model_of, rank_file, word_piece
from tokenizer_core.__main__ import READER_GONE, main
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.cli.compare import Bill, as_csv, as_json, as_text, remarks
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer
from tokenizer_core.readers.archives import PackedFile
from tokenizer_core.readers.parallel import Parallel, read_parallel

TH, EN = (str(REPOSITORY / "sample_data" / f"parallel.{language}.txt") for language in ("th", "en"))


def bills(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    """What the command prints as JSON."""
    assert main(["compare", *arguments, "--format", "json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["bills"]
    return found


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line on stderr of a command that has nothing to print."""
    assert main(["compare", *arguments]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    return said.err


def counted_by_hand(path: str, name: str, joining: str) -> int:
    """What tiktoken gives, as its documentation says to use it."""
    openai_tokenizer(name)  # after this tiktoken has the encoding, and reads no file
    encode = tiktoken.get_encoding(name).encode
    whole = Path(path).read_text(encoding="utf-8")
    lines = whole.removesuffix("\n").split("\n")
    if joining == "lines":
        return sum(len(encode(line)) for line in lines)
    return len(encode(whole if joining == "whole" else " ".join(lines)))


def test_all_premiums_are_those_that_tiktoken_gives(capsys: pytest.CaptureFixture[str]) -> None:
    found = bills(capsys, TH, EN)
    assert len(found) == 3 * 3 * 2
    for bill in found:
        own, base = (
            counted_by_hand(path, bill["tokenizer"], bill["joining"])
            for path in ({"parallel.th.txt": TH, "parallel.en.txt": EN}[bill["language"]], EN)
        )
        assert (bill["tokens"], bill["premium"]) == (own, own / base)


def test_files_of_any_format_stand_beside_references(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    encoder, merges = gpt2_files()
    files = {"wp.json": word_piece(), "sp.model": model_of(), "ranks.tiktoken": rank_file()}
    for name, content in {**files, "encoder.json": encoder, "vocab.bpe": merges}.items():
        (tmp_path / name).write_bytes(content)
    named = [str(tmp_path / name) for name in files] + [f"{tmp_path / 'encoder.json'}+{tmp_path / 'vocab.bpe'}"]
    arguments = ["compare", TH, EN, "--tokenizers", ",".join(named), "--joining", "lines", "--format", "json"]
    assert main([*arguments, "--pattern", "gpt2"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)["bills"]
    assert [bill["tokenizer"] for bill in found][::2] == ["wp", "sp", "ranks", "encoder"]
    lines = Path(TH).read_text(encoding="utf-8").splitlines()
    assert found[0]["tokens"] == sum(len(HuggingFaceTokenizer(files["wp.json"]).encode(line)) for line in lines)
    assert said.err.count("does not say how text is cut") == 2


def test_csv_and_text_say_the_same_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = bills(capsys, TH, EN, "--joining", "space")
    main(["compare", TH, EN, "--joining", "space", "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["tokenizer"], int(row["tokens"]), float(row["premium"])) for row in rows] == [
        (bill["tokenizer"], bill["tokens"], bill["premium"]) for bill in found
    ]
    main(["compare", TH, EN, "--joining", "space"])
    text = capsys.readouterr().out
    assert "648 pairs; premium = tokens / tokens of parallel.en.txt" in text
    assert all(f"{bill['tokens']:,}" in text for bill in found)


def test_the_base_can_be_chosen_by_file_or_name(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, content in (("a", "one two three\n"), ("b", "one\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text(content, encoding="utf-8")
    first, second = str(tmp_path / "a" / "x.txt"), str(tmp_path / "b" / "x.txt")
    options = ("--tokenizers", "gpt2", "--joining", "lines")
    assert [bill["premium"] for bill in bills(capsys, first, second, *options)] == [3.0, 1.0]
    assert [bill["premium"] for bill in bills(capsys, first, second, *options, "--base", first)] == [1.0, 1 / 3]
    assert [bill["premium"] for bill in bills(capsys, first, second, *options, "--base", "x.txt (2)")] == [
        3.0,
        1.0,
    ]


def test_a_table_with_quotes_and_more_languages(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text('th,en,de\n"แมว\nดำ","a ""black"" cat",eine Katze\nหมา,a dog,ein Hund\n', encoding="utf-8")
    found = bills(capsys, str(table), "--columns", "th,en,de", "--header", "--base", "en", "--joining", "lines")
    assert [bill["language"] for bill in found[:3]] == ["th", "en", "de"]
    gpt2 = openai_tokenizer("gpt2")
    assert found[0]["tokens"] == len(gpt2.encode("แมว\nดำ")) + len(gpt2.encode("หมา"))


def command(
    *arguments: str, stdout: int | IO[bytes] = subprocess.PIPE, **variables: str
) -> subprocess.Popen[bytes]:
    """The command as people start it."""
    return subprocess.Popen(
        [sys.executable, "-m", "tokenizer_core", "compare", *arguments],
        cwd=REPOSITORY,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **variables},
    )


def test_thai_names_are_written_whatever_the_terminal_can_show(tmp_path: Path) -> None:
    thai, english = tmp_path / "ไทย.th", tmp_path / "b.en"
    thai.write_text("น้ำ\n", encoding="utf-8")
    english.write_text("water\n", encoding="utf-8")
    written, said = command(str(thai), str(english), PYTHONIOENCODING="cp1252", PYTHONUTF8="0").communicate()
    assert "ไทย.th" in written.decode("utf-8")
    assert said == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_an_output_that_is_full_or_gone_is_no_stack_trace() -> None:
    with Path("/dev/full").open("wb") as full:
        process = command(TH, EN, "--tokenizers", "gpt2", stdout=full)
        _, said = process.communicate()
    assert process.returncode == 1
    assert said.count(b"\n") == 1
    assert b"No space left" in said
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        process = command(TH, EN, "--tokenizers", "gpt2", stdout=gone)
        _, said = process.communicate()
    assert (process.returncode, said) == (READER_GONE, b"")


# ---- what is written

SMALL = Parallel(("ไทย", "b.en"), (("น้ำ", "x"), ("water", "y")), ("น้ำ\nx", "water\ny"))
BILLS = [Bill("gpt2", "lines", "ไทย", 1_234, 1.5), Bill("gpt2", "lines", "b.en", 0, None)]


def test_a_premium_that_is_undefined_is_a_dash_an_empty_cell_or_null() -> None:
    assert as_text(SMALL, BILLS, 1).splitlines() == [
        "2 pairs; premium = tokens / tokens of b.en, a ratio of sums",
        "",
        "tokenizer  joining  language  tokens  premium",
        "gpt2       lines    ไทย        1,234   1.5000",
        "gpt2       lines    b.en           0        –",
    ]
    assert as_csv(SMALL, BILLS, 0).splitlines() == [
        "tokenizer,joining,language,tokens,base,premium,pairs",
        "gpt2,lines,ไทย,1234,ไทย,1.5,2",
        "gpt2,lines,b.en,0,ไทย,,2",
    ]
    written = as_json(SMALL, BILLS, 1)
    assert written.endswith("}\n")
    assert '"ไทย"' in written
    assert json.loads(written) == {
        "pairs": 2,
        "languages": ["ไทย", "b.en"],
        "base": "b.en",
        "premium": "tokens / tokens of the base language, a ratio of sums",
        "skipped_rows": 0,
        "empty_pairs": {"all_sides": 0, "some_sides": 0, "first": None},
        "bills": [
            {"tokenizer": "gpt2", "joining": "lines", "language": "ไทย", "tokens": 1_234, "premium": 1.5},
            {"tokenizer": "gpt2", "joining": "lines", "language": "b.en", "tokens": 0, "premium": None},
        ],
    }


def test_what_was_guessed_skipped_or_shifted_is_said() -> None:
    assert remarks(SMALL) == []
    rows = [json.dumps({"a": f"row {n}", "b": f"line {n}"}) for n in range(1_500)]
    table = read_parallel([PackedFile("t.jsonl", "\n".join([*rows, "{torn", *rows]).encode())])
    assert table.table is not None
    assert table.table.skipped_rows == 1
    assert f"1 broken rows were skipped, the first in line {table.table.first_skipped:,}" in remarks(table)
    assert json.loads(as_json(table, [], 0))["skipped_rows"] == 1
    thai = [PackedFile(name, "น้ำใจคนไทย ดื่มน้ำ\n".encode("cp874") * 9) for name in ("a", "b")]
    assert remarks(read_parallel(thai)) == [
        f"{name} does not say its encoding; it was read as cp874" for name in ("a", "b")
    ]
    lines = [f"{'long ' * (n % 7)}line {n}" for n in range(2_000)]
    late = [*lines[:1_200], "added", *lines[1_200:-1]]
    shifted = read_parallel(
        [PackedFile(name, "\n".join(each).encode()) for name, each in {"a": lines, "b": late}.items()]
    )
    assert shifted.first_shifted
    assert remarks(shifted) == [f"the lines seem to be shifted from about line {shifted.first_shifted:,}"]
    holes = [("" if n % 3 else "a") for n in range(5_000)]
    empty = read_parallel(
        [PackedFile("a", "\n".join(["", *holes, "b"]).encode()), PackedFile("b", b"\n" + b"b\n" * 5_001)]
    )
    assert remarks(empty)[:2] == [
        "1 pairs are empty on all sides; they are counted as pairs",
        f"{sum(not each for each in holes):,} pairs are empty on some side, the first is pair 3",
    ]


def test_columns_may_be_named_with_spaces_around_and_tokenizers_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("th,en,de\nแมว,cat,Katze\nหมา,dog,Hund\n", encoding="utf-8")
    options = ("--joining", "whole", "--tokenizers", " gpt2 , o200k")
    found = bills(capsys, str(tmp_path / "t.csv"), "--columns", " en , de", *options)
    assert [(bill["tokenizer"], bill["language"]) for bill in found] == [
        ("gpt2", "en"),
        ("gpt2", "de"),
        ("o200k_base", "en"),
        ("o200k_base", "de"),
    ]
    assert {bill["joining"] for bill in found} == {"whole"}


def test_a_name_that_is_a_formula_is_harmless_in_csv(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("=1+1.th", "b.en"):
        (tmp_path / name).write_text("a b\n", encoding="utf-8")
    main(["compare", str(tmp_path / "=1+1.th"), str(tmp_path / "b.en"), "--format", "csv"])
    assert "'=1+1.th" in capsys.readouterr().out


def test_remarks_stand_on_stderr(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n\ny\n\n", encoding="utf-8")
    (tmp_path / "b").write_text("x\nz\ny\n\n", encoding="utf-8")
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    said = capsys.readouterr()
    assert "1 pairs are empty on all sides" in said.err
    assert "the first is pair 2" in said.err
    assert "4 pairs" in said.out


# ---- what is refused


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\n" * 648, "no"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "not a text"),
        (b"a line\n" * 647, "647"),
    ],
    ids=["empty", "only line ends", "binary", "one line less"],
)
def test_a_bad_file(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "bad.en").write_bytes(content)
    assert said in fails(capsys, TH, str(tmp_path / "bad.en"))


def test_what_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "No such file" in fails(capsys, TH, str(tmp_path / "nobody.en"))
    assert "No such file" in fails(capsys, TH, EN, "--tokenizers", str(tmp_path / "nobody.model"))
    assert "directory" in fails(capsys, TH, str(tmp_path))
    assert "gpt5" in fails(capsys, TH, EN, "--tokenizers", "gpt2,gpt5")
    assert "'fr'" in fails(capsys, TH, EN, "--base", "fr")
    assert "klingon" in fails(capsys, TH, EN, "--encoding", "klingon")


def test_the_command_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "tokenizer_core", "compare", TH, EN, "--tokenizers", ",".join(OPENAI_NAMES)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True, encoding="utf-8")
    assert "6.0111" in done.stdout
    assert done.stderr == ""
    bad = subprocess.run([*command[:5], "nobody"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (bad.returncode, bad.stdout) == (1, "")
