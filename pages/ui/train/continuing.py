"""Trainings that were interrupted: what the library no longer has is the text, so it is asked for again."""

from collections.abc import Sequence

import streamlit as st

from pages.ui.choices.corpus_names import corpus_called
from pages.ui.choices.corpus_picker import corpus_picker
from pages.ui.choices.first_training import sample_to_train_on
from pages.ui.choices.samples import SAMPLES, sample_text
from pages.ui.shell import visitor
from pages.ui.trainings.registry import registry
from pages.ui.words import t
from tokenizer_core.jobs.fingerprint import corpus_hash
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.kept import can_continue

START_WAIT = 0.5
"""Seconds that a click waits for the training to go on, so that the page shows it at once."""


def known_texts(job: Job) -> Sequence[str]:
    """Return the texts that a training learned from: those in memory, or a bundled sample; empty if unknown."""
    if job.training.texts or job.corpus_sha256 is None:
        return job.training.texts
    for name, files in SAMPLES.items():
        for texts in (sample_to_train_on(name).texts, tuple(map(sample_text, files))):
            if corpus_hash(texts) == job.corpus_sha256:
                return texts
    return ()


def continue_offer(job: Job) -> None:
    """Say that a training was interrupted, and let its owner continue it on the same text."""
    if not can_continue(job) or not visitor.owns(job):
        return
    texts = known_texts(job) or _chosen_texts(job)
    if texts:
        st.button(
            t("continuing.go"),
            type="primary",
            icon=":material/play_arrow:",
            key="continue_run",
            on_click=_continue,
            args=(job, texts),
        )


def _chosen_texts(job: Job) -> Sequence[str]:
    """Let the owner choose the text again; return it only if it is the same."""
    st.markdown(
        t("continuing.same_text", corpus=corpus_called(job.training.corpus_name), characters=job.corpus_characters)
    )
    corpus = corpus_picker()
    if corpus is None:
        return ()
    if corpus.sha256 == job.corpus_sha256:
        st.success(t("continuing.is_same"), icon=":material/check_circle:")
        return corpus.texts
    st.warning(t("continuing.is_other"), icon=":material/difference:")
    return ()


def _continue(job: Job, texts: Sequence[str]) -> None:
    gone_on = registry().continue_run(job.id, texts)
    if gone_on is not None:
        visitor.set_job(gone_on)
        gone_on.wait(START_WAIT, lambda: gone_on.state == "running")
