"""The mix frontier: small tokenizers trained on more and more Thai, and what Thai and English cost with each."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import streamlit as st

from pages.ui.jobs import registry
from pages.ui.mixing import corpus_key, script_sizes
from pages.ui.samples import SAMPLES, sample_text
from pages.ui.words import error_sentence, t, told
from tokenizer_core.errors import RankFileError
from tokenizer_core.job import Failure, Job, Training
from tokenizer_core.mixing import (
    Encoder,
    first_lines,
    frontier_size,
    frontier_texts,
    held_out,
    lines_by_script,
    tokens_per_thousand,
)
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.tokenizer import Tokenizer

SHARES = tuple(range(0, 101, 10))
"""Per cent of Thai in the text of each training."""
VOCAB_SIZES = (500, 1_000, 2_000, 4_000)
DEFAULT_SIZE = 1_000
PATTERN = "mark_aware"
MIN_COUNT = 2
MOST_BYTES = 2_000_000
"""Of the text of each training: enough for the largest vocabulary here, and trained in a second."""
LEAST_BYTES = 10_000
MEASURED_BYTES = 200_000
"""Of the lines to measure on, for each language."""
REFRESH_SECONDS = 0.5
PATIENCE = 0.3
"""Seconds that a look at a training waits for its end, so that short ones follow each other at once."""
MAX_KEPT = 6

_KEPT = "frontiers"


class Cost(NamedTuple):
    """Tokens for 1,000 characters of held-out Thai and English."""

    thai: float
    english: float


class FrontierPoint(NamedTuple):
    """What one training came to."""

    share: int
    """Per cent of Thai in the text it learned from, by bytes."""
    cost: Cost
    vocab_size: int


@dataclass
class Frontier:
    """All trainings on one corpus with one vocabulary size: what they need, and what has come of them."""

    vocab_size: int
    size: int
    """Bytes of text of each training."""
    thai: list[str] = field(repr=False)
    english: list[str] = field(repr=False)
    measured_thai: str = field(repr=False)
    measured_english: str = field(repr=False)
    references: list[tuple[str, Cost]]
    points: list[FrontierPoint] = field(default_factory=list)
    job: Job | None = None
    stopped: bool = False
    failure: Failure | None = None

    @property
    def is_complete(self) -> bool:
        return len(self.points) == len(SHARES)

    @property
    def at_work(self) -> bool:
        return not (self.is_complete or self.stopped or self.failure)


def mix_frontier(corpus_texts: Sequence[str]) -> None:
    """Offer to train the tokenizers of a frontier, and show what came of them as it comes.

    Where the corpus holds too little of one of both languages, the bundled sample takes its place.
    """
    st.markdown(t("frontier.what", count=len(SHARES)))
    texts: Sequence[str] = corpus_texts
    measured = script_sizes(texts)["bytes"]
    if min(measured.thai, measured.latin) < LEAST_BYTES:
        st.caption(t("frontier.uses_sample"))
        texts = tuple(map(sample_text, SAMPLES["both"]))
    vocab_size = _size_picker()
    key = (corpus_key(texts), vocab_size)
    frontier = _kept().get(key)
    _halt_all_but(frontier)
    if frontier is None or not (frontier.at_work or frontier.is_complete):
        words = t("frontier.resume") if frontier else t("frontier.start", count=len(SHARES))
        if st.button(words, icon=":material/play_arrow:", key="frontier_start"):
            frontier = frontier or _begin(key, texts)
            frontier.stopped, frontier.failure = False, None
            st.rerun()
    if frontier is not None:
        refresh = REFRESH_SECONDS if frontier.at_work else None
        st.fragment(_live, run_every=refresh)(frontier, frontier.at_work)


def _size_picker() -> int:
    size = st.segmented_control(
        t("frontier.size"),
        VOCAB_SIZES,
        format_func=lambda size: f"{size:,}",
        default=DEFAULT_SIZE,
        required=True,
        key="frontier_size",
        persist_state="session",
    )
    return size or DEFAULT_SIZE


def _kept() -> dict[Any, Frontier]:
    """The frontiers of this session, by corpus and vocabulary size."""
    kept: dict[Any, Frontier] = st.session_state.setdefault(_KEPT, {})
    return kept


def _begin(key: object, texts: Sequence[str]) -> Frontier:
    """Sort the lines, hold out every fifth one, and measure the references on those."""
    kept = _kept()
    while len(kept) >= MAX_KEPT:
        _give_up(kept.pop(next(iter(kept))))
    lines = lines_by_script(texts)
    (thai, thai_out), (english, english_out) = held_out(lines.thai), held_out(lines.latin)
    size = frontier_size(thai, english, most=MOST_BYTES)
    measured_thai, measured_english = (
        "\n".join(first_lines(side, MEASURED_BYTES)) for side in (thai_out, english_out)
    )
    kept[key] = Frontier(
        st.session_state["frontier_size"] or DEFAULT_SIZE,
        size,
        first_lines(thai, size),
        first_lines(english, size),
        measured_thai,
        measured_english,
        _reference_costs(measured_thai, measured_english),
    )
    return kept[key]


def _reference_costs(thai: str, english: str) -> list[tuple[str, Cost]]:
    """What the references need for the same lines; one whose file cannot be read is left out."""
    costs = []
    for name in OPENAI_NAMES:
        with contextlib.suppress(RankFileError):
            costs.append((name, _cost(openai_tokenizer(name), thai, english)))
    return costs


def _cost(tokenizer: Encoder, thai: str, english: str) -> Cost:
    return Cost(tokens_per_thousand(tokenizer, thai) or 0.0, tokens_per_thousand(tokenizer, english) or 0.0)


def _halt_all_but(frontier: Frontier | None) -> None:
    """One frontier at a time: one that is no longer looked at waits with what it has."""
    for other in _kept().values():
        if other is not frontier and other.at_work:
            _give_up(other)
            other.stopped = True


def _give_up(frontier: Frontier) -> None:
    """End the training under way; its point is trained anew if the frontier goes on."""
    if frontier.job is not None:
        registry().forget(frontier.job.id)
        frontier.job = None


def _live(frontier: Frontier, was_at_work: bool) -> None:
    """All that changes while trainings run; a fragment's errors do not reach the frame."""
    with told():
        if frontier.at_work:
            _go_on(frontier)
        if frontier.at_work != was_at_work:
            st.rerun()  # the timer must stop, and the button come back
        _show(frontier)


