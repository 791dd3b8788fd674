"""The race: what is written in it is written where the curve does not cross it."""

import pytest
from playwright.sync_api import Page

from pages.ui.stage.serve import BROWSER, stage_css
from pages.ui.token_view.bundle import bundle

DRAW = """async ([code, css, steps, levels, marks, goal]) => {
  const style = document.head.appendChild(document.createElement("style"));
  style.textContent = css;
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { Race } = await import(address);
  const race = new Race((key) => (key === "locale" ? "en" : key));
  const stage = document.body.appendChild(document.createElement("div"));
  stage.className = "token-view stage";
  stage.append(race.element);
  const found = marks.map((merge) => {
    const learned = steps.filter((step) => step.merge <= merge);
    race.show([{ name: "ก", learned: merge, levels, steps: learned }], goal, "");
    race.mark(merge);
    const [track] = race.drawn;
    const run = track.svg.querySelector(".run");
    const length = run.getTotalLength();
    const places = Array.from({ length: 2000 }, (_, at) => run.getPointAtLength((length * at) / 1999));
    const written = [track.value, ...track.svg.querySelectorAll(".name")].map((text) => {
      const [box, base] = [text.getBBox(), Number(text.getAttribute("y"))];
      const tall = 0.7 * parseFloat(getComputedStyle(text).fontSize); // digits and capitals
      const isInside = box.x >= 0 && box.x + box.width <= 320 && base >= 12 && base < 192;
      const isIn = ({ x, y }) => x > box.x && x < box.x + box.width && y > base - tall && y < base;
      return isInside && !places.some(isIn);
    });
    return [merge, written];
  });
  stage.remove();
  style.remove();
  return found;
}"""


@pytest.mark.parametrize("first", [60, 13_435])
@pytest.mark.parametrize("keeps", [0.5, 0.75])
def test_the_curve_crosses_neither_its_value_nor_a_name(page: Page, first: int, keeps: float) -> None:
    merges = [0, 3, 4, 7, 11, 12, 19, 30, 31, 50, 90, 120, 200, 330, 500, 744]
    steps = [{"merge": merge, "tokens": round(first * keeps ** (at / 9))} for at, merge in enumerate(merges)]
    shares = {"GPT-2": 0.93, "GPT-4 (cl100k)": 0.7, "GPT-4o (o200k)": 0.45}
    levels = [{"name": name, "count": round(first * share)} for name, share in shares.items()]
    marks = [1, 2, 3, 5, 11, 14, 19, 24, 31, 64, 100, 150, 300, 600, 744]
    found = page.evaluate(DRAW, [bundle(BROWSER / "race.js"), stage_css(), steps, levels, marks, 744])
    assert found == [[merge, [True] * (1 + len(levels))] for merge in marks]
