"""Models by their names: what this machine has opens at one click, the rest is fetched when asked for."""

from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

import streamlit as st

from pages.ui.frame.links import is_model
from pages.ui.i18n import as_name, error_sentence, t
from pages.ui.inputs.opened_files import (
    OPENED_FILES,
    REFERENCE_FILES,
    OpenedFile,
    borrowed_from,
    keep_file,
    known_name,
    open_model,
)
from pages.ui.limits import IS_PUBLIC
from pages.ui.session import Maybe, Value
from pages.ui.widgets.formatting import large_size
from tokenizer_core.errors import TokenizerError
from tokenizer_core.sources import hub
from tokenizer_core.sources.at_hand import find_models
from tokenizer_core.sources.families import families, family_of
from tokenizer_core.sources.hub import HubFetch
from tokenizer_core.sources.model import ModelAtHand
from tokenizer_core.sources.models import named

MOST_LISTED = 60
"""Models at hand that are listed; the others open by their names."""
LIST_HEIGHT = 230
POLL_SECONDS = 0.5


class _Fetching(NamedTuple):
    name: str
    task: HubFetch


class _Failed(NamedTuple):
    name: str
    why: TokenizerError | None
    """None if its files are gone."""


_FETCHING: Maybe[_Fetching] = Maybe("model_fetching")
_FAILED: Maybe[_Failed] = Maybe("model_failed")
"""The model that could not be opened last."""
NAME: Maybe[str] = Maybe("model_name")
LINKED: Value[list[str]] = Value("linked_models", list)
"""The models of the Hub that an opened link names."""


def offer_models(*, is_shown: bool) -> OpenedFile | None:
    """Offer a field for a name and what is at hand; return the model that was opened just now.

    While nobody sees them, only a fetch that was begun goes on.
    """
    fetching = _FETCHING.get()
    opened = None
    if fetching is not None and fetching.task.ended:
        opened = _settle(fetching)
        fetching = None
    if opened is not None:
        return opened
    at_hand = find_models(public=IS_PUBLIC) if is_shown else []
    if fetching is not None:
        st.fragment(_show_progress, run_every=POLL_SECONDS)()
    elif is_shown and hub.is_on():
        opened = _by_name({model.name: model for model in at_hand if model.kind == "hub"})
    if (failed := _FAILED.get()) is not None:
        why = error_sentence(failed.why) if failed.why else t("models.gone", name=as_name(failed.name))
        st.error(why, icon=":material/error:")
    return opened or _listed(at_hand)


def open_or_fetch(name: str) -> OpenedFile | None:
    """Open a model that is at hand, and begin to fetch one that is not."""
    _FAILED.forget()
    wanted, revision = named(_without_address(name))
    try:
        if hub.is_hub_name(wanted) and (model := hub.cached(wanted, revision)):
            return _open(model)
        _FETCHING.put(_Fetching(name, HubFetch(wanted, revision=revision, token=not IS_PUBLIC)))
    except TokenizerError as error:
        _FAILED.put(_Failed(name, error.bare()))
    return None


def name_in_link(choice: str) -> str:
    """Return what a link calls a choice: a model of the Hub by its name and commit, others as they are."""
    models = {file.key: file.model for file in OPENED_FILES.get()}
    model = models.get(choice)
    return f"{hub.PREFIX}{model.name}@{model.version}" if model and model.kind == "hub" else choice


def choices_in_link(names: list[str]) -> list[str]:
    """Return the choices that a link names; remember the models of the Hub that are not open."""
    known = {name_in_link(file.key): file.key for file in OPENED_FILES.get()}
    LINKED.put([name.removeprefix(hub.PREFIX) for name in names if is_model(name) and name not in known])
    return [known.get(name, name) for name in names if name in known or not is_model(name)]


def stop_fetching() -> None:
    """End the fetch of this visitor; nothing incomplete is kept."""
    if (fetching := _FETCHING.get()) is not None:
        fetching.task.stop()
    _FETCHING.forget()


def _without_address(name: str) -> str:
    """Return the name in the address of a model's page, or the name itself.

    >>> _without_address(" https://huggingface.co/Qwen/Qwen3-8B/tree/main "), _without_address("Qwen/Qwen3-8B")
    ('Qwen/Qwen3-8B', 'Qwen/Qwen3-8B')
    """
    name = name.strip()
    bare = name.removeprefix("https://").removeprefix(f"{hub.host()}/")
    return name if bare == name else "/".join(bare.split("/")[:2])


