"""Whether the app holds a class: prints Markdown tables.

    pip install -r tests/requirements.txt
    python -m tests.benchmarks.bench_load [visitors ...] [--sessions 500] [--library]

Each visitor is a websocket as the browser opens it. It opens Home, types, trains the bundled texts to 1,000,
watches as the browser does, compares, and leaves; between two clicks it waits as long as a person would.
A click takes from the message that says so to the end of the script, with all that is to be drawn received.

Each number of visitors has an app of its own and comes twice. Before the first round, one visitor makes the same
visit alone, so that all that pages load when they are first drawn is there. After that visit and each round the
runs expire, and the memory, the processes and the files of the server are read (Linux). At last, sessions come one
after another, for what stays of a session: each opens Home, types, opens Compare, and leaves.
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from pages.ui.frame.status import _parent, _resident
from pages.ui.i18n import catalogue
from tests.benchmarks.bench_visitors import opened, text_states
from tests.benchmarks.tables import Row, machine, show
from tests.benchmarks.visits import free_port, wait_healthy
from tests.helpers.paths import REPOSITORY

THINKING = (1.0, 4.0)
"""Seconds that a person takes between two clicks."""
ASKING = {"in line": 0.8, "waiting": 0.15, "starting": 0.15, "counting": 0.15, "running": 0.3, "paused": 1.5}
"""Seconds between two questions of the stage, by the state of the training, as `feed.js` has them."""
ARRIVING = 10.0
"""Seconds in which all visitors of a class open the app."""
IDLE_VISITS = 5
SIZE = 1_000
EXPIRES_SECONDS = 8
COLLECTED_SECONDS = 20
"""Seconds after which the app has surely collected garbage once more."""
HELD = (
    "trained",
    "told their place",
    *("click of one alone p50, ms", "p95", "max"),
    *("click in the class p50, ms", "p95", "max"),
    *("server peak, MB", "workers peak, MB", "s"),
)
ENDED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
Clicks = list[tuple[str, float]]
"""Of each click, its kind and its seconds."""
PATIENCE = 900.0
"""Seconds after which a training is taken to be lost."""


@dataclass
class Server:
    """A running app."""

    address: str
    process: int

    @property
    def children(self) -> list[int]:
        """The processes that it has started."""
        return [int(each.name) for each in Path("/proc").glob("[0-9]*") if _parent(each) == self.process]

    def standing(self) -> tuple[float, float, int, int]:
        """Return its memory and that of its workers in MB, its processes, and its open files."""
        own, workers = _resident(self.process), sum(map(_resident, self.children))
        files = len(list(Path(f"/proc/{self.process}/fd").iterdir()))
        return own / 2**20, workers / 2**20, len(self.children), files


@contextmanager
def served(*, with_library: bool) -> Iterator[Server]:
    """An app of its own, whose runs and sessions expire soon."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "TOKENIZER_EXPLORER_LIBRARY": folder if with_library else "off",
            "TOKENIZER_EXPLORER_PUBLIC": "1",
            "TOKENIZER_EXPLORER_UNSEEN_HOURS": str(EXPIRES_SECONDS / 3600),
        }
        options = ["--server.port", str(port), "--server.disconnectedSessionTTL", str(EXPIRES_SECONDS)]
        with subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", *options],
            cwd=REPOSITORY,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **settings},
        ) as server:
            try:
                wait_healthy(f"http://127.0.0.1:{port}")
                yield Server(f"http://127.0.0.1:{port}", server.pid)
            finally:
                server.terminate()


