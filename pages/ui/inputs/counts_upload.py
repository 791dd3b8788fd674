"""An uploaded file of counted pieces as a corpus, read in a separate process."""

import threading

import regex
import streamlit as st

from pages.ui.i18n import as_plain_markdown, error_sentence, errors_shown, t
from pages.ui.inputs.corpus import Corpus, shares_sentence
from pages.ui.inputs.pattern import pattern_name
from pages.ui.inputs.uploads import Upload, listed
from pages.ui.limits import MAX_TRAININGS, MAX_WORKER_BYTES
from pages.ui.session import Maybe
from pages.ui.widgets import formatting
from pages.ui.widgets.token_view.chips import plain_token
from tokenizer_core.corpus_counts.counts import CountsRecipe
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS
from tokenizer_core.workers.counts_reader import CountsReading

REFRESH_SECONDS = 0.4
PATIENCE = 1.0
"""Seconds that the page waits for the reading, so that a small file needs no progress."""
TURNS = threading.Semaphore(MAX_TRAININGS)
"""Turns for the readings of all visitors: this many run at the same time, others wait."""
COUNTS: Maybe[tuple[str, CountsReading]] = Maybe("corpus_counts")
"""The reading of the last uploaded file of counted pieces, by the key of the file."""


def pick_counts(upload: Upload, key: str) -> Corpus | None:
    """Return a file of counted pieces as a corpus; None, with progress or the reason on the page, until then."""
    name = as_plain_markdown(upload.files[key].name)
    if len(upload.files) > 1:
        st.error(t("counts.alone", name=name), icon=":material/error:")
        return None
    reading = _reading(key, upload.files[key].content)
    if not reading.ended:
        reading.wait(PATIENCE)
    if not reading.ended:
        st.fragment(_progress, run_every=REFRESH_SECONDS)(reading)
    elif reading.failure is not None:
        st.error(f"{name} – {error_sentence(reading.failure)}", icon=":material/error:")
    elif reading.read is None:
        st.info(t("counts.stopped"), icon=":material/stop_circle:")
        st.button(t("counts.again"), icon=":material/replay:", key="counts_again", on_click=COUNTS.forget)
    else:
        return Corpus(listed([upload.files[key].name]), (), reading.read.corpus)
    return None


def _reading(key: str, content: bytes) -> CountsReading:
    """Return the reading of this file; begin it, and end that of another file, if need be."""
    known = COUNTS.get()
    if known is not None and known[0] == key:
        return known[1]
    if known is not None:
        known[1].stop()
    reading = CountsReading(content, turns=TURNS, memory_bytes=MAX_WORKER_BYTES)
    COUNTS.put((key, reading))
    return reading


def _progress(reading: CountsReading) -> None:
    """Say that a file is being read, and offer to stop."""
    with errors_shown():
        if reading.ended:
            st.rerun()
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f":material/hourglass_empty: {t('counts.reading')}")
            st.button(t("counts.stop"), icon=":material/stop:", key="counts_stop", on_click=reading.stop)


# ---- what was counted


def show_counts(corpus: Corpus) -> None:
    """Say what was counted and how, what was dropped, what the file is no use for, and show what is in it."""
    if corpus.counts is None:
        return
    st.info(t("counts.only"), icon=":material/tag:")
    recipe = corpus.counts.recipe
    st.markdown(" ".join(recipe_sentences(recipe, corpus.counts.distinct)))
    if recipe.is_of_other_regex:
        versions = {"theirs": as_plain_markdown(recipe.regex_version), "here": regex.__version__}
        st.warning(t("counts.other_regex", **versions), icon=":material/warning:")
    known = COUNTS.get()
    read = None if known is None else known[1].read
    if read is not None and read.corpus == corpus.counts:
        pieces = (f"{as_plain_markdown(plain_token(text.encode()))} {count:,}" for text, count in read.commonest)
        commonest = t("counts.commonest", pieces=" · ".join(pieces))
        st.caption(f"{shares_sentence(read.shares)}  \n{commonest}")


def recipe_sentences(recipe: CountsRecipe, distinct: int) -> list[str]:
    """Say how much was read, how it was cut, and what was dropped with the error that this can make."""
    said = [
        t(
            "counts.read",
            size=formatting.large_size(recipe.bytes_read),
            pretokens=recipe.pretokens,
            distinct=distinct,
        ),
        t(f"counts.boundaries_{recipe.boundaries}", texts=recipe.texts),
    ]
    if not recipe.dropped:
        return [*said, t("counts.nothing_dropped")]
    share = formatting.fine_share(recipe.dropped_bytes / recipe.bytes_read if recipe.bytes_read else None)
    values = {"dropped": recipe.dropped, "share": share, "count": recipe.min_pretoken_count}
    return [*said, t("counts.dropped", **values), t("counts.short_by", times=recipe.short_by)]


def pattern_of(recipe: CountsRecipe) -> str:
    """Return the name of the pattern that cut the pieces, or the pattern itself."""
    return recipe.pattern_name or recipe.pattern


def pattern_said(recipe: CountsRecipe) -> str:
    """Say that the split pattern is that of the counts."""
    pattern = pattern_of(recipe)
    name = pattern_name(pattern) if pattern in SPLIT_PATTERNS else as_plain_markdown(pattern[:80])
    return t("counts.pattern", pattern=name)
