"""Counts, shares and ratios of what tokens do to texts, each with its unit; None where one is not defined."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import regex

from tokenizer_core.errors import TokenizerError
from tokenizer_core.segments import Flags, Ints, TextMap
from tokenizer_core.tokenizer import AnyTokenizer

PRICE_UNIT = 1_000_000
"""Tokens for which prices are given."""
_THAI = regex.compile(r"\p{Thai}")
_NUMBER = re.compile(r"(\d{1,9}|\d{1,3}(,\d{3}){1,2})(\.\d{1,9})?|\d{1,9},\d{1,2}|\.\d{1,9}")
_THAI_DIGITS = str.maketrans("๐๑๒๓๔๕๖๗๘๙", "0123456789")


class Cuts(NamedTuple):
    """Where the tokens of one text cut it; counts of tokens and of boundaries between two tokens."""

    tokens: int
    pieces: int
    """Tokens that are no whole characters: they start or end inside one, or hold bytes of a broken one."""
    boundaries: int
    inside_characters: int
    """Boundaries inside the bytes of one character."""
    inside_clusters: int
    """Boundaries inside a grapheme cluster, those inside a character included."""


def cuts(text_map: TextMap, lengths: Ints) -> Cuts:
    """Count where tokens of these lengths in bytes cut the text that they spell.

    >>> cuts(TextMap("ที่"), np.array([2, 1, 6]))
    Cuts(tokens=3, pieces=2, boundaries=2, inside_characters=1, inside_clusters=2)
    """
    ends = np.cumsum(lengths)
    at_start = text_map.char_starts_at_byte[ends]
    pieces = ~(at_start & np.append(True, at_start)[: len(ends)])
    if text_map.broken.any():
        broken = np.cumsum(np.append(0, text_map.broken))[text_map.char_at_byte[np.append(0, ends)]]
        pieces |= np.diff(broken) > 0
    inner = ends[:-1]
    at_character = at_start[:-1]
    at_cluster = at_character & text_map.cluster_starts[text_map.char_at_byte[inner]]
    return Cuts(
        tokens=len(ends),
        pieces=int(np.count_nonzero(pieces)),
        boundaries=len(inner),
        inside_characters=int(np.count_nonzero(~at_character)),
        inside_clusters=int(np.count_nonzero(~at_cluster)),
    )


class Agreement(NamedTuple):
    """Where several tokenizers cut one text alike."""

    agreed: list[Flags]
    """For each tokenizer and each of its tokens: whether all the others have a token of the same bytes there."""
    starts: Ints
    """The characters at which differences begin, in order: each is a shortest stretch between two boundaries
    that all tokenizers have."""
    ends: Ints
    """The characters at which they end."""
    share: float | None
    """The share of the characters that lie in such a stretch; None for an empty text."""


def agreement(text_map: TextMap, all_lengths: Sequence[Ints]) -> Agreement:
    """Compare tokenizers by the lengths in bytes of their tokens, which spell the text.

    >>> agreement(TextMap("the cat"), [np.array([3, 4]), np.array([3, 1, 3])]).share
    0.5714285714285714
    """
    ends = [np.cumsum(lengths) for lengths in all_lengths]
    starts = [end - lengths for end, lengths in zip(ends, all_lengths, strict=True)]
    # A token is known by its first byte and its end: it is shared where each tokenizer has that end there.
    end_at = np.zeros(len(text_map.utf8) + 1, dtype=np.int64)
    if ends:
        end_at[starts[0]] = ends[0]
    for start, end in zip(starts[1:], ends[1:], strict=True):
        shared = end_at[start] == end
        end_at[:] = 0
        end_at[start[shared]] = end[shared]
    agreed = [end_at[start] == end for start, end in zip(starts, ends, strict=True)]
    edges = np.zeros((0, 2), dtype=np.int64)
    if ends and not agreed[0].all():
        differs = ~agreed[0]
        edges = _stretches(text_map, starts[0][differs], ends[0][differs], _common(starts, end_at)[differs])
    characters = len(text_map.text)
    share = int((edges[:, 1] - edges[:, 0]).sum()) / characters if characters else None
    return Agreement(agreed, edges[:, 0], edges[:, 1], share)


def _common(starts: Sequence[Ints], room: Ints) -> Flags:
    """For each token of the first tokenizer: whether all the others have a token that starts there."""
    room[:] = 0
    for start in starts:
        room[start] += 1
    common: Flags = room[starts[0]] == len(starts)
    return common


def _stretches(text_map: TextMap, starts: Ints, ends: Ints, common: Flags) -> Ints:
    """The characters that tokens touch, as rows of start and end, joined up to the next common boundary."""
    firsts = text_map.char_at_byte[starts].astype(np.int64)
    stops = text_map.char_at_byte[ends - 1].astype(np.int64) + 1
    new = np.append(True, (firsts[1:] >= stops[:-1]) & (common[1:] | (firsts[1:] > stops[:-1])))
    return np.column_stack((firsts[new], stops[np.append(new[1:], True)]))


# ---- what a text costs


def premium(tokens: int, base_tokens: int) -> float | None:
    """How many times as many tokens a text takes as its translation: a ratio of sums, on parallel text only.

    None where the translation has no token. Source: Petrov et al., Language Model Tokenizers Introduce
    Unfairness Between Languages (NeurIPS 2023), who call it premium, and parity where it is 1.

    >>> premium(124, 23), premium(3, 0)
    (5.391304347826087, None)
    """
    return _ratio(tokens, base_tokens)


def context_left(window: int, tokens: int) -> int:
    """Tokens of a context window that a text leaves free; negative where it does not fit.

    >>> context_left(8_192, 124), context_left(100, 124)
    (8068, -24)
    """
    return window - tokens


def cost(tokens: int, price: float) -> float:
    """What tokens cost, in the currency of the price of a million of them.

    >>> cost(500_000, 2.50)
    1.25
    """
    return tokens * price / PRICE_UNIT


def parse_price(text: str) -> float | None:
    """A price as people write it, with a point or a comma; None for nothing. Raises `TokenizerError`.

    >>> parse_price("2.50"), parse_price("1,250"), parse_price("2,5"), parse_price("๘๐ บาท"), parse_price(" ")
    (2.5, 1250.0, 2.5, 80.0, None)
    """
    written = text.strip().removesuffix("บาท").strip("$€£¥฿ ").translate(_THAI_DIGITS)
    if not written:
        return None
    if not _NUMBER.fullmatch(written) or not written.isascii():
        raise TokenizerError(
            f"a price must be a number of 0 or more, such as 2.50; {text[:40]!r} came",
            "price_no_number",
            price=text[:40],
        )
    is_decimal_comma = written.count(",") == 1 and "." not in written and len(written.rpartition(",")[2]) < 3
    price = float(written.replace(",", "." if is_decimal_comma else ""))
    assert math.isfinite(price)
    return price


# ---- how well tokens fit a language


def fertility(tokens: int, words: int) -> float | None:
    """Tokens per word: 1 where every word is one token. None without words.

    Words are those of a segmenter, which must be named beside it. Source: Rust et al., How Good is Your
    Tokenizer? (ACL 2021).

    >>> fertility(30, 20)
    1.5
    """
    return _ratio(tokens, words)


def continued_share(continued: int, words: int) -> float | None:
    """The share of words with a boundary between two tokens inside. Source: Rust et al. (ACL 2021).

    >>> continued_share(5, 20)
    0.25
    """
    return _ratio(continued, words)


def characters_per_token(characters: int, tokens: int) -> float | None:
    """Unicode code points per token: larger is better. To be compared within one language only.

    >>> characters_per_token(27, 12)
    2.25
    """
    return _ratio(characters, tokens)


def bytes_per_token(size: int, tokens: int) -> float | None:
    """Bytes of UTF-8 per token, the compression. To be compared within one language only.

    A Thai character is three bytes and an English one a single byte, so o200k shows 6.9 for Thai and 4.9 for
    English, though it needs twice the tokens for the same message.

    >>> bytes_per_token(21, 7)
    3.0
    """
    return _ratio(size, tokens)


def broken_share(broken: int, whole: int) -> float | None:
    """The share of characters, or of grapheme clusters, with a boundary between two tokens inside.

    >>> broken_share(1, 4), broken_share(0, 0)
    (0.25, None)
    """
    return _ratio(broken, whole)


def thai_entries(tokenizer: AnyTokenizer) -> int:
    """Entries of a vocabulary that are whole characters, at least one of them Thai; special tokens left out.

    Entries with parts of a character, such as the bytes E0 B8, are not counted: they say no letter yet.
    """
    entries = (tokenizer.token_bytes(token_id) for token_id in range(tokenizer.vocab_size))
    return sum(_is_thai(entry) for entry in entries)


def _is_thai(token: bytes) -> bool:
    if b"\xe0\xb8" not in token and b"\xe0\xb9" not in token:
        return False
    try:
        return _THAI.search(token.decode("utf-8")) is not None
    except UnicodeDecodeError:
        return False


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
