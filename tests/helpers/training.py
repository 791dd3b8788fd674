"""Corpora to train on, training in two stages in plain lines, and small trainings for the race."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numba
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, Trainer, count_pretokens
from tokenizer_core.bpe.trainer import FIRST_MERGES, cluster_merges, join_while_found, train
from tokenizer_core.workers.training_settings import Training

runs = st.lists(st.tuples(st.sampled_from("ab c"), st.integers(1, 9)), max_size=12).map(
    lambda pieces: "".join(letter * times for letter, times in pieces)
)
corpora = st.one_of(
    st.text(alphabet="a", max_size=40),
    st.text(alphabet="ab", max_size=60),
    st.text(alphabet="abc ", max_size=80),
    runs,
    st.lists(st.sampled_from(["ab", "ba", "aab", " ab", " ba"]), max_size=30).map("".join),
    st.text(alphabet="กาที่น้ำ ", max_size=40),
    st.text(alphabet="😀👍🏽🇹🇭", max_size=20),
    hostile_texts,
)
patterns = st.sampled_from([*SPLIT_PATTERNS, "[ab]+", "."])


def train_in_two_stages(
    texts: str | Iterable[str],
    vocab_size: int,
    *,
    first_merges: int = FIRST_MERGES,
    pattern: str = "mark_aware",
    min_count: int = 1,
) -> Tokenizer:
    """Train inside grapheme clusters first, then inside the pretokens of a pattern, as a worker does."""
    kept = [texts] if isinstance(texts, str) else list(texts)
    trainer = Trainer(count_pretokens(kept, pattern), vocab_size, min_count)
    given = cluster_merges(kept, min(first_merges, vocab_size - 256), min_count=min_count)
    joined = [(merge.left, merge.right) for merge in join_while_found(trainer, given)]
    learned = [(merge.left, merge.right) for merge in trainer.step(vocab_size)]
    return Tokenizer([*joined, *learned], pattern=pattern)


@cache
def called_from_python(inner: Any) -> Any:
    """Return a function that Python can call in place of this one."""
    return numba.njit(lambda *values: inner(*values))


def own(text: str = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ the cat sat on the mat " * 5, size: int = 330) -> Tokenizer:
    return train(text, size)


class Learned:
    """What the race reads of a training: its tokenizer, and the texts that it keeps."""

    ended = True
    superwords_after = None

    def __init__(self, tokenizer: Tokenizer, texts: Sequence[str] = (), name: str = "learned") -> None:
        self.id = name
        self.training = Training(texts, tokenizer.vocab_size)
        self.tokenizer = lambda: tokenizer


def learned(tokenizer: Tokenizer, texts: Sequence[str] = (), name: str = "learned") -> Any:
    """A training that has learned this."""
    return Learned(tokenizer, texts, name)
