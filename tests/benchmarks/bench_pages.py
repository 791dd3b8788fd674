"""What a visitor waits for on each page, and the clicks of four ways through the app: prints Markdown tables.

    apt-get install chromium
    pip install -r requirements.txt -r tests/benchmarks/requirements.txt
    python -m tests.benchmarks.bench_pages

- first answer: from the page's load event to what it is for, such as counts or a chart, and from
  the beginning of the visit. The bar is 1 s after the load event. Medians of five visits by fresh browsers; one
  before them warms the app up.
- feedback: from a click to the first sign that the page has taken it: its answer, the line at the top, or that
  the control that was pressed shows itself chosen. The bar is 0.3 s.
- press: from a click to its answer on the page.
- ways: clicks (a choice of a file is one), scrolls that were needed to find what is clicked next, and seconds.
"""

import contextlib
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tests.benchmarks.bench_view import machine
from tests.benchmarks.tables import Row, show
from tests.benchmarks.visits import ENGLISH, READY, VIEWPORT, chromium, served_app
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import byte_level

VISITS = 5
PATIENCE = 120_000  # milliseconds
WATCH_LINE = """() => {
  const told = () => { window.begun ??= performance.now(); };
  addEventListener("pointerdown", ({target}) => {
    window.pressed = performance.now();
    const states = {attributeFilter: ["aria-checked", "aria-pressed", "data-selected"]};
    new MutationObserver(told).observe(target.closest("button") ?? target, states);
  }, {capture: true, once: true});
  addEventListener("animationstart", event => {
    if (event.animationName === "page-works") told();
  });
}"""
"""Notes when a press begins, and when its control changes or the line at the top begins to move."""


@dataclass(frozen=True)
class Answer:
    """A page, what it is for, and a click whose answer is that this has other words."""

    path: str
    answer: str
    press: Callable[[Page], Locator]
    changes: str


def sample(tab: Page) -> Locator:
    """A button of another text."""
    return tab.get_by_role("radio", name=ENGLISH["examples.english_name"], exact=True).last


ANSWERS = [
    Answer("", ".st-key-home_view .count", sample, ".st-key-home_view .count"),
    Answer("train", ".st-key-start button", lambda tab: tab.locator(".st-key-start button"), ".stage"),
    Answer("compare", ".st-key-compare_view .count", sample, ".st-key-compare_view .count"),
    Answer(
        "languages",
        "[data-testid=stVegaLiteChart] :is(canvas, svg)",
        lambda tab: tab.get_by_role("button", name="GPT-2", exact=True),
        "[data-testid=stMain] :is(h2, h3)",
    ),
    Answer("patterns", ".st-key-lab_view .count", sample, ".st-key-lab_view .rows"),
    Answer(
        "vocabulary",
        ".st-key-vocabulary_view .entry",
        lambda tab: tab.locator(".st-key-vocabulary_view .scripts button").first,
        ".st-key-vocabulary_view .entry",
    ),
    Answer(
        "learn?lesson=see",
        ".st-key-learn .gap-cut",
        lambda tab: tab.locator(".st-key-learn .choices .strong"),
        ".st-key-learn .screen",
    ),
    Answer(
        "stories", ".st-key-story_choice_0", lambda tab: tab.locator(".st-key-story_choice_0 button"), ".contrast"
    ),
]


def main() -> None:
    """Print all tables."""
    with chromium() as browser, served_app() as address:
        print(f"{machine(browser)}.\n")
        show(
            "The first answer, s",
            ["page", "after the load event", "in all", "feedback", "press"],
            answers(browser, address),
        )
        show("Ways", ["way", "clicks", "scrolls", "s"], ways(browser, address))


@contextlib.contextmanager
def fresh_tab(browser: Browser) -> Iterator[Page]:
    """Open a tab of a browser that has seen nothing."""
    with contextlib.closing(browser.new_context(viewport=VIEWPORT, locale="en-US")) as context:
        tab = context.new_page()
        tab.set_default_timeout(PATIENCE)
        yield tab


def answers(browser: Browser, address: str) -> list[Row]:
    """Visit each page in turn; the times are medians."""
    rounds = [[answered(browser, address, each) for each in ANSWERS] for _ in range(1 + VISITS)][1:]
    return [
        [f"/{each.path}", *(f"{statistics.median(times):.2f}" for times in zip(*visits, strict=True))]
        for each, visits in zip(ANSWERS, zip(*rounds, strict=True), strict=True)
    ]


