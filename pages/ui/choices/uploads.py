"""Uploads by the place where they were made; the session keeps them, because a page change empties an uploader."""

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.choices import keys
from pages.ui.choices.upload import Limits, Upload, unpacked
from pages.ui.words import t


def uploaded(place: str, uploads: Sequence[UploadedFile], limits: Limits) -> Upload | None:
    """Return what an uploader holds, or held before a page change emptied it; None before the first upload."""
    known = keys.upload(place).get()
    ids = tuple(upload.file_id for upload in uploads)
    if not ids or (known and known.ids == ids):
        return known
    with st.spinner(t("files.reading")):
        upload = unpacked(ids, uploads, known, limits)
    keys.upload(place).put(upload)
    return upload


def forget_what_was_taken_out(place: str, widget: str) -> None:
    """Forget an upload if the visitor has removed all its files; an uploader calls this after a change."""
    if not keys.widget(widget).get():
        keys.upload(place).forget()


def forget(place: str) -> None:
    """Forget what was uploaded at a place."""
    keys.upload(place).forget()
