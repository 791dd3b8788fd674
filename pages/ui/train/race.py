"""The race to parity: from which merge on one's own tokenizer needs fewer tokens than others, on parallel text."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.choices.samples import sample_text
from pages.ui.choices.uploads import read_upload
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.charts import Axis, Level, Spec, curve_spec, thinned
from pages.ui.words import as_plain_markdown, t, told
from tokenizer_core.jobs.job import Job
from tokenizer_core.measures.history import token_counts_of
from tokenizer_core.openai import references
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.vocabulary import BYTES

HEIGHT = 270
MOST_CHARACTERS = 100_000
"""Of each side of an uploaded pair: so much is counted anew in 20 ms while a training runs."""
MOST_LINES = 2_000
"""The references count line by line, 20 µs for each line at the least."""
MOST_FILE_BYTES = 2 * 2**20
NAME_CHARACTERS = 40

Counts = npt.NDArray[np.int32]
Lines = tuple[str, ...]
References = Mapping[str, tuple[int, int]]
"""Tokens that each reference needs for the two sides, by its name."""


@dataclass(frozen=True)
class Pair:
    """The same lines in two languages; the bundled ones have no files, but names in the visitor's language."""

    sides: tuple[Lines, Lines]
    files: tuple[str, str] | None = None
    lines_in_files: int = 0
    """How many there were before the pair was cut."""

    def name(self, side: int) -> str:
        """What a side is called in a chart."""
        return self.files[side][:NAME_CHARACTERS] if self.files else t(("race.thai", "race.english")[side])

    def spoken(self, side: int) -> str:
        """The same within Markdown."""
        return as_plain_markdown(self.name(side)) if self.files else self.name(side)


class Moment(NamedTuple):
    """How one's own tokenizer stands to a reference on one side."""

    side: int
    reference: str
    merge: int | None
    """The first merge after which it needs fewer tokens; None where that is still to come."""
    behind: int
    """Tokens that it needs more at the moment; negative where it needs fewer."""


_pretokens = Bounded[dict[str, int]](200_000, weigh=len)
_references = Bounded[dict[str, tuple[int, int]]](16, weigh=lambda counts: 1)
_counts = Bounded[tuple[Counts, Counts]](16 * 2**20, weigh=lambda both: sum(side.nbytes for side in both))


