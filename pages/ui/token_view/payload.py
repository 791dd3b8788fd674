"""What the token view draws, as one block of bytes: the text, and each tokenizer's tokens by segment.

A block is the length of a JSON header (4 bytes, little-endian), the header, and the arrays the header points to.
Arrays, because 200,000 characters in three tokenizers are 350,000 numbers: as bytes they are written and read
at once, and Streamlit need not look into them.
"""

import json
import struct
import zlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from typing import Any

import numpy as np
import numpy.typing as npt

from tokenizer_core.segments import SegmentEnds, TextMap, TokenSource, distinct_ids, segment_ends

from .palette import TINT_COUNT

Ints = npt.NDArray[np.int64]

ENGLISH_LABELS = {
    "view": "How to draw the tokens",
    "reading": "Reading",
    "chips": "Chips",
    "white_space": "Show white space",
    "tokens": "tokens",
    "characters_per_token": "characters per token",
    "bytes_per_token": "bytes per token",
    "pieces": "{pieces} of them pieces of a letter",
    "no_pieces": "all of them whole letters",
    "text_view": "The text in tokens. Arrow keys walk from piece to piece, Escape leaves.",
    "piece_of_one": "token {first} of {count}, {text}, id {ids}",
    "piece_of_many": "tokens {first} to {last} of {count}, {text}, ids {ids}",
    "offsets": "characters {char_start}–{char_end} · bytes {byte_start}–{byte_end}",
    "more_tokens": "… {count} more tokens in this piece",
    "more_characters": "… {count} more characters",
    "empty": "No text yet",
}
"""All the words of the view, by key. A translation keeps the keys and the names in braces."""

# A row is about one line of text; the browser puts as many together as suit its width, and draws them or not.
ROW_MIN, ROW_SOFT, ROW_MAX = 40, 100, 2_000


@dataclass(frozen=True)
class Column:
    """One tokenizer's answer: its exact name, a caption, and the encoding of the text."""

    name: str
    caption: str
    token_ids: Sequence[int]
    tokenizer: TokenSource


@dataclass(frozen=True)
class Lane:
    """A column cut into segments, with the arrays that its drawing needs."""

    column: Column
    text_map: TextMap
    distinct: Ints
    places: Ints
    distinct_bytes: list[bytes]

    @classmethod
    def of(cls, column: Column, text_map: TextMap) -> "Lane":
        """Look up the bytes of each distinct token once."""
        distinct, places = distinct_ids(np.asarray(column.token_ids, dtype=np.int64))
        token_bytes = [column.tokenizer.token_bytes(token_id) for token_id in distinct.tolist()]
        return cls(column, text_map, distinct, places, token_bytes)

    @cached_property
    def sizes(self) -> Ints:
        """The length in bytes of each distinct token."""
        return np.array(list(map(len, self.distinct_bytes)), dtype=np.int64)

    @cached_property
    def lengths(self) -> Ints:
        """The length in bytes of each token."""
        return self.sizes[self.places]

    @cached_property
    def ends(self) -> SegmentEnds:
        """Where the segments end."""
        return segment_ends(self.text_map, self.lengths)

    @cached_property
    def pieces(self) -> int:
        """How many tokens are no whole characters: they start or end inside one."""
        ends = self.text_map.char_starts_at_byte[np.cumsum(self.lengths)]
        starts = np.append(True, ends)[: len(ends)]
        return int(np.count_nonzero(~(starts & ends)))

    @property
    def tokens(self) -> int:
        """Tokens in all."""
        return len(self.places)


def token_payload(text: str, columns: Sequence[Column], *, labels: Mapping[str, str], locale: str = "en") -> bytes:
    """All that the view draws for one text and its columns; the same input gives the same bytes.

    `labels` has every key of `ENGLISH_LABELS`; raises `KeyError` for one that is missing.
    """
    text_map = TextMap(text)
    lanes = [Lane.of(column, text_map) for column in columns]
    blocks = Blocks()
    header = {
        "text": text,
        "chars": len(text),
        "locale": locale,
        "tint_count": TINT_COUNT,
        "labels": {key: labels[key] for key in ENGLISH_LABELS},
        "clusters": blocks.add(np.packbits(_at_units(text_map, text_map.cluster_starts), bitorder="little")),
        "rows": blocks.add(text_map.unit_at_char[row_starts(text_map, [lane.ends.chars for lane in lanes])]),
        "columns": [_column(lane, blocks, labels) for lane in lanes],
    }
    return _block(header, blocks)


