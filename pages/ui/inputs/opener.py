"""The picker of tokenizers on every page: what this machine has, a model's name, or a file; and what is open."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.i18n import as_name, error_sentence, names, t
from pages.ui.inputs.models_by_name import LINKED, NAME, offer_models
from pages.ui.inputs.opened_files import (
    OPENED_FILES,
    REPAIRED,
    OpenedFile,
    close_file,
    keep_file,
    open_file,
    rename_file,
    saved_files,
)
from pages.ui.inputs.tokenizers import kind_of, origin_of
from pages.ui.limits import MAX_OPENED_FILES
from pages.ui.session import Maybe, Value, one_of, remembered
from pages.ui.widgets.controls import fold, popover
from tokenizer_core.analysis.entries import vocab_size_with_special
from tokenizer_core.errors import SavedRunsError, TokenizerError
from tokenizer_core.interop.limits import MAX_FILE_BYTES
from tokenizer_core.interop.opening import in_groups
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS

SHOWN_REFUSALS = 3
MOST_OF_NAME = 60
REPAIRABLE = ("special_token_id_taken", "special_token_same_id")


class Refused(NamedTuple):
    """Uploaded files that could not be opened together."""

    ids: tuple[str, ...]
    files: Mapping[str, bytes]
    why: TokenizerError


_FILES: Maybe[list[UploadedFile]] = Maybe("model_file")
"""What the uploader holds: with its files, it stays when the opener closes."""
_READ_FILES: Value[set[str]] = Value("model_files_read", set)
"""The ids of uploaded files that are open or were refused; a file that waits for another one is not among them."""
_REFUSED: Value[list[Refused]] = Value("model_files_refused", list)
"""The uploads that could not be opened, and why."""
_NOT_SAVED: Maybe[SavedRunsError] = Maybe("model_files_not_kept")
"""Why a tokenizer that was opened just now could not be saved."""
_IS_OPEN: Value[bool] = Value("compare_open", bool)
_IS_FOLD_OPEN: Value[bool] = Value("opener_fold", bool)
_IS_DONE: Value[bool] = Value("model_files_done", bool)
"""Whether all that was chosen just now is open, and nothing is left to say about it."""


def tokenizer_opener(*, in_menu: bool = False, on_open: Callable[[str], None] = lambda choice: None) -> None:
    """Draw the button that opens tokenizers; it closes once their lanes can be seen.

    In a menu, which pops up itself, it folds out. `on_open` gets the choice of each that was opened just now.
    """
    is_open, draw = (_IS_FOLD_OPEN, fold) if in_menu else (_IS_OPEN, popover)
    if _IS_DONE.take():
        is_open.put(False)
    with draw(t("compare.open"), icon=":material/add:", key=is_open.key):
        if (file := offer_models(is_shown=is_open.get())) is not None:
            _IS_DONE.put(not file.opened.needs_pattern)
            on_open(file.key)
            st.rerun()
        if is_open.get() or _FILES.get():
            _open_tokenizers(on_open)


def say_what_is_linked() -> None:
    """Say which models of an opened link are not open, and offer to look for them."""
    are_open = {file.model.name for file in OPENED_FILES.get() if file.model}
    for name in LINKED.get()[:SHOWN_REFUSALS]:
        if name.partition("@")[0] not in are_open:
            st.info(t("models.linked", name=as_name(name)), icon=":material/link:")
            st.button(
                t("models.look"), icon=":material/search:", key=f"linked_{name}", on_click=_look, args=(name,)
            )


def _look(name: str) -> None:
    NAME.put(name)
    _IS_OPEN.put(True)


def _open_tokenizers(on_open: Callable[[str], None]) -> None:
    """Draw an uploader for the files of tokenizers; say what was opened, and above it what is wrong."""
    said = st.container()
    uploads = st.file_uploader(
        t("compare.open_label", limit=MAX_FILE_BYTES // 2**20, most=MAX_OPENED_FILES),
        key=_FILES.key,
        accept_multiple_files=True,
    )
    listed = {upload.file_id for upload in uploads}
    _REFUSED.put([refused for refused in _REFUSED.get() if listed.issuperset(refused.ids)])
    if fresh := [upload for upload in uploads if upload.file_id not in _READ_FILES.get()]:
        known = {file.key for file in OPENED_FILES.get()}
        with st.spinner(t("compare.opening")):
            _open(fresh)
        new = [file for file in OPENED_FILES.get() if file.key not in known]
        asks = any(file.opened.needs_pattern for file in new)
        _IS_DONE.put(bool(new) and not (asks or _REFUSED.get() or _NOT_SAVED.get()))
        for file in new:
            on_open(file.key)
        st.rerun()
    first, rest = _REFUSED.get()[:SHOWN_REFUSALS], _REFUSED.get()[SHOWN_REFUSALS:]
    with said:
        for refused in first:
            _say(refused)
        if rest:
            with fold(t("compare.more_refused", count=len(rest)), key="more_refused", icon=":material/error:"):
                for refused in rest:
                    _say(refused)
    if (trouble := _NOT_SAVED.get()) is not None:
        st.warning(t("compare.not_kept", why=error_sentence(trouble)), icon=":material/save:")
    for file in OPENED_FILES.get():
        _row(file)


def _open(uploads: Sequence[UploadedFile]) -> None:
    """Open new uploads, together with those that waited for another file.

    Whoever closes the opener meanwhile ends this run; the next one finds the uploads as new as they were.
    """
    waiting = [refused for refused in _REFUSED.get() if refused.why.code == "file_needs_both"]
    ids = {name: file_id for refused in waiting for name, file_id in zip(refused.files, refused.ids, strict=True)}
    contents = [(name, content) for refused in waiting for name, content in refused.files.items()]
    for upload in uploads:
        ids[upload.name] = upload.file_id
        contents.append((upload.name, upload.getvalue()))
    for files in in_groups(contents):
        _open_together(files, tuple(ids[name] for name in files))
    _REFUSED.put([refused for refused in _REFUSED.get() if all(refused is not each for each in waiting)])
    _READ_FILES.get().update(upload.file_id for upload in uploads)


def _open_together(files: Mapping[str, bytes], ids: tuple[str, ...], **options: str) -> None:
    """Open and save the tokenizer of files that belong together; or remember why they are refused."""
    saved = saved_files()
    try:
        opened = open_file(files, repair="repair" in options)
        keep_file(opened)
        saved.store(opened, files, **options)
        _NOT_SAVED.put(saved.trouble)
    except TokenizerError as error:
        kept = files if error.code in ("file_needs_both", *REPAIRABLE) else dict.fromkeys(files, b"")
        _REFUSED.put([*_REFUSED.get(), Refused(ids, kept, error.bare())])


def _say(refused: Refused) -> None:
    """Say why files could not be opened; offer to repair what can be repaired."""
    called = ", ".join(map(as_name, refused.files))
    st.error(f"{called} – {error_sentence(refused.why)}", icon=":material/error:")
    if refused.why.code in REPAIRABLE:
        st.button(
            t("compare.repair"),
            icon=":material/build:",
            key=f"repair_{'_'.join(refused.ids)}",
            on_click=_repair,
            args=(refused.ids,),
        )


# Callbacks take names of files, not files: Streamlit keeps the arguments of all widgets until the session ends.


def _repair(ids: tuple[str, ...]) -> None:
    refused = next((each for each in _REFUSED.get() if each.ids == ids), None)
    if refused is not None:
        _REFUSED.put([each for each in _REFUSED.get() if each is not refused])
        _open_together(refused.files, ids, repair=REPAIRED)


def _row(file: OpenedFile) -> None:
    """Say what an opened tokenizer is; let the visitor name and close it, and choose a pattern that it lacks."""
    opened = file.opened
    with st.container(border=True, key=f"opened_{opened.digest[:12]}"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            box = f"name_file_{opened.digest[:12]}"
            st.text_input(
                t("compare.name"),
                key=remembered(box, file.name),
                max_chars=MOST_OF_NAME,
                on_change=_rename,
                args=(file.key, box),
            )
            st.button(
                t("compare.close"),
                icon=":material/close:",
                key=f"close_{opened.digest[:12]}",
                on_click=close_file,
                args=(file.key,),
            )
        special = len(opened.tokenizer.special_tokens)
        words = "compare.opened_special" if special else "compare.opened"
        said = t(words, size=vocab_size_with_special(opened.tokenizer), special=special)
        st.caption(f"{kind_of(opened)} · {said} · {', '.join(map(as_name, opened.files))}")
        for sentence in origin_of(file, as_name):
            st.caption(sentence)
        if opened.needs_pattern:
            _choose_pattern(file)
        for remark in opened.remarks:
            st.caption(error_sentence(remark))


def _rename(file_key: str, box: str) -> None:
    """Take over the name that the visitor typed; show in its box what came of it."""
    name = rename_file(file_key, " ".join((Maybe[str](box).get() or "").split()))
    Maybe[str](box).put(name)


def _choose_pattern(file: OpenedFile) -> None:
    own = getattr(file.opened.tokenizer, "pattern", "")
    current = file.pattern or next(
        (name for name, source in SPLIT_PATTERNS.items() if own in (name, source)), "cl100k"
    )
    key = f"opened_pattern_{file.opened.digest[:12]}"
    st.selectbox(
        t("compare.pattern_of_file"),
        list(SPLIT_PATTERNS),
        format_func=names("pattern.{}_name", SPLIT_PATTERNS),
        key=one_of(key, list(SPLIT_PATTERNS), current),
        on_change=_use_pattern,
        args=(file.key, key),
        width=340,
    )


def _use_pattern(file_key: str, key: str) -> None:
    """Open the same files with the pattern that the visitor chose."""
    file = next((each for each in OPENED_FILES.get() if each.key == file_key), None)
    if file is None:
        return
    try:
        opened = open_file(file.files, pattern=Maybe[str](key).get())
        changed = replace(opened, name=file.name, model=file.model)
        keep_file(changed, instead_of=file.key)
        if file.model is not None:
            return
        saved = saved_files()
        saved.store_instead(changed, file.files, file)
        _NOT_SAVED.put(saved.trouble)
    except TokenizerError as error:
        _REFUSED.put([*_REFUSED.get(), Refused((), dict.fromkeys(file.files, b""), error.bare())])
