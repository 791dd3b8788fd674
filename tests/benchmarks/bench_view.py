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

Stage: a training of the bundled texts at 2, 20 and 200 merges a second; for five seconds, what the tab's main
thread takes of one core (tasks and, of these, scripts), merges played and frames drawn. The bar is a third of a
core at 20 merges a second.

Vocabulary: all 200,000 entries of o200k_base; medians of five visits, and the slowest.

- first screen: from the last byte of the entries to the frame after the one that shows the first of them. The bar
  is 1 s.
- search: from a key to the frame after the one that shows the answer, over all entries. The bar is 150 ms. A
  regular expression waits for a pause in typing (50 ms), and its worker has read the entries before.
- frames: while the list scrolls by 40 pixels in each of 180 frames.

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
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import section
from pages.ui.widgets.token_view.lanes import Label, Lane
from pages.ui.widgets.token_view.payload import token_payload
from tests.benchmarks.tables import CORPUS, Row, best_of, show
from tests.benchmarks.visits import (
    VOCABULARY_HEADER,
    FramesStopped,
    Visit,
    chromium,
    encodings,
    served_app,
    visit,
    vocabulary_rows,
)
from tests.helpers.app import view
from tests.helpers.paths import REPOSITORY
from tokenizer_core.bpe.openai import openai_tokenizer

SIZES = (1_000, 10_000, 100_000, 1_000_000)
VISITS = 5
RERUNS = 40


def main() -> None:
    """All tables, one after the other."""
    path = Path(sys.argv[1]) if sys.argv[1:] else CORPUS
    corpus = path.read_text(encoding="utf-8").strip()
    logging.disable(logging.WARNING)  # outside a server Streamlit warns at each call that it misses one
    with chromium() as browser, served_app() as address:
        print(f"{machine(browser)}. Corpus: {path.name}, {len(corpus):,} characters.\n")
        visits = all_visits(browser, address, corpus)
        stage_rows = [stage_row(browser, address, pace) for pace in STAGE_PACES]
        rows_of_vocabulary = vocabulary_rows(browser, address)
    text = excerpt(corpus, 0, SIZES[-1])
    show(
        "From a file to its tokens in three lanes", LOADING_HEADER, [loading_row(*each) for each in visits.items()]
    )
    show("Time from frame to frame, ms", FRAMES_HEADER, [frames_row(*each) for each in visits.items()])
    show("The stage while a training runs", STAGE_HEADER, stage_rows)
    show("The vocabulary of o200k_base", VOCABULARY_HEADER, rows_of_vocabulary)
    show("Rerun of the compare page with nothing changed", ["text", "ms"], rerun_rows(text))
    show(f"Payload of {len(text):,} characters in three lanes", PAYLOAD_HEADER, [payload_row(text)])


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
        f"{median(visits, lambda each: float(np.percentile(each.scrolling, 50))):.1f}",
        f"{median(visits, lambda each: float(np.percentile(each.scrolling, 95))):.1f}",
        f"{median(visits, lambda each: float(np.percentile(each.hovering, 50))):.1f}",
        f"{median(visits, lambda each: float(np.percentile(each.hovering, 95))):.1f}",
    ]


def median(visits: list[Visit], figure: Callable[[Visit], float]) -> float:
    """A figure of all visits, the middle one."""
    return float(statistics.median(map(figure, visits)))


STAGE_PACES = {"slow": 2, "steady": 20, "fast": 200}
STAGE_HEADER = ["merges a second, wanted", "played", "share of a core", "of it scripts", "frames a second"]
STAGE_SECONDS = 5.0


def stage_row(browser: Browser, address: str, pace: str) -> Row:
    """One pace of a training of the bundled texts: what its tab takes of one core, and the frames it draws."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    tab = context.new_page()
    tab.goto(f"{address}/train?lang=en")
    tab.get_by_role("spinbutton").first.fill("4000")
    tab.get_by_role("spinbutton").first.press("Enter")
    tab.get_by_text("3,744 merges").first.wait_for()
    tab.wait_for_timeout(1_500)  # a click on what is being drawn anew gets lost
    tab.locator(".st-key-start button").click()
    stage = tab.locator(".st-key-stage .stage[data-state=running]")
    stage.wait_for(timeout=120_000)
    stage.locator(".drive select").select_option(pace)
    tab.wait_for_timeout(1_500)
    tab.evaluate("window.frames_seen = 0; (function turn() { frames_seen += 1; requestAnimationFrame(turn); })()")
    devtools = context.new_cdp_session(tab)
    devtools.send("Performance.enable")

    def now() -> dict[str, float]:
        found = {each["name"]: each["value"] for each in devtools.send("Performance.getMetrics")["metrics"]}
        played = float(stage.get_attribute("data-played") or 0)
        return {**found, "played": played, "frames": tab.evaluate("frames_seen"), "time": time.perf_counter()}

    before = now()
    tab.wait_for_timeout(1000 * STAGE_SECONDS)
    after = now()
    context.close()
    rates = {name: (after[name] - before[name]) / (after["time"] - before["time"]) for name in before}
    return [
        f"{STAGE_PACES[pace]}",
        f"{rates['played']:.1f}",
        f"**{rates['TaskDuration']:.2f}**",
        f"{rates['ScriptDuration']:.2f}",
        f"{rates['frames']:.0f}",
    ]


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
    app = AppTest.from_file(str(REPOSITORY / "pages" / "ui" / "frame" / "main.py"), default_timeout=120)
    app.query_params["lang"] = "en"
    app.run().switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    app.session_state["text_source"] = "upload"
    app.run()
    if text:
        app.file_uploader(key="text_file").upload("text.txt", text.encode()).run()
        assert text.startswith(view(app).text)
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
