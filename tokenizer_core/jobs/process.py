"""Separate processes: how they start, how much memory they may take, and how they exchange data with the app.

A process runs `python -m` with one of the modules beside this file. It reads from stdin one line of JSON, its
description, and then texts as raw UTF-8. It writes to stdout one line of JSON for each event.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from tokenizer_core.errors import TokenizerError

NICENESS = 19
"""Every other process on this machine goes first, from a process's first moment: importing is half of a start."""
MEMORY_BYTES = 4 * 2**30
"""Memory that a process may take beyond what it has when it starts."""

CANNOT_START = (OSError, RuntimeError, MemoryError)
"""What the system answers if there are no more processes, threads or memory."""

Process = subprocess.Popen[bytes]


@dataclass(frozen=True)
class Failure:
    """Why a process failed: a code, values and a message, as in `TokenizerError`."""

    code: str
    values: dict[str, Any] = field(default_factory=dict)
    message: str = ""

    @classmethod
    def of(cls, error: TokenizerError) -> "Failure":
        """Return the failure that says the same as an error."""
        return cls(error.code, error.values, str(error))


# ---- from the app's side


def start_process(module: str, *, with_log: bool = False) -> Process:
    """Start a module beside this file as a process, which waits for its description.

    `with_log` gives its stderr, which the caller must read; otherwise nobody sees it.
    """
    process = subprocess.Popen(
        [sys.executable, "-X", "utf8", "-m", f"{__package__}.{module}"],
        cwd=Path(__file__).resolve().parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if with_log else subprocess.DEVNULL,
    )
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    return process


def end_process(process: Process) -> None:
    """Kill a process that nobody listens to."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):  # a pipe of a killed process takes no more
            if pipe is not None:
                pipe.close()
    process.wait()


def is_suspended(process: Process) -> bool:
    """Tell whether something has halted a process (SIGSTOP), as far as the system says so (Linux)."""
    try:
        return Path(f"/proc/{process.pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"
    except (OSError, IndexError):
        return False


@contextlib.contextmanager
def starting(error: type[TokenizerError]) -> Iterator[None]:
    """Within this context, raise this error if the system gives no more processes, threads or memory."""
    try:
        yield
    except CANNOT_START as why:
        raise error(f"no process could be started: {why}", "worker_not_started") from None


def hand_over(process: Process, description: dict[str, Any], texts: Sequence[str | bytes]) -> None:
    """Write the description and the texts, or files; raise `OSError` if the process has died."""
    assert process.stdin is not None
    sizes = [len(_encoded(text)) for text in texts]
    process.stdin.write(json.dumps(description | {"text_bytes": sizes}).encode() + b"\n")
    for text in texts:
        process.stdin.write(_encoded(text))
    process.stdin.flush()


def _encoded(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def events_of(process: Process) -> Iterator[dict[str, Any]]:
    """Yield the events of a process until it ends; skip the half line that a killed process may leave."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.endswith(b"\n"):
            yield json.loads(line)
    process.stdout.close()
    process.wait()


# ---- within the process


def receive(stream: BinaryIO) -> dict[str, Any] | None:
    """Read the description and limit the memory from here on; return None if the app is gone."""
    line = stream.readline()
    if not line:
        return None
    description: dict[str, Any] = json.loads(line)
    limit_memory(description["memory_bytes"])
    return description


def receive_for_parquet(stream: BinaryIO) -> dict[str, Any] | None:
    """Get ready to read a stranger's Parquet file, then do the same."""
    import pyarrow as pa  # before the memory is limited

    pa.set_memory_pool(pa.system_memory_pool())  # the default one asks for far more than it needs
    return receive(stream)


def texts_in(stream: BinaryIO, description: dict[str, Any]) -> Iterator[str]:
    """Yield the texts that follow a description, one by one."""
    for content in contents_in(stream, description):
        yield content.decode("utf-8", "surrogatepass")


def contents_in(stream: BinaryIO, description: dict[str, Any]) -> Iterator[bytes]:
    """Do the same without decoding: the UTF-8 of texts, or files."""
    for size in description["text_bytes"]:
        yield stream.read(size)


def send(event: str, *, is_valid: bool = False, **values: Any) -> None:
    """Write one event as a line on stdout; `is_valid` promises that no text in it has half a surrogate pair."""
    sys.stdout.write(json.dumps({"event": event, **values}, ensure_ascii=not is_valid) + "\n")
    sys.stdout.flush()


@contextlib.contextmanager
def failures_sent() -> Iterator[None]:
    """Within this context, send a `TokenizerError` or a full memory as the event "failed"."""
    try:
        yield
    except TokenizerError as error:
        send("failed", code=error.code, values=error.values, message=str(error))
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "new thread" not in str(error):  # no memory for its stack
            raise
        send("failed", code="out_of_memory", values={}, message="the process must fit in its memory; it is full")


def limit_memory(more: int | None) -> None:
    """Limit this process to `more` bytes beyond what it has now, if the system can enforce it."""
    if more is None or sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError), Path("/proc/self/statm").open(encoding="ascii") as figures:
        used = int(figures.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.getrlimit(resource.RLIMIT_AS)[1]))
