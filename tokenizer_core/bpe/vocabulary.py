"""Vocabularies: the bytes of each token from the merges, and the merges from the bytes in order of rank.

A rank file holds tokens and no pairs. tiktoken joins any two neighbors whose bytes together are a token, lowest
rank first. So the pair of a token is the two parts that the ranks below its own leave of its bytes.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core.errors import RankFileError, TokenIdError, TokenizerError
from tokenizer_core.kernels import encode_loop
from tokenizer_core.kernels.compiled import are_ready, wait_until_ready
from tokenizer_core.kernels.encode_loop import MAX_ENTRIES, NONE

BYTES = 256
MAX_TOKEN_BYTES = 2**28
"""Bytes of all tokens together. Each line of a hostile file can double the length of a token."""
_FEW = 60_000
"""Tokens whose pairs plain Python finds while the loops are not ready: GPT-2's take it 1 s."""

Pair = tuple[int, int]
"""The ids of two tokens side by side."""


class MergeCheck:
    """Checks the merges of a vocabulary one by one, and refuses impossible ones."""

    def __init__(self) -> None:
        self._lengths = [1] * BYTES
        self._seen: set[Pair] = set()
        self._total = BYTES

    def add(self, left: int, right: int) -> None:
        """Add the next merge.

        Raises `TokenizerError` if a part does not exist yet, if the pair came before, or if all tokens together
        become too large.
        """
        lengths = self._lengths
        token_id, pair = len(lengths), (left, right)
        if not (0 <= left < token_id and 0 <= right < token_id):
            raise TokenizerError("merge_before_parts", rank=token_id - BYTES, left=left, right=right)
        if pair in self._seen:
            raise TokenizerError("merge_duplicate", rank=token_id - BYTES, left=left, right=right)
        self._seen.add(pair)
        length = lengths[left] + lengths[right]
        lengths.append(length)
        self._total += length
        if self._total > MAX_TOKEN_BYTES:
            raise TokenizerError("vocabulary_too_large", rank=token_id - BYTES, limit=MAX_TOKEN_BYTES)


def build_vocabulary(merges: Iterable[Pair]) -> list[bytes]:
    """Return the bytes of every token, by id: the 256 bytes, then the joined parts of each merge.

    Raises `TokenizerError` for a merge that `MergeCheck` refuses, and for too many.

    >>> build_vocabulary([(97, 98), (256, 99)])[256:]
    [b'ab', b'abc']
    """
    merges = merges if isinstance(merges, Sequence) else list(merges)
    if BYTES + len(merges) > MAX_ENTRIES:
        raise TokenizerError("vocabulary_too_many", entries=BYTES + len(merges), limit=MAX_ENTRIES)
    vocabulary = [bytes([byte]) for byte in range(BYTES)]
    check, total = None if _are_possible(merges) else MergeCheck(), BYTES
    for rank, (left, right) in enumerate(merges):
        if check is not None:
            check.add(left, right)
        token = vocabulary[left] + vocabulary[right]
        vocabulary.append(token)
        total += len(token)
        if total > MAX_TOKEN_BYTES:
            raise TokenizerError("vocabulary_too_large", rank=rank, limit=MAX_TOKEN_BYTES)
    return vocabulary


def _are_possible(merges: Sequence[Pair]) -> bool:
    """Tell whether each merge is of tokens before it and comes once: at once, in a sixth of the time."""
    try:
        pairs = np.array(merges, dtype=np.int64).reshape(-1, 2)
    except OverflowError:
        return False
    before = np.arange(BYTES, BYTES + len(pairs))[:, np.newaxis]
    found = np.sort(pairs[:, 0] << 32 | pairs[:, 1])
    return bool(np.all((pairs >= 0) & (pairs < before)) and np.all(found[1:] != found[:-1]))


def unknown_id(token_id: int, name: str, vocab_size: int) -> TokenIdError:
    """Return the error for an id that a vocabulary does not have."""
    return TokenIdError("token_id_unknown", token_id=token_id, name=name, vocab_size=vocab_size)


def utf8_text(token: bytes) -> str | None:
    """Return the text of a token; None if its bytes are not whole characters."""
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return None


# From ranks to merges


class RecoveredMerges(NamedTuple):
    """The merges that ranks imply."""

    pairs: NDArray[np.int64]
    """For each rank: the ranks of the two parts; -1 twice for a single byte, and for a token without a pair."""
    without_pair: list[int]
    """Ranks of tokens of two or more bytes that no two tokens make: only a text that is the token gives them."""


def merges_of_ranks(tokens: Sequence[bytes]) -> list[Pair]:
    """Return the merge of each token of two or more bytes, as the ranks of its two parts, in order of rank.

    Raises `RankFileError` for the first token that no two tokens make.

    >>> merges_of_ranks([b"a", b"b", b"ab", b"abab"])
    [(0, 1), (2, 2)]
    """
    pairs, without_pair = recover_merges(tokens)
    if without_pair:
        token = _shown(tokens[without_pair[0]])
        raise RankFileError("rank_without_pair", rank=without_pair[0], token=token, count=len(without_pair))
    return [(left, right) for left, right in pairs.tolist() if left != NONE]


def recover_merges(tokens: Sequence[bytes]) -> RecoveredMerges:
    """Return the pair of every token that has one; `tokens` are in order of rank, from rank 0.

    Raises `RankFileError` if a token is empty or a duplicate.

    >>> recover_merges([b"a", b"b", b"bab", b"ab"]).without_pair
    [2]
    """
    ranks: dict[bytes, int] = {}
    for rank, token in enumerate(tokens):
        other = ranks.setdefault(token, rank)
        if other != rank or not token:
            raise RankFileError(
                "rank_duplicate" if token else "rank_empty", rank=rank, other=other, token=_shown(token)
            )
    if not are_ready() and len(tokens) <= _FEW:
        return recover_by_definition(tokens)
    wait_until_ready()
    text = np.frombuffer(b"".join(tokens), dtype=np.uint8)
    lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
    pairs = np.full((len(tokens), 2), NONE, dtype=np.int64)
    index = encode_loop.TokenIndex(
        text,
        ends=np.cumsum(lengths),
        hashes=np.zeros(text.size + 1, dtype=np.uint64),
        powers=np.ones(text.size + 1, dtype=np.uint64),
        table=np.full(4 << (len(tokens) // 2).bit_length(), NONE, dtype=np.int64),
    )
    encode_loop.find_pairs(index, pairs)
    return RecoveredMerges(pairs, np.flatnonzero((pairs[:, 0] == NONE) & (lengths > 1)).tolist())


def recover_by_definition(tokens: Sequence[bytes]) -> RecoveredMerges:
    """Return what `recover_merges` returns, in plain Python."""
    ranks = {token: rank for rank, token in enumerate(tokens)}
    pairs, without_pair = [], []
    for rank, token in enumerate(tokens):
        parts = [bytes([byte]) for byte in token]
        while len(parts) > 1:
            joined = [ranks.get(left + right, rank) for left, right in zip(parts, parts[1:])]
            if min(joined) >= rank:
                break
            place = joined.index(min(joined))
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        pair = [ranks.get(part, NONE) for part in parts]
        has_pair = len(pair) == 2 and NONE not in pair
        pairs.append(pair if has_pair else [NONE, NONE])
        if len(token) > 1 and not has_pair:
            without_pair.append(rank)
    return RecoveredMerges(np.array(pairs, dtype=np.int64).reshape(-1, 2), without_pair)


def _shown(token: bytes) -> str:
    return token[:40].decode("utf-8", errors="backslashreplace")
