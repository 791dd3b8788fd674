"""What if the other pair had won: the training continued both ways, and the two vocabularies learned."""

from dataclasses import dataclass, field
from functools import partial
from secrets import token_hex

from pages.ui.trainings.series import Plan, Series
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.process import Failure
from tokenizer_core.jobs.training import StopRules, Training
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.vocabulary import BYTES, Pair


@dataclass
class WhatIf:
    """A what-if question about a training, and what the two trainings that answer it have learned."""

    of: str
    """The id of the training in question."""
    after: int
    """Merges that both trainings share at the start."""
    winner: bytes
    other: bytes
    series: Series
    question: str = field(default_factory=partial(token_hex, 8))
    """A name of its own, also if the same is asked again."""
    learned: list[list[bytes]] = field(default_factory=list)
    """The tokens of each training, in the order they were learned."""
    tokens: list[int] = field(default_factory=list)
    """Tokens in the corpus at the end of each training."""


def ask_what_if(job: Job, after: int, winner: Pair, other: Pair) -> WhatIf:
    """Ask what if `other` had won over `winner` at the choice after this many merges."""
    begun = [(merge.left, merge.right) for merge in job.merges[:after]]
    vocabulary = Tokenizer(begun, pattern=job.training.pattern).vocabulary
    made, instead = (vocabulary[left] + vocabulary[right] for left, right in (winner, other))
    learned: list[list[bytes]] = []
    tokens: list[int] = []

    def plan() -> Plan:
        training = job.training
        for pair in (winner, other):
            outcome = yield Training(
                training.texts,
                training.vocab_size,
                training.pattern,
                stop=StopRules(training.stop.min_count),
                given=[*begun, pair],
                counts=training.counts,
            )
            assert not isinstance(outcome, Failure)
            learned.append(outcome.tokenizer().vocabulary[BYTES:])
            tokens.append(outcome.token_count or 0)

    return WhatIf(job.id, after, made, instead, Series(plan(), 2), learned=learned, tokens=tokens)
