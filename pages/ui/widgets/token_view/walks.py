"""How models without merges cut a word: the lattice of Unigram, and WordPiece's walk to the longest entry."""

import html
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import streamlit as st

from pages.ui.i18n import t
from pages.ui.widgets.figures_table import scroll_box, sideways
from pages.ui.widgets.formatting import fine_share
from pages.ui.widgets.token_view.chips import chip, chip_style, visible
from pages.ui.widgets.token_view.payload import tint
from tokenizer_core.analysis.lattice import Arc, Path, Unigram, all_paths, best_paths, in_rows, lattice
from tokenizer_core.analysis.longest_match import Attempt, Walk, WordPiece, walk

MOST_PATHS = 6
MOST_TRIED = 3
"""Pieces in vain that are written out in one step."""
View = Callable[[str], None]
TRACE_STYLE = """<style>
.trace { overflow-x: auto; }
.trace table { border-collapse: collapse; }
.trace td { border: 0; border-bottom: 1px solid rgba(128,128,128,.18); padding: .3rem .75rem .3rem 0;
  font-size: 1.125rem; line-height: 1.9; white-space: nowrap; font-variant-numeric: tabular-nums; }
.trace th { border: 0; padding: .3rem .75rem .3rem 0; text-align: start; font-weight: 400; font-size: .875rem; }
.trace s { opacity: .75; }
.trace .word th { padding-top: 1rem; font-size: 1.125rem; font-weight: 600; }
.trace td:first-child { text-align: end; opacity: .8; font-size: 1rem; }
.trace .token-chip { font-size: 1.25rem; padding: 0 .35rem; display: inline-block;
  vertical-align: middle; }
.token-chip.unknown { border: 2px dashed light-dark(#a3160c, #ff9d8f); background: none; color: inherit; }
.trace .joined { outline: 2px solid light-dark(#191814, #ffffff); outline-offset: 1px; }
@media (min-width: 1200px) { .trace .merges td:last-child { white-space: normal; } }
@media (min-width: 1700px) and (min-height: 950px) { /* a projector */
  .trace td { font-size: 1.375rem; }
  .trace .token-chip { font-size: 1.75rem; }
}
@media (max-width: 640px) { /* tokens have the whole width, below their merge or the figures of their way */
  .trace :is(.merges, .paths) tr { display: grid; grid-template-columns: 2rem 1fr;
    border-bottom: 1px solid rgba(128,128,128,.18); }
  .trace .paths tr { grid-template-columns: 3rem 5rem 1fr; align-items: end; }
  .trace .paths th:last-child { display: none; }
  .trace :is(.merges, .paths) td { border: 0; padding-block: 0; }
  .trace :is(.merges, .paths) :is(td, th):last-child { grid-column: 1 / -1; }
  .trace td:last-child { white-space: normal; overflow-wrap: anywhere; }
}
</style>"""
_STYLE = """<style>
.lattice { overflow-x: auto; padding: .25rem 0; }
.lattice > div { display: grid; gap: 4px 2px; min-width: max-content; }
.lattice .node { display: flex; flex-direction: column; align-items: center; justify-content: center;
  padding: .1rem .25rem; border-radius: .35rem; line-height: 1.7; font-size: 1.125rem; max-width: none;
  white-space: pre; box-shadow: inset 0 0 0 1px color-mix(in srgb, currentColor 30%, transparent); }
.lattice .lit { font-size: 1.5rem; box-shadow: none; }
.lattice b { font-weight: 400; line-height: 1.3; font-size: .75rem; font-variant-numeric: tabular-nums; }
</style>"""


def view_of(tokenizer: Any) -> tuple[str, View] | None:
    """Return the title and the view of a word for a Unigram or WordPiece model; None for any other."""
    if unigram := getattr(tokenizer, "unigram", None):
        return t("trace.lattice"), lambda word: _lattice(tokenizer.stretches(word), unigram)
    if word_piece := getattr(tokenizer, "word_piece", None):
        return t("trace.walk"), lambda word: _walk(tokenizer.stretches(word), word_piece, tokenizer.token_text)
    return None


def _lattice(stretches: Sequence[str], model: Unigram) -> None:
    text = "".join(stretches)
    arcs = lattice(stretches, model)
    paths = best_paths(arcs, len(text), MOST_PATHS)
    if not text:
        return
    ways, total = all_paths(arcs, len(text))
    st.html(chip_style() + _STYLE + sideways(lattice_html(text, arcs, paths[0], model, t("trace.lattice"))))
    fits = sum(not _is_unknown(arc, model) for arc in arcs)
    st.caption(t("trace.lattice_says", fits=fits, ways=ways), help=t("trace.lattice_scores"))
    st.html(
        scroll_box(
            "trace", f"<table class='paths'>{paths_html(text, paths, total, model)}</table>", t("trace.runners_up")
        )
    )
    st.caption(t("trace.runners_up_says", shown=len(paths)))


