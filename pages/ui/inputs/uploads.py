"""Uploads: unpacked once, limited for each visitor, and kept in the session; a page change empties uploaders."""

import time
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import ref

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.frame import visitor
from pages.ui.frame.upload_limit import count_upload, free_streamlits_copy, unpacked_bytes
from pages.ui.i18n import as_name, error_sentence, section, t
from pages.ui.inputs.corpus import CORPORA, MIXED
from pages.ui.limits import MAX_CORPUS_BYTES, MAX_FILES, MAX_UPLOADS_BYTES
from pages.ui.session import Maybe
from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.archives import PackedFile, unpack
from tokenizer_core.readers.encodings import CANDIDATE_ENCODINGS
from tokenizer_core.readers.labels import clean_name
from tokenizer_core.readers.tables import Told

PLACES = ("corpus", "text", "languages", "race")
"""Where files are uploaded."""
LARGE = 20 * 10**6
"""Bytes from which reading shows a progress bar."""
REPORT_SECONDS = 0.25
"""Time between two reports of progress; each lets a visitor who has clicked elsewhere end the reading."""
NOT_GUESSED = ("encoding_not_found", "undecodable")
"""Codes of errors that only another encoding can fix."""
MENDED_BY_ENCODING = (*NOT_GUESSED, "broken_utf8", "cut_off_utf8", "no_rows", "too_many_columns")
"""Codes of errors that another encoding may fix."""


@dataclass(frozen=True)
class Choices:
    """How the visitor wants a file to be read; None means detected."""

    encoding: str | None = None
    columns: tuple[str, ...] | None = None
    header: bool | None = None


@dataclass(eq=False)
class Upload:
    """The unpacked files of one upload by key, or the reason why none of them is accepted."""

    ids: tuple[str, ...]
    files: dict[str, PackedFile] = field(default_factory=dict)
    refusal: CorpusError | None = None
    size: int = 0
    """Bytes that its files have, or had before they were refused."""
    is_dropped: bool = False
    """Whether the bytes of its files were freed after they had been read."""
    owner: str = field(default_factory=visitor.owner)
    _choices: dict[str, Choices] = field(default_factory=dict)
    _read: dict[str, tuple[Hashable, Any]] = field(default_factory=dict, repr=False)

    def choices(self, key: str) -> Choices:
        """Return how to read a file."""
        return self._choices.get(key, Choices())

    def choose(self, key: str, choices: Choices) -> None:
        """Set how to read a file from now on."""
        self._choices[key] = choices

    def chooser(self, key: str) -> Callable[..., None]:
        """Return a callback for widgets, which changes how to read a file.

        It does not hold the upload: Streamlit keeps the callbacks of all widgets until the session ends.
        """
        held = ref(self)

        def choose(**changes: Any) -> None:
            if (upload := held()) is not None:
                upload.choose(key, replace(upload.choices(key), **changes))

        return choose

    def is_read(self, key: str, how: Hashable) -> bool:
        """Tell whether this was already read in the same way."""
        return key in self._read and self._read[key][0] == how

    def read(self, key: str, how: Hashable, read: Callable[[], Any]) -> Any:
        """Return the last reading if it was made the same way, else `read`; a `CorpusError` is a reading too."""
        if not self.is_read(key, how):
            try:
                self._read[key] = how, read()
            except CorpusError as error:
                self._read[key] = how, error.bare()
        return self._read[key][1]

    def drop_contents(self) -> None:
        """Free the bytes of files that nobody will read in another way."""
        self.files = {key: replace(file, content=b"") for key, file in self.files.items()}
        self.is_dropped = True


