"""Uploaded files as a corpus: what was read from each file, and settings to read it differently."""

from collections.abc import Mapping

import streamlit as st

from pages.ui.choices import keys
from pages.ui.choices.corpus import Corpus, openings
from pages.ui.choices.counts_upload import counts_in, pick_counts
from pages.ui.choices.encodings import encoding_picker
from pages.ui.choices.reading_bar import ReadingBar
from pages.ui.choices.upload import CORPUS, MENDED_BY_ENCODING, NOT_GUESSED, Choices, Upload
from pages.ui.choices.upload_report import column_name, listed, say_guessed, say_left_out, show_read
from pages.ui.choices.uploads import forget_what_was_taken_out, say_refused, uploaded
from pages.ui.limits import MAX_CORPUS_BYTES
from pages.ui.widgets.fold import fold
from pages.ui.words import t
from tokenizer_core.errors import CorpusError
from tokenizer_core.jobs.parquet_reader import open_parquet_apart
from tokenizer_core.texts.files import CorpusFile, read_corpus_file
from tokenizer_core.texts.tables import TableReading, Told

Reading = CorpusFile | CorpusError
PLACE, WIDGET = "corpus", "corpus_files"


def pick_upload() -> Corpus | None:
    """Return the uploaded files as a corpus; the session keeps them, because a page change empties an uploader."""
    uploads = st.file_uploader(
        t("corpus.upload_label", limit=MAX_CORPUS_BYTES // 2**20),
        accept_multiple_files=True,
        key=WIDGET,
        on_change=forget_what_was_taken_out,
        args=(PLACE, WIDGET),
    )
    upload = uploaded(PLACE, uploads, CORPUS)
    if upload is None:
        keys.COUNTS.forget()
        return None
    if upload.refusal is not None:
        say_refused(PLACE, upload.refusal)
        return None
    if counted := counts_in(upload):
        return pick_counts(upload, counted[0])
    keys.COUNTS.forget()
    readings = _readings(upload)
    read = [reading for reading in readings.values() if isinstance(reading, CorpusFile)]
    say_left_out(upload.files, readings)
    if not uploads and read:
        st.caption(t("corpus.kept", names=listed([file.name for file in read])))
    show_read(read)
    say_guessed(read)
    _reading_settings(upload, readings)
    if not read:
        return None
    return Corpus(listed([file.name for file in read]), tuple(file.text for file in read))


def _readings(upload: Upload) -> dict[str, Reading]:
    """Read each file as chosen; do not read again what was already read the same way."""
    new = [key for key in upload.files if not upload.is_read(key, upload.choices(key))]
    if new:
        sizes = {key: len(upload.files[key].content) for key in new}
        with st.spinner(t("files.reading")):
            bar = ReadingBar(sum(sizes.values()))
            for key, size in sizes.items():
                _read(upload, key, bar.file(size))
            bar.end()
    return {key: _read(upload, key) for key in upload.files}


def _read(upload: Upload, key: str, told: Told = lambda share: None) -> Reading:
    choices = upload.choices(key)

    def read() -> CorpusFile:
        return read_corpus_file(
            upload.files[key],
            encoding=choices.encoding,
            columns=choices.columns,
            header=choices.header,
            max_bytes=MAX_CORPUS_BYTES,
            parquet=open_parquet_apart,
            told=told,
        )

    reading: Reading = upload.read(key, choices, read)
    return reading


# ---- how a file is read


def _reading_settings(upload: Upload, readings: Mapping[str, Reading]) -> None:
    """Draw the settings of one file: encoding, columns and first line; at first of a file that needs a check."""
    changeable = [key for key, reading in readings.items() if _is_changeable(reading)]
    if not changeable:
        return
    doubtful = [key for key in changeable if _is_doubtful(readings[key])]
    touched = any(upload.choices(key) != Choices() for key in changeable)
    expanded = bool(doubtful) or touched or (len(changeable) == 1 and _is_table(readings[changeable[0]]))
    with fold(
        t("files.how_read"),
        icon=":material/tune:",
        is_open=expanded,
        key=f"files_how_read_{expanded}_{len(changeable)}",
    ):
        key = changeable[0]
        if len(changeable) > 1:
            names = {key: upload.files[key].name for key in changeable}
            key = _file_picker(names, (doubtful or changeable)[0])
        _settings_of(upload, key, readings[key], shows_opening=len(changeable) > 1)


def _is_changeable(reading: Reading) -> bool:
    return isinstance(reading, CorpusFile) or reading.code in MENDED_BY_ENCODING


def _is_doubtful(reading: Reading) -> bool:
    if isinstance(reading, CorpusError):
        return reading.code in NOT_GUESSED
    return reading.is_guess or bool(reading.table and reading.table.skipped_rows)


def _is_table(reading: Reading) -> bool:
    return isinstance(reading, CorpusFile) and reading.table is not None


def _file_picker(names: Mapping[str, str], first: str) -> str:
    """Let the visitor pick a file; a page change resets the widget, so the session keeps the choice."""
    known = keys.LOOKED_AT.get()
    keys.FILE.put(known if known in names else first)
    chosen = st.selectbox(
        t("files.which"),
        list(names),
        format_func=names.__getitem__,
        key=keys.FILE.key,
        on_change=lambda: keys.LOOKED_AT.put(keys.FILE.get()),
    )
    return chosen or first


def _settings_of(upload: Upload, key: str, reading: Reading, *, shows_opening: bool) -> None:
    choices = upload.choices(key)
    if isinstance(reading, CorpusError):
        _pick_encoding(upload, key, choices.encoding)
        if choices.header is not None:
            _pick_header(upload, key, choices.header)
        return
    if reading.encoding is not None:
        _pick_encoding(upload, key, choices.encoding or reading.encoding)
    if reading.table is not None:
        _pick_columns(upload, key, reading.table)
        if reading.table.header is not None:
            _pick_header(upload, key, reading.table.header)
    if shows_opening and reading.text:
        st.code(openings([reading.text]), language=None, wrap_lines=True)


def _pick_encoding(upload: Upload, key: str, current: str | None) -> None:
    choose = upload.chooser(key)
    encoding_picker(f"corpus_encoding_{key}", current, lambda encoding: choose(encoding=encoding, columns=None))


def _pick_columns(upload: Upload, key: str, table: TableReading) -> None:
    widget, choose = keys.widget(f"corpus_columns_{key}"), upload.chooser(key)

    def choose_columns() -> None:
        if chosen := widget.get():  # keep the last column: without one there is no text
            choose(columns=tuple(chosen))

    widget.put(list(table.chosen))
    st.multiselect(
        t("files.columns"),
        table.columns,
        format_func={column: column_name(table, column) for column in table.columns}.__getitem__,
        key=widget.key,
        on_change=choose_columns,
        help=t("files.columns_help"),
        placeholder=t("streamlit.choose"),
    )


def _pick_header(upload: Upload, key: str, current: bool) -> None:
    widget, choose = keys.widget(f"corpus_header_{key}"), upload.chooser(key)
    widget.put(current)
    st.toggle(t("files.header"), key=widget.key, on_change=lambda: choose(header=widget.get(), columns=None))
