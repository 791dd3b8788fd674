"""Where tokens cut a text, parallel lines, and where several tokenizers make the same cuts."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple, TypeGuard

import numpy as np

from tokenizer_core.analysis.segmenters import Segmenter, word_spans
from tokenizer_core.bpe.protocols import (
    AnyTokenizer,
    EncodedTexts,
    Encoder,
    PlacedTokens,
    PlacingTokenizer,
    count_tokens,
)
from tokenizer_core.bpe.segments import Flags, Ints, TextMap, token_lengths
from tokenizer_core.readers.parallel import Joining, Parallel

NO_TOKEN = -1
"""The id of a piece of text that belongs to no token."""
_BLOCK = 500_000
"""Characters measured at once: their maps take 50 MB."""


class Cuts(NamedTuple):
    """Counts of the tokens of one text, of the boundaries between them, and of what these cut."""

    tokens: int
    parts: int
    """Tokens that hold part of a character: they start or end inside one, or hold bytes of a broken one."""
    boundaries: int
    inside_characters: int
    """Boundaries inside the bytes of one character."""
    inside_clusters: int
    """Boundaries inside a grapheme cluster, including those inside a character."""


def cuts(text_map: TextMap, lengths: Ints) -> Cuts:
    """Count where tokens cut the text that they spell; `lengths` are in bytes.

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
    """Where several tokenizers agree on one text, and where they differ."""

    agreed: list[Flags]
    """For each tokenizer and each of its tokens: whether all others have the same token in the same place."""
    starts: Ints
    """The first character of each difference, in order: a shortest stretch between boundaries that all share."""
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
    # The first byte and the end identify a token. All share it if every tokenizer has this end for this byte.
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
        starting = sum((np.bincount(start, minlength=len(end_at)) for start in starts), np.zeros_like(end_at))
        common = starting[starts[0][differs]] == len(starts)  # all tokenizers start a token there
        edges = _stretches(text_map, starts[0][differs], ends[0][differs], common)
    characters = len(text_map.text)
    share = int((edges[:, 1] - edges[:, 0]).sum()) / characters if characters else None
    return Agreement(agreed, edges[:, 0], edges[:, 1], share)


def _stretches(text_map: TextMap, starts: Ints, ends: Ints, common: Flags) -> Ints:
    """Return the characters of these tokens as rows of start and end, joined up to the next common boundary."""
    firsts = text_map.char_at_byte[starts].astype(np.int64)
    stops = text_map.char_at_byte[ends - 1].astype(np.int64) + 1
    new = np.append(True, (firsts[1:] >= stops[:-1]) & (common[1:] | (firsts[1:] > stops[:-1])))
    return np.column_stack((firsts[new], stops[np.append(new[1:], True)]))


# ---- tokens and uncovered text, end to end


class Pieces(NamedTuple):
    """The tokens of a text and the text between them, end to end."""

    ids: Ints
    """The id of each token; `NO_TOKEN` for text between tokens."""
    lengths: Ints
    """The bytes of each piece; 0 for a token that covers nothing."""

    @property
    def are_tokens(self) -> Flags:
        """Which pieces are tokens."""
        flags: Flags = self.ids != NO_TOKEN
        return flags


def places_tokens(tokenizer: AnyTokenizer | Encoder, text: str | None = None) -> TypeGuard[PlacingTokenizer]:
    """Tell whether a tokenizer must say what its tokens cover, because they do not spell the text.

    A tokenizer that puts a text in a normal form must do so only for some texts, and so not without one.
    """
    spells: Callable[[str], bool] | None = getattr(tokenizer, "spells", None)
    return hasattr(tokenizer, "encode_placed") and (spells is None or (text is not None and not spells(text)))


def pieces_of(placed: PlacedTokens, size: int) -> Pieces:
    """Cut a text of `size` bytes into its tokens and the text between them.

    >>> found = pieces_of(PlacedTokens(*(np.array(row) for row in ([7, 8, 9], [0, 0, 4], [0, 3, 5]))), 6)
    >>> found.ids.tolist(), found.lengths.tolist()
    ([7, 8, -1, 9, -1], [0, 3, 1, 1, 1])
    """
    tokens = len(placed.ids)
    ids = np.full(2 * tokens + 1, NO_TOKEN, dtype=np.int64)
    ids[1::2] = placed.ids
    lengths = np.empty(2 * tokens + 1, dtype=np.int64)
    lengths[0::2] = np.append(placed.starts, size) - np.append(0, placed.ends)
    lengths[1::2] = placed.ends - placed.starts
    kept = (ids != NO_TOKEN) | (lengths > 0)
    return Pieces(ids[kept], lengths[kept])


def piece_ends(text: str, tokenizer: AnyTokenizer, *, special_acts: bool = False) -> tuple[Pieces, Ints]:
    """Return the pieces of a text by any tokenizer, and the offset in bytes where each ends.

    >>> from tokenizer_core import Tokenizer
    >>> tokenizer = Tokenizer([], special_tokens={"<s>": 256})
    >>> [piece_ends("a<s>", tokenizer, special_acts=acts)[1].tolist() for acts in (True, False)]
    [[1, 4], [1, 2, 3, 4]]
    """
    allowed: Literal["all"] | tuple[()] = "all" if special_acts else ()
    if places_tokens(tokenizer, text):
        found = pieces_of(tokenizer.encode_placed(text, allowed_special=allowed), len(text.encode("utf-8")))
    else:
        ids = tokenizer.encode(text, allowed_special=allowed)
        sizes = [len(tokenizer.token_bytes(token_id)) for token_id in ids]
        found = Pieces(np.array(ids, dtype=np.int64), np.array(sizes, dtype=np.int64))
    return found, np.cumsum(found.lengths)


