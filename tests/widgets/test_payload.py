"""The payload of the token view holds every token, every cluster, and how each token was made."""

import itertools
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.i18n import filled
from pages.ui.widgets.token_view.lanes import Label, Lane
from pages.ui.widgets.token_view.payload import ROW_MAX, tint, token_payload
from tests.helpers.clusters import (
    BYTES,
    TEXTS,
    boundaries,
    cut_up,
    decoded,
    lengths_of,
    plain_agreement,
    plain_cuts,
    spans_of,
)
from tests.helpers.drawing import (
    LABELS,
    THAI,
    as_bytes,
    bits,
    ids_in,
    ids_of,
    lane_over,
    opened,
    pretokens_over,
    references_over,
    tokens_of,
    units,
)
from tests.helpers.payload import Block
from tests.helpers.tokenizers import TOKENIZERS, ByteTokenizer
from tokenizer_core.analysis.branches import branches
from tokenizer_core.analysis.cuts import Cuts
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Trainer
from tokenizer_core.errors import TextError
from tokenizer_core.patterns.pretokens import count_pretokens
from tokenizer_core.patterns.split_patterns import pretokenize


@given(TEXTS, st.lists(TOKENIZERS, min_size=1, max_size=3), st.integers(1, 9))
def test_rows_start_where_a_segment_starts_in_every_column(
    text: str, tokenizers: list[AnyTokenizer], times: int
) -> None:
    text *= times
    block = opened(text, [lane_over(text, tokenizer) for tokenizer in tokenizers])
    rows = block.array(block.header["rows"]).tolist()
    assert rows[:1] == [0]
    assert rows == sorted(set(rows))
    for lane in block.header["columns"]:
        starts = np.cumsum(block.array(lane["segment_units"])).tolist()
        assert set(rows[1:]) <= set(starts)


