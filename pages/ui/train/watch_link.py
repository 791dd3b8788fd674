"""The link that lets others watch a training of the visitor's: it shows this one, and controls nothing."""

from urllib.parse import urlencode

import streamlit as st

from pages.ui.shell import visitor
from pages.ui.words import language, t
from tokenizer_core.jobs.job import Job


def watch_link(job: Job) -> None:
    """Draw the link for its owner to copy; nobody else can hand on a training."""
    if not visitor.owns(job):
        return
    with st.popover(t("watch.link"), icon=":material/link:", type="tertiary", key="watch_link"):
        st.caption(t("watch.says"))
        query = urlencode({"lang": language(), "job": job.id})
        st.code(f"{(st.context.url or '').partition('?')[0]}?{query}", language=None, wrap_lines=True)
