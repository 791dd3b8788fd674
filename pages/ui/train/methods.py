"""The race of methods: the same small text trained in four ways, and what Thai and English cost with each."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import altair as alt
import pandas as pd
import streamlit as st
from altair.typing import ChartType

from pages.ui.frame.frame import bring_into_view
from pages.ui.i18n import error_sentence, errors_shown, names, t
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_texts
from pages.ui.inputs.corpus_picker import corpus_key, is_too_large
from pages.ui.session import Value, remembered
from pages.ui.train.frontier import FRONTIERS, held_out_pairs
from pages.ui.train.methods_run import (
    METHODS,
    MOST_BYTES,
    UNIGRAM,
    Curve,
    MethodsRun,
    Outcome,
    curves,
    new_run,
    only_in,
    sizes_to,
)
from pages.ui.train.superwords import first_stage
from pages.ui.widgets.abreast import (
    MOST_CHARACTERS,
    Way,
    abreast,
    abreast_options,
    frame_of,
    growing_frames,
)
from pages.ui.widgets.charts import ROWS, draw, log_scale
from pages.ui.widgets.controls import segmented
from pages.ui.widgets.figures_table import Formats, figures_table
from pages.ui.widgets.formatting import interval, ratio
from pages.ui.widgets.token_view.chips import token_chips
from tokenizer_core.analysis.entries import SCRIPTS, scripts_of
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.readers.mixing import frontier_size, lines_by_script
from tokenizer_core.workers.sentencepiece_job import Likelihood

METHODS_OPEN: Value[bool] = Value("methods", bool)
RUNS: Value[dict[Any, MethodsRun]] = Value("methods_runs", dict)
"""The races of this session, by corpus, share and size."""
SENTENCE_KEY = "methods_sentence"
SENTENCES = ("mixed", "thai", "english", "own")
OWN_KEY = "methods_own_sentence"
SHARES = (10, 30, 50)
"""Percent of Thai in the text."""
SIZES = (500, 1_000, 2_000)
MAX_KEPT = 6
REFRESH_SECONDS = 0.5
PATIENCE = 0.3
"""Seconds that each refresh waits for the end of a training."""
SHOWN_TOKENS = 30
SHOWN_KEY = "methods_shown"
FRONTIER_FROM = 400
"""The vocabulary size from which the frontier is drawn: before it, all methods are still alike."""


def race_of_methods(corpus_texts: Sequence[str]) -> None:
    """Draw the race of the chosen settings, or the button that trains; the settings stand below it."""
    texts = corpus_texts if _has_both(corpus_texts) else sample_texts()
    shown = st.container(key=SHOWN_KEY)
    if texts is not corpus_texts:
        st.caption(t("frontier.uses_sample"))
    with st.container(horizontal=True):
        share = segmented(t("frontier.share"), SHARES, "{}%".format, key="methods_share", show_label=True)
        size = segmented(
            t("frontier.size"), SIZES, "{:,}".format, key="methods_size", default=1_000, show_label=True
        )
    key, kept = (corpus_key(texts), share, size), RUNS.get()
    run = kept.get(key)
    for other in kept.values():
        if other is not run and other.at_work:
            other.stop()
    with shown:
        if run is None:
            st.markdown(t("methods.what", count=len(METHODS)))
            place = st.empty()
            if not place.button(t("methods.start"), icon=":material/play_arrow:", key="methods_start"):
                return
            with place, st.spinner(t("methods.working"), show_time=True):
                while len(kept) >= MAX_KEPT:
                    kept.pop(next(iter(kept))).stop()
                run = kept[key] = new_run(texts, share / 100, size)
            place.empty()
        if run.at_work:
            st.fragment(_follow, run_every=REFRESH_SECONDS)(run)
        else:
            _show(run)
            bring_into_view(SHOWN_KEY, f"{share} {size}")


def _has_both(texts: Sequence[str]) -> bool:
    """Tell whether there are enough lines of Thai and of English to learn from."""
    if is_too_large(texts):
        return False
    lines = lines_by_script(texts)
    return frontier_size(lines.thai, lines.latin, most=MOST_BYTES) >= MOST_BYTES // 20


def _follow(run: MethodsRun) -> None:
    """Show how far Unigram is, and the button that stops it; a fragment's errors do not reach the frame."""
    with errors_shown():
        run.go_on(PATIENCE)
        if not run.at_work:
            st.rerun()
        waits = run.job is not None and run.job.waits
        words = t("methods.waiting" if waits else "methods.unigram_at", number=run.done + 1, count=run.count)
        with st.container(horizontal=True, vertical_alignment="center"):
            inside = 0.0 if run.job is None else run.job.log.share
            st.progress(min(1.0, (run.done + inside) / run.count), text=words)
            st.button(t("methods.stop"), icon=":material/stop:", key="methods_stop", on_click=run.stop)


