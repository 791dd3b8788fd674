"""Contexts: each is a stretch of its text, with the token where encoding has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer_core import openai_tokenizer
from tokenizer_core.measures.contexts import contexts_of
from tokenizer_core.tokenizer import Tokenizer

GPT2 = openai_tokenizer("gpt2")
TEXTS = st.lists(st.text(alphabet="กา้ abcthe 1👍\n", max_size=40), max_size=4)


@given(TEXTS, st.integers(1, 30), st.integers(1, 5))
def test_a_context_is_a_stretch_of_its_text_around_a_use(texts: list[str], width: int, most: int) -> None:
    used = [token_id for text in texts for token_id in GPT2.encode(text)]
    for token_id in set(used):
        found = contexts_of(token_id, texts, GPT2, most=most, width=width)
        assert len(found) == min(most, used.count(token_id))
        for before, token, after in found:
            assert token == GPT2.token_bytes(token_id)
            around = before.encode("utf-8", "surrogateescape") + token + after.encode("utf-8", "surrogateescape")
            assert any(around in text.encode() for text in texts)
            assert max(len(before), len(after)) <= width


def test_a_token_that_no_text_uses_has_no_context() -> None:
    assert contexts_of(5, ["น้ำ"], GPT2) == contexts_of(5, [], GPT2) == []


@pytest.mark.parametrize("most", [1, 2, 8])
def test_many_uses_are_shown_from_the_first_to_the_last(most: int) -> None:
    text = "".join(f"{n:03}x" for n in range(500))
    found = contexts_of(ord("x"), [text], Tokenizer([], pattern="none"), most=most, width=3)
    assert len(found) == most
    assert found[0].before == "000"
    assert most == 1 or found[-1].before == "499"


def test_no_context_begins_with_a_mark_torn_from_its_letter() -> None:
    (context,) = contexts_of(ord("x"), ["ที่ปู่x"], Tokenizer([], pattern="none"), width=5)
    assert context.before == "ปู่"


def test_the_edges_of_a_token_within_a_character_are_shown_as_bytes() -> None:
    assert contexts_of(0xB8, ["กน"], Tokenizer([(0xE0, 0xB8)], pattern="none")) == []  # E0 B8 is one token
    first, second = contexts_of(256, ["กน"], Tokenizer([(0xE0, 0xB8)], pattern="none"))
    assert (first.before, first.token, first.after) == ("", b"\xe0\xb8", "\udc81น")
    assert second.before == "ก"
