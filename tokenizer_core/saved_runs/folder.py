"""Saved runs in a folder: one folder for each owner, one file for each tokenizer.

A file is written beside its place and then renamed, so it is always whole, whoever writes at the same time. The
names that people give are inside the files, never in their paths.
"""

import contextlib
import errno
import hashlib
import os
import re
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizer_core.errors import SavedRunsError
from tokenizer_core.saved_runs import entry as entries
from tokenizer_core.saved_runs.entry import Entry, Learned, is_entry_id

SUFFIX = ".zip"
SEEN = ".seen"
"""A file in an owner's folder, touched at each visit."""
MIN_FREE_BYTES = 100 * 2**20
"""Bytes left free on the disk."""
STALE_SECONDS = 3600.0
"""Age at which a temporary file was left behind by a process that was killed."""
_OWNER = re.compile(r"[a-z0-9]{1,64}")


@dataclass(frozen=True)
class Damaged:
    """An entry that cannot be read."""

    id: str
    created: float
    """The date of its file."""
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


class SavedRuns:
    """The saved tokenizers of all owners. All methods may be called from several threads."""

    def __init__(self, root: Path, quota: Quota) -> None:
        self.root = root
        self.quota = quota
        self._known: dict[Path, tuple[tuple[int, int], Entry | Damaged]] = {}
        self._lock = threading.RLock()

    # ---- reading

    def entries(self, owner: str) -> list[Entry | Damaged]:
        """Return all entries of an owner, oldest first; none if the folder cannot be read."""
        found = [self._look_at(path) for path in self._files(owner)]
        return sorted((each for each in found if each), key=lambda each: (each.created, each.id))

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
        """Read what a run has learned; raise `SavedRunsError` if that is impossible."""
        return entries.read_learned(self._content(owner, entry.id), entry)

    def files_of(self, owner: str, entry: Entry) -> list[bytes]:
        """Read the files that a tokenizer was opened from; raise `SavedRunsError` if that is impossible."""
        return entries.read_files(self._content(owner, entry.id))

    # ---- writing

    def keep_run(self, owner: str, entry: Entry, learned: Learned) -> None:
        """Keep a run, or what it has learned since; raise `SavedRunsError` if that is impossible."""
        self._write(owner, entry.id, entries.packed_run(entry, learned))

    def keep_files(self, owner: str, entry: Entry, contents: Sequence[bytes]) -> None:
        """Keep a tokenizer that was opened from these files; raise `SavedRunsError` if that is impossible."""
        self._write(owner, entry.id, entries.packed_files(entry, contents))

    def rename(self, owner: str, entry_id: str, name: str) -> None:
        """Give an entry another name; raise `SavedRunsError` if it is damaged or cannot be written."""
        with self._lock:
            self._write(owner, entry_id, entries.renamed(self._content(owner, entry_id), name))

    def delete(self, owner: str, entry_id: str) -> None:
        """Delete an entry, whole or damaged; raise `SavedRunsError` if that is impossible."""
        path = self._path(owner, entry_id)
        with self._lock, _system_refusals():
            path.unlink(missing_ok=True)
            self._known.pop(path, None)

    def visit(self, owner: str) -> None:
        """Note that the owner was here."""
        with contextlib.suppress(OSError):
            (self._folder(owner) / SEEN).touch()

    def forget_owners(self, unseen_seconds: float, *, but: str = "") -> None:
        """Delete the folders of owners who were not here for this time, except one."""
        with contextlib.suppress(OSError):
            for folder in self.root.iterdir():
                if folder.name == but or not _OWNER.fullmatch(folder.name) or folder.is_symlink():
                    continue
                seen = folder / SEEN
                if not seen.exists():
                    seen.touch()
                elif time.time() - seen.stat().st_mtime > unseen_seconds:
                    shutil.rmtree(folder, ignore_errors=True)

    # ---- the folder

    def _folder(self, owner: str) -> Path:
        if not _OWNER.fullmatch(owner):
            raise SavedRunsError("saved_owner")
        return self.root / owner

    def _path(self, owner: str, entry_id: str) -> Path:
        if not is_entry_id(entry_id):
            raise SavedRunsError("entry_damaged")
        return self._folder(owner) / f"{entry_id}{SUFFIX}"

    def _files(self, owner: str) -> list[Path]:
        """Return the files of an owner's entries; delete temporary files that were left behind."""
        folder = self._folder(owner)
        with contextlib.suppress(OSError):
            for left in folder.glob("*.tmp"):
                if time.time() - left.stat().st_mtime > STALE_SECONDS:
                    left.unlink(missing_ok=True)
            return [path for path in folder.glob(f"*{SUFFIX}") if is_entry_id(path.stem)]
        return []

    def _look_at(self, path: Path) -> Entry | Damaged | None:
        """Return what is in a file, read and checked once until the file changes; None if it is gone."""
        try:
            status = path.lstat()
        except OSError:
            return None
        stamp = status.st_mtime_ns, status.st_size
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        found: Entry | Damaged
        try:
            if not stat.S_ISREG(status.st_mode) or status.st_size > entries.MAX_ENTRY_BYTES:
                raise SavedRunsError("entry_damaged")
            content = path.read_bytes()
            found = entries.read_entry(content)
            if found.run is not None:
                entries.read_learned(content, found)
            if found.id != path.stem:
                raise SavedRunsError("entry_damaged")
        except (SavedRunsError, OSError):
            found = Damaged(path.stem, status.st_mtime, status.st_size)
        self._known[path] = stamp, found
        return found

    def _content(self, owner: str, entry_id: str) -> bytes:
        with _system_refusals():
            return self._path(owner, entry_id).read_bytes()

    def _write(self, owner: str, entry_id: str, content: bytes) -> None:
        """Write a file beside its place, flush it to the disk, and rename it."""
        path = self._path(owner, entry_id)
        with self._lock, _system_refusals():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._check_quota(path, len(content))
            handle, beside = tempfile.mkstemp(".tmp", dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                Path(beside).replace(path)
            except BaseException:
                Path(beside).unlink(missing_ok=True)
                raise

    def _check_quota(self, path: Path, size: int) -> None:
        """Refuse a new entry beyond the quota, and any that fills the bytes or the disk."""
        if shutil.disk_usage(path.parent).free < size + MIN_FREE_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sizes = {each: each.lstat().st_size for each in self._files(path.parent.name) if each != path}
        if len(sizes) >= self.quota.entries:
            raise SavedRunsError("saved_entries", limit=self.quota.entries)
        if sum(sizes.values()) + size > self.quota.bytes:
            raise SavedRunsError("saved_megabytes", limit=round(self.quota.bytes / 2**20))


@contextlib.contextmanager
def _system_refusals() -> Iterator[None]:
    """Within this context, raise an `OSError` as a `SavedRunsError` that says why."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise SavedRunsError("saved_disk_full") from None
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise SavedRunsError("saved_not_writable") from None
        raise SavedRunsError("saved_unusable", why=error.strerror or type(error).__name__) from None
