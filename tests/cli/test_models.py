"""`python -m tokenizer_core models`, and models by their names in the other commands."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.hub import COMMIT, StandInHub
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import byte_level, gpt2_files
from tokenizer_core.__main__ import main
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.cli.corpus import Progress
from tokenizer_core.cli.models import tokenizer_named
from tokenizer_core.interop.opening import open_tokenizer
from tokenizer_core.sources import at_hand
from tokenizer_core.sources.model import ModelAtHand

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


def test_each_model_is_listed_with_what_is_known_of_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    large = tmp_path / "large.gguf"
    with large.open("wb") as file:
        file.truncate(1_234_567_890)
    found = [
        ModelAtHand("scb10x/typhoon2.5-qwen3-4b", "hub", (large,), "mit", "c0ffee" * 6),
        ModelAtHand("ollama:น้ำ", "ollama", (Path("/elsewhere/blob"),)),
    ]
    monkeypatch.setattr("tokenizer_core.cli.models.find_models", lambda: found)
    assert main(["models"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        ["name", "kind", "MB", "licence", "version", "place"],
        ["scb10x/typhoon2.5-qwen3-4b", "hub", "1,177.4", "mit", "c0ffeec0ffee", "~/large.gguf"],
        ["ollama:น้ำ", "ollama", "0.0", "–", "–", "/elsewhere/blob"],
    ]
    assert main(["models", "--json"]) == 0
    written = capsys.readouterr().out
    assert '"ollama:น้ำ"' in written
    first, second = json.loads(written)
    assert first == {
        "name": "scb10x/typhoon2.5-qwen3-4b",
        "kind": "hub",
        "files": [str(large)],
        "bytes": 1_234_567_890,
        "licence": "mit",
        "version": "c0ffee" * 6,
        "origin": f"https://huggingface.co/scb10x/typhoon2.5-qwen3-4b/tree/{'c0ffee' * 6}",
        "borrowed_from": "Qwen/Qwen3-8B",
    }
    assert (second["licence"], second["borrowed_from"], second["origin"]) == (None, None, "/elsewhere/blob")


def test_a_reference_has_a_short_name_and_a_model_of_the_hub_says_its_version(
    capsys: pytest.CaptureFixture[str], stand_in_hub: StandInHub
) -> None:
    for name in ("o200k", "o200k_base", "gpt2", "cl100k"):
        assert tokenizer_named(name, None, "encode") is openai_tokenizer(
            name.removesuffix("_base") + "_base" * (name != "gpt2")
        )
    assert (capsys.readouterr().err, stand_in_hub.asked) == ("", [])
    tokenizer = tokenizer_named("stand/found", None, "encode")
    assert tokenizer.name == "stand/found"
    version, *remarks = capsys.readouterr().err.splitlines()
    assert version == f"encode: stand/found: version {COMMIT[:12]}, licence apache-2.0"
    assert [remark.startswith("encode: stand/found: ") for remark in remarks] == [True]
    stand_in_hub.repositories["stand/found"].files.pop("README.md")
    stand_in_hub.repositories["stand/plain"] = stand_in_hub.repositories["stand/found"]
    tokenizer_named("stand/plain", None, "decode")
    assert "decode: stand/plain: version c0ffee000000, licence not given\n" in capsys.readouterr().err


def test_a_terminal_shows_how_much_of_a_model_is_fetched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shown: list[str] = []

    def fetched(name: str, *, token: bool, progress: Callable[[int, int], None]) -> ModelAtHand:
        assert token
        for done in (2**20, 3 * 2**20, 3 * 2**20):
            progress(done, 2**22)
        (tmp_path / "tokenizer.json").write_bytes(byte_level())
        return ModelAtHand(name, "file", (tmp_path / "tokenizer.json",))

    class Bar(Progress):
        def add(self, more: int) -> None:
            super().add(more)
            shown.append(self.sentence().partition(",")[0])

    monkeypatch.setattr("tokenizer_core.cli.models.model_named", fetched)
    monkeypatch.setattr("tokenizer_core.cli.models.Progress", Bar)
    tokenizer_named("some/model", None, "encode")
    assert shown == ["encode: 1 MB", "encode: 3 MB", "encode: 3 MB"]
    assert "licence" not in capsys.readouterr().err


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
