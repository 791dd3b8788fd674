"""From a library's offsets in characters to spans of bytes that ascend and never overlap.

Libraries let tokens share characters: the bytes of one character, a dummy space before the first word, or the
letters into which a normalizer splits one character.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.bpe.protocols import PlacedTokens
from tokenizer_core.bpe.segments import Ints, TextMap


def placed(
    text: str, ids: Sequence[int], offsets: Sequence[tuple[int, int]], token_bytes: Callable[[int], bytes]
) -> PlacedTokens:
    """Place tokens by their offsets in characters.

    Tokens that share characters and together spell them get their own bytes. If they do not spell them, the first
    token covers the characters and the others cover nothing. A dummy space covers nothing.

    >>> spelled = {1: b" ", 2: b"\\xe0\\xb8", 3: b"\\x81"}
    >>> found = placed("ก", [1, 2, 3], [(0, 1), (0, 1), (0, 1)], spelled.__getitem__)
    >>> found.starts.tolist(), found.ends.tolist()
    ([0, 0, 2], [0, 2, 3])
    """
    text_map = TextMap(text)
    edges = np.array(offsets, dtype=np.int64).reshape(-1, 2)
    starts, ends = (text_map.byte_at_char[np.maximum.accumulate(edge)] for edge in edges.T)
    for first, stop in _sharing(starts, ends):
        spelled = [token_bytes(token_id) for token_id in ids[first:stop]]
        start, end = int(starts[first]), int(ends[first:stop].max())
        lengths = _own_lengths(spelled, text_map.utf8[start:end])
        if lengths is None:
            _without_overlap(starts, ends, first + _dummies(spelled, text_map.utf8[start:end]), first, stop)
        else:
            bounds = start + np.cumsum([0, *lengths])
            starts[first:stop], ends[first:stop] = bounds[:-1], bounds[1:]
    return PlacedTokens(np.array(ids, dtype=np.int32), starts, ends)


def _sharing(starts: Ints, ends: Ints) -> Iterator[tuple[int, int]]:
    """Yield each run of tokens that share characters: its first token, and the one after its last."""
    shares = starts[1:] < np.maximum.accumulate(ends)[:-1]
    edges = np.flatnonzero(np.diff(np.concatenate(([False], shares, [False])).astype(np.int8)))
    for first, stop in edges.reshape(-1, 2).tolist():
        yield first, stop + 1


def _own_lengths(spelled: Sequence[bytes], text: bytes) -> list[int] | None:
    """Return how many bytes of the text each token spells, without a dummy space; None if they do not spell it."""
    joined, lengths = b"".join(spelled), list(map(len, spelled))
    if joined == text:
        return lengths
    if joined == b" " + text and lengths[0]:
        return [lengths[0] - 1, *lengths[1:]]
    return None


def _dummies(spelled: Sequence[bytes], text: bytes) -> int:
    """Count the tokens of only spaces at the beginning, if the text does not begin with a space."""
    if text[:1].isspace():
        return 0
    return next((n for n, token in enumerate(spelled) if token.strip(b" ")), 0)


def _without_overlap(starts: NDArray[np.int64], ends: NDArray[np.int64], real: int, first: int, stop: int) -> None:
    """Let each token from `real` on cover what no token before it covers. Dummy tokens get empty spans."""
    ends[first:real] = starts[first:real] = starts[first]
    ends[real:stop] = np.maximum.accumulate(ends[real:stop])
    starts[real + 1 : stop] = np.maximum(starts[real + 1 : stop], ends[real : stop - 1])
