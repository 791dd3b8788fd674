"""Checks of split patterns on a whole corpus, in separate processes, with progress; the page stays usable."""

import threading
from collections.abc import Sequence

import streamlit as st

from pages.ui.i18n import error_sentence, errors_shown, t
from pages.ui.inputs.corpus import Corpus, corpus_title, is_bundled
from pages.ui.limits import MAX_TRAININGS, MAX_WORKER_BYTES
from pages.ui.patterns.lab import Chosen, figure_rows
from pages.ui.session import Value
from pages.ui.widgets import formatting
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.controls import answer
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.slides.talk import verdict_on
from tokenizer_core.analysis.pattern_figures import PatternFigures, pattern_figures
from tokenizer_core.analysis.segmenters import newmm
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS
from tokenizer_core.workers.pattern_check import PatternCheck

CHECKS: Value[dict[tuple[str, str], PatternCheck]] = Value("pattern_checks", dict)
"""Checks by the hash of the corpus and the pattern."""

_of_samples = Bounded[PatternFigures](32, weigh=lambda figures: 1)
"""Figures of bundled sentences, which are the same for all visitors."""
REFRESH_SECONDS = 0.4
MAX_KEPT = 8
TURNS = threading.Semaphore(MAX_TRAININGS)
"""Turns for the checks of all visitors: this many run at the same time, others wait."""


def check_on_corpus(corpus: Corpus, chosen: Sequence[Chosen]) -> list[str]:
    """Check the chosen patterns on a bundled corpus at once; draw a button for others; show the outcomes.

    Returns the answer, if there is one, and what was cut.
    """
    if chosen and _is_quick(corpus, chosen):
        found = [(each, _figures_of_sample(corpus, each.pattern)) for each in chosen]
        _show_figures([(each, figures, len(figures.longest)) for each, figures in found])
        return _for_a_room([(each.short, figures) for each, figures in found], corpus)
    kept = CHECKS.get()
    checks = [kept.get((corpus.sha256, each.pattern)) for each in chosen]
    for check in kept.values():
        if check not in checks and not check.ended:
            check.stop()  # nobody can see or stop it any more
    known = chosen and all(check and not check.stopped for check in checks)
    if not known:
        words, icon = t("lab.check", names=" · ".join(each.short for each in chosen)), ":material/rule:"
        if st.button(words, icon=icon, type="primary", key="lab_check", disabled=not chosen):
            _start(corpus, chosen)
            st.rerun()
    shown = [(each, check) for each, check in zip(chosen, checks, strict=True) if check and not check.stopped]
    if shown:
        pending = not all(check.ended for _, check in shown)
        st.fragment(_live, run_every=REFRESH_SECONDS if pending else None)(shown, pending)
    return _for_a_room([(each.short, check.figures) for each, check in shown if check.figures], corpus)


def _for_a_room(rows: Sequence[tuple[str, PatternFigures]], corpus: Corpus) -> list[str]:
    """Return the answer, if there is one, and of how many letters of which text that is said."""
    if not (answers := _answers(rows)):
        return []
    most = max((figures for _, figures in rows), key=lambda figures: figures.thai_letters_cut)
    said = t("lab.slide_source", corpus=corpus_title(corpus.name), characters=corpus.characters)
    if most.thai_letters_cut:
        share = formatting.fine_share(most.thai_clusters_cut)
        said = f"{t('lab.slide_share', count=most.thai_letters_cut, share=share)} · {said}"
    return [*answers, said]


def _answers(rows: Sequence[tuple[str, PatternFigures]]) -> list[str]:
    return [said for said in [verdict_on(rows)] if said]


def _is_quick(corpus: Corpus, chosen: Sequence[Chosen]) -> bool:
    """Tell whether no worker is needed: the text is short, no pattern is slow, and no words are looked for."""
    return is_bundled(corpus) and newmm() is None and all(each.pattern in SPLIT_PATTERNS for each in chosen)


def _figures_of_sample(corpus: Corpus, pattern: str) -> PatternFigures:
    return _of_samples.get((corpus.sha256, pattern), lambda: pattern_figures(corpus.texts, pattern))


def _start(corpus: Corpus, chosen: Sequence[Chosen]) -> None:
    kept = CHECKS.get()
    for each in chosen:
        key = (corpus.sha256, each.pattern)
        known = kept.get(key)
        if known is None or known.stopped:
            kept.pop(key, None)
            kept[key] = PatternCheck(corpus.texts, each.pattern, turns=TURNS, memory_bytes=MAX_WORKER_BYTES)
    while len(kept) > MAX_KEPT:
        kept.pop(next(iter(kept))).stop()


def _live(shown: Sequence[tuple[Chosen, PatternCheck]], was_pending: bool) -> None:
    """Draw progress, figures and failures, and any error: a fragment's errors do not reach the frame."""
    with errors_shown():
        pending = [(chosen, check) for chosen, check in shown if not check.ended]
        if was_pending and not pending:
            st.rerun()  # stop the timer
        for chosen, check in pending:
            _show_progress(chosen, check)
        if pending:
            st.button(t("lab.stop"), icon=":material/stop:", key="lab_stop", on_click=_stop, args=(shown,))
        for chosen, check in shown:
            if check.failure is not None:
                st.error(f"{chosen.short}: {error_sentence(check.failure)}", icon=":material/error:")
        if done := [(chosen, check.figures, check.longest) for chosen, check in shown if check.figures]:
            _show_figures(done)


def _show_figures(done: Sequence[tuple[Chosen, PatternFigures, int]]) -> None:
    """Draw the answer, and the figures of each pattern with the characters of its longest piece."""
    rows = [(chosen.short, figures) for chosen, figures, _ in done]
    for said in _answers(rows):
        answer(said, key="patterns_corpus")
    figures_table(figure_rows(rows, longest=[longest for *_, longest in done]), t("lab.corpus_figures"))


def _show_progress(chosen: Chosen, check: PatternCheck) -> None:
    """Show how far a check is; if it searches for words, that is nearly all the work."""
    searching = bool(check.searched)
    words = t(
        "lab.searching" if searching else "lab.checking",
        name=chosen.short,
        done=check.searched if searching else check.done,
        characters=check.characters,
    )
    done = check.done if check.searched is None else check.searched
    st.progress(min(1.0, done / max(1, check.characters)), text=words)


def _stop(shown: Sequence[tuple[Chosen, PatternCheck]]) -> None:
    for _, check in shown:
        if not check.ended:
            check.stop()
