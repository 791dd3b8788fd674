"""Split patterns trained on the same text, one after another, and measured on held-out lines."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pages.ui.choices.pattern import shortened
from pages.ui.choices.samples import sample_texts
from pages.ui.trainings.series import Plan, Series
from pages.ui.words import t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.process import Failure
from tokenizer_core.jobs.training import StopRules, Training
from tokenizer_core.measures.cuts import cuts
from tokenizer_core.measures.history import token_counts_of
from tokenizer_core.measures.segmenters import newmm
from tokenizer_core.patterns import batches
from tokenizer_core.segments import Ints, TextMap, token_lengths
from tokenizer_core.texts.mixing import first_lines, held_out, lines_by_script
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.two_stage import FIRST_MERGES

MOST_BYTES = 2_000_000
"""Bytes of the text that each entrant learns from."""
WORDS_CHARACTERS = 130_000
"""Characters of the text to find words in: a segmenter takes a second for this many."""
MEASURED_BYTES = 200_000
"""Bytes of held-out lines to measure on, for each language."""
STOP = StopRules(min_count=2)
TWO_STAGES, WORDS = "two_stages", "words"
SIDES = ("thai", "latin", "other")


class Entrant(NamedTuple):
    """One entrant of a comparison: a named pattern, a custom pattern, or more than a pattern."""

    key: str
    pattern: str
    own: int = 0
    """The number of the visitor's custom pattern, counted from 1; 0 for the others."""

    @property
    def name(self) -> str:
        """The name for people, not for Markdown."""
        if self.own:
            return t("costs.own", number=self.own)
        return t(f"costs.{self.key}") if self.key in (TWO_STAGES, WORDS) else t(f"pattern.{self.key}_name")

    @property
    def short(self) -> str:
        """The name for places with little room."""
        return shortened(self.name)


class Result(NamedTuple):
    """The outcome of one entrant; without a tokenizer if it failed."""

    entrant: Entrant
    tokenizer: Tokenizer | None = None
    counts: tuple[Ints, ...] = ()
    """For each side, the tokens in the held-out lines after each merge."""
    inside: float | None = None
    """The share of token boundaries that lie inside a letter with its marks."""
    failure: Failure | None = None


@dataclass
class Contest:
    """Some entrants on one corpus with one vocabulary size: what they need, and their outcomes."""

    entrants: Sequence[Entrant]
    vocab_size: int
    learned: str = field(repr=False)
    """The text to learn from; dropped when all entrants are done."""
    learned_bytes: int
    measured: dict[str, str] = field(repr=False)
    """Held-out lines by side."""
    from_sample: bool = False
    results: list[Result] = field(default_factory=list)
    series: Series = field(init=False)

    def __post_init__(self) -> None:
        self.series = Series(self._plan(), len(self.entrants), takes_failures=True)

    def _plan(self) -> Plan:
        """Yield a training for each entrant; a failure is a result too."""
        for entrant in self.entrants:
            outcome = yield self._training(entrant)
            self.results.append(self._result(entrant, outcome))
        self.learned = ""

    def _training(self, entrant: Entrant) -> Training:
        words = entrant.key == WORDS
        return Training(
            list(_words_of(_beginning(self.learned))) if words else [self.learned],
            self.vocab_size,
            entrant.pattern,
            stop=STOP,
            first_merges=FIRST_MERGES if entrant.key == TWO_STAGES else 0,
        )

    def _result(self, entrant: Entrant, outcome: Job | Failure) -> Result:
        if isinstance(outcome, Failure):
            return Result(entrant, failure=outcome)
        tokenizer = outcome.tokenizer()
        try:
            pretokens = {side: _pretokens(text, entrant) for side, text in self.measured.items()}
        except TokenizerError as error:
            return Result(entrant, failure=Failure.of(error))
        counts = tuple(token_counts_of(Counter(each), tokenizer).astype(np.int64) for each in pretokens.values())
        return Result(entrant, tokenizer, counts, _inside(tokenizer, self.measured, pretokens))


def new_contest(texts: Sequence[str], entrants: Sequence[Entrant], vocab_size: int) -> Contest:
    """Hold out every fifth line, sorted by language; use the bundled sample if there are too few lines."""
    learned, measured = _parted(texts)
    from_sample = not any(measured.values()) or not learned
    if from_sample:
        learned, measured = _parted(sample_texts())
    size = len(learned.encode("utf-8", "surrogatepass"))
    return Contest(entrants, vocab_size, learned, size, measured, from_sample)


def _parted(texts: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the text to learn from, and the held-out lines of each language that has some.

    Lines in other scripts are measured only if there are no Thai and no Latin ones.
    """
    lines, out = held_out([line for text in texts for line in text.removesuffix("\n").split("\n")])
    sides = dict(zip(SIDES, lines_by_script("\n".join(out)), strict=True))
    sides["other"] = [] if sides["thai"] or sides["latin"] else [line for line in sides["other"] if line.strip()]
    measured = {side: "\n".join(first_lines(lines, MEASURED_BYTES)) for side, lines in sides.items() if lines}
    return "\n".join(first_lines(lines, MOST_BYTES)), measured


def _beginning(text: str) -> str:
    """Return the first lines of a text, short enough to find words in while a visitor waits."""
    if len(text) <= WORDS_CHARACTERS:
        return text
    return text[: text.rfind("\n", 0, WORDS_CHARACTERS) + 1 or WORDS_CHARACTERS]


def _words_of(text: str) -> Sequence[str]:
    segmenter = newmm()
    assert segmenter is not None  # without it, words cannot be chosen
    return [word for word in segmenter.split(text) if word]


def _pretokens(text: str, entrant: Entrant) -> list[str]:
    if entrant.key == WORDS:
        return list(_words_of(text))
    return [pretoken for batch in batches(text, entrant.pattern) for pretoken in batch]


def _inside(tokenizer: Tokenizer, measured: dict[str, str], pretokens: dict[str, list[str]]) -> float | None:
    """Return the share of token boundaries inside a grapheme cluster, over the lines of all sides together."""
    bare = Tokenizer(tokenizer.merges, pattern="none")  # the pretokens are already cut
    known: dict[str, Ints] = {}
    torn = boundaries = 0
    for side, text in measured.items():
        for pretoken in pretokens[side]:
            if pretoken not in known:
                known[pretoken] = token_lengths(bare.encode(pretoken), bare)
        found = cuts(TextMap(text), np.concatenate([known[pretoken] for pretoken in pretokens[side]]))
        torn, boundaries = torn + found.inside_clusters, boundaries + found.boundaries
    return torn / boundaries if boundaries else None
