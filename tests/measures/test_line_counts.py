"""Line by line: premiums are those that tiktoken gives by hand, and what tokens break is counted from offsets."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.clusters import boundaries
from tests.helpers.hostile import hostile_texts
from tests.helpers.parallel import OWN, by_hand, files
from tests.helpers.sample import ENGLISH, ENGLISH_LINES, THAI, THAI_LINES
from tokenizer_core import openai
from tokenizer_core.errors import TextError
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.formats.naive import character_tokenizer
from tokenizer_core.measures.line_counts import line_cuts, text_sizes, token_total
from tokenizer_core.measures.ratios import premium
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.protocols import CountingTokenizer, count_tokens
from tokenizer_core.texts.parallel import (
    JOININGS,
    Joining,
    parallel_files,
)
from tokenizer_core.tokenizer import Tokenizer

# ---- premiums


@pytest.mark.parametrize("joining", JOININGS)
@pytest.mark.parametrize("name", OPENAI_NAMES)
def test_premiums_are_those_that_tiktoken_gives(name: str, joining: Joining, tmp_path: Path) -> None:
    parallel = parallel_files(files(a_th=THAI, b_en=ENGLISH))
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


@given(st.lists(hostile_texts, max_size=5))
def test_ones_own_tokenizer_counts_many_texts_as_each(texts: list[str]) -> None:
    alone = [OWN.encode(text) for text in texts]
    encoded = OWN.encode_each(texts)
    assert encoded.counts.tolist() == [len(ids) for ids in alone]
    assert encoded.ids.tolist() == [token_id for ids in alone for token_id in ids]


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


def test_special_tokens_are_text_among_many_texts() -> None:
    assert openai_tokenizer("gpt2").encode_each(["<|endoftext|>"]).counts.tolist() == [7]


def test_a_base_without_tokens_has_no_premium() -> None:
    assert premium(5, 0) is None
    assert premium(0, 5) == 0.0


@pytest.mark.long
def test_a_hundred_thousand_pairs_are_all_counted() -> None:
    thai, english = (
        "".join(f"{lines[n % 648]} {n}\n" for n in range(100_000)) for lines in (THAI_LINES, ENGLISH_LINES)
    )
    parallel = parallel_files(files(a_th=thai, b_en=english))
    assert parallel.pairs == 100_000
    counts = OWN.encode_each(parallel.lines[0]).counts
    assert len(counts) == 100_000
    assert counts[-1] == len(OWN.encode(parallel.lines[0][-1]))
    assert token_total(parallel, 1, openai_tokenizer("o200k_base"), "lines") > 1_000_000


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
    monkeypatch.setattr("tokenizer_core.measures.line_counts._BLOCK", 700)
    assert (line_cuts(THAI_LINES, encoded, OWN), text_sizes(THAI_LINES)) == whole
