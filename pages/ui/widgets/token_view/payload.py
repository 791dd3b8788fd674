"""Packs what the token view draws into one block of bytes: the text, and the tokens of each tokenizer by segment.

A block is the length of a JSON header (4 bytes, little-endian), the header, and the arrays that it points to.
200,000 characters in three tokenizers are 350,000 numbers. As bytes they are written and read at once, and
Streamlit does not look at each of them."""

import json
import struct
import tomllib
import unicodedata
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pages.ui.i18n import filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.widgets.colours import TINT_COUNT
from pages.ui.widgets.token_view.lanes import BranchCuts, Kind, Lane, LaneOnText
from tokenizer_core.analysis.cuts import Agreement, agreement, cuts
from tokenizer_core.bpe.segments import TextMap, distinct_ids
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.interop.byte_level import FileTokenizer

Ints = npt.NDArray[np.int64]

# A row is about one line of text; the browser puts as many together as suit its width, and draws them or not.
ROW_MIN, ROW_SOFT, ROW_MAX = 40, 100, 2_000


def token_payload(
    text: str | bytes,
    lanes: Sequence[Lane],
    *,
    labels: Mapping[str, str],
    locale: str = "en",
    whole: bool = True,
) -> bytes:
    """Pack a text and its lanes; the same input gives the same bytes.

    The text may be any bytes; parts that are not whole characters are drawn as bytes. `labels` are the words of
    the view by their keys in the catalogue. `whole=False` is for the beginning of a text whose rest comes later:
    it is drawn, but nothing is counted.
    """
    text_map = TextMap(text) if isinstance(text, str) else TextMap.of_bytes(text)
    placed = [LaneOnText.of(lane, text_map) for lane in lanes]
    blocks = Blocks()
    header = {
        "text": text_map.text,
        "chars": len(text_map.text),
        "whole": whole,
        "locale": locale,
        "tint_count": TINT_COUNT,
        "labels": dict(labels),
        "names": character_names(distinct_ids(text_map.code_points.astype(np.int64))[0].tolist(), locale),
        "clusters": blocks.add(np.packbits(_at_units(text_map, text_map.cluster_starts), bitorder="little")),
        "rows": blocks.add(text_map.unit_at_char[row_starts(text_map, [each.ends.chars for each in placed])]),
        "differences": _differences(placed, text_map, blocks),
        "columns": [_column(each, blocks, labels) for each in placed],
    }
    return _block(header, blocks)


def compared_kind(lanes: Sequence[Lane]) -> Kind:
    """Return which kind is compared: tokens, or pretokens if there are at least two lanes and no others."""
    alone = len(lanes) > 1 and all(lane.kind == "pretokens" for lane in lanes)
    return "pretokens" if alone else "tokens"


def _differences(placed: Sequence[LaneOnText], text_map: TextMap, blocks: "Blocks") -> dict[str, Any]:
    """Return where every two of the lanes of a kind differ, and which lane others are compared with at first.

    Of many lanes at least one differs nearly everywhere, so each is compared with one other.
    """
    kind = compared_kind([each.lane for each in placed])
    compared = [index for index, each in enumerate(placed) if each.lane.kind == kind]
    own = [index for index in compared if placed[index].lane.is_own]
    pairs = []
    for pair in combinations(compared, 2):
        found = agreement(text_map, [placed[index].solid_lengths for index in pair])
        agreed = [placed[index].of_all(flags) for index, flags in zip(pair, found.agreed, strict=True)]
        pairs.append({"lanes": list(pair), **_pair(found._replace(agreed=agreed), text_map, blocks)})
    return {"lanes": compared, "base": next(iter(own + compared), None), "pairs": pairs}


def _pair(found: Agreement, text_map: TextMap, blocks: "Blocks") -> dict[str, Any]:
    """Return where two lanes differ, as UTF-16 units before and in each difference, and the share of the text."""
    starts, ends = (text_map.unit_at_char[edges] for edges in _by_clusters(found, text_map))
    return {
        "share": found.share,
        "gaps": blocks.add(starts - np.append(0, ends)[:-1]),
        "lengths": blocks.add(ends - starts),
        "agreed": [blocks.add(np.packbits(flags, bitorder="little")) for flags in found.agreed],
    }


def _by_clusters(found: Agreement, text_map: TextMap) -> tuple[Ints, Ints]:
    """Widen differences to whole grapheme clusters, and join those in one cluster, since it is drawn as one."""
    length = len(text_map.text)
    edges = np.append(np.flatnonzero(text_map.cluster_starts[:length]), length)
    starts = edges[np.searchsorted(edges, found.starts, side="right") - 1]
    ends = edges[np.searchsorted(edges, found.ends)]
    apart = starts[1:] >= ends[:-1]
    return starts[np.append(True, apart)[: len(starts)]], ends[np.append(apart, True)[: len(ends)]]


