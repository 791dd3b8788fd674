"""The mix frontier on the page: its trainings one after another, the chart, and the table beside it."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pages.ui.choices.mix import MOST_CHARACTERS, corpus_key, is_too_large, sizes_by_script
from pages.ui.choices.samples import sample_texts
from pages.ui.train import keys
from pages.ui.train.frontier import PATTERN, SHARES, Frontier, new_frontier
from pages.ui.train.frontier_chart import Cost, FrontierPoint, frontier_chart
from pages.ui.trainings.series import follow, show_progress, stop_all_but
from pages.ui.widgets import written
from pages.ui.widgets.segmented import segmented
from pages.ui.words import error_sentence, t
from tokenizer_core.tokenizer import Tokenizer

VOCAB_SIZES = (500, 1_000, 2_000, 4_000)
DEFAULT_SIZE = 1_000
LEAST_BYTES = 10_000
MAX_KEPT = 6


def mix_frontier(corpus_texts: Sequence[str]) -> None:
    """Offer to train the tokenizers of a frontier, and show the outcomes as they arrive.

    If the corpus has too little Thai or too little English, the bundled sample takes its place.
    """
    st.markdown(t("frontier.what", count=len(SHARES)))
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
        key=keys.FRONTIER_SIZE.key,
        default=DEFAULT_SIZE,
        show_label=True,
    )
    kept = keys.FRONTIERS.get()
    key = (corpus_key(texts), vocab_size)
    frontier = kept.get(key)
    stop_all_but(frontier.series if frontier else None, (each.series for each in kept.values()))
    if frontier is None or not (frontier.series.at_work or frontier.series.is_complete):
        words = t("frontier.resume") if frontier else t("frontier.start", count=len(SHARES))
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
    _show_progress(frontier)
    if not frontier.points:
        return
    named = [(t(f"tokenizers.{name}"), cost) for name, cost in frontier.references]
    rows, spec = frontier_chart(
        frontier.points,
        named,
        frontier.cost(Tokenizer([])),
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
    """Show how many tokenizers are trained, and which one is in training."""
    series = frontier.series
    if series.at_work:
        share = f"{SHARES[series.done]}%"
        words = t("frontier.progress", done=series.done, count=series.count, share=share)
    else:
        words = t("frontier.trained", done=series.done, count=series.count)
    show_progress(series, words, stop=t("frontier.stop"), key="frontier_stop")


def _how_measured(frontier: Frontier) -> str:
    return t(
        "frontier.how",
        kilobytes=written.kilobytes(frontier.size),
        pattern=t(f"pattern.{PATTERN}_name"),
        thai=len(frontier.measured_thai),
        english=len(frontier.measured_english),
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


def _table(frontier: Frontier, references: Sequence[tuple[str, Cost]]) -> str:
    """Return the chart's figures as a Markdown table, with vocabulary sizes if one was not reached."""
    rows = [[t("frontier.share"), t("frontier.thai"), t("frontier.english"), t("frontier.entries")]]
    rows.append(["---", "---:", "---:", "---:"])
    rows += [[f"{point.share}%", *_figures(point.cost), f"{point.vocab_size:,}"] for point in frontier.points]
    rows += [[name, *_figures(cost), ""] for name, cost in references]
    shown = 3 if all(point.vocab_size == frontier.vocab_size for point in frontier.points) else 4
    return "\n".join("| " + " | ".join(cells[:shown]) + " |" for cells in rows)


def _figures(cost: Cost) -> list[str]:
    return [f"{cost.thai:,.0f}", f"{cost.english:,.0f}"]
