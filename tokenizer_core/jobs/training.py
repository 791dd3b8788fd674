"""The settings of a training: its texts or its counts, size and pattern, and its stop rules."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from tokenizer_core.jobs.counted import CountedCorpus
from tokenizer_core.special_tokens import assign_ids
from tokenizer_core.vocabulary import Pair

Pace = float | Literal["gathering"] | None
"""Merges per second; None means full speed. "gathering" starts slowly, for people, and gains speed."""


@dataclass(frozen=True)
class Goal:
    """A text to encode in fewer than `tokens` tokens."""

    text: str
    tokens: int
    reference: str = ""
    """The name of the reference tokenizer that needs `tokens` tokens for the text."""


@dataclass(frozen=True)
class StopRules:
    """When to stop before the vocabulary is full."""

    min_count: int = 1
    """The lowest count at which a pair is still merged."""
    max_seconds: float | None = None
    """Seconds of learning, without pauses."""
    beat: Goal | None = None


@dataclass(frozen=True)
class Training:
    """Everything that decides a training, and the name of its corpus for people."""

    texts: Sequence[str]
    vocab_size: int
    pattern: str = "mark_aware"
    special_tokens: Sequence[str] | Mapping[str, int] = ()
    """Special tokens, which get the ids after the last merge, or special tokens with ids of their own."""
    stop: StopRules = StopRules()
    pace: Pace = None
    corpus_name: str = ""
    given: Sequence[Pair] = ()
    """Pairs to merge first, whatever their counts."""
    first_merges: int = 0
    """Merges to learn first inside grapheme clusters, as `two_stage` does."""
    counts: CountedCorpus | None = None
    """Counted pretokens to learn from in place of texts; the pattern must be theirs."""

    @property
    def has_corpus(self) -> bool:
        """Whether there is something to learn from: texts, or a counts file."""
        return bool(self.texts or (self.counts is not None and self.counts.content))

    @property
    def characters(self) -> int:
        """Characters to learn from."""
        return self.counts.characters if self.counts else sum(map(len, self.texts))

    @property
    def held(self) -> Sequence[str | bytes]:
        """What is kept in memory to learn from: the texts, or the counts file."""
        return self.texts if self.counts is None else [self.counts.content]

    def forgotten(self) -> "Training":
        """Return the same settings without the texts, and without the content of the counts file."""
        return replace(self, texts=(), counts=self.counts and self.counts.forgotten())

    def special_ids(self, first_free_id: int) -> dict[str, int]:
        """Return the ids of the special tokens if the merges have the ids below this one."""
        return assign_ids(self.special_tokens, first_free_id)

    def described(self) -> dict[str, Any]:
        """Return everything except the texts or the counts file, in a form that JSON can hold."""
        described = asdict(replace(self, texts=(), counts=None))
        del described["counts"]
        return described | ({"counts": self.counts.described()} if self.counts else {})

    @classmethod
    def from_description(cls, description: Mapping[str, Any]) -> "Training":
        """Return the training of a description; it has no texts.

        >>> training = Training(["a text"], 300, stop=StopRules(2, beat=Goal("a", 1)))
        >>> Training.from_description(training.described()) == Training((), 300, stop=training.stop)
        True
        """
        stop = description["stop"]
        beat = Goal(**stop["beat"]) if stop["beat"] else None
        counts = description.get("counts")
        return cls(
            **{
                **description,
                "stop": StopRules(**{**stop, "beat": beat}),
                "counts": CountedCorpus.from_description(counts) if counts else None,
            }
        )
