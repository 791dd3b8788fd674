"""Uploaded files: unpacked and read once, kept in the session, and read anew where the visitor says how."""

import html
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.choices.corpus import Corpus, openings
from pages.ui.limits import MAX_CORPUS_BYTES, MAX_FILES
from pages.ui.words import as_plain_markdown, error_sentence, section, t
from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.archives import PackedFile, unpack
from tokenizer_core.texts.encodings import CANDIDATE_ENCODINGS, DecodedText, decode_text
from tokenizer_core.texts.files import CorpusFile, read_corpus_file
from tokenizer_core.texts.labels import clean_name
from tokenizer_core.texts.tables import TableReading

MAX_SHOWN = 10
"""Files in the list of what was read; of more it says how many."""
MAX_NAMED = 4
_UNPACKED, _READ, _CHOICES = "corpus_uploads", "corpus_read", "corpus_choices"
MENDED_BY_ENCODING = (
    *("encoding_not_found", "undecodable", "broken_utf8", "cut_off_utf8", "no_rows", "too_many_columns"),
)
"""What another encoding may mend."""
_GUESSES = ("encoding_not_found", "undecodable")


@dataclass(frozen=True)
class Uploads:
    """The files of one upload, unpacked, by a key of each; or why none of them is taken."""

    ids: tuple[str, ...]
    files: Mapping[str, PackedFile] = field(default_factory=dict)
    refusal: CorpusError | None = None


@dataclass(frozen=True)
class Choices:
    """How the visitor wants a file to be read; None is found out."""

    encoding: str | None = None
    columns: tuple[str, ...] | None = None
    header: bool | None = None


Reading = CorpusFile | CorpusError


def pick_upload() -> Corpus | None:
    """The uploaded files as texts; they are kept in the session, for an uploader forgets on a page change."""
    uploads = st.file_uploader(
        t("corpus.upload_label"), accept_multiple_files=True, key="corpus_files", on_change=_forget
    )
    unpacked = _unpacked(uploads)
    if unpacked is None:
        return None
    if unpacked.refusal is not None:
        st.error(error_sentence(unpacked.refusal), icon=":material/error:")
        return None
    readings = _readings(unpacked.files)
    read = {key: reading for key, reading in readings.items() if isinstance(reading, CorpusFile)}
    _say_refused(unpacked.files, readings)
    if not uploads and read:
        st.caption(t("corpus.kept", names=_listed([file.name for file in read.values()])))
    _show_read(list(read.values()))
    _say_guessed(readings)
    _reading_settings(unpacked.files, readings)
    if not read:
        return None
    return Corpus(_listed([file.name for file in read.values()]), tuple(file.text for file in read.values()))


def _forget() -> None:
    """Files were added or taken out by hand: what is kept is made anew from the uploader."""
    if not st.session_state.get("corpus_files"):
        for key in (_UNPACKED, _READ, _CHOICES):
            st.session_state.pop(key, None)


# ---- unpacking and reading, once each


def _unpacked(uploads: Sequence[UploadedFile]) -> Uploads | None:
    """The files of this upload, or of the last one where the uploader has forgotten it."""
    known: Uploads | None = st.session_state.get(_UNPACKED)
    ids = tuple(upload.file_id for upload in uploads)
    if not ids or (known and known.ids == ids):
        return known
    with st.spinner(t("files.reading")):
        unpacked = st.session_state[_UNPACKED] = _unpack(ids, uploads, known.files if known else {})
    return unpacked


def _unpack(ids: tuple[str, ...], uploads: Sequence[UploadedFile], known: Mapping[str, PackedFile]) -> Uploads:
    if len(uploads) > MAX_FILES:
        return Uploads(ids, refusal=_too_many(len(uploads)))
    if (size := sum(upload.size for upload in uploads)) > MAX_CORPUS_BYTES:
        return Uploads(ids, refusal=too_large(size))
    files: dict[str, PackedFile] = {}
    names: dict[str, str] = {}
    for upload in uploads:
        names[upload.file_id] = upload.name
        files |= {key: file for key, file in known.items() if key.startswith(f"{upload.file_id}/")} or {
            f"{upload.file_id}/{number}": file for number, file in enumerate(_files_in(upload))
        }
        if len(files) > MAX_FILES:
            return Uploads(ids, refusal=_too_many(len(files)))
        if (size := sum(len(file.content) for file in files.values())) > MAX_CORPUS_BYTES:
            return Uploads(ids, refusal=too_large(size))
    counts = Counter(file.name for file in files.values())
    return Uploads(
        ids,
        {
            key: file if counts[file.name] == 1 else _with_archive(file, names[key.partition("/")[0]])
            for key, file in files.items()
        },
    )