def uncovered_characters(text_map: TextMap, pieces: Pieces) -> int:
    """Count the characters of a text that belong to no token."""
    ends = text_map.char_at_byte[np.cumsum(pieces.lengths)]
    characters = np.diff(ends, prepend=0)
    return int(characters[~pieces.are_tokens].sum())


# ---- parallel lines


def token_total(parallel: Parallel, language: int, tokenizer: AnyTokenizer, joining: Joining) -> int:
    """Count the tokens of a language, with its lines joined as `joining` says."""
    texts = parallel.lines[language] if joining == "lines" else (parallel.joined(language, joining),)
    return count_tokens(tokenizer, texts)


class TextSizes(NamedTuple):
    """The size of the lines of a language, without line ends."""

    characters: int
    """Unicode code points."""
    clusters: int
    """Grapheme clusters: what a reader sees as one letter, with its marks; Unicode UAX 29."""
    bytes: int
    """UTF-8 bytes."""
    words: int | None = None
    """Words by a named segmenter; None without a segmenter."""


class LineCuts(NamedTuple):
    """What tokens break in the lines of a language, each line encoded separately."""

    tokens: int
    broken_characters: int
    """Characters with a token boundary inside their bytes."""
    broken_clusters: int
    """Grapheme clusters with a token boundary inside, either within a character or between two."""
    continued_words: int | None = None
    """Words with a token boundary inside; None without a segmenter."""


def text_sizes(lines: Sequence[str], segmenter: Segmenter | None = None) -> TextSizes:
    """Measure the text of these lines.

    >>> text_sizes(["ที่นี่", "abc"])
    TextSizes(characters=9, clusters=5, bytes=21, words=None)
    """
    sizes = np.zeros(4, dtype=np.int64)
    for start, end, text_map in _blocks(lines):
        between = end - start - 1
        words = len(_spans(lines[start:end], segmenter)) if segmenter else 0
        clusters = int(np.count_nonzero(text_map.cluster_starts)) - 1
        sizes += [len(text_map.text) - between, clusters - between, len(text_map.utf8) - between, words]
    characters, clusters, size, words = sizes.tolist()
    return TextSizes(characters, clusters, size, words if segmenter else None)


def line_cuts(
    lines: Sequence[str], encoded: EncodedTexts, tokenizer: AnyTokenizer, segmenter: Segmenter | None = None
) -> LineCuts:
    """Count the characters, grapheme clusters and words that the tokens of these lines break."""
    token_ends = np.append(0, np.cumsum(encoded.counts))
    characters = clusters = words = 0
    for start, end, text_map in _blocks(lines):
        if any(places_tokens(tokenizer, line) for line in lines[start:end]):
            boundaries = _placed_boundaries(lines[start:end], tokenizer)
        else:
            lengths = token_lengths(encoded.ids[token_ends[start] : token_ends[end]].tolist(), tokenizer)
            # The character between two lines has one byte and counts as a token.
            lengths = np.insert(lengths, np.cumsum(encoded.counts[start : end - 1]), 1)
            boundaries = np.cumsum(lengths)[:-1]
        at_character = text_map.char_starts_at_byte[boundaries]
        cut = text_map.char_at_byte[boundaries].astype(np.int64)
        characters += _distinct(cut[~at_character])
        inside = ~(at_character & text_map.cluster_starts[cut])
        clusters += _distinct(np.cumsum(text_map.cluster_starts[:-1], dtype=np.int64)[cut[inside]])
        if segmenter:
            first, last = text_map.byte_at_char[_spans(lines[start:end], segmenter)].T
            inner = np.searchsorted(boundaries, last) - np.searchsorted(boundaries, first, side="right")
            words += int(np.count_nonzero(inner))
    return LineCuts(int(encoded.counts.sum()), characters, clusters, words if segmenter else None)


def _placed_boundaries(lines: Sequence[str], tokenizer: AnyTokenizer) -> Ints:
    """Return where tokens start or end in the text of `_blocks`, for tokens that do not spell the lines."""
    found, start = [], 0
    for line in lines:
        _, ends = piece_ends(line, tokenizer)
        size = len(line.encode("utf-8"))
        found += [np.unique(ends[(ends > 0) & (ends < size)]) + start, np.array([start + size, start + size + 1])]
        start += size + 1
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found[:-1]]))


def _distinct(ascending: Ints) -> int:
    """Count the distinct numbers in an ascending array."""
    return int(np.count_nonzero(np.diff(ascending))) + 1 if len(ascending) else 0


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, int, TextMap]]:
    """Yield blocks of lines with the map of their text; a NUL, which joins nothing, separates two lines."""
    start = size = 0
    for number, line in enumerate(lines):
        size += len(line)
        if size >= _BLOCK or number + 1 == len(lines):
            yield start, number + 1, TextMap("\0".join(lines[start : number + 1]))
            start, size = number + 1, 0


def _spans(lines: Sequence[str], segmenter: Segmenter) -> Ints:
    """Find the words of each line separately; return them as spans in the text of `_blocks`."""
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    found = [word_spans(line, segmenter) + start for line, start in zip(lines, starts)]
    return np.concatenate(found)
