"""Trace a word: the merges that make its tokens, one by one; of models without merges, how they choose."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import streamlit as st

from pages.ui.i18n import language, t
from pages.ui.inputs.text import own_sentence
from pages.ui.inputs.tokenizers import name_of, why_not_encodable
from pages.ui.session import Maybe, remembered
from pages.ui.vocabulary.biography import tree_slides_of
from pages.ui.vocabulary.choices import merging, why_no_merges
from pages.ui.widgets.controls import answer
from pages.ui.widgets.figures_table import scroll_box, sideways
from pages.ui.widgets.slides import MOST_CHARACTERS as MOST_ON_A_SLIDE
from pages.ui.widgets.slides import Slide, View, verdict
from pages.ui.widgets.token_view.chips import HATCHED, chip_style, placed_chip
from pages.ui.widgets.token_view.lanes import Lane
from pages.ui.widgets.token_view.walks import TRACE_STYLE, view_of
from tokenizer_core.analysis.lineage import Merging, Trace, is_longer, trace
from tokenizer_core.readers.labels import opening

MOST_CHARACTERS = 60
MOST_TREES = 4
"""Slides of a word, after the one with its tokens."""
FIRST_CHARACTERS = 12
"""Characters of the visitor's own sentence to begin with: each merge takes a row."""


def trace_a_word(lane: Lane) -> None:
    """Let the visitor type a word, and show how it becomes tokens; say why not if that cannot be followed."""
    tokenizer, view = merging(lane), view_of(lane.tokenizer)
    title, show = view or (t("trace.title"), lambda word: _trace(word, tokenizer) if tokenizer else None)
    st.header(title, anchor=False)
    if tokenizer is None and view is None:
        st.markdown(why_no_merges(lane))
    else:
        st.html(TRACE_STYLE)
        st.fragment(_word)(show)


def word_slides(lane: Lane, lanes: Sequence[Lane]) -> list[Slide]:
    """Return how each of these lanes cuts the word that is followed, and how one made the word's tokens."""
    word = (Maybe[str]("vocabulary_word").get() or "")[:MOST_ON_A_SLIDE]
    view = View(word, [each for each in lanes if not why_not_encodable(each, word)])
    if not word or not view.lanes:
        return []
    ids = lane.tokenizer.encode(word) if lane in view.lanes else []
    joined = [each for each in dict.fromkeys(ids) if is_longer(lane.tokenizer.token_bytes(each))]
    trees = [slide for each in joined for slide in tree_slides_of(lane, each)]
    tokenizer = merging(lane)
    found = list(trace(word, tokenizer)) if tokenizer and ids else []
    says = {language(): f"{name_of(lane)}: {_answer(found)}"} if found else {}
    return [Slide("tokens", title=verdict(view), says=says, views=[view]), *trees[:MOST_TREES]]


def _word(show: Callable[[str], None]) -> None:
    own = opening(own_sentence(), FIRST_CHARACTERS)
    word = st.text_input(
        t("trace.word"),
        key=remembered("vocabulary_word", own or t("trace.example")),
        persist_state="session",
        live=True,
        label_visibility="collapsed",
    )
    word = word or ""
    if len(word) > MOST_CHARACTERS:
        st.caption(t("trace.cut", characters=MOST_CHARACTERS, every=len(word)))
    show(word[:MOST_CHARACTERS])


def _trace(word: str, tokenizer: Merging) -> None:
    found = list(trace(word, tokenizer))
    if found:
        answer(_answer(found), key="trace")
        drawn = trace_html(found, tokenizer, t("trace.title"))
        says = [t("trace.says")]
        if len(found) > 1:
            says.append(t("trace.in_pieces", pieces=len(found)))
        if HATCHED in drawn:
            says.append(t("pieces.hatched"))
        st.caption(" ".join(says))
        st.html(chip_style() + sideways(drawn))
    else:
        st.markdown(t("trace.empty"))


def _answer(found: Sequence[Trace]) -> str:
    merges = sum(len(each.steps) for each in found)
    tokens = sum(len(each.steps[-1].ids if each.steps else each.ids) for each in found)
    return t("trace.answer", bytes=sum(len(each.ids) for each in found), merges=merges, tokens=tokens)


def trace_html(found: Sequence[Trace], tokenizer: Merging, label: str) -> str:
    """Return the HTML of traces: for each pretoken its bytes, and a row for each merge."""
    number, rows = 0, []
    for each in found:
        content = each.text.encode()
        rows.append(_row("", "", content, each.ids, tokenizer))
        for step in each.steps:
            number += 1
            ids = f"{step.left}, {step.right} → <b>{step.token_id}</b>"
            rows.append(_row(f"{number}", ids, content, step.ids, tokenizer, joined=step.token_id))
    return scroll_box("trace", f"<table class='merges'>{''.join(rows)}</table>", label)


def _row(
    number: str, ids: str, content: bytes, tokens: Sequence[int], tokenizer: Merging, joined: int | None = None
) -> str:
    """Return a row of tokens; those that were `joined` just now have an outline."""
    ends = list(accumulate((len(tokenizer.token_bytes(token_id)) for token_id in tokens), initial=0))
    chips = " ".join(
        placed_chip(content, start, end, "joined" if token_id == joined else "")
        for token_id, (start, end) in zip(tokens, pairwise(ends), strict=True)
    )
    return f"<tr><td>{number}</td><td>{ids}</td><td>{chips}</td></tr>"