def _with_archive(file: PackedFile, archive: str) -> PackedFile:
    """A file whose name others have, too: the name of the archive that it came in goes before it."""
    return file if file.name == clean_name(archive) else replace(file, name=clean_name(f"{archive}/{file.name}"))


def _files_in(upload: UploadedFile) -> list[PackedFile]:
    """The files in an upload; one without bytes, but with the reason, where it cannot be unpacked."""
    try:
        return unpack(upload.name, upload.getvalue(), max_bytes=MAX_CORPUS_BYTES, max_files=MAX_FILES)
    except CorpusError as error:
        return [PackedFile(clean_name(upload.name), b"", error.bare())]


def _readings(files: Mapping[str, PackedFile]) -> dict[str, Reading]:
    """Each file as it was chosen to be read; what was read before in the same way is not read again."""
    before: dict[str, tuple[Choices, Reading]] = st.session_state.get(_READ, {})
    now = {key: (_choices(key), before.get(key)) for key in files}
    known = {key: last for key, (choices, last) in now.items() if last is not None and last[0] == choices}
    if len(known) < len(files):
        with st.spinner(t("files.reading")):
            for key in files.keys() - known.keys():
                known[key] = now[key][0], _read(files[key], now[key][0])
    st.session_state[_READ] = {key: known[key] for key in files}
    return {key: known[key][1] for key in files}


def _read(file: PackedFile, choices: Choices) -> Reading:
    try:
        return read_corpus_file(
            file,
            encoding=choices.encoding,
            columns=choices.columns,
            header=choices.header,
            max_bytes=MAX_CORPUS_BYTES,
        )
    except CorpusError as error:
        return error.bare()


def _choices(key: str) -> Choices:
    chosen: dict[str, Choices] = st.session_state.setdefault(_CHOICES, {})
    return chosen.get(key, Choices())


def _choose(key: str, choices: Choices) -> None:
    st.session_state.setdefault(_CHOICES, {})[key] = choices


# ---- what the page says of them


def too_large(size: int) -> CorpusError:
    """The error for texts that are too many bytes together."""
    limit, megabytes = MAX_CORPUS_BYTES // 2**20, round(size / 2**20, 1)
    return CorpusError(
        f"at most {limit} MB are taken; {megabytes} MB came", "corpus_too_large", limit=limit, megabytes=megabytes
    )


def _too_many(files: int) -> CorpusError:
    message = f"at most {MAX_FILES} files at once; {files:,} came"
    return CorpusError(message, "too_many_files", limit=MAX_FILES, files=files)


def _listed(names: Sequence[str]) -> str:
    """The first names, as they may stand in Markdown."""
    return as_plain_markdown(", ".join(name[:60] for name in names[:3])[:120] + (" …" if len(names) > 3 else ""))


def _say_refused(files: Mapping[str, PackedFile], readings: Mapping[str, Reading]) -> None:
    """Each reason why files are left out, with their names."""
    names: dict[str, list[str]] = {}
    for key, reading in readings.items():
        if isinstance(reading, CorpusError):
            names.setdefault(error_sentence(reading), []).append(as_plain_markdown(files[key].name))
    goes_on = any(isinstance(reading, CorpusFile) for reading in readings.values())
    say, icon = (st.warning, ":material/warning:") if goes_on else (st.error, ":material/error:")
    for sentence, left_out in list(names.items())[:MAX_SHOWN]:
        listed = ", ".join(left_out[:MAX_NAMED])
        if len(left_out) > MAX_NAMED:
            listed = t("files.and_more", names=listed, count=len(left_out) - MAX_NAMED)
        say(f"{listed} – {sentence}", icon=icon)
    if len(names) > MAX_SHOWN:
        say(t("files.more_left_out", count=sum(map(len, list(names.values())[MAX_SHOWN:]))), icon=icon)


