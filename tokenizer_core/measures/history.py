"""The history of a text's tokens: which merge joined which bytes, and how many tokens there were at each size."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tokenizer_core.pretokens import bytes_and_ends, count_pretokens
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.vocabulary import BYTES

NEVER = 0


def joining_merges(token_ids: Sequence[int], tokenizer: Tokenizer) -> npt.NDArray[np.int32]:
    """Return for each byte after the first the merge (from 1 up) that joined it to the byte before; 0 if none did.

    The first merges of a vocabulary are a vocabulary, too, and encoding applies merges in their order. So at any
    smaller size, the text is cut exactly before the bytes whose merge is still to come. One number per byte tells
    the whole history.

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
    """Return the merges between the bytes of a token, left to right; no recursion: tokens may be long chains."""
    found: list[int] = []
    waiting: list[tuple[int, int]] = [(token_id, NEVER)]  # a token, or the merge between two tokens
    while waiting:
        part, merge = waiting.pop()
        if merge:
            found.append(merge)
        elif BYTES <= part < tokenizer.vocab_size:
            left, right = tokenizer.merges[part - BYTES]
            waiting += [(right, NEVER), (NEVER, part - BYTES + 1), (left, NEVER)]
        elif part >= BYTES:  # merging never makes a special token
            found += [NEVER] * (len(tokenizer.token_bytes(part)) - 1)
    return found


def token_counts(texts: str | Iterable[str], tokenizer: Tokenizer) -> npt.NDArray[np.int32]:
    """Count the tokens of all texts together after each number of merges, from none to all.

    Each text is cut separately, as in a corpus; special tokens are ordinary text.

    >>> tokenizer = Tokenizer([(97, 97), (256, 98)], pattern="none")
    >>> token_counts("aabaa", tokenizer).tolist(), token_counts(["aab", "aa"], tokenizer).tolist()
    ([5, 3, 2], [5, 3, 2])
    """
    return token_counts_of(count_pretokens(texts, tokenizer.pattern), tokenizer)


def token_counts_of(pretokens: Mapping[str, int], tokenizer: Tokenizer) -> npt.NDArray[np.int32]:
    """Do the same as `token_counts` with pretokens, counted with the tokenizer's pattern; no merge changes them.

    Each token comes from one merge of two parts, and each part from an earlier merge or a byte. So from the newest
    merge to the first, each merge adds its number of uses to those of its parts. Each use leaves one token fewer.
    """
    merged, size = _tokens_made(pretokens, tokenizer)
    for merge in range(len(tokenizer.merges) - 1, -1, -1):
        times = merged[BYTES + merge]
        if times:
            left, right = tokenizer.merges[merge]
            merged[left] += times
            merged[right] += times
    counts = size - np.cumsum([0, *merged[BYTES:]])
    return counts.astype(np.int32)


def _tokens_made(pretokens: Mapping[str, int], tokenizer: Tokenizer) -> tuple[list[int], int]:
    """Count each token of the vocabulary in the encoded pretokens; return the counts and the bytes in all."""
    text, ends = bytes_and_ends(pretokens)
    ids, stops = tokenizer.encode_pretokens(text, ends)
    times = np.fromiter(pretokens.values(), dtype=np.int64, count=len(pretokens))
    found = np.zeros(tokenizer.vocab_size, dtype=np.int64)
    np.add.at(found, ids, np.repeat(times, np.diff(stops, prepend=0)))
    return found.tolist(), int(np.diff(ends, prepend=0) @ times)
