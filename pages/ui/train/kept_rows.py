"""What the library holds besides runs: tokenizers opened from files, and entries that are damaged."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from zoneinfo import ZoneInfo

import streamlit as st

from pages.ui.choices.kept_files import file_title, is_open, kept_files, open_kept, was_trained_here
from pages.ui.choices.pattern import pattern_name, shortened
from pages.ui.limits import LIBRARY_DAYS, UNSEEN_SECONDS
from pages.ui.shell import visitor
from pages.ui.train import keys
from pages.ui.trainings.keeping import LOCAL
from pages.ui.trainings.registry import registry
from pages.ui.widgets import written
from pages.ui.words import as_name, as_plain_markdown, error_sentence, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.entry import LAST_SECOND, Entry
from tokenizer_core.jobs.library import Damaged
from tokenizer_core.patterns import SPLIT_PATTERNS

MAX_NAME = 60


def dated(seconds: float) -> str:
    """Write a moment by the clock of the visitor's browser.

    >>> len(dated(0.0))
    16
    """
    zone = None
    with suppress(KeyError, ValueError, OSError):
        zone = ZoneInfo(st.context.timezone or "")
    moment = min(max(0.0, seconds), LAST_SECOND - 1.0)  # a file may be of any date
    return datetime.fromtimestamp(moment, zone).strftime("%Y-%m-%d %H:%M")


def where_kept() -> str:
    """Say where and how long the visitor's tokenizers are kept, and who can see them."""
    library = registry().library
    if library is None:
        return t("runs.kept", hours=round(UNSEEN_SECONDS / 3600))
    if visitor.owner() == LOCAL:
        return t("runs.kept_here", folder=as_plain_markdown(str(library.root)))
    return t("runs.kept_days", days=LIBRARY_DAYS)


def trouble_note() -> None:
    """Say, in one sentence, why the visitor's tokenizers cannot be kept, if so; or why the last click failed."""
    for trouble in (registry().trouble(visitor.owner()), keys.KEPT_FAILURE.get()):
        if trouble is not None:
            st.warning(error_sentence(trouble), icon=":material/save:")


def kept_rows() -> None:
    """List the files that the visitor opened, then what is damaged."""
    for entry in reversed(kept_files()):
        with st.container(horizontal=True, vertical_alignment="center", key=f"run_{entry.id}"):
            _file_row(entry)
    for broken in registry().damaged(visitor.owner()):
        with st.container(horizontal=True, vertical_alignment="center", key=f"run_{broken.id}"):
            _damaged_row(broken)


def _file_row(entry: Entry) -> None:
    shown = is_open(entry)
    values = {"size": entry.vocab_size, "date": dated(entry.created)}
    if was_trained_here(entry):
        said = t("runs.sentencepiece", **values)
    elif entry.pattern in SPLIT_PATTERNS:
        said = t("runs.file", pattern=shortened(pattern_name(entry.pattern)), **values)
    else:  # a pattern that came with the file, or none
        said = t("runs.file_plain", **values)
    st.markdown(":material/description:", width="content")
    with st.container(width="stretch", gap=None):
        st.markdown(f"**{as_name(file_title(entry))}**")
        st.caption(f"{said} · {t('runs.file_open')}" if shown else said)
    st.button(t("runs.open"), on_click=_open, args=(entry,), key=f"open_{entry.id}", disabled=shown)
    with st.popover(t("runs.more"), icon=":material/more_horiz:", key=f"more_{entry.id}"):
        st.text_input(
            t("runs.rename"),
            value=entry.name,
            placeholder=file_title(entry),
            key=keys.name_of_file(entry.id).key,
            on_change=_rename,
            args=(entry,),
        )
        _delete_button(entry.id)


def _damaged_row(broken: Damaged) -> None:
    st.markdown(":material/broken_image:", width="content")
    with st.container(width="stretch", gap=None):
        st.markdown(f"**{t('runs.damaged')}** `{broken.id}`")
        size = written.kilobytes(broken.size, exact_below=10_000)
        st.caption(t("runs.damaged_says", kilobytes=size, date=dated(broken.saved)))
    _delete_button(broken.id)


def _delete_button(entry_id: str) -> None:
    st.button(
        t("runs.delete"),
        icon=":material/delete:",
        on_click=delete_entry,
        args=(entry_id,),
        key=f"delete_{entry_id}",
    )


def delete_entry(entry_id: str) -> None:
    """Delete a run, a file or a damaged entry; show the settings if it was the visitor's current run."""

    def delete() -> None:
        registry().delete(visitor.owner(), entry_id)
        visitor.drop_job(entry_id)

    _attempt(delete)


def _open(entry: Entry) -> None:
    _attempt(lambda: open_kept(entry))


def _rename(entry: Entry) -> None:
    library = registry().library
    name = " ".join(keys.name_of_file(entry.id).get().split())[:MAX_NAME]
    if library is not None:
        _attempt(lambda: library.rename(visitor.owner(), entry.id, name))


def _attempt(change: Callable[[], None]) -> None:
    """Change something, and draw the page anew; keep an error, to be shown above the list until the next click."""
    keys.KEPT_FAILURE.forget()
    try:
        change()
    except TokenizerError as error:
        keys.KEPT_FAILURE.put(error.bare())
    keys.RUN_OPENED.put(True)
