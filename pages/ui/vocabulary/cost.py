"""What a vocabulary size costs a model in parameters, against the tokens that it saves on a text."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import altair as alt
import pandas as pd
import streamlit as st
from altair.typing import ChartType
from streamlit.delta_generator import DeltaGenerator

from pages.ui.i18n import language, t
from pages.ui.inputs.corpus import sample_texts
from pages.ui.inputs.tokenizers import is_run
from pages.ui.session import remembered
from pages.ui.vocabulary.choices import SAMPLE, OwnText, text_below, training_texts, uses_in
from pages.ui.widgets import formatting
from pages.ui.widgets.bars import count_bars
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.charts import ROUND_NUMBERS, ROWS, draw, log_scale, log_spaced
from pages.ui.widgets.controls import answer, fold, segmented
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.slides import Slide
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.costs import PUBLISHED, WORTHWHILE, Model, row_parameters, sweet_spot
from tokenizer_core.analysis.lineage import token_counts
from tokenizer_core.bpe.openai import OpenAITokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import train
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.readers.mixing import held_out

OWN = "own"
MOST_WIDTH = 65_536
LIFTS = (-14, 18, -32, 36)
"""How far below its dot a name may stand, in pixels."""
MEETING_SIZES, MEETING_TOKENS = 4, 1.25
"""Names meet where sizes, and tokens, differ by less than these factors."""
POINTS = 60
"""Points of the line, with merges spread evenly on a logarithmic scale."""
SAMPLE_SIZE = 16_384
"""Entries of the tokenizer that is trained on the built-in sentences, where the visitor has none of their own."""


class Line(NamedTuple):
    """A tokenizer whose every size is drawn, the text it is measured on, and its tokens at each size."""

    name: str
    key: str
    tokenizer: Tokenizer
    text: OwnText
    learned_from_text: bool


_counts = Bounded[list[int]](16, weigh=lambda counts: 1)


def vocabulary_cost(lanes: Sequence[Lane], said: DeltaGenerator) -> list[Slide]:
    """Draw what each vocabulary size costs a model and saves on a text; below, let the visitor choose the text.

    Returns a slide: the tokens of the text around the size that is enough.
    """
    place, text = text_below()
    with place:
        return _cost(lanes, text, said)


def _cost(lanes: Sequence[Lane], text: OwnText, said: DeltaGenerator) -> list[Slide]:
    """Draw the answer; let the visitor choose a model, and draw what each vocabulary size costs it and saves."""
    model = _choose_model()
    line = _line(lanes, text)
    counts = _counts.get(
        (line.key, line.text.digest), lambda: token_counts(line.text.texts, line.tokenizer).tolist()
    )
    if not counts[0]:
        st.info(t("cost.no_text"), icon=":material/notes:")
        return []
    references = [lane for lane in lanes if lane.key != line.key and not is_run(lane.choice)]
    others = [(lane.name, _ids_of(lane), int(uses_in(lane, line.text).counts.sum())) for lane in references]
    spot = sweet_spot(counts)
    found = _answer(line.name, counts, spot)
    with said:
        answer(found, key="cost")
    says = _sentence(line, counts, spot, model)
    rows = cost_rows(line.name, counts, others, spot, model)
    draw(cost_chart, rows, key="vocabulary_cost", says=says)
    st.caption(says)
    st.markdown(t("cost.what"))
    with fold(t("cost.published"), icon=":material/table:", key="cost_published"):
        _published()
    sizes = doublings(spot or len(counts) - 1 + BYTES, len(counts) - 1 + BYTES)
    bars = count_bars([(t("cost.spot", size=size), counts[size - BYTES]) for size in sizes], says=found)
    source = {language(): t("cost.slide_source", text=line.text.name)}
    return [Slide("bars", title={language(): found}, says=source, html=bars)]


def doublings(size: int, most: int) -> list[int]:
    """Return an eighth, a quarter and half of a vocabulary size, itself and twice as much: those up to `most`.

    >>> doublings(4808, 16384), doublings(600, 1100)
    ([601, 1202, 2404, 4808, 9616], [300, 600])
    """
    return [each for each in (size // 8, size // 4, size // 2, size, 2 * size) if BYTES <= each <= most]


def cost_rows(
    name: str, counts: Sequence[int], others: Sequence[tuple[str, int, int]], spot: int | None, model: Model
) -> pd.DataFrame:
    """Return the points of the line, the other tokenizers by name, ids and tokens, and the sweet spot.

    `counts` are the tokens after each number of merges.
    """
    merges = {*log_spaced(len(counts), POINTS), *([] if spot is None else [spot - BYTES])}  # it stands on the line
    points = [("line", name, BYTES + merge, counts[merge]) for merge in sorted(merges)]
    counted = sorted((each for each in others if each[2]), key=lambda each: each[1])
    points += [("other", *each) for each in counted]
    if spot is not None:
        points.append(("spot", t("cost.spot", size=spot), spot, counts[spot - BYTES]))
    rows = [(*point, row_parameters(point[2], model.width, is_tied=model.is_tied)) for point in points]
    parameters = [row[4] for row in rows]
    # Left of the middle, nothing lies above the line, and right of it nothing lies below.
    middle = (min(parameters) * max(parameters)) ** 0.5
    lifts = iter(_lifts(counted))
    return pd.DataFrame(
        [(*row, row[4] < middle, next(lifts) if row[0] == "other" else 0) for row in rows],
        columns=["kind", "name", "size", "tokens", "parameters", "is_left", "lift"],
    )


def _lifts(others: Sequence[tuple[str, int, int]]) -> list[int]:
    """Return how far below its dot each name stands, in pixels: names of dots that lie close do not meet."""
    lifts: list[int] = []
    for at, (_, size, tokens) in enumerate(others):
        near = [
            earlier
            for earlier in range(at)
            if size < MEETING_SIZES * others[earlier][1]
            and 1 / MEETING_TOKENS < tokens / others[earlier][2] < MEETING_TOKENS
        ]
        free = [lift for lift in LIFTS if lift not in {lifts[each] for each in near}]
        lifts.append(free[0] if free else LIFTS[0])
    return lifts


def cost_chart() -> ChartType:
    """Define tokens against parameters: a line for one tokenizer, dots for the others, and the sweet spot.

    Both axes are logarithmic: equal steps are equal ratios.
    """
    rows = alt.Chart(ROWS)
    line, others, spots = (rows.transform_filter(alt.datum.kind == kind) for kind in ("line", "other", "spot"))
    label = spots.mark_text(
        align=alt.expr("datum.is_left ? 'left' : 'right'"),
        dx=alt.expr("datum.is_left ? 12 : -12"),
        dy=alt.expr("datum.is_left ? -16 : 18"),
        fontSize=14,
        fontWeight=600,
    )
    # "G" is what people who count parameters write as "B".
    parameters = alt.Axis(values=ROUND_NUMBERS, labelExpr="replace(format(datum.value, '~s'), 'G', 'B')")
    tokens = alt.Axis(values=ROUND_NUMBERS, format="~s")
    return alt.layer(
        line.mark_line(),
        others.mark_point(style="quiet"),
        others.mark_text(dy=alt.expr("datum.lift"), align=alt.expr("datum.is_left ? 'left' : 'center'")).encode(
            text="name:N"
        ),
        spots.mark_point(shape="diamond", size=260),
        label.encode(text="name:N"),
        height=340,
    ).encode(
        alt.X("parameters:Q", title=t("cost.parameters"), scale=log_scale(40), axis=parameters),
        alt.Y("tokens:Q", title=t("curves.axis_tokens"), scale=log_scale(24), axis=tokens),
        tooltip=[
            alt.Tooltip("name:N", title=" "),
            alt.Tooltip("size:Q", title=t("curves.axis_size"), format=","),
            alt.Tooltip("parameters:Q", title=t("cost.parameters"), format=","),
            alt.Tooltip("tokens:Q", title=t("curves.axis_tokens"), format=","),
        ],
    )


def _choose_model() -> Model:
    """Let the visitor choose a known model, or a width and tied rows of their own."""
    known = {model.name: model for model in PUBLISHED}
    chosen = segmented(
        t("cost.model"),
        [*known, OWN],
        lambda name: t("cost.own_model") if name == OWN else name,
        key="vocabulary_model",
        default="Llama 3 8B",
        show_label=True,
    )
    if chosen in known:
        return known[chosen]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        width = st.number_input(
            t("cost.width"),
            min_value=1,
            max_value=MOST_WIDTH,
            step=64,
            key=remembered("vocabulary_width", 768),
            persist_state="session",
        )
        tied = st.toggle(t("cost.tied"), key="vocabulary_tied", persist_state="session", help=t("cost.tied_help"))
    return Model(t("cost.own_model"), int(width or 1), tied, 0)


def _line(lanes: Sequence[Lane], text: OwnText) -> Line:
    """Return the visitor's own tokenizer, or else one trained now on the built-in sentences.

    One's own is too small where it has not doubled yet: nothing can be told of it.
    That one is measured on sentences that it has not seen, unless the visitor chose another text.
    """
    for lane in lanes:
        if lane.is_own and isinstance(lane.tokenizer, Tokenizer) and lane.tokenizer.vocab_size >= 2 * BYTES:
            learned = set(training_texts())
            return Line(lane.name, lane.key, lane.tokenizer, text, not learned.isdisjoint(text.texts))
    if text.source == SAMPLE:
        text = OwnText(tuple(_sample()[1]), t("cost.held_out"), SAMPLE)
    return Line(t("cost.trained_here"), "trained on the sample", _trained(), text, False)


@cache
def _sample() -> tuple[list[str], list[str]]:
    """Return the built-in sentences to learn from, and every fifth pair to measure on."""
    sides = [held_out(each.splitlines()) for each in sample_texts()]
    return [line for kept, _ in sides for line in kept], ["\n".join(out) for _, out in sides]


@cache
def _trained() -> Tokenizer:
    return train(_sample()[0], SAMPLE_SIZE)


def _ids_of(lane: Lane) -> int:
    """Return the ids that a model needs rows for."""
    tokenizer = lane.tokenizer
    if isinstance(tokenizer, OpenAITokenizer):
        return tokenizer.id_counts.total
    return tokenizer.vocab_size + len(tokenizer.special_tokens)


def _answer(name: str, counts: Sequence[int], spot: int | None) -> str:
    if spot is not None:
        return t("cost.answer", name=name, size=spot, share=formatting.share(WORTHWHILE))
    return t("cost.answer_more", name=name, **_last_doubling(counts))


def _last_doubling(counts: Sequence[int]) -> dict[str, Any]:
    """Return the size that the last doubling begins and ends with, and the share of the tokens that it saves."""
    half = (len(counts) - 1 + BYTES) // 2
    saved = 1 - counts[2 * half - BYTES] / counts[half - BYTES] if half >= BYTES else 0
    return {"half": half, "size": 2 * half, "share": formatting.fine_share(saved)}


def _sentence(line: Line, counts: Sequence[int], spot: int | None, model: Model) -> str:
    values = {"name": line.name, "text": line.text.name, "share": formatting.share(WORTHWHILE)}
    size = len(counts) - 1 + BYTES
    if spot is None:
        values |= {"worth": values["share"], **_last_doubling(counts)}
        says = t("cost.no_spot" if size >= 2 * BYTES else "cost.too_few", **values)
    else:
        called = t("cost.a_model") if model.name == t("cost.own_model") else model.name
        cost = row_parameters(spot, model.width, is_tied=model.is_tied)
        says = f"{t('cost.says', size=spot, parameters=cost, model=called, **values)} {t('cost.depends')}"
    return f"{says} {t('cost.learned_from_text')}" if line.learned_from_text else says


def _published() -> None:
    frame = pd.DataFrame(
        {
            t("cost.model"): [model.name for model in PUBLISHED],
            t("cost.width"): [model.width for model in PUBLISHED],
            t("cost.rows"): [model.vocab_size for model in PUBLISHED],
            t("cost.tied_column"): [t("cost.yes" if model.is_tied else "cost.no") for model in PUBLISHED],
            t("cost.parameters"): [
                row_parameters(model.vocab_size, model.width, is_tied=model.is_tied) for model in PUBLISHED
            ],
        }
    )
    figures_table(frame, t("cost.published"), words=(0, 3))
    st.caption(t("cost.published_says"))
