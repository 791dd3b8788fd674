"""The race of methods: the same small text trained in four ways, and what Thai and English cost with each.

Plain and parity-aware BPE and superwords learn a text of this size in a tenth of a second, so they run here;
SentencePiece's Unigram runs in its child.
"""

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import altair as alt
import pandas as pd
import streamlit as st
from altair.typing import ChartType

from pages.ui.i18n import t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import SAMPLES, sample_texts, text_to_train_on
from pages.ui.inputs.corpus_picker import corpus_key, is_too_large
from pages.ui.limits import MAX_WORKER_BYTES
from pages.ui.session import Value
from pages.ui.train.frontier import held_out_pairs
from pages.ui.widgets.charts import ROWS, draw
from pages.ui.widgets.controls import segmented
from pages.ui.widgets.figures_table import Formats, figures_table
from pages.ui.widgets.formatting import interval, ratio
from tokenizer_core.analysis.bootstrap import Interval, premium_intervals
from tokenizer_core.bpe.parity_trainer import Group, ParityTrainer
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import train
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.patterns.pretokens import counted_pretokens
from tokenizer_core.readers.mixing import frontier_size, frontier_texts, held_out, lines_by_script
from tokenizer_core.workers.sentencepiece_job import SentencePieceJob, SentencePieceSettings

METHODS_OPEN: Value[bool] = Value("methods", bool)
PATTERN = "mark_aware"
SHARES = (10, 30, 50)
"""Percent of Thai in the text."""
SIZES = (500, 1_000, 2_000)
MOST_BYTES = 200_000
"""Bytes of the text."""
FIRST_STAGE = 0.8
"""The share of the merges after which tokens may cross spaces."""
UNIGRAM_SECONDS = 30
"""Usual is one; a machine that is busy takes longer."""
TURNS = threading.Semaphore(1)
"""Turns for the Unigram trainings of all visitors."""


class Outcome(NamedTuple):
    """What one method made of the text, on held-out pairs of sentences."""

    method: str
    thai: float
    """Tokens per line."""
    english: float
    premium: float
    interval: Interval
    seconds: float


OUTCOMES: Value[dict[Any, list[Outcome]]] = Value("methods_outcomes", dict)
"""What came of the races of this session, by corpus, share and size."""


def race_of_methods(corpus_texts: Sequence[str]) -> None:
    """Let the visitor choose the share of Thai and the size; train by each method, and compare."""
    st.markdown(t("methods.what", count=len(METHODS)))
    texts = corpus_texts
    if not _has_both(texts):
        st.caption(t("frontier.uses_sample"))
        texts = sample_texts()
    with st.container(horizontal=True):
        share = segmented(t("frontier.share"), SHARES, "{}%".format, key="methods_share", show_label=True)
        size = segmented(
            t("frontier.size"), SIZES, "{:,}".format, key="methods_size", default=1_000, show_label=True
        )
    key = (corpus_key(texts), share, size)
    kept = OUTCOMES.get()
    place = st.empty()
    is_complete = len(kept.get(key, ())) == len(METHODS)
    if not is_complete and place.button(t("methods.start"), icon=":material/play_arrow:", key="methods_start"):
        with place, st.spinner(t("methods.working"), show_time=True):
            kept[key] = outcomes_of(texts, share / 100, size)
        place.empty()
    if key in kept:
        _show(kept[key])


def _has_both(texts: Sequence[str]) -> bool:
    """Tell whether there are enough lines of Thai and of English to learn from."""
    if is_too_large(texts):
        return False
    lines = lines_by_script(texts)
    return frontier_size(lines.thai, lines.latin, most=MOST_BYTES) >= MOST_BYTES // 20


def outcomes_of(texts: Sequence[str], share: float, size: int) -> list[Outcome]:
    """Train by each method on lines that are not held out, and measure on pairs that are."""
    lines = lines_by_script(texts)
    thai, english = held_out(lines.thai)[0], held_out(lines.latin)[0]
    learned_from = frontier_texts(thai, english, share, frontier_size(thai, english, most=MOST_BYTES))
    trained: list[tuple[str, AnyTokenizer, float]] = []
    for method, learn in METHODS.items():
        started = time.perf_counter()
        if (tokenizer := learn(learned_from, size)) is not None:
            trained.append((method, tokenizer, time.perf_counter() - started))
    pairs = held_out_pairs()
    counts = [[tokenizer.encode_each(side).counts for _, tokenizer, _ in trained] for side in pairs]
    found = []
    for (method, _, seconds), *sides, bounds in zip(trained, *counts, premium_intervals(*counts), strict=True):
        thai_tokens, english_tokens = (float(side.mean()) for side in sides)
        assert bounds is not None
        premium = thai_tokens / english_tokens
        found.append(Outcome(method, thai_tokens, english_tokens, premium, bounds, seconds))
    return found


