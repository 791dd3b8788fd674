"""What the stage and the deck draw: hostile sentences as text, rows on a line each, charts without crossings."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from pages.ui.i18n import catalogue, section
from pages.ui.widgets.colours import TINT_COUNT
from pages.ui.widgets.player.serve import BROWSER as STAGE
from pages.ui.widgets.player.serve import stage_css
from pages.ui.widgets.slides import BROWSER as DECK
from pages.ui.widgets.slides import View, _view
from pages.ui.widgets.token_view.lanes import Label, Lane
from pages.ui.widgets.token_view.serve import bundle
from tests.helpers.clusters import boundaries
from tests.helpers.drawing import HOSTILE
from tokenizer_core import train
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.patterns.pretokens import bytes_and_ends
from tokenizer_core.patterns.split_patterns import pretokenize

OPEN = """async ([code, css]) => {
  window.style ??= document.head.appendChild(document.createElement("style"));
  window.style.textContent = css;
  window.parts = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  document.body.replaceChildren();
}"""


def opened(page: Page, code: str) -> None:
    page.evaluate(OPEN, [code, stage_css() + (DECK / "deck.css").read_text("utf-8")])


# ---- the sentence

SHOW = """async ([options, merges]) => {
  const before = window.fetch;
  const total = merges.length / 3;
  const answer = { state: "done", says: "", pace: "full", learned: total, goal: total, merges };
  window.fetch = async () => ({ ok: true, status: 200, json: async () => answer });
  const data = new TextEncoder().encode(JSON.stringify(options));
  const remove = parts.default({ data, parentElement: document.body });
  const root = document.querySelector(".stage");
  while (root.dataset.state !== "done") await new Promise((done) => setTimeout(done, 5));
  const line = root.querySelector(".line");
  const shown = { text: line.textContent, tokens: Number(root.dataset.tokens), pwned: window.pwned ?? null,
    glyphs: line.querySelectorAll(".glyph").length,
    strange: root.querySelectorAll(".line :not(span, i, wbr), script, img, iframe").length };
  remove();
  window.fetch = before;
  return shown;
}"""


@pytest.mark.parametrize("text", [*HOSTILE.values(), "", "  \n\n\t   "], ids=[*HOSTILE, "empty", "white space"])
def test_a_hostile_sentence_is_text_on_the_stage(page: Page, text: str) -> None:
    tokenizer = train("น้ำใจคนไทย ดื่มน้ำ the cat sat on the mat <script> 👨‍👩‍👧 " * 4, 256 + 90)
    options = dict.fromkeys(("steer", "race", "page")) | {
        "text": text,
        "name": text,
        "feed": "/watch",
        "locale": "en",
        "tints": TINT_COUNT,
        "title": "<script>",
        "what": "<script>",
        "pretokens": bytes_and_ends(pretokenize(text, tokenizer.pattern))[1].tolist() if text else [],
        "clusters": [len(text[:start].encode()) for start in sorted({0, *boundaries(text)} - {len(text)})],
        "levels": [{"name": "<b>GPT</b>", "count": 9}],
        "labels": section("stage", spoken="en"),
    }
    opened(page, bundle(STAGE / "stage.js"))
    merges = [number for left, right in tokenizer.merges for number in (left, right, 1)]
    shown = page.evaluate(SHOW, [options, merges])
    assert (shown["pwned"], shown["strange"], shown["tokens"]) == (None, 0, len(tokenizer.encode(text)))
    assert shown["glyphs"] or shown["text"] == text


# ---- slides of a deck

DRAW_SLIDE = """([slide, tints]) => {
  document.body.innerHTML = "<div class='token-view deck'><div class='deck-place'></div></div>";
  const view = new parts.SlideView(slide, { tints, locale: "th", labels: { letters: "" } }, ["th"]);
  document.querySelector(".deck-place").append(view.element);
  view.placed();
  return view.boards.map(({ line }) => {
    const { lineHeight, fontSize } = getComputedStyle(line);
    return [Math.round(line.clientHeight / parseFloat(lineHeight)), parseFloat(fontSize)];
  });
}"""


@pytest.mark.parametrize(
    ("text", "fits", "smallest"),
    [
        *((text, True, 64) for text in (catalogue("th")["examples.thai"], "กขคงจฉ", "น้ำ")),
        (catalogue("th")["examples.sample"], False, 40),
    ],
)
def test_rows_stay_on_a_line_each_unless_that_costs_too_much_of_the_type(
    page: Page, text: str, fits: bool, smallest: float
) -> None:
    lanes = [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES]
    slide: dict[str, Any] = {"kind": "tokens", "over": {}, "title": {}, "says": {}, "notes": {}}
    slide["views"] = [json.loads(json.dumps(_view(View(text, lanes))))]
    page.set_viewport_size({"width": 1920, "height": 1080})
    opened(page, bundle(DECK / "slides.js"))
    lines = page.evaluate(DRAW_SLIDE, [slide, TINT_COUNT])
    assert [count == 1 for count, _ in lines] == [fits] * len(lanes)
    assert all(size >= smallest for _, size in lines)


# ---- the race

DRAW_RACE = """([steps, levels, marks, goal]) => {
  const race = new parts.Race((key) => (key === "locale" ? "en" : key));
  document.body.innerHTML = "<div class='token-view stage'></div>";
  document.body.firstChild.append(race.element);
  return marks.map((merge) => {
    const learned = steps.filter((step) => step.merge <= merge);
    race.show([{ name: "ก", learned: merge, levels, steps: learned }], goal, "");
    race.mark(merge);
    const [track] = race.drawn;
    const run = track.svg.querySelector(".run");
    const length = run.getTotalLength();
    const places = Array.from({ length: 2000 }, (_, at) => run.getPointAtLength((length * at) / 1999));
    return [track.value, ...track.svg.querySelectorAll(".name")].map((text) => {
      const [box, base] = [text.getBBox(), Number(text.getAttribute("y"))];
      const tall = 0.7 * parseFloat(getComputedStyle(text).fontSize); // digits and capitals
      const isInside = box.x >= 0 && box.x + box.width <= 320 && base >= 12 && base < 192;
      const isIn = ({ x, y }) => x > box.x && x < box.x + box.width && y > base - tall && y < base;
      return isInside && !places.some(isIn);
    });
  });
}"""


@pytest.mark.parametrize("first", [60, 13_435])
@pytest.mark.parametrize("keeps", [0.5, 0.75])
def test_the_curve_of_the_race_crosses_neither_its_value_nor_a_name(page: Page, first: int, keeps: float) -> None:
    merges = [0, 3, 4, 7, 11, 12, 19, 30, 31, 50, 90, 120, 200, 330, 500, 744]
    steps = [{"merge": merge, "tokens": round(first * keeps ** (at / 9))} for at, merge in enumerate(merges)]
    shares = {"GPT-2": 0.93, "GPT-4 (cl100k)": 0.7, "GPT-4o (o200k)": 0.45}
    levels = [{"name": name, "count": round(first * share)} for name, share in shares.items()]
    marks = [1, 2, 3, 5, 11, 14, 19, 24, 31, 64, 100, 150, 300, 600, 744]
    opened(page, bundle(STAGE / "charts.js"))
    found = page.evaluate(DRAW_RACE, [steps, levels, marks, 744])
    assert found == [[True] * (1 + len(levels))] * len(marks)
