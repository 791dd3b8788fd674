"""Whether a visitor notices a training on 200 MB beside them: prints a Markdown table.

    pip install -r requirements.txt
    python -m tests.benchmarks.bench_large [rounds]

As in `bench_visitors`, a session changes a text on a page again and again. In each of ten rounds nobody trains at
first; then another session, a new one each time, which has uploaded 200 MB, trains on them at full speed. A round
gives the ratio of the medians of both phases, so that a slow minute of the machine counts for both; the table has
the median of these ratios. The bar is 1.2.
"""

import os
import random
import statistics
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetStates

from tests.benchmarks.bench_core import Row, machine, show
from tests.benchmarks.bench_visitors import (
    TEXT_OF,
    Session,
    opened,
    text_states,
    wait_for_work,
    worker_seconds,
)
from tests.benchmarks.visits import served_app

ROUNDS = 10
CLICKS = 12
CORPUS_BYTES = 199 * 2**20
WORDS = 400_000
"""Different words of the text: they decide how long the merges take."""
WARM_SECONDS = 2.0
"""Seconds of a processor; a training takes 5 or more, and warming up one."""


def main(rounds: int = ROUNDS) -> None:
    """All rounds in one run of the app."""
    os.environ["TOKENIZER_EXPLORER_MAX_CORPUS_MB"] = "200"
    os.environ["STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION"] = "false"  # this is no browser
    ratios: dict[str, list[float]] = {page: [] for page in TEXT_OF}
    medians: dict[str, list[list[float]]] = {page: [[], []] for page in TEXT_OF}
    with served_app() as address, ExitStack() as open_sessions:
        visitors = {page: open_sessions.enter_context(Session(address, page)) for page in TEXT_OF}
        states = {page: text_states(page) for page in TEXT_OF}
        time.sleep(20)  # the spare worker warms up
        content = text_of(CORPUS_BYTES)
        clicked(visitors, states)
        for _ in range(rounds):
            with Trainer(address) as trainer:
                trainer.upload(content)
                idle = clicked(visitors, states)
                trainer.train()
                worker = training_worker()
                before = worker_seconds()[worker]
                busy = clicked(visitors, states)
                if worker_seconds().get(worker, 0.0) < before + 0.1:
                    raise SystemExit("the training must work all the while; it did not")
                wait_for_work(0)
            for page in TEXT_OF:
                ratios[page].append(busy[page] / idle[page])
                medians[page][0].append(idle[page])
                medians[page][1].append(busy[page])
    rows: list[Row] = [
        [
            page,
            *(f"{statistics.median(each) * 1000:.0f}" for each in medians[page]),
            f"{statistics.median(ratios[page]):.2f}",
            f"{min(ratios[page]):.2f}–{max(ratios[page]):.2f}",
        ]
        for page in TEXT_OF
    ]
    print(f"{machine()}\n")
    header = ["page", "idle, ms", "beside 200 MB, ms", f"ratio, median of {rounds}", "from–to"]
    show("A visitor's click beside a training on 200 MB", header, rows)


class Trainer(Session):
    """A visitor of the Train page who uploads a text and trains on it."""

    def __init__(self, address: str) -> None:
        super().__init__(address, "train")
        self.web = address
        self.states = WidgetStates()

    def upload(self, content: bytes) -> None:
        """Upload a text, and choose it with a large vocabulary at full speed."""
        app = opened("train")
        app.radio(key="train_card").set_value("own").run()
        app.segmented_control(key="corpus_source").set_value("upload").run()
        app.number_input(key="train_size").set_value(100_000)
        app.segmented_control(key="train_pace").set_value("full")
        app.file_uploader(key="corpus_files").set_value([("a.txt", b"a cat", "text/plain")]).run()
        app.button(key="start").click()
        self.states = app._tree.get_widget_states()
        for state in self.states.widgets:
            if state.WhichOneof("value") == "file_uploader_state_value" and state.id.endswith("corpus_files"):
                (info,) = state.file_uploader_state_value.uploaded_file_info
                urls = self._send(content)
                info.file_id, info.size = urls.file_id, len(content)
                info.file_urls.CopyFrom(urls)

    def _send(self, content: bytes) -> FileURLs:
        """Ask for a place, as the browser does, and send the file there."""
        assert self.socket is not None
        message = BackMsg()
        message.file_urls_request.request_id = "1"
        message.file_urls_request.file_names.append("a.txt")
        message.file_urls_request.session_id = self.session_id
        self.socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(self.socket.recv(timeout=120))
            if answer.WhichOneof("type") == "file_urls_response":
                break
        urls: FileURLs = answer.file_urls_response.file_urls[0]
        edge = "a-line-that-no-text-has"
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={edge}"}
        request = urllib.request.Request(self.web + urls.upload_url, data=body, headers=kind, method="PUT")
        with urllib.request.urlopen(request, timeout=120):
            return urls

    def train(self) -> None:
        """Press Train."""
        self.run(WidgetStates())
        self.run(self.states)


def training_worker() -> int:
    """Wait for the process that trains: a spare one, which warms up, never works that long."""
    for _ in range(600):
        time.sleep(0.5)
        if found := [process for process, seconds in worker_seconds().items() if seconds > WARM_SECONDS]:
            return found[0]
    raise SystemExit("a training must be at work; there is none")


def clicked(visitors: dict[str, Session], states: dict[str, Iterator[WidgetStates]]) -> dict[str, float]:
    """Return the median of some clicks on each page, the pages in turn."""
    seconds: dict[str, list[float]] = {page: [] for page in visitors}
    for _ in range(CLICKS):
        for page, session in visitors.items():
            seconds[page].append(session.run(next(states[page])))
            time.sleep(0.02)
    return {page: statistics.median(each) for page, each in seconds.items()}


def text_of(size: int) -> bytes:
    """Return lines of seeded random words, common ones more often than rare ones."""
    seeded = random.Random(1)
    words = ["".join(seeded.choices("abcdefghijklmnoprstuwy", k=seeded.randint(3, 12))) for _ in range(WORDS)]
    part = " ".join(words[int(WORDS * seeded.random() ** 3)] for _ in range(1_000_000)).replace(" the", "\n")
    lines = "\n".join(part[start : start + 80] for start in range(0, len(part), 80)).encode()
    return (lines * (size // len(lines) + 1))[:size]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
