"""What a split pattern costs: the same text trained with two to four patterns, measured on held-out lines."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pages.ui.choices.corpus import Corpus
from pages.ui.patterns import keys
from pages.ui.patterns.contest import TWO_STAGES, WORDS, Contest, Entrant, Result, new_contest
from pages.ui.patterns.costs_chart import costs_chart
from pages.ui.patterns.knife import Chosen
from pages.ui.trainings.series import follow, show_progress, stop_all_but
from pages.ui.widgets import written
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.segmented import segmented
from pages.ui.words import error_sentence, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.measures.segmenters import NEWMM, newmm
from tokenizer_core.patterns import SPLIT_PATTERNS
from tokenizer_core.two_stage import FIRST_MERGES

SIZES = (1_000, 2_000, 4_000, 8_000)
DEFAULT_SIZE = 2_000
LEAST, MOST = 2, 4
MAX_KEPT = 6


def pattern_costs(corpus: Corpus, chosen: Sequence[Chosen]) -> None:
    """Offer to train with some patterns, and show the outcomes as they arrive."""
    st.markdown(t("costs.what"))
    entrants = _picker(chosen)
    size = segmented(
        t("costs.size"), SIZES, "{:,}".format, key="costs_size", default=DEFAULT_SIZE, show_label=True
    )
    kept = keys.CONTESTS.get()
    key = (corpus.sha256, tuple(entrants), size)
    contest = kept.get(key)
    stop_all_but(contest.series if contest else None, (each.series for each in kept.values()))
    fits = LEAST <= len(entrants) <= MOST
    if not fits:
        st.info(t("costs.how_many", least=LEAST, most=MOST), icon=":material/checklist:")
    if contest is None or contest.series.stopped:
        words = t("costs.resume") if contest else t("costs.start", count=len(entrants))
        if st.button(words, icon=":material/play_arrow:", type="primary", key="costs_start", disabled=not fits):
            while contest is None and len(kept) >= MAX_KEPT:
                kept.pop(next(iter(kept))).series.stop()
            kept[key] = contest = contest or new_contest(corpus.texts, entrants, size)
            contest.series.resume()
            st.rerun()
    if contest is not None:
        follow(contest.series, partial(_show, contest))


def _picker(chosen: Sequence[Chosen]) -> list[Entrant]:
    """Let the visitor pick entrants: named patterns, custom patterns, two stages, and words if they can be found.

    Until the visitor picks some, they are the two patterns above on the page, and two stages.
    """
    own = [each.pattern for each in chosen if each.choice == "custom"]
    options = [Entrant(name, name) for name in SPLIT_PATTERNS]
    options += [Entrant(f"custom {pattern}", pattern, number) for number, pattern in enumerate(own, 1)]
    options.append(Entrant(TWO_STAGES, "mark_aware"))
    if newmm() is not None:
        options.append(Entrant(WORDS, "none"))
    by_key = {each.key: each for each in options}
    cut_above = [each.pattern if each.choice != "custom" else f"custom {each.pattern}" for each in chosen]
    wanted = keys.ENTRANTS.get() if keys.PICKED_BY_HAND.get() else [*cut_above, TWO_STAGES]
    keys.ENTRANTS.put([each for each in wanted if each in by_key])
    picked = st.pills(
        t("costs.entrants"),
        list(by_key),
        selection_mode="multi",
        format_func={each.key: each.name for each in options}.__getitem__,
        key=keys.ENTRANTS.key,
        persist_state="session",
        on_change=keys.PICKED_BY_HAND.put,
        args=(True,),
        wrap=True,
    )
    st.caption(t("costs.two_stages_what", merges=FIRST_MERGES) + " " + _words_said())
    return [by_key[each] for each in by_key if each in picked]


def _words_said() -> str:
    return t("costs.words_what" if newmm() else "costs.no_words", name=NEWMM)


# ---- showing


def _show(contest: Contest) -> None:
    """Draw progress, a chart for each language, the table, and the tokenizers to save."""
    _show_progress(contest)
    for result in contest.results:
        if result.failure is not None:
            st.error(f"{result.entrant.short}: {error_sentence(result.failure)}", icon=":material/error:")
    done = [result for result in contest.results if result.tokenizer is not None]
    if not done:
        return
    for number, (side, column) in enumerate(zip(contest.measured, st.columns(len(contest.measured), gap="large"))):
        with column:
            st.markdown(f"**{t(f'costs.{side}')}**")
            rows, spec = costs_chart(
                [(result.entrant.short, result.counts[number]) for result in done],
                size_title=t("curves.axis_size"),
                tokens_title=t("curves.axis_tokens"),
            )
            # There is no winner before all are done.
            sentence = _what_to_see(done, number) if contest.series.is_complete and len(done) > 1 else ""
            st.vega_lite_chart(rows, spec, key=f"costs_{side}", alt=f"{t(f'costs.{side}')} {sentence}".strip())
            st.caption(f"{t('costs.chart')} {sentence}".strip())
    if contest.series.is_complete and len(done) > 1:
        st.markdown(verdict(done, list(contest.measured)))
    figures_table(_table(contest, done), t("costs.title"))
    st.caption(" ".join(_conditions(contest, done)))
    if contest.series.is_complete:
        _downloads(done)


def _show_progress(contest: Contest) -> None:
    series = contest.series
    if series.at_work:
        name = contest.entrants[series.done].short
        words = t("costs.progress", done=series.done, count=series.count, name=name)
        show_progress(series, words, stop=t("costs.stop"), key="costs_stop")


def _what_to_see(done: Sequence[Result], side: int) -> str:
    """Say in one sentence which needs the fewest tokens at the end, which the most, and how much more."""
    last = {result.entrant.short: int(result.counts[side][-1]) for result in done}
    best, worst = min(last, key=last.__getitem__), max(last, key=last.__getitem__)
    if last[best] == last[worst]:
        return t("costs.says_equal", tokens=last[best])
    return t(
        "costs.says",
        best=best,
        fewest=last[best],
        worst=worst,
        most=last[worst],
        more=written.fine_share(last[worst] / last[best] - 1),
    )


def verdict(done: Sequence[Result], sides: Sequence[str]) -> str:
    """Say in plain words what each pattern costs in each language, against GPT-2's or else the first one."""
    base = next((result for result in done if result.entrant.key == "gpt2"), done[0])
    sentences = []
    for result in done:
        if result is not base:
            pairs = zip(result.counts, base.counts, strict=True)
            needs = [_needs(int(counts[-1]), int(of_base[-1])) for counts, of_base in pairs]
            places = [t(f"costs.in_{side}") for side in sides]
            parts = [t(f"costs.{need}", share=share, place=place) for (need, share), place in zip(needs, places)]
            said = t("costs.and", first=parts[0], second=parts[1]) if len(parts) > 1 else parts[0]
            sentences.append(t("costs.verdict", base=base.entrant.short, name=result.entrant.short, says=said))
    return "  \n".join(sentences)


