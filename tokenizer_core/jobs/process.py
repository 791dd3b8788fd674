"""A process of its own: how it is started, what it may take, and what passes between it and the app.

A process is `python -m` one of the modules beside this file. On stdin comes one line of JSON, its description, and
then texts as raw UTF-8; lines of JSON go out on stdout, one for each event.
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
MEMORY_BYTES = 4 * 2**30
"""What a process may take beyond what it has when it starts."""

Process = subprocess.Popen[bytes]


@dataclass(frozen=True)
class Failure:
    """Why a process ended without being asked to: as in `TokenizerError`."""

    code: str
    values: dict[str, Any] = field(default_factory=dict)
    message: str = ""

    @classmethod
    def of(cls, error: TokenizerError) -> "Failure":
        """The same as the error says."""
        return cls(error.code, error.values, str(error))


# ---- from the app's side


def start_process(module: str) -> Process:
    """Start a module beside this file; it waits for its description."""
    return subprocess.Popen(
        [sys.executable, "-X", "utf8", "-m", f"{__package__}.{module}"],
        cwd=Path(__file__).resolve().parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def end_process(process: Process) -> None:
    """End a process that nobody listens to."""
    process.kill()
    with contextlib.suppress(OSError):
        process.communicate()


def hand_over(process: Process, description: dict[str, Any], texts: Sequence[str]) -> None:
    """Write the description and the texts; raises `OSError` where the process has died."""
    assert process.stdin is not None
    sizes = [len(text.encode("utf-8", "surrogatepass")) for text in texts]
    process.stdin.write(json.dumps(description | {"text_bytes": sizes}).encode() + b"\n")
    for text in texts:
        process.stdin.write(text.encode("utf-8", "surrogatepass"))
    process.stdin.flush()


def events_of(process: Process) -> Iterator[dict[str, Any]]:
    """The events of a process as they come, until it ends; one that was killed may leave half a line."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.endswith(b"\n"):
            yield json.loads(line)
    process.stdout.close()
    process.wait()


# ---- within the process


def be_nice() -> None:
    """Let everything else on this machine go first."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def receive(stream: BinaryIO) -> dict[str, Any] | None:
    """The description, from which on memory is limited; None where the app has gone."""
    line = stream.readline()
    if not line:
        return None
    description: dict[str, Any] = json.loads(line)
    limit_memory(description["memory_bytes"])
    return description


def texts_in(stream: BinaryIO, description: dict[str, Any]) -> Iterator[str]:
    """The texts that follow a description, one by one."""
    for size in description["text_bytes"]:
        yield stream.read(size).decode("utf-8", "surrogatepass")


def send(event: str, **values: Any) -> None:
    """One event, as a line on stdout."""
    sys.stdout.write(json.dumps({"event": event, **values}) + "\n")
    sys.stdout.flush()


@contextlib.contextmanager
def failures_sent() -> Iterator[None]:
    """Whatever the core refuses within, and a memory that is full, is sent as the event "failed"."""
    try:
        yield
    except TokenizerError as error:
        send("failed", code=error.code, values=error.values, message=str(error))
    except MemoryError:
        send("failed", code="out_of_memory", values={}, message="the memory given to this process is full")


def limit_memory(more: int | None) -> None:
    """Let this process have at most `more` bytes beyond what it has now, where the system can hold it to that."""
    if more is None or sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError), Path("/proc/self/statm").open(encoding="ascii") as figures:
        used = int(figures.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.getrlimit(resource.RLIMIT_AS)[1]))
