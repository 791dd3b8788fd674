"""What the app knows about a visitor: language, training and own tokenizer; and what survives a reload."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from pages.ui.session import Maybe, Value, rename_choices
from pages.ui.shell import presenting
from pages.ui.shell.cookie import secret_of_cookie
from pages.ui.shell.local import is_local
from pages.ui.trainings.keeping import LOCAL
from pages.ui.trainings.registry import registry
from pages.ui.words import language
from pages.ui.words.keys import LANGUAGE, SWITCH
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.library import owner_key
from tokenizer_core.jobs.training import Training
from tokenizer_core.tokenizer import Tokenizer


@dataclass(frozen=True)
class Mine:
    """The visitor's own tokenizer, and a key that changes whenever the tokenizer does."""

    tokenizer: Tokenizer
    key: str
    from_file: bool = False
    counts: Sequence[int] = field(default=(), repr=False)
    """How often the pair of each merge occurred in the corpus; empty for a tokenizer from a file."""


_JOB_ID: Maybe[str] = Maybe("job_id")
_SHOW_SETUP: Value[bool] = Value("show_setup", bool)
_OPENED: Maybe[Mine] = Maybe("opened")
_MINE: Maybe[Mine] = Maybe("mine")


def _key() -> str:
    """Return the key of the visitor: one for all who open the app on its own machine, if it has a library.

    Elsewhere it is made from the secret of the visitor's browser, or from a new one for this session. It must
    never come from the address: a link would make everyone who follows it the owner of the same runs.
    """
    if registry().library is not None and is_local():
        return LOCAL
    return owner_key(secret_of_cookie() or secrets.token_urlsafe(32))


_OWNER: Value[str] = Value("owner", _key)


# ---- language and address


def keep_address() -> None:
    """Put the language and the training back into the address after a page change; drop an unknown training."""
    LANGUAGE.put(language())
    wanted = {"lang": language(), **presenting.in_address()}
    job = current_job()
    if job is not None:
        _JOB_ID.put(job.id)
        wanted["job"] = job.id
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def choose_language() -> None:
    """Take the language that the switch shows."""
    LANGUAGE.put(SWITCH.get())
    rename_choices()


# ---- the training


def current_job() -> Job | None:
    """Return the visitor's training: the one of this session, or else the one in the address."""
    return registry().get(_JOB_ID.get() or st.query_params.get("job"))


def owner() -> str:
    """Return the key that identifies the visitor's runs; it is no secret, and gives no power over them."""
    return _OWNER.get()


def owns(job: Job) -> bool:
    """Tell whether a training is the visitor's own; anyone else who has its link may only look at it."""
    run = registry().run(job.id)
    return run is not None and run.owner == owner()


def texts_of(job: Job) -> Sequence[str]:
    """Return the texts of a training if it is the visitor's own: a link shows what was learned, not the texts."""
    return job.training.texts if owns(job) else ()


def start(training: Training) -> Job:
    """Start a training of the visitor's own, and make it the current one.

    Raises `TokenizerError` if it cannot start.
    """
    job = registry().start(training, owner=owner())
    set_job(job)
    return job


def set_job(job: Job) -> None:
    """Make a training the visitor's current one, and close a tokenizer opened from a file."""
    _JOB_ID.put(job.id)
    _OPENED.forget()
    _SHOW_SETUP.forget()


def drop_job(job_id: str) -> None:
    """Stop showing a deleted training: show the settings, and make the newest run that is left the current one."""
    if _JOB_ID.get() == job_id:
        _JOB_ID.forget()
        left = registry().runs(owner())
        if left:
            _JOB_ID.put(left[-1].job.id)
        show_setup(True)


def show_setup(wanted: bool) -> None:
    """Set whether to show the settings of a new training in place of the current training."""
    _SHOW_SETUP.put(wanted)


def wants_setup() -> bool:
    """Tell whether the visitor asked for the settings of a new training."""
    return _SHOW_SETUP.get()


def screen() -> str:
    """Return what the Train page shows: "settings", or the id of a training."""
    job = current_job()
    return "settings" if job is None or wants_setup() else job.id


# ---- the tokenizer


def open_tokenizer(tokenizer: Tokenizer, key: str) -> None:
    """Make a tokenizer that was read from a file the visitor's own."""
    _OPENED.put(Mine(tokenizer, key, from_file=True))


def opened() -> Mine | None:
    """Return the tokenizer that the visitor opened from a file, if any."""
    return _OPENED.get()


def close_opened() -> None:
    """Go back to the tokenizer of the visitor's training."""
    _OPENED.forget()


def mine() -> Mine | None:
    """Return the visitor's own tokenizer: opened from a file, or else as the training has learned it so far."""
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