def _say_guessed(readings: Mapping[str, Reading]) -> None:
    guessed = [reading for reading in readings.values() if isinstance(reading, CorpusFile) and reading.is_guess]
    if not guessed:
        return
    first = guessed[0]
    if len(guessed) == 1:
        encoding = encoding_name(first.encoding or "")
        sentence = t("corpus.guessed", name=as_plain_markdown(first.name), encoding=encoding)
    else:
        sentence = t("files.guessed", count=len(guessed))
    st.info(sentence, icon=":material/help:")


def _show_read(files: Sequence[CorpusFile]) -> None:
    """One line for one file, a list for several."""
    if not files:
        return
    rows = "".join(
        f"<tr><td dir='auto'>{html.escape(file.name)}</td>{_cells(file)}</tr>" for file in files[:MAX_SHOWN]
    )
    heads = "".join(f"<th scope='col'>{html.escape(t(f'files.head_{head}'))}</th>" for head in _HEADS)
    st.html(f"{_STYLE}<table class='corpus-files'><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>")
    if len(files) > MAX_SHOWN:
        more = files[MAX_SHOWN:]
        characters = sum(len(file.text) for file in more)
        st.caption(t("files.more_read", count=len(more), characters=characters))
    skipped = [(file.name, file.table) for file in files if file.table and file.table.skipped_rows]
    for name, table in skipped[:MAX_NAMED]:
        values = {"name": as_plain_markdown(name), "count": table.skipped_rows, "line": table.first_skipped}
        st.warning(t("files.skipped", **values), icon=":material/warning:")
    if len(skipped) > MAX_NAMED:
        rest = skipped[MAX_NAMED:]
        count = sum(table.skipped_rows for _, table in rest)
        st.warning(t("files.skipped_more", files=len(rest), count=count), icon=":material/warning:")


def _cells(file: CorpusFile) -> str:
    cells = [t(f"files.kind_{file.kind}"), f"{len(file.text):,}"]
    if file.table is None:
        cells.append(encoding_name(file.encoding or ""))
    row = "".join(f"<td class='whole'>{html.escape(cell)}</td>" for cell in cells)
    if (table := file.table) is not None:
        row += f"<td dir='auto'>{html.escape(', '.join(_column_name(table, each) for each in table.chosen))}</td>"
    return row


_HEADS = ("name", "kind", "characters", "read_as")
_STYLE = """<style>
.corpus-files { width: 100%; border-collapse: collapse; font-size: .875rem; line-height: 1.6; }
.corpus-files th { font-weight: 400; opacity: .8; text-align: start; }
.corpus-files td, .corpus-files th { padding: .1rem .75rem .1rem 0; vertical-align: top; overflow-wrap: anywhere; }
.corpus-files tr > :nth-child(3) { text-align: end; font-variant-numeric: tabular-nums; }
.corpus-files .whole { white-space: nowrap; }
/* Chosen columns: white on the light teal of the dark scheme would be hard to read. */
[data-testid="stMultiSelectTagsContainer"] [data-tag], [data-testid="stMultiSelectTagsContainer"] [data-tag] * {
  color: light-dark(#ffffff, #04211d);
}
</style>"""


# ---- how a file is read


def _reading_settings(files: Mapping[str, PackedFile], readings: Mapping[str, Reading]) -> None:
    """Encoding, columns and first line of one of the files, at first of one that should be checked."""
    changeable = [key for key, reading in readings.items() if _is_changeable(reading)]
    if not changeable:
        return
    doubtful = [key for key in changeable if _is_doubtful(readings[key])]
    touched = any(_choices(key) != Choices() for key in changeable)
    expanded = bool(doubtful) or touched or (len(changeable) == 1 and _is_table(readings[changeable[0]]))
    with st.expander(t("files.how_read"), icon=":material/tune:", expanded=expanded):
        key = changeable[0]
        if len(changeable) > 1:
            key = _file_picker(changeable, (doubtful or changeable)[0], files)
        _settings_of(key, readings[key], shows_opening=len(changeable) > 1)


def _is_changeable(reading: Reading) -> bool:
    return isinstance(reading, CorpusFile) or reading.code in MENDED_BY_ENCODING


def _is_doubtful(reading: Reading) -> bool:
    if isinstance(reading, CorpusError):
        return reading.code in _GUESSES
    return reading.is_guess or bool(reading.table and reading.table.skipped_rows)