def _go_on(frontier: Frontier) -> None:
    """Take in the training that has ended, and start the next one."""
    if frontier.job is None or registry().get(frontier.job.id) is None:
        share = SHARES[len(frontier.points)]
        texts = frontier_texts(frontier.thai, frontier.english, share / 100, frontier.size)
        frontier.job = registry().start(Training(texts, frontier.vocab_size, PATTERN, min_count=MIN_COUNT))
    job = frontier.job
    if not job.ended:
        job.wait(PATIENCE)
    if not job.ended or not registry().is_warm:
        return
    _give_up(frontier)
    if job.failure is not None:
        frontier.failure = job.failure
        return
    tokenizer = job.tokenizer()
    cost = _cost(tokenizer, frontier.measured_thai, frontier.measured_english)
    frontier.points.append(FrontierPoint(SHARES[len(frontier.points)], cost, tokenizer.vocab_size))
    if frontier.is_complete:
        frontier.thai, frontier.english = [], []


def _show(frontier: Frontier) -> None:
    """Progress, the chart and the table beside it, and a sentence on what to see."""
    if frontier.failure is not None:
        st.error(error_sentence(frontier.failure), icon=":material/error:")
    _show_progress(frontier)
    if not frontier.points:
        return
    named = [(t(f"tokenizers.{name}"), cost) for name, cost in frontier.references]
    rows, spec = frontier_chart(
        frontier.points,
        named,
        _cost(Tokenizer([]), frontier.measured_thai, frontier.measured_english),
        english_title=t("frontier.english_axis"),
        thai_title=t("frontier.thai_axis"),
        share_title=t("frontier.share"),
    )
    sentence = _what_to_see(frontier.points)
    chart, table = st.columns([5, 3], gap="large")
    with chart:
        st.vega_lite_chart(rows, spec, key="frontier_chart", alt=sentence)
        st.caption(sentence)
        st.caption(_how_measured(frontier))
    with table:
        st.caption(t("frontier.table"))
        st.markdown(_table(frontier, named))


def _show_progress(frontier: Frontier) -> None:
    """How many are trained, which one is under way, and the button that stops."""

    def stop() -> None:
        _give_up(frontier)
        frontier.stopped = True

    done, count = len(frontier.points), len(SHARES)
    with st.container(horizontal=True, vertical_alignment="center"):
        if frontier.at_work:
            words = t("frontier.progress", done=done, count=count, share=f"{SHARES[done]}%")
        else:
            words = t("frontier.trained", done=done, count=count)
        st.progress(done / count, text=words)
        if frontier.at_work:
            st.button(t("frontier.stop"), icon=":material/stop:", key="frontier_stop", on_click=stop)


def _how_measured(frontier: Frontier) -> str:
    return t(
        "frontier.how",
        kilobytes=f"{frontier.size / 1000:,.0f}",
        pattern=t(f"pattern.{PATTERN}_name"),
        thai=len(frontier.measured_thai),
        english=len(frontier.measured_english),
    )


def _what_to_see(points: Sequence[FrontierPoint]) -> str:
    """One sentence: which way is cheaper, and what the first and the last share of Thai cost."""
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


