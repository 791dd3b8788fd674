"""Two vocabularies: what the second one gained and lost, by script, and what that does to sentences."""

from collections.abc import Sequence
from itertools import islice

import altair as alt
import pandas as pd
import streamlit as st
from altair.typing import ChartType
from streamlit.delta_generator import DeltaGenerator

from pages.ui.i18n import errors_shown, language, t
from pages.ui.i18n.breaks import unbroken, with_breaks
from pages.ui.inputs.corpus import sample_texts
from pages.ui.inputs.tokenizers import name_of
from pages.ui.session import one_of
from pages.ui.vocabulary.choices import called_apart, entries_in
from pages.ui.widgets import formatting
from pages.ui.widgets.bars import count_bars
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.charts import ROWS, draw
from pages.ui.widgets.controls import answer
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.slides import Slide, View, verdict
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.chips import token_chips
from pages.ui.widgets.token_view.drawings import Text, drawing
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.entries import SCRIPTS, Change, Difference, Entries, difference, most_changed

FIRST_CHOICE = "cl100k_base"
EXAMPLES, SENTENCES = 12, 5
LONGEST_SHOWN = 60
"""Characters of a sentence on a slide: as many as are large."""
COLUMNS = ["script", "lost", "both", "moved", "gained"]
_differences = Bounded[Difference](8, weigh=lambda found: 1)
_changes = Bounded[list[Change]](32, weigh=lambda found: 1)


def compared(lane: Lane, lanes: Sequence[Lane], said: DeltaGenerator) -> list[Slide]:
    """Let the visitor choose an earlier vocabulary; say, draw and return how this one differs from it."""
    others = {each.choice: each for each in lanes if each.choice != lane.choice}
    if not others:
        return []
    first = FIRST_CHOICE if FIRST_CHOICE in others else None
    chosen = st.selectbox(  # runs of earlier visits may be many
        t("compared.with"),
        list(others),
        format_func=called_apart(list(others.values())).__getitem__,
        key=one_of(f"vocabulary_compared_{lane.choice}", list(others), first),
        persist_state="session",
        width=320,
    )
    other = others[chosen]
    slides: list[Slide] = []
    with errors_shown():
        found = _differences.get((other.key, lane.key), lambda: difference(entries_in(other), entries_in(lane)))
        with said:
            counts = {"gained": len(found.gained.ids), "both": len(found.after)}
            says = t("compared.answer", name=unbroken(name_of(lane)), other=unbroken(name_of(other)), **counts)
            answer(with_breaks(says), key="compared")
        _by_script(found, other, lane)
        _sentences(other, lane)
        slides += _slides(found, other, lane, says)
    return slides


def _slides(found: Difference, other: Lane, lane: Lane, says: str) -> list[Slide]:
    """Return how many tokens each has alone and both have, and the sentence that changed most."""
    only = [t("compared.only", name=name_of(each)) for each in (other, lane)]
    names = [only[0], t("compared.both"), only[1]]
    counts = [len(found.lost.ids), len(found.after), len(found.gained.ids)]
    bars = count_bars(list(zip(names, counts)), says=says)
    short = (text for text, _ in _most_changed(other, lane) if len(text) <= LONGEST_SHOWN)
    views = [View(text, [other, lane]) for text in islice(short, 1)]
    tokens = [Slide("tokens", title=verdict(view), views=[view]) for view in views]
    return [Slide("bars", title={language(): with_breaks(says)}, html=bars), *tokens]


def _by_script(found: Difference, other: Lane, lane: Lane) -> None:
    named = {"name": name_of(lane), "other": name_of(other)}
    both, moved = len(found.after), int(found.renumbered.sum())
    counts = {"gained": len(found.gained.ids), "lost": len(found.lost.ids), "both": both, "moved": moved}
    shares = {
        "share": formatting.share(both / max(1, both + counts["gained"])),
        "other_share": formatting.share(both / max(1, both + counts["lost"])),
    }
    left, right = st.columns(2, gap="large")
    rows = script_rows(found)
    with left:
        says = t("compared.chart_says", **named)
        draw(scripts_chart, rows, key="vocabulary_compared", says=says)
        st.caption(says)
        frame = rows[COLUMNS].rename(columns={each: t(f"compared.{each}") for each in COLUMNS})
        figures_table(frame, says)
        st.caption(t("compared.says", **counts, **shares, **named))
    with right:
        for entries, words in ((found.gained, "compared.gained_most"), (found.lost, "compared.lost_most")):
            script, longest = longest_of(entries)
            if longest:
                st.markdown(f"**{t(words, script=t(f'entries.script_{script}'))}**")
                st.html(token_chips(longest))


