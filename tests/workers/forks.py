"""Processes of jobs as forks of one that is warm already: each spares the half second in which another warms up.

What such a process does, may take and says is the same, as is what ends it; only how it came to be is not. Tests
of that ask for `started_anew`. `python -m tests.workers.forks` is the process that forks.
"""

import contextlib
import ctypes
import inspect
import json
import os
import runpy
import socket
import subprocess
import sys
import threading
import traceback
from types import SimpleNamespace
from typing import Any

from tests.helpers.paths import REPOSITORY

SET_CHILD_SUBREAPER = 36
POSSIBLE = sys.platform == "linux"
"""Elsewhere nobody can take over the child of a child."""


class Forker:
    """The process that forks, which starts when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def fork(self, arguments: list[str], streams: list[int]) -> int:
        """Run a module, given as a command, in a child of this process with these three streams; return its id."""
        description = {"arguments": arguments, "environment": dict(os.environ)}
        with self._lock:
            self._start()
            adopt(True)
            try:
                socket.send_fds(self._socket, [json.dumps(description).encode()], streams)
                return int(self._socket.recv(100))
            finally:
                adopt(False)

    def _start(self) -> None:
        if self._process is not None:
            return
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(180)  # seconds; a stalled fork fails a test
        with theirs:
            command = [sys.executable, "-X", "utf8", "-m", __name__, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
            )

    def close(self) -> None:
        """End it; what it forked is on its own."""
        if self._process is not None:
            self._socket.close()
            self._process.wait()
            self._process = None


FORKER = Forker()


class Forked(subprocess.Popen[bytes]):
    """A process like any other, but for its start."""

    def _execute_child(self, *given: Any) -> None:
        start = inspect.signature(subprocess.Popen._execute_child)  # type: ignore[attr-defined]
        told = start.bind(self, *given).arguments
        streams = [told["p2cread"], told["c2pwrite"], told["errwrite"]]
        self.pid = FORKER.fork(told["args"], streams)
        self._child_created = True
        self._closed_child_pipe_fds = True
        for stream in streams:
            os.close(stream)


FORKING = SimpleNamespace(Popen=Forked, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL)
"""What `tokenizer_core.workers.child` finds in place of the module that starts processes."""


def adopt(orphans: bool) -> None:
    """Become the parent of what our children leave behind, or no longer."""
    if ctypes.CDLL(None, use_errno=True).prctl(SET_CHILD_SUBREAPER, int(orphans), 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


# ---- within the process that forks


def serve(asked: socket.socket) -> None:
    """Warm up, then fork whenever asked, until nobody can ask any more."""
    from tokenizer_core.workers.training_worker import load_loops

    load_loops()
    while True:
        message, streams, _, _ = socket.recv_fds(asked, 2**20, 3)
        if not message:
            return
        reading, writing = os.pipe()
        if not (child := os.fork()):
            if own := os.fork():  # the parent of this one is whoever adopts it
                os.write(writing, str(own).encode())
                os._exit(0)
            asked.close()
            for each in (reading, writing):
                os.close(each)
            run(json.loads(message), streams)
        os.waitpid(child, 0)
        asked.send(os.read(reading, 100))
        for each in (reading, writing, *streams):
            os.close(each)


def run(description: dict[str, Any], streams: list[int]) -> None:
    """Be the process that was asked for, from its streams to its end."""
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    os.environ.clear()
    os.environ.update(description["environment"])
    arguments = description["arguments"]
    module = arguments[arguments.index("-m") + 1]
    sys.modules.pop(module, None)
    code = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
