"""The race to parity: the merge after which the visitor's own tokenizer needs fewer tokens than a reference.

Both are counted on parallel texts.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import streamlit as st

from pages.ui.choices.parallel_texts import NamedTexts
from pages.ui.shell import visitor
from pages.ui.token_view.serve import Offer, address, offers
from pages.ui.widgets import written
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import catalogue, error_sentence, language, t
from pages.ui.words.breaks import without_breaks
from tokenizer_core.jobs.job import Job
from tokenizer_core.measures.history import token_counts_of
from tokenizer_core.measures.line_counts import token_total
from tokenizer_core.measures.ratios import premium
from tokenizer_core.openai import references
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.texts.parallel import Parallel
from tokenizer_core.tokenizer import Tokenizer

SIDES = (0, 1)
"""The languages of the parallel texts that take part."""

Counts = npt.NDArray[np.int32]
References = Mapping[str, tuple[int, int]]
"""The tokens that each reference needs for the two sides, by its name."""


class Moment(NamedTuple):
    """How the visitor's own tokenizer compares with a reference on one side."""

    side: int
    reference: str
    merge: int | None
    """The first merge after which it needs fewer tokens; None if that is still to come."""
    behind: int
    """How many more tokens it needs at the moment; negative if it needs fewer."""


_pretokens = Bounded[dict[str, int]](200_000, weigh=len)
_references = Bounded[dict[str, tuple[int, int]]](16, weigh=lambda counts: 1)
_seen = Bounded[int](64, weigh=lambda count: 1)
_counts = Bounded[tuple[Counts, Counts]](16 * 2**20, weigh=lambda both: sum(side.nbytes for side in both))


def race(job: Job, tokenizer: Tokenizer, texts: NamedTexts, pairs_in_files: int) -> None:
    """Say the premium, and what is reached and what is not; cheap enough to redraw."""
    st.header(t("race.title"), anchor=False)
    _say_what_is_counted(texts, pairs_in_files)
    counts = own_counts(job.id, tokenizer, texts.parallel)
    levels = reference_counts(texts.parallel)
    st.markdown(premium_sentence(counts, levels, texts))
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences(moments(counts, levels), texts)))


def _say_what_is_counted(texts: NamedTexts, pairs_in_files: int) -> None:
    lines = texts.parallel.pairs
    if texts.is_sample:
        st.caption(t("race.what_sample", lines=lines))
        return
    st.caption(t("race.what_files", lines=lines, first=texts.spoken[0], second=texts.spoken[1]))
    if lines < pairs_in_files:
        st.caption(t("race.cut", lines=lines, all=pairs_in_files))


# ---- on the stage


def race_address(job: Job, texts: NamedTexts) -> str:
    """Return the address at which the stage asks for the counts of these texts, as far as training has come."""
    spoken = language()
    # Whoever only has the link could try out with texts of their own which lines a corpus has.
    tells = texts.is_sample or visitor.owns(job)
    offer = Offer(
        lambda: race_answer(job, texts, spoken, tells), lambda error: error_sentence(error, spoken=spoken)
    )
    return address(offers().offer(f"race {job.id} {texts.parallel.digest} {spoken} {tells}", offer))


def race_answer(job: Job, texts: NamedTexts, spoken: str, tells_seen: bool = True) -> bytes:
    """Return for each side its tokens after the merges that changed them, and the references', as JSON.

    `tells_seen` adds how many of these texts the corpus has.
    """
    words = catalogue(spoken)
    tokenizer = job.tokenizer()
    counts = own_counts(job.id, tokenizer, texts.parallel)
    levels = reference_counts(texts.parallel)
    lines = texts.parallel.pairs
    runners = [
        {
            "name": without_breaks(words["stage.race_side"].format(name=texts.names[side], lines=lines)),
            "steps": _steps(counts[side]),
            "levels": [
                {"name": without_breaks(words[f"tokenizers.{name}"]), "count": both[side]}
                for name, both in levels.items()
            ],
            "learned": len(tokenizer.merges),
        }
        for side in SIDES
    ]
    seen = lines_seen(job, texts.parallel) if tells_seen else None
    note = words["stage.race_counts"] if job.training.counts else ""
    if seen is not None:
        note = words["stage.race_trained_on" if seen else "stage.race_held_out"]
    said = without_breaks(note).format(seen=f"{seen or 0:,}", lines=f"{lines:,}")
    return json.dumps({"runners": runners, "note": said}, ensure_ascii=False).encode()