def _is_unknown(arc: Arc, model: Unigram) -> bool:
    """Return whether a piece stands for a character that the model does not know."""
    return arc.token_id == model.unknown[0]


def lattice_html(text: str, arcs: Sequence[Arc], best: Path, model: Unigram, label: str) -> str:
    """Return the HTML of all pieces that fit, each in its place; the best path is lit, in the first row."""
    rows = [list(best.arcs), *in_rows(set(arcs) - set(best.arcs))]
    nodes = "".join(_node(text, arc, model, n) for n, row in enumerate(rows, start=1) for arc in row)
    columns = f"grid-template-columns:repeat({len(text)},minmax(min-content,1fr))"
    return scroll_box("lattice", f'<div style="{columns}">{nodes}</div>', label)


def _node(text: str, arc: Arc, model: Unigram, row: int) -> str:
    piece = text[arc.start : arc.end]
    look = f" lit token-chip tint-{tint(piece.encode())}" if row == 1 else ""
    look += " unknown" if _is_unknown(arc, model) else ""
    place = f"grid-row:{row};grid-column:{arc.start + 1}/{arc.end + 1}"
    shown = html.escape(visible(piece))
    return f'<div class="node{look}" style="{place}"><bdi>{shown}</bdi><b>{_log(arc.score)}</b></div>'


def paths_html(text: str, paths: Sequence[Path], total: float, model: Unigram) -> str:
    """Return a table row for each path: its share of all, its log-likelihood, and its pieces."""
    heads = "".join(f"<th>{t(f'trace.{head}')}</th>" for head in ("rank", "share", "log_likelihood", "pieces"))
    rows = "".join(
        f"<tr><td>{n}</td><td>{fine_share(path.share(total))}</td><td>{_log(path.score)}</td>"
        f"<td>{' '.join(_piece(text, arc, model) for arc in path.arcs)}</td></tr>"
        for n, path in enumerate(paths, start=1)
    )
    return f"<tr>{heads}</tr>{rows}"


def _piece(text: str, arc: Arc, model: Unigram) -> str:
    piece = text[arc.start : arc.end]
    return _unknown(piece) if _is_unknown(arc, model) else chip(piece.encode())


def _unknown(shown: str) -> str:
    title = html.escape(t("token_view.lost"))
    return f'<bdi class="token-chip unknown" title="{title}">{html.escape(visible(shown))}</bdi>'


def _log(score: float) -> str:
    return f"{score:.1f}".replace("-", "−")


def _walk(words: Sequence[str], model: WordPiece, written: Callable[[int], str]) -> None:
    walks = [walk(word, model) for word in words]
    rows = "".join(
        (f"<tr class='word'><th colspan=3>{html.escape(visible(each.word))}</th></tr>" if len(walks) > 1 else "")
        + walk_html(each, written)
        for each in walks
    )
    st.html(chip_style() + scroll_box("trace", f"<table>{rows}</table>", t("trace.walk")))
    tried, tokens = sum(len(each.attempts) for each in walks), sum(len(each.ids) for each in walks)
    st.caption(t("trace.walk_says"), help=t("trace.walk_more", tried=tried, tokens=tokens))


def walk_html(found: Walk, written: Callable[[int], str]) -> str:
    """Return the table rows of a word: what each step chooses, then what it tries in vain."""
    rows = ""
    for number, (_, step) in enumerate(groupby(found.attempts, key=lambda each: each.start), start=1):
        *_, last = attempts = list(step)
        chosen = chip(last.written.encode()) if last.token_id is not None else ""
        rows += f"<tr><td>{number}</td><td>{chosen}</td><td>{_in_vain(attempts)}</td></tr>"
    if len(found.ids) == 1 and (not found.attempts or found.attempts[-1].token_id is None):
        unknown = written(found.ids[0]) if found.ids[0] >= 0 else "✗"
        rows += f"<tr><td></td><td>{_unknown(unknown)}</td><td></td></tr>"
    return rows


def _in_vain(attempts: Sequence[Attempt]) -> str:
    tried = [f"<s>{html.escape(visible(each.written))}</s>" for each in attempts if each.token_id is None]
    more = f" … +{len(tried) - MOST_TRIED}" if len(tried) > MOST_TRIED else ""
    return " ".join(tried[:MOST_TRIED]) + more
