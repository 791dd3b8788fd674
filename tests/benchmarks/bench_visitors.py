"""Whether a visitor notices that others train: prints a Markdown table.

    pip install -r tests/requirements.txt
    python -m tests.benchmarks.bench_visitors

An app is started that may have three trainings at work. A visitor's session, a websocket as the browser opens it,
changes a text on a page again and again: a click takes from the message that says so to the message that the
script has ended, with all that is to be drawn received in between. First nobody trains; then three other sessions
each train on 45 MB of text of their own at full speed; then nobody trains again. Medians and the 95th of 100 of
50 clicks in each phase, each with another text. The bar is 1.2 times the idle median.

That the trainings were at work all the while is read from the processor time of their processes (Linux).
"""

import itertools
import os
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.benchmarks.tables import Row, machine, show
from tests.benchmarks.visits import served_app
from tests.helpers.paths import REPOSITORY

TRAININGS = 3
CLICKS = 50
CORPUS_CHARACTERS = 45_000_000
MAIN = REPOSITORY / "pages" / "ui" / "frame" / "main.py"
SENTENCES = ("น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ", "Drink plenty of water, okay?")
TEXT_OF = {"home": "home_text", "compare": "compare_text"}
_numbers = itertools.count(1000)


@dataclass
class Phase:
    """The seconds that the clicks of one phase took, and the processor time of the trainings meanwhile."""

    clicks: dict[str, list[float]]
    worked: list[float]


def main() -> None:
    """All phases in one run of the app."""
    os.environ["TOKENIZER_EXPLORER_MAX_TRAININGS"] = str(TRAININGS)
    with served_app() as address, ExitStack() as open_sessions:
        visitors = {page: open_sessions.enter_context(Session(address, page)) for page in TEXT_OF}
        time.sleep(20)  # the spare worker warms up
        idle = clicked(visitors)
        trainers = [open_sessions.enter_context(Session(address, "train")) for _ in range(TRAININGS)]
        for number, trainer in enumerate(trainers):
            trainer.run(training_states(number))
        wait_for_work(TRAININGS)
        busy = clicked(visitors)
        at_work = sum(seconds > 0.1 for seconds in busy.worked)
        if at_work < TRAININGS:
            raise SystemExit(f"{TRAININGS} trainings must work all the while; {at_work} did")
        wait_for_work(0)
        idle_again = clicked(visitors)
    rows: list[Row] = []
    for page in TEXT_OF:
        before, meanwhile = idle.clicks[page] + idle_again.clicks[page], busy.clicks[page]
        ratio = statistics.median(meanwhile) / statistics.median(before)
        rows.append([page, *figures(before), *figures(meanwhile), f"{ratio:.2f}"])
    print(f"{machine()}\n")
    header = ["page", "idle, ms", "p95", f"{TRAININGS} trainings, ms", "p95", "ratio of medians"]
    show("A visitor's click while others train", header, rows)


class Session:
    """A visitor on a page, over a websocket."""

    def __init__(self, address: str, page: str) -> None:
        self.address = address.replace("http://", "ws://") + "/_stcore/stream"
        self.page = page
        self.socket: ClientConnection | None = None
        self.sessions = ExitStack()
        self.session_id = ""
        self.buttons: set[str] = set()
        """The ids of the buttons that the latest run drew."""

    def __enter__(self) -> Self:
        opened = connect(self.address, subprotocols=[Subprotocol("streamlit")], max_size=None, ping_interval=None)
        self.socket = self.sessions.enter_context(opened)
        self.run(WidgetStates())
        return self

    def __exit__(self, *_: object) -> None:
        self.sessions.close()

    def run(self, states: WidgetStates) -> float:
        """Run the page with these values of its widgets; the seconds until it has ended."""
        assert self.socket is not None
        message = BackMsg()
        message.rerun_script.page_name = self.page if self.page != "home" else ""
        message.rerun_script.query_string = "lang=en"
        message.rerun_script.widget_states.CopyFrom(states)
        self.buttons = set()
        started = time.perf_counter()
        self.socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(self.socket.recv(timeout=120))
            self.session_id = answer.new_session.initialize.session_id or self.session_id
            self.buttons.add(answer.delta.new_element.button.id)
            if answer.WhichOneof("type") == "script_finished":
                return time.perf_counter() - started


