"""Lanes: a lane is one tokenizer beside others, from its choice to its tokens over a text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tokenizer_core.analysis.baselines import PretokenTokenizer
from tokenizer_core.analysis.cuts import NO_TOKEN, Pieces, pieces_of, uncovered_characters
from tokenizer_core.bpe.protocols import AnyTokenizer, PlacedTokens
from tokenizer_core.bpe.segments import SegmentEnds, TextMap, distinct_ids, segment_ends
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.interop.byte_level import FileTokenizer, from_letters

MINE = "mine"
"""What the visitor's own tokenizer is called in choices; references go by their own names."""
Kind = Literal["tokens", "pretokens"]


class Label(NamedTuple):
    """The name of a lane, and a caption that says exactly what it is."""

    name: str
    caption: str = ""
    details: str = ""
    """What the number in the caption adds up from: shown when the mouse is over it, or when it is opened."""


@dataclass(frozen=True)
class BranchCuts:
    """The branch of the split pattern that cut each pretoken, for the colours by branch."""

    branches: Sequence[tuple[str, str, int]]
    """Each branch by its source, in plain words, and the number of its colour."""
    taken_by: Sequence[int | None]
    """The branch of each pretoken; None for what lies between two matches."""


@dataclass(frozen=True)
class Lane:
    """A tokenizer beside others, and, once it has encoded a text, its tokens."""

    key: str
    """The same as long as the tokens of a text stay the same: caches know a lane by it."""
    label: Label
    tokenizer: AnyTokenizer
    encoding: npt.NDArray[Any] | Sequence[int] | None = field(default=None, repr=False)
    """The ids of the text's tokens; None until there is a text."""
    is_own: bool = False
    """Whether it is the visitor's own tokenizer."""
    counts: Sequence[int] = field(default=(), repr=False)
    """How often each merge's pair stood in the corpus, where that is known."""
    cuts: BranchCuts | None = field(default=None, repr=False)
    chosen_as: str = ""
    """Its name among the choices of tokenizers, where that is not its key."""
    placed: PlacedTokens | None = field(default=None, repr=False)
    """The same tokens with the text that each covers, where tokens do not spell the text."""
    special_acts: bool = False
    """Whether the special tokens in a text act; otherwise they are ordinary text."""

    @property
    def name(self) -> str:
        """The name that people read."""
        return self.label.name

    @property
    def choice(self) -> str:
        """Its name among the choices of tokenizers."""
        return self.chosen_as or (MINE if self.is_own else self.key)

    @property
    def kind(self) -> Kind:
        """Whether it shows tokens, or only the pretokens of a split pattern."""
        return "pretokens" if isinstance(self.tokenizer, PretokenTokenizer) else "tokens"

    @property
    def merges(self) -> Sequence[tuple[int, int]]:
        """The merges that made its tokens, empty if they are not known."""
        return self.tokenizer.merges if isinstance(self.tokenizer, Tokenizer | FileTokenizer) else ()


