"""The tokens of parallel lines, the size of the lines, and what the tokens break in them."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from tokenizer_core.measures.pieces import piece_ends, places_tokens
from tokenizer_core.measures.segmenters import Segmenter, word_spans
from tokenizer_core.protocols import AnyTokenizer, EncodedTexts, Encoder, PlacingTokenizer, count_tokens
from tokenizer_core.segments import Ints, TextMap, token_lengths
from tokenizer_core.texts.parallel import Joining, Parallel

_BLOCK = 500_000
"""Characters measured at once: their maps take 50 MB."""


def token_total(parallel: Parallel, language: int, tokenizer: AnyTokenizer, joining: Joining) -> int:
    """Count the tokens of a language, with its lines joined in one of the three ways."""
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
    lines: Sequence[str], encoded: EncodedTexts, tokenizer: Encoder, segmenter: Segmenter | None = None
) -> LineCuts:
    """Count the characters, grapheme clusters and words that the tokens of these lines break."""
    token_ends = np.append(0, np.cumsum(encoded.counts))
    characters = clusters = words = 0
    for start, end, text_map in _blocks(lines):
        if places_tokens(tokenizer):
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
            words += _continued(_spans(lines[start:end], segmenter), boundaries, text_map)
    return LineCuts(int(encoded.counts.sum()), characters, clusters, words if segmenter else None)


def _placed_boundaries(lines: Sequence[str], tokenizer: PlacingTokenizer) -> Ints:
    """Return where tokens start or end in the text of `_blocks`, where tokens do not spell the lines."""
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


def _continued(spans: Ints, boundaries: Ints, text_map: TextMap) -> int:
    """Count the words with a token boundary inside."""
    edges = text_map.byte_at_char[spans]
    inside = np.searchsorted(boundaries, edges[:, 1]) - np.searchsorted(boundaries, edges[:, 0], side="right")
    return int(np.count_nonzero(inside))
