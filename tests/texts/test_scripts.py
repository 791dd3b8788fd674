"""Shares of scripts and the hash of a corpus: what is said of texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer_core.jobs.fingerprint import corpus_hash
from tokenizer_core.texts.scripts import SAMPLE, script_shares


@pytest.mark.parametrize(
    ("texts", "shares"),
    [
        (["ก่ ab"], (0.5, 0.5, 0.0)),
        (["กา", "ab", "漢字"], (1 / 3, 1 / 3, 1 / 3)),
        (["ก ๑๒๓ ฿ 123 \u0301"], (0.5, 0.0, 0.5)),
        (["é", "e\u0301"], (0.0, 2 / 3, 1 / 3)),
    ],
    ids=["marks", "three scripts", "digits are no letters", "accents"],
)
def test_shares_of_scripts_count_letters_and_marks(texts: list[str], shares: tuple[float, float, float]) -> None:
    counted = script_shares(texts)
    assert counted is not None
    assert counted[:3] == pytest.approx(shares)
    assert not counted.is_sample


@pytest.mark.parametrize("texts", [[], [""], ["123 !?\n"]])
def test_without_letters_there_are_no_shares(texts: list[str]) -> None:
    assert script_shares(texts) is None


@pytest.mark.parametrize(
    "texts",
    [
        ["ก" * SAMPLE + "a" * 3 * SAMPLE],
        ["ก" * 1_000] * (SAMPLE // 1_000) + ["a" * 3 * SAMPLE],
        ["a" * 3 * SAMPLE, "ก" * SAMPLE],
    ],
    ids=["one text", "short and long texts", "two texts"],
)
def test_a_sample_of_a_large_corpus_is_even_and_said_to_be_one(texts: list[str]) -> None:
    shares = script_shares(texts)
    assert shares is not None
    assert shares.is_sample
    assert shares.thai == pytest.approx(0.25, abs=0.01)
    assert sum(shares[:3]) == pytest.approx(1)


@given(st.lists(st.text(max_size=5), max_size=4), st.lists(st.text(max_size=5), max_size=4))
def test_only_the_same_texts_have_the_same_hash(texts: list[str], others: list[str]) -> None:
    assert (corpus_hash(texts) == corpus_hash(others)) == (texts == others)
    assert corpus_hash(tuple(texts)) == corpus_hash(texts)


def test_the_hash_is_that_of_lengths_and_bytes() -> None:
    import hashlib

    by_hand = (6).to_bytes(8, "little") + "กข".encode() + (1).to_bytes(8, "little") + b"a"
    assert corpus_hash(["กข", "a"]) == hashlib.sha256(by_hand).hexdigest()
