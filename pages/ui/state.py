"""Session values by name: what survives a page change, and what a reload finds again through the address."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from pages.ui.jobs import registry
from pages.ui.words import language
from tokenizer_core.job import Job
from tokenizer_core.tokenizer import Tokenizer


@dataclass(frozen=True)
class Mine:
    """The visitor's own tokenizer, and a key that changes whenever it does."""

    tokenizer: Tokenizer
    key: str
    from_file: bool = False
    counts: Sequence[int] = field(default=(), repr=False)
    """How often each merge's pair stood in the corpus; a file does not say."""


def keep_address() -> None:
    """Put language and training back into the address, which a page change takes out; drop an unknown training."""
    st.session_state["language"] = language()
    wanted = {"lang": language()}
    job = current_job()
    if job is not None:
        st.session_state["job_id"] = wanted["job"] = job.id
    if st.query_params.to_dict() != wanted:  # every change is a step for the browser's back button
        st.query_params.from_dict(wanted)


def choose_language() -> None:
    """Take over what the language switch shows."""
    st.session_state["language"] = st.session_state["lang"]


def screen() -> str:
    """What the train page shows: its settings, or one training."""
    job = current_job()
    return "settings" if job is None or wants_setup() else job.id


def current_job() -> Job | None:
    """The visitor's training: of this session, else the one that the address names."""
    return registry().get(st.session_state.get("job_id") or st.query_params.get("job"))


def set_job(job: Job) -> None:
    """Make a training the visitor's own, in place of an opened tokenizer."""
    st.session_state["job_id"] = job.id
    st.session_state.pop("opened", None)
    st.session_state.pop("show_setup", None)


def show_setup(wanted: bool) -> None:
    """Show the settings of the next training although there is one already."""
    st.session_state["show_setup"] = wanted


def wants_setup() -> bool:
    """Whether the visitor asked for the settings of another training."""
    return bool(st.session_state.get("show_setup"))


def open_tokenizer(tokenizer: Tokenizer, key: str) -> None:
    """Make a tokenizer read from a file the visitor's own."""
    st.session_state["opened"] = Mine(tokenizer, key, from_file=True)


def remembered(key: str, default: str | list[str]) -> str:
    """Give the widget of this key its default once; afterwards it keeps its value by itself."""
    if key not in st.session_state:
        st.session_state[key] = default
    return key


def opened() -> Mine | None:
    """The tokenizer that the visitor opened from a file."""
    tokenizer: Mine | None = st.session_state.get("opened")
    return tokenizer


def close_opened() -> None:
    """Go back to the tokenizer of the visitor's training."""
    st.session_state.pop("opened", None)


def mine() -> Mine | None:
    """The visitor's own tokenizer: one opened from a file, else as far as the training has come."""
    if not registry().is_warm:
        return None
    if (from_file := opened()) is not None:
        return from_file
    job = current_job()
    if job is None or not job.merges:
        return None
    key = f"{job.id}:{len(job.merges)}"
    known: Mine | None = st.session_state.get("mine")
    if known is None or known.key != key:
        tokenizer = job.tokenizer()
        counts = [merge.count for merge in job.merges[: len(tokenizer.merges)]]
        known = Mine(tokenizer, f"{job.id}:{len(tokenizer.merges)}", counts=counts)
        st.session_state["mine"] = known
    return known
