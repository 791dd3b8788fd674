"""Train byte-level BPE fast and step by step, with exactly the merges of `reference.train_by_definition`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.training_corpus import IndexedCorpus, PlainCorpus
from tokenizer_core.bpe.vocabulary import BYTES, Pair
from tokenizer_core.errors import TrainingError
from tokenizer_core.kernels.compiled import are_ready
from tokenizer_core.kernels.encode_loop import MAX_ENTRIES
from tokenizer_core.patterns.pretokens import PretokenCounts, check_text, count_pretokens, counted_pretokens
from tokenizer_core.patterns.split_patterns import SUPERWORDS

MAX_COUNT = 2**62 - 1
"""The largest count of a pretoken, and of all bytes: the loop adds up counts in 63 bits."""
MAX_DISTINCT_BYTES = 2**31 - 1
"""The loop has 31 bits for a position."""
MOST_REPLAYED = 3_000
"""Given merges up to this number are made one by one, more of them at once by encoding. Measured on 4.6 MB of Thai
and English: of 595 merges, one by one takes 0.4 s and at once 1.3 s; of 2,995, 0.8 and 0.7 s; of 12,595, 1.4 and
0.6 s."""
FIRST_MERGES = 256
"""Merges of the first of two stages. Measured on held-out lines, with 1.8 MB of Thai and 8,192 entries: cuts
inside clusters fall from 3.9 % to 1.1 %, and tokens from 43,079 to 42,892. With 512 merges, they are 0.4 %, for
0.2 % more tokens than with 256."""


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
    `min_count` times. Memory: 16 to 28 bytes per UTF-8 byte of distinct pretokens, plus 16 per occurrence of the
    commonest pair.

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
        self,
        pretoken_counts: Mapping[str, int] | PretokenCounts,
        vocab_size: int,
        min_count: int = 1,
        *,
        merges: Sequence[Pair] = (),
    ) -> None:
        """Create a trainer; `pretoken_counts` are in order of first appearance, which decides ties.

        It makes the given `merges` first, and learns on; those without a place get an id too.
        """
        check_vocab_size(vocab_size)
        check_min_count(min_count)
        self.vocab_size = vocab_size
        self.min_count = min_count
        pretokens = arrays_of(pretoken_counts)
        self._most = pretokens.text.size + len(merges)
        if are_ready() or not PlainCorpus.can_hold(*pretokens):
            self._corpus: IndexedCorpus | PlainCorpus = self._indexed(pretokens, merges)
        else:
            self._corpus = PlainCorpus(*pretokens)
            for pair in merges:
                self._corpus.merge_or_skip(*pair)
        self.token_counts: list[int] = []
        """Tokens in the corpus after each merge of the latest step."""

    @property
    def token_count(self) -> int:
        """Tokens in the corpus after the last merge."""
        return self._corpus.token_count

    @property
    def merge_count(self) -> int:
        """Merges learned so far."""
        return self._corpus.next_token_id - BYTES

    @property
    def done(self) -> bool:
        """Whether the vocabulary is full or no pair is left."""
        return BYTES + self.merge_count >= self.vocab_size or self.out_of_pairs

    @property
    def out_of_pairs(self) -> bool:
        """Whether no pair occurs at least `min_count` times."""
        return self._corpus.best()[2] < self.min_count

    def step(self, n: int = 1) -> list[Merge]:
        """Learn the next `n` merges; return fewer, or none, if training ends."""
        first_id = BYTES + self.merge_count
        n = min(n, self.vocab_size - first_id)
        rows: list[list[int]] = []
        while len(rows) < n:
            self._use_loops_if_ready()
            if not (more := self._corpus.merge_best(n - len(rows), self.min_count)):
                break
            rows += more
        self.token_counts = [tokens for *_, tokens in rows]
        return [Merge(left, right, first_id + i, count) for i, (left, right, count, _) in enumerate(rows)]

    def join(self, left: int, right: int) -> Merge:
        """Merge this pair next, even if other pairs occur more often: "what if the other pair had won?"

        Raises `TrainingError` if the pair does not occur in the corpus, or the vocabulary is full.

        >>> trainer = Trainer({"abab": 1}, 300)
        >>> trainer.join(98, 97)
        Merge(left=98, right=97, token_id=256, count=1)
        >>> trainer.step(1)
        [Merge(left=97, right=256, token_id=257, count=1)]
        """
        self._use_loops_if_ready()
        token_id = BYTES + self.merge_count
        count = self._corpus.merge(left, right) if token_id < self.vocab_size else 0
        if not count:
            raise TrainingError("pair_not_found", left=left, right=right)
        self.token_counts = [self.token_count]
        return Merge(left, right, token_id, count)

    def candidates(self, n: int = 10) -> list[Candidate]:
        """Return the `n` best pairs of this round, ordered by count; ties by first occurrence in the corpus.

        The first pair is merged next. Pairs that occur fewer than `min_count` times cannot win, and are left out.

        >>> [tuple(candidate) for candidate in Trainer({"abab": 1}, 300).candidates()]
        [(97, 98, 2), (98, 97, 1)]
        """
        return [Candidate(*row) for row in self._corpus.candidates(n, self.min_count)]

    @property
    def ties(self) -> int:
        """Other pairs that occur as often as the pair merged next."""
        return 0 if self.out_of_pairs else self._corpus.ties

    def _use_loops_if_ready(self) -> None:
        """Move what plain Python has learned into the compiled loop as soon as that is ready."""
        if isinstance(self._corpus, PlainCorpus) and are_ready():
            self._corpus = self._indexed(PretokenCounts(*self._corpus.pretokens), self._corpus.merges)

    def _indexed(self, pretokens: PretokenCounts, merges: Sequence[Pair] = ()) -> IndexedCorpus:
        """Index the corpus as it is after these merges: encoding makes many of them faster than merging does."""
        text, ends, counts = pretokens
        size, most = self.vocab_size, self._most
        if len(merges) <= MOST_REPLAYED:
            corpus = IndexedCorpus(text, ends, counts, size, merged_bytes=most)
            for pair in merges:
                corpus.merge_or_skip(*pair)
            return corpus
        ids, stops = Tokenizer(merges).encode_pretokens(text, ends)
        return IndexedCorpus(ids, stops, counts, size, merged_bytes=most, merges=len(merges))


def train(
    text: str | Iterable[str],
    vocab_size: int,
    *,
    pattern: str = "mark_aware",
    special_tokens: Iterable[str] = (),
    threads: int = 1,
    superwords_from: int | None = None,
) -> Tokenizer:
    """Train a tokenizer on one text or on several; no pair crosses from one text to the next.

    `pattern` is a name in `SPLIT_PATTERNS` or a regular expression. The vocabulary is smaller than
    `vocab_size` if the text runs out of pairs. Several `threads` count pretokens at once. From the vocabulary size
    `superwords_from` on, tokens may cross pretokens, as `reference.train_superwords_by_definition` defines.

    >>> train("aaabdaaabac", 259, pattern="none").encode("aaab")
    [258]
    """
    check_vocab_size(vocab_size)
    texts = [text] if isinstance(text, str) else text if superwords_from is None else list(text)
    first = vocab_size if superwords_from is None else min(superwords_from, vocab_size)
    trainer = Trainer(counted_pretokens(texts, pattern, threads=threads), first)
    merges = [(merge.left, merge.right) for merge in trainer.step(vocab_size)]
    if superwords_from is not None:
        pattern = SUPERWORDS
        trainer = Trainer(counted_pretokens(texts, pattern, threads=threads), vocab_size, merges=merges)
        merges += [(merge.left, merge.right) for merge in trainer.step(vocab_size)]
    return Tokenizer(merges, pattern=pattern, special_tokens=special_tokens)


def cluster_merges(texts: str | Iterable[str], merges: int = FIRST_MERGES, *, min_count: int = 1) -> list[Pair]:
    """Learn the merges of the first of two stages, inside grapheme clusters; fewer if no pair is left.

    The second stage continues from them with a split pattern. So whole letters with their marks become tokens
    before any token joins one letter to half of the next, and the result is an ordinary tokenizer.

    >>> pairs = cluster_merges("ที่ ที่", 4)
    >>> Tokenizer(pairs).vocabulary[-1].decode()
    'ที'
    """
    trainer = Trainer(count_pretokens(texts, r"\X"), BYTES + merges, min_count)
    return [(merge.left, merge.right) for merge in trainer.step(merges)]


class Joins(Protocol):
    """A trainer that can merge a given pair next."""

    def join(self, left: int, right: int) -> Merge: ...


def join_while_found(trainer: Joins, pairs: Iterable[Pair]) -> Iterator[Merge]:
    """Merge these pairs in order; stop at the first pair that the split pattern cuts apart everywhere."""
    for pair in pairs:
        try:
            yield trainer.join(*pair)
        except TrainingError:
            return


def check_vocab_size(vocab_size: int) -> None:
    """Refuse a vocabulary size that cannot hold the 256 bytes, and one that no tokenizer can have."""
    if vocab_size < BYTES:
        raise TrainingError("vocab_size_low", size=vocab_size)
    if vocab_size > MAX_ENTRIES:
        raise TrainingError("vocabulary_too_many", entries=vocab_size, limit=MAX_ENTRIES)


def check_min_count(min_count: int) -> None:
    """Refuse a count that no pair can have."""
    if min_count < 1:
        raise TrainingError("min_count_low", count=min_count)


def arrays_of(pretoken_counts: Mapping[str, int] | PretokenCounts) -> PretokenCounts:
    """Check the counts, and return them in arrays."""
    if not isinstance(pretoken_counts, PretokenCounts):
        for pretoken, count in pretoken_counts.items():
            if not 1 <= count <= MAX_COUNT:
                raise TrainingError("pretoken_count_range", pretoken=pretoken, count=count)
        check_text("".join(pretoken_counts))
        pretoken_counts = PretokenCounts.of(pretoken_counts)
    text, ends, counts = pretoken_counts
    lengths = np.diff(ends, prepend=0)
    if ends.shape != counts.shape or (lengths < 0).any() or lengths.sum() != text.size:
        raise ValueError("the arrays of counted pretokens must fit together: an end and a count for each")
    for row in np.flatnonzero((counts < 1) | (counts > MAX_COUNT))[:1]:
        found = text[ends[row] - lengths[row] : ends[row]].tobytes()
        pretoken = found.decode("utf-8", errors="replace")
        raise TrainingError("pretoken_count_range", pretoken=pretoken, count=int(counts[row]))
    if text.size > MAX_DISTINCT_BYTES:
        raise TrainingError("pretokens_large", limit=MAX_DISTINCT_BYTES, bytes=text.size)
    if float(np.multiply(lengths, counts, dtype=np.float64).sum()) > MAX_COUNT:
        raise TrainingError("pretokens_total", limit=MAX_COUNT)
    text = text.view()
    text.flags.writeable = False  # numba compiles anew for bytes that may be written
    return PretokenCounts(text, ends, counts)
