"""`python -m tokenizer_core convert`: its files, its proof, and its exit codes."""

from pathlib import Path

import pytest
import tokenizers

from tests.helpers.app import mostly_long
from tests.helpers.paths import REPOSITORY
from tokenizer_core import Tokenizer, train
from tokenizer_core.__main__ import main
from tokenizer_core.interop.exports import FORMATS

THAI = REPOSITORY / "sample_data" / "parallel.th.txt"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    train(THAI.read_text(encoding="utf-8"), 400, special_tokens=["<|end|>"]).save(tmp_path / "mine")
    return tmp_path / "mine.model"


def convert(*arguments: object) -> int:
    return main(["convert", *map(str, arguments)])


def test_a_model_becomes_tokenizer_json_and_is_proven(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made" / "here"
    assert convert(model, "--to", "tokenizer.json", "--verify", THAI, "--out", out) == 0
    said = capsys.readouterr()
    assert f"wrote {out / 'tokenizer.json'}" in said.err
    version = tokenizers.__version__
    assert f"648 lines and 500 hostile texts: the same ids in tokenizers {version}" in said.err
    assert "note: Hugging Face’s library takes special tokens in any text as special" in said.err
    assert said.out.startswith("from tokenizers import Tokenizer")
    loaded = tokenizers.Tokenizer.from_file(str(out / "tokenizer.json"))
    assert loaded.encode("ดื่มน้ำ").ids == Tokenizer.load(model).encode("ดื่มน้ำ")


@pytest.mark.parametrize("to", mostly_long(FORMATS, "tokenizer.json", "merges.csv"))
def test_every_format_can_be_asked_for(to: str, model: Path, tmp_path: Path) -> None:
    assert convert(model, "--to", to, "--out", tmp_path / "out") == 0
    assert list((tmp_path / "out").iterdir())


def test_files_of_other_libraries_are_converted_with_their_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert("gpt2", "--to", "gpt2", "--out", tmp_path) == 0
    both = f"{tmp_path / 'vocab.json'}+{tmp_path / 'merges.txt'}"
    assert convert(both, "--to", "tiktoken", "--pattern", "gpt2", "--out", tmp_path) == 0
    assert "500 hostile texts: the same ids in tiktoken" in capsys.readouterr().err
    assert convert("gpt2", "--to", "tiktoken", "--out", tmp_path) == 0
    ours, reopened = ((tmp_path / f"{name}.tiktoken").read_text() for name in ("gpt2", "vocab"))
    assert sorted(ours.splitlines()) == sorted(reopened.splitlines())


def test_no_file_is_replaced_unless_told_to(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = model.read_bytes()
    assert convert(model, "--to", "minbpe", "--out", model.parent) == 1
    assert "already exists; --force replaces it" in capsys.readouterr().err
    assert convert(model, "--to", "minbpe", "--out", model.parent, "--force") == 0
    assert model.read_bytes() == before


def test_a_tokenizer_that_differs_there_is_told_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Tokenizer([(97, 98), (98, 99), (97, 257)], pattern="none").save(tmp_path / "mine")
    (tmp_path / "corpus.txt").write_text("abc", encoding="utf-8")
    code = convert(
        *(tmp_path / "mine.model", "--to", "tiktoken", "--verify", tmp_path / "corpus.txt", "--out", tmp_path)
    )
    assert code == 1
    said = capsys.readouterr().err
    assert "'abc' has [256, 99] here and [258] there, from token 0; a rank file does not hold these merges" in said
    assert (tmp_path / "mine.tiktoken").exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["nobody", "--to", "gpt2"], "A tokenizer must be a file, a name"),
        (["missing.model", "--to", "gpt2"], "No such file"),
        (["cl100k_base", "--to", "minbpe"], "In a .model file"),
        (["gpt2", "--to", "gpt2", "--verify", "missing.txt"], "missing.txt"),
    ],
)
def test_what_cannot_be_converted_says_why_on_one_line(
    arguments: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert(*arguments, "--out", tmp_path) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert why in said.err
    assert not list(tmp_path.iterdir())
