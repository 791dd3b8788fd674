"""The tokens of a text as pieces end to end, where some of the text may belong to no token."""

from typing import Literal, NamedTuple, TypeGuard

import numpy as np

from tokenizer_core.protocols import AnyTokenizer, Encoder, PlacedTokens, PlacingTokenizer
from tokenizer_core.segments import Flags, Ints, TextMap

NO_TOKEN = -1
"""The id of a piece of text that belongs to no token."""


class Pieces(NamedTuple):
    """Tokens and what lies between them; together they are the text."""

    ids: Ints
    """The id of each token; `NO_TOKEN` for text that belongs to none."""
    lengths: Ints
    """The bytes of each piece: none for a token that covers nothing."""

    @property
    def are_tokens(self) -> Flags:
        """Which pieces are tokens."""
        flags: Flags = self.ids != NO_TOKEN
        return flags


def places_tokens(tokenizer: AnyTokenizer | Encoder) -> TypeGuard[PlacingTokenizer]:
    """Tell whether the tokens of a tokenizer do not spell the text, so that it must say what they cover."""
    return hasattr(tokenizer, "encode_placed")


def pieces_of(placed: PlacedTokens, size: int) -> Pieces:
    """Cut a text of `size` bytes into its tokens and what lies between them.

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
    """Return the pieces of a text by any tokenizer, and the offset in bytes where each ends."""
    allowed: Literal["all"] | tuple[()] = "all" if special_acts else ()
    if places_tokens(tokenizer):
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
