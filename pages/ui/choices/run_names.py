"""What the visitor's runs are called, and the swatch beside each name: runs that are compared must differ."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pages.ui.choices.corpus_names import corpus_called
from pages.ui.choices.pattern import shortened
from pages.ui.trainings.keeping import Run
from pages.ui.widgets.charts import CATEGORIES
from pages.ui.words import as_plain_markdown, t
from tokenizer_core.jobs.job import Job
from tokenizer_core.patterns import SPLIT_PATTERNS

_SHAPES = (".2rem", "50%")
"""Corner radii of the swatches: squares, then circles, so that twice as many runs differ."""


class RunName(NamedTuple):
    """The name of a run, as plain text and safe in Markdown."""

    plain: str
    markdown: str


def run_names(runs: Sequence[Run]) -> dict[str, RunName]:
    """Return the names of runs by the id of their job: the visitor's, or else corpus, pattern and size.

    Of equal names, the second and later ones are numbered.
    """
    named: dict[str, RunName] = {}
    taken: Counter[str] = Counter()
    for run in runs:
        name = _own_name(run.name) if run.name else _made_name(run.job)
        taken[name.plain] += 1
        number = taken[name.plain]
        if number > 1:
            name = RunName(*(t("runs.numbered", name=form, number=number) for form in name))
        named[run.job.id] = name
    return named


def pattern_name(job: Job) -> str:
    """Return the name of a training's split pattern."""
    known = job.training.pattern in SPLIT_PATTERNS
    return t(f"pattern.{job.training.pattern}_name") if known else t("pattern.custom_name")


def swatch(run: Run) -> str:
    """Return the HTML of the swatch that stands beside the name of a run; it says nothing of its own."""
    light, dark = CATEGORIES[run.number % len(CATEGORIES)]
    radius = _SHAPES[run.number // len(CATEGORIES) % len(_SHAPES)]
    return (
        f'<span aria-hidden="true" style="display:block;width:.9rem;height:.9rem;border-radius:{radius};'
        f'background:light-dark({light},{dark})"></span>'
    )


def _own_name(name: str) -> RunName:
    return RunName(name, as_plain_markdown(name))


def _made_name(job: Job) -> RunName:
    corpus = corpus_called(job.training.corpus_name)  # safe in Markdown
    values = {"pattern": shortened(pattern_name(job)), "size": job.training.vocab_size}
    plain, markdown = (t("runs.named", corpus=each, **values) for each in (_without_fences(corpus), corpus))
    return RunName(plain, markdown)


def _without_fences(name: str) -> str:
    """Undo `as_plain_markdown`.

    >>> _without_fences("` *th* ` + English")
    '*th* + English'
    """
    return re.sub(r"(`+) (.*?) \1", r"\2", name)
