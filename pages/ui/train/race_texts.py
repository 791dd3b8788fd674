"""The parallel texts of the race: two files aligned line by line; before that, the bundled sentences."""

from bisect import bisect_right
from dataclasses import replace
from functools import cache
from itertools import accumulate

import streamlit as st

from pages.ui.choices.parallel_texts import NamedTexts, named, sample_parallel
from pages.ui.choices.parallel_upload import read_uploaded
from pages.ui.choices.upload import Limits, comparison_too_large
from pages.ui.choices.uploads import forget, uploaded
from pages.ui.train import keys
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import t
from tokenizer_core.texts.mixing import held_out
from tokenizer_core.texts.parallel import Parallel

PLACE = "race"
MOST_CHARACTERS = 100_000
"""Characters of each side of uploaded texts: counting this many again takes 20 ms while a training runs."""
MOST_LINES = 2_000
"""The references count line by line, and each line takes at least 20 µs."""
MOST_BYTES = 4 * 2**20
_LIMITS = Limits(2, MOST_BYTES, comparison_too_large(MOST_BYTES), unpacks=False)
_cut = Bounded[Parallel](16, weigh=lambda parallel: 1)


def choose_race_texts() -> tuple[NamedTexts, int]:
    """Offer to race on another pair; return the texts, and how many pairs there were."""
    with st.popover(t("race.another"), icon=":material/flag:", type="tertiary"):
        return pick_race_texts()


def pick_race_texts() -> tuple[NamedTexts, int]:
    """Return the texts, as many lines as can be counted while a training runs, and how many pairs there were."""
    st.caption(t("race.another_help", limit=MOST_BYTES // 2**20, characters=MOST_CHARACTERS, lines=MOST_LINES))
    turn = keys.RACE_TURN.get()
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
    return named(_first(parallel, lines), is_sample=False), parallel.pairs


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


def _first(parallel: Parallel, lines: int) -> Parallel:
    """Return the first lines of both sides; each cut is made once."""

    def make() -> Parallel:
        cut = tuple(side[:lines] for side in parallel.lines[:2])
        return replace(parallel, names=parallel.names[:2], lines=cut, texts=tuple(map("\n".join, cut)))

    return _cut.get((parallel.digest, lines), make)


def _back_to_sample() -> None:
    keys.RACE_TURN.put(keys.RACE_TURN.get() + 1)
    forget(PLACE)
