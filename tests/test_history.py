"""The history of a text: one number per byte gives its tokens at every vocabulary size, without encoding again."""

from hypothesis import given
from hypothesis import strategies as st
from test_training import corpora, patterns

from tokenizer_core import Tokenizer, train
from tokenizer_core.history import joining_merges


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
