"""Texts that do not have the same lines: what can be said of each by itself, and what cannot be said of both."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.ui.i18n import as_name, error_sentence, t
from pages.ui.inputs.parallel_texts import Apart, say_what_was_left_out
from pages.ui.languages.counts import counted, segmenter_of, sizes
from pages.ui.languages.metrics import words_said
from pages.ui.widgets import formatting
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.ratios import bytes_per_token, characters_per_token, fertility
from tokenizer_core.readers.parallel import Parallel

MOST_WITH_WORDS = 100_000
"""Characters of a text in which words are counted without being asked for."""


def show_apart(apart: Apart, lanes: Sequence[Lane]) -> None:
    """Say that there is no premium, show what each text takes by itself, and say what may not be concluded."""
    say_what_was_left_out(apart)
    first, second = (as_name(name) for name in apart.names[:2])
    st.header(t("apart.says", first=first, second=second), anchor=False)
    st.caption(error_sentence(apart.why))
    rows = [
        [name, lane.name, *_figures(side, lane)]
        for name, side in zip(apart.names, apart.sides, strict=True)
        for lane in lanes
    ]
    heads = ["languages.text", "languages.tokenizer", "metrics.tokens"]
    heads += [f"apart.{name}" for name in ("characters_per_token", "bytes_per_token", "fertility")]
    frame = pd.DataFrame(rows, columns=[t(head) for head in heads])
    if all(row[-1] == formatting.NONE for row in rows):
        frame = frame.iloc[:, :-1]
    figures_table(frame, t("apart.table"), words=(0, 1))
    words = [(name, _words(side)) for name, side in zip(apart.names, apart.sides, strict=True)]
    st.caption("  \n".join(f"{as_name(name)}: {said}" for name, said in words))
    st.markdown(t("apart.may"))
    st.markdown(t("apart.may_not"))


def _words(side: Parallel) -> str:
    """Say what finds the words of a text, or why none are counted."""
    if len(side.texts[0]) > MOST_WITH_WORDS:
        return t("apart.too_long", limit=MOST_WITH_WORDS)
    return words_said(segmenter_of(side, 0))


def _figures(side: Parallel, lane: Lane) -> list[str]:
    """Return the tokens of a text, and what a token holds: characters, bytes, and its share of a word."""
    segmenter = segmenter_of(side, 0) if len(side.texts[0]) <= MOST_WITH_WORDS else None
    tokens, size = counted(side, 0, lane).cuts.tokens, sizes(side, 0, segmenter)
    return [
        f"{tokens:,}",
        formatting.ratio(characters_per_token(size.characters, tokens)),
        formatting.ratio(bytes_per_token(size.bytes, tokens)),
        formatting.ratio(fertility(tokens, size.words) if size.words else None),
    ]