def pretoken_lane(pattern: str, label: Label) -> Lane:
    """Return the pretokens of a split pattern as a lane, to be shown beside tokenizers."""
    return Lane(f"pretokens {pattern}", label, PretokenTokenizer(pattern))


Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class LaneOnText:
    """A lane in segments, with the arrays that its drawing needs.

    Where tokens do not spell the text, its pieces are the tokens and what belongs to none, and two places have the
    same distinct token only if they have the same text too.
    """

    lane: Lane
    text_map: TextMap
    distinct: Ints
    places: Ints
    distinct_bytes: list[bytes]
    """The bytes of the text that each distinct token has."""
    spelled: list[bytes]
    """The bytes that each distinct token spells by itself: its colour depends on them."""
    pieces: Pieces | None = None
    writings: list[str | None] | None = None
    """Each distinct token as its tokenizer writes it, where that is not the text that it has."""

    @classmethod
    def of(cls, lane: Lane, text_map: TextMap) -> "LaneOnText":
        """Make the arrays of a lane; the bytes of each distinct token are looked up once."""
        if lane.placed is not None:
            return cls._of_pieces(lane, text_map, pieces_of(lane.placed, len(text_map.utf8)))
        assert lane.encoding is not None
        distinct, places = distinct_ids(np.asarray(lane.encoding, dtype=np.int64))
        token_bytes = [lane.tokenizer.token_bytes(token_id) for token_id in distinct.tolist()]
        return cls(lane, text_map, distinct, places, token_bytes, token_bytes)

    @classmethod
    def _of_pieces(cls, lane: Lane, text_map: TextMap, pieces: Pieces) -> "LaneOnText":
        tokenizer = lane.tokenizer
        ends = np.cumsum(pieces.lengths).tolist()
        numbers: dict[tuple[int, bytes], int] = {}
        places = np.empty(len(ends), dtype=np.int64)
        start = 0
        for place, (token_id, end) in enumerate(zip(pieces.ids.tolist(), ends, strict=True)):
            places[place] = numbers.setdefault((token_id, text_map.utf8[start:end]), len(numbers))
            start = end
        texts = [text for _, text in numbers]
        ids = [token_id for token_id, _ in numbers]
        spelled = [text if token_id == NO_TOKEN else tokenizer.token_bytes(token_id) for token_id, text in numbers]
        written: Callable[[int], str] = getattr(
            tokenizer, "token_text", lambda token_id: tokenizer.token_bytes(token_id).decode("utf-8", "replace")
        )
        writings = [
            None if token_id == NO_TOKEN else _writing(written(token_id), text) for token_id, text in numbers
        ]
        return cls(lane, text_map, np.array(ids, dtype=np.int64), places, texts, spelled, pieces, writings)

    @property
    def ids(self) -> Sequence[int | None]:
        """The id of each distinct token; None for text that belongs to none."""
        ids: list[int] = self.distinct.tolist()
        return ids if self.pieces is None else [None if token_id == NO_TOKEN else token_id for token_id in ids]

    @property
    def token_count(self) -> int:
        """The number of tokens."""
        return len(self.places) if self.pieces is None else int(np.count_nonzero(self.pieces.are_tokens))

    @cached_property
    def uncovered(self) -> int:
        """Characters of the text that belong to no token."""
        return 0 if self.pieces is None else uncovered_characters(self.text_map, self.pieces)

    @cached_property
    def are_unknown(self) -> Flags:
        """Which of the distinct tokens only say that the vocabulary does not have some text."""
        kind_of = getattr(self.lane.tokenizer, "token_kind", None)
        if self.pieces is None or kind_of is None:
            return np.zeros(len(self.distinct), dtype=np.bool_)
        flags = [token_id != NO_TOKEN and kind_of(token_id) == "unknown" for token_id in self.distinct.tolist()]
        return np.array(flags, dtype=np.bool_)

    @cached_property
    def unknown(self) -> int:
        """Tokens whose text is lost, because the vocabulary does not have it."""
        return int(np.count_nonzero(self.are_unknown[self.places]))

    @cached_property
    def sizes(self) -> Ints:
        """The length of each distinct token, in bytes."""
        return np.array(list(map(len, self.distinct_bytes)), dtype=np.int64)

    @cached_property
    def lengths(self) -> Ints:
        """The length of each token, in bytes."""
        return self.sizes[self.places]

    @property
    def solid_lengths(self) -> Ints:
        """The lengths of the tokens that have some of the text, which comparing and counting cuts need."""
        return self.lengths if self.pieces is None else self.lengths[self.lengths > 0]

    def of_all(self, flags: Flags) -> Flags:
        """Spread flags of the tokens that have text over all tokens; those without text get True."""
        if self.pieces is None:
            return flags
        spread = np.ones(len(self.lengths), dtype=np.bool_)
        spread[self.lengths > 0] = flags
        return spread

    @cached_property
    def ends(self) -> SegmentEnds:
        """The ends of the segments.

        A token without text goes with the token before it, and at the start of the text with the one after it.
        """
        found = segment_ends(self.text_map, self.lengths)
        if self.pieces is None or not len(found.chars):
            return found
        last = np.append(found.chars[1:] != found.chars[:-1], True) & (found.chars > 0)
        return SegmentEnds(found.tokens[last], found.chars[last])


def _writing(written: str, text: bytes) -> str | None:
    """Return what to show of a token besides the text that it has: nothing, if it only spells this text."""
    if written.encode("utf-8", "replace") == text or from_letters(written) == text:
        return None
    return written
