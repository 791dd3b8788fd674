"""Some split patterns trained on the same text, one after another, and measured on lines that none has seen."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pages.ui.choices.samples import SAMPLES, sample_text
from pages.ui.patterns.knife import shortened
from pages.ui.trainings.registry import registry
from pages.ui.words import t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.job import Failure, Job, Training
from tokenizer_core.measures.cuts import cuts
from tokenizer_core.measures.history import token_counts_of
from tokenizer_core.measures.segmenters import newmm
from tokenizer_core.patterns import batches
from tokenizer_core.segments import Ints, TextMap, token_lengths
from tokenizer_core.texts.mixing import first_lines, held_out, lines_by_script
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.two_stage import CLUSTERS, FIRST_MERGES
from tokenizer_core.vocabulary import BYTES, Pair

MOST_BYTES = 2_000_000
"""Of the text that each learns from."""
WORDS_CHARACTERS = 130_000
"""Of the text where words are looked for first: a segmenter takes a second for so much."""
MEASURED_BYTES = 200_000
"""Of the lines to measure on, for each language."""
MIN_COUNT = 2
PATIENCE = 0.3
"""Seconds that a look at a training waits for its end, so that short ones follow each other at once."""
TWO_STAGES, WORDS = "two_stages", "words"
SIDES = ("thai", "latin", "other")


class Entrant(NamedTuple):
    """One of those that are compared: a pattern by its name, a pattern of one's own, or more than a pattern."""

    key: str
    pattern: str
    own: int = 0
    """Which of the visitor's own patterns it is, from 1 up."""

    @property
    def name(self) -> str:
        """For people, not as Markdown."""
        if self.own:
            return t("costs.own", number=self.own)
        return t(f"costs.{self.key}") if self.key in (TWO_STAGES, WORDS) else t(f"pattern.{self.key}_name")

    @property
    def short(self) -> str:
        """The same where there is little room."""
        return shortened(self.name)


class Result(NamedTuple):
    """What one entrant came to; no tokenizer where it failed."""

    entrant: Entrant
    tokenizer: Tokenizer | None = None
    counts: tuple[Ints, ...] = ()
    """For each side, the tokens of the held-out lines after each merge."""
    inside: float | None = None
    """The share of the cuts between tokens that lie inside a letter with its marks."""
    failure: Failure | None = None


@dataclass
class Contest:
    """Some entrants on one corpus with one vocabulary size: what they need, and what has come of them."""

    entrants: Sequence[Entrant]
    vocab_size: int
    learned: str = field(repr=False)
    """What they learn from; forgotten when all have."""
    learned_bytes: int
    measured: dict[str, str] = field(repr=False)
    """Held-out lines by side."""
    from_sample: bool = False
    results: list[Result] = field(default_factory=list)
    given: list[Pair] | None = None
    """The merges of the first stage, as soon as they are learned."""
    job: Job | None = None
    stopped: bool = False

    @property
    def is_complete(self) -> bool:
        return len(self.results) == len(self.entrants)

    @property
    def at_work(self) -> bool:
        return not (self.is_complete or self.stopped)


def new_contest(texts: Sequence[str], entrants: Sequence[Entrant], vocab_size: int) -> Contest:
    """Hold out every fifth line, sorted by language; take the bundled sample where there are too few lines."""
    learned, measured = _parted(texts)
    from_sample = not any(measured.values()) or not learned
    if from_sample:
        learned, measured = _parted([sample_text(file) for file in SAMPLES["both"]])
    size = len(learned.encode("utf-8", "surrogatepass"))
    return Contest(entrants, vocab_size, learned, size, measured, from_sample)


