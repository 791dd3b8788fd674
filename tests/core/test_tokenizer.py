"""A tokenizer encodes as the definition does, decodes exactly, and takes the longest texts."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.helpers.hostile import hostile_texts
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, TokenizerError, pretokenize, train
from tokenizer_core.encode_loop import SHORT
from tokenizer_core.errors import PatternError, TextError, TokenIdError, TrainingError
from tokenizer_core.reference import Pair, merge
from tokenizer_core.vocabulary import build_vocabulary

CORPUS = (
    "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน ดื่มน้ำเยอะๆ นะคะ เมื่อสังคมมีวิวัฒนาการ 2567 ปี\n"
    "The cat sat on the mat, don't you know? It's 12345 o'clock.\r\n\r\n   aaaaaaaaaa aaaa aa abababab\n"
    "😀😀👨‍👩‍👧 👍🏽 <|endoftext|>\t\t naïve café\n"
) * 3
PATTERNS = [*SPLIT_PATTERNS, "[a-z]+"]

long_pretokens = st.tuples(
    st.text(alphabet="ab", min_size=1, max_size=8), st.integers(SHORT // 2, SHORT), st.text(max_size=3)
).map(lambda parts: parts[0] * parts[1] + parts[2])
texts = st.one_of(hostile_texts, long_pretokens, st.text(alphabet="aาที่น้ำ", max_size=150))


@cache
def trained(pattern: str, vocab_size: int = 400) -> Tokenizer:
    return train(CORPUS, vocab_size, pattern=pattern)


@st.composite
def merge_tables(draw: DrawFn) -> list[Pair]:
    """Any valid merges, also such as no training would learn: two merges may give the same bytes."""
    merges: list[Pair] = []
    for token_id in range(256, 256 + draw(st.integers(0, 12))):
        parts = st.sampled_from([97, 98, *range(256, token_id)])
        pair = draw(st.tuples(parts, parts))
        if pair in merges:
            break
        merges.append(pair)
    return merges


def encode_by_definition(text: str, pattern: str, merges: Sequence[Pair]) -> list[int]:
    """Apply every merge in its order to each pretoken."""
    encoded: list[int] = []
    for pretoken in pretokenize(text, pattern):
        ids = list(pretoken.encode())
        for token_id, pair in enumerate(merges, 256):
            ids = merge(ids, pair, token_id)
        encoded += ids
    return encoded


@cache
def in_tiktoken(tokenizer: Tokenizer) -> tiktoken.Encoding:
    ranks = {token: rank for rank, token in enumerate(tokenizer.vocabulary)}
    return tiktoken.Encoding(
        "own", pat_str=SPLIT_PATTERNS[tokenizer.pattern], mergeable_ranks=ranks, special_tokens={}
    )


# Encoding equals the definition, and tiktoken


@settings(max_examples=200)
@given(texts, st.sampled_from(PATTERNS))
@example("", "none")
@example("ab" * SHORT, "none")
@example("a" * (SHORT + 1), "none")
def test_encoding_agrees_with_the_definition(text: str, pattern: str) -> None:
    tokenizer = trained(pattern)
    assert tokenizer.encode(text) == encode_by_definition(text, pattern, tokenizer.merges)


@settings(max_examples=500)
@given(
    merge_tables(),
    st.one_of(
        st.text(alphabet="ab", max_size=40), st.text(alphabet="ab", min_size=1, max_size=9).map(lambda t: t * 30)
    ),
)
def test_encoding_agrees_with_the_definition_for_merges_no_training_would_learn(
    merges: list[Pair], text: str
) -> None:
    assert Tokenizer(merges, pattern="none").encode(text) == encode_by_definition(text, "none", merges)


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
@given(text=texts)
def test_encoding_agrees_with_tiktoken(name: str, text: str) -> None:
    tokenizer = trained(name)
    assert tokenizer.encode(text) == in_tiktoken(tokenizer).encode_ordinary(text)


@given(st.text(alphabet="ab", min_size=1, max_size=30), st.text(alphabet="ab", max_size=300))
def test_tokenizers_of_tiny_alphabets_agree_with_tiktoken(corpus: str, text: str) -> None:
    tokenizer = train(corpus, 300, pattern="none")
    ranks = {token: rank for rank, token in enumerate(tokenizer.vocabulary)}
    assert len(ranks) == tokenizer.vocab_size  # training learns no token twice
    peer = tiktoken.Encoding("own", pat_str=r"(?s).+", mergeable_ranks=ranks, special_tokens={})
    assert tokenizer.encode(text) == peer.encode_ordinary(text)


@pytest.mark.parametrize("length", [SHORT - 1, SHORT, SHORT + 1, 5 * SHORT])
@pytest.mark.parametrize("unit", ["a", "ab", "aab", "ก", "😀"])
def test_short_and_long_pretokens_are_merged_alike(unit: str, length: int) -> None:
    text = (unit * length)[:length]
    tokenizer = train(unit * 20, 280, pattern="none")
    assert tokenizer.encode(text) == encode_by_definition(text, "none", tokenizer.merges)


def test_thai_text_is_encoded_as_tiktoken_does(thai_corpus: str) -> None:
    tokenizer = train(thai_corpus[:200_000], 1500)
    text = thai_corpus[200_000:400_000]
    assert tokenizer.encode(text) == in_tiktoken(tokenizer).encode_ordinary(text)


# Decoding


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=texts)
def test_decoding_gives_the_text_back(pattern: str, text: str) -> None:
    tokenizer = trained(pattern)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert tokenizer.decode_bytes(ids) == text.encode()


@given(st.binary(max_size=40))
def test_decoding_bytes_is_exact_for_bytes_that_are_no_text(content: bytes) -> None:
    tokenizer = trained("none")
    assert tokenizer.decode_bytes(content) == content
    assert tokenizer.decode(content) == content.decode("utf-8", errors="replace")


def test_numpy_ids_are_ids() -> None:
    tokenizer = trained("none")
    ids = np.array(tokenizer.encode("ภาษาไทย and more"))
    assert tokenizer.decode(ids) == "ภาษาไทย and more"


def test_encoded_ids_are_plain_numbers() -> None:
    assert {type(token_id) for token_id in trained("none").encode("ภาษาไทย")} == {int}


@pytest.mark.parametrize("token_id", [-1, 400, 10**9, -257])
def test_an_unknown_id_is_an_error_that_names_it(token_id: int) -> None:
    tokenizer = trained("none")
    with pytest.raises(TokenIdError, match=f"; {token_id} came") as caught:
        tokenizer.decode([97, token_id])
    assert caught.value.values == {"token_id": token_id, "name": "mine", "vocab_size": 400}


@pytest.mark.parametrize("text", ["\ud800", "abc\udfff", "\udc00\ud800"], ids=["high", "low", "swapped"])
def test_a_lone_surrogate_is_refused(text: str) -> None:
    with pytest.raises(TextError) as caught:
        trained("none").encode(text)
    assert caught.value.code == "lone_surrogate"


# The vocabulary


@given(texts, st.integers(256, 400))
def test_a_smaller_vocabulary_is_what_training_to_it_gives(text: str, vocab_size: int) -> None:
    tokenizer = trained("mark_aware").at(vocab_size)
    assert tokenizer.merges == train(CORPUS, vocab_size, pattern="mark_aware").merges
    assert tokenizer.vocab_size == vocab_size == len(tokenizer.vocabulary)
    assert tokenizer.encode(text) == encode_by_definition(text, "mark_aware", tokenizer.merges)


@pytest.mark.parametrize("vocab_size", [255, 401, -1])
def test_a_vocabulary_size_that_was_not_trained_is_refused(vocab_size: int) -> None:
    with pytest.raises(TrainingError) as caught:
        trained("none").at(vocab_size)
    assert caught.value.values == {"size": vocab_size, "most": 400}


def test_each_token_is_its_two_parts_joined() -> None:
    tokenizer = trained("none")
    for token_id, (left, right) in enumerate(tokenizer.merges, 256):
        assert tokenizer.token_bytes(token_id) == tokenizer.token_bytes(left) + tokenizer.token_bytes(right)


@pytest.mark.parametrize(
    ("merges", "code", "rank"),
    [
        ([(97, 256)], "merge_before_parts", 0),
        ([(97, 98), (258, 97)], "merge_before_parts", 1),
        ([(-1, 97)], "merge_before_parts", 0),
        ([(97, 98), (98, 97), (97, 98)], "merge_duplicate", 2),
        ([(97, 97), *((n, n) for n in range(256, 290))], "vocabulary_too_large", 26),
    ],
    ids=["own_part", "later_part", "negative", "duplicate", "doubling"],
)
def test_impossible_merges_are_refused_with_their_rank(merges: list[Pair], code: str, rank: int) -> None:
    with pytest.raises(TokenizerError) as caught:
        build_vocabulary(merges)
    assert (caught.value.code, caught.value.values["rank"]) == (code, rank)


def test_a_tokenizer_without_merges_gives_the_bytes() -> None:
    assert Tokenizer([]).encode("aก") == list("aก".encode())


def test_a_pattern_that_does_not_compile_is_refused_at_once() -> None:
    with pytest.raises(PatternError):
        Tokenizer([], pattern="(a")


# Long texts. No clock here: a quadratic loop would hold the suite for hours.


@pytest.mark.parametrize("pattern", ["none", "mark_aware", "o200k"])
@pytest.mark.parametrize(
    "text",
    ["a" * 1_000_000, " " * 1_000_000 + "x", "ที่นี่มีน้ำใจ" * 23_000, "😀" * 100_000, "ab" * 500_000, "\n" * 500_000],
    ids=["letters", "spaces", "thai", "emoji", "pairs", "line_breaks"],
)
def test_a_text_of_one_endless_line_is_encoded_and_decoded(text: str, pattern: str) -> None:
    tokenizer = trained(pattern)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert len(ids) <= len(text.encode())


def test_an_endless_run_takes_the_largest_tokens_first() -> None:
    tokenizer = train("a" * 64, 262, pattern="none")
    assert tokenizer.encode("a" * 1_000_000) == [261] * (1_000_000 // 64)
