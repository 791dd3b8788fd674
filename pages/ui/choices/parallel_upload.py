"""Uploaded parallel texts: files aligned line by line, or a table with a language in each column."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from pages.ui.choices.corpus import openings
from pages.ui.choices.encodings import encoding_picker
from pages.ui.choices.upload import MENDED_BY_ENCODING, Choices, Upload
from pages.ui.choices.uploads import say_refused
from pages.ui.words import as_plain_markdown, error_sentence, t
from tokenizer_core.errors import CorpusError
from tokenizer_core.jobs.parquet_reader import open_parquet_apart
from tokenizer_core.texts.files import table_kind
from tokenizer_core.texts.parallel import MAX_LANGUAGES, Parallel, read_parallel

READING = "parallel"
"""The key under which an upload keeps what was read from all its files together."""


def read_uploaded(upload: Upload, *, place: str, max_bytes: int) -> Parallel | None:
    """Read the files of an upload as parallel texts; return None, with the reason on the page, if that fails.

    The visitor can change a guessed encoding and, for a table, its columns and the meaning of its first line.
    """
    if upload.refusal is not None:
        say_refused(place, upload.refusal)
        return None
    reading = _read(upload, max_bytes)
    if isinstance(reading, CorpusError):
        st.error(_refused(upload, reading), icon=":material/error:")
        _pick_encodings(upload, reading, place)
        return None
    _pick_encodings(upload, reading, place)
    return _as_chosen(upload, reading, place, max_bytes) if is_table(upload) else reading


def is_table(upload: Upload) -> bool:
    """Tell whether the upload is one table."""
    files = list(upload.files.values())
    return len(files) == 1 and table_kind(files[0].name) is not None


def _read(upload: Upload, max_bytes: int) -> Parallel | CorpusError:
    """Read the files as chosen, once; then drop the bytes of files that need no other reading."""
    choices = tuple(upload.choices(key) for key in upload.files)
    is_new = not upload.is_read(READING, choices)
    reading: Parallel | CorpusError = upload.read(READING, choices, lambda: _read_as(upload, choices, max_bytes))
    if is_new and not is_table(upload) and not _doubtful(upload, reading):
        upload.drop_contents()
    return reading


def _read_as(upload: Upload, choices: Sequence[Choices], max_bytes: int) -> Parallel:
    with st.spinner(t("files.reading")):
        return read_parallel(
            list(upload.files.values()),
            header=choices[0].header,
            columns=choices[0].columns,
            encoding=[each.encoding for each in choices],
            max_bytes=max_bytes,
            parquet=open_parquet_apart,
        )


def _refused(upload: Upload, refusal: CorpusError) -> str:
    """Say why nothing can be compared, with the name of the file if it is known."""
    sentence = error_sentence(refusal)
    names = [file.name for file in upload.files.values()]
    file = refusal.values.get("file") or (names[0] if len(names) == 1 else None)
    return f"{as_plain_markdown(file)} – {sentence}" if file else sentence


def _doubtful(upload: Upload, reading: Parallel | CorpusError) -> list[str]:
    """Return the keys of files that may have another encoding."""
    if isinstance(reading, Parallel):
        names = [guess.name for guess in reading.guesses]
    else:
        first = next(iter(upload.files.values())).name
        mended = reading.code in MENDED_BY_ENCODING
        names = [str(reading.values.get("file", first))] if mended else []
    return [key for key, file in upload.files.items() if upload.choices(key).encoding or file.name in names]


def _pick_encodings(upload: Upload, reading: Parallel | CorpusError, place: str) -> None:
    """Draw an encoding picker for each doubtful file, and the beginning of its text in that encoding."""
    guesses = reading.guesses if isinstance(reading, Parallel) else ()
    guessed = {guess.name: guess.encoding for guess in guesses}
    order = list(upload.files)
    for key in _doubtful(upload, reading):
        name = upload.files[key].name

        choose = partial(_choose, upload.chooser(key))

        encoding_picker(
            f"{place}_encoding_{upload.ids[0]}_{order.index(key)}",
            upload.choices(key).encoding or guessed.get(name),
            choose,
            label=t("languages.encoding", name=as_plain_markdown(name)),
        )
        if isinstance(reading, Parallel):
            st.text(openings([reading.texts[0 if is_table(upload) else order.index(key)]]))


def _choose(chosen: Callable[..., None], encoding: str | None) -> None:
    chosen(encoding=encoding, columns=None)


def _as_chosen(upload: Upload, parallel: Parallel, place: str, max_bytes: int) -> Parallel | None:
    """Read a table as chosen: whether its first line names the columns, and which columns are languages."""
    (key,) = upload.files

    def again(header: bool | None, columns: Sequence[str] | None) -> Parallel:
        """Read the table with another choice; keep the choice if the table can be read that way."""
        chosen = replace(upload.choices(key), header=header, columns=None if columns is None else tuple(columns))
        reading = _read_as(upload, [chosen], max_bytes)
        upload.choose(key, chosen)
        upload.read(READING, (chosen,), lambda: reading)
        return reading

    try:
        header = _pick_header(upload, parallel, place)
        if header != _header_of(parallel):
            parallel = again(header, None)
        columns = _pick_columns(upload, parallel, header, place)
        if set(columns) != set(parallel.names):
            parallel = again(header, columns)
    except CorpusError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return None
    return parallel


def _header_of(parallel: Parallel) -> bool | None:
    return parallel.table.header if parallel.table else None


def _pick_header(upload: Upload, parallel: Parallel, place: str) -> bool | None:
    header = _header_of(parallel)
    if header is None:
        return None
    return st.checkbox(
        t("files.header"), value=header, key=f"{place}_header_{upload.ids[0]}", persist_state="session"
    )


def _pick_columns(upload: Upload, parallel: Parallel, header: bool | None, place: str) -> list[str]:
    assert parallel.table is not None
    (choices,) = (upload.choices(key) for key in upload.files)
    return st.multiselect(
        t("languages.columns"),
        parallel.table.columns,
        default=list(parallel.names),
        max_selections=MAX_LANGUAGES,
        placeholder=t("streamlit.choose"),
        key=f"{place}_columns_{header}_{choices.encoding}_{upload.ids[0]}",
        persist_state="session",
    )