# ---- shown


def _show(run: MethodsRun) -> None:
    """Draw what may be concluded, the race, and what stands behind it."""
    found = run.outcomes
    says = conclusion(found)
    st.markdown(f"**{says}**")
    stage = st.container()
    text = _sentence()
    with stage:
        drawn = curves(run)
        abreast(abreast_options(text, ways(run, drawn, text), sizes_to(run.size), says=says))
    st.caption(t("methods.race_how", pairs=len(held_out_pairs()[0]), crossing=first_stage(run.size)))
    _say_what_is_missing(run)
    frontier, premiums = st.columns(2, gap="large")
    with frontier:
        sentence = t("methods.frontier_says", least=FRONTIER_FROM, most=run.size)
        draw(methods_frontier, frontier_rows(drawn), key="methods_frontier", says=sentence)
        st.caption(sentence)
    with premiums:
        draw(methods_chart, chart_rows(found), key="methods_chart", says=says)
        st.caption(t("methods.how", pairs=len(held_out_pairs()[0])))
    _show_own_tokens(run, fairest_of(found).method)
    table, likelihood = st.columns(2, gap="large")
    with table:
        _show_table(found)
    with likelihood:
        _show_likelihood(run.likelihoods)


def _sentence() -> str:
    """Let the visitor choose the sentence of the race."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = segmented(
            t("methods.sentence"),
            SENTENCES,
            names("methods.sentence_{}", SENTENCES),
            key=SENTENCE_KEY,
            show_label=True,
        )
        if chosen != "own":
            pair = t("examples.thai"), t("examples.english")
            return {"mixed": " ".join(pair), "thai": pair[0], "english": pair[1]}[chosen]
        typed = st.text_input(
            t("methods.own", most=MOST_CHARACTERS),
            key=remembered(OWN_KEY, t("examples.thai")),
            persist_state="session",
            max_chars=MOST_CHARACTERS,
        )
    return (typed or "").strip() or t("examples.thai")


def ways(run: MethodsRun, drawn: Sequence[Curve], text: str) -> list[Way]:
    """Return each method with its curve and the sentence by it at each size."""
    found = []
    for method, sizes, thai, english in drawn:
        if method == UNIGRAM:
            frames = [frame_of(text, run.models[size], size) for size in sizes]
        else:
            frames = growing_frames(text, run.grown[method], sizes)
        name = t(f"methods.short_{method}")
        found.append(Way(name, frames, sizes, thai, english, grows=method != UNIGRAM))
    return found


def _say_what_is_missing(run: MethodsRun) -> None:
    """Say why Unigram lacks models, and offer to continue if the visitor stopped it."""
    if run.failure is not None:
        st.warning(f"{t('methods.missing')} {error_sentence(run.failure)}", icon=":material/warning:")
    elif run.stopped:
        st.info(t("methods.stopped", done=run.done, count=run.count), icon=":material/stop_circle:")
        st.button(t("methods.resume"), icon=":material/play_arrow:", key="methods_resume", on_click=run.resume)
    elif UNIGRAM not in run.tokenizers:
        st.warning(t("methods.missing"), icon=":material/warning:")


def fairest_of(found: Sequence[Outcome]) -> Outcome:
    """Return the outcome that comes closest to the same price."""
    return min(found, key=lambda each: abs(each.premium - 1))


def conclusion(found: Sequence[Outcome]) -> str:
    """Say which method comes closest to the same price, what English pays for it, and whether it is chance."""
    plain, fairest = found[0], fairest_of(found)
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


def _show_table(found: Sequence[Outcome]) -> None:
    heads = [t(f"frontier.{head}") for head in ("thai", "english", "premium")]
    formats: Formats = dict.fromkeys(heads[:2], "{:.1f}".format)
    heads = [t("methods.method"), *heads, t("methods.interval"), t("methods.seconds")]
    formats = {**formats, heads[3]: ratio, heads[5]: "{:.2f}".format}
    rows = [(_name(each.method), *each[1:4], interval(each.interval), each.seconds) for each in found]
    st.caption(t("methods.table"))
    figures_table(pd.DataFrame(rows, columns=heads), t("methods.table"), formats=formats)


# ---- what only the winner has


class Own(NamedTuple):
    """Tokens of one language or kind that only the winner has."""

    script: str
    tokens: list[bytes]


def own_tokens(run: MethodsRun, method: str) -> tuple[list[Own], int]:
    """Return the first tokens of whole characters that no other method has, and how many more hold parts of one.

    They come by language, the language with most tokens first.
    """
    tokens = only_in(run, method)
    scripts = [SCRIPTS[code] for code in scripts_of(tokens)]
    whole = [pair for pair in zip(tokens, scripts, strict=True) if pair[1] != "broken"]
    groups: dict[str, list[bytes]] = {}
    for token, script in whole[:SHOWN_TOKENS]:
        groups.setdefault(script, []).append(token)
    found = [Own(*group) for group in groups.items()]
    return sorted(found, key=lambda own: -len(own.tokens)), len(tokens) - len(whole)


def _show_own_tokens(run: MethodsRun, method: str) -> None:
    groups, broken = own_tokens(run, method)
    if groups:
        count = sum(len(group.tokens) for group in groups)
        st.markdown(f"**{t('methods.only', method=_name(method), count=count)}**")
    for script, tokens in groups:
        st.caption(f"{t(f'entries.script_{script}')} · {len(tokens)}")
        st.html(token_chips(tokens))
    if broken:
        st.caption(t("methods.only_broken", method=_name(method), count=broken))


# ---- charts


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


_COLUMNS = ["kind", "method", "name", "size", "thai", "english", "label"]


def frontier_rows(drawn: Sequence[Curve]) -> pd.DataFrame:
    """Return what each method needs at each size, the visitor's mixes, and the line of equal price."""
    rows: list[tuple[Any, ...]] = []
    for method, sizes, thai, english in drawn:
        name = without_breaks(t(f"methods.short_{method}"))
        kept = [each for each in zip(sizes, thai, english, strict=True) if each[0] >= FRONTIER_FROM]
        kind = "models" if method == UNIGRAM else "curve"
        rows += [(kind, method, name, *each, "") for each in kept]
        if kept:
            rows.append(("end", method, name, *kept[-1], name))
    for frontier in FRONTIERS.get().values():
        for point in frontier.points:
            if point.lines is not None:
                key = "methods.own_fair_mix" if point.is_fair else "methods.own_mix"
                name = without_breaks(t(key, share=f"{point.share}%"))
                rows.append(("own", "", name, point.vocab_size, *point.lines, f"{point.share}%"))
    dearest = max(row[5] for row in rows)
    cheapest = min(dearest * 0.9, *(row[4] for row in rows))
    rows += [("even", "", "", BYTES, end, end, "") for end in (cheapest, dearest)]
    return pd.DataFrame(rows, columns=_COLUMNS)


