"""The token view in a browser, and what it costs the server, up to 1,000,000 characters: prints Markdown tables.

    apt-get install chromium
    pip install -r requirements.txt -r tests/benchmarks/requirements.txt
    python -m tests.benchmarks.bench_view [a text file in UTF-8, which is repeated where it is too short]

Loading and frames: GPT-2, cl100k and o200k on the compare page of an app started for this; each visit in a fresh
browser context, with a text that the app has not seen, so that no cache has it. Medians of five visits.

- first token: from the choice of the file to the frame after the one that shows the first coloured token.
- counts: to the frame after the one that shows the token counts of the whole text, which must be tiktoken's.
- longest task: of the page's main thread, from the choice of the file to a second after the counts.
- memory: of the tab's process, by its proportional share (PSS): a second after the counts, then with garbage
  collected, and before the upload, also collected. Other browsers at work make the shares smaller.
- frames: the time from one animation frame to the next while the view's text scrolls by 20 pixels in each of 180
  frames, turning at its ends, and while the mouse goes to 180 pieces one after the other. At 60 frames a second
  16.7 is the least; half of them took p50 or less, 95 of 100 took p95 or less.

Rerun: a whole run of the compare page by Streamlit's AppTest, with the file uploaded and nothing changed since, so
that all of the view comes from caches; the uploaded file is decoded anew, and the text recognized by its digest.
Medians of 40 runs, in turn. The bar is 10 ms.

Payload: `token_payload` of three lanes whose token ids are known, by the time in which tiktoken finds these ids,
both in one thread; the best of five runs, in turn. The bar is a ratio of 1.
"""

import contextlib
import gc
import itertools
import logging
import os
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import tiktoken
from playwright.sync_api import Browser, CDPSession, Page, ViewportSize, sync_playwright
from streamlit.testing.v1 import AppTest

from pages.ui.token_view.lanes import Label, Lane
from pages.ui.token_view.payload import token_payload
from pages.ui.words import catalogue, section
from tests.benchmarks.bench_core import CORPUS, Row, best_of, show
from tests.helpers.paths import REPOSITORY
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer

SIZES = (1_000, 10_000, 100_000, 1_000_000)
VISITS = 5
RERUNS = 40
VIEWPORT = ViewportSize(width=1280, height=900)
SCROLLED_FRAMES, SCROLLED_PIXELS = 180, 20
HOVERED_PIECES = 180
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
ENGLISH = catalogue("en")
READY = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'

# Runs before the page's own scripts. What a frame shows has been painted when the next one begins.
INSIDE_THE_PAGE = """
window.bench = { tasks: [], chosen: null, coloured: null, counted: null, frames: null };

new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) bench.tasks.push([startTime + duration, duration]);
}).observe({ type: "longtask", buffered: true });

bench.root = () => {
  const elements = document.querySelectorAll(".st-key-compare_view, .st-key-compare_view *");
  return [...elements].find((element) => element.shadowRoot)?.shadowRoot;
};

bench.isColoured = () => {
  const shown = bench.root()?.querySelector(".cell .p")?.textContent;
  return Boolean(shown) && bench.awaited.opening.startsWith(shown);
};

bench.isCounted = () => {
  const counts = [...(bench.root()?.querySelectorAll(".count") ?? [])];
  return counts.map((count) => count.firstChild.data.trim()).join() === bench.awaited.counts.join();
};

bench.watch = (resolve, reject) => {
  let [coloured, counted] = [false, false];
  const frame = () => {
    if (coloured) bench.coloured ??= performance.now();
    if (coloured && counted) return resolve(bench.counted = performance.now());
    coloured ||= bench.isColoured();
    counted ||= bench.isCounted();
    requestAnimationFrame(frame);
  };
  bench.chosen = performance.now();
  requestAnimationFrame(frame);
  setTimeout(() => reject(new Error(`must show ${bench.awaited.counts}; did not in two minutes`)), 120_000);
};

document.addEventListener("change", ({ target }) => {
  if (target.type === "file") bench.done = new Promise(bench.watch);
}, true);

bench.loading = () => {
  const { chosen, coloured, counted, tasks } = bench;
  const durations = tasks.filter(([end]) => end > chosen).map(([, duration]) => duration);
  return [coloured - chosen, counted - chosen, Math.max(0, ...durations)];
};

// Null where frames stop.
bench.scroll = (frames, pixels) => {
  const scroller = bench.root().querySelector(".scroller");
  const times = [];
  let step = pixels;
  return new Promise((resolve) => {
    const frame = (now) => {
      times.push(now);
      if (times.length > frames) return resolve(times);
      const before = scroller.scrollTop;
      scroller.scrollTop += step;
      if (scroller.scrollTop === before) scroller.scrollTop += step = -step;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    setTimeout(() => resolve(null), 60_000);
  });
};

// The middles of the pieces in sight, line by line in each lane.
bench.pieces = () => {
  const { bottom } = bench.root().querySelector(".scroller").getBoundingClientRect();
  const { bottom: top } = bench.root().querySelector(".heads").getBoundingClientRect();
  const places = [...bench.root().querySelectorAll(".cell .p")].map((piece) => piece.getClientRects()[0]);
  const inSight = places.filter((place) => place?.top > top && place.bottom < Math.min(bottom, innerHeight));
  return inSight.map(({ left, top, width, height }) => [left + width / 2, top + height / 2]);
};

bench.record = () => {
  const times = (bench.frames = []);
  const frame = (now) => {
    times.push(now);
    if (bench.frames === times) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
};

bench.recorded = () => {
  const { frames } = bench;
  bench.frames = null;
  return frames;
};
"""


