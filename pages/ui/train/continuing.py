"""Trainings that were interrupted: what the library no longer has is the text, so it is asked for again."""

from dataclasses import replace

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
from tokenizer_core.jobs.training import Training

START_WAIT = 0.5
"""Seconds that a click waits for the training to go on, so that the page shows it at once."""


def known_training(job: Job) -> Training | None:
    """Return a training with what it learned from: what is in memory, or a bundled sample; None if unknown."""
    training = job.training
    if training.has_corpus:
        return training
    if job.corpus_sha256 is None or training.counts is not None:
        return None
    for name, files in SAMPLES.items():
        for texts in (sample_to_train_on(name).texts, tuple(map(sample_text, files))):
            if corpus_hash(texts) == job.corpus_sha256:
                return replace(training, texts=texts)
    return None


def continue_offer(job: Job) -> None:
    """Say that a training was interrupted, and let its owner continue it on the same text."""
    if not can_continue(job) or not visitor.owns(job):
        return
    training = known_training(job) or _chosen(job)
    if training is not None:
        st.button(
            t("continuing.go"),
            type="primary",
            icon=":material/play_arrow:",
            key="continue_run",
            on_click=_continue,
            args=(job, training),
        )


def _chosen(job: Job) -> Training | None:
    """Let the owner choose the text, or the counts, again; return the training only if they are the same."""
    training = job.training
    words = "continuing.same_text" if training.counts is None else "continuing.same_counts"
    st.markdown(t(words, corpus=corpus_called(training.corpus_name), characters=job.corpus_characters))
    corpus = corpus_picker(takes_counts=training.counts is not None)
    if corpus is None:
        return None
    if corpus.sha256 == job.corpus_sha256:
        st.success(t("continuing.is_same"), icon=":material/check_circle:")
        return replace(training, texts=corpus.texts, counts=corpus.counts)
    st.warning(t("continuing.is_other"), icon=":material/difference:")
    return None


def _continue(job: Job, training: Training) -> None:
    gone_on = registry().continue_run(job.id, training.texts, training.counts)
    if gone_on is not None:
        visitor.set_job(gone_on)
        gone_on.wait(START_WAIT, lambda: gone_on.state == "running")
