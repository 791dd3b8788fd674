"""Open tokenizers from the visitor's files, of any known format, and list those that are open."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.choices.kept_files import REPAIRED, Shelf
from pages.ui.choices.keys import OPENED_FILES, close_file, keep_file, widget
from pages.ui.choices.opened_files import OpenedFile, open_file
from pages.ui.choices.tokenizers import kind_of
from pages.ui.compare import keys
from pages.ui.compare.keys import Refused
from pages.ui.limits import MAX_OPENED_FILES
from pages.ui.session import one_of
from pages.ui.shell.uploads import refusal_of
from pages.ui.widgets.fold import fold
from pages.ui.words import as_name, error_sentence, names, t
from tokenizer_core.errors import TokenizerError
from tokenizer_core.formats.json_files import MAX_FILE_BYTES
from tokenizer_core.formats.opening import NEEDS_PATTERN, in_groups
from tokenizer_core.measures.ratios import token_total
from tokenizer_core.patterns import SPLIT_PATTERNS

SHOWN_REFUSALS = 3
REPAIRABLE = ("special_token_id_taken", "special_token_same_id")


def open_tokenizers() -> None:
    """Draw an uploader for the files of tokenizers; say what was opened, and what is wrong with a file."""
    uploads = st.file_uploader(
        t("compare.open_label", limit=MAX_FILE_BYTES // 2**20, most=MAX_OPENED_FILES),
        key="model_file",
        accept_multiple_files=True,
    )
    listed = {upload.file_id for upload in uploads}
    keys.REFUSED.put([refused for refused in keys.REFUSED.get() if listed.issuperset(refused.ids)])
    if fresh := [upload for upload in uploads if upload.file_id not in keys.READ_FILES.get()]:
        with st.spinner(t("compare.opening")):
            _open(fresh)
        st.rerun()
    first, rest = keys.REFUSED.get()[:SHOWN_REFUSALS], keys.REFUSED.get()[SHOWN_REFUSALS:]
    for refused in first:
        _say(refused)
    if rest:
        with fold(t("compare.more_refused", count=len(rest)), key="more_refused", icon=":material/error:"):
            for refused in rest:
                _say(refused)
    if (trouble := keys.NOT_KEPT.get()) is not None:
        st.warning(t("compare.not_kept", why=error_sentence(trouble)), icon=":material/save:")
    for file in OPENED_FILES.get():
        _row(file)


def _open(uploads: Sequence[UploadedFile]) -> None:
    """Open new uploads, together with those that waited for another file."""
    waiting = [refused for refused in keys.REFUSED.get() if refused.why.code == "file_needs_both"]
    ids = {name: file_id for refused in waiting for name, file_id in zip(refused.files, refused.ids, strict=True)}
    contents = [(name, content) for refused in waiting for name, content in refused.files.items()]
    still = [refused for refused in keys.REFUSED.get() if refused not in waiting]
    for upload in uploads:
        keys.READ_FILES.get().add(upload.file_id)
        if (refusal := refusal_of(upload.type)) is not None:
            still.append(Refused((upload.file_id,), {upload.name: b""}, refusal))
            continue
        ids[upload.name] = upload.file_id
        contents.append((upload.name, upload.getvalue()))
    shelf = Shelf.of_visitor()
    for files in in_groups(contents):
        try:
            opened = open_file(files)
            keep_file(opened)
            shelf.store(opened, files)
        except TokenizerError as error:
            kept = files if error.code in ("file_needs_both", *REPAIRABLE) else dict.fromkeys(files, b"")
            still.append(Refused(tuple(ids[name] for name in files), kept, error.bare()))
    keys.REFUSED.put(still)
    _note(shelf)


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
    refused = next((each for each in keys.REFUSED.get() if each.ids == ids), None)
    if refused is None:
        return
    left = [each for each in keys.REFUSED.get() if each is not refused]
    try:
        opened = open_file(refused.files, repair=True)
        keep_file(opened)
        shelf = Shelf.of_visitor()
        shelf.store(opened, refused.files, repair=REPAIRED)
        _note(shelf)
    except TokenizerError as error:
        left.append(refused._replace(why=error.bare()))
    keys.REFUSED.put(left)


def _row(file: OpenedFile) -> None:
    """Say what an opened tokenizer is; let the visitor close it, and choose a pattern that its file lacks."""
    opened = file.opened
    with st.container(border=True, key=f"opened_{opened.digest[:12]}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            special = len(opened.tokenizer.special_tokens)
            words = "compare.opened_special" if special else "compare.opened"
            said = t(words, name=as_name(file.name), size=token_total(opened.tokenizer), special=special)
            st.markdown(f"{said} {kind_of(opened)}", width="stretch")
            st.button(
                t("compare.close"),
                icon=":material/close:",
                key=f"close_{opened.digest[:12]}",
                on_click=close_file,
                args=(file.key,),
            )
        if opened.format in NEEDS_PATTERN:
            _choose_pattern(file)
        for remark in opened.remarks:
            st.caption(error_sentence(remark))


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
        changed = replace(open_file(file.files, pattern=widget(key).get()), name=file.name)
        keep_file(changed, instead_of=file.key)
        shelf = Shelf.of_visitor()
        shelf.store_instead(changed, file.files, file)
        _note(shelf)
    except TokenizerError as error:
        keys.REFUSED.put([*keys.REFUSED.get(), Refused((), _empty(file.files), error.bare())])


def _note(shelf: Shelf) -> None:
    """Remember why a tokenizer could not be kept, to be said below the uploader."""
    if shelf.trouble is None:
        keys.NOT_KEPT.forget()
    else:
        keys.NOT_KEPT.put(shelf.trouble)


def _empty(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return dict.fromkeys(files, b"")