@dataclass(frozen=True)
class Visit:
    """What one visit measured: times in milliseconds, memory in bytes."""

    coloured: float
    counted: float
    longest_task: float
    memory: int
    collected: int
    before: int
    scrolling: list[float]
    hovering: list[float]


def main() -> None:
    """All tables, one after the other."""
    path = Path(sys.argv[1]) if sys.argv[1:] else CORPUS
    corpus = path.read_text(encoding="utf-8").strip()
    logging.disable(logging.WARNING)  # outside a server Streamlit warns at each call that it misses one
    with chromium() as browser, served_app() as address:
        print(f"{machine(browser)}. Corpus: {path.name}, {len(corpus):,} characters.\n")
        visits = all_visits(browser, address, corpus)
    text = excerpt(corpus, 0, SIZES[-1])
    show(
        "From a file to its tokens in three lanes", LOADING_HEADER, [loading_row(*each) for each in visits.items()]
    )
    show("Time from frame to frame, ms", FRAMES_HEADER, [frames_row(*each) for each in visits.items()])
    show("Rerun of the compare page with nothing changed", ["text", "ms"], rerun_rows(text))
    show(f"Payload of {len(text):,} characters in three lanes", PAYLOAD_HEADER, [payload_row(text)])


# In the browser


def all_visits(browser: Browser, address: str, corpus: str) -> dict[int, list[Visit]]:
    """The visits by size, the sizes taking turns; one before them warms the app up and is not kept."""
    visits: dict[int, list[Visit]] = {size: [] for size in SIZES}
    numbers = itertools.count(1)
    whole_visit(browser, address, corpus, numbers, SIZES[0])
    for size in SIZES * VISITS:
        visits[size].append(whole_visit(browser, address, corpus, numbers, size))
    return visits


def whole_visit(browser: Browser, address: str, corpus: str, numbers: Iterator[int], size: int) -> Visit:
    """A visit; another one where Chromium stops drawing, as was seen in one of some 40 visits without a window."""
    for number in numbers:
        with contextlib.suppress(FramesStopped):
            return visit(browser, address, excerpt(corpus, number, size))
    raise AssertionError("the numbers must have no end")


class FramesStopped(Exception):
    """No animation frames came any more."""


def visit(browser: Browser, address: str, text: str) -> Visit:
    """Open the app, upload a text, wait until it is drawn, then scroll it and point at its pieces."""
    with contextlib.closing(browser.new_context(viewport=VIEWPORT, locale="en-US")) as context:
        page = context.new_page()
        memory = Memory(browser.new_browser_cdp_session(), context.new_cdp_session(page))
        open_without_a_text(page, address)
        before = memory.collected()
        upload(page, text)
        coloured, counted, longest_task = page.evaluate("bench.loading()")
        return Visit(
            coloured,
            counted,
            longest_task,
            memory.now(),
            memory.collected(),
            before,
            scroll(page),
            hover(page),
        )


