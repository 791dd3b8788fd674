"""Uploaded files as a corpus: what was read from each file, and settings to read it differently."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import pandas as pd
import streamlit as st

from pages.ui.i18n import as_plain_markdown, error_sentence, t
from pages.ui.inputs.corpus import Corpus, openings
from pages.ui.inputs.counts_upload import COUNTS, pick_counts
from pages.ui.inputs.uploads import (
    CORPUS,
    MENDED_BY_ENCODING,
    NOT_GUESSED,
    Choices,
    ReadingBar,
    Upload,
    encoding_name,
    encoding_picker,
    file_picker,
    listed,
    show_refusal,
)
from pages.ui.limits import MAX_CORPUS_BYTES
from pages.ui.session import Maybe
from pages.ui.widgets.controls import fold
from pages.ui.widgets.figures_table import figures_table
from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.archives import PackedFile
from tokenizer_core.readers.files import CorpusFile, read_corpus_file
from tokenizer_core.readers.tables import TableReading, Told
from tokenizer_core.workers.counts_reader import is_counts
from tokenizer_core.workers.parquet_reader import open_parquet_apart

Reading = CorpusFile | CorpusError
PLACE = "corpus"
_SHOWN_FILE: Maybe[str] = Maybe("corpus_shown_file")
"""The uploaded file whose settings are shown; stored here because a page change resets its widget."""
_FILE: Maybe[str] = Maybe("corpus_file")
MAX_SHOWN = 10
"""Files listed as read; the page only counts the others."""
MAX_NAMED = 4


def pick_upload() -> Corpus | None:
    """Return the uploaded files as a corpus; the session keeps them, because a page change empties an uploader."""
    label = t("corpus.upload_label", limit=MAX_CORPUS_BYTES // 2**20)
    upload, is_listed = file_picker(PLACE, label, CORPUS)
    if upload is None:
        COUNTS.forget()
        return None
    if upload.refusal is not None:
        show_refusal(PLACE, upload.refusal)
        return None
    for key, file in upload.files.items():
        if is_counts(file.name, file.content):
            return pick_counts(upload, key)
    COUNTS.forget()
    readings = _readings(upload)
    read = [reading for reading in readings.values() if isinstance(reading, CorpusFile)]
    _show_left_out(upload.files, readings)
    if not is_listed and read:
        st.caption(t("corpus.kept", names=listed([file.name for file in read])))
    _show_read(read)
    _show_guessed(read)
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


def _read(upload: Upload, key: str, progress: Told = lambda share: None) -> Reading:
    choices, file = upload.choices(key), upload.files[key]
    reading: Reading = upload.read(
        key,
        choices,
        lambda: read_corpus_file(
            file, **asdict(choices), max_bytes=MAX_CORPUS_BYTES, parquet=open_parquet_apart, told=progress
        ),
    )
    return reading


# ---- how a file is read


def _reading_settings(upload: Upload, readings: Mapping[str, Reading]) -> None:
    """Draw the settings of one file: encoding, columns and first line; at first of a file that needs a check."""
    changeable = [
        key
        for key, reading in readings.items()
        if isinstance(reading, CorpusFile) or reading.code in MENDED_BY_ENCODING
    ]
    if not changeable:
        return
    doubtful = [key for key in changeable if _is_doubtful(readings[key])]
    touched = any(upload.choices(key) != Choices() for key in changeable)
    first = readings[changeable[0]]
    is_one_table = len(changeable) == 1 and isinstance(first, CorpusFile) and first.table is not None
    expanded = bool(doubtful) or touched or is_one_table
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


def _is_doubtful(reading: Reading) -> bool:
    if isinstance(reading, CorpusError):
        return reading.code in NOT_GUESSED
    return reading.is_guess or bool(reading.table and reading.table.skipped_rows)


def _file_picker(names: Mapping[str, str], first: str) -> str:
    """Let the visitor pick a file; a page change resets the widget, so the session keeps the choice."""
    known = _SHOWN_FILE.get()
    _FILE.put(known if known in names else first)
    chosen = st.selectbox(
        t("files.which"),
        list(names),
        format_func=names.__getitem__,
        key=_FILE.key,
        on_change=lambda: _SHOWN_FILE.put(_FILE.get()),
    )
    return chosen or first


def _settings_of(upload: Upload, key: str, reading: Reading, *, shows_opening: bool) -> None:
    choices = upload.choices(key)
    if isinstance(reading, CorpusError):
        encoding_picker(f"corpus_encoding_{key}", upload, key, choices.encoding)
        if choices.header is not None:
            _pick_header(upload, key, choices.header)
        return
    if reading.encoding is not None:
        encoding_picker(f"corpus_encoding_{key}", upload, key, choices.encoding or reading.encoding)
    if reading.table is not None:
        _pick_columns(upload, key, reading.table)
        if reading.table.header is not None:
            _pick_header(upload, key, reading.table.header)
    if shows_opening and reading.text:
        st.code(openings([reading.text]), language=None, wrap_lines=True)


def _pick_columns(upload: Upload, key: str, table: TableReading) -> None:
    widget, choose = Maybe[list[str]](f"corpus_columns_{key}"), upload.chooser(key)

    def choose_columns() -> None:
        if chosen := widget.get():  # keep the last column: without one there is no text
            choose(columns=tuple(chosen))

    widget.put(list(table.chosen))
    st.multiselect(
        t("files.columns"),
        table.columns,
        format_func={column: _column_name(table, column) for column in table.columns}.__getitem__,
        key=widget.key,
        on_change=choose_columns,
        help=t("files.columns_help"),
        placeholder=t("streamlit.choose"),
    )


def _pick_header(upload: Upload, key: str, current: bool) -> None:
    widget, choose = Maybe[bool](f"corpus_header_{key}"), upload.chooser(key)
    widget.put(current)
    st.toggle(t("files.header"), key=widget.key, on_change=lambda: choose(header=widget.get(), columns=None))


# ---- what was read


def _show_left_out(files: Mapping[str, PackedFile], readings: Mapping[str, CorpusFile | CorpusError]) -> None:
    """Show each reason why files are left out, with their names."""
    names: dict[str, list[str]] = {}
    for key, reading in readings.items():
        if isinstance(reading, CorpusError):
            names.setdefault(error_sentence(reading), []).append(as_plain_markdown(files[key].name))
    goes_on = any(isinstance(reading, CorpusFile) for reading in readings.values())
    say, icon = (st.warning, ":material/warning:") if goes_on else (st.error, ":material/error:")
    for sentence, left_out in list(names.items())[:MAX_SHOWN]:
        first = ", ".join(left_out[:MAX_NAMED])
        if len(left_out) > MAX_NAMED:
            first = t("files.and_more", names=first, count=len(left_out) - MAX_NAMED)
        say(f"{first} – {sentence}", icon=icon)
    if len(names) > MAX_SHOWN:
        say(t("files.more_left_out", count=sum(map(len, list(names.values())[MAX_SHOWN:]))), icon=icon)


def _show_guessed(files: Sequence[CorpusFile]) -> None:
    """Show which files have a guessed encoding, because they do not state it."""
    guessed = [file for file in files if file.is_guess]
    sentence = t("files.guessed", count=len(guessed))
    if len(guessed) == 1:
        name, encoding = as_plain_markdown(guessed[0].name), encoding_name(guessed[0].encoding or "")
        sentence = t("corpus.guessed", name=name, encoding=encoding)
    if guessed:
        st.info(sentence, icon=":material/help:")


def _show_read(files: Sequence[CorpusFile]) -> None:
    """Draw a row for each file, and report the broken rows of tables."""
    if not files:
        return
    heads = [t(f"files.head_{head}") for head in ("name", "kind", "characters", "read_as")]
    rows = [
        [file.name, t(f"files.kind_{file.kind}"), len(file.text), _read_as(file)] for file in files[:MAX_SHOWN]
    ]
    figures_table(pd.DataFrame(rows, columns=heads), t("files.how_read"), words=(0, 1, 3))
    if more := files[MAX_SHOWN:]:
        characters = sum(len(file.text) for file in more)
        st.caption(t("files.more_read", count=len(more), characters=characters))
    skipped = [(file.name, file.table) for file in files if file.table and file.table.skipped_rows]
    for name, table in skipped[:MAX_NAMED]:
        values = {"name": as_plain_markdown(name), "count": table.skipped_rows, "line": table.first_skipped}
        st.warning(t("files.skipped", **values), icon=":material/warning:")
    if rest := skipped[MAX_NAMED:]:
        count = sum(table.skipped_rows for _, table in rest)
        st.warning(t("files.skipped_more", files=len(rest), count=count), icon=":material/warning:")


def _read_as(file: CorpusFile) -> str:
    """Return the chosen columns of a table, or the encoding of a text."""
    if (table := file.table) is None:
        return encoding_name(file.encoding or "")
    return ", ".join(_column_name(table, each) for each in table.chosen)


def _column_name(table: TableReading, column: str) -> str:
    """Return the name of a column, or its number if the table has no header."""
    return t("files.column", number=column) if table.header is False else column
