"""Merges recovered from ranks are those of the definition, and those that training learned."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tests.helpers.training import corpora, patterns, train_in_two_stages
from tokenizer_core import Tokenizer, openai_tokenizer, train
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.bpe.vocabulary import (
    BYTES,
    merges_of_ranks,
    recover_by_definition,
    recover_merges,
)
from tokenizer_core.errors import RankFileError

token_lists = st.lists(
    st.one_of(st.binary(min_size=1, max_size=4), st.text(alphabet="ab", min_size=1, max_size=9).map(str.encode)),
    unique=True,
    max_size=60,
)
"""Tokens in any order: many are made of none, and a longer one may come before its parts."""


@given(token_lists)
def test_recovering_follows_the_definition(tokens: list[bytes]) -> None:
    fast, plain = recover_merges(tokens), recover_by_definition(tokens)
    np.testing.assert_array_equal(fast.pairs, plain.pairs)
    assert fast.without_pair == plain.without_pair


def test_recovering_a_long_token_follows_the_definition() -> None:
    tokens = [b"a", b"b", *(b"ab" * 2**n for n in range(8)), b"ab" * 100 + b"a"]
    np.testing.assert_array_equal(recover_merges(tokens).pairs, recover_by_definition(tokens).pairs)


@pytest.mark.parametrize("name", OPENAI_NAMES)
def test_every_merge_of_a_reference_makes_its_token(name: str) -> None:
    tokenizer = openai_tokenizer(name)
    assert len(tokenizer.merges) == tokenizer.id_counts.merges
    for token_id, pair in enumerate(tokenizer.merges, BYTES):
        assert max(pair) < token_id
        assert tokenizer.decode_bytes(pair) == tokenizer.token_bytes(token_id)


def test_the_merges_of_gpt2_follow_the_definition() -> None:
    tokenizer = openai_tokenizer("gpt2")
    plain = recover_by_definition([tokenizer.token_bytes(rank) for rank in range(tokenizer.vocab_size)])
    assert tokenizer.merges == [tuple(pair) for pair in plain.pairs[BYTES:].tolist()]


@pytest.fixture(scope="module")
def gpt2_by_merges() -> Tokenizer:
    """GPT-2 as one of ours, whose ids of single bytes are the bytes."""
    reference = openai_tokenizer("gpt2")
    own_id = [reference.token_bytes(rank)[0] for rank in range(BYTES)] + list(range(BYTES, reference.vocab_size))
    return Tokenizer([(own_id[left], own_id[right]) for left, right in reference.merges], pattern="gpt2")


@given(text=hostile_texts)
def test_the_recovered_merges_cut_as_the_reference(gpt2_by_merges: Tokenizer, text: str) -> None:
    cuts = [
        list(map(tokenizer.token_bytes, tokenizer.encode(text)))
        for tokenizer in (gpt2_by_merges, openai_tokenizer("gpt2"))
    ]
    assert cuts[0] == cuts[1]


@given(text=corpora, pattern=patterns, two_stages=st.booleans())
def test_training_learns_merges_that_a_rank_file_holds(text: str, pattern: str, two_stages: bool) -> None:
    if two_stages:
        tokenizer = train_in_two_stages(text, 300, first_merges=9, pattern=pattern)
    else:
        tokenizer = train(text, 300, pattern=pattern)
    assert merges_of_ranks(tokenizer.vocabulary) == tokenizer.merges


@pytest.mark.parametrize(
    ("tokens", "code"),
    [
        ([b"a", b"b", b"a"], "rank_duplicate"),
        ([b"a", b""], "rank_empty"),
        ([b"a", b"b", b"bab"], "rank_without_pair"),
        ([b"a", b"ab"], "rank_without_pair"),  # no token is "b"
    ],
)
def test_impossible_tokens_are_refused(tokens: list[bytes], code: str) -> None:
    with pytest.raises(RankFileError) as refused:
        merges_of_ranks(tokens)
    assert refused.value.code == code


def test_a_message_quotes_forty_bytes_of_a_token() -> None:
    with pytest.raises(RankFileError) as refused:
        merges_of_ranks([b"a", b"x" * 1_000])
    assert refused.value.values == {"rank": 1, "token": "x" * 40, "count": 1}
    assert "x" * 41 not in str(refused.value)


def test_no_tokens_have_no_merges() -> None:
    assert merges_of_ranks([]) == []