def _parted(texts: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The text to learn from, and the held-out lines of each language that has some; of others only for want."""
    lines, out = held_out([line for text in texts for line in text.removesuffix("\n").split("\n")])
    sides = dict(zip(SIDES, lines_by_script("\n".join(out)), strict=True))
    sides["other"] = [] if sides["thai"] or sides["latin"] else [line for line in sides["other"] if line.strip()]
    measured = {side: "\n".join(first_lines(lines, MEASURED_BYTES)) for side, lines in sides.items() if lines}
    return "\n".join(first_lines(lines, MOST_BYTES)), measured


def give_up(contest: Contest) -> None:
    """End the training under way; it begins anew if the contest goes on."""
    if contest.job is not None:
        registry().forget(contest.job.id)
        contest.job = None


def go_on(contest: Contest) -> None:
    """Take in the training that has ended, and start the next one."""
    entrant = contest.entrants[len(contest.results)]
    if contest.job is None or registry().get(contest.job.id) is None:
        try:
            contest.job = registry().start(_training(contest, entrant))
        except TokenizerError as error:
            contest.results.append(Result(entrant, failure=Failure(error.code, error.values, str(error))))
            return
    job = contest.job
    if not job.ended:
        job.wait(PATIENCE)
    if not job.ended or not registry().is_warm:
        return
    give_up(contest)
    if entrant.key == TWO_STAGES and _stage_is_over(contest, job):
        return
    contest.results.append(_result(contest, entrant, job))
    contest.given = None
    if contest.is_complete:
        contest.learned = ""


def _training(contest: Contest, entrant: Entrant) -> Training:
    if entrant.key == TWO_STAGES and contest.given is None:
        size = min(BYTES + FIRST_MERGES, contest.vocab_size)
        return Training([contest.learned], size, CLUSTERS, min_count=MIN_COUNT)
    texts: Sequence[str] = [contest.learned]
    if entrant.key == WORDS:
        texts = list(_words_of(_beginning(contest.learned)))
    given = contest.given or ()
    return Training(texts, contest.vocab_size, entrant.pattern, min_count=MIN_COUNT, given=given)


def _beginning(text: str) -> str:
    """The first lines of a text, as much as words can be found in while somebody waits."""
    return text if len(text) <= WORDS_CHARACTERS else text[: text.rfind("\n", 0, WORDS_CHARACTERS) + 1]


def _words_of(text: str) -> Sequence[str]:
    segmenter = newmm()
    assert segmenter is not None  # or nobody could have chosen words
    return [word for word in segmenter.split(text) if word]


def _stage_is_over(contest: Contest, job: Job) -> bool:
    """Whether this was no more than the way to the second stage: then there are merges to begin it with."""
    if contest.given is None and job.failure is None:
        contest.given = [(merge.left, merge.right) for merge in job.merges]
        return True
    if contest.given and job.failure is not None and job.failure.code == "pair_not_found":
        # The pattern cuts this pair apart wherever it stands, so the first stage ends before it.
        pair = (job.failure.values["left"], job.failure.values["right"])
        contest.given = contest.given[: contest.given.index(pair)]
        return True
    return False


def _result(contest: Contest, entrant: Entrant, job: Job) -> Result:
    if job.failure is not None:
        return Result(entrant, failure=job.failure)
    tokenizer = job.tokenizer()
    try:
        pieces = {side: _pretokens(text, entrant) for side, text in contest.measured.items()}
    except TokenizerError as error:
        return Result(entrant, failure=Failure(error.code, error.values, str(error)))
    counts = tuple(token_counts_of(Counter(each), tokenizer).astype(np.int64) for each in pieces.values())
    return Result(entrant, tokenizer, counts, _inside(tokenizer, contest.measured, pieces))


def _pretokens(text: str, entrant: Entrant) -> list[str]:
    if entrant.key == WORDS:
        return list(_words_of(text))
    return [pretoken for batch in batches(text, entrant.pattern) for pretoken in batch]


def _inside(tokenizer: Tokenizer, measured: dict[str, str], pieces: dict[str, list[str]]) -> float | None:
    """The share of all cuts between tokens that lie inside a grapheme cluster, the lines of all sides together."""
    bare = Tokenizer(tokenizer.merges, pattern="none")  # the pieces are cut already
    known: dict[str, Ints] = {}
    torn = boundaries = 0
    for side, text in measured.items():
        for pretoken in pieces[side]:
            if pretoken not in known:
                known[pretoken] = token_lengths(bare.encode(pretoken), bare)
        found = cuts(TextMap(text), np.concatenate([known[pretoken] for pretoken in pieces[side]]))
        torn, boundaries = torn + found.inside_clusters, boundaries + found.boundaries
    return torn / boundaries if boundaries else None
