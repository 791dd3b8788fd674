"""How tokens are made and used: trees, traces, counts at every size and contexts agree with the merges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.training import corpora, patterns
from tokenizer_core import openai_tokenizer, train
from tokenizer_core.analysis.lineage import (
    InFileIds,
    children_of,
    contexts_of,
    descendants_of,
    merge_number,
    parts_of,
    token_counts,
    trace,
    tree_of,
)
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.interop.byte_level import FileTokenizer

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


@given(st.integers(0, OWN.vocab_size))
def test_a_tree_of_characters_is_the_top_of_the_tree_of_bytes(token_id: int) -> None:
    whole = {(node.token_id, node.start, node.depth) for node in tree_of(token_id, OWN, most_leaves=999)}
    nodes = tree_of(token_id, OWN, most_leaves=999, to_bytes=False)
    assert {(node.token_id, node.start, node.depth) for node in nodes} <= whole
    for node in nodes:
        starts = [
            byte for byte in OWN.token_bytes(node.token_id)[1:] if not 0x80 <= byte < 0xC0
        ]  # of other characters
        assert node.is_leaf == (not starts or parts_of(node.token_id, OWN) is None)


def test_the_longest_parts_of_a_token_are_split_first_and_of_equal_ones_the_left() -> None:
    def shown(most_leaves: int) -> list[tuple[int, int]]:
        return [
            (node.start, node.end) for node in tree_of(259, tokenizer, most_leaves=most_leaves) if node.is_leaf
        ]

    tokenizer = Tokenizer([(97, 98), (256, 256), (257, 97), (258, 256)], pattern="none")
    assert tokenizer.token_bytes(259) == b"ababaab"
    assert [shown(leaves) for leaves in (1, 2, 3, 4)] == [
        [(0, 7)],
        [(0, 5), (5, 7)],
        [(0, 4), (4, 5), (5, 7)],
        [(0, 2), (2, 4), (4, 5), (5, 7)],
    ]


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


# ---- counts at every size


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


@pytest.mark.parametrize(
    ("texts", "counts"),
    [("", [0, 0]), ([], [0, 0]), (["", ""], [0, 0]), ("aa", [2, 1])],
    ids=["empty text", "no texts", "empty texts", "special token"],
)
def test_nothing_has_no_tokens_and_a_special_token_is_ordinary_text(
    texts: str | list[str], counts: list[int]
) -> None:
    tokenizer = Tokenizer([(97, 97)], pattern="none", special_tokens=["aa"])
    assert token_counts(texts, tokenizer).tolist() == counts


def test_a_chain_of_ten_thousand_merges_is_counted_without_recursion() -> None:
    tokenizer = Tokenizer([(97, 98), *((256 + n, 98) for n in range(10_000))], pattern="none")
    assert token_counts("a" + "b" * 10_001, tokenizer).tolist() == list(range(10_002, 0, -1))


# ---- contexts


GPT2 = openai_tokenizer("gpt2")
CONTEXT_TEXTS = st.lists(st.text(alphabet="กา้ abcthe 1👍\n", max_size=40), max_size=4)


@given(CONTEXT_TEXTS, st.integers(1, 30), st.integers(1, 5))
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
    (context,) = contexts_of(ord("x"), ["นำปู่x"], Tokenizer([], pattern="none"), width=4)
    assert context.before == "ปู่"
    (context,) = contexts_of(ord("x"), ["่ปู่x"], Tokenizer([], pattern="none"), width=6)
    assert context.before == "่ปู่"  # the text itself begins with it


def test_eight_uses_are_shown_with_24_characters_on_each_side() -> None:
    around = "👍é" * 20
    found = contexts_of(ord("x"), [f"{around}x{around}"] * 9, Tokenizer([], pattern="none"))
    assert [(each.before, each.token, each.after) for each in found] == [("👍é" * 12, b"x", "👍é" * 12)] * 8


def test_the_edges_of_a_token_within_a_character_are_shown_as_bytes() -> None:
    assert contexts_of(0xB8, ["กน"], Tokenizer([(0xE0, 0xB8)], pattern="none")) == []  # E0 B8 is one token
    first, second = contexts_of(256, ["กน"], Tokenizer([(0xE0, 0xB8)], pattern="none"))
    assert (first.before, first.token, first.after) == ("", b"\xe0\xb8", "\udc81น")
    assert second.before == "ก"
