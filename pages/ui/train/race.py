"""The race to parity: the merge after which the visitor's own tokenizer needs fewer tokens than a reference.

Both are counted on parallel texts: two files aligned line by line, and before that the bundled sentences."""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import streamlit as st

from pages.ui.frame import visitor
from pages.ui.i18n import catalogue, error_sentence, filled, language, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.parallel_texts import NamedTexts, named, read_uploaded, sample_parallel
from pages.ui.inputs.uploads import Limits, forget, uploaded
from pages.ui.session import Value
from pages.ui.widgets import formatting
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.token_view.serve import Offer, address, offers
from tokenizer_core.analysis.bootstrap import Interval, premium_intervals
from tokenizer_core.analysis.cuts import token_total
from tokenizer_core.analysis.lineage import token_counts_of
from tokenizer_core.analysis.ratios import premium
from tokenizer_core.bpe.openai import references
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.patterns.pretokens import count_pretokens
from tokenizer_core.readers.mixing import held_out
from tokenizer_core.readers.parallel import Parallel
from tokenizer_core.workers.training_job import Job

SIDES = (0, 1)
"""The languages of the parallel texts that take part."""

Counts = npt.NDArray[np.int32]
References = Mapping[str, tuple[int, ...]]
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
_references = Bounded[dict[str, tuple[int, ...]]](16, weigh=lambda counts: 1)
_seen = Bounded[int](64, weigh=lambda count: 1)
_intervals = Bounded[list[Interval | None]](256, weigh=lambda found: 1)
_counts = Bounded[tuple[Counts, ...]](16 * 2**20, weigh=lambda both: sum(side.nbytes for side in both))


