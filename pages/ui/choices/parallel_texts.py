"""The picker of parallel texts: the bundled sentences, files with the same lines, or a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.choices.corpus import openings
from pages.ui.choices.samples import SAMPLES, sample_text
from pages.ui.choices.uploads import MENDED_BY_ENCODING, encoding_name, encoding_picker
from pages.ui.limits import MAX_CORPUS_BYTES
from pages.ui.shell.visitor import one_of, remembered
from pages.ui.words import as_plain_markdown, error_sentence, names, t
from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.archives import PackedFile, unpack
from tokenizer_core.texts.files import table_kind
from tokenizer_core.texts.labels import clean_name, column_labels
from tokenizer_core.texts.parallel import (
    JOININGS,
    MAX_LANGUAGES,
    Joining,
    Parallel,
    parallel_texts,
    read_parallel,
)

SOURCES = ("sample", "upload")
NAME_CHARACTERS = 28
_UPLOAD = "languages_upload"
_ENGLISH = ("en", "eng", "english", "en.txt", "eng.txt")


@dataclass(frozen=True)
class Compared:
    """Parallel texts, what their languages are called, and how they are compared."""

    parallel: Parallel
    names: tuple[str, ...]
    """For charts, where nothing is Markdown."""
    spoken: tuple[str, ...]
    """The same within Markdown."""
    base: int
    """The language that others are divided by."""
    joining: Joining
    is_sample: bool

    @property
    def full_names(self) -> tuple[str, ...]:
        """For tables that are taken away, where there is room."""
        return self.names if self.is_sample else self.parallel.names

    @property
    def others(self) -> list[int]:
        """The languages without the base."""
        return [place for place in range(len(self.names)) if place != self.base]


def pick_parallel() -> Compared | None:
    """Texts to compare, and how; None, with the reason on the page, while there are none."""
    source = st.segmented_control(
        t("languages.source"),
        SOURCES,
        format_func=names("languages.source_{}", SOURCES),
        required=True,
        key=remembered("languages_source", SOURCES[0]),
        persist_state="session",
        wrap=True,
    )
    parallel = sample_parallel() if source != "upload" else _pick_upload()
    if parallel is None:
        return None
    is_sample = source != "upload"
    shown = (
        tuple(t(f"languages.{name}") for name in parallel.names)
        if is_sample
        else _shortened(parallel.names, keep_end=parallel.table is None)
    )
    spoken = shown if is_sample else tuple(map(as_plain_markdown, shown))
    base = _pick_base(parallel, shown)
    return Compared(parallel, shown, spoken, base, _pick_joining(), is_sample)


@cache
def sample_parallel() -> Parallel:
    """The bundled Thai and English sentences."""
    return parallel_texts(("th", "en"), [sample_text(file) for file in SAMPLES["both"]])


def _shortened(names: Sequence[str], *, keep_end: bool) -> tuple[str, ...]:
    """Names that fit a chart, each another: where ends or beginnings alone are the same, both are kept.

    >>> _shortened(["a_name_of_more_than_28_letters.th", "a_name_of_more_than_28_letters.en"], keep_end=False)
    ('a_name_of_mo…_28_letters.th', 'a_name_of_mo…_28_letters.en')
    """
    short = [_short(name, keep_end=keep_end) for name in names]
    if len(set(short)) < len(short):
        half = NAME_CHARACTERS // 2 - 2
        short = [name if len(name) <= NAME_CHARACTERS else f"{name[:half]}…{name[-half - 2 :]}" for name in names]
    return column_labels(short)


def _short(name: str, *, keep_end: bool) -> str:
    """A name that fits a chart: of a file the end, where its language often stands, of a column the beginning."""
    if len(name) <= NAME_CHARACTERS:
        return name
    return "…" + name[1 - NAME_CHARACTERS :] if keep_end else name[: NAME_CHARACTERS - 1] + "…"


def _pick_base(parallel: Parallel, shown: Sequence[str]) -> int:
    """The language to divide by: English at first where a name says so, else the last one."""
    places = range(len(shown))
    english = [place for place, name in enumerate(parallel.names) if name.lower().rpartition(".")[2] in _ENGLISH]
    english += [place for place, name in enumerate(parallel.names) if name.lower().endswith(_ENGLISH)]
    chosen = st.selectbox(
        t("languages.base"),
        places,
        format_func=shown.__getitem__,
        key=one_of(f"languages_base_{parallel.digest[:12]}", places, (english or [len(shown) - 1])[0]),
        persist_state="session",
        help=t("languages.base_help"),
    )
    return int(chosen or 0)


def _pick_joining() -> Joining:
    chosen: Joining | None = st.segmented_control(
        t("languages.joining"),
        JOININGS,
        format_func=names("languages.joining_{}", JOININGS),
        required=True,
        key=remembered("languages_joining", "lines"),
        persist_state="session",
        help=t("languages.joining_help"),
        wrap=True,
    )
    return chosen or "lines"


# ---- uploads: unpacked and read once, kept in the session


@dataclass
class Upload:
    """The files of one upload, and what became of them."""

    ids: tuple[str, ...]
    names: tuple[str, ...] = ()
    files: list[PackedFile] = field(default_factory=list)
    """Kept while they may be read in another way."""
    encodings: dict[int, str] = field(default_factory=dict)
    """Those that the visitor chose, by the place of the file."""
    parallel: Parallel | None = None
    refusal: CorpusError | None = None

    @property
    def is_table(self) -> bool:
        return len(self.names) == 1 and bool(table_kind(self.names[0]))

    @property
    def doubtful(self) -> list[int]:
        """The places of files whose encoding may be another one."""
        names = [guess.name for guess in self.parallel.guesses] if self.parallel else []
        if self.refusal is not None and self.refusal.code in MENDED_BY_ENCODING:
            names.append(str(self.refusal.values.get("file", self.names[0])))
        places = range(len(self.files))
        return [place for place in places if place in self.encodings or self.names[place] in names]

    def read(self, *, header: bool | None = None, columns: Sequence[str] | None = None) -> Parallel:
        """The files as parallel texts; raises `CorpusError` where they are none."""
        encodings = [self.encodings.get(place) for place in range(len(self.files))]
        return read_parallel(
            self.files, header=header, columns=columns, encoding=encodings, max_bytes=MAX_CORPUS_BYTES
        )


def _pick_upload() -> Parallel | None:
    uploads = st.file_uploader(
        t("languages.upload_label", limit=MAX_LANGUAGES),
        accept_multiple_files=True,
        key="languages_files",
        on_change=_forget,
    )
    upload = _current(uploads)
    if upload is None:
        st.info(t("languages.nothing_yet"), icon=":material/upload_file:")
        return None
    if upload.refusal is None and len(upload.names) == 1 and not upload.is_table:
        st.info(t("languages.one_more"), icon=":material/upload_file:")
        return None
    if upload.parallel is None and upload.refusal is None:
        _read(upload)
    if upload.refusal is not None or upload.parallel is None:
        st.error(_refused(upload), icon=":material/error:")
        _pick_encodings(upload)
        return None
    if not uploads:
        st.caption(t("corpus.kept", names=", ".join(map(as_plain_markdown, upload.names))))
    _pick_encodings(upload)
    return _as_chosen(upload, upload.parallel) if upload.is_table else upload.parallel


def _pick_encodings(upload: Upload) -> None:
    """A choice for each file whose encoding is a guess, with what it begins with when read so."""
    guessed = {guess.name: guess.encoding for guess in (upload.parallel.guesses if upload.parallel else ())}
    for place in upload.doubtful:
        widget = f"languages_encoding_{upload.ids[0]}_{place}"

        def choose(place: int = place, widget: str = widget) -> None:
            upload.encodings[place] = st.session_state[widget]
            upload.parallel = upload.refusal = None

        encoding_picker(
            widget,
            upload.encodings.get(place) or guessed.get(upload.names[place]),
            label=t("languages.encoding", name=as_plain_markdown(upload.names[place])),
            on_change=choose,
        )
        if upload.parallel:
            st.text(openings([upload.parallel.texts[0 if upload.is_table else place]]))


def _forget() -> None:
    """Files were taken out by hand."""
    if not st.session_state.get("languages_files"):
        st.session_state.pop(_UPLOAD, None)


def _current(uploads: Sequence[UploadedFile]) -> Upload | None:
    """This upload, or the last one where a page change made the uploader forget it."""
    known: Upload | None = st.session_state.get(_UPLOAD)
    ids = tuple(upload.file_id for upload in uploads)
    if not ids or (known and known.ids == ids):
        return known
    upload = st.session_state[_UPLOAD] = Upload(ids)
    try:
        upload.files = _unpack(uploads)
    except CorpusError as error:
        upload.refusal = error.bare()
        upload.names = tuple(clean_name(each.name) for each in uploads)
    else:
        upload.names = tuple(file.name for file in upload.files)
    return upload


def _unpack(uploads: Sequence[UploadedFile]) -> list[PackedFile]:
    """The files in an upload; raises `CorpusError` where they are too large or cannot be unpacked."""
    files: list[PackedFile] = []
    _check_size(sum(upload.size for upload in uploads))
    for upload in uploads:
        files += unpack(upload.name, upload.getvalue(), max_bytes=MAX_CORPUS_BYTES, max_files=MAX_LANGUAGES)
        _check_size(sum(len(file.content) for file in files))
    return files


def _check_size(size: int) -> None:
    if size > MAX_CORPUS_BYTES:
        limit, megabytes = MAX_CORPUS_BYTES // 2**20, -(-size // 2**20)
        raise CorpusError(
            f"at most {limit} MB can be compared; {megabytes} MB came",
            "parallel_too_large",
            limit=limit,
            megabytes=megabytes,
        )


def _read(upload: Upload) -> None:
    """Read the files of an upload for the first time: as parallel texts, or the reason why they are none."""
    with st.spinner(t("files.reading")):
        try:
            upload.parallel = upload.read()
        except CorpusError as error:
            upload.refusal = error.bare()
    if not upload.is_table and not upload.doubtful:
        upload.files = []


def _refused(upload: Upload) -> str:
    """Why nothing can be compared, with the name of the file where it is known."""
    assert upload.refusal is not None
    sentence = error_sentence(upload.refusal)
    file = upload.refusal.values.get("file") or (upload.names[0] if len(upload.names) == 1 else None)
    return f"{as_plain_markdown(file)} – {sentence}" if file else sentence


def _as_chosen(upload: Upload, parallel: Parallel) -> Parallel | None:
    """A table read as chosen: whether its first line names the columns, and which of them are languages."""
    first_id = upload.ids[0]
    assert parallel.table is not None
    shown = parallel.table
    try:
        header = shown.header
        if header is not None:
            header = st.checkbox(
                t("files.header"), value=header, key=f"languages_header_{first_id}", persist_state="session"
            )
        if header != shown.header:
            parallel = upload.read(header=header)
            shown = parallel.table or shown
        columns = st.multiselect(
            t("languages.columns"),
            shown.columns,
            default=list(parallel.names),
            max_selections=MAX_LANGUAGES,
            key=f"languages_columns_{header}_{upload.encodings.get(0)}_{first_id}",
            persist_state="session",
        )
        if set(columns) != set(parallel.names):
            parallel = upload.read(header=header, columns=columns)
    except CorpusError as error:
        st.error(error_sentence(error), icon=":material/error:")
        return None
    upload.parallel = parallel
    return parallel


def say_what_was_read(compared: Compared) -> None:
    """What should be known of texts that can be compared but may not be what they seem."""
    for remark in remarks(compared.parallel, as_plain_markdown):
        st.warning(remark, icon=":material/warning:")
    if everywhere := compared.parallel.empty.all_sides:
        st.info(t("languages.empty_all", count=everywhere), icon=":material/info:")


def remarks(parallel: Parallel, written: Callable[[str], str]) -> list[str]:
    """Sentences on what may be wrong with texts; `written` makes the name of a file fit in."""
    said = [
        t(
            "languages.guessed",
            name=written(guess.name),
            encoding=encoding_name(guess.encoding),
            texts=t("languages.texts"),
        )
        for guess in parallel.guesses
    ]
    if (table := parallel.table) and table.skipped_rows:
        said.append(t("languages.skipped", count=table.skipped_rows, line=table.first_skipped))
    if parallel.empty.some_sides:
        said.append(t("languages.empty_some", count=parallel.empty.some_sides, line=parallel.empty.first))
    if parallel.first_shifted:
        said.append(t("languages.shifted", line=parallel.first_shifted))
    return said