def methods_frontier() -> ChartType:
    """Define Thai against English: a line for each method as its vocabulary grows, and the visitor's mixes.

    Lines go from the upper right to the lower left. Their ends lie close together, so each method has its own side
    for its name.
    """
    said = [
        alt.Tooltip("name:N", title=t("methods.method")),
        alt.Tooltip("size:Q", title=t("frontier.size"), format=","),
        alt.Tooltip("thai:Q", title=t("methods.thai_line"), format=".1f"),
        alt.Tooltip("english:Q", title=t("methods.english_line"), format=".1f"),
    ]
    rows = alt.Chart(ROWS)
    curve, models, ends, own, even = (
        rows.transform_filter(alt.datum.kind == kind) for kind in ("curve", "models", "end", "own", "even")
    )
    domain = alt.Scale(domain=list(METHODS))
    colour = alt.Color("method:N", legend=None, scale=domain)
    shape = alt.Shape("method:N", legend=None, scale=alt.Scale(domain=list(METHODS), range=_SHAPES))
    dash = alt.StrokeDash("method:N", legend=None, scale=alt.Scale(domain=list(METHODS), range=_DASHES))
    sides = [
        ends.transform_filter(alt.datum.method == method)
        .mark_text(align=align, dx=dx, dy=dy, fontSize=14, fontWeight=600)
        .encode(text="label:N", color=colour)
        for method, (align, dx, dy) in _SIDES.items()
    ]
    ticks = alt.Axis(values=[*range(10, 100, 10), *range(100, 200, 20), *range(200, 1_000, 100)], format=",d")
    scale = log_scale(padding=84)
    return alt.layer(
        even.mark_line(style="quiet", strokeDash=[4, 4], strokeWidth=1),
        curve.mark_line(opacity=0.8).encode(order="size:Q", color=colour, strokeDash=dash),
        models.mark_point().encode(color=colour, shape=shape, tooltip=said),
        ends.mark_point(size=110).encode(color=colour, shape=shape, tooltip=said),
        own.mark_point(style="quiet", shape="diamond", filled=False, aria=False).encode(tooltip=said),
        own.mark_text(style="quiet", dy=-12).encode(text="label:N"),
        *sides,
        height=400,
    ).encode(
        alt.X("english:Q", title=t("methods.english_line"), scale=scale, axis=ticks),
        alt.Y("thai:Q", title=t("methods.thai_line"), scale=log_scale(), axis=ticks),
    )


