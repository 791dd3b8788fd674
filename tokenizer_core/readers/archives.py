"""Zip and gz archives → the files in them, unpacked in pieces so that no zip bomb fills the memory."""

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import regex

from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.encodings import _MAGIC
from tokenizer_core.readers.labels import clean_name

_PIECE = 2**20
"""Bytes unpacked at a time. Before a bomb is noticed, it takes at most this much memory beyond the limit."""
_ARCHIVES = ("zip", "gzip", "bzip2", "xz", "zstd", "rar", "7z", "tar")
_OFFICE = {"[Content_Types].xml", "mimetype"}  # one of them is in every .docx, .xlsx, .pptx, .odt and .epub
_JUNK = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"}
_PARTS = 20
"""Entries of a zip archive, and parts of a gz file, allowed per permitted file."""
# The errors that the standard library raises for a hostile or damaged archive.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, struct.error, OverflowError, IndexError)


@dataclass(frozen=True)
class PackedFile:
    """A file as uploaded, or as stored in an archive: a name to show, and its bytes."""

    name: str
    content: bytes = field(repr=False)
    refusal: CorpusError | None = None
    """Why the file stays packed; then it has no bytes."""


def unpack(name: str, content: bytes, *, max_bytes: int, max_files: int) -> list[PackedFile]:
    """Return the files in an archive; any other content is one file, as it is.

    An entry of a zip archive that is not text or cannot be unpacked comes without bytes and with the reason. Files
    that systems add, such as `__MACOSX`, are left out. Raises `CorpusError` for an archive that is damaged, is not
    zip or gz, or holds more than `max_bytes` bytes or `max_files` files, and for a gz file that is not text.

    >>> unpack("a.txt.gz", gzip.compress(b"banana"), max_bytes=100, max_files=1)[0].content
    b'banana'
    """
    kind = _kind(content[:_PIECE])
    if kind == "zip":
        return _unzip(content, max_bytes, max_files)
    if kind == "gzip":
        return [_gunzip(clean_name(name), content, max_bytes, max_files)]
    if kind in _ARCHIVES:
        raise CorpusError("archive_kind", kind=kind)
    if len(content) > max_bytes:
        raise too_large(max_bytes)
    return [PackedFile(clean_name(name), content)]


def _kind(head: bytes) -> str | None:
    """Return the kind of a file from its first bytes; None if it may be text."""
    if head[257:262] == b"ustar":
        return "tar"
    if head.startswith(b"7z\xbc\xaf\x27\x1c"):
        return "7z"
    magic = _MAGIC.match(head[:65_536])
    return magic.lastgroup if magic else None


def _unzip(content: bytes, max_bytes: int, max_files: int) -> list[PackedFile]:
    """Return the files in a zip archive, in archive order."""
    # Each entry in the directory begins with these bytes. A million would fill the memory before any file is read.
    if (entries := content.count(b"PK\x01\x02")) > _PARTS * max_files:
        raise CorpusError("too_many_files", limit=max_files, files=entries)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if _OFFICE & set(archive.namelist()):
                raise CorpusError("binary_file", kind="office")
            members = [each for each in archive.infolist() if not each.is_dir() and not _is_junk(each.filename)]
            if len(members) > max_files:
                raise CorpusError("too_many_files", limit=max_files, files=len(members))
            return _members(archive, members, max_bytes)
    except CorpusError:
        raise
    except (*_DAMAGE, RuntimeError) as error:
        raise CorpusError("damaged_file", kind="zip") from error


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
        raise CorpusError("archive_empty")
    return files


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, left: int, max_bytes: int) -> bytes:
    """Unpack one file of a zip archive; raise a `CorpusError` that says why if it must stay packed."""
    if member.flag_bits & 1:
        raise CorpusError("archive_encrypted")
    # Other methods are refused: LZMA takes as much memory as the file tells it to.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise CorpusError("archive_method")
    if _leaf(member.filename).startswith("."):
        raise CorpusError("hidden_file")
    with archive.open(member) as file:
        return _read(file.read, left, max_bytes)


def _gunzip(name: str, content: bytes, max_bytes: int, max_files: int) -> PackedFile:
    """Unpack a gz file; if it has several parts end to end, as `cat` writes them, unpack them all."""
    if content.count(b"\x1f\x8b\x08") > _PARTS * max_files:
        raise CorpusError("damaged_file", kind="gz")
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            unpacked = _read(file.read, max_bytes, max_bytes)
    except CorpusError:
        raise
    except _DAMAGE as error:
        raise CorpusError("damaged_file", kind="gz") from error
    return PackedFile(name[:-3] if name.lower().endswith(".gz") and len(name) > 3 else name, unpacked)


def _read(read: Callable[[int], bytes], left: int, max_bytes: int) -> bytes:
    """Unpack one file; stop after the first piece if it shows that the file is not text."""
    head = read(_PIECE)
    kind = _kind(head)
    if kind in _ARCHIVES:
        raise CorpusError("nested_archive", kind=kind)
    if kind is not None and kind != "parquet":
        raise CorpusError("binary_file", kind=kind)
    pieces = []
    piece = head
    while piece:
        pieces.append(piece)
        left -= len(piece)
        if left < 0:
            raise too_large(max_bytes)
        piece = read(_PIECE)
    return b"".join(pieces)


def _name_of(member: zipfile.ZipInfo) -> str:
    """Return the name of a member; if an old packer did not mark its encoding, try UTF-8 and then Thai.

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
    """Tell whether this is a file that an operating system adds by itself.

    >>> _is_junk("__MACOSX/._a.txt"), _is_junk("a/.DS_Store"), _is_junk("a.txt")
    (True, True, False)
    """
    return bool(_JUNK & set(name.replace("\\", "/").split("/"))) or _leaf(name).startswith("._")


def too_large(max_bytes: int) -> CorpusError:
    """Return the error for a file that is larger than allowed when unpacked."""
    return CorpusError("unpacked_too_large", megabytes=max(1, max_bytes // 2**20))
