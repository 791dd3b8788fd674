"""A library of tokenizers in a folder: one folder for each owner, one file for each tokenizer.

A file is written beside its place and then renamed, so it is always whole, whoever writes at the same time. The
names that people give are inside the files, never in their paths.
"""

import contextlib
import errno
import hashlib
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from tokenizer_core.errors import LibraryError
from tokenizer_core.jobs import entry as entries
from tokenizer_core.jobs.entry import Entry, Learned, damaged, is_entry_id
from tokenizer_core.jobs.library_clock import LibraryClock, read_numbers, write_numbers

SUFFIX = ".zip"
CLOCK, SEEN = ".clock", ".seen"
"""Files with numbers: the library's age, and in an owner's folder its age at the owner's last visit."""
MIN_FREE_BYTES = 100 * 2**20
"""Bytes that the library leaves free on its disk."""
STALE_SECONDS = 3600.0
"""Age at which a temporary file was left behind by a process that was killed."""
T = TypeVar("T")
_OWNER = re.compile(r"[a-z0-9]{1,64}")


@dataclass(frozen=True)
class Damaged:
    """An entry that cannot be read."""

    id: str
    saved: float
    size: int
    """Bytes."""


@dataclass(frozen=True)
class Quota:
    """How much one owner may keep."""

    entries: int
    bytes: int


