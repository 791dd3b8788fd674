"""The mix frontier: small tokenizers trained on more and more Thai, and what Thai and English cost with each.

Then the same texts once more by parity-aware BPE: each merge is chosen by the language that pays more until then.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, NamedTuple

import altair as alt
import pandas as pd
import streamlit as st
from altair.typing import ChartType

from pages.ui.i18n import error_sentence, t
from pages.ui.inputs.corpus import SAMPLES, sample_text, sample_texts, text_to_train_on
from pages.ui.inputs.corpus_picker import MOST_CHARACTERS, corpus_key, is_too_large, sizes_by_script
from pages.ui.run_registry.series import Plan, Series, follow, show_progress, stop_all_but
from pages.ui.session import Value
from pages.ui.widgets import formatting
from pages.ui.widgets.charts import ROUND_NUMBERS, ROWS, draw, log_scale
from pages.ui.widgets.controls import segmented
from pages.ui.widgets.figures_table import figures_table
from tokenizer_core.analysis.bootstrap import SHARE, Interval, premium_intervals
from tokenizer_core.analysis.ratios import tokens_per_thousand
from tokenizer_core.bpe.openai import openai_tokenizer, references
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.errors import TokenizerError
from tokenizer_core.readers.mixing import first_lines, frontier_size, frontier_texts, held_out, lines_by_script
from tokenizer_core.workers.training_settings import StopRules, Training

SHARES = tuple(range(0, 101, 10))
"""Percent of Thai in the text of each training."""
FAIR_SHARES = (10, 20, 30, 50, 70, 90)
"""Percent of Thai in the trainings by parity-aware BPE."""
PATTERN = "mark_aware"
PLAN = (*((share, False) for share in SHARES), *((share, True) for share in FAIR_SHARES))
"""Each training: its percentage, and whether parity chooses."""
STOP = StopRules(min_count=2)
MOST_BYTES = 2_000_000
"""Bytes of text for each training: enough for the largest vocabulary here, and trained in a second."""
MEASURED_BYTES = 200_000
"""Bytes of held-out lines to measure on, for each language."""


class Cost(NamedTuple):
    """Tokens per 1,000 characters of held-out Thai and English."""

    thai: float
    english: float


class Premium(NamedTuple):
    """Thai tokens / English tokens of the same sentences, and the interval of this ratio."""

    times: float
    interval: Interval | None


class FrontierPoint(NamedTuple):
    """The outcome of one training."""

    share: int
    """Percent of Thai in the text it learned from, by bytes."""
    cost: Cost
    vocab_size: int
    premium: Premium
    """Of sentence pairs that were held out."""
    is_fair: bool = False
    """Whether each merge was chosen by the language that paid more until then."""
    lines: tuple[float, float] | None = None
    """Thai and English tokens per line of the pairs that were held out."""


@dataclass
class Frontier:
    """All trainings on one corpus with one vocabulary size: what they need, and their outcomes."""

    vocab_size: int
    size: int
    """Bytes of text for each training."""
    thai: list[str] = field(repr=False)
    english: list[str] = field(repr=False)
    measured_thai: str = field(repr=False)
    measured_english: str = field(repr=False)
    references: list[tuple[str, Cost]]
    from_sample: bool = False
    """Whether the bundled sample took the place of a corpus with too few lines."""
    points: list[FrontierPoint] = field(default_factory=list)
    series: Series = field(init=False)
    most: Cost = field(init=False)
    """What single bytes cost."""

    def __post_init__(self) -> None:
        self.most = cost(Tokenizer([]), self.measured_thai, self.measured_english)
        self.series = Series(self._plan(), len(PLAN))

    def _plan(self) -> Plan:
        """Yield a training for each share and way; at the end, drop the lines to learn from."""
        pairs = tuple(map(text_to_train_on, SAMPLES["both"]))
        for share, is_fair in PLAN:
            texts = frontier_texts(self.thai, self.english, share / 100, self.size)
            training = Training(texts, self.vocab_size, PATTERN, stop=STOP)
            job = yield replace(training, parity=True, measured=pairs) if is_fair else training
            assert not isinstance(job, TokenizerError)
            tokenizer = job.tokenizer()
            measured = cost(tokenizer, self.measured_thai, self.measured_english)
            thai, english = (tokenizer.encode_each(side).counts.mean() for side in held_out_pairs())
            self.points.append(
                FrontierPoint(
                    share,
                    measured,
                    tokenizer.vocab_size,
                    premium_of(tokenizer),
                    is_fair,
                    (float(thai), float(english)),
                )
            )
        self.thai, self.english = [], []


def new_frontier(texts: Sequence[str], vocab_size: int) -> Frontier:
    """Sort the lines by script, hold out every fifth one, and measure the references on the held-out lines.

    If too few lines leave nothing to hold out, the bundled sample takes their place.
    """
    lines = lines_by_script(texts)
    (thai, thai_out), (english, english_out) = held_out(lines.thai), held_out(lines.latin)
    if not (thai_out and english_out):
        return replace(new_frontier(sample_texts(), vocab_size), from_sample=True)
    size = frontier_size(thai, english, most=MOST_BYTES)
    measured_thai, measured_english = (
        "\n".join(first_lines(side, MEASURED_BYTES)) for side in (thai_out, english_out)
    )
    return Frontier(
        vocab_size,
        size,
        first_lines(thai, size),
        first_lines(english, size),
        measured_thai,
        measured_english,
        [(name, cost(known, measured_thai, measured_english)) for name, known in references().items()],
    )


def cost(tokenizer: AnyTokenizer, thai: str, english: str) -> Cost:
    """Return the tokens per 1,000 characters of each text."""
    costs = [tokens_per_thousand(tokenizer, text) for text in (thai, english)]
    assert costs[0] is not None
    assert costs[1] is not None
    return Cost(costs[0], costs[1])


@cache
def held_out_pairs() -> tuple[list[str], list[str]]:
    """Return the sample's pairs that are held out from every training."""
    thai, english = (held_out(sample_text(file).splitlines())[1] for file in SAMPLES["both"])
    return thai, english


