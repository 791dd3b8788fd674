"""What is to be trained: texts, size, pattern, and the rules to stop by."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tokenizer_core.vocabulary import Pair


@dataclass(frozen=True)
class Goal:
    """A text, and the number of tokens that it shall fall below."""

    text: str
    tokens: int
    reference: str = ""
    """The name of the reference tokenizer that needs this many tokens for it."""


@dataclass(frozen=True)
class StopRules:
    """When to stop before the vocabulary is full."""

    min_count: int = 1
    """The least count of a pair that is still merged."""
    max_seconds: float | None = None
    """Seconds of learning, pauses left out."""
    beat: Goal | None = None


@dataclass(frozen=True)
class Training:
    """All that decides a training, and a name for people."""

    texts: Sequence[str]
    vocab_size: int
    pattern: str = "mark_aware"
    special_tokens: Sequence[str] = ()
    stop: StopRules = StopRules()
    pace: float | None = None
    """Merges per second; None is full speed."""
    corpus_name: str = ""
    given: Sequence[Pair] = ()
    """Pairs to merge first, whatever their counts."""
    first_merges: int = 0
    """Merges to learn inside grapheme clusters first, as `two_stage` does."""

    def described(self) -> dict[str, Any]:
        """All of it but the texts, as JSON can carry it."""
        return asdict(replace(self, texts=()))

    @classmethod
    def from_description(cls, description: Mapping[str, Any]) -> "Training":
        """The training that was described; it has no texts.

        >>> training = Training(["a text"], 300, stop=StopRules(2, beat=Goal("a", 1)))
        >>> Training.from_description(training.described()) == Training((), 300, stop=training.stop)
        True
        """
        stop = description["stop"]
        beat = Goal(**stop["beat"]) if stop["beat"] else None
        return cls(**{**description, "stop": StopRules(**{**stop, "beat": beat})})
