"""The counted pretokens of a corpus, with the recipe that says what was counted and how."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

import numpy as np
import regex
from msgspec import Meta
from numpy.typing import NDArray

from tokenizer_core.errors import CountsError
from tokenizer_core.patterns.cutter import Tally
from tokenizer_core.patterns.pretokens import PretokenCounts, counted_pretokens
from tokenizer_core.patterns.split_patterns import MAX_PATTERN_LENGTH, SPLIT_PATTERNS, pattern_source

VERSION = 1
"""Increases when a change makes the same texts count differently."""
MAX_TOTAL = 2**62
"""Largest number of bytes of a corpus: the sum of two such numbers fits in 64 bits."""
Total = Annotated[int, Meta(ge=0, lt=MAX_TOTAL)]
Sha256 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Boundaries = Literal["file", "line"]
"""What is one text: a whole file, or each of its lines. No pretoken crosses from one text to the next."""


@dataclass(frozen=True)
class CountsRecipe:
    """What was counted, and how."""

    pattern: Annotated[str, Meta(max_length=MAX_PATTERN_LENGTH)]
    """The regular expression that cut the texts."""
    boundaries: Boundaries = "file"
    texts: Total = 0
    """Texts read. A text that is read in chunks counts in its first chunk."""
    bytes_read: Total = 0
    """Bytes of these texts as UTF-8."""
    pretokens: Total = 0
    """Pretokens counted, repeated ones included, before any was dropped."""
    dropped: Total = 0
    """Pretokens dropped because they were rare, repeated ones included."""
    dropped_bytes: Total = 0
    min_pretoken_count: Total = 1
    """Pretokens that occurred less often were dropped."""
    short_by: Total = 0
    """The error bound: the corpus holds each pretoken at most this many times more than its count says, where
    the count of a pretoken that was dropped is 0."""
    version: Total = VERSION
    regex_version: Annotated[str, Meta(min_length=1, max_length=40, pattern=r"\A[ -~]+\Z")] = regex.__version__
    """The version of `regex`, whose Unicode tables decide what is a letter."""

    @property
    def pattern_name(self) -> str | None:
        """The name of the pattern; None if a user wrote it."""
        return next((name for name, source in SPLIT_PATTERNS.items() if source == self.pattern), None)

    @property
    def is_of_other_regex(self) -> bool:
        """Whether another version of `regex` cut the texts, for which another character may be a letter."""
        return self.regex_version != str(regex.__version__)

    def joined(self, other: Self) -> Self:
        """Return the recipe of both together; raise `CountsError` if they do not belong together."""
        for name in ("pattern", "boundaries", "version", "regex_version"):
            mine, found = getattr(self, name), getattr(other, name)
            if mine != found:
                raise CountsError("counts_differ", field=name, expected=str(mine), found=str(found))
        if self.bytes_read + other.bytes_read >= MAX_TOTAL or self.pretokens + other.pretokens >= MAX_TOTAL:
            raise CountsError("counts_total", limit=MAX_TOTAL)
        return replace(
            self,
            texts=self.texts + other.texts,
            bytes_read=self.bytes_read + other.bytes_read,
            pretokens=self.pretokens + other.pretokens,
            dropped=self.dropped + other.dropped,
            dropped_bytes=self.dropped_bytes + other.dropped_bytes,
            min_pretoken_count=max(self.min_pretoken_count, other.min_pretoken_count),
            short_by=self.short_by + other.short_by,
        )


@dataclass(frozen=True, eq=False)
class Counts:
    """Distinct pretokens in order of first appearance, their counts, and the recipe.

    >>> first, second = Counts.of("a cat", "mark_aware"), Counts.of(" dog a", "mark_aware", texts_read=0)
    >>> both = Counts.merged(first, second)
    >>> both.pretokens.strings(), both.pretokens.counts.tolist(), both.recipe.pretokens
    (['a', ' cat', ' dog', ' a'], [1, 1, 1, 1], 4)
    """

    pretokens: PretokenCounts
    recipe: CountsRecipe

    @classmethod
    def of(
        cls, texts: str | Iterable[str], pattern: str, *, boundaries: Boundaries = "file", texts_read: int = 1
    ) -> Self:
        """Count texts that fit in memory."""
        return cls.counted(counted_pretokens(texts, pattern), pattern, boundaries=boundaries, texts=texts_read)

    @classmethod
    def counted(
        cls, pretokens: PretokenCounts, pattern: str, *, boundaries: Boundaries = "file", texts: int = 0
    ) -> Self:
        """Add the recipe to counted pretokens of which none was dropped; `pattern` is a name or a source."""
        return cls(
            pretokens,
            CountsRecipe(
                pattern_source(pattern),
                boundaries,
                texts,
                bytes_read=int(pretokens.lengths @ pretokens.counts),
                pretokens=int(pretokens.counts.sum()),
            ),
        )

    @classmethod
    def merged(cls, first: Self, second: Self) -> Self:
        """Add the counts of the text that follows; pretokens new in `second` come after those of `first`.

        Chunks merged in the order of their text give exactly the counts of one pass. Raises `CountsError` if the
        two do not belong together.
        """
        recipe = first.recipe.joined(second.recipe)
        tally = Tally()
        tally.add_counts(*first.pretokens)
        tally.add_counts(*second.pretokens)
        return cls(PretokenCounts(*tally.pretokens()), recipe)

    def without_rare(self, min_count: int) -> Self:
        """Drop pretokens that occur fewer than `min_count` times; the recipe says what is missing now.

        >>> counts = Counts.of("a b a", "none").without_rare(2)
        >>> counts.pretokens.strings(), counts.recipe.dropped, counts.recipe.short_by
        ([], 1, 1)
        """
        kept = self.pretokens.counts >= min_count
        if kept.all():
            return self
        gone = self.pretokens.counts[~kept]
        recipe = replace(
            self.recipe,
            dropped=self.recipe.dropped + int(gone.sum()),
            dropped_bytes=self.recipe.dropped_bytes + int(self.pretokens.lengths[~kept] @ gone),
            min_pretoken_count=max(min_count, self.recipe.min_pretoken_count),
            short_by=self.recipe.short_by + min_count - 1,
        )
        return type(self)(chosen(self.pretokens, np.flatnonzero(kept)), recipe)

    @property
    def sha256(self) -> str:
        """The SHA-256, in hexadecimal, of the pattern, the pretokens in their order, and their counts."""
        text, ends, counts = self.pretokens
        digest = hashlib.sha256(self.recipe.pattern.encode())
        for array in (text, ends.astype("<i8"), counts.astype("<i8")):
            digest.update(array.size.to_bytes(8, "little"))
            digest.update(array.data)
        return digest.hexdigest()


def chosen(pretokens: PretokenCounts, rows: NDArray[np.int64]) -> PretokenCounts:
    """Return some of the pretokens, in the order of `rows`.

    >>> chosen(PretokenCounts.of({"ab": 3, "c": 1}), np.array([1, 0])).strings()
    ['c', 'ab']
    """
    lengths = pretokens.lengths[rows]
    ends = np.cumsum(lengths, dtype=np.int64)
    shift = pretokens.ends[rows] - ends  # from where each lies then to where it lies now
    text = pretokens.text[np.repeat(shift, lengths) + np.arange(lengths.sum())]
    return PretokenCounts(text, ends, pretokens.counts[rows])
