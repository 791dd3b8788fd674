"""What a click costs the server, page by page: prints a Markdown table.

    pip install -r tests/requirements.txt
    python -m tests.benchmarks.bench_runs [another checkout]

One visitor, a websocket as the browser opens it, clicks on each page again and again: on Home and Compare with
another text each time, on Languages with nothing new. The run is the time of the script on the server, and the
processor's the part of it in which its thread worked; the client waits from the message that says what was clicked
to the end of the run, with all that is to be drawn received. The peer is an empty page of Streamlit, and another
checkout of this app if one is given; all servers are up at once, and the clicks take turns.
"""

import itertools
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from streamlit.proto.WidgetStates_pb2 import WidgetStates

from tests.benchmarks.bench_load import Visit
from tests.benchmarks.bench_visitors import text_states
from tests.benchmarks.tables import Row, machine, show
from tests.benchmarks.visits import free_port, wait_healthy
from tests.helpers.paths import REPOSITORY

PAGES = ("home", "compare", "languages")
CLICKS = 100
WARMING = 8
"""Clicks before those that count."""
EMPTY = 'import streamlit as st\n\nst.write("nothing")\n'
TIMED = """
import sys, time
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.web.cli import main

log, run = open(sys.argv.pop(1), "w", buffering=1), ScriptRunner._run_script

def timed(self, data):
    started = time.perf_counter(), time.thread_time()
    try:
        return run(self, data)
    finally:
        print(time.perf_counter() - started[0], time.thread_time() - started[1], file=log)

ScriptRunner._run_script = timed
main()
"""
"""Streamlit, with the seconds of each run in a file: in all, and of the processor."""


@dataclass
class Clicked:
    """One visitor of a server, and the seconds of the clicks."""

    name: str
    visit: Visit
    log: Path
    waits: list[float] = field(default_factory=list)
    runs: list[list[float]] = field(default_factory=list)

    def click(self, page: str, states: WidgetStates) -> None:
        self.waits.append(self.visit.click(page, states))
        self.runs.append([float(each) for each in self.log.read_text().splitlines()[-1].split()])

    def row(self, page: str) -> Row:
        """The medians in milliseconds, each with the value below which 95 of 100 are."""
        waits, runs, worked = (
            [1000 * each for each in part] for part in (self.waits, *zip(*self.runs, strict=True))
        )
        medians = [f"{statistics.median(part):.1f}" for part in (runs, waits, worked)]
        highest = [f"{sorted(part)[int(0.95 * len(part))]:.1f}" for part in (runs, waits)]
        return [page, self.name, medians[0], highest[0], medians[1], highest[1], medians[2]]


@contextmanager
def served(name: str, checkout: Path, folder: Path) -> Iterator[Clicked]:
    """An app of its own, which writes into the folder how long each run took."""
    port, log = free_port(), folder / f"runs of {name}"
    options = ["--server.port", str(port), "--server.headless", "true", "--runner.postScriptGC", "false"]
    command = [sys.executable, "-c", TIMED, str(log), "run", "app.py", *options]
    with subprocess.Popen(
        command,
        cwd=checkout,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TOKENIZER_EXPLORER_LIBRARY": "off"},
    ) as server:
        try:
            wait_healthy(f"http://127.0.0.1:{port}")
            yield Clicked(name, Visit(f"http://127.0.0.1:{port}"), log)
        finally:
            server.terminate()


def click_in_turn(servers: Sequence[Clicked], page: str) -> None:
    """Click as often on each server; the first clicks do not count."""
    texts = text_states(page) if page in ("home", "compare") else itertools.repeat(WidgetStates())
    for server in servers:
        server.visit.click(page, WidgetStates())
    for states in itertools.islice(texts, WARMING + CLICKS):
        for server in servers:
            server.click(page, states)
    for server in servers:
        del server.waits[:WARMING], server.runs[:WARMING]


def main() -> None:
    """All pages of all checkouts."""
    checkouts = [REPOSITORY, *(Path(each).resolve() for each in sys.argv[1:])]
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
        (folder / "app.py").write_text(EMPTY)
        empty = running.enter_context(served("an empty page", folder, folder))
        servers = [running.enter_context(served(each.name, each, folder)) for each in checkouts]
        click_in_turn([empty], "home")
        rows = [empty.row("")]
        for page in PAGES:
            click_in_turn(servers, page)
            for server in servers:
                rows.append(server.row(page))
                server.waits.clear()
                server.runs.clear()
    print(f"{machine()}\n")
    head = ("run p50, ms", "p95", "client p50, ms", "p95", "processor p50, ms")
    show("A click", ["page", "", *head], rows)


if __name__ == "__main__":
    main()
