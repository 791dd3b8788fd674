"""`python -m tokenizer_core train --parity`: each language pays the same, or the command says what it needs."""

import json
import sys
from pathlib import Path

import pytest

from tests.helpers.paths import REPOSITORY
from tokenizer_core import Tokenizer, count_pretokens
from tokenizer_core.__main__ import main
from tokenizer_core.bpe.reference import train_with_parity_by_definition
from tokenizer_core.patterns.pretokens import PretokenCounts

THAI, ENGLISH = (REPOSITORY / "sample_data" / f"parallel.{language}.txt" for language in ("th", "en"))
BOTH = ("--parity", f"th={THAI}", "--parity", f"en={ENGLISH}")
MEASURED = ("--measured", f"th={THAI}", "--measured", f"en={ENGLISH}")


def trained(folder: Path, *arguments: str, size: int = 400) -> Tokenizer:
    assert main(["train", *arguments, "--vocab-size", str(size), "--out", str(folder / "fair")]) == 0
    return Tokenizer.load(folder / "fair.model")


@pytest.mark.parametrize("global_merges", [0, 9])
def test_languages_train_what_the_definition_learns(tmp_path: Path, global_merges: int) -> None:
    texts = [path.read_text(encoding="utf-8")[:3_000] for path in (THAI, ENGLISH)]
    given = []
    for name, text in zip(("th", "en"), texts, strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
        given += ["--parity", f"{name}={tmp_path / name}"]
    more = ["--global-merges", str(global_merges)] if global_merges else []
    units = [len(text.encode()) for text in texts]
    expected = train_with_parity_by_definition(texts, texts, units, 330, "mark_aware", global_merges)
    assert trained(tmp_path, *given, *more, size=330).merges == [pair for _, pair, _ in expected]


def test_with_parallel_lines_each_line_costs_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokenizer = trained(tmp_path, *BOTH, *MEASURED, "--json", size=2_000)
    said = json.loads(capsys.readouterr().out)["languages"]
    lines = [path.read_text(encoding="utf-8") for path in (THAI, ENGLISH)]
    tokens = [len(tokenizer.encode(text)) for text in lines]
    assert [each["tokens"] for each in said.values()] == tokens
    assert {each["lines"] for each in said.values()} == {648}
    assert abs(tokens[0] / tokens[1] - 1) < 0.001


def test_a_terminal_shows_what_each_language_pays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("ab ab ab\n" * 3, encoding="utf-8")
    (tmp_path / "b").write_text("cd cd\n" * 4, encoding="utf-8")
    given = [f"--parity=x={tmp_path / 'a'}", f"--parity=y={tmp_path / 'b'}", "--vocab-size=258", "--json"]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["train", *given, "--out", str(tmp_path / "m"), "--pattern", "none"]) == 0
    said = capsys.readouterr()
    paid = json.loads(said.out)["languages"]
    units = {"x": 27, "y": 24}
    for name, each in paid.items():
        assert (each["bytes"], each["ratio"]) == (units[name], each["tokens"] / units[name])
    words = ", ".join(f"{name} {each['ratio']:.3f}" for name, each in paid.items())
    assert f"train: tokens per byte: {words}\n" in said.err
    assert [*paid] == ["x", "y"]


@pytest.mark.parametrize(
    ("more", "held"),
    [([], 2), (MEASURED, 4), ([*MEASURED, "--global-merges", "9"], 6)],
    ids=["languages", "measured", "all-together"],
)
def test_the_memory_foreseen_is_that_of_all_texts_that_the_trainer_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], held: int
) -> None:
    foreseen: list[int] = []
    monkeypatch.setattr(
        "tokenizer_core.cli.train._check_memory", lambda distinct, memory: foreseen.append(distinct)
    )
    trained(tmp_path, *BOTH, *more, size=300)
    both = [
        PretokenCounts.of(count_pretokens(path.read_text(encoding="utf-8"), "mark_aware"))
        for path in (THAI, ENGLISH)
    ]
    shared = set(both[0].strings()) & set(both[1].strings())
    twice = sum(len(pretoken.encode()) for pretoken in shared) if held == 6 else 0  # once in the text of all
    assert foreseen == [held // 2 * sum(pretokens.text.size for pretokens in both) - twice]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--parity", f"th={THAI}"], "at least two languages"),
        (["--parity", str(THAI), "--parity", f"en={ENGLISH}"], "takes LANGUAGE=FILES"),
        ([*BOTH[:2], *BOTH[:2]], "each language once"),
        ([*BOTH, *MEASURED[:2]], "must name the languages"),
        ([*BOTH, *MEASURED[:2], "--measured", f"en={REPOSITORY / 'app.py'}"], "as many lines: th 648, en"),
        ([*BOTH, str(THAI)], "one of them only"),
        ([str(THAI), *MEASURED], "need --parity"),
        ([str(THAI), "--global-merges", "3"], "need --parity"),
        ([*BOTH, "--measured", "th=", "--measured", f"en={ENGLISH}"], "--measured takes LANGUAGE=FILES"),
        ([*BOTH, "--parity", f"={THAI}"], "each language once; '=/"),
        ([*BOTH, "--superwords-from", "280"], "--superwords-from needs FILES"),
    ],
)
def test_what_is_missing_is_said(
    given: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", *given, "--vocab-size", "300", "--out", str(tmp_path / "fair")])
    assert ended.value.code == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
