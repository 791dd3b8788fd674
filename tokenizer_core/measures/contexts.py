"""Contexts: where texts use a token, each place with the text around it (keyword in context)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import regex

from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.segments import token_lengths

_LEADING_MARKS = regex.compile(r"^[\p{M}\u0e33]+")
"""What would hang in the air where a text is cut off before it."""
_WIDEST = 4
"""Bytes of the longest character in UTF-8."""


class Context(NamedTuple):
    """One use of a token; a byte outside whole characters is written as `surrogateescape` writes it."""

    before: str
    token: bytes
    """The bytes of the text that the token covers."""
    after: str


def contexts_of(
    token_id: int, texts: Sequence[str], tokenizer: AnyTokenizer, *, most: int = 8, width: int = 24
) -> list[Context]:
    """Return uses of a token in texts, evenly spread over all its uses, with `width` characters on each side.

    >>> from tokenizer_core.tokenizer import Tokenizer
    >>> contexts_of(256, ["the hat"], Tokenizer([(104, 97)], pattern="none"), width=3)
    [Context(before='he ', token=b'ha', after='t')]
    """
    encoded = tokenizer.encode_each(texts)
    places = np.flatnonzero(encoded.ids == token_id)
    chosen = places[np.unique(np.linspace(0, len(places) - 1, min(most, len(places))).astype(np.int64))]
    first_of_text = np.append(0, np.cumsum(encoded.counts))
    found = []
    for number in np.unique(np.searchsorted(first_of_text, chosen, side="right") - 1).tolist():
        first, end = first_of_text[number], first_of_text[number + 1]
        starts, ends = _spans(texts[number], encoded.ids[first:end], tokenizer)
        inside = chosen[(chosen >= first) & (chosen < end)] - first
        data = texts[number].encode("utf-8")
        found += [_context(data, int(starts[place]), int(ends[place]), width) for place in inside]
    return found


def _spans(
    text: str, ids: npt.NDArray[np.int32], tokenizer: AnyTokenizer
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the bytes of the text that each token covers, from and to."""
    place = getattr(tokenizer, "encode_placed", None)
    if place is not None:
        _, starts, ends = place(text)
        return starts, ends
    ends = np.cumsum(token_lengths(ids.tolist(), tokenizer))
    return np.append(0, ends[:-1]), ends


def _context(data: bytes, start: int, end: int, width: int) -> Context:
    before = data[max(0, start - _WIDEST * width) : start]
    after = data[end : end + _WIDEST * width]
    # The outer edges may lie within a character; the edges at the token are shown as they are.
    while before and start > _WIDEST * width and before[0] & 0xC0 == 0x80:
        before = before[1:]
    seen = before.decode("utf-8", "surrogateescape")[-width:]
    return Context(
        _LEADING_MARKS.sub("", seen) if len(seen) == width else seen,
        data[start:end],
        after.decode("utf-8", "surrogateescape")[:width],
    )
