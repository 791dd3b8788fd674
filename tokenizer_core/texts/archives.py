"""Zip and gz archives → the files in them, unpacked piece by piece so that no bomb fills the memory."""

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

import regex

from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.encodings import _MAGIC
from tokenizer_core.texts.labels import clean_name

_PIECE = 2**20
"""Bytes that are unpacked at a time: so much more than allowed is in memory before a bomb is noticed."""
_ARCHIVES = ("zip", "gzip", "bzip2", "xz", "zstd", "rar", "7z", "tar")
_OFFICE = {"[Content_Types].xml", "mimetype"}  # one of them is in every .docx, .xlsx, .pptx, .odt and .epub
_JUNK = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"}
_PARTS = 20
"""So many entries of an archive, and parts of a gz file, are looked at for each file that is allowed."""
# What a hostile or torn archive can make the standard library raise.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, struct.error, OverflowError, IndexError)


@dataclass(frozen=True)
class PackedFile:
    """A file as it was uploaded, or as it lay in an archive: a name to show, and its bytes."""

    name: str
    content: bytes = field(repr=False)
    refusal: CorpusError | None = None
    """Why it was left packed; then there are no bytes."""


def unpack(name: str, content: bytes, *, max_bytes: int, max_files: int) -> list[PackedFile]:
    """The files in an archive; anything else is one file, as it is.

    Entries that are no text or cannot be unpacked come without bytes, with the reason. What a system puts
    beside files, such as `__MACOSX`, is left out. Raises `CorpusError` for an archive that is damaged, of
    another kind, holds another archive, or holds more than `max_bytes` bytes or `max_files` files.

    >>> unpack("a.txt.gz", gzip.compress(b"banana"), max_bytes=100, max_files=1)[0].content
    b'banana'
    """
    kind = _kind(content[:_PIECE])
    if kind == "zip":
        return _unzip(content, max_bytes, max_files)
    if kind == "gzip":
        return [_gunzip(clean_name(name), content, max_bytes, max_files)]
    if kind in _ARCHIVES:
        raise CorpusError(f"archives must be zip or gz; {kind} came", "archive_kind", kind=kind)
    if len(content) > max_bytes:
        raise too_large(max_bytes)
    return [PackedFile(clean_name(name), content)]


def _kind(head: bytes) -> str | None:
    """What the first bytes of a file tell of it; None where they may be text."""
    if head[257:262] == b"ustar":
        return "tar"
    if head.startswith(b"7z\xbc\xaf\x27\x1c"):
        return "7z"
    magic = _MAGIC.match(head[:65_536])
    return magic.lastgroup if magic else None


def _unzip(content: bytes, max_bytes: int, max_files: int) -> list[PackedFile]:
    """The files in a zip archive, in its own order."""
    # Every entry of the list at its end begins so: a million of them would fill the memory before any is read.
    if (entries := content.count(b"PK\x01\x02")) > _PARTS * max_files:
        raise _too_many_files(max_files, entries)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if _OFFICE & set(archive.namelist()):
                raise _no_text("office")
            members = [each for each in archive.infolist() if not each.is_dir() and not _is_junk(each.filename)]
            if len(members) > max_files:
                raise _too_many_files(max_files, len(members))
            return _members(archive, members, max_bytes)
    except CorpusError:
        raise
    except (*_DAMAGE, RuntimeError) as error:
        _refuse_damaged("zip", error)


