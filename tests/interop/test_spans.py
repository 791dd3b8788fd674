"""Tokens of other libraries lie on the bytes of a text, one after the other, also where a text is normalized."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tokenizer_core.interop.normal_form import ends_in_original, is_nfc, nfc
from tokenizer_core.interop.spans import placed

Spans = list[tuple[int, int]]


def spans_of(text: str, tokens: list[bytes], offsets: list[tuple[int, int]]) -> Spans:
    """The bytes that tokens cover, which have the ids 0, 1, 2 and so on."""
    found = placed(text, list(range(len(tokens))), offsets, tokens.__getitem__)
    assert found.ids.tolist() == list(range(len(tokens)))
    return list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "tokens", "offsets", "spans"),
    [
        ("", [], [], []),
        ("aกb", [b"a", "ก".encode(), b"b"], [(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 4), (4, 5)]),
        ("a b", [b"a", b"b"], [(0, 1), (2, 3)], [(0, 1), (2, 3)]),
        ("ก", [b"\xe0", b"\xb8\x81"], [(0, 1), (0, 1)], [(0, 1), (1, 3)]),
        (
            "aกb",
            [b"a", b"\xe0\xb8", b"\x81", b"b"],
            [(0, 1), (1, 2), (1, 2), (2, 3)],
            [(0, 1), (1, 3), (3, 4), (4, 5)],
        ),
        ("กข", [b"\xe0", b"\xb8\x81\xe0", b"\xb8\x82"], [(0, 1), (0, 2), (1, 2)], [(0, 1), (1, 4), (4, 6)]),
        ("ก", [b" \xe0", b"\xb8\x81"], [(0, 1), (0, 1)], [(0, 1), (1, 3)]),
        ("ก", [b" ", b"\xe0\xb8\x81"], [(0, 1), (0, 1)], [(0, 0), (0, 3)]),
        ("ก", [b"", b" ", b"x"], [(0, 1), (0, 1), (0, 1)], [(0, 0), (0, 0), (0, 3)]),
        ("½", [b"1", b"/", b"2"], [(0, 1), (0, 1), (0, 1)], [(0, 2), (2, 2), (2, 2)]),
        ("a½b", [b"x", b"1", b"2", b"b"], [(0, 1), (1, 2), (1, 2), (2, 3)], [(0, 1), (1, 3), (3, 3), (3, 4)]),
        ("ab", [b" ", b" ", b"x", b"y"], [(0, 1), (0, 1), (0, 2), (1, 2)], [(0, 0), (0, 0), (0, 2), (2, 2)]),
        (" b", [b" ", b"x", b"y"], [(0, 2), (0, 2), (1, 2)], [(0, 2), (2, 2), (2, 2)]),
        ("abc", [b"x", b"y", b"z"], [(0, 2), (1, 3), (2, 3)], [(0, 2), (2, 3), (3, 3)]),
        ("abc", [b"a", b"b", b"c"], [(0, 1), (0, 1), (2, 3)], [(0, 1), (1, 1), (2, 3)]),
        ("abc", [b"abc", b"b", b"c"], [(0, 3), (0, 2), (1, 3)], [(0, 3), (3, 3), (3, 3)]),
    ],
    ids=[
        *("empty", "plain", "gap", "bytes", "bytes within", "bytes across", "dummy in a token", "dummy"),
        *("two dummies", "split", "split within", "dummies", "real space", "chain", "said twice", "long first"),
    ],
)
def test_tokens_that_share_characters_are_placed_one_after_the_other(
    text: str, tokens: list[bytes], offsets: list[tuple[int, int]], spans: Spans
) -> None:
    assert spans_of(text, tokens, offsets) == spans


# ---- NFC

ACCENT, NEWER = "e\u0301", "\U0003d000"


@pytest.mark.parametrize(
    ("text", "normal", "ends"),
    [
        ("", "", [0]),
        ("ab", "ab", [0, 1, 2]),
        ("é", "é", [0, 1, 2]),
        (ACCENT, "é", [0, 3, 3]),
        (f"a{ACCENT}b", "aéb", [0, 1, 4, 4, 5]),
        (f"{ACCENT}{ACCENT}", "éé", [0, 3, 3, 6, 6]),
        ("\u1100\u1161x", "가x", [0, 6, 6, 6, 7]),
        ("\u0958", "\u0915\u093c", [0, 3, 3, 3, 3, 3, 3]),
        ("a\u0323\u0302", "\u1ead", [0, 5, 5, 5]),
    ],
    ids=["empty", "ascii", "whole", "accent", "within", "twice", "Hangul", "longer", "two marks"],
)
def test_each_byte_of_the_normal_form_knows_up_to_where_it_reaches(
    text: str, normal: str, ends: list[int]
) -> None:
    assert nfc(text) == normal
    assert ends_in_original(text).tolist() == ends


@given(hostile_texts | st.text(st.sampled_from(["e", "\u0301", "ก", "\u0e33", "\u1100", "\u1161", "\u11a8", "a"])))
def test_a_normal_form_is_pythons_and_its_bytes_reach_over_the_whole_text(text: str) -> None:
    ends = ends_in_original(text).tolist()
    assert len(ends) == len(nfc(text).encode()) + 1
    assert (ends[0] if text else 0, ends[-1]) == (0, len(text.encode()))
    assert ends == sorted(ends)
    if "Cn" not in map(unicodedata.category, text):
        assert nfc(text) == unicodedata.normalize("NFC", text)
        assert is_nfc(text) is (nfc(text) == text)


def test_of_a_character_newer_than_the_tables_nothing_is_certain() -> None:
    assert [is_nfc(text) for text in ("a", "é", ACCENT, NEWER, f"é{NEWER}")] == [True, True, False, False, False]
    assert nfc(f"{NEWER}{ACCENT}") == f"{NEWER}é"