def row_starts(text_map: TextMap, segment_chars: Sequence[Ints]) -> Ints:
    """Return the characters at which rows start: a boundary of segments in every column, if one is near enough.

    A place after a line break is best, then one before a space, because most tokens start with a space. If the
    columns share no boundary within `ROW_MAX` characters, a row starts at a cluster, and a segment that crosses
    it is drawn in both rows.
    """
    length = len(text_map.text)
    shared_ends = np.ones(length + 1, dtype=np.bool_)
    for chars in segment_chars:
        ends = np.zeros(length + 1, dtype=np.bool_)
        ends[chars] = True
        shared_ends &= ends
    common = np.flatnonzero(shared_ends)
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


def _first(places: list[int], low: int, high: int) -> int | None:
    """Return the first of the ascending places between low and high, both included, or None."""
    index = bisect_left(places, low)
    return places[index] if index < len(places) and places[index] <= high else None


def _column(placed: LaneOnText, blocks: "Blocks", labels: Mapping[str, str]) -> dict[str, Any]:
    """Describe a lane: its words, its figures, and the places of its arrays."""
    lane, ends = placed.lane, placed.ends
    units = placed.text_map.unit_at_char[ends.chars]
    found = cuts(placed.text_map, placed.solid_lengths)
    special = list(lane.tokenizer.special_tokens.values())
    return {
        "name": without_breaks(lane.label.name),
        "caption": without_breaks(lane.label.caption),
        "details": without_breaks(lane.label.details),
        "kind": lane.kind,
        "count": placed.token_count,
        "parts": found.parts,
        "boundaries": found.boundaries,
        "inside_characters": found.inside_characters,
        "inside_clusters": found.inside_clusters,
        "figures": _figures(placed, labels),
        "truth": _truth(placed, found.parts, labels),
        "tokens": blocks.add(placed.places),
        "segment_tokens": blocks.add(np.diff(ends.tokens, prepend=0)),
        "segment_units": blocks.add(np.diff(units, prepend=0)),
        "ids": placed.ids,
        "writings": placed.writings,
        "sizes": blocks.add(placed.sizes),
        "tints": blocks.add(np.array([tint(token) for token in placed.spelled], dtype=np.int64)),
        "bytes": blocks.add(np.frombuffer(b"".join(placed.distinct_bytes), dtype=np.uint8)),
        "specials": np.flatnonzero(np.isin(placed.distinct, special)).tolist(),
        "lost": np.flatnonzero(placed.are_unknown).tolist(),
        "made": _made(placed, blocks) if lane.merges else None,
        **_branches(lane.cuts, blocks),
    }


def _branches(found: BranchCuts | None, blocks: "Blocks") -> dict[str, Any]:
    """Describe the branches of a split pattern; each pretoken has its branch's number from 1, or 0 for none."""
    if found is None:
        return {"branches": None, "taken_by": None}
    numbers = [0 if branch is None else branch + 1 for branch in found.taken_by]
    words = [{"source": source, "words": words, "tint": tint} for source, words, tint in found.branches]
    return {"branches": words, "taken_by": blocks.add(np.array(numbers, dtype=np.int64))}


def _made(placed: LaneOnText, blocks: "Blocks") -> dict[str, Any]:
    """Return the merge (0 for a byte), the left part in bytes and the pair's count of each distinct token."""
    merges, counts, tokenizer = placed.lane.merges, placed.lane.counts, placed.lane.tokenizer
    assert isinstance(tokenizer, Tokenizer | FileTokenizer)
    own = tokenizer.own_ids(placed.distinct.tolist()) if isinstance(tokenizer, FileTokenizer) else placed.distinct
    numbers = [token_id - BYTES + 1 if BYTES <= token_id < BYTES + len(merges) else 0 for token_id in own.tolist()]
    left = [len(tokenizer.vocabulary[merges[number - 1][0]]) if number else 0 for number in numbers]
    made: dict[str, Any] = {
        "merges": blocks.add(np.array(numbers)),
        "left": blocks.add(np.array(left)),
        "counts": None,
    }
    if counts:
        made["counts"] = blocks.add(np.array([counts[number - 1] if number else 0 for number in numbers]))
    return made


