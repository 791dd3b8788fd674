"""The frames of the stage: whatever moves and whatever the banner says, every letter is seen in each of them."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from pages.ui.i18n import section
from pages.ui.stories.talk import _stage
from pages.ui.widgets.player import replay_options
from pages.ui.widgets.player.serve import BROWSER as STAGE
from pages.ui.widgets.player.serve import stage_css
from pages.ui.widgets.slides import BROWSER as DECK
from pages.ui.widgets.token_view.serve import bundle
from tests.helpers.browser import Profile
from tokenizer_core import train

NO_FRAMES = "Chromium draws no frames"
FRAME = f"""
window.frame = () => new Promise((then, fail) => {{
  requestAnimationFrame(then);
  setTimeout(() => fail(new Error("{NO_FRAMES}")), 30_000);
}});
"""

OPEN = """async ([code, css, options]) => {
  window.stage?.remove();
  document.body.replaceChildren();
  document.body.appendChild(document.createElement("style")).textContent = css;
  const { SlideView, Stage } = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const place = document.body.appendChild(document.createElement("div"));
  if (options.presents) {
    place.className = "token-view deck";
    const view = new SlideView({ kind: "stage", stage: options }, { labels: {} });
    place.innerHTML = "<div></div><div class='deck-foot'><button class='deck-button'>›</button></div>";
    place.firstChild.append(view.element);
    view.placed();
    window.stage = view.stage;
  } else {
    window.stage = new Stage(place, options);
    window.stage.dress();
  }
  while (!window.stage.learned.total) await frame();
  window.stage.player.pause();
  return window.stage.milestones.found.map(({ merge }) => merge);
}"""

# Plays from one merge to another, until all that moved rests, and looks at each frame on the way.
WATCH = """async ([first, last, rate]) => {
  const { board, banner, bar, player, options } = window.stage;
  const found = { unseen: [], covered: [], rebuilt: [], heights: [], told: [] };
  window.stage.go(first);
  player.pace = rate;

  const taken = new Set();
  const watch = new MutationObserver((records) => {
    for (const { addedNodes, removedNodes } of records) {
      for (const node of addedNodes) if (taken.has(node)) found.rebuilt.push(node.outerHTML);
      for (const node of removedNodes) taken.add(node);
    }
  });
  watch.observe(board.line, { childList: true });
  let before = new Map();
  player.play();
  do {
    await frame();
    const pieces = new Map([...board.pieces.values()].map((node) => [JSON.stringify(node.piece.tokens), node]));
    for (const [tokens, node] of pieces) if ((before.get(tokens) ?? node) !== node) found.rebuilt.push(tokens);
    before = pieces;
    const letters = [...lettersOf(board.line)];
    const whole = options.text.replace(/\\s/g, "");
    if (letters.map(([, letter]) => letter).join("") !== whole) found.unseen.push("a part");
    for (const [node, letter, from] of letters) if (!isSeen(node, letter, from)) found.unseen.push(letter);
    const sentence = [board.line, ...pieces.values()];
    const lowest = Math.max(...sentence.map((node) => node.getBoundingClientRect().bottom));
    if (lowest > topOf(bar.element)) found.covered.push(player.position);
    found.heights.push(banner.element.offsetHeight);
    if (banner.element.matches(".on:not(.rule)")) found.told.push(banner.element.textContent);
    if (player.isPlaying && player.position >= last) player.pause();
  } while (player.isPlaying || window.stage.held || board.line.getAnimations({ subtree: true }).length);
  watch.disconnect();
  return found;

  function* lettersOf(line) {
    const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      for (const { segment, index } of new Intl.Segmenter().segment(walk.currentNode.data)) {
        if (segment.trim()) yield [walk.currentNode, segment, index];
      }
    }
  }

  function isSeen(node, letter, from) {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, from + letter.length);
    const { left, top, width, height } = range.getBoundingClientRect();
    const at = document.elementFromPoint(left + width / 2, top + height / 2);
    let opacity = 1;
    for (let each = node.parentElement; each; each = each.parentElement) opacity *= getComputedStyle(each).opacity;
    return opacity === 1 && board.line.contains(at) && at.contains(node);
  }

  function topOf(controls) {
    const boxes = [...controls.querySelectorAll("*")].map((each) => each.getBoundingClientRect());
    return Math.min(...boxes.filter(({ height }) => height).map(({ top }) => top));
  }
}"""


@pytest.mark.parametrize(
    ("is_talk", "width", "height", "language", "is_calm"),
    [
        pytest.param(True, 1280, 720, "en", False, id="talk"),
        pytest.param(True, 1920, 1080, "th", True, id="large talk without motion", marks=pytest.mark.long),
        pytest.param(True, 390, 844, "th", False, id="talk on a phone", marks=pytest.mark.long),
        pytest.param(False, 1280, 1000, "th", False, id="page", marks=pytest.mark.long),
        pytest.param(False, 390, 844, "en", True, id="page on a phone without motion", marks=pytest.mark.long),
    ],
)
def test_every_letter_is_seen_in_every_frame_around_every_milestone(
    profile: Profile, is_talk: bool, width: int, height: int, language: str, is_calm: bool
) -> None:
    (training,) = [slide.stage for slide in _stage() if slide.stage]
    words = {"locale": language, "labels": section("stage", spoken=language)}

    def look(page: Page) -> None:
        page.set_viewport_size({"width": width, "height": height})
        milestones = opened(page, {**training, **words}, is_talk=is_talk, is_calm=is_calm)
        told, heights = set(), set()
        for rate in (1, 20, 200):
            for merge in milestones:
                around = max(1, rate // 5)
                found = watched(page, max(0, merge - around), merge + around, rate)
                told |= set(found["told"])
                heights |= set(found["heights"])
        assert len(told) == len(milestones) > 2
        assert len(heights) == 1  # the banner's place is kept free

    on_a_page_that_draws(profile, look)


@pytest.mark.long
@pytest.mark.parametrize("rate", [4, 10])
def test_what_moves_to_another_line_covers_no_letter(profile: Profile, rate: int) -> None:
    text = (
        "The cat sat on the mat; น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ 👍🏽👨‍👩‍👧 that the cat sat on the hat, and then "
        "the cat ran away from the other cats. น้ำใจคนไทยคือน้ำที่ให้กัน"
    )
    tokenizer = train(text * 5, 256 + 90)
    merges = [(left, right, 1) for left, right in tokenizer.merges]

    def look(page: Page) -> None:
        page.set_viewport_size({"width": 1280, "height": 720})
        opened(page, replay_options(tokenizer.pattern, "", merges, text, [], title=""), is_talk=True)
        watched(page, 45, 75, rate)

    on_a_page_that_draws(profile, look)


def on_a_page_that_draws(profile: Profile, look: Callable[[Page], None]) -> None:
    """Look at a page that raises no error; at another one if Chromium, without a window, stops drawing."""
    errors: list[str] = []
    for _ in range(4):
        with contextlib.closing(profile.context.new_page()) as page:
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.evaluate(FRAME)
            try:
                look(page)
            except PlaywrightError as error:
                if NO_FRAMES not in str(error):
                    raise
                continue
        assert errors == []
        return
    raise AssertionError(NO_FRAMES)


def opened(page: Page, training: dict[str, Any], *, is_talk: bool, is_calm: bool = False) -> list[int]:
    """Show a training on a slide, or on a page; return the merges of its milestones."""
    page.emulate_media(reduced_motion="reduce" if is_calm else "no-preference")
    code = bundle(DECK / "slides.js") if is_talk else bundle(STAGE / "stage.js")
    css = stage_css() + (DECK / "deck.css").read_text("utf-8")
    milestones: list[int] = page.evaluate(OPEN, [code, css, {**training, "presents": is_talk}])
    return milestones


def watched(page: Page, first: int, last: int, rate: int) -> dict[str, Any]:
    """Play some merges, and see that each frame shows the whole sentence; return what else the frames show."""
    found: dict[str, Any] = page.evaluate(WATCH, [first, last, rate])
    assert found["unseen"] == [], rate
    assert found["covered"] == [], rate
    assert found["rebuilt"] == [], rate
    return found
