"""Training in two stages: first inside letters with their marks, then as a split pattern allows.

The first merges are learned from grapheme clusters alone, so that whole letters become tokens before anything
crosses from one letter into half of the next. Then training goes on with the split pattern from those merges. What
comes out is an ordinary tokenizer: plain merges, plain pattern, and encoding gives exactly the tokens of training.
"""

from collections.abc import Iterable, Iterator

from tokenizer_core.errors import TrainingError
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Merge, Trainer, check_vocab_size
from tokenizer_core.vocabulary import BYTES, Pair

CLUSTERS = r"\X"
"""The split pattern of the first stage."""
FIRST_MERGES = 256
"""Merges of the first stage. With 1.8 MB of Thai and 8,192 entries, on lines held out, cuts inside clusters fall
from 3.9 % to 1.1 % and tokens from 43,079 to 42,892; with 512 to 0.4 %, for 0.2 % more tokens than with 256."""


def cluster_merges(texts: str | Iterable[str], merges: int = FIRST_MERGES, *, min_count: int = 1) -> list[Pair]:
    """The first stage: the merges learned inside grapheme clusters, fewer where no pair is left.

    >>> pairs = cluster_merges("ที่ ที่", 4)
    >>> Tokenizer(pairs).vocabulary[-1].decode()
    'ที'
    """
    trainer = Trainer(count_pretokens(texts, CLUSTERS), BYTES + merges, min_count)
    return [(merge.left, merge.right) for merge in trainer.step(merges)]


def train_in_two_stages(
    texts: str | Iterable[str],
    vocab_size: int,
    *,
    first_merges: int = FIRST_MERGES,
    pattern: str = "mark_aware",
    min_count: int = 1,
) -> Tokenizer:
    """Train on clusters first and on the pretokens of a pattern after that.

    >>> train_in_two_stages("aaabdaaabac", 259, pattern="none").encode("aaab")
    [258]
    """
    check_vocab_size(vocab_size)
    kept = [texts] if isinstance(texts, str) else list(texts)
    trainer = Trainer(count_pretokens(kept, pattern), vocab_size, min_count)
    given = cluster_merges(kept, min(first_merges, vocab_size - BYTES), min_count=min_count)
    joined = [(merge.left, merge.right) for merge in join_while_found(trainer, given)]
    learned = [(merge.left, merge.right) for merge in trainer.step(vocab_size)]
    return Tokenizer([*joined, *learned], pattern=pattern)


def join_while_found(trainer: Trainer, pairs: Iterable[Pair]) -> Iterator[Merge]:
    """Join these pairs one after another, up to the first that the split pattern cuts apart wherever it stands."""
    for pair in pairs:
        try:
            yield trainer.join(*pair)
        except TrainingError:
            return
