"""Trees, descendants and traces: they agree with the merges, with encoding, and with one another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer_core import openai_tokenizer, train
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.measures.lineage import (
    InFileIds,
    children_of,
    descendants_of,
    merge_number,
    parts_of,
    trace,
    tree_of,
)
from tokenizer_core.tokenizer import Tokenizer

CORPUS = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ The cat sat on the mat. aaaa abab 👍🏽👍🏽 กากา 12 2567 " * 4
OWN = train(CORPUS, 256 + 120, special_tokens=["<|end|>"])
TEXTS = st.text(alphabet="กานำ้ใจคไทย abcthe 12👍\n", max_size=30)
MERGES = st.lists(st.tuples(st.integers(97, 99), st.integers(97, 99)), unique=True, max_size=6)


@given(TEXTS)
def test_the_last_ids_of_a_trace_are_those_of_encoding(text: str) -> None:
    for tokenizer in (OWN, openai_tokenizer("gpt2")):
        traces = list(trace(text, tokenizer))
        assert "".join(each.text for each in traces) == text
        ids = [token_id for each in traces for token_id in (each.steps[-1].ids if each.steps else each.ids)]
        assert ids == tokenizer.encode(text)


@given(TEXTS)
def test_each_step_of_a_trace_is_a_merge_and_loses_no_byte(text: str) -> None:
    for each in trace(text, OWN):
        before = each.ids
        for step in each.steps:
            assert parts_of(step.token_id, OWN) == (step.left, step.right)
            assert len(step.ids) < len(before)
            assert OWN.decode_bytes(step.ids) == each.text.encode()
            before = step.ids


def test_the_ids_of_a_file_may_stand_in_any_order() -> None:
    ids = [(number * 7919) % 100_003 for number in range(OWN.vocab_size)]
    file = FileTokenizer(OWN.merges, ids, pattern=OWN.pattern)
    found = InFileIds(file)
    for text in CORPUS.split():
        traced = [
            token_id
            for each in trace(text, found)
            for token_id in (each.steps[-1].ids if each.steps else each.ids)
        ]
        assert traced == file.encode(text)
    for number in range(0, OWN.vocab_size, 7):
        token_id = ids[number]
        assert merge_number(token_id, found) == merge_number(number, OWN)
        assert children_of(token_id, found) == [ids[each] for each in children_of(number, OWN)]
        assert descendants_of(token_id, found) == [ids[each] for each in descendants_of(number, OWN)]
        assert [node.token_id for node in tree_of(token_id, found)] == [
            ids[node.token_id] for node in tree_of(number, OWN)
        ]


@given(st.integers(0, OWN.vocab_size), st.integers(1, 60))
def test_the_leaves_of_a_tree_spell_its_token(token_id: int, most_leaves: int) -> None:
    nodes = tree_of(token_id, OWN, most_leaves=most_leaves)
    token = OWN.token_bytes(token_id)
    leaves = [node for node in nodes if node.is_leaf]
    assert len(leaves) <= most_leaves
    assert b"".join(OWN.token_bytes(leaf.token_id) for leaf in leaves) == token
    assert all(token[node.start : node.end] == OWN.token_bytes(node.token_id) for node in nodes)
    for node in nodes:
        parts = parts_of(node.token_id, OWN)
        below = [each.token_id for each in nodes if each.depth == node.depth + 1]
        assert node.is_leaf or (parts is not None and set(parts) <= set(below))
    if len(leaves) < most_leaves:
        assert all(parts_of(leaf.token_id, OWN) is None for leaf in leaves)


def test_a_token_of_a_million_bytes_has_a_small_tree() -> None:
    doubling = Tokenizer([(97, 97), *((256 + n, 256 + n) for n in range(19))], pattern="none")
    assert len(doubling.token_bytes(275)) == 2**20
    assert len(tree_of(275, doubling)) == 2 * 48 - 1


def descendants_by_trees(token_id: int, tokenizer: Tokenizer) -> list[int]:
    """The twin: all tokens that have this one in their tree."""
    return [
        other
        for other in range(256, tokenizer.vocab_size)
        if other != token_id and token_id in {node.token_id for node in tree_of(other, tokenizer, most_leaves=999)}
    ]


@given(st.integers(0, OWN.vocab_size - 1))
def test_descendants_are_the_tokens_with_this_one_in_their_trees(token_id: int) -> None:
    assert descendants_of(token_id, OWN) == descendants_by_trees(token_id, OWN)
    assert set(children_of(token_id, OWN)) <= set(descendants_of(token_id, OWN))


@given(MERGES, st.integers(97, 103))
def test_merges_in_any_order_have_children_and_descendants(pairs: list[tuple[int, int]], token_id: int) -> None:
    tokenizer = Tokenizer(pairs)
    assert children_of(token_id, tokenizer) == [256 + n for n, pair in enumerate(pairs) if token_id in pair]
    assert descendants_of(token_id, tokenizer) == descendants_by_trees(token_id, tokenizer)


def test_bytes_and_special_tokens_have_no_merge() -> None:
    assert [merge_number(token_id, OWN) for token_id in (0, 255, 256, OWN.vocab_size - 1, OWN.vocab_size)] == [
        *(None, None, 1, len(OWN.merges), None)
    ]
    assert [tree_of(token_id, OWN)[0].is_leaf for token_id in (97, OWN.special_tokens["<|end|>"])] == [True, True]
    assert descendants_of(OWN.special_tokens["<|end|>"], OWN) == []


def test_the_trace_of_a_reference_numbers_bytes_as_the_reference_does() -> None:
    (found,) = trace("น", openai_tokenizer("gpt2"))
    assert found.ids == (156, 116, 247)
    assert [(step.left, step.right, step.token_id) for step in found.steps] == [(156, 116, 19567)]


@pytest.mark.parametrize("word", ["the", "พรีเมียร์ลีก"])
def test_a_word_that_is_one_token_ends_as_this_token(word: str) -> None:
    o200k = openai_tokenizer("o200k_base")
    (found,) = trace(word, o200k)
    assert found.steps[-1].ids == tuple(o200k.encode(word))
    assert len(found.steps[-1].ids) == 1
