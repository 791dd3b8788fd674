"""Uploads by the place where they were made; the session keeps them, because a page change empties an uploader.

What a visitor's uploads have together, in all tabs, is limited. Only the one that would be too much is refused.
"""

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.choices import keys
from pages.ui.choices.upload import Limits, Upload, unpacked
from pages.ui.choices.upload_report import listed
from pages.ui.limits import MAX_UPLOADS_BYTES
from pages.ui.shell import visitor
from pages.ui.shell.uploads import HELD, drop_raw, uploads_too_large
from pages.ui.words import error_sentence, t
from tokenizer_core.errors import CorpusError

PLACES = ("corpus", "text", "languages", "race")
"""Where files are uploaded to be kept."""


def uploaded(place: str, uploads: Sequence[UploadedFile], limits: Limits) -> Upload | None:
    """Return what an uploader holds, or held before a page change emptied it; None before the first upload.

    An upload that is more than the visitor may hold is returned with the reason; it does not replace the last one.
    """
    known = keys.upload(place).get()
    ids = tuple(upload.file_id for upload in uploads)
    _drop_what_is_not_listed(place, known, ids)
    if not ids or (known and known.ids == ids):
        keys.refused_upload(place).forget()
        return known
    others = HELD.size(visitor.owner(), but=known)
    refused = keys.refused_upload(place).get()
    if refused is not None and refused.ids == ids and others + refused.size > MAX_UPLOADS_BYTES:
        return refused
    with st.spinner(t("files.reading")):
        upload = unpacked(ids, uploads, known, limits)
    if others + upload.size > MAX_UPLOADS_BYTES:
        refused = Upload(ids, refusal=uploads_too_large(others + upload.size), size=upload.size)
        keys.refused_upload(place).put(refused)
        return refused
    HELD.add(visitor.owner(), upload)
    keys.upload(place).put(upload)
    return upload


def say_refused(place: str, refusal: CorpusError) -> None:
    """Say why an upload is refused; if the visitor holds too much, offer to remove what is held elsewhere."""
    st.error(error_sentence(refusal), icon=":material/error:")
    if refusal.code != "uploads_too_large":
        return
    for other in PLACES:
        held = keys.upload(other).get()
        if other != place and held is not None and held.size:
            st.button(
                t(
                    "files.remove",
                    names=listed([file.name for file in held.files.values() if file.refusal is None]),
                    megabytes=f"{held.size / 2**20:,.1f}",
                ),
                icon=":material/delete:",
                key=f"remove_upload_{other}",
                on_click=forget,
                args=(other,),
            )


def forget_what_was_taken_out(place: str, widget: str) -> None:
    """Forget an upload if the visitor has removed all its files; an uploader calls this after a change."""
    if not keys.widget(widget).get() and keys.refused_upload(place).get() is None:
        forget(place)


def forget(place: str) -> None:
    """Forget what was uploaded at a place, and give its memory back."""
    upload = keys.upload(place).get()
    if upload is not None:
        drop_raw(upload.ids)
    keys.upload(place).forget()
    if place == "corpus":
        keys.MIXED.forget()
        for source in ("upload", "mix"):
            keys.CORPORA.get().pop(source, None)


def _drop_what_is_not_listed(place: str, known: Upload | None, ids: Sequence[str]) -> None:
    """Free the bytes of files that this uploader has listed and lists no more, as after a page change."""
    refused = keys.refused_upload(place).get()
    before = {each for upload in (known, refused) if upload is not None for each in upload.ids}
    drop_raw(before.difference(ids))