def _steps(counts: Counts) -> list[int]:
    """Return merge and count in turn: after no merge, and after each merge that changed the count."""
    changed = np.append(0, np.flatnonzero(np.diff(counts)) + 1)
    steps: list[int] = np.column_stack((changed, counts[changed])).ravel().tolist()
    return steps


def lines_seen(job: Job, parallel: Parallel) -> int | None:
    """Count the pairs of which a side was a line of the corpus; None if the corpus is no longer kept."""
    texts = job.training.texts
    if not texts:
        return None

    def count() -> int:
        # Not all lines of the corpus at once: those of 200 MB would take half a gigabyte.
        asked = {line.strip() for side in parallel.lines[:2] for line in side}
        seen = {line for text in texts for each in _lines_of(text) if (line := each.strip()) in asked}
        return sum(any(line.strip() in seen for line in pair) for pair in zip(*parallel.lines[:2], strict=True))

    return _seen.get((job.id, parallel.digest), count)


def _lines_of(text: str) -> Iterator[str]:
    """Yield the lines of a text one by one."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


# ---- counting


def own_counts(job_id: str, tokenizer: Tokenizer, parallel: Parallel) -> tuple[Counts, Counts]:
    """Count the tokens of each side after each merge learned so far, line by line, exactly."""

    def make() -> tuple[Counts, Counts]:
        first, second = (
            token_counts_of(_pretokens_of(parallel, side, tokenizer.pattern), tokenizer) for side in SIDES
        )
        return first, second

    return _counts.get((job_id, len(tokenizer.merges), parallel.digest), make)


def _pretokens_of(parallel: Parallel, side: int, pattern: str) -> dict[str, int]:
    key = (parallel.digest, side, pattern)
    return _pretokens.get(key, lambda: count_pretokens(parallel.lines[side], pattern))


def reference_counts(parallel: Parallel) -> dict[str, tuple[int, int]]:
    """Count the tokens of each side by each reference whose file can be read, line by line, exactly."""
    return _references.get(parallel.digest, lambda: _count_references(parallel))


def _count_references(parallel: Parallel) -> dict[str, tuple[int, int]]:
    def count(tokenizer: AnyTokenizer) -> tuple[int, int]:
        first, second = (token_total(parallel, side, tokenizer, "lines") for side in SIDES)
        return first, second

    known = references()
    with ThreadPoolExecutor(max_workers=2) as pool:  # tiktoken lets other threads run
        return dict(zip(known, pool.map(count, known.values()), strict=True))


def moments(counts: Sequence[Counts], references: References) -> list[Moment]:
    """Compare the visitor's own tokenizer with every reference on every side that has tokens.

    First comes what was reached, in the order in which it happened, then what is still to come, nearest first.

    >>> moments([np.array([9, 7, 4]), np.array([5, 4, 4])], {"gpt2": (7, 3)})
    [Moment(side=0, reference='gpt2', merge=2, behind=-3), Moment(side=1, reference='gpt2', merge=None, behind=1)]
    """
    found = []
    for name, levels in references.items():
        for side, (own, level) in enumerate(zip(counts, levels, strict=True)):
            if not own[0]:
                continue
            # Counts never rise, so this is the place after all counts that are not below the level.
            merge = int(np.searchsorted(-own, -level, side="right"))
            found.append(Moment(side, name, merge if merge < len(own) else None, int(own[-1]) - level))
    return sorted(found, key=lambda moment: (moment.merge is None, moment.merge or 0, moment.behind))


# ---- saying


def sentences(found: Sequence[Moment], texts: NamedTexts) -> list[str]:
    """Write the moments as Markdown sentences, in their order."""
    return [_sentence(moment, texts.spoken[moment.side]) for moment in found]


def _sentence(moment: Moment, name: str) -> str:
    reference = t(f"tokenizers.{moment.reference}")
    if moment.merge is not None:
        return t("race.reached", merge=moment.merge, reference=reference, name=name)
    if moment.behind:
        return t("race.not_yet", reference=reference, name=name, behind=moment.behind)
    return t("race.equal", reference=reference, name=name)


def premium_sentence(counts: Sequence[Counts], references: References, texts: NamedTexts) -> str:
    """Say the premiums, tokens of the first side / tokens of the second, of all tokenizers as Markdown."""
    others = ", ".join(
        t("race.premium_of", reference=t(f"tokenizers.{name}"), premium=_premium(*both))
        for name, both in references.items()
    )
    return t(
        "race.premium" if others else "race.premium_alone",
        premium=_premium(int(counts[0][-1]), int(counts[1][-1])),
        others=others,
        first=texts.spoken[0],
        second=texts.spoken[1],
    )


def _premium(first: int, second: int) -> str:
    return written.ratio_or_none(premium(first, second))
