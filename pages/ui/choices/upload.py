"""The files of one upload, unpacked once, and what was read from each file with which choices."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import ref

from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.ui.limits import MAX_CORPUS_BYTES, MAX_FILES
from pages.ui.shell.uploads import refusal_of
from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.archives import PackedFile, unpack
from tokenizer_core.texts.labels import clean_name

MENDED_BY_ENCODING = (
    *("encoding_not_found", "undecodable", "broken_utf8", "cut_off_utf8", "no_rows", "too_many_columns"),
)
"""Codes of errors that another encoding may fix."""
NOT_GUESSED = ("encoding_not_found", "undecodable")
"""Codes of errors that only another encoding can fix."""


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


@dataclass(frozen=True)
class Limits:
    """How much an uploader accepts, and the error that says so."""

    files: int
    bytes: int
    too_large: Callable[[int], CorpusError]
    """Makes the error for a size in bytes."""
    unpacks: bool = True


def unpacked(
    ids: tuple[str, ...], uploads: Sequence[UploadedFile], known: Upload | None, limits: Limits
) -> Upload:
    """Unpack these uploads; keep the files of known uploads as they are."""
    if len(uploads) > limits.files:
        return Upload(ids, refusal=_too_many(len(uploads), limits))
    if (size := sum(upload.size for upload in uploads)) > limits.bytes:
        return Upload(ids, refusal=limits.too_large(size))
    files: dict[str, PackedFile] = {}
    names: dict[str, str] = {}
    size = 0
    before = known.files if known else {}
    for upload in uploads:
        names[upload.file_id] = upload.name
        files |= {key: file for key, file in before.items() if key.startswith(f"{upload.file_id}/")} or {
            f"{upload.file_id}/{number}": file for number, file in enumerate(_files_in(upload, limits))
        }
        if len(files) > limits.files:
            return Upload(ids, refusal=_too_many(len(files), limits))
        if (size := sum(len(file.content) for file in files.values())) > limits.bytes:
            return Upload(ids, refusal=limits.too_large(size))
    return _keeping(known, Upload(ids, _told_apart(files, names), size=size))


def _keeping(known: Upload | None, upload: Upload) -> Upload:
    """Add to the upload what was chosen and read for files that were there before."""
    if known is not None:
        upload._choices = {key: each for key, each in known._choices.items() if key in upload.files}
        upload._read = {key: each for key, each in known._read.items() if key in upload.files}
    return upload


def _told_apart(files: Mapping[str, PackedFile], archives: Mapping[str, str]) -> dict[str, PackedFile]:
    """Put the name of the archive before the names of files that have the same name."""
    counts = Counter(file.name for file in files.values())
    return {
        key: file if counts[file.name] == 1 else _with_archive(file, archives[key.partition("/")[0]])
        for key, file in files.items()
    }


def _with_archive(file: PackedFile, archive: str) -> PackedFile:
    return file if file.name == clean_name(archive) else replace(file, name=clean_name(f"{archive}/{file.name}"))


def _files_in(upload: UploadedFile, limits: Limits) -> list[PackedFile]:
    """Return the files in an upload; one file with the reason in place of bytes if it cannot be unpacked."""
    if (refusal := refusal_of(upload.type)) is not None:
        return [PackedFile(clean_name(upload.name), b"", refusal)]
    if not limits.unpacks:
        return [PackedFile(clean_name(upload.name), upload.getvalue())]
    try:
        return unpack(upload.name, upload.getvalue(), max_bytes=limits.bytes, max_files=limits.files)
    except CorpusError as error:
        return [PackedFile(clean_name(upload.name), b"", error.bare())]


# ---- limits


def corpus_too_large(size: int) -> CorpusError:
    """Return the error for texts to train on that have too many bytes together."""
    limit, megabytes = MAX_CORPUS_BYTES // 2**20, round(size / 2**20, 1)
    return CorpusError(
        f"at most {limit} MB are taken; {megabytes} MB came", "corpus_too_large", limit=limit, megabytes=megabytes
    )


def comparison_too_large(limit: int) -> Callable[[int], CorpusError]:
    """Return a function that makes the error for texts to compare with more than `limit` bytes."""

    def error(size: int) -> CorpusError:
        megabytes = -(-size // 2**20)
        return CorpusError(
            f"at most {limit // 2**20} MB can be compared; {megabytes} MB came",
            "parallel_too_large",
            limit=limit // 2**20,
            megabytes=megabytes,
        )

    return error


def _too_many(files: int, limits: Limits) -> CorpusError:
    message = f"at most {limits.files} files at once; {files:,} came"
    return CorpusError(message, "too_many_files", limit=limits.files, files=files)


CORPUS = Limits(MAX_FILES, MAX_CORPUS_BYTES, corpus_too_large)
"""The limits of texts to train on."""