def premium_of(tokenizer: AnyTokenizer) -> Premium:
    """Return the premium of the held-out pairs."""
    thai, english = (tokenizer.encode_each(side).counts for side in held_out_pairs())
    (interval,) = premium_intervals([thai], [english])
    return Premium(float(thai.sum() / english.sum()), interval)


@cache
def _premium_of_reference(name: str) -> Premium:
    return premium_of(openai_tokenizer(name))


FRONTIER_OPEN: Value[bool] = Value("frontier", bool)
FRONTIERS: Value[dict[Any, Frontier]] = Value("frontiers", dict)
"""The frontiers of this session, by corpus and vocabulary size."""

VOCAB_SIZES = (500, 1_000, 2_000, 4_000)
DEFAULT_SIZE = 1_000
LEAST_BYTES = 10_000
MAX_KEPT = 6


def mix_frontier(corpus_texts: Sequence[str]) -> None:
    """Offer to train the tokenizers of a frontier, and show the outcomes as they arrive.

    If the corpus has too little Thai or too little English, the bundled sample takes its place.
    """
    st.markdown(t("frontier.what", count=len(SHARES), fair=len(FAIR_SHARES)))
    texts: Sequence[str] = corpus_texts
    if is_too_large(texts):
        st.caption(t("frontier.too_large", limit=MOST_CHARACTERS // 10**6))
        texts = sample_texts()
    measured = sizes_by_script(texts)["bytes"]
    if min(measured.thai, measured.latin) < LEAST_BYTES:
        st.caption(t("frontier.uses_sample"))
        texts = sample_texts()
    vocab_size = segmented(
        t("frontier.size"),
        VOCAB_SIZES,
        "{:,}".format,
        key="frontier_size",
        default=DEFAULT_SIZE,
        show_label=True,
    )
    kept = FRONTIERS.get()
    key = (corpus_key(texts), vocab_size)
    frontier = kept.get(key)
    stop_all_but(frontier.series if frontier else None, (each.series for each in kept.values()))
    if frontier is None or not (frontier.series.at_work or frontier.series.is_complete):
        words = t("frontier.resume") if frontier else t("frontier.start", count=len(PLAN))
        if st.button(words, icon=":material/play_arrow:", key="frontier_start"):
            while frontier is None and len(kept) >= MAX_KEPT:
                kept.pop(next(iter(kept))).series.stop()
            frontier = kept[key] = frontier or new_frontier(texts, vocab_size)
            frontier.series.resume()
            st.rerun()
    if frontier is not None:
        if frontier.from_sample:
            st.caption(t("frontier.uses_sample"))
        follow(frontier.series, partial(_show, frontier))


def _show(frontier: Frontier) -> None:
    """Draw progress, the chart and the table beside it, and a sentence on what to see."""
    if frontier.series.failure is not None:
        st.error(error_sentence(frontier.series.failure), icon=":material/error:")
    series = frontier.series
    key = "frontier.progress" if series.at_work else "frontier.trained"
    share = f"{PLAN[series.done][0]}%" if series.at_work else ""
    words = t(key, done=series.done, count=series.count, share=share)
    show_progress(series, words, stop=t("frontier.stop"), key="frontier_stop")
    if not frontier.points:
        return
    sentence = _what_to_see([point for point in frontier.points if not point.is_fair])
    fair = _what_fairness_does(frontier.points)
    chart, table = st.columns([5, 3], gap="large")
    with chart:
        if fair:
            st.markdown(f"**{fair}**")
            st.caption(_how_sure(frontier.points))
        draw(frontier_chart, frontier_rows(frontier), key="frontier_chart", says=f"{sentence} {fair}".strip())
        st.caption(sentence)
        how = {"thai": len(frontier.measured_thai), "english": len(frontier.measured_english)}
        kilobytes, pattern = formatting.kilobytes(frontier.size), t(f"pattern.{PATTERN}_name")
        st.caption(t("frontier.how", kilobytes=kilobytes, pattern=pattern, **how))
    with table:
        st.caption(t("frontier.table", share=formatting.share(SHARE)))
        formats = dict.fromkeys((t("frontier.thai"), t("frontier.english")), "{:,.0f}".format)
        figures_table(_table(frontier), t("frontier.table", share=formatting.share(SHARE)), formats=formats)


def frontier_rows(frontier: Frontier) -> pd.DataFrame:
    """Return our points, the references, and what single bytes cost, where the axes end."""
    own = [
        ("fair" if point.is_fair else "own", f"{point.share}%", point.share, *point.cost, _written(point.premium))
        for point in frontier.points
    ]
    references = [
        ("reference", t(f"tokenizers.{name}"), None, *cost, _written(_premium_of_reference(name)))
        for name, cost in frontier.references
    ]
    most = ("most", "", None, *frontier.most, "")
    columns = ["kind", "label", "share", "thai", "english", "premium"]
    return pd.DataFrame([*own, *references, most], columns=columns)


def _written(premium: Premium) -> str:
    return f"{premium.times:.2f} ({formatting.interval(premium.interval)})"


def frontier_chart() -> ChartType:
    """Define Thai against English: a line through the trainings in the order of shares, and the references.

    Both axes are logarithmic: without Thai in training, Thai costs several times what it costs with only Thai. The
    cost of single bytes, unseen, keeps the upper ends of the axes in place as points arrive.
    """
    said = [
        alt.Tooltip("label:N", title=t("frontier.share")),
        alt.Tooltip("thai:Q", title=t("frontier.thai_axis"), format=",.0f"),
        alt.Tooltip("english:Q", title=t("frontier.english_axis"), format=",.0f"),
        alt.Tooltip("premium:N", title=t("frontier.premium")),
    ]
    rows = alt.Chart(ROWS)
    own, fair, references, most = (
        rows.transform_filter(alt.datum.kind == kind) for kind in ("own", "fair", "reference", "most")
    )
    colour = alt.Color("kind:N", legend=None, scale=alt.Scale(domain=["own", "fair"]))
    # On a phone, the line is so near to the references that their names stand above them.
    is_narrow = "width < 320"
    names = references.mark_text(
        style=["quiet", "right"],
        fontSize=alt.expr(f"{is_narrow} ? 11 : 13"),
        dx=alt.expr(f"{is_narrow} ? -5 : 9"),
        dy=alt.expr(f"{is_narrow} ? -14 : 0"),
    )
    # The line bends to the lower left and leaves room on both sides, so the labels alternate between the sides.
    turn = "datum.share % 20 == 0"
    shares = own.mark_text(
        style="strong",
        align=alt.expr(f"{turn} ? 'left' : 'right'"),
        dx=alt.expr(f"{turn} ? 4 : -4"),
        dy=alt.expr(f"{turn} ? -11 : 12"),
    )
    round_numbers = alt.Axis(values=ROUND_NUMBERS, format=",d")
    return alt.layer(
        most.mark_point(opacity=0),
        own.mark_line(opacity=0.6).encode(order="share:Q", color=colour),
        own.mark_point().encode(tooltip=said, color=colour),
        shares.encode(text="label:N"),
        fair.mark_line(strokeDash=[5, 4]).encode(order="share:Q", color=colour),
        fair.mark_point(shape="square", size=90).encode(tooltip=said, color=colour),
        references.mark_point(style="quiet", shape="diamond", filled=False).encode(tooltip=said),
        names.encode(text="label:N"),
        height=440,
    ).encode(
        alt.X("english:Q", title=t("frontier.english_axis"), scale=log_scale(), axis=round_numbers),
        alt.Y("thai:Q", title=t("frontier.thai_axis"), scale=log_scale(), axis=round_numbers),
    )


def _what_to_see(points: Sequence[FrontierPoint]) -> str:
    """Say what the first, second and last share cost; with fewer than three points, how to read the chart."""
    first, last = points[0], points[-1]
    if len(points) < 3:
        return t("frontier.read")
    second = points[1]
    return t(
        "frontier.says",
        second=f"{second.share}%",
        thai_first=round(first.cost.thai),
        thai_second=round(second.cost.thai),
        english_first=round(first.cost.english),
        english_second=round(second.cost.english),
        last=f"{last.share}%",
        thai_last=round(last.cost.thai),
        english_last=round(last.cost.english),
    )


def _what_fairness_does(points: Sequence[FrontierPoint]) -> str:
    """Say what the least Thai and the most so far cost with and without parity; nothing before there are two."""
    plain = {point.share: point.premium for point in points if not point.is_fair}
    fair = [point for point in points if point.is_fair]
    if len(fair) < 2:
        return ""
    first, last = fair[0], fair[-1]
    return t(
        "frontier.fair",
        share=f"{first.share}%",
        plain=f"{plain[first.share].times:.2f}",
        fair=f"{first.premium.times:.2f}",
        last=f"{last.share}%",
        plain_last=f"{plain[last.share].times:.2f}",
        fair_last=f"{last.premium.times:.2f}",
    )


def _how_sure(points: Sequence[FrontierPoint]) -> str:
    """Say how far other pairs could move the premium of the least Thai, with and without parity."""
    least = next(point for point in points if point.is_fair)
    both = [point.premium.interval for point in points if point.share == least.share]
    plain, fair = (formatting.interval(interval) for interval in both)
    pairs, share = len(held_out_pairs()[0]), formatting.share(SHARE)
    return t("frontier.sure", pairs=pairs, share=share, thai=f"{least.share}%", plain=plain, fair=fair)


def _table(frontier: Frontier) -> pd.DataFrame:
    """Return the chart's figures, with vocabulary sizes if one was not reached."""
    own = [
        (
            t("frontier.fair_share", share=f"{point.share}%") if point.is_fair else f"{point.share}%",
            *point.cost,
            _written(point.premium),
            point.vocab_size,
        )
        for point in frontier.points
    ]
    references = [
        (t(f"tokenizers.{name}"), *cost, _written(_premium_of_reference(name)), None)
        for name, cost in frontier.references
    ]
    heads = [t(f"frontier.{name}") for name in ("share", "thai", "english", "premium", "entries")]
    frame = pd.DataFrame([*own, *references], columns=heads).astype({heads[4]: "Int64"})
    is_reached = all(point.vocab_size == frontier.vocab_size for point in frontier.points)
    return frame[heads[:4]] if is_reached else frame
