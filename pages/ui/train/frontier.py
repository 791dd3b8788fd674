"""The mix frontier: small tokenizers trained on more and more Thai, and what Thai and English cost with each."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pages.ui.choices.samples import sample_texts
from pages.ui.train.frontier_chart import Cost, FrontierPoint
from pages.ui.trainings.series import Plan, Series
from tokenizer_core.jobs.process import Failure
from tokenizer_core.jobs.training import StopRules, Training
from tokenizer_core.measures.ratios import tokens_per_thousand
from tokenizer_core.openai import references
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.texts.mixing import first_lines, frontier_size, frontier_texts, held_out, lines_by_script

SHARES = tuple(range(0, 101, 10))
"""Percent of Thai in the text of each training."""
PATTERN = "mark_aware"
STOP = StopRules(min_count=2)
MOST_BYTES = 2_000_000
"""Bytes of text for each training: enough for the largest vocabulary here, and trained in a second."""
MEASURED_BYTES = 200_000
"""Bytes of held-out lines to measure on, for each language."""


@dataclass
class Frontier:
    """All trainings on one corpus with one vocabulary size: what they need, and their outcomes."""

    vocab_size: int
    size: int
    """Bytes of text for each training."""
    thai: list[str] = field(repr=False)
    english: list[str] = field(repr=False)
    measured_thai: str = field(repr=False)
    measured_english: str = field(repr=False)
    references: list[tuple[str, Cost]]
    from_sample: bool = False
    """Whether the bundled sample took the place of a corpus with too few lines."""
    points: list[FrontierPoint] = field(default_factory=list)
    series: Series = field(init=False)

    def __post_init__(self) -> None:
        self.series = Series(self._plan(), len(SHARES))

    def cost(self, tokenizer: AnyTokenizer) -> Cost:
        """Return what the held-out lines cost with a tokenizer."""
        return cost(tokenizer, self.measured_thai, self.measured_english)

    def _plan(self) -> Plan:
        """Yield a training for each share; at the end, drop the lines to learn from."""
        for share in SHARES:
            texts = frontier_texts(self.thai, self.english, share / 100, self.size)
            job = yield Training(texts, self.vocab_size, PATTERN, stop=STOP)
            assert not isinstance(job, Failure)
            tokenizer = job.tokenizer()
            self.points.append(FrontierPoint(share, self.cost(tokenizer), tokenizer.vocab_size))
        self.thai, self.english = [], []


def new_frontier(texts: Sequence[str], vocab_size: int) -> Frontier:
    """Sort the lines by script, hold out every fifth one, and measure the references on the held-out lines.

    If too few lines leave nothing to hold out, the bundled sample takes their place.
    """
    lines = lines_by_script(texts)
    (thai, thai_out), (english, english_out) = held_out(lines.thai), held_out(lines.latin)
    if not (thai_out and english_out):
        return replace(new_frontier(sample_texts(), vocab_size), from_sample=True)
    size = frontier_size(thai, english, most=MOST_BYTES)
    measured_thai, measured_english = (
        "\n".join(first_lines(side, MEASURED_BYTES)) for side in (thai_out, english_out)
    )
    return Frontier(
        vocab_size,
        size,
        first_lines(thai, size),
        first_lines(english, size),
        measured_thai,
        measured_english,
        [(name, cost(known, measured_thai, measured_english)) for name, known in references().items()],
    )


def cost(tokenizer: AnyTokenizer, thai: str, english: str) -> Cost:
    """Return the tokens per 1,000 characters of each text."""
    costs = [tokens_per_thousand(tokenizer, text) for text in (thai, english)]
    assert costs[0] is not None
    assert costs[1] is not None
    return Cost(costs[0], costs[1])