def answered(browser: Browser, address: str, page: Answer) -> tuple[float, float, float, float]:
    """Return the seconds from load and start to the first answer, and from a press to its sign and answer."""
    with fresh_tab(browser) as tab:
        start = time.perf_counter()
        tab.goto(f"{address}/{page.path}{'&' if '?' in page.path else '?'}lang=en", wait_until="load")
        loaded = time.perf_counter()
        answer = tab.locator(page.answer).first
        while not answer.is_visible():  # Playwright's own waiting looks every half second in the end
            if time.perf_counter() - loaded > PATIENCE / 1_000:
                raise TimeoutError(f"no answer on /{page.path}")
        shown = time.perf_counter()
        tab.locator(READY).wait_for()
        tab.wait_for_timeout(1_000)
        changing = tab.locator(page.changes).first
        before = changing.inner_text() if changing.count() else None
        tab.evaluate(WATCH_LINE)
        page.press(tab).click()
        if before is None:
            changing.wait_for()
        else:
            expect(changing).not_to_have_text(before, timeout=PATIENCE)
        pressed, begun, answered = tab.evaluate("() => [window.pressed, window.begun, performance.now()]")
        changed = (answered - pressed) / 1_000
        sign = min(changed, (begun - pressed) / 1_000) if begun else changed
        return shown - loaded, shown - start, sign, changed


@dataclass
class Way:
    """A way of a visitor who clicks, and scrolls where the next click is out of sight."""

    tab: Page
    clicks: int = 0
    scrolls: int = 0
    start: float = field(default_factory=time.perf_counter)

    def click(self, place: Locator) -> None:
        """Click, and note whether that took a scroll."""
        place.wait_for()
        self.tab.wait_for_timeout(300)  # a person sees it first
        self.clicks += 1
        box = place.bounding_box()
        assert box is not None
        if box["y"] < 0 or box["y"] + box["height"] > VIEWPORT["height"]:
            self.scrolls += 1
        place.click()

    def choose(self, place: Locator, file: Path) -> None:
        """Choose a file behind a button."""
        with self.tab.expect_file_chooser() as chooser:
            self.click(place)
        chooser.value.set_files(file)

    def row(self, name: str) -> Row:
        """Return what it took."""
        return [name, str(self.clicks), str(self.scrolls), f"{time.perf_counter() - self.start:.1f}"]


def ways(browser: Browser, address: str) -> list[Row]:
    """Walk each way once."""
    rows = []
    for name, walk in WAYS.items():
        with fresh_tab(browser) as tab:
            tab.goto(f"{address}/?lang=en")
            tab.locator(".st-key-home_view .count").first.wait_for()
            way = Way(tab)
            walk(way)
            rows.append(way.row(name))
    return rows


def show_and_compare(way: Way) -> None:
    """Home, the end of the show, Compare with one's own lane."""
    way.click(way.tab.get_by_role("button", name=ENGLISH["home.train"]))
    way.click(way.tab.locator(".stage .way.compare"))
    expect(way.tab.locator(".st-key-compare_view .count")).to_have_count(4)


def train_and_export(way: Way) -> None:
    """Upload a text, train 4,096 tokens, compare, export."""
    tab = way.tab
    tab.goto(tab.url.replace("/?", "/train?"))
    way.start = time.perf_counter()
    way.click(
        tab.get_by_role("radio", name=re.compile(ENGLISH["train.card_own"])).locator("xpath=ancestor::label")
    )
    way.choose(tab.get_by_test_id("stFileUploaderDropzone").locator("button").first, CORPUS)
    tab.get_by_role("spinbutton").first.fill("4096")
    tab.get_by_role("spinbutton").first.press("Enter")
    way.click(tab.locator(".st-key-start button"))
    tab.locator(".stage .drive select").select_option("full")
    way.click(tab.locator(".stage .way.compare"))
    way.click(tab.get_by_role("button", name=ENGLISH["exports.title"]))


def open_a_tokenizer(way: Way) -> None:
    """Open a tokenizer.json on Compare."""
    tab = way.tab
    tab.goto(tab.url.replace("/?", "/compare?"))
    tab.locator(".st-key-compare_view .count").first.wait_for()
    way.start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        (file := Path(folder, "tokenizer.json")).write_bytes(byte_level())
        way.click(tab.get_by_role("button", name=ENGLISH["compare.open"]))
        way.choose(tab.get_by_test_id("stFileUploaderDropzone").locator("button").first, file)
        expect(tab.locator(".st-key-compare_view .count")).to_have_count(4)


def walk_the_talk(way: Way) -> None:
    """The talk of five minutes, by keyboard alone."""
    tab = way.tab
    tab.goto(tab.url.replace("/?", "/stories?present=short&"))
    where = tab.locator(".deck-where")
    where.wait_for()
    way.start = time.perf_counter()
    slides = int(where.inner_text().split("/")[1])
    for _ in range(6 * slides):
        if where.inner_text().split("/")[0].strip() == str(slides):
            break
        tab.keyboard.press("ArrowRight")
        tab.wait_for_timeout(100)
    tab.keyboard.press("Escape")
    expect(tab.locator(".deck")).to_have_count(0)


CORPUS = REPOSITORY / "sample_data" / "parallel.th.txt"
WAYS = {
    "home, the end of the show, Compare": show_and_compare,
    "a text of one's own, 4,096 tokens, Compare, export": train_and_export,
    "a tokenizer.json on Compare": open_a_tokenizer,
    "the talk of five minutes, by keyboard": walk_the_talk,
}


if __name__ == "__main__":
    main()
