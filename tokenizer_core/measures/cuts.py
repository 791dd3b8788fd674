"""Where tokens cut a text, and where several tokenizers make the same cuts."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tokenizer_core.segments import Flags, Ints, TextMap


class Cuts(NamedTuple):
    """Counts of the tokens of one text, of the boundaries between two tokens, and of what these cut."""

    tokens: int
    parts: int
    """Tokens that hold part of a character: they start or end inside one, or hold bytes of a broken one."""
    boundaries: int
    inside_characters: int
    """Boundaries inside the bytes of one character."""
    inside_clusters: int
    """Boundaries inside a grapheme cluster, including those inside a character."""


def cuts(text_map: TextMap, lengths: Ints) -> Cuts:
    """Count where tokens of these lengths in bytes cut the text that they spell.

    >>> cuts(TextMap("ที่"), np.array([2, 1, 6]))
    Cuts(tokens=3, parts=2, boundaries=2, inside_characters=1, inside_clusters=2)
    """
    ends = np.cumsum(lengths)
    at_start = text_map.char_starts_at_byte[ends]
    parts = ~(at_start & np.append(True, at_start)[: len(ends)])
    if text_map.broken.any():
        broken = np.cumsum(np.append(0, text_map.broken))[text_map.char_at_byte[np.append(0, ends)]]
        parts |= np.diff(broken) > 0
    inner = ends[:-1]
    at_character = at_start[:-1]
    at_cluster = at_character & text_map.cluster_starts[text_map.char_at_byte[inner]]
    return Cuts(
        tokens=len(ends),
        parts=int(np.count_nonzero(parts)),
        boundaries=len(inner),
        inside_characters=int(np.count_nonzero(~at_character)),
        inside_clusters=int(np.count_nonzero(~at_cluster)),
    )


class Agreement(NamedTuple):
    """Where several tokenizers agree about one text, and where they differ."""

    agreed: list[Flags]
    """For each tokenizer and each of its tokens: whether all others have a token of the same bytes there."""
    starts: Ints
    """The first character of each difference, in order. A difference is a shortest stretch between two boundaries
    that all tokenizers have."""
    ends: Ints
    """The character after each difference."""
    share: float | None
    """The share of characters inside differences; None for an empty text."""


def agreement(text_map: TextMap, all_lengths: Sequence[Ints]) -> Agreement:
    """Compare tokenizers by the byte lengths of their tokens, which spell the text.

    >>> agreement(TextMap("the cat"), [np.array([3, 4]), np.array([3, 1, 3])]).share
    0.5714285714285714
    """
    ends = [np.cumsum(lengths) for lengths in all_lengths]
    starts = [end - lengths for end, lengths in zip(ends, all_lengths, strict=True)]
    # The first byte and the end identify a token: all share it if each tokenizer has that end for that first byte.
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
    """Tell for each token of the first tokenizer whether all others have a token that starts there."""
    room[:] = 0
    for start in starts:
        room[start] += 1
    common: Flags = room[starts[0]] == len(starts)
    return common


def _stretches(text_map: TextMap, starts: Ints, ends: Ints, common: Flags) -> Ints:
    """Return the characters that tokens touch, as rows of start and end, joined up to the next common boundary."""
    firsts = text_map.char_at_byte[starts].astype(np.int64)
    stops = text_map.char_at_byte[ends - 1].astype(np.int64) + 1
    new = np.append(True, (firsts[1:] >= stops[:-1]) & (common[1:] | (firsts[1:] > stops[:-1])))
    return np.column_stack((firsts[new], stops[np.append(new[1:], True)]))
