"""Counts of parallel texts, made once and kept: tokens by line and in total, and broken letters."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import streamlit as st

from pages.ui.i18n import as_name, error_sentence, t
from pages.ui.inputs.parallel_texts import Compared
from pages.ui.session import Value
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.bootstrap import Interval, premium_intervals
from tokenizer_core.analysis.cuts import LineCuts, TextSizes, line_cuts, places_tokens, text_sizes, token_total
from tokenizer_core.analysis.ratios import premium
from tokenizer_core.analysis.segmenters import Segmenter, segmenter_for
from tokenizer_core.errors import TokenizerError
from tokenizer_core.readers.parallel import Parallel

COUNTED: Value[set[tuple[str, str]]] = Value("languages_counted", set)
"""The texts that this session has counted, each with its joining."""

LARGE = 300_000
"""Characters of all sides together; above this, progress is shown."""
Counts = npt.NDArray[np.int64]


class Counted(NamedTuple):
    """The tokens of one language by one tokenizer, each line encoded separately."""

    counts: Counts
    cuts: LineCuts


class Bill(NamedTuple):
    """The tokens of one language by one tokenizer, lines joined as chosen; no premium if the base has no token."""

    lane: Lane
    language: int
    tokens: int
    premium: float | None
    interval: Interval | None = None
    """Of the premium, where lines are counted one by one; None for the base, and for lines that are joined."""


_counted = Bounded[Counted](64 * 2**20, weigh=lambda counted: counted.counts.nbytes + 1)
_totals = Bounded[int](4_096, weigh=lambda total: 1)
_intervals = Bounded[list[Interval | None]](256, weigh=lambda found: 1)
_sizes = Bounded[TextSizes](512, weigh=lambda sizes: 1)
_segmenters = Bounded[list[Segmenter | None]](256, weigh=lambda found: 1)


def counted(parallel: Parallel, language: int, lane: Lane, segmenter: Segmenter | None = None) -> Counted:
    """Count the tokens of each line of a language and what they break; words only with a segmenter."""

    def make() -> Counted:
        lines = parallel.lines[language]
        encoded = lane.tokenizer.encode_each(lines)
        return Counted(encoded.counts, line_cuts(lines, encoded, lane.tokenizer, segmenter))

    return _counted.get((parallel.digest, language, lane.key, segmenter and segmenter.name), make)


def total(compared: Compared, language: int, lane: Lane) -> int:
    """Count the tokens of a language, with its lines joined as chosen."""
    parallel, joining = compared.parallel, compared.joining
    if joining == "lines":
        return counted(parallel, language, lane).cuts.tokens
    key = (parallel.digest, language, lane.key, joining)
    return _totals.get(key, lambda: token_total(parallel, language, lane.tokenizer, joining))


def countable(compared: Compared, lanes: Sequence[Lane]) -> list[Lane]:
    """Return the lanes that can encode these texts; say why one from a file cannot."""
    return [lane for lane in lanes if not places_tokens(lane.tokenizer) or _can_count(compared, lane)]


def _can_count(compared: Compared, lane: Lane) -> bool:
    try:
        for place in range(len(compared.names)):
            total(compared, place, lane)
    except TokenizerError as error:
        st.error(f"{as_name(lane.name)} – {error_sentence(error)}", icon=":material/error:")
        return False
    return True


def bills(compared: Compared, lanes: Sequence[Lane]) -> list[Bill]:
    """Count what each tokenizer needs for each language; show progress for a long text."""
    places = range(len(compared.names))
    found: list[Bill] = []
    with _progress(compared, len(lanes) * len(places)) as step:
        for lane in lanes:
            totals = []
            for place in places:
                totals.append(total(compared, place, lane))
                step()
            found += [
                Bill(lane, place, tokens, premium(tokens, totals[compared.base]))
                for place, tokens in enumerate(totals)
            ]
    if compared.joining != "lines":
        return found
    return [bill._replace(interval=each) for bill, each in zip(found, intervals(compared, found), strict=True)]


def intervals(compared: Compared, found: Sequence[Bill]) -> list[Interval | None]:
    """Return the interval of each bill's premium, all from the same draws of pairs; None for the base."""
    parallel, base = compared.parallel, compared.base

    def make() -> list[Interval | None]:
        others = [bill for bill in found if bill.language != base]
        rows = [
            (counted(parallel, bill.language, bill.lane), counted(parallel, base, bill.lane)) for bill in others
        ]
        made = premium_intervals([own.counts for own, _ in rows], [its.counts for _, its in rows]) if rows else []
        of_others = iter(made)
        return [None if bill.language == base else next(of_others) for bill in found]

    return _intervals.get((parallel.digest, base, *((bill.lane.key, bill.language) for bill in found)), make)


@contextmanager
def _progress(compared: Compared, steps: int) -> Iterator[Callable[[], object]]:
    """Show a progress bar while this session counts a long text for the first time; yield what notes a step."""
    key, seen = (compared.parallel.digest, compared.joining), COUNTED.get()
    if not steps or key in seen or sum(map(len, compared.parallel.texts)) <= LARGE:
        yield lambda: None
        return
    seen.add(key)
    place, words, done = st.empty(), t("languages.counting"), count(1)
    place.progress(0.0, text=words)
    try:
        yield lambda: place.progress(min(1.0, next(done) / steps), text=words)
    finally:
        place.empty()


def pair_premiums(compared: Compared, language: int, lane: Lane) -> npt.NDArray[np.float64]:
    """Return the premium of each pair, each line encoded separately; NaN if the base line has no token."""
    tokens = counted(compared.parallel, language, lane).counts
    base = counted(compared.parallel, compared.base, lane).counts
    premiums: npt.NDArray[np.float64] = np.divide(tokens, base, out=np.full(len(tokens), np.nan), where=base > 0)
    return premiums


def sizes(parallel: Parallel, language: int, segmenter: Segmenter | None) -> TextSizes:
    """Measure the text of a language; words only with a segmenter."""
    key = (parallel.digest, language, segmenter and segmenter.name)
    return _sizes.get(key, lambda: text_sizes(parallel.lines[language], segmenter))


def segmenter_of(parallel: Parallel, language: int) -> Segmenter | None:
    """Return the segmenter that finds the words of a language; None if none fits."""
    return _segmenters.get((parallel.digest, language), lambda: [segmenter_for(parallel.lines[language])])[0]
