"""How the tokens of a text came about: which merge joined what stands on both sides of each boundary."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tokenizer_core.tokenizer import BYTES, Tokenizer

NEVER = 0


def joining_merges(token_ids: Sequence[int], tokenizer: Tokenizer) -> npt.NDArray[np.int32]:
    """For each byte but the first, the merge (from 1 up) that joined it to the byte before; 0 if none did.

    A vocabulary is prefix-closed and merges are made in their order, so the text's tokens at any smaller size are
    cut exactly at the bytes whose merge is still to come: the whole history in one number per byte.

    >>> tokenizer = Tokenizer([(97, 97), (256, 98)], pattern="none")
    >>> joining_merges(tokenizer.encode("aabaa"), tokenizer).tolist()
    [1, 2, 0, 1]
    """
    inside = {token_id: _merges_inside(token_id, tokenizer) for token_id in set(token_ids)}
    joined: list[int] = []
    for token_id in token_ids:
        joined += [NEVER, *inside[token_id]]
    return np.array(joined[1:], dtype=np.int32)


def _merges_inside(token_id: int, tokenizer: Tokenizer) -> list[int]:
    """The merges between the bytes of a token, left to right; without recursion, for tokens may be long chains."""
    found: list[int] = []
    waiting: list[tuple[int, int]] = [(token_id, NEVER)]  # a token, or the merge that stands between two
    while waiting:
        part, merge = waiting.pop()
        if merge:
            found.append(merge)
        elif BYTES <= part < tokenizer.vocab_size:
            left, right = tokenizer.merges[part - BYTES]
            waiting += [(right, NEVER), (NEVER, part - BYTES + 1), (left, NEVER)]
        elif part >= BYTES:  # a special token never came about by merging
            found += [NEVER] * (len(tokenizer.token_bytes(part)) - 1)
    return found
