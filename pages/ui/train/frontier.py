"""The mix frontier: small tokenizers trained on more and more Thai, and what Thai and English cost with each."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages.ui.choices.mix import corpus_key, script_sizes
from pages.ui.choices.samples import SAMPLES, sample_text
from pages.ui.train.frontier_chart import Cost, FrontierPoint, frontier_chart
from pages.ui.trainings.registry import registry
from pages.ui.words import error_sentence, t, told
from tokenizer_core.jobs.job import Failure, Job, Training
from tokenizer_core.measures.ratios import tokens_per_thousand
from tokenizer_core.openai import references
from tokenizer_core.protocols import Encoder
from tokenizer_core.texts.mixing import first_lines, frontier_size, frontier_texts, held_out, lines_by_script
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
    return [(name, _cost(tokenizer, thai, english)) for name, tokenizer in references().items()]


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