def test_rows_end_even_where_the_columns_share_no_boundary() -> None:
    text = "ก" * (3 * ROW_MAX)
    lanes = [lane_over(text, ByteTokenizer(sizes)) for sizes in [(6,), (3, *[6] * (len(text) // 2))]]
    rows = opened(text, lanes).array(opened(text, lanes).header["rows"])
    assert rows.tolist() == [0, ROW_MAX, 2 * ROW_MAX]


@st.composite
def drawings(draw: st.DrawFn) -> tuple[str | bytes, list[Lane]]:
    """A text in up to three tokenizers, or any bytes and the ids that they could be decoded from."""
    if draw(st.booleans()):
        text = draw(TEXTS)
        return text, [lane_over(text, tokenizer) for tokenizer in draw(st.lists(TOKENIZERS, max_size=3))]
    if draw(st.booleans()):
        tokens = draw(decoded())
        return b"".join(tokens), [ids_of(tokens)]
    data, ways = draw(cut_up(BYTES))
    return data, [ids_of([data[start:end] for start, end in spans_of(lengths)]) for lengths in ways]


@given(drawings())
def test_every_token_of_every_cluster_is_in_the_payload_once_and_in_order(
    drawing: tuple[str | bytes, list[Lane]],
) -> None:
    content, columns = drawing
    block = Block.open(token_payload(content, columns, labels=LABELS))
    text = as_bytes(content).decode("utf-8", "surrogateescape")
    assert (block.header["text"], block.header["chars"]) == (text, len(text))
    cluster_ends = {units(text[:end]) for end in boundaries(text)}
    for each, lane in zip(columns, block.header["columns"], strict=True):
        data, sizes = bytes(block.array(lane["bytes"]).tolist()), block.array(lane["sizes"]).tolist()
        table = [data[end - size : end] for end, size in zip(itertools.accumulate(sizes), sizes, strict=True)]
        places = block.array(lane["tokens"]).tolist()
        assert [lane["ids"][place] for place in places] == ids_in(each)
        assert [table[place] for place in places] == tokens_of(each)
        assert block.array(lane["tints"]).tolist() == [tint(token) for token in table]
        counts = block.array(lane["segment_tokens"]).tolist()
        ends = list(itertools.accumulate(block.array(lane["segment_units"]).tolist()))
        assert (sum(counts), ends[-1:]) == (len(places), [units(text)] if text else [])
        spelled = [b"".join(map(tokens_of(each).__getitem__, part)) for part in in_parts(counts)]
        assert list(itertools.accumulate(map(units_of_bytes, spelled))) == ends
        assert set(ends) <= cluster_ends
        # As short as they can be: no segment has a boundary of tokens that is one of clusters inside.
        so_far = itertools.accumulate(tokens_of(each))
        assert len(ends) == sum(is_whole(data, as_bytes(content), cluster_ends) for data in so_far)


def in_parts(counts: Sequence[int]) -> list[range]:
    """Runs of these lengths, one after the other."""
    return [range(end - count, end) for end, count in zip(itertools.accumulate(counts), counts, strict=True)]


def units_of_bytes(data: bytes) -> int:
    return units(data.decode("utf-8", "surrogateescape"))


def is_whole(start: bytes, whole: bytes, cluster_ends: set[int]) -> bool:
    """Whether bytes that begin a text end where a character and a cluster of it do."""
    text, rest = (data.decode("utf-8", "surrogateescape") for data in (start, whole[len(start) :]))
    return text + rest == whole.decode("utf-8", "surrogateescape") and units(text) in cluster_ends


@given(drawings())
def test_the_counts_of_the_payload_are_right(drawing: tuple[str | bytes, list[Lane]]) -> None:
    content, columns = drawing
    header = Block.open(token_payload(content, columns, labels=LABELS)).header
    for each, lane in zip(columns, header["columns"], strict=True):
        expected = plain_cuts(as_bytes(content), tokens_of(each))
        counted = (lane["count"], *(lane[name] for name in Cuts._fields[1:]))
        assert counted == expected
        assert lane["figures"][0] == [f"{expected.tokens:,}", filled(LABELS["tokens"], count=expected.tokens)]


@given(drawings(), st.sampled_from(["", "a", "(a|ก)"]))
def test_the_payload_says_where_tokenizers_differ_and_compares_no_pretokens(
    drawing: tuple[str | bytes, list[Lane]], pattern: str
) -> None:
    content, columns = drawing
    data = as_bytes(content)
    text = data.decode("utf-8", "surrogateescape")
    lanes = columns
    if isinstance(content, str):
        lanes = [*columns[:1], pretokens_over(content, pattern), *columns[1:]]
    block = Block.open(token_payload(content, lanes, labels=LABELS))
    assert [lane["kind"] for lane in block.header["columns"]] == [lane.kind for lane in lanes]
    compared = [number for number, lane in enumerate(lanes) if lane.kind == "tokens"]
    check_differences(block, text, data, {number: lengths_of(tokens_of(lanes[number])) for number in compared})


def check_differences(block: Block, text: str, data: bytes, ways: dict[int, Any]) -> None:
    """Every two lanes differ where the plain twin finds it of these two alone."""
    found = block.header["differences"]
    assert found["lanes"] == list(ways)
    assert found["base"] == next(iter(ways), None)
    assert [pair["lanes"] for pair in found["pairs"]] == [list(pair) for pair in itertools.combinations(ways, 2)]
    for pair in found["pairs"]:
        flags, stretches, share = plain_agreement(data, [ways[number] for number in pair["lanes"]])
        assert [bits(block, its, len(of)) for its, of in zip(pair["agreed"], flags, strict=True)] == flags
        edges = [units(text[:place]) for stretch in by_clusters(stretches, text) for place in stretch]
        steps = zip(block.array(pair["gaps"]).tolist(), block.array(pair["lengths"]).tolist(), strict=True)
        assert list(itertools.accumulate(itertools.chain.from_iterable(steps))) == edges
        assert pair["share"] == share


def by_clusters(stretches: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """The plain twin: a cluster that a stretch touches belongs to it, and to one stretch only."""
    clusters = list(itertools.pairwise(sorted({0} | boundaries(text))))
    found: list[tuple[int, int]] = []
    for start, end in stretches:
        touched = [cluster for cluster in clusters if cluster[0] < end and start < cluster[1]]
        begin = touched[0][0]
        if found and begin < found[-1][1]:
            begin = found.pop()[0]
        found.append((begin, touched[-1][1]))
    return found


def test_others_are_compared_with_ones_own_tokenizer_at_first() -> None:
    lanes = references_over(THAI)
    lanes.append(lane_over(THAI, Tokenizer([]), is_own=True))
    assert opened(THAI, lanes).header["differences"]["base"] == 3
    assert opened(THAI, lanes[:3]).header["differences"]["base"] == 0
    pieces = pretokens_over(THAI, "llama3")
    assert opened(THAI, [pieces, *lanes[1:3]]).header["differences"]["base"] == 1
    assert opened(THAI, []).header["differences"] == {"lanes": [], "base": None, "pairs": []}


@given(TEXTS, st.lists(st.sampled_from(["llama3", "mark_aware", "", "(a|ก)"]), min_size=2, max_size=3))
def test_pretokens_that_stand_alone_are_compared_with_each_other(text: str, patterns: list[str]) -> None:
    block = opened(text, [pretokens_over(text, pattern) for pattern in patterns])
    ways = [lengths_of([piece.encode() for piece in pretokenize(text, pattern)]) for pattern in patterns]
    check_differences(block, text, text.encode(), dict(enumerate(ways)))


@given(TEXTS, st.sampled_from(["llama3", "mark_aware", "(a|ก)", "a|ก", "(?!)"]))
def test_every_pretoken_has_its_branch_in_the_payload(text: str, pattern: str) -> None:
    lane = pretokens_over(text, pattern, with_branches=True)
    block = opened(text, [lane])
    (column,) = block.header["columns"]
    numbers = block.array(column["taken_by"]).tolist()
    assert lane.cuts is not None
    assert [number - 1 if number else None for number in numbers] == list(lane.cuts.taken_by)
    assert [each["source"] for each in column["branches"]] == [branch.source for branch in branches(pattern)]
    (plain,) = opened(text, [pretokens_over(text, pattern)]).header["columns"]
    assert (plain["taken_by"], plain["branches"]) == (None, None)


@given(drawings(), st.sampled_from(["en", "th"]))
def test_the_payload_knows_clusters_and_names(drawing: tuple[str | bytes, list[Lane]], locale: str) -> None:
    content, columns = drawing
    block = Block.open(token_payload(content, columns, labels=LABELS, locale=locale))
    text = as_bytes(content).decode("utf-8", "surrogateescape")
    flags = bits(block, block.header["clusters"], units(text) + 1)
    assert {unit for unit, flag in enumerate(flags) if flag} == {
        units(text[:end]) for end in boundaries(text) | {0}
    }
    named = {letter for letter in text if not unicodedata.name(letter, "").startswith("CJK UNIFIED IDEOGRAPH-")}
    assert set(block.header["names"]) == {str(ord(letter)) for letter in named}
    assert all(block.header["names"].values())


@pytest.mark.parametrize(
    "data",
    [b"\xe0", b"\xe0\xb8a", b"\xf0\x9f\x98\x80\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xff" * 3000],
    ids=["one byte", "half a letter", "emoji and a tail", "surrogates", "many"],
)
def test_broken_bytes_open_again(data: bytes) -> None:
    block = Block.open(token_payload(data, [ids_of([data[:1], data[1:]][: len(data)])], labels=LABELS))
    assert block.header["text"].encode("utf-8", "surrogateescape") == data
    (lane,) = block.header["columns"]
    assert bytes(block.array(lane["bytes"]).tolist()) == data


def test_a_text_of_lone_surrogates_is_refused() -> None:
    with pytest.raises(TextError):
        token_payload("a\ud83d", [], labels=LABELS)


@pytest.fixture(scope="module")
def trained() -> tuple[Tokenizer, list[int]]:
    """A tokenizer trained on a little Thai and English, and how often each merge's pair stood there."""
    trainer = Trainer(count_pretokens(f"{THAI} the cat sat on the mat " * 9, "mark_aware"), 330)
    learned = trainer.step(330)
    merges = [(merge.left, merge.right) for merge in learned]
    return Tokenizer(merges, special_tokens=["<|end|>"]), [merge.count for merge in learned]


@pytest.mark.parametrize("size", [257, 280, 300])
def test_a_token_of_ones_own_says_how_it_was_made(trained: tuple[Tokenizer, list[int]], size: int) -> None:
    tokenizer, counts = trained[0].at(size), trained[1][: size - 256]
    everything = list(range(size))
    own = Lane("mine", Label("mine"), tokenizer, everything, counts=counts)
    block = Block.open(token_payload(tokenizer.decode_bytes(everything), [own], labels=LABELS))
    (lane,) = block.header["columns"]
    assert lane["ids"] == everything
    parts = [[tokenizer.token_bytes(part) for part in pair] for pair in tokenizer.merges]
    assert [b"".join(each) for each in parts] == [tokenizer.token_bytes(token_id) for token_id in everything[256:]]
    merges, left, seen = made_of(block, lane)
    assert merges == [0] * 256 + list(range(1, size - 255))
    assert left == [0] * 256 + [len(first) for first, _ in parts]
    assert seen == [0] * 256 + counts


def made_of(block: Block, lane: dict[str, Any]) -> list[list[int]]:
    """Merge, left part in bytes and count of each distinct token."""
    return [block.array(lane["made"][name]).tolist() for name in ("merges", "left", "counts")]


def test_only_ones_own_training_says_how_tokens_were_made(trained: tuple[Tokenizer, list[int]]) -> None:
    (file,) = opened("the", [lane_over("the", trained[0])]).header["columns"]
    assert file["made"]["counts"] is None
    assert [lane["made"] for lane in opened(THAI, references_over(THAI)).header["columns"]] == [None] * 3


def test_a_special_token_was_made_by_no_merge(trained: tuple[Tokenizer, list[int]]) -> None:
    tokenizer, counts = trained
    ids = tokenizer.encode("the<|end|>", allowed_special="all")
    own = Lane("mine", Label("mine"), tokenizer, ids, counts=counts)
    block = opened("the<|end|>", [own])
    (lane,) = block.header["columns"]
    at = lane["ids"].index(tokenizer.special_tokens["<|end|>"])
    assert [numbers[at] for numbers in made_of(block, lane)] == [0, 0, 0]


def test_figures_are_the_known_ones() -> None:
    lanes = opened(THAI, references_over(THAI)).header["columns"]
    assert [lane["count"] for lane in lanes] == [50, 26, 13]
    assert lanes[2]["figures"] == [
        ["13", "tokens"],
        ["2.00", "characters per token"],
        ["5.69", "bytes per token"],
    ]


def test_an_empty_text_has_no_ratios() -> None:
    (lane,) = opened("", [lane_over("", openai_tokenizer("gpt2"))]).header["columns"]
    assert [value for value, _ in lane["figures"]] == ["0", "–", "–"]
