"""Tokens that their own text does not become: found by definition, each with its reason."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.trained import byte_level, char_bpe, unigram, word_piece
from tokenizer_core.analysis.entries import entry_ids
from tokenizer_core.analysis.unreachable import REASONS, Unreachable, is_reachable, unreachable
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.vocabulary import utf8_text
from tokenizer_core.errors import TokenIdError
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.interop.opening import open_tokenizer
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, pretokenize

SAMPLED = 400


def check(found: Unreachable, tokenizer: AnyTokenizer, ids: list[int]) -> None:
    """Hold what was found to the definition at these ids."""
    missed = dict(zip(found.ids.tolist(), found.reasons))
    assert {token_id for token_id in ids if token_id in missed} == {
        token_id for token_id in ids if not is_reachable(token_id, tokenizer)
    }
    for token_id in set(ids) & missed.keys():
        assert (missed[token_id] == "no_text") == (utf8_text(tokenizer.token_bytes(token_id)) is None)


@st.composite
def own_tokenizers(draw: st.DrawFn) -> Tokenizer:
    """Tokenizers whose merges no training would learn in this order, so that some hide others."""
    bytes_ = st.sampled_from([*b"ab 1\n'", *"กี่".encode()])
    merges: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(0, 14))):
        part = bytes_ | st.integers(256, 255 + len(merges)) if merges else bytes_
        if (pair := draw(st.tuples(part, part))) not in merges:
            merges.append(pair)
    special = draw(st.sampled_from([{}, {"<|end|>": 400}]))
    return Tokenizer(merges, pattern=draw(st.sampled_from(list(SPLIT_PATTERNS))), special_tokens=special)


@settings(max_examples=40)
@given(own_tokenizers())
def test_all_tokens_are_found_that_their_own_text_does_not_become(tokenizer: Tokenizer) -> None:
    found = unreachable(tokenizer)
    check(found, tokenizer, list(range(tokenizer.vocab_size)))
    assert found.ids.tolist() == sorted(found.ids.tolist())
    assert found.tokens == [tokenizer.token_bytes(token_id) for token_id in found.ids.tolist()]
    assert sum(map(found.count, REASONS)) == len(found.ids)
    for token, reason in zip(found.tokens, found.reasons):
        text = utf8_text(token)
        pieces = 0 if text is None else len(pretokenize(text, tokenizer.pattern))
        assert reason == ("no_text" if text is None else "pattern" if pieces > 1 else "merges")


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("gpt2", {"no_text": 344}),
        ("cl100k_base", {"no_text": 773}),
        pytest.param("o200k_base", {"no_text": 1562, "pattern": 12}, marks=pytest.mark.long),
    ],
)
def test_openais_vocabularies_hold_at_any_id(name: str, counts: dict[str, int]) -> None:
    tokenizer = openai_tokenizer(name)
    found = unreachable(tokenizer)
    assert {reason: found.count(reason) for reason in REASONS if found.count(reason)} == counts
    drawn = random.Random(name).sample(range(tokenizer.vocab_size), SAMPLED)
    check(found, tokenizer, [*drawn, *found.ids.tolist()[-SAMPLED:]])


@pytest.mark.parametrize(
    "content",
    [byte_level(), byte_level(normalizer="nfkd"), byte_level(added=("  ", "cat")), char_bpe(), unigram()],
    ids=["ours", "nfkd", "added", "characters", "unigram"],
)
def test_tokenizers_of_files_are_held_to_the_same_definition(content: bytes) -> None:
    tokenizer = open_tokenizer("a.json", content).tokenizer
    check(unreachable(tokenizer), tokenizer, sorted(entry_ids(tokenizer)))


def test_a_piece_that_continues_a_word_is_cut_from_its_marks() -> None:
    tokenizer = open_tokenizer("a.json", word_piece()).tokenizer
    found = unreachable(tokenizer)
    check(found, tokenizer, sorted(entry_ids(tokenizer)))
    assert found.count("pattern") == len(found.ids) > 0


def test_every_reason_is_met_and_the_first_that_holds_is_given() -> None:
    e, acute = "é".encode(), "e\u0301".encode()
    merges = [tuple(acute[1:]), (101, 256), tuple(e), (97, 32), (98, 98), (97, 98), (261, 98), (97, 260)]
    tokenizer = FileTokenizer(merges, range(264), pattern="gpt2", normalizer="NFC")  # type: ignore[arg-type]
    found = unreachable(tokenizer)
    reasons = dict(zip(found.tokens, found.reasons))
    assert reasons[acute] == "form"  # it is written é
    assert (reasons[b"a "], reasons[b"abb"], reasons[b"\xc3"]) == ("pattern", "merges", "no_text")
    assert e not in reasons
    assert {*found.reasons} == {*REASONS}
    check(found, tokenizer, list(range(264)))


class Sparse(Tokenizer):
    """A tokenizer that says it has one more id than it knows."""

    entry_ids = (*range(257), 300)


def test_an_id_that_no_token_has_is_left_out() -> None:
    with pytest.raises(TokenIdError):
        Sparse([(97, 98)]).decode([300])
    found = unreachable(Sparse([(97, 98)]))
    assert 300 not in found.ids
    assert np.array_equal(found.ids, np.arange(128, 256))