def too_large(code: str, limit: int, size: int) -> CorpusError:
    """Return the error with this code for `size` bytes, where at most `limit` are allowed."""
    return CorpusError(code, limit=limit // 2**20, megabytes=round(size / 2**20, 1))


@dataclass(frozen=True)
class Limits:
    """How much an uploader accepts, and the code of the error that says so."""

    files: int
    bytes: int
    code: str = "parallel_too_large"
    unpacks: bool = True


CORPUS = Limits(MAX_FILES, MAX_CORPUS_BYTES, "corpus_too_large")
"""The limits of texts to train on."""


def unpacked(
    ids: tuple[str, ...], uploads: Sequence[UploadedFile], known: Upload | None, limits: Limits
) -> Upload:
    """Unpack these uploads; keep the files of known uploads as they are."""
    if len(uploads) > limits.files:
        return Upload(ids, refusal=CorpusError("too_many_files", limit=limits.files, files=len(uploads)))
    if (size := sum(upload.size for upload in uploads)) > limits.bytes:
        return Upload(ids, refusal=too_large(limits.code, limits.bytes, size))
    files: dict[str, PackedFile] = {}
    before = known.files if known and not known.is_dropped else {}
    for upload in uploads:
        prefix = f"{upload.file_id}/"
        found = {key: file for key, file in before.items() if key.startswith(prefix)}
        files |= found or {f"{prefix}{number}": file for number, file in enumerate(_files_in(upload, limits))}
        if len(files) > limits.files:
            return Upload(ids, refusal=CorpusError("too_many_files", limit=limits.files, files=len(files)))
        if (size := sum(len(file.content) for file in files.values())) > limits.bytes:
            return Upload(ids, refusal=too_large(limits.code, limits.bytes, size))
    archives = {upload.file_id: clean_name(upload.name) for upload in uploads}
    return Upload(
        ids,
        _with_distinct_names(files, archives),
        size=size,
        _choices={key: each for key, each in known._choices.items() if key in files} if known else {},
        _read={key: each for key, each in known._read.items() if key in files} if known else {},
    )


def _with_distinct_names(files: Mapping[str, PackedFile], archives: Mapping[str, str]) -> dict[str, PackedFile]:
    """Put the name of the archive before the names of files that have the same name."""
    counts = Counter(file.name for file in files.values())
    renamed = {}
    for key, file in files.items():
        archive = archives[key.partition("/")[0]]
        is_distinct = counts[file.name] == 1 or file.name == archive
        renamed[key] = file if is_distinct else replace(file, name=clean_name(f"{archive}/{file.name}"))
    return renamed


def _files_in(upload: UploadedFile, limits: Limits) -> list[PackedFile]:
    """Return the files in an upload; one file with the reason in place of bytes if it cannot be unpacked."""
    if not limits.unpacks:
        return [PackedFile(clean_name(upload.name), upload.getvalue())]
    try:
        return unpack(upload.name, upload.getvalue(), max_bytes=limits.bytes, max_files=limits.files)
    except CorpusError as error:
        return [PackedFile(clean_name(upload.name), b"", error.bare())]


# ---- what the session keeps


def _kept(place: str) -> Maybe[Upload]:
    """Return the session value of the last upload at a place."""
    return Maybe(f"{place}_upload")


def _refused(place: str) -> Maybe[Upload]:
    """Return the session value of the last upload at a place that was more than the visitor may hold."""
    return Maybe(f"{place}_upload_refused")


def file_picker(place: str, label: str, limits: Limits) -> tuple[Upload | None, bool]:
    """Draw an uploader; return what `uploaded` does, and whether the uploader itself lists files."""
    widget = f"{place}_files" if limits.files > 1 else f"{place}_file"
    found: Any = st.file_uploader(
        label, None, limits.files > 1, key=widget, on_change=forget_if_emptied, args=(place, widget)
    )
    uploads = found if isinstance(found, list) else [found] if found else []
    return uploaded(place, uploads, limits), bool(uploads)


def is_kept(place: str) -> bool:
    """Tell whether an upload of this place is kept."""
    return _kept(place).get() is not None


def uploaded(place: str, uploads: Sequence[UploadedFile], limits: Limits) -> Upload | None:
    """Return what an uploader holds, or held before a page change emptied it; None before the first upload.

    An upload that is more than the visitor may hold is returned with the reason; it does not replace the last one.
    """
    known = _kept(place).get()
    ids = tuple(upload.file_id for upload in uploads)
    refused = _refused(place).get()
    listed_before = {each for upload in (known, refused) if upload is not None for each in upload.ids}
    free_streamlits_copy(listed_before.difference(ids))  # as after a page change
    if not ids or (known and known.ids == ids):
        _refused(place).forget()
        return known
    others = unpacked_bytes(visitor.owner(), without=known)
    if refused is not None and refused.ids == ids and others + refused.size > MAX_UPLOADS_BYTES:
        return refused
    with st.spinner(t("files.reading")):
        upload = unpacked(ids, uploads, known, limits)
    if others + upload.size > MAX_UPLOADS_BYTES:
        refusal = too_large("uploads_too_large", MAX_UPLOADS_BYTES, others + upload.size)
        refused = Upload(ids, refusal=refusal, size=upload.size)
        _refused(place).put(refused)
        return refused
    count_upload(upload)
    _kept(place).put(upload)
    return upload


def show_refusal(place: str, refusal: CorpusError) -> None:
    """Say why an upload is refused; if the visitor holds too much, offer to remove what is held elsewhere."""
    st.error(error_sentence(refusal), icon=":material/error:")
    if refusal.code != "uploads_too_large":
        return
    for other in PLACES:
        held = _kept(other).get()
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


def forget_if_emptied(place: str, widget: str) -> None:
    """Forget an upload if the visitor has removed all its files; an uploader calls this after a change."""
    if not Maybe[Any](widget).get() and _refused(place).get() is None:
        forget(place)


def forget(place: str) -> None:
    """Forget what was uploaded at a place, and give its memory back."""
    upload = _kept(place).get()
    if upload is not None:
        free_streamlits_copy(upload.ids)
    _kept(place).forget()
    if place == "corpus":
        MIXED.forget()
        for source in ("upload", "paste", "mix"):
            CORPORA.get().pop(source, None)


# ---- what uploaders show


def listed(names: Sequence[str]) -> str:
    """List the first names, safe in Markdown."""
    return as_name(", ".join(name[:60] for name in names[:3])[:120] + (" …" if len(names) > 3 else ""))


def encoding_picker(
    widget: str, upload: Upload, key: str, current: str | None, *, label: str | None = None
) -> None:
    """Let the visitor choose the encoding of a file; none is selected if `current` is None."""
    value, choose = Maybe[Any](widget), upload.chooser(key)
    options, known = list(CANDIDATE_ENCODINGS), section("encodings")
    if current:
        value.put(current.removesuffix("-sig"))
        options = list(dict.fromkeys([*options, current.removesuffix("-sig")]))
    st.selectbox(
        label or t("corpus.encoding"),
        options,
        format_func={option: known.get(option, option) for option in options}.__getitem__,
        index=None,
        key=widget,
        placeholder=t("corpus.choose_encoding"),
        on_change=lambda: choose(encoding=value.get(), columns=None),
    )


def encoding_name(encoding: str) -> str:
    """Return the common name of an encoding, or else its technical name."""
    encoding = encoding.removesuffix("-sig")
    return section("encodings").get(encoding, encoding)


class ReadingBar:
    """A progress bar for the reading of large files, which is removed at its end."""

    def __init__(self, size: int) -> None:
        """Take the bytes of all files that are to be read."""
        self._size = size
        self._place = st.empty()
        self._began: tuple[float, float] | None = None
        self._reported = 0.0
        self._done = 0

    def file(self, size: int) -> Told:
        """Return the progress callback of the next file, which has this many bytes."""
        before = self._done
        self._done += size
        return lambda share: self._report(before + share * size)

    def end(self) -> None:
        """Remove the bar."""
        self._place.empty()

    def _report(self, done: float) -> None:
        now = time.monotonic()
        if self._began is None:  # decoding came before, at another rate
            self._began, self._reported = (now, done), now
        if self._size < LARGE or now - self._reported < REPORT_SECONDS:
            return
        self._reported = now
        began, before = self._began
        words = t(
            "files.read_share",
            done=round(done / 10**6),
            size=round(self._size / 10**6),
            rate=f"{(done - before) / 10**6 / max(now - began, 0.001):,.0f}",
        )
        self._place.progress(min(1.0, done / self._size), text=words)
