"""`python -m tokenizer_core convert`: its files, its proof, and its exit codes."""

import argparse
from dataclasses import replace
from pathlib import Path

import pytest
import tokenizers

from tests.helpers.app import mostly_long
from tests.helpers.paths import REPOSITORY
from tokenizer_core import Tokenizer, train
from tokenizer_core.__main__ import main
from tokenizer_core.cli.convert import proof_sentence, run
from tokenizer_core.errors import ExportError, TokenizerError
from tokenizer_core.interop.exports import FORMATS
from tokenizer_core.workers.export_proof import Difference, Proof

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


DIFFERENCE = Difference("a\n", False, [1, 2], [3], 1_234, "lost_merges")


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (
            DIFFERENCE,
            "'a\\n' has [1, 2] here and [3] there, from token 1,234; a rank file does not hold these merges",
        ),
        (replace(DIFFERENCE, why="special_begins"), "; it takes the shorter of two special tokens"),
        (replace(DIFFERENCE, why="own_pattern"), "; its regular expressions read the split pattern otherwise"),
        (
            replace(DIFFERENCE, why="newer_character", character="U+323B0"),
            "; U+323B0 is newer than its Unicode tables",
        ),
        (replace(DIFFERENCE, why="unknown"), "; the reason is not known"),
        (replace(DIFFERENCE, special_tokens_act=True), "'a\\n' if special tokens act has [1, 2] here"),
    ],
    ids=lambda value: value.why if isinstance(value, Difference) else "",
)
def test_a_difference_is_said_with_its_reason(difference: Difference, words: str) -> None:
    said = proof_sentence(Proof("tiktoken 1.0", 2_000, 500, difference))
    assert said.startswith("not the same ids in tiktoken 1.0: ")
    assert words in said
    assert proof_sentence(Proof("", 1_000, 500)) == (
        "1,000 lines and 500 hostile texts: the same ids in this library's own reader of minbpe's files"
    )


class Proving:
    """A proof that ends at its second look, as the test says, or is interrupted there."""

    proof: Proof | None = None
    failure: TokenizerError | None = None
    stops = 0

    def __init__(self, *given: object) -> None:
        self.waits = 0

    @property
    def ended(self) -> bool:
        return self.waits == 2

    def wait(self, seconds: float) -> None:
        self.waits += 1
        if self.ended and self.proof is self.failure is None:
            raise KeyboardInterrupt

    def stop(self) -> None:
        type(self).stops += 1


def test_a_proof_that_does_not_end_well_is_said_and_always_stopped(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenizer_core.cli.convert.ExportProof", Proving)
    monkeypatch.setattr(Proving, "stops", 0)
    monkeypatch.setattr(Proving, "failure", ExportError("proof_slow", seconds=60))
    assert convert(model, "--to", "tiktoken", "--out", tmp_path) == 1
    said = capsys.readouterr()
    assert said.err.splitlines()[-1].startswith("convert: not proven: ")
    assert "import tiktoken" in said.out
    monkeypatch.setattr(Proving, "failure", None)
    monkeypatch.setattr(Proving, "proof", Proof("tiktoken 1.0", 0, 500))
    assert convert(model, "--to", "tiktoken", "--out", tmp_path, "--force") == 0
    assert "not proven" not in capsys.readouterr().err
    monkeypatch.setattr(Proving, "proof", None)
    with pytest.raises(KeyboardInterrupt):
        run(argparse.Namespace(tokenizer="gpt2", pattern=None, verify=None, to="gpt2", out=tmp_path, force=True))
    assert Proving.stops == 3


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