class Visit:
    """One visitor's session."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.job: str | None = None
        self.clicks: Clicks = []
        self.timers: dict[str, float] = {}
        """After how many seconds each part of the page wants to be drawn again."""
        self.end = ("lost", 0, False)
        """The last state of its training, its merges, and whether it was told its place in the queue."""
        self._open = ExitStack()
        self._socket: ClientConnection = self._open.enter_context(
            connect(
                address.replace("http://", "ws://") + "/_stcore/stream",
                subprotocols=[Subprotocol("streamlit")],
                max_size=None,
                ping_interval=None,
                open_timeout=60,
            )
        )

    def click(self, page: str, states: WidgetStates) -> float:
        """Run a page with these values of its widgets; the seconds until it has ended."""
        message = BackMsg()
        message.rerun_script.page_name = "" if page == "home" else page
        message.rerun_script.query_string = "lang=en" + (f"&job={self.job}" if self.job else "")
        message.rerun_script.widget_states.CopyFrom(states)
        started = time.perf_counter()
        self._run(message)
        seconds = time.perf_counter() - started
        self.clicks.append((f"{page}: {'press' if states.widgets else 'open'}", seconds))
        return seconds

    def redraw(self, fragment: str) -> None:
        """Have a part of the page drawn again, as the browser does when its time has come."""
        message = BackMsg()
        message.rerun_script.page_name = "train"
        message.rerun_script.query_string = f"lang=en&job={self.job}"
        message.rerun_script.fragment_id = fragment
        message.rerun_script.is_auto_rerun = True
        self._run(message)

    def _run(self, message: BackMsg) -> None:
        """Send a message, and take in what it leads to until the run has ended, and any run that it asked for."""
        is_part = bool(message.rerun_script.fragment_id)
        self._socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(self._socket.recv(timeout=PATIENCE))
            kind = answer.WhichOneof("type")
            if kind == "page_info_changed":
                named = parse_qs(answer.page_info_changed.query_string).get("job")
                self.job = named[0] if named else self.job
            elif kind == "new_session" and not is_part:
                self.timers = {}
            elif kind == "auto_rerun":
                self.timers[answer.auto_rerun.fragment_id] = answer.auto_rerun.interval
            elif kind == "script_finished":
                if answer.script_finished in ENDED:
                    return
                is_part = False  # a part of the page has asked for the whole

    def watch(self) -> tuple[str, int, bool]:
        """Ask for merges as the stage does, until training ends; return what `end` holds.

        The parts of the page that draw themselves again are asked for too, each when its time has come.
        """
        learned, has_waited, end = 0, False, time.monotonic() + PATIENCE
        drawn: dict[str, float] = {}
        state = "lost"
        kept = self._open.enter_context(closing(HTTPConnection(urlsplit(self.address).netloc, timeout=60)))
        while time.monotonic() < end:
            kept.request("GET", f"/stage/watch/{self.job}/en?from={learned}")
            response = kept.getresponse()
            if response.status != 200:
                return f"HTTP {response.status}", learned, has_waited
            answer = json.loads(response.read())
            learned += len(answer["merges"]) // 3
            state = answer["state"]
            has_waited |= state == "waiting" and bool(answer["says"])
            if state in ("done", "stopped", "failed"):
                break
            time.sleep(ASKING["in line" if state == "waiting" and answer["says"] else state])
            for fragment in list(self.timers):
                now = time.monotonic()
                if now - drawn.setdefault(fragment, now) >= self.timers.get(fragment, math.inf):
                    drawn[fragment] = now
                    self.redraw(fragment)
        return state, learned, has_waited

    def leave(self) -> None:
        """Close the tab."""
        self._open.close()


@dataclass
class Round:
    """What one round of visitors came to."""

    clicks: Clicks = field(default_factory=list)
    idle: Clicks = field(default_factory=list)
    ends: list[tuple[str, int, bool]] = field(default_factory=list)
    peak: tuple[float, float] = (0.0, 0.0)
    after: tuple[float, float, int, int] = (0.0, 0.0, 0, 0)
    seconds: float = 0.0


def trained() -> tuple[WidgetStates, WidgetStates]:
    """The values of the Train page with its settings opened; then with full speed, 1,000 tokens, and Train."""
    app: AppTest = opened("train")
    app.number_input(key="train_size").set_value(SIZE)
    app.segmented_control(key="train_pace").set_value("full").run()
    app.button(key="start").click()
    fold = next(each.proto.id for each in app.expander if each.label == catalogue("en")["train.more"])
    opening = WidgetStates()
    opening.widgets.add(id=fold, bool_value=True)
    pressing: WidgetStates = app._tree.get_widget_states()
    pressing.widgets.extend(opening.widgets)
    return opening, pressing


class Load:
    """Rounds of visitors on one app."""

    def __init__(
        self, server: Server, texts: dict[str, list[WidgetStates]], training: tuple[WidgetStates, ...]
    ) -> None:
        self.server = server
        self.texts = texts
        self.training = training

    def visit(self, number: int, chance: random.Random, *, arriving: float = ARRIVING) -> Visit:
        """One visitor, from Home to leaving."""
        time.sleep(chance.uniform(0, arriving))
        visit = Visit(self.server.address)
        try:
            visit.click("home", WidgetStates())
            for page, times in (("home", 2), ("train", 0), ("compare", 3), ("languages", 0)):
                if page == "train":
                    visit.click(page, WidgetStates())
                    for states in self.training:
                        time.sleep(chance.uniform(*THINKING))
                        visit.click(page, states)
                    visit.end = visit.watch()
                if page in ("compare", "languages"):
                    time.sleep(chance.uniform(*THINKING))
                    visit.click(page, WidgetStates())
                for turn in range(times):
                    time.sleep(chance.uniform(*THINKING))
                    visit.click(page, self.texts[page][(number + turn) % len(self.texts[page])])
        finally:
            visit.leave()
        return visit

    def idle(self) -> Clicks:
        """The clicks of the same visit, made by one visitor after another."""
        visits = (self.visit(number, random.Random(number), arriving=0.0) for number in range(IDLE_VISITS))
        return [click for visit in visits for click in visit.clicks]

    def round(self, visitors: int, seed: int) -> Round:
        """All visitors at once; then wait until their sessions and runs have expired."""
        found = Round(idle=self.idle())
        over = threading.Event()
        sampler = threading.Thread(target=self._sample, args=(found, over))
        sampler.start()
        started = time.monotonic()
        with ThreadPoolExecutor(visitors) as pool:
            visits = list(pool.map(lambda n: self.visit(n, random.Random(seed + n)), range(visitors)))
        found.seconds = time.monotonic() - started
        over.set()
        sampler.join()
        found.clicks = [click for visit in visits for click in visit.clicks]
        found.ends = [visit.end for visit in visits]
        found.after = self.rested()
        return found

    def rested(self) -> tuple[float, float, int, int]:
        """Wait until sessions and runs have expired, and the app has given back what they held.

        Streamlit drops sessions when others come and go.
        """
        time.sleep(2 * EXPIRES_SECONDS + 20)
        for _ in range(3):
            last = Visit(self.server.address)
            last.click("home", WidgetStates())
            last.leave()
            time.sleep(1)
        time.sleep(COLLECTED_SECONDS)
        return self.server.standing()

    def _sample(self, found: Round, over: threading.Event) -> None:
        while not over.wait(0.5):
            own, workers, _, _ = self.server.standing()
            found.peak = max(found.peak[0], own), max(found.peak[1], workers)


def growth(load: Load, sessions: int) -> float:
    """Return how much the server grows with each session, in kB; the first fifty do not count."""
    sizes = []
    for number in range(sessions + 50):
        visit = Visit(load.server.address)
        visit.click("home", WidgetStates())
        visit.click("home", load.texts["home"][number % len(load.texts["home"])])
        visit.click("compare", WidgetStates())
        visit.leave()
        if number in (49, sessions + 49):
            sizes.append(load.rested()[0])
    return (sizes[1] - sizes[0]) * 1024 / sessions


def figures(clicks: Clicks, kind: str = "") -> list[str]:
    """Median, 95th of 100, and the slowest of all clicks, or of one kind, in milliseconds."""
    seconds = [each for name, each in clicks if not kind or name == kind]
    ordered = [statistics.median(seconds), statistics.quantiles(seconds, n=20)[-1], max(seconds)]
    return [f"{each * 1000:,.0f}" for each in ordered]


def rows_by_kind(visitors: int, rounds: list[Round]) -> list[Row]:
    """What the table of clicks by kind says of some rounds together."""
    alone = [click for each in rounds for click in each.idle]
    together = [click for each in rounds for click in each.clicks]
    kinds = dict.fromkeys(name for name, _ in alone)
    return [[visitors, kind, *figures(alone, kind), *figures(together, kind)] for kind in kinds]


def row_of(found: Round) -> Row:
    """What the first table says of a round."""
    done = sum(state == "done" and learned == SIZE - 256 for state, learned, _ in found.ends)
    waited = sum(has_waited for _, _, has_waited in found.ends)
    peaks = [f"{each:,.0f}" for each in found.peak]
    return [done, waited, *figures(found.idle), *figures(found.clicks), *peaks, f"{found.seconds:.0f}"]


def main() -> None:
    """All numbers of visitors, one after another."""
    reader = argparse.ArgumentParser()
    reader.add_argument("visitors", nargs="*", type=int, default=[10, 25, 50])
    reader.add_argument("--sessions", type=int, default=500)
    reader.add_argument("--library", action="store_true", help="keep the runs in a library, as by default")
    options = reader.parse_args()
    texts = {page: list(islice(text_states(page), 8)) for page in ("home", "compare")}
    training = trained()
    held: list[Row] = []
    left: list[Row] = []
    by_kind: list[Row] = []
    for visitors in options.visitors:
        with served(with_library=options.library) as server:
            load = Load(server, texts, training)
            load.visit(0, random.Random(0))
            standing = {"after one visitor": load.rested()}
            rounds = []
            for number in (1, 2):
                rounds.append(found := load.round(visitors, 1_000 * number))
                held.append([visitors, number, *row_of(found)])
                standing[f"after round {number}"] = found.after
            by_kind += rows_by_kind(visitors, rounds)
        left += [[visitors, when, *(f"{each:,.0f}" for each in found)] for when, found in standing.items()]
    print(f"{machine()}\n")
    show("A class", ["visitors", "round", *HELD], held)
    show("By kind of click", ["visitors", "click", *HELD[2:8]], by_kind)
    show("What stays", ["visitors", "", "server, MB", "workers, MB", "processes", "files"], left)
    if options.sessions:
        with served(with_library=options.library) as server:
            load = Load(server, texts, training)
            load.rested()
            kilobytes = growth(load, options.sessions)
        print(f"Growth over {options.sessions} sessions: {kilobytes:.0f} kB a session")


if __name__ == "__main__":
    main()