_SHAPES = ["circle", "triangle-up", "diamond", "square"]
_DASHES = [[1, 0], [9, 4], [2, 4], [1, 0]]
_SIDES: dict[str, tuple[Literal["left", "right"], int, int]] = {
    "plain": ("right", 6, 30),
    "parity": ("left", 12, 12),
    "superwords": ("right", -10, 10),
    UNIGRAM: ("left", 12, 4),
}


# ---- the likelihood of Unigram


def _show_likelihood(found: Sequence[Likelihood]) -> None:
    if len(found) < 2:
        return
    says = likelihood_sentence(found)
    draw(likelihood_chart, likelihood_rows(found), key="methods_likelihood", says=says)
    st.caption(says)


def likelihood_sentence(found: Sequence[Likelihood]) -> str:
    """Say how the likelihood fell with the pieces after it was highest; or that it rose to the end."""
    best, last = max(found, key=lambda each: each.per_word), found[-1]
    if best is last:
        first = f"{found[0].per_word:.2f}"
        return t("methods.likelihood_rose", first=first, last=f"{last.per_word:.2f}", left=last.pieces)
    said = {"first": f"{best.per_word:.2f}", "pieces": best.pieces}
    return t("methods.likelihood_says", **said, last=f"{last.per_word:.2f}", left=last.pieces)


def likelihood_rows(found: Sequence[Likelihood]) -> pd.DataFrame:
    """Return a row for each round that SentencePiece logged; where pieces were cut, their number is written."""
    rows = []
    for place, (pieces, per_word) in enumerate(found):
        is_cut = place > 0 and pieces < 0.95 * found[place - 1].pieces
        rows.append((place + 1, pieces, per_word, f"{pieces:,}" if is_cut or not place else ""))
    return pd.DataFrame(rows, columns=["round", "pieces", "likelihood", "label"])


def likelihood_chart() -> ChartType:
    """Define the log-likelihood of each round as a line, with the number of pieces where they were cut."""
    rows = alt.Chart(ROWS).encode(
        alt.X("round:Q", title=t("methods.likelihood_round"), axis=alt.Axis(tickMinStep=1, format="d")),
        alt.Y("likelihood:Q", title=t("methods.likelihood"), scale=alt.Scale(zero=False, padding=24)),
    )
    said = [
        alt.Tooltip("pieces:Q", title=t("methods.pieces"), format=","),
        alt.Tooltip("likelihood:Q", title=t("methods.likelihood"), format=".2f"),
    ]
    return alt.layer(
        rows.mark_line(opacity=0.6),
        rows.mark_point().encode(tooltip=said),
        rows.mark_text(style="quiet", dy=16, fontSize=14).encode(text="label:N"),
        height=260,
    )
