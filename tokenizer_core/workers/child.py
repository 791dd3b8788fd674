"""Child processes: how they start, how they talk with the app, how much memory they may take, and how they end.

A child runs `python -m` with a module beside this file, or with one given by its full name. The app writes lines
of JSON to its stdin: a description, which texts or files may follow as raw bytes, and then perhaps commands. The
child writes a line of JSON to stdout for each event. When the app ends, stdin ends, and so does the child.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

from tokenizer_core.errors import TokenizerError

NICENESS = 19
"""Every other process on this machine goes first."""
MEMORY_BYTES = 4 * 2**30
"""Memory that a child may take beyond what it has when it starts."""
CANNOT_START = (OSError, RuntimeError, MemoryError)
"""What the system answers if there are no more processes, threads or memory."""
Order = tuple[Mapping[str, Any], Sequence[str | bytes]]
"""The description of some work, and the texts or files that go with it."""


# ---- from the app's side


class Child:
    """A child process and its pipes. `send` never waits: a thread writes, while the caller reads the events.

    `died` is raised by `events` if the child ends too early, and its class is that of every error of the child.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        died: TokenizerError | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        """Start a module; a thread hands each line that it writes to stderr to `log`.

        Raises the error "worker_not_started" if the system has no more processes, threads or memory.
        """
        self._died = died
        self._error = TokenizerError if died is None else type(died)
        self._outbox: SimpleQueue[Order | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._write, daemon=True)]
        if log is not None:
            self._threads.append(threading.Thread(target=self._read_log, args=(log,), daemon=True))
        module = module if "." in module else f"{__package__}.{module}"
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-X", "utf8", "-m", module, *arguments],
                cwd=Path(__file__).resolve().parents[2],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if log else subprocess.DEVNULL,
            )
        except CANNOT_START as error:
            raise self._error("worker_not_started") from error
        if hasattr(os, "setpriority"):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.pid, NICENESS)
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:  # no thread is left
            with contextlib.suppress(OSError), self._process:
                self.kill()
            raise self._error("worker_not_started") from error

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Tell whether the process runs."""
        return self._process.poll() is None

    def send(self, description: Mapping[str, Any], contents: Sequence[str | bytes] = ()) -> None:
        """Send a description with its texts or files, or a command."""
        self._outbox.put((description, contents))

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield events up to the one at which the caller stops.

        Raises what the child failed with, or `died` if it ends before.
        """
        for line in self._lines():
            if line.endswith(b"\n"):  # a killed process may leave half a line
                event: dict[str, Any] = json.loads(line)
                if event["event"] == "failed":
                    raise self._error(event["code"], **event["values"])
                yield event
        if self._died is not None:
            raise self._died.at()  # a new one: it would collect the traceback of each raise
        raise self._error("worker_killed" if self._process.wait() == -9 else "worker_died")

    @contextlib.contextmanager
    def limited(self, seconds: float, late: TokenizerError | None, *, patience: float = 1) -> Iterator[None]:
        """Kill the child if this context takes longer, so that `events` raises `late`.

        With patience, only seconds in which the child computes count, where the system tells them, but at most
        `patience` times as many may pass: on a busy machine, every other process goes first.
        """
        begun, latest = self._computed(), time.monotonic() + patience * seconds
        ended = threading.Event()

        def watch() -> None:
            left = seconds
            while not ended.wait(left):
                left = seconds - (self._computed() - begun) if patience > 1 else 0
                left = min(max(left, 0.05 if left > 0 else 0), latest - time.monotonic())
                if left <= 0 and not ended.is_set():  # it may have answered just now
                    self._died = late
                    self.kill()
                    return

        try:
            threading.Thread(target=watch, daemon=True).start()
        except RuntimeError as error:  # no thread is left
            raise self._error("worker_not_started") from error
        try:
            yield
        finally:
            ended.set()

    def _computed(self) -> float:
        """Return the seconds of processor time that the child has taken; where the system hides them, the time."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return time.monotonic()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """End the process; whoever reads its events closes its pipes."""
        self._process.kill()

    def wait(self) -> None:
        """Wait until the process has ended."""
        self._process.wait()

    def close(self) -> None:
        """End the process, and close its pipes."""
        self.kill()
        self.wait()
        self._outbox.put(None)
        for thread in self._threads:
            thread.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _lines(self) -> Iterator[bytes]:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError):  # another thread has called `close`
            yield from iter(self._process.stdout.readline, b"")

    def _write(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            while order := self._outbox.get():
                for part in _parts(*order):
                    stdin.write(part)
                stdin.flush()
                del order, part  # texts may be large
        except (OSError, MemoryError):
            self.kill()  # whoever reads its events notices
        with contextlib.suppress(OSError):
            stdin.close()

    def _read_log(self, log: Callable[[str], None]) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            for line in lines:
                log(line.decode("utf-8", "replace"))


def _parts(description: Mapping[str, Any], contents: Sequence[str | bytes]) -> Iterator[bytes]:
    """Yield a line of JSON, then the texts or files."""
    sizes = [len(_utf8(content)) for content in contents]
    yield json.dumps({**description, "sizes": sizes}).encode() + b"\n"
    yield from map(_utf8, contents)


def _utf8(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")


class Task:
    """Work in a child, with a turn to wait for, a time limit and a stop. Its own thread takes in the events.

    At most as many tasks as `turns` allows run at the same time; the others wait.
    """

    module: str
    died: TokenizerError
    """The failure if the child ends without an outcome."""
    late: TokenizerError | None = None
    """The failure if the child takes more than `seconds`."""
    read_log: Callable[[str], None] | None = None
    """Takes each line that the child writes to stderr."""

    def __init__(self, *, turns: threading.Semaphore | None, seconds: float | None = None) -> None:
        self.failure: TokenizerError | None = None
        self.stopped = False
        self._seconds = seconds
        self._turns = turns or threading.Semaphore()
        self._child: Child | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()

    @property
    def ended(self) -> bool:
        """Whether the task is over: it has an outcome or a failure, or it was stopped."""
        return self._ended.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for the end, at most this many seconds."""
        self._ended.wait(seconds)

    def stop(self) -> None:
        """End the task, whatever it is doing."""
        with self._lock:
            if not self.ended:
                self.stopped = True
                if self._child is not None:
                    self._child.kill()

    # ---- for the tasks themselves

    def take_in(self, event: dict[str, Any]) -> bool:
        """Take in one event; return whether it is the outcome."""
        raise NotImplementedError

    def start(self, order: Callable[[], Order]) -> None:
        """Do the work in a thread of its own, which calls `order` for what to send when its turn has come."""
        threading.Thread(target=self._run, args=(order,), daemon=True).start()

    def _run(self, order: Callable[[], Order]) -> None:
        try:
            with self._turns:
                self._work(order)
        except TokenizerError as error:
            self.failure = None if self.stopped else error.bare()
        except CANNOT_START:
            self.failure = TokenizerError("worker_not_started")
        finally:
            self._ended.set()

    def _work(self, order: Callable[[], Order]) -> None:
        found = None if self.stopped else order()
        with self._lock:
            if self.stopped or found is None:
                return
            self._child = Child(self.module, died=self.died, log=self.read_log)
        with contextlib.closing(self._child) as child, contextlib.ExitStack() as stack:
            if self._seconds is not None:
                stack.enter_context(child.limited(self._seconds, self.late))
            child.send(*found)
            for event in child.events():
                if self.take_in(event):
                    return


