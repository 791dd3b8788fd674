"""`python -m tokenizer_core models`, and models by their names in the other commands."""

import json
from pathlib import Path

import pytest

from tests.helpers.hub import COMMIT, StandInHub
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import byte_level, gpt2_files
from tokenizer_core.__main__ import main
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.interop.opening import open_tokenizer
from tokenizer_core.sources import at_hand

TH, EN = (str(REPOSITORY / "sample_data" / f"parallel.{language}.txt") for language in ("th", "en"))
NAMES = "stand/found,o200k"


@pytest.fixture(autouse=True)
def no_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(at_hand, "_PACKAGES", {})
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("stand_in_hub")
def test_models_of_the_hub_are_compared_with_references_and_listed(capsys: pytest.CaptureFixture[str]) -> None:
    for language, path in {"th": TH, "en": EN}.items():
        Path(language).write_text("\n".join(Path(path).read_text("utf-8").splitlines()[:50]), "utf-8")
    assert main(["compare", "th", "en", "--tokenizers", NAMES, "--joining", "lines", "--format", "json"]) == 0
    found = {bill["tokenizer"]: bill for bill in json.loads(capsys.readouterr().out)["bills"]}
    lines = Path("en").read_text("utf-8").splitlines()
    for name, tokenizer in {
        "stand/found": open_tokenizer("x", byte_level()).tokenizer,
        "o200k_base": openai_tokenizer("o200k_base"),
    }.items():
        assert found[name]["tokens"] == sum(len(tokenizer.encode(line)) for line in lines)
    assert main(["models"]) == 0
    listed = capsys.readouterr().out
    assert all(
        part in listed for part in ("stand/found", "apache-2.0", COMMIT[:12], "~/hf/hub/models--stand--found")
    )
    assert main(["models", "--json"]) == 0
    (model,) = json.loads(capsys.readouterr().out)
    assert (model["bytes"], model["version"]) == (len(byte_level()), COMMIT)


def test_nothing_at_hand_is_an_empty_list(capsys: pytest.CaptureFixture[str], stand_in_hub: StandInHub) -> None:
    assert main(["models", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert main(["models"]) == 0
    assert capsys.readouterr().out.startswith("name")
    assert stand_in_hub.asked == []


def test_a_path_wins_and_that_is_said(capsys: pytest.CaptureFixture[str], stand_in_hub: StandInHub) -> None:
    Path("text").write_text("the cat", "utf-8")
    assert main(["encode", "text", "--tokenizer", "stand/found"]) == 0
    for name, content in zip(("vocab.json", "merges.txt"), gpt2_files()):
        path = Path("stand/found") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    capsys.readouterr()
    assert main(["encode", "text", "--tokenizer", "stand/found"]) == 0
    assert "hub:stand/found is the model of the Hugging Face Hub" in capsys.readouterr().err
    stand_in_hub.asked.clear()
    assert main(["convert", "hub:stand/found", "--to", "vocabulary.json", "--out", "out"]) == 0
    assert "the path of this name" not in capsys.readouterr().err
    assert stand_in_hub.asked == []


@pytest.mark.parametrize(
    ("name", "why"), [("stand/nobody", "no public model"), ("../x", "maker/model"), ("gpt5", "gpt5")]
)
def test_what_is_not_there_is_one_sentence(
    name: str, why: str, capsys: pytest.CaptureFixture[str], stand_in_hub: StandInHub
) -> None:
    assert main(["compare", TH, EN, "--tokenizers", name]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert why in said.err
