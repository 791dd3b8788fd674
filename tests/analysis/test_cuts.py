"""How tokens cut a text and parallel lines, and where tokenizers agree: as sets of offsets and tiktoken give."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.clusters import (
    BYTES,
    NAMES,
    TEXTS,
    Span,
    boundaries,
    cut_up,
    encoded,
    lengths_of,
    plain_agreement,
    plain_cuts,
    spans_of,
)
from tests.helpers.hostile import hostile_texts
from tests.helpers.sample import ENGLISH, ENGLISH_LINES, OWN, THAI, THAI_LINES, by_hand, files
from tests.helpers.tokenizers import TOKENIZERS
from tokenizer_core.analysis.baselines import character_tokenizer
from tokenizer_core.analysis.cuts import (
    Agreement,
    Cuts,
    agreement,
    cuts,
    line_cuts,
    piece_ends,
    places_tokens,
    text_sizes,
    token_total,
)
from tokenizer_core.analysis.ratios import premium
from tokenizer_core.bpe import openai
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.bpe.protocols import CountingTokenizer, Encoder, count_tokens
from tokenizer_core.bpe.segments import Ints, TextMap, token_lengths
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.errors import TextError
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.readers.parallel import JOININGS, Joining, read_parallel

# ---- one text


@given(TEXTS, TOKENIZERS)
def test_cuts_agree_with_the_definition(text: str, tokenizer: Encoder) -> None:
    tokens = encoded(text, tokenizer)
    assert cuts(TextMap(text), lengths_of(tokens)) == plain_cuts(text.encode("utf-8"), tokens)


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
        *("nothing", "one letter", "two letters", "before a mark", "inside a letter", "half a letter"),
        *("half a letter in two", "inside an emoji"),
    ],
)
def test_cuts_are_known(tokens: list[bytes], expected: Cuts) -> None:
    assert cuts(TextMap.of_bytes(b"".join(tokens)), lengths_of(tokens)) == expected


# In percent: boundaries inside a character and inside a cluster, and tokens that are not valid UTF-8 alone. The
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


# ---- agreement


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


@pytest.mark.parametrize(
    ("text", "tokenizers", "share"), [("", 0, None), ("", 1, None), ("", 3, None), ("ab", 0, 0)]
)
def test_nothing_to_compare_has_no_differences(text: str, tokenizers: int, share: float | None) -> None:
    found = agreement(TextMap(text), [lengths_of([])] * tokenizers)
    assert as_plain(found) == ([[]] * tokenizers, [], share)


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
        *("space", "first half", "side by side", "alike", "across a letter", "inside a letter"),
        *("part of a letter alike", "twice in one letter"),
    ],
)
def test_differences_are_known(text: str, ways: list[list[int]], stretches: list[Span], share: float) -> None:
    found = as_plain(agreement(TextMap(text), [np.array(lengths, dtype=np.int64) for lengths in ways]))
    assert found[1:] == (stretches, share)


# ---- premiums


@pytest.mark.parametrize("joining", JOININGS)
@pytest.mark.parametrize("name", OPENAI_NAMES)
def test_premiums_are_those_that_tiktoken_gives(name: str, joining: Joining, tmp_path: Path) -> None:
    parallel = read_parallel(files(a_th=THAI, b_en=ENGLISH))
    totals = [token_total(parallel, side, openai_tokenizer(name), joining) for side in (0, 1)]
    expected = [by_hand(THAI_LINES, THAI, name, joining), by_hand(ENGLISH_LINES, ENGLISH, name, joining)]
    assert totals == expected
    assert premium(*totals) == expected[0] / expected[1]


@given(st.lists(hostile_texts, min_size=1, max_size=5), st.sampled_from(OPENAI_NAMES))
def test_many_texts_at_once_have_the_tokens_of_each(texts: list[str], name: str) -> None:
    tokenizer = openai_tokenizer(name)
    encoded = tokenizer.encode_each(texts)
    alone = [tokenizer.encode(text) for text in texts]
    assert encoded.counts.tolist() == [len(ids) for ids in alone]
    assert encoded.ids.tolist() == [token_id for ids in alone for token_id in ids]
    for much in (openai.MUCH, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(openai, "MUCH", much)
            assert count_tokens(tokenizer, iter(texts)) == encoded.ids.size
            assert sum(map(count_tokens, [tokenizer] * len(texts), texts)) == encoded.ids.size


@pytest.mark.parametrize(
    "text", ["<|endoftext|> น้ำ" * 20_000, " " * 1_200_000 + "x"], ids=["special", "white space"]
)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "cl100k_base" else pytest.mark.long) for name in OPENAI_NAMES]
)
def test_a_very_long_text_has_the_same_tokens(name: str, text: str) -> None:
    tokenizer = openai_tokenizer(name)
    ids = tokenizer.encode(text)
    assert tokenizer.encode_each([text]).ids.tolist() == ids
    assert tokenizer.count_tokens(text) == len(ids)


def test_tokenizers_that_count_and_those_that_only_list_give_the_same_numbers() -> None:
    own = FileTokenizer(OWN.merges, range(OWN.vocab_size), pattern=OWN.pattern, special_tokens={}, name="own")
    characters = character_tokenizer([THAI])
    for tokenizer in (OWN, own, characters):
        counted = count_tokens(tokenizer, THAI_LINES)
        assert counted == sum(len(tokenizer.encode(line)) for line in THAI_LINES)
    assert not isinstance(characters, CountingTokenizer)
    with pytest.raises(TextError):
        openai_tokenizer("gpt2").count_tokens(["a", "\ud83d"])


def test_a_tokenizer_that_normalizes_says_what_tokens_cover_only_where_it_changes_the_text() -> None:
    tokenizer = FileTokenizer([], range(256), pattern="gpt2", normalizer="NFC")
    assert not places_tokens(tokenizer)
    assert [places_tokens(tokenizer, text) for text in ("\u00e9", "e\u0301")] == [False, True]


def test_a_special_token_is_ordinary_text_unless_it_acts() -> None:
    spelling = Tokenizer([], special_tokens={"<s>": 256})
    placing = FileTokenizer([], range(256), pattern="gpt2", normalizer="NFC", special_tokens={"<s>": 256})
    for tokenizer, text in ((spelling, "a<s>"), (placing, "e\u0301<s>")):
        plain, ends = piece_ends(text, tokenizer)
        assert 256 not in plain.ids
        assert ends[-1] == len(text.encode())
        acting, ends = piece_ends(text, tokenizer, special_acts=True)
        assert (acting.ids[-1], acting.lengths[-1], ends[-1]) == (256, 3, len(text.encode()))


def test_where_a_normalized_text_is_cut_is_the_same_in_any_place() -> None:
    joiner = [(0xE2, 0x80), (256, 0x8D)]
    tokenizer = FileTokenizer(joiner, range(258), pattern="gpt2", normalizer="NFC")
    lines = ("a\u200d e\u0301", "e\u0301 a\u200d", "e\u0301", "", "a\u200d", "น้ำ e\u0301")
    found = [line_cuts([line], tokenizer.encode_each([line]), tokenizer) for line in lines]
    assert [each.broken_clusters for each in found] == [line.count("a") + line.count("น") for line in lines]
    together = line_cuts(lines, tokenizer.encode_each(lines), tokenizer)
    assert together[:3] == tuple(map(sum, zip(*(each[:3] for each in found))))


# ---- what tokens break


def broken_by_hand(lines: Sequence[str], tokenizer: Tokenizer) -> tuple[int, int]:
    """Characters and grapheme clusters with a boundary inside, by sets of offsets."""
    characters = clusters = 0
    for line in lines:
        ends, at = set(), 0
        for token_id in tokenizer.encode(line):
            at += len(tokenizer.token_bytes(token_id))
            ends.add(at)
        clusters_of = [line[start:end] for start, end in pairwise([0, *sorted(boundaries(line))])]
        for pieces, is_cluster in ((list(line), False), (clusters_of, True)):
            at = 0
            for piece in pieces:
                size = len(piece.encode())
                hit = any(at < end < at + size for end in ends)
                characters, clusters = characters + (hit and not is_cluster), clusters + (hit and is_cluster)
                at += size
    return characters, clusters


@given(st.lists(hostile_texts.filter(lambda text: "\n" not in text), min_size=1, max_size=4))
def test_broken_characters_and_clusters_are_those_that_offsets_give(lines: list[str]) -> None:
    found = line_cuts(lines, OWN.encode_each(lines), OWN)
    assert (found.broken_characters, found.broken_clusters) == broken_by_hand(lines, OWN)


@given(st.lists(hostile_texts, min_size=1, max_size=4))
def test_sizes_are_those_of_the_lines(lines: list[str]) -> None:
    sizes = text_sizes(lines)
    assert sizes.characters == sum(map(len, lines))
    assert sizes.bytes == sum(len(line.encode()) for line in lines)
    assert sizes.clusters == sum(len(boundaries(line)) for line in lines)


def test_blocks_of_lines_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = OWN.encode_each(THAI_LINES)
    whole = line_cuts(THAI_LINES, encoded, OWN), text_sizes(THAI_LINES)
    monkeypatch.setattr("tokenizer_core.analysis.cuts._BLOCK", 700)
    assert (line_cuts(THAI_LINES, encoded, OWN), text_sizes(THAI_LINES)) == whole
