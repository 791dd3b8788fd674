"""Session values by name: what survives a page change, and what a reload finds again through the address."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages.ui.trainings.registry import registry
from pages.ui.words import language
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.recipe import Recipe
from tokenizer_core.patterns import SPLIT_PATTERNS
from tokenizer_core.tokenizer import Tokenizer

_WORDED = "worded_keys"


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
    for key in st.session_state.get(_WORDED, ()):
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def one_of(key: str, options: Sequence[Any], default: Any = None) -> str:
    """Give a selectbox its default once, and let its choice stay when the language changes.

    The browser knows a choice by its name only, which the page no longer knows in another language: what is
    assigned while the language changes is sent to the browser under its new name. A choice that is no longer
    offered becomes the default again, which is the first option where none is given.
    """
    if st.session_state.get(key) not in options:
        st.session_state[key] = options[0] if default is None else default
    st.session_state.setdefault(_WORDED, set()).add(key)
    return key


def screen() -> str:
    """What the train page shows: its settings, or one training."""
    job = current_job()
    return "settings" if job is None or wants_setup() else job.id


def current_job() -> Job | None:
    """The visitor's training: of this session, else the one that the address names."""
    return registry().get(st.session_state.get("job_id") or st.query_params.get("job"))


def owner() -> str:
    """The secret that a visitor's runs are found by: of the training in the address, else a new one."""
    if "owner" not in st.session_state:
        run = registry().run(st.query_params.get("job"))
        st.session_state["owner"] = (run.owner if run else "") or secrets.token_urlsafe(16)
    secret: str = st.session_state["owner"]
    return secret


def drop_job(job_id: str) -> None:
    """Show a deleted training no more: the settings come in its place, the newest that is left is one's own."""
    if st.session_state.get("job_id") == job_id:
        del st.session_state["job_id"]
        left = registry().runs(owner())
        if left:
            st.session_state["job_id"] = left[-1].job.id
        show_setup(True)


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


def remembered(key: str, default: str | float | list[str]) -> str:
    """Give the widget of this key its default once; afterwards it keeps its value by itself."""
    if key not in st.session_state:
        st.session_state[key] = default
    return key


def fill_in(vocab_size: int, pattern: str, min_count: int, special_tokens: Sequence[str]) -> None:
    """Put values into the settings; a pattern without a name becomes the visitor's own."""
    st.session_state["train_size"] = vocab_size
    st.session_state["train_min_count"] = min_count
    st.session_state["train_special_tokens"] = " ".join(special_tokens)
    st.session_state["pattern_choice"] = pattern if pattern in SPLIT_PATTERNS else "custom"
    if pattern not in SPLIT_PATTERNS:
        st.session_state["pattern_custom"] = pattern


def choose_recipe(recipe: Recipe | None) -> None:
    """Follow a recipe with the next training, or none."""
    st.session_state["recipe"] = recipe


def chosen_recipe() -> Recipe | None:
    """The recipe that the next training follows."""
    recipe: Recipe | None = st.session_state.get("recipe")
    return recipe


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
