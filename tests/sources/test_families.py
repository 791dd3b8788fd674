"""The table of well-known models: consistent, dated, with sources; its quoted figures are those of their texts."""

import json
from datetime import date

import pytest

from tests.helpers.paths import REPOSITORY
from tokenizer_core.__main__ import main
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.interop.model_tables import known_files
from tokenizer_core.interop.opening import known_file
from tokenizer_core.sources.at_hand import find_models
from tokenizer_core.sources.families import families, family_of, quoted, quoted_for
from tokenizer_core.sources.hub import is_hub_name


def test_each_model_has_a_name_a_date_and_a_source_and_borrows_from_one_that_does_not() -> None:
    by_name = {family.name: family for family in families()}
    assert len(by_name) == len(families()) > 20
    for family in families():
        assert is_hub_name(family.name)
        assert family.source
        assert family.borrows is None or family.borrows in OPENAI_NAMES or by_name[family.borrows].borrows is None


def test_thai_models_read_with_borrowed_tokenizers() -> None:
    borrowed = {family.title: family.borrows for family in families() if family.maker in ("SCB 10X", "AIEAT")}
    assert borrowed["Typhoon 2.5"] == "Qwen/Qwen3-8B"
    assert None not in borrowed.values()
    assert (family := family_of("qwen/qwen3-8b"))
    assert family.name == "Qwen/Qwen3-8B"
    assert family_of("nobody/nothing") is None


def test_quoted_figures_are_dated_and_sorted_by_premium() -> None:
    rows = quoted()
    assert [row.premium for row in rows] == sorted(row.premium for row in rows)
    assert all(row.source and isinstance(row.date, date) and "FLORES" in row.texts for row in rows)
    assert round(rows[0].premium, 2) == 1.21
    known = {family.name for family in families()}
    assert all(set(row.models) <= known for row in rows)
    files = {file.name for file in known_files().values()}
    assert all(set(row.files) <= files for row in rows)
    figures = quoted_for("scb10x/typhoon2.5-qwen3-4b")
    assert figures
    assert (figures.title, figures.thai) == ("Qwen 3", 70_455)
    assert quoted_for("iapp/nothing") is None


OWN = {
    "Qwen 3.5, 3.6": 0.92,
    "Llama 4": 1.22,
    "DeepSeek V4": 1.33,
    "Llama 3": 1.58,
    "Mistral NeMo (tekken)": 1.72,
    "Mistral tekken 240911": 1.72,
    "Qwen 1–3": 1.77,
    "Qwen 3": 1.77,
    "Mistral v2 (SentencePiece)": 2.89,
    "Mistral v3 (SentencePiece)": 2.89,
    "Mistral v7 (SentencePiece)": 2.89,
    "Jurassic-2": 4.30,
    "Claude 1, 2": 5.31,
}
"""What the bundled sentences cost in Thai, of the same counting as the quoted figures, by the names of files."""


@pytest.mark.long
def test_compare_gives_the_premiums_that_were_counted_for_all_models_at_hand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    known = {model.name: known_file(model.files[0].read_bytes()) for model in find_models(public=True)}
    expected = {name: OWN[file.name] for name, file in known.items() if file and file.name in OWN}
    if not expected:
        pytest.skip("no package with tokenizers is installed")
    paths = [str(REPOSITORY / "sample_data" / f"parallel.{language}.txt") for language in ("th", "en")]
    given = ["--tokenizers", ",".join(expected), "--joining", "lines", "--base", paths[1], "--format", "json"]
    assert main(["compare", *paths, *given]) == 0
    bills = json.loads(capsys.readouterr().out)["bills"]
    found = {bill["tokenizer"]: round(bill["premium"], 2) for bill in bills if "parallel.th" in bill["language"]}
    assert found == expected
