"""Uploads by the place they were made at: kept in the session, for an uploader forgets on a page change."""

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.choices import keys
from pages.ui.choices.upload import Limits, Upload, unpacked
from pages.ui.words import t


def uploaded(place: str, uploads: Sequence[UploadedFile], limits: Limits) -> Upload | None:
    """What an uploader holds, or what it held last where a page change made it forget; None before that."""
    known = keys.upload(place).get()
    ids = tuple(upload.file_id for upload in uploads)
    if not ids or (known and known.ids == ids):
        return known
    with st.spinner(t("files.reading")):
        upload = unpacked(ids, uploads, known, limits)
    keys.upload(place).put(upload)
    return upload


def forget_what_was_taken_out(place: str, widget: str) -> None:
    """In a callback of an uploader: files that were taken out by hand are not kept."""
    if not keys.widget(widget).get():
        keys.upload(place).forget()


def forget(place: str) -> None:
    """Drop what was uploaded at a place."""
    keys.upload(place).forget()