def race(job: Job, tokenizer: Tokenizer) -> None:
    """Two small charts, the premium, and what has been reached and what not yet; cheap enough to renew."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.header(t("race.title"), anchor=False, width="content")
        with st.popover(t("race.another"), type="tertiary"):
            pair = _pair_picker()
    _say_what_is_counted(pair)
    with told():  # one's own split pattern may be too slow for this text
        counts = own_counts(job.id, tokenizer, pair)
        levels = reference_counts(pair)
        found = moments(counts, levels)
        for side, place in enumerate(st.columns(2, gap="large")):
            with place:
                st.markdown(f"**{pair.spoken(side)}**")
                rows, spec = side_curve(counts[side], _last_merge(job), levels, found, pair, side)
                st.vega_lite_chart(rows, spec, key=f"race_{side}", alt=t("race.alt", name=pair.name(side)))
        st.markdown(premium_sentence(counts, levels, pair))
        st.markdown("\n".join(f"- {sentence}" for sentence in sentences(found, pair)))


def _say_what_is_counted(pair: Pair) -> None:
    lines = len(pair.sides[0])
    if pair.files is None:
        st.caption(t("race.what_sample", lines=lines))
        return
    st.caption(t("race.what_files", lines=lines, first=pair.spoken(0), second=pair.spoken(1)))
    if lines < pair.lines_in_files:
        st.caption(t("race.cut", lines=lines, all=pair.lines_in_files))


def _last_merge(job: Job) -> int:
    """Where the axis ends: at the goal, or where a training that has ended came to."""
    return max(1, len(job.merges) if job.ended else job.merge_goal)


# ---- what is counted


def own_counts(job_id: str, tokenizer: Tokenizer, pair: Pair) -> tuple[Counts, Counts]:
    """The tokens of each side after each merge learned so far, counted line by line, exact."""

    def make() -> tuple[Counts, Counts]:
        first, second = (token_counts_of(_pretokens_of(side, tokenizer.pattern), tokenizer) for side in pair.sides)
        return first, second

    return _counts.get((job_id, len(tokenizer.merges), pair), make)


def _pretokens_of(lines: Lines, pattern: str) -> dict[str, int]:
    return _pretokens.get((lines, pattern), lambda: count_pretokens(lines, pattern))


def reference_counts(pair: Pair) -> dict[str, tuple[int, int]]:
    """What each reference needs for each side, line by line, exact; one whose file cannot be read is left out."""
    return _references.get(pair, lambda: _count_references(pair))


def _count_references(pair: Pair) -> dict[str, tuple[int, int]]:
    def count(tokenizer: AnyTokenizer) -> tuple[int, int]:
        first, second = (int(tokenizer.encode_each(side).counts.sum()) for side in pair.sides)
        return first, second

    known = references()
    with ThreadPoolExecutor(max_workers=2) as pool:  # tiktoken lets other threads run
        return dict(zip(known, pool.map(count, known.values()), strict=True))


def moments(counts: Sequence[Counts], references: References) -> list[Moment]:
    """How one's own tokenizer stands to every reference on every side that has tokens: what was reached first,
    newest first, then what is still to come, nearest first.

    >>> moments([np.array([9, 7, 4]), np.array([5, 4, 4])], {"gpt2": (7, 3)})
    [Moment(side=0, reference='gpt2', merge=2, behind=-3), Moment(side=1, reference='gpt2', merge=None, behind=1)]
    """
    found = []
    for name, levels in references.items():
        for side, (own, level) in enumerate(zip(counts, levels, strict=True)):
            if not own[0]:
                continue
            # Tokens only grow fewer: the place behind all counts that are not below the level.
            merge = int(np.searchsorted(-own, -level, side="right"))
            found.append(Moment(side, name, merge if merge < len(own) else None, int(own[-1]) - level))
    return sorted(found, key=lambda moment: (moment.merge is None, -(moment.merge or 0), moment.behind))


# ---- what is shown


def side_curve(
    counts: Counts, last_merge: int, references: References, found: Sequence[Moment], pair: Pair, side: int
) -> tuple[list[dict[str, Any]], Spec]:
    """Rows and specification of one side, with a dot at each merge that overtook a reference."""
    reached: dict[int, str] = {}
    for moment in found:
        if moment.side == side and moment.merge is not None:
            told_before = reached.get(moment.merge)
            words = _sentence(moment, pair.name(side))
            reached[moment.merge] = f"{told_before} {words}" if told_before else words
    merges = sorted({*thinned(range(len(counts))), *reached})
    rows = [
        {"size": BYTES + merge, "value": tokens, "moment": reached.get(merge)}
        for merge, tokens in zip(merges, counts[merges].tolist(), strict=True)
    ]
    levels = [Level(t(f"tokenizers.{name}"), both[side]) for name, both in references.items()]
    most = max(1, int(counts[0]), *(level.value for level in levels))
    spec = curve_spec(
        (BYTES, BYTES + last_merge),
        t("curves.axis_size"),
        Axis(t("curves.axis_tokens"), most=most),
        levels=levels,
        own=t("tokenizers.mine"),
        height=HEIGHT,
    )
    return rows, spec


def sentences(found: Sequence[Moment], pair: Pair) -> list[str]:
    """The moments in words, as they come: Markdown."""
    return [_sentence(moment, pair.spoken(moment.side)) for moment in found]


def _sentence(moment: Moment, name: str) -> str:
    reference = t(f"tokenizers.{moment.reference}")
    if moment.merge is not None:
        return t("race.reached", merge=moment.merge, reference=reference, name=name)
    if moment.behind:
        return t("race.not_yet", reference=reference, name=name, behind=moment.behind)
    return t("race.equal", reference=reference, name=name)


def premium_sentence(counts: Sequence[Counts], references: References, pair: Pair) -> str:
    """Tokens of the first side / tokens of the second, one's own and the others', in one sentence: Markdown."""
    others = ", ".join(
        t("race.premium_of", reference=t(f"tokenizers.{name}"), premium=premium(*both))
        for name, both in references.items()
    )
    return t(
        "race.premium" if others else "race.premium_alone",
        premium=premium(int(counts[0][-1]), int(counts[1][-1])),
        others=others,
        first=pair.spoken(0),
        second=pair.spoken(1),
    )


def premium(first: int, second: int) -> str:
    """How many times the tokens of the second text the first one needs, in words; a dash for an empty text.

    >>> premium(30, 20), premium(1, 0)
    ('1.50', '–')
    """
    return f"{first / second:.2f}" if second else "–"


# ---- the pair


@cache
def sample_pair() -> Pair:
    """The bundled parallel sentences, line by line without line ends."""
    thai, english = (tuple(sample_text(f"parallel.{name}.txt").splitlines()) for name in ("th", "en"))
    return Pair((thai, english))


def _pair_picker() -> Pair:
    """Two files of the same lines in two languages; until there are, the bundled sample."""
    st.caption(t("race.another_help"))
    turn = st.session_state.get("race_turn", 0)  # an uploader can be emptied only by another key
    first = st.file_uploader(t("race.upload_first"), key=f"race_first_{turn}", on_change=_forget_pair)
    second = st.file_uploader(t("race.upload_second"), key=f"race_second_{turn}", on_change=_forget_pair)
    if first is not None and second is not None:
        st.session_state["race_pair"] = _read_pair(first, second)
    elif first is not None or second is not None:
        st.info(t("race.one_more"), icon=":material/note_add:")
    known: Pair | None = st.session_state.get("race_pair")
    if known is not None:
        st.button(t("race.back_to_sample"), key="race_back", on_click=_back_to_sample)
    return known or sample_pair()


def _forget_pair() -> None:
    """A file was exchanged or taken out by hand."""
    st.session_state.pop("race_pair", None)


def _back_to_sample() -> None:
    st.session_state["race_turn"] = st.session_state.get("race_turn", 0) + 1
    _forget_pair()


def _read_pair(first: UploadedFile, second: UploadedFile) -> Pair | None:
    """The uploaded files as a pair; None, with the reason on the page, where they are none."""
    for upload in (first, second):
        if upload.size > MOST_FILE_BYTES:
            name = as_plain_markdown(upload.name[:NAME_CHARACTERS])
            st.error(t("race.file_too_large", name=name, limit=MOST_FILE_BYTES // 2**20))
            return None
    texts = [read_upload(upload) for upload in (first, second)]
    if texts[0] is None or texts[1] is None:
        return None
    sides = texts[0].text.splitlines(), texts[1].text.splitlines()
    if refusal := _refusal(*sides):
        st.error(refusal)
        return None
    return cut_pair(*sides, files=(first.name, second.name))


def _refusal(first: Sequence[str], second: Sequence[str]) -> str | None:
    """Why these lines make no pair, in words."""
    if len(first) != len(second):
        return t("race.other_lines", first=len(first), second=len(second))
    if not (any(first) and any(second)):
        return t("race.no_text")
    if not lines_that_fit(first, second):
        return t("race.line_too_long", limit=MOST_CHARACTERS)
    return None


def lines_that_fit(first: Sequence[str], second: Sequence[str]) -> int:
    """How many lines can be counted while a training runs: the same number of both sides."""
    fit = (bisect_right(list(accumulate(map(len, side))), MOST_CHARACTERS) for side in (first, second))
    return min(*fit, MOST_LINES)


def cut_pair(first: Sequence[str], second: Sequence[str], files: tuple[str, str]) -> Pair:
    """The first lines of both sides, as many as can be counted; it remembers how many there were."""
    lines = lines_that_fit(first, second)
    return Pair((tuple(first[:lines]), tuple(second[:lines])), files, len(first))