def clicked(visitors: dict[str, Session]) -> Phase:
    """One phase: a click on each page in turn."""
    before = worker_seconds()
    clicks: dict[str, list[float]] = {page: [] for page in visitors}
    states = {page: text_states(page) for page in visitors}
    for _ in range(CLICKS):
        for page, session in visitors.items():
            clicks[page].append(session.run(next(states[page])))
            time.sleep(0.02)
    after = worker_seconds()
    return Phase(clicks, [seconds - before.get(process, 0.0) for process, seconds in after.items()])


def text_states(page: str) -> Iterator[WidgetStates]:
    """The values of a page's widgets with one text after the other, none of which any cache has seen."""
    app = opened(page)
    while True:
        text = f"{' '.join(random.sample(SENTENCES * 3, 6))} {next(_numbers)}"
        kind = app.text_input if page == "home" and has(app, TEXT_OF[page]) else app.text_area
        kind(key=TEXT_OF[page]).set_value(text)
        yield app._tree.get_widget_states()


def has(app: AppTest, key: str) -> bool:
    """Whether the text of a page stands in a box of one line."""
    return any(box.key == key for box in app.text_input)


def training_states(number: int) -> WidgetStates:
    """The values of the train page with a text of one's own, and Train pressed."""
    app = opened("train")
    app.radio(key="train_card").set_value("own").run()
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value("a")
    app.number_input(key="train_size").set_value(100_000)
    app.selectbox(key="pattern_choice").set_value("none")
    app.segmented_control(key="train_pace").set_value("full")
    app.run()
    app.button(key="start").click()
    states: WidgetStates = app._tree.get_widget_states()
    for state in states.widgets:
        if state.id.endswith("corpus_paste"):
            state.string_value = own_text(number)
    return states


def own_text(number: int) -> str:
    """Random letters, which no other training has: a training of half a minute."""
    return "".join(random.Random(number).choices("abcdefghijklmnoprstuwy ", k=CORPUS_CHARACTERS))


def opened(page: str) -> AppTest:
    """A page without a browser, whose widgets have the ids that the app gives them."""
    app = AppTest.from_file(str(MAIN), default_timeout=120)
    app.query_params["lang"] = "en"
    app.session_state["train_more"] = True  # the settings of Train are drawn when they are opened
    app.run()
    return app if page == "home" else app.switch_page(str(REPOSITORY / "pages" / f"{page}.py")).run()


def worker_seconds() -> dict[int, float]:
    """The processor time of every training on this machine, by its process."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"tokenizer_core.workers.training_worker" in (folder / "cmdline").read_bytes():
                user, system = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
                found[int(folder.name)] = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
    return found


def wait_for_work(trainings: int) -> None:
    """Wait until so many trainings have read their texts and learn; for 0, until the last one has ended."""
    for _ in range(600):
        before = worker_seconds()
        time.sleep(0.5)
        now = worker_seconds()
        at_work = sum(now[process] - before.get(process, now[process]) > 0.1 for process in now)
        if at_work >= trainings > 0 or at_work == trainings == 0:
            return
    raise SystemExit(f"{trainings} trainings must be at work; there are others")


def figures(seconds: list[float]) -> tuple[str, str]:
    """Median and 95th of 100, in milliseconds."""
    return f"{statistics.median(seconds) * 1000:.0f}", f"{statistics.quantiles(seconds, n=20)[-1] * 1000:.0f}"


if __name__ == "__main__":
    main()
