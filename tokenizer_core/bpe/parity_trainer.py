"""Parity-aware BPE: train so that each group of texts, such as a language, pays the same in tokens.

Source: Foroutan, Meister et al., arXiv 2508.04796. `reference.train_with_parity_by_definition` is the definition.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tokenizer_core.bpe.trainer import Candidate, Merge, arrays_of, check_min_count, check_vocab_size
from tokenizer_core.bpe.training_corpus import IndexedCorpus, PlainCorpus
from tokenizer_core.bpe.vocabulary import BYTES, Pair
from tokenizer_core.errors import TrainingError
from tokenizer_core.kernels import merge_loop
from tokenizer_core.kernels.compiled import are_ready
from tokenizer_core.patterns.pretokens import PretokenCounts

AnyCorpus = IndexedCorpus | PlainCorpus


class Group(NamedTuple):
    """Texts that are to pay as much as the other groups, such as those of a language."""

    trained: Mapping[str, int] | PretokenCounts
    """The pretokens of its training text, in order of first appearance, with their counts."""
    unit: int
    """What its tokens are divided by: the bytes, characters or lines of the measured text."""
    measured: Mapping[str, int] | PretokenCounts | None = None
    """The pretokens of the text whose tokens are counted; None for the training text."""


class ParityTrainer:
    """Learns merges, each chosen by the group whose measured text then has the most tokens per unit.

    The first `global_merges` are chosen by all groups together. Methods are those of `Trainer`.

    >>> trainer = ParityTrainer([Group({"aaaa": 1}, 4), Group({"bbcbbc": 1}, 4)], 258)
    >>> [tuple(merge) for merge in trainer.step(2)], trainer.served
    ([(98, 98, 256, 2), (97, 97, 257, 3)], [1, 0])
    """

    def __init__(
        self, groups: Sequence[Group], vocab_size: int, min_count: int = 1, *, global_merges: int = 0
    ) -> None:
        """Create a trainer; the order of the groups decides ties between them."""
        check_vocab_size(vocab_size)
        check_min_count(min_count)
        if not groups or min(group.unit for group in groups) < 1:
            raise TrainingError("groups_empty")
        self.vocab_size = vocab_size
        self.min_count = min_count
        self._units = np.array([group.unit for group in groups], dtype=np.int64)
        trained = [arrays_of(group.trained) for group in groups]
        self._bytes = sum(pretokens.text.size for pretokens in trained)
        self._trained = [self._corpus_of(pretokens) for pretokens in trained]
        self._scales = [
            corpus if group.measured is None else self._corpus_of(arrays_of(group.measured))
            for group, corpus in zip(groups, self._trained)
        ]
        self._global_merges = global_merges
        self._all = self._corpus_of(joined_counts(trained)) if global_merges else None
        self.served: list[int | None] = []
        """The number of the group that chose each merge of the latest step; None for all together."""
        self.token_counts: list[int] = []
        """Tokens in the training texts of all groups after each merge of the latest step."""
        self.measured_counts: list[list[int]] = []
        """Tokens in the measured text of each group after each merge of the latest step."""

    @property
    def token_count(self) -> int:
        """Tokens in the training texts of all groups after the last merge."""
        return sum(corpus.token_count for corpus in self._trained)

    @property
    def measured_count(self) -> list[int]:
        """Tokens in the measured text of each group after the last merge."""
        return [scale.token_count for scale in self._scales]

    @property
    def merge_count(self) -> int:
        """Merges learned so far."""
        return self._trained[0].next_token_id - BYTES

    @property
    def done(self) -> bool:
        """Whether the vocabulary is full or no pair is left."""
        return BYTES + self.merge_count >= self.vocab_size or self.out_of_pairs

    @property
    def out_of_pairs(self) -> bool:
        """Whether no pair occurs at least `min_count` times in any group, or in all while they choose together."""
        return self._chooser()[1].best()[2] < self.min_count

    @property
    def ties(self) -> int:
        """Other pairs that occur as often as the pair merged next, where it is chosen."""
        return 0 if self.out_of_pairs else self._chooser()[1].ties

    def step(self, n: int = 1) -> list[Merge]:
        """Learn the next `n` merges; return fewer, or none, if training ends."""
        merges: list[Merge] = []
        self.served, self.token_counts, self.measured_counts = [], [], []
        n = min(n, self.vocab_size - BYTES - self.merge_count)
        while len(merges) < n:
            self._use_loops_if_ready()
            serves_all = self.merge_count < self._global_merges
            more = self._next_merge() if serves_all or not _indexed(self._parts) else self._turns(n - len(merges))
            if not more:
                break
            merges += more
        return merges

    def join(self, left: int, right: int) -> Merge:
        """Merge this pair next, whoever's turn it is; the count is that in all training texts.

        Raises `TrainingError` if the pair does not occur in them, or the vocabulary is full.
        """
        self._use_loops_if_ready()
        token_id, before = BYTES + self.merge_count, self.token_count
        count = 0
        if token_id < self.vocab_size and max(left, right) < token_id:
            count = sum(corpus.count(left, right) for corpus in self._trained)
        if not count:
            raise TrainingError("pair_not_found", left=left, right=right)
        self._merge_everywhere((left, right))
        assert self.token_count < before
        self.served, self.token_counts, self.measured_counts = [None], [self.token_count], [self.measured_count]
        return Merge(left, right, token_id, count)

    def candidates(self, n: int = 10) -> list[Candidate]:
        """Return the `n` best pairs of the group that chooses next, ordered by their count in its text."""
        return [Candidate(*row) for row in self._chooser()[1].candidates(n, self.min_count)]

    def next_served(self) -> int | None:
        """Return the number of the group that chooses next; None if all choose together."""
        return self._chooser()[0]

    @property
    def _parts(self) -> list[AnyCorpus]:
        """Each corpus once."""
        everywhere = [*self._trained, *self._scales, *([self._all] if self._all is not None else [])]
        return list({id(corpus): corpus for corpus in everywhere}.values())

    def _chooser(self) -> tuple[int | None, AnyCorpus]:
        """Return who chooses next: of the groups that have a pair, the one with the most tokens per unit."""
        if self._all is not None and self.merge_count < self._global_merges:
            return None, self._all
        served = None
        for group, corpus in enumerate(self._trained):
            if corpus.best()[2] >= self.min_count and (served is None or self._pays_more(group, served)):
                served = group
        return served, self._trained[served or 0]

    def _pays_more(self, group: int, other: int) -> bool:
        tokens, units = self.measured_count, self._units.tolist()
        return bool(tokens[group] * units[other] > tokens[other] * units[group])

    def _next_merge(self) -> list[Merge]:
        """Learn one merge in plain steps; return none if no pair is left."""
        served, chooser = self._chooser()
        left, right, count = chooser.best()
        if count < self.min_count:
            return []
        token_id = BYTES + self.merge_count
        self._merge_everywhere((left, right))
        self.served.append(served)
        self.token_counts.append(self.token_count)
        self.measured_counts.append(self.measured_count)
        return [Merge(left, right, token_id, count)]

    def _turns(self, n: int) -> list[Merge]:
        """Learn up to `n` merges in the compiled loop; return none if no pair is left."""
        trained, scales = (
            tuple(corpus.part for corpus in corpora if isinstance(corpus, IndexedCorpus))
            for corpora in (self._trained, self._scales)
        )
        first_id = BYTES + self.merge_count
        rows = np.empty((n, 4), dtype=np.int64)
        tokens = np.zeros((n, len(self._units) + 1), dtype=np.int64)
        filled, lacks_room = merge_loop.merge_in_turns(trained, scales, self._units, rows, tokens, self.min_count)
        if lacks_room:
            for corpus in self._parts:
                assert isinstance(corpus, IndexedCorpus)
                corpus.make_room()
        if not filled:
            return self._turns(n) if lacks_room else []
        listed: list[list[int]] = tokens[:filled].tolist()
        self.served += rows[:filled, 0].tolist()
        self.token_counts += [row[-1] for row in listed]
        self.measured_counts += [row[:-1] for row in listed]
        learned = enumerate(rows[:filled, 1:].tolist(), first_id)
        return [Merge(left, right, token_id, count) for token_id, (left, right, count) in learned]

    def _merge_everywhere(self, pair: Pair) -> None:
        for corpus in self._parts:
            corpus.merge_or_skip(*pair)
        if self.merge_count >= self._global_merges:
            self._all = None

    def _use_loops_if_ready(self) -> None:
        """Move what plain Python has learned into the compiled loop as soon as that is ready."""
        if not are_ready() or _indexed(self._parts):
            return
        moved = {id(corpus): self._moved(corpus) for corpus in self._parts}
        self._trained = [moved[id(corpus)] for corpus in self._trained]
        self._scales = [moved[id(corpus)] for corpus in self._scales]
        self._all = moved[id(self._all)] if self._all is not None else None

    def _corpus_of(self, pretokens: PretokenCounts) -> AnyCorpus:
        if are_ready() or not PlainCorpus.can_hold(*pretokens):
            return IndexedCorpus(*pretokens, self.vocab_size, merged_bytes=self._bytes)
        return PlainCorpus(*pretokens)

    def _moved(self, corpus: AnyCorpus) -> AnyCorpus:
        if isinstance(corpus, IndexedCorpus):
            return corpus
        indexed = IndexedCorpus(*corpus.pretokens, self.vocab_size, merged_bytes=self._bytes)
        for pair in corpus.merges:
            indexed.merge_or_skip(*pair)
        return indexed


def joined_counts(groups: Sequence[PretokenCounts]) -> PretokenCounts:
    """Return the pretokens of all groups, in order of first appearance, with the sums of their counts."""
    counts: dict[str, int] = {}
    for group in groups:
        for pretoken, count in zip(group.strings(), group.counts.tolist()):
            counts[pretoken] = counts.get(pretoken, 0) + count
    return arrays_of(counts)


def _indexed(corpora: Sequence[AnyCorpus]) -> bool:
    return all(isinstance(corpus, IndexedCorpus) for corpus in corpora)