# ---- within the child


def run(
    work: Callable[[dict[str, Any], list[bytes]], None],
    full: TokenizerError | None = None,
    *,
    reads_parquet: bool = False,
) -> None:
    """Do this work on one description with its texts or files; `full` is the failure if the memory is full."""
    if reads_parquet:
        import pyarrow as pa  # before the memory is limited

        pa.set_memory_pool(pa.system_memory_pool())  # the default one asks for far more than it needs
    stream = from_app()
    description = receive(stream)
    if description is None:
        return
    with failures_sent(full):
        contents = list(contents_in(stream, description))
        take_commands(stream, lambda command: None)
        work(description, contents)


def from_app() -> BinaryIO:
    """Open stdin once more: a thread that waits at `sys.stdin` would make an ordinary exit abort."""
    return open(0, "rb", closefd=False)


def receive(stream: BinaryIO) -> dict[str, Any] | None:
    """Read a description and limit the memory from here on; return None if the app is gone."""
    line = stream.readline()
    if not line:
        return None
    description: dict[str, Any] = json.loads(line)
    limit_memory(description["memory_bytes"])
    return description


def contents_in(stream: BinaryIO, description: dict[str, Any]) -> Iterator[bytes]:
    """Yield the files, or the UTF-8 of the texts, that follow a description."""
    for size in description["sizes"]:
        yield stream.read(size)


def take_commands(stream: BinaryIO, take: Callable[[dict[str, Any]], None]) -> None:
    """Hand each command to `take` in a thread; exit at once when the app is gone, because then stdin ends."""

    def listen() -> None:
        try:
            for line in stream:
                take(json.loads(line))
        finally:
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()


def texts_of(contents: Sequence[bytes]) -> Iterator[str]:
    """Decode texts; halves of surrogate pairs stay what they are."""
    for content in contents:
        yield content.decode("utf-8", "surrogatepass")


def send(event: str, *, is_valid: bool = False, **values: Any) -> None:
    """Write one event as a line on stdout; `is_valid` promises that no text in it has half a surrogate pair."""
    sys.stdout.write(json.dumps({"event": event, **values}, ensure_ascii=not is_valid) + "\n")
    sys.stdout.flush()


@contextlib.contextmanager
def failures_sent(full: TokenizerError | None = None) -> Iterator[None]:
    """Within this context, send a `TokenizerError` or a full memory as the event "failed"."""
    try:
        yield
    except TokenizerError as error:
        send("failed", code=error.code, values=error.values)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "new thread" not in str(error):  # no memory for its stack
            raise
        full = full or TokenizerError("out_of_memory")
        send("failed", code=full.code, values=full.values)


def limit_memory(more: int | None) -> None:
    """Limit this process to `more` bytes beyond what it has now, if the system can enforce it."""
    if more is None:
        return
    try:
        import resource
    except ImportError:  # Windows has none
        return
    with contextlib.suppress(OSError, ValueError), Path("/proc/self/statm").open(encoding="ascii") as figures:
        used = int(figures.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + more, resource.getrlimit(resource.RLIMIT_AS)[1]))
