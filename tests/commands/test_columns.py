"""`--column`: a column that is not there is answered with those that are, and without it the choice is said."""

import gzip
import json
from pathlib import Path

import pytest

from tests.helpers.tables import CSV, JSONL, PARQUET, comma_separated
from tokenizer_core.__main__ import main
from tokenizer_core.commands import corpus

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


def done(command: str, *arguments: object) -> int:
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
        assert done(command, path, "--column", "fr", tmp_path / "x") == 1
        said = capfd.readouterr().err
        assert said.startswith(
            f"{command}: {path}: a chosen column must be in the table; 'fr' is not. Its columns"
        )
        assert said.endswith("th, en\n")


def test_of_many_columns_the_first_are_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    names = [f"column {n} {'long' * 20}" for n in range(60)]
    (tmp_path / "a.csv").write_text(comma_separated([names, ["a cat"] * 60, ["a dog"] * 60]), encoding="utf-8")
    row = dict.fromkeys(names, "a cat")
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(row) + "\n", encoding="utf-8")
    for path in (tmp_path / "a.csv", tmp_path / "a.jsonl"):
        assert done("count", path, "--column", "fr", "--header", tmp_path / "x") == 1
        said = capfd.readouterr().err
        assert said.endswith("…\n")
        assert said.count("column ") == 11  # ten of them, and the word itself
        assert len(said) < 700


def test_what_was_read_without_a_column_is_said(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "_GUESSES", 1)
    paths = tables_in(tmp_path)
    (tmp_path / "b.csv").write_text("id,name,text\n" + "1,Somchai,a cat and a dog\n" * 3, encoding="utf-8")
    for command in ("train", "count", "encode"):
        assert done(command, *paths, tmp_path / "b.csv", tmp_path / "x") == 0
        assert capfd.readouterr().err.splitlines()[:2] == [
            f"{command}: {paths[0]} and 3 more: text comes from th, en; --column chooses among th, en",
            f"{command}: more tables whose columns were chosen: 1",
        ]
    assert done("count", tmp_path / "b.csv", tmp_path / "x") == 0
    said = f"count: {tmp_path}/b.csv: text comes from text; --column chooses among name, text\n"
    assert capfd.readouterr().err == said
    (tmp_path / "c.csv").write_text("id,text\n" + "1,a cat and a dog\n" * 3, encoding="utf-8")
    assert done("count", tmp_path / "c.csv", tmp_path / "x") == 0  # one column of text: nothing was chosen
    assert done("count", paths[0], "--column", "en", tmp_path / "x") == 0
    assert capfd.readouterr().err == ""
