"""How tokens cut a text, and where tokenizers agree: the counts are those that sets of offsets give."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.clusters import BYTES, NAMES, TEXTS
from tests.helpers.cuts import Span, cut_up, decoded, encoded, lengths_of, plain_agreement, plain_cuts, spans_of
from tests.helpers.tokenizers import TOKENIZERS
from tokenizer_core.measures.cuts import Agreement, Cuts, agreement, cuts
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.protocols import Encoder
from tokenizer_core.segments import Ints, TextMap, token_lengths

THAI = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ"


# ------------------------------------------------------------------------------------------------------- cuts


@given(TEXTS, TOKENIZERS)
def test_cuts_agree_with_the_definition(text: str, tokenizer: Encoder) -> None:
    tokens = encoded(text, tokenizer)
    assert cuts(TextMap(text), lengths_of(tokens)) == plain_cuts(text.encode("utf-8"), tokens)


@given(decoded())
def test_cuts_of_decoded_ids_agree_with_the_definition(tokens: list[bytes]) -> None:
    data = b"".join(tokens)
    assert cuts(TextMap.of_bytes(data), lengths_of(tokens)) == plain_cuts(data, tokens)


@given(cut_up(BYTES))
def test_cuts_of_any_bytes_agree_with_the_definition(case: tuple[bytes, list[Ints]]) -> None:
    data, ways = case
    for lengths in ways:
        tokens = [data[start:end] for start, end in spans_of(lengths)]
        assert cuts(TextMap.of_bytes(data), lengths) == plain_cuts(data, tokens)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([], Cuts(0, 0, 0, 0, 0)),
        ([b"a"], Cuts(1, 0, 0, 0, 0)),
        ([b"a", b"b"], Cuts(2, 0, 1, 0, 0)),
        (["ท".encode(), "ี่".encode()], Cuts(2, 0, 1, 0, 1)),
        ([b"\xe0\xb8", b"\x81"], Cuts(2, 2, 1, 1, 1)),
        ([b"\xe0\xb8", b"a"], Cuts(2, 1, 1, 0, 0)),
        ([b"\xe0", b"\xb8"], Cuts(2, 2, 1, 0, 0)),
        (["👩\u200d".encode(), "👧".encode()], Cuts(2, 0, 1, 0, 1)),
    ],
    ids=[
        "nothing",
        "one letter",
        "two letters",
        "before a mark",
        "inside a letter",
        "half a letter",
        "half a letter in two",
        "inside an emoji",
    ],
)
def test_cuts_are_known(tokens: list[bytes], expected: Cuts) -> None:
    assert cuts(TextMap.of_bytes(b"".join(tokens)), lengths_of(tokens)) == expected


# In percent: boundaries inside a character and inside a cluster, and tokens that are no valid UTF-8 alone. The
# figures that are quoted are those of the first 200,000 characters; the whole corpus is a little kinder.
OPENING_FIGURES = {"gpt2": "48 58 96", "cl100k_base": "5 24 10.8", "o200k_base": "0.4 13 0.8"}
WHOLE_FIGURES = {"gpt2": "48 58 95", "cl100k_base": "5 23 10.2", "o200k_base": "0.4 13 0.7"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("length", "figures"), [(200_000, OPENING_FIGURES), (None, WHOLE_FIGURES)], ids=["opening", "whole"]
)
def test_the_figures_of_thai_are_the_known_ones(
    thai_corpus: str, length: int | None, figures: dict[str, str], name: str
) -> None:
    text, tokenizer = thai_corpus[:length], openai_tokenizer(name)
    found = cuts(TextMap(text), token_lengths(tokenizer.encode(text), tokenizer))
    shares = (
        found.inside_characters / found.boundaries,
        found.inside_clusters / found.boundaries,
        found.parts / found.tokens,
    )
    expected = figures[name].split()
    assert [to_the_precision_of(percent, share) for percent, share in zip(expected, shares)] == expected


def to_the_precision_of(percent: str, share: float) -> str:
    """A share in percent with as many digits as another."""
    return f"{share:.{len(percent.partition('.')[2])}%}".removesuffix("%")


# -------------------------------------------------------------------------------------------------- agreement


def as_plain(found: Agreement) -> tuple[list[list[bool]], list[Span], float | None]:
    """An agreement in the shape of its twin."""
    stretches = list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))
    return [flags.tolist() for flags in found.agreed], stretches, found.share


@given(TEXTS, st.lists(TOKENIZERS, min_size=1, max_size=4))
def test_agreement_agrees_with_the_definition(text: str, tokenizers: list[Encoder]) -> None:
    ways = [lengths_of(encoded(text, tokenizer)) for tokenizer in tokenizers]
    assert as_plain(agreement(TextMap(text), ways)) == plain_agreement(text.encode("utf-8"), ways)


@given(cut_up(BYTES))
def test_agreement_on_any_bytes_agrees_with_the_definition(case: tuple[bytes, list[Ints]]) -> None:
    data, ways = case
    assert as_plain(agreement(TextMap.of_bytes(data), ways)) == plain_agreement(data, ways)


def test_agreement_on_real_thai_agrees_with_the_definition(thai_corpus: str) -> None:
    text = thai_corpus[:50_000]
    ways = [lengths_of(encoded(text, openai_tokenizer(name))) for name in NAMES]
    assert as_plain(agreement(TextMap(text), ways)) == plain_agreement(text.encode("utf-8"), ways)


@given(cut_up(BYTES), st.randoms(use_true_random=False))
def test_agreement_does_not_depend_on_the_order_of_the_tokenizers(
    case: tuple[bytes, list[Ints]], order: Random
) -> None:
    data, ways = case
    turned = list(range(len(ways)))
    order.shuffle(turned)
    here, there = (as_plain(agreement(TextMap.of_bytes(data), each)) for each in (ways, [ways[n] for n in turned]))
    assert there == ([here[0][n] for n in turned], *here[1:])


@given(cut_up(BYTES))
def test_a_tokenizer_agrees_with_itself(case: tuple[bytes, list[Ints]]) -> None:
    data, ways = case
    for same in ([ways[0]], [ways[0]] * 3):
        found = agreement(TextMap.of_bytes(data), same)
        assert all(flags.all() for flags in found.agreed)
        assert (len(found.starts), len(found.ends), found.share) == (0, 0, 0.0 if data else None)


@pytest.mark.parametrize("tokenizers", [0, 1, 3])
def test_an_empty_text_has_no_share(tokenizers: int) -> None:
    found = agreement(TextMap(""), [lengths_of([])] * tokenizers)
    assert as_plain(found) == ([[]] * tokenizers, [], None)


def test_without_tokenizers_nothing_differs() -> None:
    assert as_plain(agreement(TextMap("ab"), [])) == ([], [], 0.0)


@pytest.mark.parametrize(
    ("text", "ways", "stretches", "share"),
    [
        ("the cat", [[3, 4], [3, 1, 3]], [(3, 7)], 4 / 7),
        ("abcd", [[1, 1, 2], [2, 2]], [(0, 2)], 0.5),
        ("abcd", [[1, 1, 1, 1], [2, 2]], [(0, 2), (2, 4)], 1.0),
        ("abcd", [[4], [4]], [], 0.0),
        ("กข", [[2, 4], [3, 3]], [(0, 2)], 1.0),
        ("กข", [[3, 1, 2], [3, 2, 1]], [(1, 2)], 0.5),
        ("👩a", [[1, 1, 2, 1], [2, 2, 1]], [(0, 1)], 0.5),
        ("👩", [[1, 1, 1, 1], [2, 2]], [(0, 1)], 1.0),
    ],
    ids=[
        "space",
        "first half",
        "side by side",
        "alike",
        "across a letter",
        "inside a letter",
        "part of a letter alike",
        "twice in one letter",
    ],
)
def test_differences_are_known(text: str, ways: list[list[int]], stretches: list[Span], share: float) -> None:
    found = as_plain(agreement(TextMap(text), [np.array(lengths, dtype=np.int64) for lengths in ways]))
    assert found[1:] == (stretches, share)


def test_one_tokenizer_that_cuts_otherwise_is_enough_to_differ() -> None:
    same, other = np.array([3, 4]), np.array([7])
    found = agreement(TextMap("the cat"), [same, same, other])
    assert [flags.tolist() for flags in found.agreed] == [[False, False], [False, False], [False]]
    assert found.share == 1.0


@given(cut_up(BYTES))
def test_stretches_are_apart_and_hold_every_token_that_differs(case: tuple[bytes, list[Ints]]) -> None:
    data, ways = case
    text_map = TextMap.of_bytes(data)
    found = agreement(text_map, ways)
    inside = np.zeros(len(text_map.text), dtype=np.bool_)
    for start, end in zip(found.starts.tolist(), found.ends.tolist(), strict=True):
        assert start < end
        assert not inside[start:end].any()
        inside[start:end] = True
    assert found.starts.tolist() == sorted(found.starts.tolist())
    for flags, lengths in zip(found.agreed, ways, strict=True):
        for (start, end), agreed in zip(spans_of(lengths), flags, strict=True):
            assert agreed or inside[text_map.char_at_byte[start:end]].all()
