"""The picker of a corpus: where its texts come from, and what was read, before a training uses it."""

from functools import cache

import streamlit as st

from pages.ui.choices import keys
from pages.ui.choices.corpus import Corpus, Source
from pages.ui.choices.corpus_names import given_name
from pages.ui.choices.corpus_upload import pick_upload
from pages.ui.choices.counts_upload import show_counts
from pages.ui.choices.mix import mix_controls
from pages.ui.choices.samples import SAMPLES, sample_text
from pages.ui.choices.upload import corpus_too_large
from pages.ui.choices.upload_report import shares_said
from pages.ui.choices.wikipedia import pick_wikipedia
from pages.ui.limits import MAX_CORPUS_BYTES
from pages.ui.widgets import written
from pages.ui.widgets.segmented import segmented
from pages.ui.words import error_sentence, names, t


def corpus_picker(*, takes_counts: bool = False) -> Corpus | None:
    """Let the visitor pick a corpus; return None, with the reason on the page, while there is nothing to train on.

    The same texts give the same object in every page run. Only if the caller `takes_counts` may a corpus be a file
    of counted pieces, which has no texts.
    """
    source = segmented(
        t("corpus.label"),
        list(SOURCES),
        names("corpus.{}", SOURCES),
        key=keys.SOURCE_OF_CORPUS.key,
        show_label=True,
    )
    corpus = SOURCES[source]()
    if corpus is None or not corpus.characters:
        if source != "upload" or keys.COUNTS.get() is None:  # the reading of counts says itself how far it is
            st.info(t(f"corpus.nothing_yet_{source}"), icon=":material/edit_note:")
            if takes_counts and source == "upload":
                st.caption(t("counts.hint"))
        return None
    corpus = _kept(source, corpus)
    if corpus.counts is not None:
        return _counts(corpus, takes_counts)
    if corpus.size > MAX_CORPUS_BYTES:
        st.error(error_sentence(corpus_too_large(corpus.size)), icon=":material/error:")
        return None
    return mixed(corpus)


def _counts(corpus: Corpus, are_taken: bool) -> Corpus | None:
    if not are_taken:
        st.error(t("counts.needs_text"), icon=":material/error:")
        return None
    show_counts(corpus)
    return corpus


def mixed(corpus: Corpus) -> Corpus:
    """Let the visitor mix the corpus by weights; show what it is then."""
    corpus = _kept("mix", mix_controls(corpus))
    preview(corpus)
    return corpus


def _kept(place: str, corpus: Corpus) -> Corpus:
    """Return the previous corpus of this place if it is equal, because its figures are already known."""
    corpora = keys.CORPORA.get()
    before = corpora.get(place)
    if before is None or before != corpus:  # texts that are the same objects compare at once
        before = corpora[place] = corpus
    return before


def preview(corpus: Corpus) -> None:
    """Show what was read: its size, its scripts, and its first lines."""
    kilobytes = written.kilobytes(corpus.size, exact_below=10_000)
    summary = t("corpus.summary", characters=corpus.characters, lines=corpus.lines, kilobytes=kilobytes)
    st.caption(f"{summary}  \n{shares_said(corpus.shares)}")
    st.code(corpus.opening, language=None, wrap_lines=True)


def pick_sample() -> Corpus:
    """Let the visitor pick the bundled sentences: Thai, English, or both."""
    choice = st.pills(
        t("corpus.which_sample"),
        list(SAMPLES),
        format_func=names("corpus.sample_{}", SAMPLES),
        default="both",
        required=True,
        key="corpus_sample",
        persist_state="session",
        label_visibility="collapsed",
    )
    return sample_corpus(choice or "both")


@cache
def sample_corpus(choice: str) -> Corpus:
    """Return bundled sentences: one corpus for all visitors, whose figures are computed once."""
    return Corpus(given_name(f"sample_{choice}"), tuple(map(sample_text, SAMPLES[choice])))


def _pick_paste() -> Corpus:
    text = st.text_area(
        t("corpus.paste_label"),
        key="corpus_paste",
        persist_state="session",
        height=180,
        placeholder=t("corpus.paste_placeholder"),
    )
    return Corpus(given_name("pasted"), (text or "",))


SOURCES: dict[str, Source] = {
    "sample": pick_sample,
    "upload": pick_upload,
    "paste": _pick_paste,
    "wikipedia": pick_wikipedia,
}
"""The sources of texts. Another source X takes one more line, and the words corpus.X and corpus.nothing_yet_X."""
