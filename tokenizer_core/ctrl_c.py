"""Ctrl-C on the command line ends the program at once: nothing half done stays, and one sentence says so.

The signals of `kill` and of a closed terminal end it in the same way.

Nothing is raised. Python raises KeyboardInterrupt wherever it is, also where nobody expects it: within an import,
a callback, or the code of a library. There it is printed, forgotten, or crashes the program.
"""

import atexit
import glob
import os
import platform
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
_presses: list[int] = []
_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def is_command() -> bool:
    """Return whether this process is the command line: `tokenizer-explorer`, or `python -m tokenizer_core`."""
    is_worker = "--multiprocessing-fork" in sys.orig_argv  # of this program, which ends it
    return not is_worker and (sys.argv[0] == "-m" or Path(sys.argv[0]).stem == SCRIPT)


def end_at_once() -> None:
    """From now on, let Ctrl-C end this process, unless the shell made it ignore Ctrl-C."""
    for number in _ENDING:
        if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, _end)
            atexit.register(signal.signal, number, signal.SIG_IGN)  # too late: Python exits


def end_as_python_does() -> None:
    """Leave the signals to a program that runs within this one."""
    for number in _ENDING:
        if signal.getsignal(number) is _end:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def _end(number: int = signal.SIGINT, frame: object = None) -> None:
    if _holds:
        _presses.append(number)
        return
    _holds.append(None)  # pressed again, it changes nothing
    for undo in reversed(list(_undo)):
        with suppress(Exception):
            undo()
    with suppress(OSError):
        os.write(2, f"{_sentence()}\n".encode())  # sys.stderr may be at work
    os._exit(128 + number)


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
            _end(_presses[0])


def is_written_through(path: Path) -> bool:
    """Return whether a path is a link, a device or a FIFO, which no file may replace."""
    return path.is_symlink() or (path.exists() and not path.is_file())


@contextmanager
def replacing(*paths: Path) -> Iterator[list[Path]]:
    """Yield a file to write beside each path; at the end all of them replace the paths, or none is left.

    A link, a device or a FIFO is itself the file to write.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a.txt") as (part,):
    ...         written = part.write_text("a cat")
    ...     print([path.name for path in Path(folder).iterdir()])
    ['a.txt']
    """
    parts = [path if is_written_through(path) else _part_of(path) for path in paths]
    replaced = [(part, path) for part, path in zip(parts, paths) if part != path]

    def remove() -> None:
        for part, _ in replaced:
            with suppress(OSError):
                part.unlink()

    with undone(remove):
        try:
            yield parts
            with held():
                for part, path in replaced:
                    part.replace(path)
                _written.extend(paths)
        finally:
            remove()


def _part_of(file: Path) -> Path:
    """Return the name of a file to write beside this one; remove those that killed processes have left."""
    begin = f".{file.name}.{platform.node()}-"  # another machine may share the folder
    for part in file.parent.glob(f"{glob.escape(begin)}*.part"):
        if _is_gone(part.name.removeprefix(begin).removesuffix(".part")):
            with suppress(OSError):
                part.unlink()
    return file.with_name(f"{begin}{os.getpid()}.part")


def _is_gone(process: str) -> bool:
    if sys.platform == "win32" or not process.isdecimal():  # to ask about a process would end it there
        return False
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        pass
    return False