def _is_table(reading: Reading) -> bool:
    return isinstance(reading, CorpusFile) and reading.table is not None


def _file_picker(keys: list[str], first: str, files: Mapping[str, PackedFile]) -> str:
    """Which file to look at; the choice lives beside the widget, which a page change forgets."""
    known = st.session_state.get("corpus_looked_at")
    st.session_state["corpus_file"] = known if known in keys else first
    chosen = st.selectbox(
        t("files.which"),
        keys,
        format_func={key: files[key].name for key in keys}.__getitem__,
        key="corpus_file",
        on_change=_look_at,
    )
    return chosen or first


def _look_at() -> None:
    st.session_state["corpus_looked_at"] = st.session_state["corpus_file"]


def _settings_of(key: str, reading: Reading, *, shows_opening: bool) -> None:
    choices = _choices(key)
    if isinstance(reading, CorpusError):
        _encoding_picker(key, choices.encoding)
        if choices.header is not None:
            _header_picker(key, choices.header)
        return
    if reading.encoding is not None:
        _encoding_picker(key, choices.encoding or reading.encoding)
    if reading.table is not None:
        _columns_picker(key, reading.table)
        if reading.table.header is not None:
            _header_picker(key, reading.table.header)
    if shows_opening and reading.text:
        st.code(openings([reading.text]), language=None, wrap_lines=True)


def _encoding_picker(key: str, current: str | None) -> None:
    widget = f"corpus_encoding_{key}"

    def choose() -> None:
        _choose(key, replace(_choices(key), encoding=st.session_state[widget], columns=None))

    encoding_picker(widget, current, on_change=choose)


def _columns_picker(key: str, table: TableReading) -> None:
    widget = f"corpus_columns_{key}"

    def choose() -> None:
        if chosen := st.session_state[widget]:  # the last one stays: without a column there is no text
            _choose(key, replace(_choices(key), columns=tuple(chosen)))

    st.session_state[widget] = list(table.chosen)
    st.multiselect(
        t("files.columns"),
        table.columns,
        format_func={column: _column_name(table, column) for column in table.columns}.__getitem__,
        key=widget,
        on_change=choose,
        help=t("files.columns_help"),
    )


def _column_name(table: TableReading, column: str) -> str:
    return t("files.column", number=column) if table.header is False else column


def _header_picker(key: str, current: bool) -> None:
    widget = f"corpus_header_{key}"

    def choose() -> None:
        _choose(key, replace(_choices(key), header=st.session_state[widget], columns=None))

    st.session_state[widget] = current
    st.toggle(t("files.header"), key=widget, on_change=choose)


def encoding_picker(
    widget: str, current: str | None, *, label: str | None = None, on_change: Callable[[], None] | None = None
) -> None:
    """A choice among encodings, of which none is chosen while no one fits."""
    options, known = list(CANDIDATE_ENCODINGS), section("encodings")
    if current:
        st.session_state[widget] = current.removesuffix("-sig")
        options = list(dict.fromkeys([*options, st.session_state[widget]]))
    st.selectbox(
        label or t("corpus.encoding"),
        options,
        format_func={option: known.get(option, option) for option in options}.__getitem__,
        index=None,
        key=widget,
        placeholder=t("corpus.choose_encoding"),
        on_change=on_change,
    )


def encoding_name(encoding: str) -> str:
    """What people call an encoding; its technical name where they have none for it."""
    encoding = encoding.removesuffix("-sig")
    return section("encodings").get(encoding, encoding)


# ---- one text, for the pages that look at one


def read_upload(upload: UploadedFile) -> DecodedText | None:
    """An uploaded file as text, with its encoding said, and changeable where it is a guess; None if it is none."""
    name = as_plain_markdown(upload.name[:80])
    key = f"encoding_{upload.file_id}"
    chosen = st.session_state.get(key)
    try:
        decoded = decode_text(upload.getvalue(), encoding=chosen)
    except CorpusError as error:
        st.error(f"{name} – {error_sentence(error)}")
        if error.code in _GUESSES:
            encoding_picker(key, chosen)
        return None
    if decoded.is_guess or chosen:
        st.info(t("corpus.guessed", name=name, encoding=encoding_name(decoded.encoding)), icon=":material/help:")
        st.text(openings([decoded.text]))
        encoding_picker(key, chosen or decoded.encoding)
    return decoded