def _by_name(at_hand: Mapping[str, ModelAtHand]) -> OpenedFile | None:
    """Let the visitor choose or type a name, and open or fetch this model."""
    typed = [NAME.get() or ""]
    known = list(filter(None, dict.fromkeys([*at_hand, *(family.name for family in families()), *typed])))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        name = st.selectbox(
            t("models.name"),
            known,
            index=None,
            format_func=_titled,
            key=NAME.key,
            placeholder=t("models.placeholder"),
            accept_new_options=True,
            width=400,
        )
        is_here = name in at_hand
        label = t("models.open") if is_here else t("models.fetch", host=hub.host())
        icon = ":material/add:" if is_here else ":material/cloud_download:"
        pressed = st.button(label, icon=icon, key="model_fetch", disabled=not name)
    st.caption(f"{_about(name or '')} {t('models.sends', host=hub.host())}".strip())
    if not pressed or not name:
        return None
    opened = _open(at_hand[name]) if is_here else open_or_fetch(name)
    if opened is None:
        st.rerun()
    return opened


def _titled(name: str) -> str:
    family = family_of(name)
    return f"{family.title} · {name}" if family else name


def _about(name: str) -> str:
    """Say whose tokenizer a well-known model reads with, if it is not its own."""
    family, other = family_of(name), borrowed_from(name)
    return t("models.borrows", title=family.title, maker=family.maker, other=other) if family and other else ""


def _listed(at_hand: list[ModelAtHand]) -> OpenedFile | None:
    """List what is at hand and not open yet; one click opens it."""
    are_open = {file.model for file in OPENED_FILES.get()}
    found: dict[str, ModelAtHand] = {}
    for model in at_hand:
        if model not in are_open and model.name not in REFERENCE_FILES:
            found.setdefault(_label(model), model)  # a package may hold one file under several names
    if not found:
        return None
    st.markdown(f"**{t('models.at_hand')}**")
    pressed = None
    with st.container(height=LIST_HEIGHT if len(found) > 5 else "content", gap="xsmall", key="models_at_hand"):
        for label, model in islice(found.items(), MOST_LISTED):
            place = None if IS_PUBLIC else str(model.place)
            key = f"at_hand_{model.name}"
            if st.button(label, key=key, type="tertiary", help=place, icon=":material/add:"):
                pressed = model
    if len(found) > MOST_LISTED:
        st.caption(t("models.not_listed", count=len(found) - MOST_LISTED))
    opened = _open(pressed) if pressed else None
    if pressed and opened is None:
        st.rerun()
    return opened


def _label(model: ModelAtHand) -> str:
    """Return what a model at hand is called, and where it is."""
    package, _, file = model.name.partition(":")
    name, values = _titled(model.name), {"version": model.version[:12]}
    if model.kind == "package":
        name, values = known_name(model.files[0]) or file, {"package": package, "version": model.version}
    return f"{as_name(name)} · {t(f'models.place_{model.kind}', **values)}"


def _show_progress() -> None:
    """Show how far the fetch is, with a button that stops it; draw the page anew once it has ended."""
    fetching = _FETCHING.get()
    if fetching is None or fetching.task.ended:
        st.rerun()
    done, total, name = fetching.task.done, fetching.task.total, as_name(fetching.name)
    said = t("models.asking", host=hub.host(), name=name)
    if total:
        said = t("models.fetching", name=name, done=large_size(done), total=large_size(total))
    st.progress(min(1.0, done / total) if total else 0.0, text=said)
    st.button(t("models.stop"), icon=":material/stop:", key="model_stop", on_click=stop_fetching)


def _settle(fetching: _Fetching) -> OpenedFile | None:
    """Open what was fetched, or keep why it was not."""
    _FETCHING.forget()
    if fetching.task.model is not None:
        return _open(fetching.task.model)
    if fetching.task.failure is not None:
        _FAILED.put(_Failed(fetching.name, fetching.task.failure))
    return None


def _open(model: ModelAtHand) -> OpenedFile | None:
    """Open a model on every page; remember why it cannot be."""
    _FAILED.forget()
    try:
        with st.spinner(t("models.opening", name=as_name(model.name))):
            file = open_model(model)
        keep_file(file)
    except TokenizerError as error:
        _FAILED.put(_Failed(model.name, error.bare()))
    except OSError:
        _FAILED.put(_Failed(model.name, None))
    else:
        return file
    return None