def placeholders(template: str) -> set[str]:
    """The names in braces of a label."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def row_starts(text_map: TextMap, segment_chars: Sequence[Ints]) -> Ints:
    """The characters at which rows start: at a boundary of segments in every column, if one is in reach.

    Prefers the place after a line break, then before a space, which most tokens start with. Where the columns
    share no boundary for `ROW_MAX` characters, a row starts at a cluster, and the piece across it is drawn in
    both rows.
    """
    length = len(text_map.text)
    common = _common(length, segment_chars)
    characters = np.concatenate(([0], text_map.code_points, [0]))
    shared = common.tolist()
    lines = common[characters[common] == ord("\n")].tolist()
    spaces = common[characters[common + 1] == ord(" ")].tolist()
    clusters = np.flatnonzero(text_map.cluster_starts).tolist()
    starts, at = [0], 0
    while length - at > ROW_MIN:
        at = (
            _first(lines, at + 1, at + ROW_SOFT)
            or _first(spaces, at + ROW_MIN, at + ROW_SOFT)
            or _first(shared, at + ROW_MIN, at + ROW_MAX)
            or _first(clusters, at + ROW_MAX, length)
            or length
        )
        starts.append(at)
    return np.array([start for start in starts if start < length or not length], dtype=np.int64)


def _common(length: int, segment_chars: Sequence[Ints]) -> Ints:
    """The characters at which a segment ends in every column."""
    shared = np.ones(length + 1, dtype=np.bool_)
    for chars in segment_chars:
        ends = np.zeros(length + 1, dtype=np.bool_)
        ends[chars] = True
        shared &= ends
    return np.flatnonzero(shared)


def _first(places: list[int], low: int, high: int) -> int | None:
    """The first of the ascending places between low and high, both included."""
    index = bisect_left(places, low)
    return places[index] if index < len(places) and places[index] <= high else None


def _column(lane: Lane, blocks: "Blocks", labels: Mapping[str, str]) -> dict[str, Any]:
    """A column's words and figures, and where its arrays stand."""
    ends = lane.ends
    units = lane.text_map.unit_at_char[ends.chars]
    return {
        "name": lane.column.name,
        "caption": lane.column.caption,
        "count": lane.tokens,
        "figures": [[value, labels[key]] for key, value in _figures(lane).items()],
        "truth": _truth(lane, labels),
        "tokens": blocks.add(lane.places),
        "segment_tokens": blocks.add(np.diff(ends.tokens, prepend=0)),
        "segment_units": blocks.add(np.diff(units, prepend=0)),
        "ids": lane.distinct.tolist(),
        "sizes": blocks.add(lane.sizes),
        "tints": blocks.add(np.array([tint(token) for token in lane.distinct_bytes], dtype=np.int64)),
        "bytes": blocks.add(np.frombuffer(b"".join(lane.distinct_bytes), dtype=np.uint8)),
    }


def _figures(lane: Lane) -> dict[str, str]:
    """The figures above a column, by label: the count first, then what one token holds."""
    text_map, tokens = lane.text_map, lane.tokens
    return {
        "tokens": f"{tokens:,}",
        "characters_per_token": f"{len(text_map.text) / tokens:.2f}" if tokens else "–",
        "bytes_per_token": f"{len(text_map.utf8) / tokens:.2f}" if tokens else "–",
    }


def _truth(lane: Lane, labels: Mapping[str, str]) -> str:
    """How many of the tokens are pieces of a character, in words."""
    if not lane.tokens:
        return ""
    return labels["pieces"].format(pieces=f"{lane.pieces:,}") if lane.pieces else labels["no_pieces"]


def tint(token: bytes) -> int:
    """A token's colour: a number below `TINT_COUNT` from its bytes alone, so that it never changes."""
    return zlib.crc32(token) % TINT_COUNT


def _at_units(text_map: TextMap, flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Flags of characters, moved to the UTF-16 unit where each one starts."""
    at_units = np.zeros(int(text_map.unit_at_char[-1]) + 1, dtype=np.bool_)
    at_units[text_map.unit_at_char[flags]] = True
    return at_units


class Blocks:
    """Arrays laid end to end, each in the narrowest unsigned type that holds it."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, array: npt.NDArray[Any]) -> list[int]:
        """Append an array; gives its offset, its length in items and the bytes of one item."""
        width = _width(int(array.max()) if len(array) else 0)
        part = array.astype(f"<u{width}", copy=False).tobytes()
        place = [self.size, len(array), width]
        self.parts.append(part)
        self.size += len(part)
        return place


def _width(largest: int) -> int:
    return 1 if largest < 1 << 8 else 2 if largest < 1 << 16 else 4


def _block(header: dict[str, Any], blocks: Blocks) -> bytes:
    """The header and the arrays, end to end."""
    words = json.dumps(header, ensure_ascii=False).encode("utf-8")
    return struct.pack("<I", len(words)) + words + b"".join(blocks.parts)


@dataclass(frozen=True)
class Block:
    """A payload opened again, for tests and exports."""

    header: dict[str, Any]
    arrays: bytes

    @classmethod
    def open(cls, payload: bytes) -> "Block":
        """Split a payload into its header and its arrays."""
        (size,) = struct.unpack_from("<I", payload)
        return cls(json.loads(payload[4 : 4 + size]), payload[4 + size :])

    def array(self, place: Sequence[int]) -> Ints:
        """One array, by what the header says of it."""
        offset, length, width = place
        return np.frombuffer(self.arrays, f"<u{width}", length, offset).astype(np.int64)
