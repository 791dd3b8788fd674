"""The visitor's text, with which the page counts which tokens are used, and where."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import streamlit as st

from pages.ui.choices.samples import sample_texts
from pages.ui.session import remembered
from pages.ui.shell import visitor
from pages.ui.vocabulary import keys
from pages.ui.widgets.live_area import live_text_area
from pages.ui.widgets.segmented import segmented
from pages.ui.words import names, t
from tokenizer_core.jobs.job import Job

SAMPLE, TYPED, TRAINED = "sample", "typed", "trained"
"""Where the text comes from."""
MOST_CHARACTERS = 2_000_000
"""Characters of a training text that are counted: each tokenizer takes at most a second for them."""


@dataclass(frozen=True)
class OwnText:
    """The texts that are counted, and what they are called in a sentence."""

    texts: tuple[str, ...] = field(repr=False)
    name: str
    source: str

    @cached_property
    def digest(self) -> str:
        """A hash of the texts."""
        whole = hashlib.sha256()
        for text in self.texts:
            whole.update(text.encode("utf-8", "surrogatepass") + b"\xff")
        return whole.hexdigest()


def choose_text() -> OwnText:
    """Let the visitor choose the text: built-in, their own, or what their tokenizer learned."""
    trained = training_texts()
    if learned_from_counts():
        st.caption(t("counts.vocabulary"))
    sources = [SAMPLE, TYPED, *([TRAINED] if trained else [])]
    source = segmented(
        t("vocabulary.text"),
        sources,
        names("vocabulary.text_{}", sources),
        key=f"{keys.SOURCE}_{len(sources)}",
        show_label=True,
    )
    if source == TYPED:
        typed = live_text_area(
            t("vocabulary.text_typed"),
            key=remembered(keys.TEXT, t("examples.sample")),
            height=110,
            placeholder=t("text.placeholder"),
            show_label=False,
        )
        return OwnText((typed,), t("vocabulary.named_typed"), TYPED)
    if source == TRAINED:
        texts = first_characters(trained, MOST_CHARACTERS)
        if sum(map(len, texts)) < sum(map(len, trained)):
            st.caption(t("vocabulary.text_part", characters=MOST_CHARACTERS))
        return OwnText(texts, t("vocabulary.named_trained"), TRAINED)
    return OwnText(sample_texts(), t("vocabulary.named_sample"), SAMPLE)


def first_characters(texts: Sequence[str], most: int) -> tuple[str, ...]:
    """Return the texts up to this many characters together.

    >>> first_characters(["abc", "def"], 4)
    ('abc', 'd')
    """
    kept: list[str] = []
    for text in texts:
        if most <= 0:
            break
        kept.append(text[:most])
        most -= len(text)
    return tuple(kept)


def training_texts() -> Sequence[str]:
    """Return what the visitor's own tokenizer learned from, if it was trained here and the texts are kept."""
    job = _own_job()
    return () if job is None else visitor.texts_of(job)


def learned_from_counts() -> bool:
    """Tell whether the visitor's own tokenizer learned from counts, so that its text was never here."""
    job = _own_job()
    return job is not None and job.training.counts is not None


def _own_job() -> Job | None:
    own = visitor.mine()
    return None if own is None or own.from_file else visitor.current_job()
