"""The files of a training for other libraries, after it and while it learns."""

import streamlit as st

from pages.ui.exports.panel import take_along
from pages.ui.shell import visitor
from pages.ui.train import keys
from pages.ui.widgets.fold import fold
from pages.ui.words import t
from tokenizer_core.jobs.job import Job
from tokenizer_core.vocabulary import BYTES


def take_run_along(job: Job) -> None:
    """Let the visitor take what a training has learned; while it learns, as it was when this was opened."""
    if job.ended and not job.merges:
        return
    with fold(
        t("exports.title"), icon=":material/luggage:", key=keys.EXPORTS_OPEN.key, on_change=_note_size, args=(job,)
    ):
        if keys.EXPORTS_OPEN.get():
            _files(job)


def _note_size(job: Job) -> None:
    keys.EXPORTED_MERGES.put((job.id, len(job.merges)))


def _files(job: Job) -> None:
    tokenizer = job.tokenizer()
    if not job.ended:
        noted = keys.EXPORTED_MERGES.get()
        if noted is None or noted[0] != job.id:
            _note_size(job)
        tokenizer = tokenizer.at(BYTES + (keys.EXPORTED_MERGES.get() or ("", 0))[1])
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(t("exports.so_far", size=tokenizer.vocab_size), width="stretch")
            st.button(
                t("exports.newer"),
                icon=":material/refresh:",
                key="exports_newer",
                on_click=_note_size,
                args=(job,),
            )
    if job.training.counts is not None:
        st.caption(t("counts.proof"))
    take_along(tokenizer, f"{job.id}@{tokenizer.vocab_size}", visitor.texts_of(job))