def _table(frontier: Frontier, references: Sequence[tuple[str, Cost]]) -> str:
    """The figures of the chart as a table in Markdown; with the vocabulary sizes where one was not reached."""
    rows = [[t("frontier.share"), t("frontier.thai"), t("frontier.english"), t("frontier.entries")]]
    rows.append(["---", "---:", "---:", "---:"])
    rows += [[f"{point.share}%", *_figures(point.cost), f"{point.vocab_size:,}"] for point in frontier.points]
    rows += [[name, *_figures(cost), ""] for name, cost in references]
    shown = 3 if all(point.vocab_size == frontier.vocab_size for point in frontier.points) else 4
    return "\n".join("| " + " | ".join(cells[:shown]) + " |" for cells in rows)


def _figures(cost: Cost) -> list[str]:
    return [f"{cost.thai:,.0f}", f"{cost.english:,.0f}"]


_STRONG = {"expr": "luminance(background) < 0.4 ? '#2dd4bf' : '#0f766e'"}
_QUIET = {"expr": "luminance(background) < 0.4 ? '#b6bcc8' : '#4b5160'"}


def frontier_chart(
    points: Sequence[FrontierPoint],
    references: Sequence[tuple[str, Cost]],
    most: Cost,
    *,
    english_title: str,
    thai_title: str,
    share_title: str,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rows and the specification: Thai against English, joined in the order of shares, references beside it.

    Both axes are logarithmic: without Thai in training, Thai costs several times what it costs with all of it.
    They end at `most`, what single bytes would cost, so that they stay where they are as points come.
    """
    rows: list[dict[str, Any]] = [
        {"share": point.share, "label": f"{point.share}%", "thai": point.cost.thai, "english": point.cost.english}
        for point in points
    ]
    rows += [
        {"share": None, "label": name, "thai": cost.thai, "english": cost.english} for name, cost in references
    ]
    own, other = [{"filter": "isValid(datum.share)"}], [{"filter": "!isValid(datum.share)"}]
    # The line bends to the lower left, so there is room on both sides of it: names stand here and there in turn.
    turn = "datum.share % 20 == 0"
    aside = {
        "align": {"expr": f"{turn} ? 'left' : 'right'"},
        "dx": {"expr": f"{turn} ? 4 : -4"},
        "dy": {"expr": f"{turn} ? -11 : 12"},
    }
    text = {"type": "text", "align": "left", "baseline": "middle", "dx": 9, "fontSize": 12}
    label = {"field": "label", "type": "nominal"}
    said = [
        {"field": "label", "type": "nominal", "title": share_title},
        {"field": "thai", "type": "quantitative", "title": thai_title, "format": ",.0f"},
        {"field": "english", "type": "quantitative", "title": english_title, "format": ",.0f"},
    ]
    spec: dict[str, Any] = {
        "height": 440,
        "padding": {"left": 4, "top": 12, "right": 16, "bottom": 16},
        "encoding": {
            "x": _cost_axis("english", english_title, [most.english, *(row["english"] for row in rows)]),
            "y": _cost_axis("thai", thai_title, [most.thai, *(row["thai"] for row in rows)]),
        },
        "layer": [
            {
                "transform": own,
                "mark": {"type": "line", "strokeWidth": 2, "color": _STRONG, "opacity": 0.6},
                "encoding": {"order": {"field": "share", "type": "quantitative"}},
            },
            {
                "transform": own,
                "mark": {
                    "type": "point",
                    "aria": False,
                    "filled": True,
                    "size": 70,
                    "opacity": 1,
                    "color": _STRONG,
                },
                "encoding": {"tooltip": said},
            },
            {"transform": own, "mark": {**text, **aside, "color": _STRONG}, "encoding": {"text": label}},
            {
                "transform": other,
                "mark": {
                    "type": "point",
                    "aria": False,
                    "shape": "diamond",
                    "size": 90,
                    "opacity": 1,
                    "color": _QUIET,
                },
                "encoding": {"tooltip": said},
            },
            {"transform": other, "mark": {**text, "color": _QUIET}, "encoding": {"text": label}},
        ],
    }
    return rows, spec


def _cost_axis(field: str, title: str, values: Sequence[float]) -> dict[str, Any]:
    """A logarithmic axis a little wider than its values, with round numbers on it."""
    low, high = 0.9 * min(values), 1.15 * max(values)
    ticks = [tick * 10**power for power in range(5) for tick in (1, 2, 3, 5)]
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {
            "title": title,
            "format": ",d",
            "values": [tick for tick in ticks if low <= tick <= high],
            "titleFontWeight": "normal",
            "labelFontSize": 12,
            "titleFontSize": 13,
            "titlePadding": 8,
        },
    }