def _figures(placed: LaneOnText, labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the figures above a lane with their labels: the count of tokens, then what one token holds."""
    text_map, tokens = placed.text_map, placed.token_count
    unit = placed.lane.kind
    return [
        (f"{tokens:,}", filled(labels[unit], count=tokens)),
        *(
            (f"{size / tokens:.2f}" if tokens else "–", labels[f"{what}_per_{unit[:-1]}"])
            for what, size in (("characters", len(text_map.text)), ("bytes", len(text_map.utf8)))
        ),
    ]


def _truth(placed: LaneOnText, parts: int, labels: Mapping[str, str]) -> str:
    """Say how many tokens are parts of a character, how many are unknown, and how much of the text has none."""
    if not len(placed.places) or placed.lane.kind == "pretokens":
        return ""
    said = [filled(labels["pieces"], pieces=parts) if parts else labels["no_pieces"]]
    if placed.unknown:
        said.insert(0, filled(labels["unknown"], tokens=placed.unknown))
    if placed.uncovered:
        said.insert(0, filled(labels["uncovered"], characters=placed.uncovered))
    return " · ".join(said)


def tint(token: bytes) -> int:
    """Return the colour of a token: a number below `TINT_COUNT`, always the same for the same bytes.

    The bytes of a letter outside ASCII lie side by side, so its first one, the second of a Thai letter (B8 or B9)
    and its last one have tints of their own: none needs another tint than that of the same byte elsewhere.
    """
    if len(token) > 1 or token < b"\x80":
        found = zlib.crc32(token) % TINT_COUNT
        return found + 1 if len(token) == 1 and found == _FIRST else found  # a space before a letter
    (byte,) = token
    return _FIRST if byte >= 0xC0 else _SECOND.get(byte, _LAST[byte % len(_LAST)])


_FIRST, _SECOND, _LAST = 5, {0xB8: 3, 0xB9: 7}, (1, 2, 4)


def _at_units(text_map: TextMap, flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Move the flags of characters to the UTF-16 units at which these start."""
    at_units = np.zeros(int(text_map.unit_at_char[-1]) + 1, dtype=np.bool_)
    at_units[text_map.unit_at_char[flags]] = True
    return at_units


class Blocks:
    """Arrays one after another, each in the smallest unsigned type that can hold it."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, array: npt.NDArray[Any]) -> list[int]:
        """Append an array, and return its offset, its number of items and the bytes of one item."""
        largest = int(array.max()) if len(array) else 0
        width = 1 if largest < 1 << 8 else 2 if largest < 1 << 16 else 4
        part = array.astype(f"<u{width}", copy=False).tobytes()
        part += bytes(-len(part) % 4)  # so that the browser may read each array in place
        place = [self.size, len(array), width]
        self.parts.append(part)
        self.size += len(part)
        return place


def _block(header: dict[str, Any], blocks: Blocks) -> bytes:
    """Join the header and the arrays."""
    try:
        words = json.dumps(header, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:  # broken bytes stand as lone surrogates, which only an escape can carry
        words = json.dumps(header).encode("utf-8")
    words += b" " * (-(4 + len(words)) % 4)  # the arrays start at a multiple of 4 bytes
    return struct.pack("<I", len(words)) + words + b"".join(blocks.parts)


_FOLDER = Path(__file__).resolve().parents[2] / "i18n"
_CJK_IDEOGRAPH = "CJK UNIFIED IDEOGRAPH-"
_KINDS = {"Cc": "control", "Co": "private", "Cn": "unassigned", "Cs": "surrogate"}
_BROKEN_BYTES = range(0xDC80, 0xDD00)  # what "surrogateescape" makes of the bytes 80 to FF


def character_names(code_points: Iterable[int], language: str) -> dict[str, str]:
    """Return the name of each character; its key is its code point as a decimal string, as JSON needs strings.

    CJK unified ideographs are left out, because the browser can make their 93,000 names from the code points.

    >>> character_names([0x0E01, 0x61, 0x4E00], "en")
    {'3585': 'Thai character ko kai', '97': 'Latin small letter a'}
    """
    words = _words(language)
    named = ((code_point, _name(code_point, words)) for code_point in code_points)
    return {str(code_point): name for code_point, name in named if name is not None}


@cache
def _words(language: str) -> dict[str, str]:
    """Return the names of a language by code point in hex, and its words for characters without a name."""
    with (_FOLDER / "characters" / f"{language}.toml").open("rb") as file:
        return tomllib.load(file)


def _name(code_point: int, words: dict[str, str]) -> str | None:
    """Return the name of a character, or None for a CJK unified ideograph."""
    if own := words.get(f"{code_point:04X}"):
        return own
    if code_point < 0x80 and (character := chr(code_point)).isalnum():
        kind = "digit" if character.isdigit() else "capital" if character.isupper() else "small"
        return words[kind].format(character=character)
    official = unicodedata.name(chr(code_point), None)
    if official is None:
        return _kind(code_point, words)
    return None if official.startswith(_CJK_IDEOGRAPH) else _sentence_form(official)


def _kind(code_point: int, words: dict[str, str]) -> str:
    """Describe a character without a name, as in "Control character 1C"."""
    # Nameless but assigned are only Tangut ideographs, as Python 3.11 leaves their names out.
    kind = _KINDS.get(unicodedata.category(chr(code_point)), "nameless")
    kind = "broken_byte" if code_point in _BROKEN_BYTES else kind
    # Python 3.11 knows Unicode 14: an emoji of 2022 is "not in Unicode 14.0.0", which stays true.
    return words[kind].format(hex=f"{code_point:02X}", version=unicodedata.unidata_version)


def _sentence_form(official: str) -> str:
    """Write a name of Unicode the way people write.

    >>> _sentence_form("LATIN SMALL LETTER A"), _sentence_form("CJK RADICAL REPEAT")
    ('Latin small letter a', 'CJK radical repeat')
    """
    return f"CJK{official[3:].lower()}" if official.startswith("CJK ") else official.capitalize()
