"""Texts with hard grapheme clusters, bytes that are no text, and plain twins of cuts."""

import itertools
from collections.abc import Sequence

import numpy as np
import regex
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tokenizer_core.analysis.cuts import Cuts
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.protocols import Encoder
from tokenizer_core.bpe.segments import Ints

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
    *(b"\x80", b"\xbf\xbf", b"\xfe", b"\xff", b"\xe0", b"\xe0\xb8", b"\xf0\x9f", b"\xf0\x9f\x91", b"\xc3"),
    *(b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf"),
    *(b"\xed\xa0\x80", b"\xed\xb2\x80", b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80"),
    *(b"\xb8\x81", b"\xf8\x88\x80\x80\x80"),
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


Span = tuple[int, int]


def lengths_of(tokens: Sequence[bytes]) -> Ints:
    """The length in bytes of each token."""
    return np.array(list(map(len, tokens)), dtype=np.int64)


def spans_of(lengths: Ints) -> list[Span]:
    """The first byte of each token and the one after it."""
    return list(itertools.pairwise([0, *itertools.accumulate(lengths.tolist())]))


def encoded(text: str, tokenizer: Encoder) -> list[bytes]:
    """The tokens of a text, each as its bytes."""
    return [tokenizer.token_bytes(token_id) for token_id in tokenizer.encode(text)]


@st.composite
def cut_up(draw: st.DrawFn, contents: SearchStrategy[bytes]) -> tuple[bytes, list[Ints]]:
    """Bytes, and one to four ways to cut them into tokens."""
    data = draw(contents)
    places = st.sets(st.integers(1, max(1, len(data) - 1)), max_size=len(data))
    found = []
    for _ in range(draw(st.integers(1, 4))):
        ends = sorted({0, len(data), *(place for place in draw(places) if place < len(data))})
        found.append(np.array([end - start for start, end in itertools.pairwise(ends)], dtype=np.int64))
    return data, found


@st.composite
def decoded(draw: st.DrawFn) -> list[bytes]:
    """Tokens of a reference tokenizer as nobody would have encoded them: ids from anywhere, and gaps between."""
    tokenizer = openai_tokenizer(draw(st.sampled_from(NAMES)))
    ids = draw(st.lists(st.integers(0, tokenizer.vocab_size - 1), max_size=6))
    of_text = tokenizer.encode(draw(TEXTS))
    kept = draw(st.lists(st.booleans(), min_size=len(of_text), max_size=len(of_text)))
    at = draw(st.integers(0, len(of_text)))
    ids = [*itertools.compress(of_text[:at], kept), *ids, *itertools.compress(of_text[at:], kept[at:])]
    return [tokenizer.token_bytes(token_id) for token_id in ids]


def plain_cuts(data: bytes, tokens: Sequence[bytes]) -> Cuts:
    """The plain twin: offsets of characters and clusters as sets, and each token decoded by itself."""
    text = data.decode("utf-8", "surrogateescape")
    byte_at = [0, *itertools.accumulate(len(letter.encode("utf-8", "surrogateescape")) for letter in text)]
    cluster_bytes = {byte_at[end] for end in boundaries(text)}
    inner = list(itertools.accumulate(map(len, tokens)))[:-1]
    return Cuts(
        tokens=len(tokens),
        parts=sum(not is_text(token) for token in tokens),
        boundaries=len(inner),
        inside_characters=sum(end not in byte_at for end in inner),
        inside_clusters=sum(end not in cluster_bytes for end in inner),
    )


def plain_agreement(data: bytes, ways: Sequence[Ints]) -> tuple[list[list[bool]], list[Span], float | None]:
    """The plain twin: spans of bytes that all have are agreed, and between common boundaries lies the rest."""
    spans = [spans_of(lengths) for lengths in ways]
    shared = set.intersection(*map(set, spans))
    common = sorted(set.intersection(*({0, *(end for _, end in each)} for each in spans)))
    text = data.decode("utf-8", "surrogateescape")
    char_at = [char for char, letter in enumerate(text) for _ in letter.encode("utf-8", "surrogateescape")]
    stretches: list[Span] = []
    for start, end in itertools.pairwise(common):
        if (start, end) not in shared:
            first, stop = char_at[start], char_at[end - 1] + 1
            if stretches and first < stretches[-1][1]:  # both cut the same character
                first, _ = stretches.pop()
            stretches.append((first, stop))
    share = sum(stop - first for first, stop in stretches) / len(text) if text else None
    return [[span in shared for span in each] for each in spans], stretches, share