def owner_key(secret: str) -> str:
    """Return the name of the folder of the owner with this secret; nobody can compute the secret from it.

    >>> owner_key("a secret")[:8], len(owner_key("a secret"))
    ('984ca516', 40)
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:40]


class Library:
    """The tokenizers that are kept in a folder. All methods may be called from several threads."""

    def __init__(self, root: Path, quota: Quota) -> None:
        self.root = root
        self.quota = quota
        self.clock = LibraryClock(root / CLOCK)
        self._known: dict[Path, tuple[tuple[int, int], Entry | Damaged]] = {}
        self._lock = threading.RLock()

    # ---- reading

    def entries(self, owner: str) -> list[Entry | Damaged]:
        """Return all entries of an owner, oldest first; none if the folder cannot be read."""
        found = [self._look_at(path) for path in self._files(owner)]
        return sorted((each for each in found if each), key=lambda each: (_date(each), each.id))

    def find(self, entry_id: str) -> tuple[str, Entry] | None:
        """Return the owner and the entry with this id, whoever owns it; None if there is no whole one."""
        if not is_entry_id(entry_id):
            return None
        with contextlib.suppress(OSError):
            for path in self.root.glob(f"*/{entry_id}{SUFFIX}"):
                found = self._look_at(path)
                if isinstance(found, Entry):
                    return path.parent.name, found
        return None

    def learned(self, owner: str, entry: Entry) -> Learned:
        """Read what a run has learned; raise `LibraryError`, and list the entry as damaged, if that fails."""
        return self._read_whole(owner, entry, lambda content: entries.read_learned(content, entry))

    def files_of(self, owner: str, entry: Entry) -> list[bytes]:
        """Read the files that a tokenizer was opened from; raise `LibraryError` as `learned` does."""
        return self._read_whole(owner, entry, entries.read_files)

    def set_aside(self, owner: str, entry_id: str) -> None:
        """List an entry as damaged from now on, because what is in it cannot be used."""
        path = self._path(owner, entry_id)
        with contextlib.suppress(OSError), self._lock:
            status = path.stat()
            self._known[path] = _stamp(status), Damaged(entry_id, status.st_mtime, status.st_size)

    # ---- writing

    def keep_run(self, owner: str, entry: Entry, learned: Learned) -> None:
        """Keep a run, or what it has learned since; raise `LibraryError` if that is impossible."""
        entry = replace(entry, name=entry.name[: entries.MAX_NAME])
        self._write(owner, entry.id, entries.packed_run(entry, learned), entry)

    def keep_files(self, owner: str, entry: Entry, contents: Sequence[bytes]) -> None:
        """Keep a tokenizer that was opened from these files; raise `LibraryError` if that is impossible."""
        entry = replace(entry, name=entry.name[: entries.MAX_NAME])
        self._write(owner, entry.id, entries.packed_files(entry, contents), entry)

    def rename(self, owner: str, entry_id: str, name: str) -> None:
        """Give an entry another name; raise `LibraryError` if it is damaged or cannot be written."""
        with self._lock:
            self._write(owner, entry_id, entries.renamed(self._content(owner, entry_id), name))

    def delete(self, owner: str, entry_id: str) -> None:
        """Delete an entry, whole or damaged; raise `LibraryError` if that is impossible."""
        path = self._path(owner, entry_id)
        with self._lock, _told():
            path.unlink(missing_ok=True)
            self._known.pop(path, None)

    def visit(self, owner: str) -> None:
        """Note that the owner was here."""
        write_numbers(self._folder(owner) / SEEN, self.clock.now())

    def forget_owners(self, unseen_seconds: float, *, but: str = "") -> None:
        """Delete the folders of owners who were not here for so long by the library's own clock, except one."""
        now = self.clock.now()
        with contextlib.suppress(OSError):
            for folder in self.root.iterdir():
                if folder.name == but or not _OWNER.fullmatch(folder.name) or folder.is_symlink():
                    continue
                (seen,) = read_numbers(folder / SEEN, 1) or (None,)
                if seen is None or seen > now:  # kept by an older version, or the clock's file was lost
                    write_numbers(folder / SEEN, now)
                elif now - seen > unseen_seconds:
                    shutil.rmtree(folder, ignore_errors=True)

    # ---- the folder

    def _folder(self, owner: str) -> Path:
        if not _OWNER.fullmatch(owner):
            raise LibraryError("an owner must be named by letters and digits", "library_owner")
        return self.root / owner

    def _path(self, owner: str, entry_id: str) -> Path:
        if not is_entry_id(entry_id):
            raise damaged("its id is wrong")
        return self._folder(owner) / f"{entry_id}{SUFFIX}"

    def _files(self, owner: str) -> list[Path]:
        """Return the files of an owner's entries; delete temporary files that were left behind."""
        with contextlib.suppress(OSError):
            listed = list(os.scandir(self._folder(owner)))
            for each in listed:
                if each.name.endswith(".tmp") and abs(time.time() - each.stat().st_mtime) > STALE_SECONDS:
                    Path(each.path).unlink(missing_ok=True)
            return [
                Path(each.path)
                for each in listed
                if each.name.endswith(SUFFIX) and is_entry_id(each.name.removesuffix(SUFFIX))
            ]
        return []

    def _look_at(self, path: Path) -> Entry | Damaged | None:
        """Return what is in a file, read and checked once until the file changes; None if it is gone."""
        try:
            status = path.lstat()
        except OSError:
            return None
        with self._lock:
            known = self._known.get(path)
        if known is not None and known[0] == _stamp(status):
            return known[1]
        found: Entry | Damaged
        try:
            content = _read(path)
            found = entries.read_entry(content)
            if found.run is not None:
                entries.read_learned(content, found)
            if found.id != path.name.removesuffix(SUFFIX):
                raise damaged("it has another id")
        except (LibraryError, OSError):
            found = Damaged(path.name.removesuffix(SUFFIX), status.st_mtime, status.st_size)
        with self._lock:
            self._known[path] = _stamp(status), found
        return found

    def _content(self, owner: str, entry_id: str) -> bytes:
        with _told():
            return _read(self._path(owner, entry_id))

    def _read_whole(self, owner: str, entry: Entry, read: Callable[[bytes], T]) -> T:
        try:
            return read(self._content(owner, entry.id))
        except LibraryError:
            self.set_aside(owner, entry.id)
            raise

    def _write(self, owner: str, entry_id: str, content: bytes, known: Entry | None = None) -> None:
        """Write a file beside its place, bring it to the disk, and rename it; what is known need not be read."""
        path = self._path(owner, entry_id)
        with self._lock, _told():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._check_quota(path, len(content))
            handle, beside = tempfile.mkstemp(".tmp", dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                    stamp = _stamp(os.fstat(file.fileno()))
                Path(beside).replace(path)
                if known is not None:
                    self._known[path] = stamp, known
            except BaseException:
                Path(beside).unlink(missing_ok=True)
                raise

    def _check_quota(self, path: Path, size: int) -> None:
        """Refuse what the owner may not keep; what is kept already may grow until the bytes are full."""
        if shutil.disk_usage(path.parent).free < size + MIN_FREE_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sizes = {each: each.lstat().st_size for each in self._files(path.parent.name) if each != path}
        if len(sizes) >= self.quota.entries:
            raise LibraryError(
                f"at most {self.quota.entries} tokenizers are kept", "library_entries", limit=self.quota.entries
            )
        if sum(sizes.values()) + size > self.quota.bytes:
            megabytes = round(self.quota.bytes / 2**20)
            raise LibraryError(f"at most {megabytes} MB are kept", "library_megabytes", limit=megabytes)


def _read(path: Path) -> bytes:
    """Read a file, of a large one only one byte more than the limit; never follow a link."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # a pipe would keep us waiting
        flags |= getattr(os, name, 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        return file.read(entries.MAX_ENTRY_BYTES + 1)


def _stamp(status: os.stat_result) -> tuple[int, int]:
    return status.st_mtime_ns, status.st_size


def _date(found: Entry | Damaged) -> float:
    return found.created if isinstance(found, Entry) else found.saved


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Within this context, raise what the system refuses as a `LibraryError` that says why."""
    try:
        yield
    except OSError as error:
        raise _refusal(error) from None


def _refusal(error: OSError) -> LibraryError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return LibraryError("the disk must have room for the library; it is full", "library_disk_full")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return LibraryError("the library's folder must be writable; it is not", "library_not_writable")
    why = error.strerror or type(error).__name__
    return LibraryError(f"the library's folder must be usable; {why}", "library_unusable", why=why)
