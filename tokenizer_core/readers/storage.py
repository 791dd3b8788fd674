"""Open files wherever they are: on this machine by a path, elsewhere by an address such as s3://bucket/file.txt.

Addresses are opened by fsspec, which needs a package for some kinds of storage: s3fs for s3://, gcsfs for gs://.
"""

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tokenizer_core.errors import CorpusError

_MARK = "://"
_WILD = "*?["


@contextmanager
def opened(name: str) -> Iterator[io.BufferedReader]:
    """Open a file to read its bytes; raise `OSError` if that fails."""
    if not is_address(name):
        with Path(name).open("rb") as file:
            yield file
        return
    system, path = _system(name)
    with _failures_as_os_errors(name):
        file = system.open(path, "rb")
    with io.BufferedReader(file) as buffered:  # some storages cannot read only what has arrived
        yield buffered


def is_address(name: str) -> bool:
    """Tell an address from a path.

    >>> is_address("s3://bucket/a.txt"), is_address("folder/a.txt")
    (True, False)
    """
    return _MARK in name


def bytes_of(name: str) -> int | None:
    """Return the size of a file; None if its storage does not tell. Raises `OSError` if it is not there."""
    if not is_address(name):
        return Path(name).stat().st_size
    system, path = _system(name)
    with _failures_as_os_errors(name):
        size = system.info(path).get("size")
    return size if isinstance(size, int) else None


def expanded(names: Sequence[str]) -> list[str]:
    """Replace each address with * ? [ by the files that match it, sorted by name; leave other names.

    Raises `CorpusError` for an address that no file matches.
    """
    found: list[str] = []
    for name in names:
        if not is_address(name) or not set(_WILD) & set(name):
            found.append(name)
            continue
        system, path = _system(name)
        with _failures_as_os_errors(name):
            paths = sorted(system.glob(path))
        if not paths:
            raise CorpusError("no_file_fits", pattern=name)
        found += [system.unstrip_protocol(each) for each in paths]
    return found


def everywhere(name: str) -> str:
    """Return a name that means the same file for a process started in any folder."""
    return name if is_address(name) or name == "-" else os.path.abspath(name)  # noqa: PTH100  links stay


def _system(name: str) -> tuple[Any, str]:
    """Return the storage of an address and the path there."""
    import fsspec  # 0.1 s to import, and most files are on this machine

    try:
        system, path = fsspec.core.url_to_fs(name)
    except (ImportError, ValueError) as error:  # the package for this storage is not installed, or it is unknown
        why = " ".join(str(error).split())
        raise CorpusError("storage_unknown", address=name, why=why) from None
    return system, path


@contextmanager
def _failures_as_os_errors(name: str) -> Iterator[None]:
    """Turn the errors of a storage into an `OSError` with the address as its file name."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno or 0, error.strerror or str(error) or type(error).__name__, name) from error
    except Exception as error:  # each storage has its own kinds of errors
        why = f"{type(error).__name__}: {error}"
        raise OSError(0, why, name) from error