def script_rows(found: Difference) -> pd.DataFrame:
    """Return for each script how many tokens were lost, stayed, got another id, and were gained."""
    sides = (found.lost, found.before, found.before.only(found.renumbered), found.gained)
    rows = [(t(f"entries.script_{script}"), *(side.count(script) for side in sides)) for script in SCRIPTS]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    frame = frame.assign(first=frame.lost + frame.both, second=frame.gained + frame.both)
    return frame[(frame["first"] > 0) | (frame["second"] > 0)]


def scripts_chart() -> ChartType:
    """Define a row for each script: a ring for the earlier vocabulary, a dot for the other, a line between."""
    scale = alt.Scale(type="symlog", domainMin=0)
    ticks = alt.Axis(values=[0, 10, 100, 1_000, 10_000, 100_000], format=",d")
    rows = alt.Chart(ROWS, height=alt.Step(30)).encode(
        alt.Y("script:N", title=None, sort=None, axis=alt.Axis(labelLimit=200)),
        tooltip=[alt.Tooltip("script:N", title=" "), *map(_tooltip, COLUMNS[1:])],
    )
    first = alt.X("first:Q", title=t("made_of.entries"), scale=scale, axis=ticks)
    second = alt.X("second:Q", title=t("made_of.entries"), scale=scale, axis=ticks)
    return alt.layer(
        rows.mark_rule(style="quiet").encode(first, alt.X2("second")),
        rows.mark_point(style="quiet", filled=False, size=90).encode(first),
        rows.mark_point(size=90).encode(second),
        rows.mark_text(dy=-11, baseline="middle").encode(second, alt.Text("second:Q", format=",")),  # off the line
    )


def _tooltip(column: str) -> alt.Tooltip:
    return alt.Tooltip(f"{column}:Q", title=t(f"compared.{column}"), format=",")


def longest_of(entries: Entries) -> tuple[str, list[bytes]]:
    """Return the longest tokens in the script of the page, or in Latin letters if there are none."""
    for script in ("thai", "latin") if language() == "th" or entries.count("thai") else ("latin",):
        tokens = entries.only(entries.scripts == SCRIPTS.index(script)).tokens
        if tokens:
            return script, sorted(tokens, key=len, reverse=True)[:EXAMPLES]
    return "latin", []


def _sentences(other: Lane, lane: Lane) -> None:
    """List the built-in sentences whose number of tokens changed most, and draw the first of them."""
    changed = _most_changed(other, lane)[:SENTENCES]
    st.header(t("compared.sentences"), anchor=False)
    if not changed:
        st.markdown(t("compared.none_changed"))
        return
    head = [t("compared.sentence"), other.name, lane.name, t("compared.change")]
    rows = [
        [formatting.beginning(text), each.before, each.after, f"{each.after - each.before:+,}"]
        for text, each in changed
    ]
    figures_table(pd.DataFrame(rows, columns=head), t("compared.sentences"))
    shown = drawing(Text(changed[0][0]), [other, lane], language=language())
    token_view(shown, key="compared_view", toolbar="none", max_height=None)


def _most_changed(other: Lane, lane: Lane) -> list[tuple[str, Change]]:
    """Return the built-in sentences whose number of tokens changed, the one that changed most first."""
    texts = [line for text in sample_texts() for line in text.splitlines()]
    changes = _changes.get(
        (other.key, lane.key),
        lambda: most_changed(texts, other.tokenizer, lane.tokenizer, most=len(texts)),
    )
    return [(texts[each.place], each) for each in changes]
