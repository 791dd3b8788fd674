"""Ctrl-C on the command line ends the program at once: nothing half done stays, and one sentence says so.

Nothing is raised. Python raises KeyboardInterrupt wherever it is, also where nobody expects it: within an import,
a callback, or the code of a library. There it is printed, forgotten, or crashes the program.
"""

import atexit
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SCRIPT = "tokenizer-explorer"
INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 and the number of the signal."""

# A signal belongs to the process, and so does this.
_undo: list[Callable[[], object]] = []
_written: list[Path] = []
_holds: list[None] = []
_presses: list[None] = []


def is_command() -> bool:
    """Return whether this process is the command line: `tokenizer-explorer`, or `python -m tokenizer_core`."""
    return sys.argv[0] == "-m" or Path(sys.argv[0]).stem == SCRIPT


def end_at_once() -> None:
    """From now on, let Ctrl-C end this process, unless the shell made it ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # too late: Python exits


def _end(number: int = signal.SIGINT, frame: object = None) -> None:
    if _holds:
        _presses.append(None)
        return
    _holds.append(None)  # pressed again, it changes nothing
    for undo in reversed(list(_undo)):
        with suppress(Exception):
            undo()
    with suppress(OSError):
        os.write(2, f"{_sentence()}\n".encode())  # sys.stderr may be at work
    os._exit(INTERRUPTED)


def _sentence() -> str:
    command = "".join(f"{name}: " for name in sys.argv[1:2])
    written = f" after writing {' and '.join(map(str, _written))}" if _written else "; no file was written"
    return f"{command}stopped{written}"


@contextmanager
def undone(undo: Callable[[], object]) -> Iterator[None]:
    """Call `undo` if Ctrl-C ends the program within this context."""
    _undo.append(undo)
    try:
        yield
    finally:
        _undo.remove(undo)


@contextmanager
def held() -> Iterator[None]:
    """Delay Ctrl-C until this context ends; threads and processes started within it never receive it."""
    _holds.append(None)
    has_masks = hasattr(signal, "pthread_sigmask")  # Windows has none
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if has_masks else set()
    try:
        yield
    finally:
        if has_masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _holds.pop()
        if _presses and not _holds:
            _end()


@contextmanager
def replacing(*paths: Path) -> Iterator[list[Path]]:
    """Yield a file to write beside each path; at the end all of them replace the paths, or none is left.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a.txt") as (part,):
    ...         written = part.write_text("a cat")
    ...     print([path.name for path in Path(folder).iterdir()])
    ['a.txt']
    """
    parts = [path.with_name(f".{path.name}.{os.getpid()}.part") for path in paths]

    def remove() -> None:
        for part in parts:
            with suppress(OSError):
                part.unlink()

    with undone(remove):
        try:
            yield parts
            with held():
                for part, path in zip(parts, paths):
                    part.replace(path)
                _written.extend(paths)
        finally:
            remove()
