"""Train byte-level BPE fast and step by step, with exactly the merges of `reference.train_by_definition`."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer_core import merge_loop
from tokenizer_core.errors import TrainingError
from tokenizer_core.pretokens import PretokenCounts, check_text, counted_pretokens
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.vocabulary import BYTES

MAX_COUNT = 2**62 - 1
"""The largest count of a pretoken, and of the bytes of all."""
MAX_DISTINCT_BYTES = 2**31 - 1


class Merge(NamedTuple):
    """One learned merge: the tokens `left` and `right`, found side by side `count` times, became `token_id`."""

    left: int
    right: int
    token_id: int
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here


class Candidate(NamedTuple):
    """A pair that could be merged next."""

    left: int
    right: int
    count: int  # type: ignore[assignment]  # as in Merge
    """How often the pair occurs in the corpus now."""


class Trainer:
    """Learns merges from counted pretokens, as many at a time as the caller asks for.

    Training ends at `vocab_size` (bytes and merges, without special tokens), or when no pair occurs at least
    `min_count` times. Memory: 16 bytes per UTF-8 byte of distinct pretokens, and up to 28 as merges come, and 16
    for each place of the pair that has most.

    >>> trainer = Trainer({"aaabdaaabac": 1}, vocab_size=259)
    >>> for merge in trainer.step(3):
    ...     print(merge)
    Merge(left=97, right=97, token_id=256, count=4)
    Merge(left=256, right=97, token_id=257, count=2)
    Merge(left=257, right=98, token_id=258, count=2)
    >>> trainer.done, trainer.token_count
    (True, 5)
    """

    def __init__(
        self, pretoken_counts: Mapping[str, int] | PretokenCounts, vocab_size: int, min_count: int = 1
    ) -> None:
        """Give `pretoken_counts` in order of first appearance: the order decides ties."""
        check_vocab_size(vocab_size)
        if min_count < 1:
            raise TrainingError(
                f"the minimum count must be at least 1; {min_count} came", "min_count_low", count=min_count
            )
        self.vocab_size = vocab_size
        self.min_count = min_count
        text, ends, weights = _as_arrays(pretoken_counts)
        # Every merge removes at least one token, so ids stay below this however large `vocab_size` is.
        most_ids = min(vocab_size, BYTES + text.size) + 1
        self._state = np.zeros(merge_loop.STATE_SIZE, dtype=np.int64)
        self._state[merge_loop.NEXT_TOKEN_ID] = BYTES
        self._state[merge_loop.TOKEN_COUNT] = int(np.diff(ends, prepend=0) @ weights)
        # Made here, not in the loop: NumPy asks for huge pages, and a walk across the whole corpus needs them.
        rows = np.empty((text.size, merge_loop.ROW_WIDTH), dtype=np.int32)
        merge_loop.lay_out(rows, text, ends, weights)
        heavy = weights[weights > merge_loop.MOST_WEIGHT]
        places = np.empty(merge_loop.PLACES_A_ROW * text.size, dtype=np.int32)
        self._pairs, self._heap = merge_loop.index_pairs(rows, heavy, places, self._state)
        pairs = self._pairs[: self._state[merge_loop.PAIRS]]
        most_places = int((pairs[:, merge_loop.END] - pairs[:, merge_loop.START]).max(initial=0))
        self._corpus = merge_loop.Corpus(
            rows,
            heavy,
            places,
            notes=np.empty((2 * most_places, 2), dtype=np.int32),
            widths=np.ones(most_ids, dtype=np.int64),
            by_left=np.full(most_ids, merge_loop.NONE, dtype=np.int64),
            by_right=np.full(most_ids, merge_loop.NONE, dtype=np.int64),
        )
        self.token_counts: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        """Tokens in the corpus after each merge of the latest step."""

    @property
    def token_count(self) -> int:
        """Tokens in the corpus after the last merge."""
        return int(self._state[merge_loop.TOKEN_COUNT])

    @property
    def merge_count(self) -> int:
        """Merges learned so far."""
        return int(self._state[merge_loop.NEXT_TOKEN_ID]) - BYTES

    @property
    def done(self) -> bool:
        """Whether the vocabulary is full or no pair is left."""
        return BYTES + self.merge_count >= self.vocab_size or self.out_of_pairs

    @property
    def out_of_pairs(self) -> bool:
        """Whether no pair occurs at least `min_count` times."""
        corpus = self._corpus
        best = merge_loop.best_pair(corpus.rows, corpus.places, self._pairs, self._heap, self._state)
        return bool(best == merge_loop.NONE or self._pairs[best, merge_loop.COUNT] < self.min_count)

    def step(self, n: int = 1) -> list[Merge]:
        """Learn the next `n` merges; return fewer, or none, if training ends."""
        first_id = BYTES + self.merge_count
        room = np.empty((max(0, min(n, self.vocab_size - first_id, self._most_merges())), 4), dtype=np.int64)
        self._pairs, self._heap, learned = merge_loop.merge_best(
            self._corpus, self._pairs, self._heap, self._state, room, self.min_count
        )
        self.token_counts = room[:learned, 3]
        return [
            Merge(left, right, token_id, count)
            for token_id, (left, right, count) in enumerate(room[:learned, :3].tolist(), first_id)
        ]

    def join(self, left: int, right: int) -> Merge:
        """Merge this pair next, even if other pairs occur more often: "what if the other pair had won?"

        Raises `TrainingError` if the pair does not occur in the corpus, or the vocabulary is full.

        >>> trainer = Trainer({"abab": 1}, 300)
        >>> trainer.join(98, 97)
        Merge(left=98, right=97, token_id=256, count=1)
        >>> trainer.step(1)
        [Merge(left=97, right=256, token_id=257, count=1)]
        """
        pairs = self._pairs[: self._state[merge_loop.PAIRS]]
        wanted = (pairs[:, merge_loop.LEFT] == left) & (pairs[:, merge_loop.RIGHT] == right)
        found = np.flatnonzero(wanted & (pairs[:, merge_loop.COUNT] > 0))
        if not found.size or BYTES + self.merge_count >= self.vocab_size:
            raise TrainingError(
                "the pair to merge must occur in the corpus, and the vocabulary must not be full;"
                f" ({left}, {right}) came",
                "pair_not_found",
                left=left,
                right=right,
            )
        merge = Merge(left, right, BYTES + self.merge_count, int(pairs[found[0], merge_loop.COUNT]))
        self._pairs, self._heap = merge_loop.merge_pair(
            self._corpus, self._pairs, self._heap, self._state, found[0]
        )
        self.token_counts = self._state[[merge_loop.TOKEN_COUNT]]
        return merge

    def candidates(self, n: int = 10) -> list[Candidate]:
        """Return the `n` best pairs of this round, ordered by count; ties by first occurrence in the corpus.

        The first pair is merged next. Pairs that occur fewer than `min_count` times cannot win, and are left out.

        >>> [tuple(candidate) for candidate in Trainer({"abab": 1}, 300).candidates()]
        [(97, 98, 2), (98, 97, 1)]
        """
        pairs = self._pairs[: self._state[merge_loop.PAIRS]]
        counts = pairs[:, merge_loop.COUNT]
        # Keep all pairs at least as frequent as the n-th, so that their positions settle ties at the edge.
        nth = int(np.partition(counts, -n)[-n]) if n < len(counts) else 0
        least = max(self.min_count, nth)
        chosen = np.flatnonzero(counts >= least)
        firsts = np.empty(chosen.size, dtype=np.int64)
        merge_loop.first_places(self._corpus.rows, self._corpus.places, self._pairs, chosen, firsts)
        order = np.lexsort((firsts, -counts[chosen]))[:n]
        columns = [merge_loop.LEFT, merge_loop.RIGHT, merge_loop.COUNT]
        return [Candidate(*row) for row in pairs[chosen[order]][:, columns].tolist()]

    @property
    def ties(self) -> int:
        """Other pairs that occur as often as the pair merged next."""
        counts = self._pairs[: self._state[merge_loop.PAIRS], merge_loop.COUNT]
        most = counts.max(initial=0)
        return int(np.count_nonzero(counts == most)) - 1 if most >= self.min_count else 0

    def _most_merges(self) -> int:
        """Return an upper bound on the merges still possible: each one joins two rows."""
        return len(self._corpus.by_left) - 1 - self.merge_count


def train(
    text: str | Iterable[str],
    vocab_size: int,
    *,
    pattern: str = "mark_aware",
    special_tokens: Iterable[str] = (),
    threads: int = 1,
) -> Tokenizer:
    """Train a tokenizer on one text or on several; no pair crosses from one text to the next.

    `pattern` is a name in `SPLIT_PATTERNS` or a regular expression. The vocabulary is smaller than
    `vocab_size` if the text runs out of pairs. Several `threads` count pretokens at once.

    >>> train("aaabdaaabac", 259, pattern="none").encode("aaab")
    [258]
    """
    check_vocab_size(vocab_size)
    trainer = Trainer(counted_pretokens(text, pattern, threads=threads), vocab_size)
    merges = [(merge.left, merge.right) for merge in trainer.step(vocab_size)]
    return Tokenizer(merges, pattern=pattern, special_tokens=special_tokens)


def check_vocab_size(vocab_size: int) -> None:
    """Refuse a vocabulary size that cannot hold the 256 bytes."""
    if vocab_size < BYTES:
        raise TrainingError(
            f"the vocabulary size must be at least {BYTES}, one entry per byte; {vocab_size} came",
            "vocab_size_low",
            size=vocab_size,
        )


def _as_arrays(pretoken_counts: Mapping[str, int] | PretokenCounts) -> PretokenCounts:
    """Check the counts, and return them in arrays."""
    if not isinstance(pretoken_counts, PretokenCounts):
        for pretoken, count in pretoken_counts.items():
            if not 1 <= count <= MAX_COUNT:
                raise _count_out_of_range(pretoken, count)
        check_text("".join(pretoken_counts))
        pretoken_counts = PretokenCounts.of(pretoken_counts)
    text, ends, counts = pretoken_counts
    lengths = np.diff(ends, prepend=0)
    if ends.shape != counts.shape or (lengths < 0).any() or lengths.sum() != text.size:
        raise ValueError("the arrays of counted pretokens must fit together: an end and a count for each")
    for row in np.flatnonzero((counts < 1) | (counts > MAX_COUNT))[:1]:
        found = text[ends[row] - lengths[row] : ends[row]].tobytes()
        raise _count_out_of_range(found.decode("utf-8", errors="replace"), int(counts[row]))
    _check_sizes(text.size, float(np.multiply(lengths, counts, dtype=np.float64).sum()))
    text = text.view()
    text.flags.writeable = False  # numba compiles anew for bytes that may be written
    return PretokenCounts(text, ends, counts)


def _check_sizes(distinct: int, total: float) -> None:
    """Refuse what the loop has no numbers for: positions have 31 bits, and sums of counts 63."""
    if distinct > MAX_DISTINCT_BYTES:
        raise TrainingError(
            f"the distinct pretokens must have at most {MAX_DISTINCT_BYTES:,} bytes; these have {distinct:,}",
            "pretokens_large",
            limit=MAX_DISTINCT_BYTES,
            bytes=distinct,
        )
    if total > MAX_COUNT:
        raise TrainingError(
            f"all pretokens together must have at most {MAX_COUNT:,} bytes; these have more",
            "pretokens_total",
            limit=MAX_COUNT,
        )


def _count_out_of_range(pretoken: str, count: int) -> TrainingError:
    return TrainingError(
        f"a pretoken must occur 1 to {MAX_COUNT:,} times; {pretoken!r} came with {count}",
        "pretoken_count_range",
        pretoken=pretoken,
        count=count,
    )
