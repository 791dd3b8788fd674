"""What the app knows about a visitor: language, training and own tokenizer; and what survives a reload."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st

from pages.ui.frame import presenting, tabs
from pages.ui.frame.cookie_and_headers import secret_of_cookie
from pages.ui.i18n import LANGUAGE, SWITCH, language
from pages.ui.limits import IS_PUBLIC
from pages.ui.run_registry.keeping import LOCAL
from pages.ui.run_registry.registry import registry
from pages.ui.session import Maybe, Value, rename_choices
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.saved_runs.folder import owner_key
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training

FORWARDED = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")
"""Headers that a proxy between the visitor and the app adds."""


@dataclass(frozen=True)
class OwnTokenizer:
    """A tokenizer that the visitor trained, and a key that changes whenever the tokenizer does."""

    tokenizer: Tokenizer
    key: str
    counts: Sequence[int] = field(default=(), repr=False)
    """How often the pair of each merge occurred in the corpus."""


_JOB_ID: Maybe[str] = Maybe("job_id")
_STARTED: Value[set[str]] = Value("started_runs", set)
"""The trainings that were started in this session."""
_SHOW_SETUP: Value[bool] = Value("show_setup", bool)
_OWN_TOKENIZER: Maybe[OwnTokenizer] = Maybe("own_tokenizer")


def _key() -> str:
    """Return the visitor's key: one for all who open the app on its own machine, if that keeps saved runs.

    Elsewhere it is made from the secret of the visitor's browser, or from a new one for this session. It must
    never come from the address: a link would make everyone who follows it the owner of the same runs.
    """
    if registry().saved is not None and is_local():
        return LOCAL
    return owner_key(secret_of_cookie() or secrets.token_urlsafe(32))


_OWNER: Value[str] = Value("owner", _key)


# ---- language and address


def keep_address(page: str) -> None:
    """Put the language, the training and the page's tab back into the address; drop an unknown training."""
    LANGUAGE.put(language())
    wanted = {"lang": language(), **tabs.address_parameters(page)}
    if "present" in st.query_params:  # the deck puts it there, so that the browser's Back leads past it
        wanted |= presenting.address_parameters()
    if page == "learn" and "lesson" in st.query_params:  # the browser puts it there when a lesson is opened
        wanted["lesson"] = st.query_params["lesson"]
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
    """Return the key that identifies the visitor's runs; it is not secret, and gives no power over them."""
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
    _STARTED.get().add(job.id)
    set_job(job)
    return job


def is_earlier(job: Job) -> bool:
    """Tell whether a run is of an earlier visit or of somebody else at the same machine, and not shown now."""
    return job.id not in _STARTED.get() and job is not current_job()


def set_job(job: Job) -> None:
    """Make a training the visitor's current one."""
    _JOB_ID.put(job.id)
    _SHOW_SETUP.forget()


def drop_job(job_id: str) -> None:
    """Stop showing a deleted training: show the settings, and make the newest remaining run the current one."""
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


def own_tokenizer() -> OwnTokenizer | None:
    """Return the tokenizer of the visitor's training as learned so far; None before the first merge."""
    job = current_job()
    if job is None or not job.merges:
        return None
    known = _OWN_TOKENIZER.get()
    if known is None or known.key != f"{job.id}:{len(job.merges)}":
        tokenizer = job.tokenizer()
        counts = [merge.count for merge in job.merges[: len(tokenizer.merges)]]
        known = OwnTokenizer(tokenizer, f"{job.id}:{len(tokenizer.merges)}", counts)
        _OWN_TOKENIZER.put(known)
    return known


# ---- whether the browser runs on the app's own machine


def is_local() -> bool:
    """Tell whether the connection, and the address in the browser, are of this machine; False if unsure.

    A proxy on this machine has a local connection too, but sends the address in the browser as the origin.
    """
    headers = st.context.headers
    host, origin = headers.get("Host", ""), headers.get("Origin", "")
    return (
        not IS_PUBLIC
        and st.context.ip_address is None  # Streamlit's word for this machine
        and not any(header in headers for header in FORWARDED)
        and _is_loopback(f"//{host}")
        and (not origin or _is_loopback(origin))
    )


def _is_loopback(address: str) -> bool:
    try:
        name = urlsplit(address).hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False
