"""Texts with hard grapheme clusters, bytes that are no text, and the plain twins that say where characters end."""

import regex
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

NAMES = ("gpt2", "cl100k_base", "o200k_base")


PIECES = [
    *("ที่", "น้ำ", "กำ", "ำ", "ำ้", "เแ", "่", "ุ้", "ๆ", "฿", "๒๕", "ภาษาไทย", " ห", " ไม่"),
    *("👨‍👩‍👧", " 👨‍👩", "🇹🇭", "🇹🇭🇯", "👍🏽", "❤️", "‍", "️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
    *("مرحبا", "ـَ", "العَرَبِيَّة", "؀", "؀ا", "각", "가", "각ᆨ", "한국", "ᄀ", "ᆨ", "क्ष", "क्‍ष", "न्", "ক্ষ"),
    *("\u09cd\u0928", "\u094d", "\u0928", "\u0915\u0903\u094d\u0928"),
    *("\r\n", "\r", "\n", "\n\r", "\t", "\0", "\x1b", "\x7f", "\u200b", "\u200d", "\u202e", "\u2066", "\ufeff"),
    *("e\u0301", "\u0301", "a" + "\u0301" * 40, "a\u200d👧", "<script>", " the", "  ", "\u00a0", "é", "ǆ", "𝒳"),
]


TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=30))


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
    """The character offsets where a grapheme cluster ends: the rules of Unicode Standard Annex 29, one by one.

    A byte that is no text ends a cluster on both sides, as a control character does.
    """
    return {place for place in range(1, len(text)) if _breaks(text, place)} | ({len(text)} if text else set())


def _breaks(text: str, place: int) -> bool:
    """Whether two characters part here; the comments name the rules."""
    before, after = text[:place], text[place:]
    left, right = before[-1], after[0]
    if left + right == "\r\n":  # GB3
        return False
    if _has(CONTROL, left) or _has(CONTROL, right):  # GB4, GB5
        return True
    joins = (
        (_has(r"\p{GCB=L}", left) and _has(r"[\p{GCB=L}\p{GCB=V}\p{GCB=LV}\p{GCB=LVT}]", right))  # GB6
        or (_has(r"[\p{GCB=LV}\p{GCB=V}]", left) and _has(r"[\p{GCB=V}\p{GCB=T}]", right))  # GB7
        or (_has(r"[\p{GCB=LVT}\p{GCB=T}]", left) and _has(r"\p{GCB=T}", right))  # GB8
        or _has(r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]", right)  # GB9, GB9a
        or _has(r"\p{GCB=Prepend}", left)  # GB9b
        or (_has(r"\p{InCB=Consonant}", right) and _ends(CONJUNCT, before))  # GB9c
        or (_has(r"\p{Extended_Pictographic}", right) and _ends(PICTURE, before))  # GB11
        or (_has(r"\p{GCB=Regional_Indicator}", right) and len(_ends(FLAGS, before)) % 2 == 1)  # GB12, GB13
    )
    return not joins  # GB999


CONTROL = r"[\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}\udc80-\udcff]"
CONJUNCT = r"\p{InCB=Consonant}[\p{InCB=Extend}\p{InCB=Linker}]*\p{InCB=Linker}[\p{InCB=Extend}\p{InCB=Linker}]*"
PICTURE = r"\p{Extended_Pictographic}\p{GCB=Extend}*\p{GCB=ZWJ}"
FLAGS = r"\p{GCB=Regional_Indicator}+"


def _has(pattern: str, character: str) -> bool:
    return regex.fullmatch(pattern, character) is not None


def _ends(pattern: str, text: str) -> str:
    """The longest end of a text that matches, or nothing."""
    found = regex.search(rf"(?:{pattern})\Z", text)
    return found.group() if found else ""
