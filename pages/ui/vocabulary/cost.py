"""What a vocabulary size costs a model in parameters, against the tokens that it saves on a text."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import streamlit as st

from pages.ui.choices.samples import sample_texts
from pages.ui.session import remembered
from pages.ui.token_view.lanes import Lane
from pages.ui.vocabulary import keys
from pages.ui.vocabulary.cost_chart import Point, cost_chart
from pages.ui.vocabulary.lanes import uses_in
from pages.ui.vocabulary.texts import SAMPLE, OwnText, training_texts
from pages.ui.widgets import written
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.fold import fold
from pages.ui.widgets.segmented import segmented
from pages.ui.words import t
from tokenizer_core.measures.history import token_counts
from tokenizer_core.measures.model_cost import PUBLISHED, WORTHWHILE, Model, row_parameters, sweet_spot
from tokenizer_core.openai import OpenAITokenizer
from tokenizer_core.texts.mixing import held_out
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import train

OWN = "own"
MOST_WIDTH = 65_536
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


def vocabulary_cost(lanes: Sequence[Lane], text: OwnText) -> None:
    """Let the visitor choose a model, and draw what each vocabulary size costs it and saves."""
    st.header(t("cost.title"), anchor=False)
    st.markdown(t("cost.what"))
    model = _choose_model()
    line = _line(lanes, text)
    counts = _counts.get(
        (line.key, line.text.digest), lambda: token_counts(line.text.texts, line.tokenizer).tolist()
    )
    if not counts[0]:
        st.info(t("cost.no_text"), icon=":material/notes:")
        return
    references = [lane for lane in lanes if not lane.is_own]
    others = [Point(lane.name, _ids_of(lane), int(uses_in(lane, line.text).counts.sum())) for lane in references]
    spot = sweet_spot(counts)
    label = "" if spot is None else t("cost.spot", size=spot)
    titles = (t("curves.axis_size"), t("cost.parameters"), t("curves.axis_tokens"))
    rows, spec = cost_chart(line.name, counts, others, model, spot, titles=titles, spot_label=label)
    says = _sentence(line, counts, spot, model)
    st.vega_lite_chart(rows, spec, key="vocabulary_cost", alt=says)
    st.caption(says)
    with fold(t("cost.published"), icon=":material/table:", key="cost_published"):
        _published()


def _choose_model() -> Model:
    """Let the visitor choose a known model, or a width and tied rows of their own."""
    known = {model.name: model for model in PUBLISHED}
    chosen = segmented(
        t("cost.model"),
        [*known, OWN],
        lambda name: t("cost.own_model") if name == OWN else name,
        key=keys.MODEL,
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
            key=remembered(keys.WIDTH, 768),
            persist_state="session",
        )
        tied = st.toggle(t("cost.tied"), key=keys.TIED, persist_state="session", help=t("cost.tied_help"))
    return Model(t("cost.own_model"), int(width or 1), tied, 0)


def _line(lanes: Sequence[Lane], text: OwnText) -> Line:
    """Return the visitor's own tokenizer, or else one trained now on the built-in sentences.

    That one is measured on sentences that it has not seen, unless the visitor chose another text.
    """
    for lane in lanes:
        if lane.is_own and isinstance(lane.tokenizer, Tokenizer):
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


def _sentence(line: Line, counts: Sequence[int], spot: int | None, model: Model) -> str:
    values = {"name": line.name, "text": line.text.name, "share": written.share(WORTHWHILE)}
    if spot is None:
        says = t("cost.no_spot", size=255 + len(counts), **values)
    else:
        cost = row_parameters(spot, model.width, is_tied=model.is_tied)
        says = f"{t('cost.says', size=spot, parameters=cost, **values)} {t('cost.depends')}"
    return f"{says} {t('cost.learned_from_text')}" if line.learned_from_text else says


def _published() -> None:
    head = [t(f"cost.{name}") for name in ("model", "width", "rows", "tied_column", "parameters")]
    rows = [
        [
            model.name,
            f"{model.width:,}",
            f"{model.vocab_size:,}",
            t("cost.yes" if model.is_tied else "cost.no"),
            f"{row_parameters(model.vocab_size, model.width, is_tied=model.is_tied):,}",
        ]
        for model in PUBLISHED
    ]
    figures_table([head, *rows], t("cost.published"), words=(0, 3))
    st.caption(t("cost.published_says"))
