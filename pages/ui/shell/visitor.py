"""What is known of a visitor: language, training, the tokenizer that is theirs; and what a reload finds again."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from pages.ui.session import Maybe, Value, rename_choices
from pages.ui.trainings.registry import registry
from pages.ui.words import language
from pages.ui.words.keys import LANGUAGE, SWITCH
from tokenizer_core.jobs.job import Job
from tokenizer_core.tokenizer import Tokenizer


@dataclass(frozen=True)
class Mine:
    """The visitor's own tokenizer, and a key that changes whenever it does."""

    tokenizer: Tokenizer
    key: str
    from_file: bool = False
    counts: Sequence[int] = field(default=(), repr=False)
    """How often each merge's pair stood in the corpus; a file does not say."""


_JOB_ID: Maybe[str] = Maybe("job_id")
_SHOW_SETUP: Value[bool] = Value("show_setup", bool)
_OPENED: Maybe[Mine] = Maybe("opened")
_MINE: Maybe[Mine] = Maybe("mine")


def _new_owner() -> str:
    """The secret of the training in the address, else a new one."""
    run = registry().run(st.query_params.get("job"))
    return (run.owner if run else "") or secrets.token_urlsafe(16)


_OWNER: Value[str] = Value("owner", _new_owner)


# ---- language and address


def keep_address() -> None:
    """Put language and training back into the address, which a page change takes out; drop an unknown training."""
    LANGUAGE.put(language())
    wanted = {"lang": language()}
    job = current_job()
    if job is not None:
        _JOB_ID.put(job.id)
        wanted["job"] = job.id
    if st.query_params.to_dict() != wanted:  # every change is a step for the browser's back button
        st.query_params.from_dict(wanted)


def choose_language() -> None:
    """Take over what the language switch shows."""
    LANGUAGE.put(SWITCH.get())
    rename_choices()


# ---- the training


def current_job() -> Job | None:
    """The visitor's training: of this session, else the one that the address names."""
    return registry().get(_JOB_ID.get() or st.query_params.get("job"))


def owner() -> str:
    """The secret that a visitor's runs are found by."""
    return _OWNER.get()


def set_job(job: Job) -> None:
    """Make a training the visitor's own, in place of an opened tokenizer."""
    _JOB_ID.put(job.id)
    _OPENED.forget()
    _SHOW_SETUP.forget()


def drop_job(job_id: str) -> None:
    """Show a deleted training no more: the settings come in its place, the newest that is left is one's own."""
    if _JOB_ID.get() == job_id:
        _JOB_ID.forget()
        left = registry().runs(owner())
        if left:
            _JOB_ID.put(left[-1].job.id)
        show_setup(True)


def show_setup(wanted: bool) -> None:
    """Show the settings of the next training although there is one already."""
    _SHOW_SETUP.put(wanted)


def wants_setup() -> bool:
    """Whether the visitor asked for the settings of another training."""
    return _SHOW_SETUP.get()


def screen() -> str:
    """What the train page shows: its settings, or one training."""
    job = current_job()
    return "settings" if job is None or wants_setup() else job.id


# ---- the tokenizer


def open_tokenizer(tokenizer: Tokenizer, key: str) -> None:
    """Make a tokenizer read from a file the visitor's own."""
    _OPENED.put(Mine(tokenizer, key, from_file=True))


def opened() -> Mine | None:
    """The tokenizer that the visitor opened from a file."""
    return _OPENED.get()


def close_opened() -> None:
    """Go back to the tokenizer of the visitor's training."""
    _OPENED.forget()


def mine() -> Mine | None:
    """The visitor's own tokenizer: one opened from a file, else as far as the training has come."""
    if not registry().is_warm:
        return None
    if (from_file := opened()) is not None:
        return from_file
    job = current_job()
    if job is None or not job.merges:
        return None
    known = _MINE.get()
    if known is None or known.key != f"{job.id}:{len(job.merges)}":
        tokenizer = job.tokenizer()
        counts = [merge.count for merge in job.merges[: len(tokenizer.merges)]]
        known = Mine(tokenizer, f"{job.id}:{len(tokenizer.merges)}", counts=counts)
        _MINE.put(known)
    return known