def race(job: Job, tokenizer: Tokenizer, texts: NamedTexts, pairs_in_files: int) -> None:
    """Say the premium, and what is reached and what is not; cheap enough to redraw."""
    st.header(t("race.title"), anchor=False)
    _say_what_is_counted(texts, pairs_in_files)
    counts = own_counts(job.id, tokenizer, texts.parallel, first_stage(job))
    levels = reference_counts(texts.parallel)
    st.markdown(premium_sentence(counts, levels, texts))
    if job.ended:  # until then it would change every moment
        st.caption(how_sure(job.id, tokenizer, texts.parallel, list(levels)))
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
    counts = own_counts(job.id, tokenizer, texts.parallel, first_stage(job))
    levels = reference_counts(texts.parallel)
    lines = texts.parallel.pairs
    runners = [
        {
            "name": without_breaks(texts.names[side]),
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
    said = filled(without_breaks(note), seen=seen or 0, lines=lines)
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
        lines = (found[0].strip() for text in texts for found in re.finditer("[^\n]+", text))
        seen = asked.intersection(lines)
        return sum(any(line.strip() in seen for line in pair) for pair in zip(*parallel.lines[:2], strict=True))

    return _seen.get((job.id, parallel.digest), count)


# ---- counting


class FirstStage(NamedTuple):
    """The merges of a training before its tokens cross spaces."""

    merges: int
    pattern: str
    """What cuts a text after at most as many merges."""


def first_stage(job: Job) -> FirstStage | None:
    """Return the first stage of a training, if tokens cross spaces after it."""
    after = job.superwords_after
    return None if after is None else FirstStage(after, job.training.pattern)


def own_counts(
    job_id: str, tokenizer: Tokenizer, parallel: Parallel, first: FirstStage | None = None
) -> tuple[Counts, ...]:
    """Count the tokens of each side after each merge learned so far, line by line, exactly.

    After the merges of a first stage, lines are cut by its pattern.
    """

    def count(side: int) -> Counts:
        counts = token_counts_of(_pretokens_of(parallel, side, tokenizer.pattern), tokenizer)
        if first is not None and first.merges < len(tokenizer.merges):
            before = tokenizer.at(BYTES + first.merges)
            counts[: first.merges + 1] = token_counts_of(_pretokens_of(parallel, side, first.pattern), before)
        return counts

    def make() -> tuple[Counts, ...]:
        return tuple(map(count, SIDES))

    return _counts.get((job_id, len(tokenizer.merges), parallel.digest), make)


def _pretokens_of(parallel: Parallel, side: int, pattern: str) -> dict[str, int]:
    key = (parallel.digest, side, pattern)
    return _pretokens.get(key, lambda: count_pretokens(parallel.lines[side], pattern))


def reference_counts(parallel: Parallel) -> dict[str, tuple[int, ...]]:
    """Count the tokens of each side by each reference whose file can be read, line by line, exactly."""
    return _references.get(parallel.digest, lambda: _count_references(parallel))


def _count_references(parallel: Parallel) -> dict[str, tuple[int, ...]]:
    def count(tokenizer: AnyTokenizer) -> tuple[int, ...]:
        return tuple(token_total(parallel, side, tokenizer, "lines") for side in SIDES)

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
            below = np.flatnonzero(own < level)  # counts may rise where tokens begin to cross spaces
            merge = int(below[0]) if below.size else None
            found.append(Moment(side, name, merge, int(own[-1]) - level))
    return sorted(found, key=lambda moment: (moment.merge is None, moment.merge or 0, moment.behind))


# ---- saying


def sentences(found: Sequence[Moment], texts: NamedTexts) -> list[str]:
    """Write the moments as Markdown sentences, in their order."""
    said = []
    for moment in found:
        key = "race.reached" if moment.merge is not None else "race.not_yet" if moment.behind else "race.equal"
        reference, name = t(f"tokenizers.{moment.reference}"), texts.spoken[moment.side]
        said.append(t(key, merge=moment.merge, reference=reference, name=name, behind=moment.behind))
    return said


def premium_sentence(counts: Sequence[Counts], references: References, texts: NamedTexts) -> str:
    """Say the premiums, tokens of the first side / tokens of the second, of all tokenizers as Markdown."""
    others = ", ".join(
        t("race.premium_of", reference=t(f"tokenizers.{name}"), premium=formatting.ratio(premium(*both)))
        for name, both in references.items()
    )
    return t(
        "race.premium" if others else "race.premium_alone",
        premium=formatting.ratio(premium(int(counts[0][-1]), int(counts[1][-1]))),
        others=others,
        first=texts.spoken[0],
        second=texts.spoken[1],
    )


def how_sure(job_id: str, own: Tokenizer, parallel: Parallel, names: Sequence[str]) -> str:
    """Say how far other pairs of this kind could move the premiums of the own tokenizer and of references."""
    found: dict[str, AnyTokenizer] = {
        "own": own,
        **{name: known for name, known in references().items() if name in names},
    }

    def make() -> list[Interval | None]:
        sides = ([known.encode_each(parallel.lines[side]).counts for known in found.values()] for side in SIDES)
        return premium_intervals(*sides)

    intervals = _intervals.get((job_id, len(own.merges), parallel.digest, *names), make)
    called = {"own": t("race.yours"), **{name: t(f"tokenizers.{name}") for name in names}}
    named = ((called[name], bounds) for name, bounds in zip(found, intervals, strict=True))
    return formatting.resampled(named, pairs=parallel.pairs)


RACE_TURN: Value[int] = Value("race_turn", int)
"""A part of the uploaders' keys: only a new key empties an uploader."""

PLACE = "race"
MOST_CHARACTERS = 100_000
"""Characters of each side of uploaded texts: counting this many again takes 20 ms while a training runs."""
MOST_LINES = 2_000
"""The references count line by line, and each line takes at least 20 µs."""
MOST_BYTES = 4 * 2**20
_LIMITS = Limits(2, MOST_BYTES, unpacks=False)


def choose_race_texts() -> tuple[NamedTexts, int]:
    """Offer another pair of texts; return it, cut to what can be counted live, and its whole number of lines."""
    st.caption(t("race.another_help", limit=MOST_BYTES // 2**20, characters=MOST_CHARACTERS, lines=MOST_LINES))
    turn = RACE_TURN.get()
    first, second = (
        st.file_uploader(t(f"race.upload_{side}"), key=f"race_{side}_{turn}", on_change=forget, args=(PLACE,))
        for side in ("first", "second")
    )
    if (first is None) != (second is None):
        st.info(t("race.one_more"), icon=":material/note_add:")
    upload = uploaded(PLACE, [first, second] if first and second else [], _LIMITS)
    parallel = read_uploaded(upload, place=PLACE, max_bytes=MOST_BYTES) if upload else None
    if upload is not None:
        st.button(t("race.back_to_sample"), key="race_back", on_click=_back_to_sample)
    if parallel is None:
        return _sample()
    lines = lines_that_fit(parallel)
    if not lines:
        st.error(t("race.line_too_long", limit=MOST_CHARACTERS))
        return _sample()
    cut = tuple(side[:lines] for side in parallel.lines[:2])
    first_lines = replace(parallel, names=parallel.names[:2], lines=cut, texts=tuple(map("\n".join, cut)))
    return named(first_lines, is_sample=False), parallel.pairs


def _sample() -> tuple[NamedTexts, int]:
    """Return the bundled pairs that trainings on a part of them leave out."""
    held = held_out_pairs()
    return named(held, is_sample=True), held.pairs


@cache
def held_out_pairs() -> Parallel:
    """Return every fifth pair of the bundled sentences, which `held_out` keeps for measuring."""
    whole = sample_parallel()
    lines = tuple(tuple(held_out(side)[1]) for side in whole.lines)
    return replace(whole, lines=lines, texts=tuple(map("\n".join, lines)))


def lines_that_fit(parallel: Parallel) -> int:
    """Return how many lines can be counted while a training runs, the same number for both sides."""
    fit = (bisect_right(list(accumulate(map(len, side))), MOST_CHARACTERS) for side in parallel.lines[:2])
    return min(*fit, MOST_LINES)


def _back_to_sample() -> None:
    RACE_TURN.put(RACE_TURN.get() + 1)
    forget(PLACE)