def _members(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], max_bytes: int) -> list[PackedFile]:
    files = []
    left = max_bytes
    for member in members:
        label = clean_name(_name_of(member))
        try:
            unpacked = _member(archive, member, left, max_bytes)
        except CorpusError as error:
            if error.code == "unpacked_too_large":
                raise
            files.append(PackedFile(label, b"", error.bare()))
        else:
            left -= len(unpacked)
            files.append(PackedFile(label, unpacked))
    if not files:
        raise CorpusError("an archive must hold a file; this one is empty", "archive_empty")
    return files


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, left: int, max_bytes: int) -> bytes:
    """One file of a zip archive, or a `CorpusError` that says why it stays packed."""
    if member.flag_bits & 1:
        raise CorpusError("the file must not be locked with a password", "archive_encrypted")
    # Of the other methods LZMA takes as much memory as the file tells it to.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise CorpusError("the file must be packed by the usual method of zip", "archive_method")
    if _leaf(member.filename).startswith("."):
        raise CorpusError("the file must not be hidden", "hidden_file")
    with archive.open(member) as file:
        return _read(file.read, left, max_bytes)


def _gunzip(name: str, content: bytes, max_bytes: int, max_files: int) -> PackedFile:
    """The file in a gz archive; where several are set end to end, as `cat` does, all of them."""
    if content.count(b"\x1f\x8b\x08") > _PARTS * max_files:
        _refuse_damaged("gz", None)
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            unpacked = _read(file.read, max_bytes, max_bytes)
    except CorpusError:
        raise
    except _DAMAGE as error:
        _refuse_damaged("gz", error)
    return PackedFile(name[:-3] if name.lower().endswith(".gz") and len(name) > 3 else name, unpacked)


def _read(read: Callable[[int], bytes], left: int, max_bytes: int) -> bytes:
    """Unpack one file; what its first bytes give away as no text is not unpacked any further."""
    head = read(_PIECE)
    kind = _kind(head)
    if kind in _ARCHIVES:
        raise CorpusError(f"archives must not hold archives; this one holds {kind}", "nested_archive", kind=kind)
    if kind is not None and kind != "parquet":
        raise _no_text(kind)
    pieces = [head]
    left -= len(head)
    for piece in _pieces(read):
        pieces.append(piece)
        left -= len(piece)
        if left < 0:
            break
    if left < 0:
        raise too_large(max_bytes)
    return b"".join(pieces)


def _pieces(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while piece := read(_PIECE):
        yield piece


def _name_of(member: zipfile.ZipInfo) -> str:
    """A member's name; where an old packer did not say that it is UTF-8 or Thai, it is read as such.

    >>> _name_of(zipfile.ZipInfo("ไฟล์.txt".encode().decode("cp437")))
    'ไฟล์.txt'
    >>> _name_of(zipfile.ZipInfo("Señor.txt"))
    'Señor.txt'
    """
    if member.flag_bits & 0x800 or member.filename.isascii():
        return member.filename
    try:
        stored = member.filename.encode("cp437")
        return stored.decode("utf-8")
    except UnicodeEncodeError:
        return member.filename
    except UnicodeDecodeError:
        thai = stored.decode("cp874", "ignore")
    return thai if regex.search(r"[ก-๎]{3}", thai) else member.filename


def _leaf(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


def _is_junk(name: str) -> bool:
    """Whether a system puts such a file beside others by itself.

    >>> _is_junk("__MACOSX/._a.txt"), _is_junk("a/.DS_Store"), _is_junk("a.txt")
    (True, True, False)
    """
    return bool(_JUNK & set(name.replace("\\", "/").split("/"))) or _leaf(name).startswith("._")


def _refuse_damaged(kind: str, cause: Exception | None) -> NoReturn:
    raise CorpusError(f"the {kind} file must be whole; it is damaged", "damaged_file", kind=kind) from cause


def too_large(max_bytes: int) -> CorpusError:
    """The error for what is larger than allowed once it is unpacked."""
    megabytes = max(1, max_bytes // 2**20)
    return CorpusError(
        f"a file must hold at most {megabytes:,} MB when unpacked", "unpacked_too_large", megabytes=megabytes
    )


def _too_many_files(limit: int, files: int) -> CorpusError:
    return CorpusError(
        f"at most {limit:,} files at once; {files:,} came", "too_many_files", limit=limit, files=files
    )


def _no_text(kind: str) -> CorpusError:
    return CorpusError(f"the file must be text; it holds {kind} data", "binary_file", kind=kind)
