"""The history of a text: one number per byte gives its tokens at every vocabulary size, without encoding again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.training import corpora, patterns
from tokenizer_core import Tokenizer, train
from tokenizer_core.errors import TextError
from tokenizer_core.measures.history import joining_merges, token_counts, token_counts_of
from tokenizer_core.pretokens import count_pretokens


def lengths_at(text: str, joined: list[int], merges: int) -> list[int]:
    """The lengths in bytes of the tokens after so many merges."""
    size = len(text.encode())
    cuts = [0, *(place for place, merge in enumerate(joined, 1) if not 0 < merge <= merges), size]
    return [end - start for start, end in zip(cuts, cuts[1:], strict=False)] if size else []


@given(corpora, corpora, patterns, st.integers(256, 330))
def test_the_history_gives_the_tokens_at_every_size(corpus: str, text: str, pattern: str, size: int) -> None:
    tokenizer = train(corpus, size, pattern=pattern)
    joined = joining_merges(tokenizer.encode(text), tokenizer).tolist()
    for merges in range(len(tokenizer.merges) + 1):
        then = tokenizer.at(256 + merges)
        assert lengths_at(text, joined, merges) == [len(then.token_bytes(each)) for each in then.encode(text)]


def test_special_tokens_never_came_about_by_merging() -> None:
    tokenizer = Tokenizer([(97, 97)], pattern="none", special_tokens=["<|end|>"])
    ids = tokenizer.encode("aa<|end|>", allowed_special="all")
    assert joining_merges(ids, tokenizer).tolist() == [1, *[0] * 7]


def test_a_token_made_of_ten_thousand_merges_is_no_hindrance() -> None:
    merges = [(97, 97), *((256 + n, 97) for n in range(10_000))]
    tokenizer = Tokenizer(merges, pattern="none")
    assert joining_merges([10_256], tokenizer).tolist() == list(range(1, 10_002))


@given(st.lists(corpora, min_size=1, max_size=3), st.lists(corpora, max_size=3), patterns, st.integers(256, 330))
def test_token_counts_are_those_of_every_size(
    corpus: list[str], texts: list[str], pattern: str, size: int
) -> None:
    tokenizer = train(corpus, size, pattern=pattern)
    counts = token_counts(texts, tokenizer)
    assert counts.dtype == np.int32
    assert counts.tolist() == [
        sum(len(tokenizer.at(256 + merges).encode(text)) for text in texts)
        for merges in range(len(tokenizer.merges) + 1)
    ]


def test_token_counts_and_the_history_of_a_text_agree() -> None:
    thai_text = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ " * 9
    tokenizer = train(thai_text, 300)
    joined = joining_merges(tokenizer.encode(thai_text), tokenizer).tolist()
    assert token_counts(thai_text, tokenizer).tolist() == [
        len(lengths_at(thai_text, joined, merges)) for merges in range(len(tokenizer.merges) + 1)
    ]


@pytest.mark.parametrize("texts", ["", [], ["", ""]], ids=["empty text", "no texts", "empty texts"])
def test_nothing_has_no_tokens_at_any_size(texts: str | list[str]) -> None:
    assert token_counts(texts, Tokenizer([(97, 97)])).tolist() == [0, 0]


def test_a_special_token_is_counted_as_ordinary_text() -> None:
    tokenizer = Tokenizer([(97, 97)], pattern="none", special_tokens=["aa"])
    assert token_counts("aa", tokenizer).tolist() == [2, 1]


def test_pretokens_counted_once_serve_every_tokenizer_of_their_pattern() -> None:
    lines = ["a cat sat", "", "a cat"]
    pretokens = count_pretokens(lines, "mark_aware")
    for merges in ([], [(97, 116)], [(97, 116), (99, 256)]):
        tokenizer = Tokenizer(merges)
        assert token_counts_of(pretokens, tokenizer).tolist() == token_counts(lines, tokenizer).tolist()


def test_half_a_character_has_no_token_counts() -> None:
    with pytest.raises(TextError):
        token_counts("\ud83d", Tokenizer([]))


def test_a_chain_of_ten_thousand_merges_is_counted_without_recursion() -> None:
    tokenizer = Tokenizer([(97, 98), *((256 + n, 98) for n in range(10_000))], pattern="none")
    assert token_counts("a" + "b" * 10_001, tokenizer).tolist() == list(range(10_002, 0, -1))