def open_without_a_text(page: Page, address: str) -> None:
    """The compare page as it waits for a file: nothing is drawn that could be taken for the text to come."""
    page.add_init_script(INSIDE_THE_PAGE)
    page.goto(f"{address}/compare?lang=en")
    page.locator(READY).wait_for()
    page.get_by_role("radio", name=ENGLISH["text.upload"]).click()
    page.locator(".st-key-compare_view .note", has_text=ENGLISH["token_view.empty"]).wait_for()
    page.locator(READY).wait_for()
    assert page.locator(".st-key-compare_view .cell .p").count() == 0


def upload(page: Page, text: str) -> None:
    """Give the text to the uploader; back a second after its counts stand there."""
    counts = [f"{len(encoding.encode_ordinary(text)):,}" for encoding in encodings()]
    page.evaluate("(awaited) => { bench.awaited = awaited; }", {"opening": text[:400], "counts": counts})
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write(text.encode())
        file.flush()
        page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(file.name)
        page.evaluate("bench.done")
    page.wait_for_timeout(1_000)


def scroll(page: Page) -> list[float]:
    """Frame times while the text of the view scrolls; raises `FramesStopped`."""
    page.evaluate("bench.root().querySelector('.scroller').scrollIntoView({ block: 'center' })")
    page.wait_for_timeout(500)
    times = page.evaluate(f"bench.scroll({SCROLLED_FRAMES}, {SCROLLED_PIXELS})")
    if times is None:
        raise FramesStopped
    return intervals(times)


def hover(page: Page) -> list[float]:
    """Frame times while the mouse goes from piece to piece."""
    page.wait_for_timeout(500)
    places = page.evaluate("bench.pieces()")
    page.evaluate("bench.record()")
    for n in range(HOVERED_PIECES):
        page.mouse.move(*places[n % len(places)])
    times = page.evaluate("bench.recorded()")
    assert page.locator(".st-key-compare_view .card:popover-open").count() == 1
    return intervals(times)


def intervals(moments: Sequence[float]) -> list[float]:
    """What lies between one moment and the next."""
    return [after - before for before, after in zip(moments, moments[1:])]


@dataclass(frozen=True)
class Memory:
    """The memory of the tab under test: of the renderers of this browser the one that has most (Linux)."""

    browser: CDPSession
    tab: CDPSession

    def now(self) -> int:
        """Bytes, garbage included."""
        processes = self.browser.send("SystemInfo.getProcessInfo")["processInfo"]
        return max(proportional_share(process["id"]) for process in processes if process["type"] == "renderer")

    def collected(self) -> int:
        """Bytes when garbage has been collected."""
        self.tab.send("HeapProfiler.collectGarbage")
        return self.now()


