"""Characters and words as tokenizers: the corpus is the vocabulary, the rest is lost, and says so."""

import random

import pytest

from tests.helpers.hostile import HOSTILE_PIECES
from tokenizer_core.analysis.baselines import (
    NaiveTokenizer,
    PretokenTokenizer,
    character_tokenizer,
    word_tokenizer,
)
from tokenizer_core.analysis.segmenters import Segmenter
from tokenizer_core.errors import SpecialTokenError, TextError, TokenIdError

RANDOM = random.Random(5)
TEXTS = ["".join(RANDOM.choices(HOSTILE_PIECES, k=RANDOM.randrange(14))) for _ in range(200)]
PAIRS = Segmenter("pairs", lambda text: [text[at : at + 2] for at in range(0, len(text), 2)])
TOKENIZERS = {
    "characters": character_tokenizer(TEXTS),
    "words": word_tokenizer(TEXTS),
    "segmented": word_tokenizer(TEXTS, PAIRS),
    "few": character_tokenizer(["กขค abc"]),
}


@pytest.mark.parametrize("name", ["characters", "segmented"])
def test_a_text_of_the_corpus_comes_back(name: str) -> None:
    tokenizer = TOKENIZERS[name]
    assert all(tokenizer.decode(tokenizer.encode(text)) == text for text in TEXTS)


def test_words_come_back_with_one_space_between_them() -> None:
    tokenizer = TOKENIZERS["words"]
    for text in TEXTS:
        kept = tokenizer.decode(tokenizer.encode(text))
        assert len(tokenizer.encode(text)) == len(tokenizer.encode(kept))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_each_token_covers_its_own_bytes(name: str) -> None:
    tokenizer = TOKENIZERS[name]
    for text in TEXTS:
        content = text.encode()
        ids, starts, ends = (each.tolist() for each in tokenizer.encode_placed(text))
        assert ids == tokenizer.encode(text)
        for token_id, start, end in zip(ids, starts, ends, strict=True):
            assert end > start
            if tokenizer.token_kind(token_id) == "ordinary":
                assert tokenizer.token_bytes(token_id) == content[start:end]
        edges = [edge for span in zip(starts, ends, strict=True) for edge in span]
        assert edges == sorted(edges)
        if name != "words":
            assert sum(ends) - sum(starts) == len(content)


def test_what_the_corpus_does_not_have_is_unknown() -> None:
    tokenizer = TOKENIZERS["few"]
    assert [tokenizer.token_text(each) for each in tokenizer.encode("ก😀b")] == ["ก", "<unk>", "b"]
    assert tokenizer.decode(tokenizer.encode("ก😀b")) == "ก<unk>b"


def test_the_most_frequent_units_come_first_and_a_smaller_size_keeps_them() -> None:
    tokenizer = word_tokenizer(["b a a c", "c a"])
    assert tokenizer.counts == [("a", 3), ("c", 2), ("b", 1)]
    assert tokenizer.vocab_size == 4
    small = tokenizer.at(3)
    assert small.vocab_size == 3
    assert small.decode(small.encode("a b c")) == "a <unk> c"
    assert tokenizer.at(1).decode([0]) == "<unk>"
    assert [tokenizer.at(size).vocab_size for size in (0, 1, 2, 4, 9)] == [1, 1, 2, 4, 4]


@pytest.mark.parametrize("tokenizer", TOKENIZERS.values(), ids=TOKENIZERS)
def test_an_unknown_number_is_refused(tokenizer: NaiveTokenizer) -> None:
    for token_id in (-1, tokenizer.vocab_size):
        with pytest.raises(TokenIdError):
            tokenizer.token_bytes(token_id)


@pytest.mark.parametrize("tokenizer", [*TOKENIZERS.values(), PretokenTokenizer("gpt2")], ids=[*TOKENIZERS, "bare"])
def test_a_tokenizer_without_special_tokens_allows_none(tokenizer: NaiveTokenizer | PretokenTokenizer) -> None:
    with pytest.raises(SpecialTokenError):
        tokenizer.encode("a", allowed_special=["<|end|>"])
    assert tokenizer.encode("a", allowed_special="all") == tokenizer.encode("a")
    with pytest.raises(TextError):
        tokenizer.encode("a\ud83d")


@pytest.mark.parametrize("tokenizer", [*TOKENIZERS.values(), PretokenTokenizer("gpt2")], ids=[*TOKENIZERS, "bare"])
def test_many_texts_at_once_have_the_tokens_of_each(tokenizer: NaiveTokenizer | PretokenTokenizer) -> None:
    encoded = tokenizer.encode_each(TEXTS)
    alone = [tokenizer.encode(text) for text in TEXTS]
    assert encoded.counts.tolist() == list(map(len, alone))
    assert encoded.ids.tolist() == [token_id for ids in alone for token_id in ids]
    for text, ids in zip(TEXTS, alone):
        assert tokenizer.decode_bytes(ids) == tokenizer.decode(ids).encode()
        assert isinstance(tokenizer, NaiveTokenizer) or tokenizer.decode(ids) == text


def test_tokenizers_without_merges_say_what_they_are_in_their_errors() -> None:
    bare = PretokenTokenizer("gpt2")
    bare.encode("a b")
    named: dict[str, NaiveTokenizer | PretokenTokenizer] = {
        "characters": character_tokenizer(["a"]),
        "words": word_tokenizer(["a"]),
        "pretokens": bare,
    }
    for name, tokenizer in named.items():
        with pytest.raises(TokenIdError) as caught:
            tokenizer.token_bytes(2)
        assert caught.value.values == {"token_id": 2, "name": name, "vocab_size": 2}
    assert word_tokenizer(["a"], name="mine").at(1).name == "mine"


def test_distinct_pretokens_are_numbered_as_they_appear() -> None:
    bare = PretokenTokenizer("gpt2")
    assert (bare.encode("a cat a"), bare.encode(" cat dog a"), bare.vocab_size) == ([0, 1, 2], [1, 3, 2], 4)
    assert [bare.token_bytes(number) for number in range(4)] == [b"a", b" cat", b" a", b" dog"]
    with pytest.raises(TokenIdError):
        bare.token_bytes(-1)


def test_a_word_written_like_the_unknown_token_is_an_ordinary_one() -> None:
    tokenizer = word_tokenizer(["<unk> a"])
    assert tokenizer.token_kind(tokenizer.encode("<unk>")[0]) == "ordinary"
    assert tokenizer.token_kind(tokenizer.encode("new")[0]) == "unknown"
