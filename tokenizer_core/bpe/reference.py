"""The definition of byte-pair encoding in few plain lines: slow, and what the fast code must match."""

from collections.abc import Sequence

from tokenizer_core.patterns.split_patterns import pretokenize

Pair = tuple[int, int]


def get_stats(ids: Sequence[int], counts: dict[Pair, int] | None = None) -> dict[Pair, int]:
    """Count pairs of neighboring ids, and add them to `counts` if it is given.

    >>> get_stats([1, 2, 3, 1, 2])
    {(1, 2): 2, (2, 3): 1, (3, 1): 1}
    """
    counts = {} if counts is None else counts
    for pair in zip(ids, ids[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def merge(ids: Sequence[int], pair: Pair, token_id: int) -> list[int]:
    """Replace each `pair` in `ids` with `token_id`, left to right.

    >>> merge([1, 1, 1], (1, 1), 9)
    [9, 1]
    """
    merged: list[int] = []
    i = 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
            merged.append(token_id)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged


def train_by_definition(text: str, vocab_size: int, pattern: str) -> list[tuple[Pair, int]]:
    """Learn the merges of byte-level BPE, each with the count that made it win; ids start at 256.

    Each round merges the most frequent pair; of equally frequent pairs, the one that occurs first.
    Returns fewer merges if the text runs out of pairs.

    >>> train_by_definition("aaabdaaabac", 259, "none")
    [((97, 97), 4), ((256, 97), 2), ((257, 98), 2)]
    """
    pretokens = [list(pretoken.encode("utf-8")) for pretoken in pretokenize(text, pattern)]
    merges: list[tuple[Pair, int]] = []
    for token_id in range(256, vocab_size):
        counts: dict[Pair, int] = {}
        for ids in pretokens:
            get_stats(ids, counts)
        if not counts:
            break
        pair = max(counts, key=lambda pair: counts[pair])  # max returns the first of equally frequent pairs
        pretokens = [merge(ids, pair, token_id) for ids in pretokens]
        merges.append((pair, counts[pair]))
    return merges
