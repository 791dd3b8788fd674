"""The settings of a training: texts or counts, size, pattern and stop rules; and what else decides its merges."""

import hashlib
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeVar

import msgspec
import numpy as np
import regex
from msgspec import Meta

from tokenizer_core.bpe.special_tokens import assign_ids
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.corpus_counts.counts import CountsRecipe, Sha256, Total
from tokenizer_core.errors import CountsError, TrainingError, refused_field
from tokenizer_core.patterns.split_patterns import MAX_PATTERN_LENGTH

Id = Annotated[int, Meta(ge=0, lt=2**31)]
Size = Annotated[int, Meta(ge=BYTES, lt=2**31)]
"""The 256 bytes and merges."""
Positive = Annotated[float, Meta(gt=0)]
Each = TypeVar("Each")
ParityUnit = Literal["lines", "characters", "bytes"]
Pace = Positive | Literal["gathering"] | None
"""Merges per second; None means full speed. "gathering" starts slowly, for people, and gains speed."""


@dataclass(frozen=True)
class CountedCorpus:
    """A counts file that was read and found whole."""

    recipe: CountsRecipe
    sha256: Sha256
    """The result of `Counts.sha256`."""
    characters: Total
    """Characters of all pretokens, repeated ones included, without those that were dropped."""
    distinct: Total
    """Distinct pretokens."""
    content: bytes = field(default=b"", repr=False, compare=False)
    """The file; empty once it is no longer kept."""

    @property
    def bytes_each(self) -> float:
        """UTF-8 bytes of each character that was counted."""
        return (self.recipe.bytes_read - self.recipe.dropped_bytes) / max(1, self.characters)

    def forgotten(self) -> Self:
        """Return the same without the file."""
        return replace(self, content=b"")

    def described(self) -> dict[str, Any]:
        """Return everything except the file, in a form that JSON can hold."""
        described = asdict(self.forgotten())
        del described["content"]
        return described

    @classmethod
    def from_description(cls, found: Mapping[str, Any], content: bytes = b"") -> Self:
        """Return what was described, with every value checked; raise `CountsError` if one is wrong."""
        try:
            return msgspec.convert({**found, "content": content}, cls)
        except msgspec.ValidationError as error:
            raise CountsError("counts_recipe", field=refused_field(error)) from None


class Counting(NamedTuple):
    """How far the counting of a corpus is."""

    done: int
    """Bytes."""
    size: int
    """Bytes of the whole corpus; 0 while that is unknown, as for a counts file."""
    seconds: float


@dataclass(frozen=True)
class Goal:
    """A text to encode in fewer than `tokens` tokens."""

    text: str
    tokens: Id
    reference: str = ""
    """The name of the reference tokenizer that needs `tokens` tokens for the text."""


@dataclass(frozen=True)
class StopRules:
    """When to stop before the vocabulary is full."""

    min_count: Annotated[int, Meta(ge=1, lt=2**31)] = 1
    """The lowest count at which a pair is still merged."""
    max_seconds: Positive | None = None
    """Seconds of learning, without pauses."""
    beat: Goal | None = None


@dataclass(frozen=True)
class Training:
    """Everything that decides a training, and the name of its corpus for people."""

    texts: Sequence[str]
    vocab_size: Size
    pattern: Annotated[str, Meta(max_length=MAX_PATTERN_LENGTH)] = "mark_aware"
    special_tokens: Sequence[str] | Mapping[str, Id] = ()
    """Special tokens, which get the ids after the last merge, or special tokens with ids of their own."""
    stop: StopRules = StopRules()
    pace: Pace = None
    corpus_name: Annotated[str, Meta(max_length=1000)] = ""
    given: Sequence[tuple[Id, Id]] = ()
    """Pairs to merge first, whatever their counts."""
    first_merges: Id = 0
    """Merges to learn first inside grapheme clusters, as `cluster_merges` does."""
    counts: CountedCorpus | None = None
    """Counted pretokens to learn from in place of texts; the pattern must be theirs."""

    parity: bool = False
    """Whether each merge is chosen by the language that has the most tokens per unit: parity-aware BPE."""
    languages: tuple[Annotated[str, Meta(max_length=40)], ...] = ()
    """With `parity`, the language of each text; without it, each text is a language of its own."""
    unit: ParityUnit | Literal[""] = ""
    """With `parity`, what the tokens of a language are divided by; "" for the lines of `measured`."""
    measured: Sequence[str] = ()
    """With `parity` and no unit, for each text another one in its language; their lines say the same."""
    superwords_from: Size | None = None
    """The vocabulary size from which on tokens may cross pretokens, as for `train`; None for never."""

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
        """What is kept in memory to learn from: the texts and what is measured, or the counts file."""
        return [*self.texts, *self.measured] if self.counts is None else [self.counts.content]

    @property
    def first_size(self) -> int:
        """The vocabulary size up to which no token crosses pretokens."""
        return self.vocab_size if self.superwords_from is None else min(self.superwords_from, self.vocab_size)

    def check(self) -> None:
        """Refuse special tokens whose ids collide, and tokens across spaces without texts or by parity."""
        self.special_ids(self.vocab_size)
        if self.superwords_from is not None and self.counts is not None:
            raise TrainingError("superwords_counts")
        if self.superwords_from is not None and self.parity:
            raise TrainingError("superwords_parity")

    def by_language(self, texts: Sequence[Each]) -> list[list[Each]]:
        """Return the texts of each language, in the order in which languages first appear.

        >>> Training((), 300, parity=True, languages=("th", "en", "th")).by_language(["ก", "a", "ข"])
        [['ก', 'ข'], ['a']]
        """
        if not self.languages:
            return [[text] for text in texts]
        groups: dict[str, list[Each]] = {language: [] for language in self.languages}
        for language, text in zip(self.languages, texts, strict=True):
            groups[language].append(text)
        return list(groups.values())

    def forgotten(self) -> "Training":
        """Return the same settings without the texts, and without the content of the counts file."""
        return replace(self, texts=(), measured=(), counts=self.counts and self.counts.forgotten())

    def special_ids(self, first_free_id: int) -> dict[str, int]:
        """Return the ids of the special tokens if the merges have the ids below this one."""
        return assign_ids(self.special_tokens, first_free_id)

    def described(self) -> dict[str, Any]:
        """Return everything except the texts or the counts file, in a form that JSON can hold."""
        described = asdict(replace(self, texts=(), measured=(), counts=None))
        del described["counts"], described["measured"]
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


def corpus_hash(texts: Iterable[str | bytes]) -> str:
    """Return the SHA-256, in hexadecimal, over each text's length in bytes and its UTF-8, which bytes are already.

    A length takes eight bytes, little-endian. The lengths distinguish ["ab", "c"] from ["a", "bc"].

    >>> corpus_hash(["ab", "c"])[:8], corpus_hash(["a", "bc"])[:8]
    ('43ee6555', '9a8acca1')
    """
    digest = hashlib.sha256()
    for text in texts:
        encoded = text if isinstance(text, bytes) else text.encode("utf-8", errors="surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()


def software_versions() -> dict[str, str]:
    """Return the versions of what decides the merges."""
    return {"python": platform.python_version(), "regex": regex.__version__, "numpy": np.__version__}
