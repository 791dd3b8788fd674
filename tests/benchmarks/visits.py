"""Visits of the compare page in a browser: what a visitor waits for, in frames of the screen."""

import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tiktoken
from playwright.sync_api import Browser, CDPSession, Page, ViewportSize, sync_playwright

from pages.ui.i18n import catalogue
from tests.benchmarks.tables import Row
from tests.helpers.paths import REPOSITORY
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer

ENGLISH = catalogue("en")
VIEWPORT = ViewportSize(width=1280, height=900)
SCROLLED_FRAMES, SCROLLED_PIXELS = 180, 20
HOVERED_PIECES = 180
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
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
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    quiet = subprocess.DEVNULL
    alone = {
        **os.environ,
        "TOKENIZER_EXPLORER_LIBRARY": "off",
    }  # nothing is kept in the library of whoever measures
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=quiet, stderr=quiet, env=alone) as server:
        try:
            wait_healthy(f"http://127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def wait_healthy(address: str) -> None:
    """Wait until the app answers."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
            return
        time.sleep(0.02)
    raise TimeoutError("the app must answer; it did not in a minute")


def encodings() -> list[tiktoken.Encoding]:
    """tiktoken's own three, which `openai_tokenizer` has it read from the files shipped with the project."""
    return [tiktoken.get_encoding(openai_tokenizer(name).name) for name in OPENAI_NAMES]


# ---- the Vocabulary page: o200k_base, 200,000 entries

VISITS = 5
SEARCHES = {"text “น้ำ”": (0, "น้ำ"), "text “a”": (0, "a"), "bytes E0 B8": (1, "E0 B8"), "ids": (2, "1000-90000")}
EXPRESSION = (3, "^[ก-ฮ]+$")
# Runs before the page's own scripts: when the first entry is seen.
WATCH = """
window.shownAt = null;
(function turn() {
  const host = [...document.querySelectorAll(".st-key-vocabulary_view *")].find((each) => each.shadowRoot);
  window.root = host?.shadowRoot;
  if (window.root?.querySelector(".entry")) requestAnimationFrame((now) => (window.shownAt = now));
  else requestAnimationFrame(turn);
})();
"""
FETCHED = """() => Math.max(...performance.getEntriesByType("resource")
  .filter(({ name }) => /token-view\\/[\\w-]{20,}$/.test(name)).map(({ responseEnd }) => responseEnd))"""
SEARCH = """async ([kind, query]) => {
  const view = root.querySelector(".vocabulary");
  const [menu, box] = [root.querySelector(".search select"), root.querySelector(".search input")];
  menu.selectedIndex = kind;
  menu.onchange();
  await new Promise((then) => setTimeout(then, 1500)); // the worker reads
  const before = view.dataset.shown;
  const start = performance.now();
  box.value = query;
  box.oninput();
  while (view.dataset.shown === before) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  const end = performance.now();
  box.value = "";
  box.oninput();
  return end - start;
}"""
SCROLL = """async () => {
  const list = root.querySelector(".entries");
  const moments = [];
  for (let frame = 0; frame < 180; frame++) {
    list.scrollTop += 40;
    moments.push(await new Promise(requestAnimationFrame));
  }
  return moments.slice(1).map((each, i) => each - moments[i]).sort((a, b) => a - b);
}"""
VOCABULARY_HEADER = ["", "ms"]


def vocabulary_rows(browser: Browser, address: str) -> list[Row]:
    """The medians of all visits; the first one, for which the app reads the vocabulary, is left out."""
    visits = [visited(browser, address) for _ in range(1 + VISITS)][1:]
    return [row(name, [each[name] for each in visits]) for name in visits[0]]


def visited(browser: Browser, address: str) -> dict[str, float]:
    """One visit: all times in milliseconds."""
    context = browser.new_context(viewport=VIEWPORT)
    tab = context.new_page()
    tab.add_init_script(WATCH)
    tab.goto(f"{address}/vocabulary?lang=en")
    while tab.evaluate("window.shownAt") is None:
        tab.wait_for_timeout(50)
    tab.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    found = {"first screen": tab.evaluate("window.shownAt") - tab.evaluate(FETCHED)}
    tab.evaluate("root.querySelector('.scripts button').click()")  # all entries
    for name, asked in SEARCHES.items():
        found[f"search: {name}"] = tab.evaluate(SEARCH, list(asked))
    found[f"search: expression {EXPRESSION[1]}"] = tab.evaluate(SEARCH, list(EXPRESSION))
    frames: list[Any] = tab.evaluate(SCROLL)
    found |= {"frame while scrolling, p50": frames[len(frames) // 2], "p95": frames[int(0.95 * len(frames))]}
    context.close()
    return found


def row(name: str, times: list[float]) -> Row:
    """One measure: the median, and for searches the slowest."""
    slowest = f" (slowest {max(times):.0f})" if name.startswith("search") else ""
    return [name, f"{statistics.median(times):.0f}{slowest}"]
