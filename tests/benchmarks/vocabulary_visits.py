"""Visits of the Vocabulary page in a browser: o200k_base, 200,000 entries."""

import statistics
from typing import Any

from playwright.sync_api import Browser

from tests.benchmarks.bench_core import Row
from tests.benchmarks.visits import VIEWPORT

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