def proportional_share(process: int) -> int:
    """The PSS of a process in bytes: memory that several processes share is divided among them."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(rollup.split("\nPss:")[1].split()[0]) * 1024


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The browser without a window."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def served_app() -> Iterator[str]:
    """The address of an app that runs until the end of the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=quiet, stderr=quiet) as server:
        try:
            wait_healthy(f"http://127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


LOADING_HEADER = [
    *("characters", "first token, s", "counts, s", "longest task, ms"),
    *("memory, MB", "garbage collected, MB", "without a text, MB"),
]


def loading_row(size: int, visits: list[Visit]) -> Row:
    """One size: times, the longest task, memory."""
    longest = median(visits, lambda each: each.longest_task)
    return [
        f"{size:,}",
        f"{median(visits, lambda each: each.coloured) / 1000:.2f}",
        f"{median(visits, lambda each: each.counted) / 1000:.2f}",
        f"{longest:.0f}" if longest else "< 50",  # browsers tell of none that is shorter
        f"{median(visits, lambda each: each.memory) / 1e6:.0f}",
        f"{median(visits, lambda each: each.collected) / 1e6:.0f}",
        f"{median(visits, lambda each: each.before) / 1e6:.0f}",
    ]


FRAMES_HEADER = ["characters", "scrolling, p50", "scrolling, p95", "hovering, p50", "hovering, p95"]


def frames_row(size: int, visits: list[Visit]) -> Row:
    """One size: the percentiles of each visit, and of those the medians."""
    return [
        f"{size:,}",
        f"{median(visits, lambda each: np.percentile(each.scrolling, 50)):.1f}",
        f"{median(visits, lambda each: np.percentile(each.scrolling, 95)):.1f}",
        f"{median(visits, lambda each: np.percentile(each.hovering, 50)):.1f}",
        f"{median(visits, lambda each: np.percentile(each.hovering, 95)):.1f}",
    ]


def median(visits: list[Visit], figure: Callable[[Visit], float]) -> float:
    """A figure of all visits, the middle one."""
    return float(statistics.median(map(figure, visits)))


# On the server


def rerun_rows(text: str) -> list[Row]:
    """Reruns without a text, with a short and with a long one."""
    apps = [compare_page(each) for each in ("", text[: SIZES[0]], text)]
    gc.collect()
    gc.freeze()  # as app.py does, since Streamlit collects garbage after every run
    times = [[milliseconds(app.run) for app in apps] for _ in range(RERUNS)]
    none, short, long = map(statistics.median, zip(*times))
    return [
        ["none", f"{none:.1f}"],
        [f"{SIZES[0]:,} characters", f"{short:.1f}"],
        [f"{len(text):,} characters", f"**{long:.1f}**"],
        ["what the long one adds", f"{long - none:.1f}"],
    ]


def compare_page(text: str) -> AppTest:
    """The compare page with this text uploaded and drawn."""
    app = AppTest.from_file(str(REPOSITORY / "pages" / "ui" / "main.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.run().switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    app.session_state["text_source"] = "upload"
    app.run()
    if text:
        app.file_uploader(key="text_file").upload("text.txt", text.encode()).run()
        assert app.session_state["text_upload"] == text
    assert not app.exception
    return app


PAYLOAD_HEADER = ["payload, s", "tiktoken, s", "payload ÷ tiktoken", "payload, MB"]


def payload_row(text: str) -> Row:
    """The payload and tiktoken, with ids in arrays as the caches of drawings keeps them."""
    lanes = [
        Lane(
            encoding.name,
            Label(encoding.name),
            openai_tokenizer(encoding.name),
            np.array(encoding.encode_ordinary(text), np.int32),
        )
        for encoding in encodings()
    ]

    def payload() -> bytes:
        return token_payload(text, lanes, labels=section("token_view", spoken="en"))

    ours, theirs = best_of([payload, lambda: [encoding.encode_ordinary(text) for encoding in encodings()]])
    return [f"{ours:.3f}", f"{theirs:.3f}", f"**{ours / theirs:.2f}**", f"{len(payload()) / 1e6:.1f}"]


def encodings() -> list[tiktoken.Encoding]:
    """tiktoken's own three, which `openai_tokenizer` has it read from the files shipped with the project."""
    return [tiktoken.get_encoding(openai_tokenizer(name).name) for name in OPENAI_NAMES]


# Tools


def wait_healthy(address: str) -> None:
    """Wait until the app answers."""
    for _ in range(240):
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
            return
        time.sleep(0.25)
    raise TimeoutError("the app must answer; it did not in a minute")


def excerpt(corpus: str, number: int, size: int) -> str:
    """So many characters of the corpus, from another place for each number, the corpus repeated as needed."""
    start = number * 1_009 % len(corpus)
    return (corpus[start:] + corpus * (size // len(corpus) + 1))[:size]


def milliseconds(task: Callable[[], object]) -> float:
    """How long a task takes."""
    started = time.perf_counter()
    task()
    return 1000 * (time.perf_counter() - started)


def machine(browser: Browser) -> str:
    """What the figures depend on."""
    packages = ", ".join(f"{package} {version(package)}" for package in ("streamlit", "tiktoken", "numpy"))
    return (
        f"{os.cpu_count()} CPUs ({platform.machine()}), {os.getloadavg()[0]:.1f} processes at work at the start,"
        f" Python {platform.python_version()},"
        f" Chromium {browser.version} without a GPU, {packages}"
    )


if __name__ == "__main__":
    main()
