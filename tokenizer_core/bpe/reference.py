"""The definitions of byte-pair encoding in few plain lines: slow, and what the fast code must match."""

from collections.abc import Sequence
from fractions import Fraction

from tokenizer_core.patterns.split_patterns import SUPERWORDS, pretokenize

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


def train_superwords_by_definition(
    text: str, vocab_size: int, pattern: str, superwords_from: int
) -> list[tuple[Pair, int]]:
    """Learn as above up to the size `superwords_from`, then also merges across pretokens: SuperBPE.

    The second stage cuts only at line breaks and digits, with the pattern `SUPERWORDS`. It makes the merges of the
    first stage there, in order, and learns on. So the tokenizer is ordinary: `SUPERWORDS` and all merges. A merge
    may cross the pretokens of the first stage, and leave a later one without a place; that one keeps its id.

    Source: arXiv 2503.13423, without its limit on the words of a token. We follow it rather than BoundlessBPE
    (arXiv 2504.00178), which joins only whole pretokens: that needs both patterns to encode, so no other library
    could load the result.

    >>> train_superwords_by_definition("so so so", 258, "mark_aware", 257)  # "so", then "so "
    [((115, 111), 3), ((256, 32), 2)]
    """
    merges = train_by_definition(text, min(superwords_from, vocab_size), pattern)
    lines = [list(line.encode("utf-8")) for line in pretokenize(text, SUPERWORDS)]
    for token_id, (pair, _) in enumerate(merges, 256):
        lines = [merge(ids, pair, token_id) for ids in lines]
    for token_id in range(256 + len(merges), vocab_size):
        counts = _stats_of_all(lines)
        if not counts:
            break
        pair = max(counts, key=lambda pair: counts[pair])
        lines = [merge(ids, pair, token_id) for ids in lines]
        merges.append((pair, counts[pair]))
    return merges


def train_with_parity_by_definition(
    texts: Sequence[str],
    measured: Sequence[str],
    units: Sequence[int],
    vocab_size: int,
    pattern: str,
    global_merges: int = 0,
) -> list[tuple[int | None, Pair, int]]:
    """Learn merges so that each group of texts, such as a language, pays the same: parity-aware BPE.

    Each round serves the group whose measured text has the most tokens per unit; of equal ones, the first. Among
    the pairs of its own text, the most frequent is merged, in all texts; of equally frequent pairs, the one that
    occurs first. A group without pairs is passed over. The first `global_merges` rounds serve all groups together.

    Returns the number of the group served (None for all), the pair, and the count that made it win. Source:
    arXiv 2508.04796; there, measured texts are parallel, so that every unit is 1.

    >>> train_with_parity_by_definition(["aaaa", "bbcbbc"], ["aaaa", "bbcbbc"], [4, 4], 258, "none")
    [(1, (98, 98), 2), (0, (97, 97), 3)]
    """
    corpora, scales = (
        [[list(pretoken.encode("utf-8")) for pretoken in pretokenize(text, pattern)] for text in each]
        for each in (texts, measured)
    )
    merges: list[tuple[int | None, Pair, int]] = []
    for token_id in range(256, vocab_size):
        groups = [None] if len(merges) < global_merges else [*most_tokens_first(scales, units)]
        counts_of = {
            group: _stats_of_all([ids for n, corpus in enumerate(corpora) if group in (n, None) for ids in corpus])
            for group in groups
        }
        served = next((group for group in groups if counts_of[group]), None)
        counts = counts_of.get(served)
        if not counts:
            break
        pair = max(counts, key=lambda pair: counts[pair])
        corpora = [[merge(ids, pair, token_id) for ids in corpus] for corpus in corpora]
        scales = [[merge(ids, pair, token_id) for ids in scale] for scale in scales]
        merges.append((served, pair, counts[pair]))
    return merges


def most_tokens_first(scales: Sequence[Sequence[Sequence[int]]], units: Sequence[int]) -> list[int]:
    """Return the numbers of the groups, the one with the most tokens per unit first.

    >>> most_tokens_first([[[1, 2]], [[1, 2], [3]], [[1]]], [1, 1, 1])
    [1, 0, 2]
    """
    tokens = [Fraction(sum(map(len, scale)), unit) for scale, unit in zip(scales, units)]
    return sorted(range(len(tokens)), key=lambda group: -tokens[group])


def _stats_of_all(pretokens: Sequence[Sequence[int]]) -> dict[Pair, int]:
    counts: dict[Pair, int] = {}
    for ids in pretokens:
        get_stats(ids, counts)
    return counts