def _needs(tokens: int, of_base: int) -> tuple[str, str]:
    """Tell whether tokens are fewer or more than those of the base, or as many, and by what share."""
    need = "fewer" if tokens < of_base else "more" if tokens > of_base else "same"
    return need, written.share(abs(tokens / of_base - 1))


def _table(contest: Contest, done: Sequence[Result]) -> list[list[str]]:
    """Return the final tokens by language, and the share of cuts inside letters; sizes if one was not reached."""
    head = [t("pattern.label"), *(t(f"costs.{side}") for side in contest.measured), t("costs.inside")]
    reached = all(_reached(each, contest.vocab_size) for each in done)
    shown = len(head) + (not reached)
    rows = [[*head, t("frontier.entries")]]
    for result in done:
        tokens = [f"{int(counts[-1]):,}" for counts in result.counts]
        size = f"{result.tokenizer.vocab_size:,}" if result.tokenizer else "–"
        rows.append([result.entrant.short, *tokens, written.fine_share(result.inside), size])
    return [row[:shown] for row in rows]


def _conditions(contest: Contest, done: Sequence[Result]) -> list[str]:
    """Say how the table was measured, and what may be surprising in it."""
    sentences = [t("costs.uses_sample")] if contest.from_sample else []
    sentences.append(_how_measured(contest))
    sentences.append(t("costs.inside_why"))
    if not all(_reached(result, contest.vocab_size) for result in done):
        sentences.append(t("costs.ran_out", size=contest.vocab_size))
    return sentences


def _reached(result: Result, size: int) -> bool:
    return result.tokenizer is not None and result.tokenizer.vocab_size == size


def _how_measured(contest: Contest) -> str:
    return t(
        "costs.how",
        kilobytes=written.kilobytes(contest.learned_bytes),
        measured="; ".join(
            t("costs.measured", side=t(f"costs.{side}"), characters=len(text))
            for side, text in contest.measured.items()
        ),
    )


def _downloads(done: Sequence[Result]) -> None:
    """Offer each tokenizer as a file; say why if a tokenizer cannot be written to a file."""
    with st.container(horizontal=True):
        for number, result in enumerate(done):
            if result.entrant.key == WORDS or result.tokenizer is None:
                continue
            try:
                model = result.tokenizer.model_text()
            except TokenizerError as error:
                st.caption(f"{result.entrant.short}: {error_sentence(error)}")
                continue
            st.download_button(
                t("costs.download", name=result.entrant.short),
                model,
                file_name=f"{_file_name(result.entrant)}.model",
                on_click="ignore",
                icon=":material/download:",
                key=f"costs_download_{number}",
            )
    if any(result.entrant.key == TWO_STAGES for result in done):
        st.caption(t("costs.two_stages_file"))
    if any(result.entrant.key == WORDS for result in done):
        st.info(t("costs.words_file", name=NEWMM), icon=":material/block:")


def _file_name(entrant: Entrant) -> str:
    return entrant.key if entrant.key in (*SPLIT_PATTERNS, TWO_STAGES) else f"custom-{entrant.own}"
