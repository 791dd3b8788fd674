"""Segments lose nothing, tear no grapheme cluster, and are as short as they can be."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.clusters import BYTES, PIECES, TEXTS, boundaries, characters, is_text
from tests.helpers.tokenizers import TOKENIZERS, ByteTokenizer
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.protocols import Encoder
from tokenizer_core.bpe.segments import TextMap, segment_ends, segments, token_lengths
from tokenizer_core.errors import TokenizerError


@given(TEXTS)
def test_cluster_starts_agree_with_the_rules_of_unicode(text: str) -> None:
    starts = TextMap(text).cluster_starts
    assert set(np.flatnonzero(starts).tolist()) == boundaries(text) | {0}


@given(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), st.integers(0, 80))
def test_cluster_starts_agree_where_a_few_special_characters_stand_in_plain_text(text: str, place: int) -> None:
    plain = "ดื่มน้ำเยอะๆ and more, " * 8
    text = plain[:place] + text + plain[place:]
    assert set(np.flatnonzero(TextMap(text).cluster_starts).tolist()) == boundaries(text) | {0}


@given(TEXTS, st.integers(15, 45))
def test_clusters_stay_the_same_where_more_plain_text_follows(text: str, more: int) -> None:
    """The way of searching changes where special characters are fewer than one in twenty."""
    longer = TextMap(text + " " + "x" * more * max(1, len(text))).cluster_starts
    assert longer[: len(text)].tolist() == TextMap(text).cluster_starts[:-1].tolist()


@pytest.mark.parametrize("virama", ["\u094d", "\u09cd"])
@pytest.mark.parametrize("more", [0, 17, 400])
def test_a_virama_after_no_consonant_joins_nothing(virama: str, more: int) -> None:
    text = f"a{virama}\u0928"
    assert np.flatnonzero(TextMap(text + "x" * more).cluster_starts[:4]).tolist() == [0, 2, 3]


@given(TEXTS, TOKENIZERS)
def test_segments_lose_nothing(text: str, tokenizer: Encoder) -> None:
    found = segments(text, tokenizer)
    token_ids = tokenizer.encode(text)
    assert "".join(segment.text for segment in found) == text
    assert [token_id for segment in found for token_id in segment.token_ids] == token_ids
    for segment in found:
        end = segment.first_index + len(segment.token_ids)
        assert tuple(token_ids[segment.first_index : end]) == segment.token_ids


@given(TEXTS, TOKENIZERS)
def test_segments_are_the_shortest_runs_that_end_on_a_grapheme_boundary(text: str, tokenizer: Encoder) -> None:
    assert [tuple(segment) for segment in segments(text, tokenizer)] == by_definition(text, tokenizer)


def by_definition(text: str, tokenizer: Encoder) -> list[tuple[str, tuple[int, ...], int]]:
    """The plain twin: add token after token until the bytes so far end where a cluster does."""
    ends = {len(text[:end].encode("utf-8")): end for end in boundaries(text)}
    found, ids, start, byte = [], [], 0, 0
    for index, token_id in enumerate(tokenizer.encode(text)):
        ids.append(token_id)
        byte += len(tokenizer.token_bytes(token_id))
        if byte in ends:
            found.append((text[start : ends[byte]], tuple(ids), index + 1 - len(ids)))
            ids, start = [], ends[byte]
    return found


@given(TEXTS)
@example("\x7f\x80\u07ff\u0800\uffff\U00010000\U0010ffff")  # the last and first characters of each length
def test_offsets_agree_with_python(text: str) -> None:
    text_map = TextMap(text)
    assert text_map.unit_at_char.tolist() == [
        len(text[:char].encode("utf-16-le")) // 2 for char in range(len(text) + 1)
    ]
    chars = [char for char, letter in enumerate(text) for _ in letter.encode("utf-8")]
    assert text_map.char_at_byte.tolist() == [*chars, len(text)]


@given(BYTES)
def test_any_bytes_come_back_as_they_were(data: bytes) -> None:
    text_map = TextMap.of_bytes(data)
    assert text_map.utf8 == data
    assert text_map.text == data.decode("utf-8", "surrogateescape")


@given(BYTES)
@example(b"\xff" + "\x7f\x80\u07ff\u0800\uffff\U00010000\U0010ffff".encode() + b"\xff")
def test_the_characters_of_any_bytes_agree_with_the_definition(data: bytes) -> None:
    text_map, found = TextMap.of_bytes(data), characters(data)
    offsets = [0, *itertools.accumulate(map(len, found))]
    assert [letter.encode("utf-8", "surrogateescape") for letter in text_map.text] == found
    assert text_map.broken.tolist() == [not is_text(character) for character in found]
    assert text_map.byte_at_char.tolist() == offsets
    assert np.flatnonzero(text_map.char_starts_at_byte).tolist() == offsets
    of_each_byte = [char for char, character in enumerate(found) for _ in character]
    assert text_map.char_at_byte.tolist() == [*of_each_byte, len(found)]
    sizes = [len(letter.encode("utf-16-le", "surrogatepass")) // 2 for letter in text_map.text]
    assert text_map.unit_at_char.tolist() == [0, *itertools.accumulate(sizes)]


@given(BYTES)
def test_a_broken_byte_is_a_cluster_of_its_own(data: bytes) -> None:
    text_map = TextMap.of_bytes(data)
    assert set(np.flatnonzero(text_map.cluster_starts).tolist()) == boundaries(text_map.text) | {0}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xe0\xb8a", [b"\xe0", b"\xb8", b"a"]),
        (b"\xe0\xb8\x81\xb8\x81", [b"\xe0\xb8\x81", b"\xb8", b"\x81"]),
        (b"\xc0\x80", [b"\xc0", b"\x80"]),
        (b"\xed\xb2\x80", [b"\xed", b"\xb2", b"\x80"]),
        (b"\xf0\x9f\x98\x80\x80", [b"\xf0\x9f\x98\x80", b"\x80"]),
        (b"\xf4\x90\x80\x80", [b"\xf4", b"\x90", b"\x80", b"\x80"]),
    ],
    ids=["cut short", "tail left over", "overlong", "surrogate", "emoji and a tail", "beyond Unicode"],
)
def test_broken_bytes_stand_alone(data: bytes, expected: list[bytes]) -> None:
    starts = TextMap.of_bytes(data).byte_at_char.tolist()
    assert [data[start:end] for start, end in itertools.pairwise(starts)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", [("a", 1)]),
        (" 👨", [(" 👨", 2)]),
        ("ที่", [("ที่", 6)]),
        ("กk", [("ก", 2), ("k", 1)]),
    ],
    ids=[
        "empty",
        "one letter",
        "space and half an emoji in one token",
        "one cluster",
        "letter and mark-free neighbour",
    ],
)
def test_segments_of_gpt2_are_known(text: str, expected: list[tuple[str, int]]) -> None:
    found = segments(text, openai_tokenizer("gpt2"))
    assert [(segment.text, len(segment.token_ids)) for segment in found] == expected


def test_100_000_marks_on_one_base_are_one_segment() -> None:
    text = "ก" + "่" * 100_000
    (segment,) = segments(text, openai_tokenizer("gpt2"))
    assert segment.text == text


@pytest.mark.parametrize("lengths", [[], [1], [9]], ids=["none", "too few", "too many"])
def test_tokens_that_do_not_spell_the_text_are_refused(lengths: Sequence[int]) -> None:
    with pytest.raises(TokenizerError) as caught:
        segment_ends(TextMap("abc"), np.array(lengths, dtype=np.int64))
    assert caught.value.code == "tokens_not_text"


def test_ids_of_any_size_are_found() -> None:
    """A table of all ids up to the largest one would need a terabyte here."""
    tokenizer = ByteTokenizer((5,))
    assert token_lengths(tokenizer.encode("hello world"), tokenizer).tolist() == [5, 5, 1]


def test_token_lengths_ask_for_each_distinct_token_once() -> None:
    class Counting(ByteTokenizer):
        asked = 0

        def token_bytes(self, token_id: int) -> bytes:
            self.asked += 1
            return b"x" * token_id

    source = Counting((1,))
    assert token_lengths([3, 1, 3, 3], source).tolist() == [3, 1, 3, 3]
    assert source.asked == 2
