"""Segments lose nothing, tear no grapheme cluster, and are as short as they can be."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tokenizer_core.errors import TokenizerError
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.segments import SegmentingTokenizer, TextMap, segment_ends, segments, token_lengths

NAMES = ("gpt2", "cl100k_base", "o200k_base")
PIECES = [
    *("ที่", "น้ำ", "กำ", "ำ", "ำ้", "เแ", "่", "ุ้", "ๆ", "฿", "๒๕", "ภาษาไทย", " ห", " ไม่"),
    *("👨‍👩‍👧", " 👨‍👩", "🇹🇭", "🇹🇭🇯", "👍🏽", "❤️", "‍", "️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
    *("مرحبا", "ـَ", "العَرَبِيَّة", "؀", "؀ا", "각", "가", "각ᆨ", "한국", "ᄀ", "ᆨ", "क्ष", "क्‍ष", "न्", "ক্ষ"),
    *("\r\n", "\r", "\n", "\n\r", "\t", "\0", "\x1b", "\x7f", "\u200b", "\u200d", "\u202e", "\u2066", "\ufeff"),
    *("e\u0301", "\u0301", "a" + "\u0301" * 40, "a\u200d👧", "<script>", " the", "  ", "\u00a0", "é", "ǆ", "𝒳"),
]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=30))


@dataclass(frozen=True)
class ByteTokenizer:
    """A twin that cuts the bytes anywhere: what a hostile vocabulary could do."""

    sizes: tuple[int, ...]

    def encode(self, text: str) -> list[int]:
        """Runs of bytes of the given sizes in turn, written as numbers with a leading 1."""
        return [int.from_bytes(b"\1" + piece) for piece in self._pieces(text.encode("utf-8"))]

    def token_bytes(self, token_id: int) -> bytes:
        return token_id.to_bytes(token_id.bit_length() // 8 + 1)[1:]

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        at = turn = 0
        while at < len(data):
            size = self.sizes[turn % len(self.sizes)]
            yield data[at : at + size]
            at, turn = at + size, turn + 1


TOKENIZERS: SearchStrategy[SegmentingTokenizer] = st.one_of(
    st.sampled_from(NAMES).map(openai_tokenizer),
    st.lists(st.integers(1, 2), min_size=1, max_size=5).map(lambda sizes: ByteTokenizer(tuple(sizes))),
)


BROKEN = [
    *(
        b"\x80",
        b"\xbf\xbf",
        b"\xfe",
        b"\xff",
        b"\xe0",
        b"\xe0\xb8",
        b"\xf0\x9f",
        b"\xf0\x9f\x91",
        b"\xc3",
        b"\xb8\x81",
    ),
    *(b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf"),
    *(
        b"\xed\xa0\x80",
        b"\xed\xb2\x80",
        b"\xed\xbf\xbf",
        b"\xed\xa0\xbd\xed\xb8\x80",
        b"\xf4\x90\x80\x80",
        b"\xf8\x88\x80\x80\x80",
    ),
]
"""Cut characters, overlong forms, surrogates, and what lies beyond the last code point."""


@st.composite
def cut_anywhere(draw: st.DrawFn) -> bytes:
    """The UTF-8 of a text from any byte to any other."""
    data = draw(TEXTS).encode("utf-8")
    start, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
    return data[start:end]


BYTES: SearchStrategy[bytes] = st.one_of(
    st.binary(max_size=30),
    cut_anywhere(),
    st.lists(st.sampled_from([*BROKEN, *(piece.encode("utf-8") for piece in PIECES)]), max_size=10).map(b"".join),
)


def characters(data: bytes) -> list[bytes]:
    """The plain twin: at each place one to four bytes that UTF-8 allows, else a byte by itself."""
    found, at = [], 0
    while at < len(data):
        size = next((size for size in range(1, 5) if is_text(data[at : at + size])), 1)
        found.append(data[at : at + size])
        at += size
    return found


def is_text(data: bytes) -> bool:
    """Whether bytes are whole characters by themselves."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def boundaries(text: str) -> set[int]:
    """The character offsets where a grapheme cluster ends: as `regex` says, and around each broken byte."""
    found: set[int] = set()
    at = 0
    for stretch in re.findall(r"[\udc80-\udcff]|[^\udc80-\udcff]+", text):
        found |= {at + match.end() for match in regex.finditer(r"\X", stretch)}
        at += len(stretch)
    return found


@given(TEXTS)
def test_cluster_starts_agree_with_the_regular_expression(text: str) -> None:
    starts = TextMap(text).cluster_starts
    assert set(np.flatnonzero(starts).tolist()) == boundaries(text) | {0}


@given(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), st.integers(0, 80))
def test_cluster_starts_agree_where_a_few_special_characters_stand_in_plain_text(text: str, place: int) -> None:
    plain = "ดื่มน้ำเยอะๆ and more, " * 8
    text = plain[:place] + text + plain[place:]
    assert set(np.flatnonzero(TextMap(text).cluster_starts).tolist()) == boundaries(text) | {0}


@given(TEXTS, TOKENIZERS)
def test_segments_lose_nothing(text: str, tokenizer: SegmentingTokenizer) -> None:
    found = segments(text, tokenizer)
    token_ids = tokenizer.encode(text)
    assert "".join(segment.text for segment in found) == text
    assert [token_id for segment in found for token_id in segment.token_ids] == token_ids
    for segment in found:
        end = segment.first_index + len(segment.token_ids)
        assert tuple(token_ids[segment.first_index : end]) == segment.token_ids


@given(TEXTS, TOKENIZERS)
def test_segments_are_the_shortest_runs_that_end_on_a_grapheme_boundary(
    text: str, tokenizer: SegmentingTokenizer
) -> None:
    assert [tuple(segment) for segment in segments(text, tokenizer)] == by_definition(text, tokenizer)


def by_definition(text: str, tokenizer: SegmentingTokenizer) -> list[tuple[str, tuple[int, ...], int]]:
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


@given(TEXTS)
def test_the_map_of_valid_bytes_is_the_map_of_their_text(text: str) -> None:
    of_bytes, of_text = TextMap.of_bytes(text.encode("utf-8")), TextMap(text)
    assert (of_bytes.text, of_bytes.utf8) == (of_text.text, of_text.utf8)
    for name in ("code_points", "broken", "byte_at_char", "char_starts_at_byte", "char_at_byte", "unit_at_char"):
        assert getattr(of_bytes, name).tolist() == getattr(of_text, name).tolist()
    assert of_bytes.cluster_starts.tolist() == of_text.cluster_starts.tolist()


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
    with pytest.raises(TokenizerError, match="must spell the text"):
        segment_ends(TextMap("abc"), np.array(lengths, dtype=np.int64))


def test_ids_of_any_size_are_found() -> None:
    """A table of all ids up to the largest one would need a terabyte here."""
    tokenizer = ByteTokenizer((5,))
    assert token_lengths(tokenizer.encode("hello world"), tokenizer).tolist() == [5, 5, 1]


def test_token_lengths_ask_for_each_distinct_token_once() -> None:
    class Counting:
        asked = 0

        def token_bytes(self, token_id: int) -> bytes:
            self.asked += 1
            return b"x" * token_id

    source = Counting()
    assert token_lengths([3, 1, 3, 3], source).tolist() == [3, 1, 3, 3]
    assert source.asked == 2
