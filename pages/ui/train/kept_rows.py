"""What is saved besides runs: tokenizers opened from files, and entries that are damaged."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.frame import visitor
from pages.ui.i18n import as_name, as_plain_markdown, error_sentence, t
from pages.ui.inputs.opened_files import file_title, is_open, open_kept, saved_files, trained_here_as
from pages.ui.inputs.pattern import pattern_name, shortened
from pages.ui.limits import SAVED_RUNS_DAYS, UNSEEN_SECONDS
from pages.ui.run_registry.keeping import LOCAL
from pages.ui.run_registry.registry import registry
from pages.ui.session import Value
from pages.ui.train import keys
from pages.ui.widgets import formatting
from tokenizer_core.errors import TokenizerError
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS
from tokenizer_core.saved_runs.entry import Entry
from tokenizer_core.saved_runs.folder import Damaged

MAX_NAME = 60


def where_kept() -> None:
    """Say where and how long the visitor's tokenizers are kept, and who can see them."""
    saved, hours = registry().saved, round(UNSEEN_SECONDS / 3600)
    if saved is None:
        st.caption(t("runs.kept", hours=hours))
    elif visitor.owner() == LOCAL:
        st.caption(t("runs.kept_here", hours=hours), help=as_plain_markdown(str(saved.root)))
    else:
        st.caption(t("runs.kept_days", days=SAVED_RUNS_DAYS, hours=hours))


def trouble_note() -> None:
    """Say, in one sentence, why the visitor's tokenizers cannot be kept, if so; or why the last click failed."""
    for trouble in (registry().trouble(visitor.owner()), keys.KEPT_FAILURE.get()):
        if trouble is not None:
            st.warning(error_sentence(trouble), icon=":material/save:")


class Row(NamedTuple):
    """A line of the list."""

    is_earlier: bool
    """Whether it is there from an earlier visit, or from somebody else at the same machine."""
    draw: Callable[[], None]


def kept_rows() -> list[Row]:
    """Return the files that the visitor opened, then what is damaged."""
    files = [Row(not is_open(entry), partial(_file_row, entry)) for entry in reversed(saved_files().entries())]
    return files + [Row(True, partial(_damaged_row, broken)) for broken in registry().damaged(visitor.owner())]


def line_of(entry_id: str) -> DeltaGenerator:
    """Draw the container of one run or file; on a phone its buttons stand below its names."""
    return st.container(horizontal=True, vertical_alignment="center", key=f"run_{entry_id}")


def _file_row(entry: Entry) -> None:
    shown = is_open(entry)
    values = {"size": entry.vocab_size, "date": formatting.dated(entry.created)}
    if kind := trained_here_as(entry):
        said = t("runs.trained_here", kind=kind, **values)
    elif entry.pattern in SPLIT_PATTERNS:
        said = t("runs.file", pattern=shortened(pattern_name(entry.pattern)), **values)
    else:  # a pattern that came with the file, or none
        said = t("runs.file_plain", **values)
    with line_of(entry.id):
        st.markdown(":material/description:", width="content")
        with st.container(width="stretch", gap=None):
            st.markdown(f"**{as_name(file_title(entry))}**")
            st.caption(f"{said} · {t('runs.file_open')}" if shown else said)
        st.button(t("runs.open"), on_click=_open, args=(entry,), key=f"open_{entry.id}", disabled=shown)
        with st.popover(t("runs.more"), icon=":material/more_horiz:", key=f"more_{entry.id}"):
            rename_box(entry.id, entry.name, file_title(entry), _rename)
            delete_button(entry.id)


def _damaged_row(broken: Damaged) -> None:
    with line_of(broken.id):
        st.markdown(":material/broken_image:", width="content")
        with st.container(width="stretch", gap=None):
            st.markdown(f"**{t('runs.damaged')}** `{broken.id}`")
            size = formatting.kilobytes(broken.size, exact_below=10_000)
            st.caption(t("runs.damaged_says", kilobytes=size, date=formatting.dated(broken.created)))
        delete_button(broken.id)


def rename_box(entry_id: str, name: str, title: str, rename: Callable[[str, str], None]) -> None:
    """Draw the box for the name of a run or a file; `title` is what it is called without one."""
    box = Value(f"name_{entry_id}", str)
    st.text_input(
        t("runs.rename"),
        value=name,
        placeholder=title,
        max_chars=MAX_NAME,
        key=box.key,
        on_change=lambda: rename(entry_id, " ".join(box.get().split())[:MAX_NAME]),
    )


def delete_button(entry_id: str) -> None:
    """Draw the button that deletes a run, a file or a damaged entry."""
    st.button(
        t("runs.delete"),
        icon=":material/delete:",
        on_click=_delete,
        args=(entry_id,),
        key=f"delete_{entry_id}",
    )


def _delete(entry_id: str) -> None:
    """Delete a run, a file or a damaged entry; show the settings if it was the visitor's current run."""

    def delete() -> None:
        registry().delete(visitor.owner(), entry_id)
        visitor.drop_job(entry_id)

    _attempt(delete)


def _open(entry: Entry) -> None:
    _attempt(lambda: open_kept(entry))


def _rename(entry_id: str, name: str) -> None:
    saved = registry().saved
    if saved is not None:
        _attempt(lambda: saved.rename(visitor.owner(), entry_id, name))


def _attempt(change: Callable[[], None]) -> None:
    """Change something, and draw the page anew; keep an error, to be shown above the list until the next click."""
    keys.KEPT_FAILURE.forget()
    try:
        change()
    except TokenizerError as error:
        keys.KEPT_FAILURE.put(error.bare())
    keys.RUN_OPENED.put(True)