def _parity(texts: Sequence[str], size: int) -> Tokenizer:
    groups = []
    for text, file in zip(texts, SAMPLES["both"], strict=True):
        measured = text_to_train_on(file)
        counted = [counted_pretokens(each, PATTERN) for each in (text, measured)]
        groups.append(Group(counted[0], len(measured.splitlines()), counted[1]))
    merges = [(merge.left, merge.right) for merge in ParityTrainer(groups, size, min_count=2).step(size)]
    return Tokenizer(merges, pattern=PATTERN)


def _superwords(texts: Sequence[str], size: int) -> Tokenizer:
    return train(texts, size, pattern=PATTERN, superwords_from=BYTES + int((size - BYTES) * FIRST_STAGE))


def _unigram(texts: Sequence[str], size: int) -> AnyTokenizer | None:
    settings = SentencePieceSettings(
        vocab_size=size, byte_fallback=True, normalization_rule_name="identity", hard_vocab_limit=False
    )
    job = SentencePieceJob(texts, settings, turns=TURNS, memory_bytes=MAX_WORKER_BYTES)
    job.wait(UNIGRAM_SECONDS)
    job.stop()
    return job.tokenizer


Learn = Callable[[Sequence[str], int], AnyTokenizer | None]
METHODS: dict[str, Learn] = {
    "plain": partial(train, pattern=PATTERN),
    "parity": _parity,
    "superwords": _superwords,
    "unigram": _unigram,
}


# ---- shown


def _show(found: Sequence[Outcome]) -> None:
    """Draw what may be concluded, the premiums with their intervals, and a table."""
    if len(found) < len(METHODS):
        st.warning(t("methods.missing"), icon=":material/warning:")
    says = conclusion(found)
    st.markdown(f"**{says}**")
    chart, table = st.columns(2, gap="large")
    with chart:
        draw(methods_chart, chart_rows(found), key="methods_chart", says=says)
        st.caption(t("methods.how", pairs=len(held_out_pairs()[0])))
    with table:
        heads = [t(f"frontier.{head}") for head in ("thai", "english", "premium")]
        formats: Formats = dict.fromkeys(heads[:2], "{:.1f}".format)
        heads = [t("methods.method"), *heads, t("methods.interval"), t("methods.seconds")]
        formats = {**formats, heads[3]: ratio, heads[5]: "{:.2f}".format}
        rows = [(_name(each.method), *each[1:4], interval(each.interval), each.seconds) for each in found]
        st.caption(t("methods.table"))
        figures_table(pd.DataFrame(rows, columns=heads), t("methods.table"), formats=formats)


def conclusion(found: Sequence[Outcome]) -> str:
    """Say which method comes closest to the same price, what English pays for it, and whether it is chance."""
    plain = found[0]
    fairest = min(found, key=lambda each: abs(each.premium - 1))
    if fairest is plain:
        return t("methods.plain_is_fairest", premium=ratio(plain.premium))
    apart = fairest.interval[1] < plain.interval[0] or plain.interval[1] < fairest.interval[0]
    more = fairest.english / plain.english - 1
    return " ".join(
        [
            t(
                "methods.says",
                fairest=_name(fairest.method),
                premium=ratio(fairest.premium),
                plain=ratio(plain.premium),
            ),
            t("methods.apart" if apart else "methods.together"),
            t("methods.english_more" if more >= 0 else "methods.english_less", share=f"{abs(more):.0%}"),
        ]
    )


def _name(method: str) -> str:
    return t(f"methods.{method}")


def chart_rows(found: Sequence[Outcome]) -> pd.DataFrame:
    """Return a row for each method: its premium and the bounds of its interval."""
    rows = [
        (without_breaks(_name(each.method)), each.premium, *each.interval, f"{ratio(each.premium)}")
        for each in found
    ]
    return pd.DataFrame(rows, columns=["name", "premium", "low", "high", "label"])


def methods_chart() -> ChartType:
    """Define a point and an interval for each method, and a line where Thai costs as much as English."""
    names = alt.Axis(title=None, ticks=False, domain=False, labelFontSize=15, labelLimit=170)
    scale = alt.Scale(zero=False, nice=True, padding=24)
    place = alt.X("low:Q", title=t("frontier.premium"), scale=scale)
    rows = alt.Chart(ROWS).encode(alt.Y("name:N", sort=None, axis=names))
    points = rows.encode(alt.X("premium:Q", title=t("frontier.premium"), scale=scale))
    even = alt.Chart(ROWS).transform_aggregate(count="count()").encode(x=alt.datum(1))
    return alt.layer(
        even.mark_rule(style="quiet", strokeDash=[4, 4], aria=False),
        rows.mark_rule(style="quiet", strokeWidth=4).encode(place, alt.X2("high")),
        points.mark_point(filled=True, size=120),
        points.mark_text(style="strong", dy=-16).encode(text="label:N"),
        height=alt.Step(64),
    )
