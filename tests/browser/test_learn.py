"""Every lesson walked by keyboard alone, in the app and in the file that needs no app."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.ui.i18n import LANGUAGE, catalogue
from pages.ui.i18n.breaks import without_breaks
from pages.ui.learn.lessons import LESSONS, OFFLINE, offline_page
from tests.helpers.accessibility import violations
from tests.helpers.browser import OpenTab, at_rest

MOST_STEPS = 150
"""Presses of Tab on a screen after which something cannot be reached."""
FOCUSED = """(selector) => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element?.matches(selector) ?? false;
}"""
SMALL = """(root) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { parentElement: element, data } = walker.currentNode;
    const size = parseFloat(getComputedStyle(element).fontSize);
    if (data.trim() && size > 0 && size < 16) found.push(`${size}: ${data}`);
  }
  return found;
}"""
LARGE = 30
"""Pixels of the smallest type that is read from the last row of a room, on a screen of 1920 × 1080."""
LEAST = """async (root) => {
  await document.fonts.ready;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const sizeOf = (style, element) => parseFloat(style.fontSize) * element.currentCSSZoom;
  const walker = document.createTreeWalker(root.querySelector(".screen"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { parentElement: element, data } = walker.currentNode;
    if (data.trim() && element.checkVisibility()) found.push([sizeOf(getComputedStyle(element), element), data]);
  }
  for (const element of root.querySelectorAll(".screen :is([data-n], input:not([type=range]))")) {
    const style = getComputedStyle(element, element.dataset.n ? "::after" : "");
    found.push([sizeOf(style, element), element.dataset.n ?? element.value]);
  }
  return found.sort(([one], [other]) => one - other)[0];
}"""
"""The smallest type of a screen, and its words; fonts that come late have been fitted."""
SIZES = [(390, 844), (1024, 768), (1920, 1080)]
WALKS = [
    pytest.param(language, size, marks=() if (language, size) == ("th", SIZES[0]) else pytest.mark.long)
    for language in ("th", "en")
    for size in SIZES
]


def reach(tab: Page, selector: str) -> None:
    """Press Tab until the focus is there."""
    for _ in range(MOST_STEPS):
        if tab.evaluate(FOCUSED, selector):
            return
        tab.keyboard.press("Tab")
    pytest.fail(f"Tab does not reach {selector}")


def press(tab: Page, selector: str) -> None:
    reach(tab, selector)
    tab.keyboard.press("Enter")


def answer(tab: Page, lesson: Locator) -> None:
    """Do what a screen asks for."""
    if lesson.locator(".ask").count():
        press(tab, ".ask .choices button")
    elif lesson.locator(".cuttable").count():
        press(tab, ".gap-cut")
        tab.keyboard.press("ArrowRight")
        tab.keyboard.press("Enter")
        expect(lesson.locator(".gap-cut[aria-pressed=true]")).to_have_count(2)
        press(tab, ".choices .strong")
    elif lesson.locator(".half").count():
        press(tab, ".half:nth-child(2)")  # the first part of the letter stands there
        tab.keyboard.press("Shift+Tab")
        tab.keyboard.press("Enter")
        expect(lesson.locator(".whole")).to_be_visible()
    else:
        before = lesson.locator(".board button").count()
        press(tab, ".board button")
        tab.keyboard.press("ArrowRight")
        tab.keyboard.press("Enter")
        assert lesson.locator(".board button").count() < before
        press(tab, ".choices button")


def walk(tab: Page, lesson: Locator, name: str, at: int, axe: str = "") -> None:
    """Go through a lesson from its card to its end, and look at each screen, with axe too where it is given."""
    press(tab, f".lessons li:nth-child({at + 1}) button")
    expect(lesson.locator(".screen h2")).to_be_focused()
    screens = int(lesson.locator("progress").get_attribute("max") or 0)
    for screen in range(1, screens + 1):
        expect(lesson.locator("progress")).to_have_attribute("value", str(screen))
        on = lesson.locator(".foot .strong")
        if on.is_disabled():
            answer(tab, lesson)
            expect(on, f"screen {screen} of {name}").to_be_enabled()
        assert lesson.evaluate(SMALL) == [], f"screen {screen} of {name}"
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if axe:
            assert violations(tab, axe, ()) == [], f"screen {screen} of {name}"
        press(tab, ".top .quiet" if screen == screens else ".foot .strong")
    expect(lesson.locator(f".lessons li:nth-child({at + 1}) .done")).to_be_visible()


@pytest.mark.parametrize(("language", "size"), WALKS)
def test_every_lesson_can_be_walked_by_keyboard(
    open_tab: OpenTab, address: str, axe: str, language: str, size: tuple[int, int]
) -> None:
    tab = open_tab(reduced_motion="reduce")
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    tab.goto(f"{address}/learn?lang={language}")
    at_rest(tab)
    lesson = tab.locator(".st-key-learn .learn")
    expect(lesson.locator(".lessons li")).to_have_count(len(LESSONS))
    for at, name in enumerate(LESSONS):
        walk(tab, lesson, name, at, "" if (language, size) == ("th", SIZES[0]) else axe)


@pytest.mark.parametrize("language", ["th", "en"])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "encode" else pytest.mark.long) for name in LESSONS]
)
def test_before_a_room_each_answer_is_read_from_the_last_row(
    open_tab: OpenTab, address: str, language: str, name: str
) -> None:
    tab = open_tab(reduced_motion="reduce")
    tab.set_viewport_size({"width": 1920, "height": 1080})
    tab.goto(f"{address}/learn?lang={language}&present=1&lesson={name}")
    at_rest(tab)
    lesson = tab.locator(".st-key-learn .learn")
    expect(lesson.locator(".screen h2")).to_be_visible()
    while not lesson.locator(".keep").count():
        if not lesson.locator(".foot .wait:not(:empty)").count():
            where = lesson.locator(".top .where").inner_text()
            size, words = lesson.evaluate(LEAST)
            assert size >= LARGE, f"{where}: {words}"
            assert lesson.evaluate("(each) => each.scrollHeight - each.clientHeight") == 0, where
        tab.keyboard.press("ArrowRight")


def test_a_lesson_keeps_the_text_leads_to_its_story_and_remembers(open_tab: OpenTab, address: str) -> None:
    words = {key: without_breaks(said) for key, said in catalogue("en").items()}
    tab = open_tab(reduced_motion="reduce")
    tab.goto(f"{address}/learn?lang=en&lesson=see")
    lesson = tab.locator(".st-key-learn .learn")
    field = lesson.get_by_role("textbox", name=words["lesson.own_text"])
    field.fill("<img src=x onerror=alert(1)> กก")
    lesson.get_by_role("button", name=words["lesson.see_1_reveal"]).click()
    expect(lesson.locator(".cuttable .under")).to_have_text(list("<img src=x onerror=alert(1)> กก"))
    lesson.get_by_role("button", name=words["lesson.all"]).click()
    lesson.get_by_role("button", name=words["lesson.naive_name"]).click()
    expect(field).to_have_value("<img src=x onerror=alert(1)> กก")
    expect(tab).to_have_url(re.compile("lesson=naive"))
    tab.reload()  # a pupil opens the lesson again, by its address
    expect(lesson.locator(".ask .choices button").first).to_be_visible()
    expect(field).to_have_value("<img src=x onerror=alert(1)> กก")
    tab.go_back()
    expect(lesson.locator(".lessons li")).to_have_count(len(LESSONS))
    tab.go_forward()
    for _ in range(3):
        lesson.locator(".ask .choices button").first.click()
        lesson.locator(".foot .strong").click()
    expect(tab).to_have_url(re.compile(r"lesson=naive\.4"))
    lesson.locator(".further button.quiet").first.click()
    expect(tab.locator(".st-key-story_question")).to_be_visible()
    expect(tab).to_have_url(re.compile(r"story=round_eyes|/stories\?lang=en$"))
    tab.go_back()  # to where the lesson ended
    expect(tab).to_have_url(re.compile(r"lesson=naive\.4"))
    expect(lesson.locator(".keep")).to_be_visible()
    tab.goto(f"{address}/learn?lang=en")
    expect(lesson.locator(".lessons li:nth-child(3) .done")).to_be_visible()
    tab.goto(f"{address}/learn?lang=en&lesson=constructor")  # no lesson, though every object has one
    expect(lesson.locator(".lessons li")).to_have_count(len(LESSONS))
    tab.evaluate("localStorage.clear()")  # the next visitor has the same browser


def _ends_a_run(said: str | bytes) -> bool:
    return isinstance(said, bytes) and ForwardMsg.FromString(said).HasField("script_finished")


def test_a_late_answer_to_back_does_not_shut_the_lesson_that_forward_opened(
    open_tab: OpenTab, address: str
) -> None:
    tab = open_tab()
    held: list[tuple[WebSocketRoute, str | bytes]] = []
    is_slow = False

    def connect(page_side: WebSocketRoute) -> None:
        server = page_side.connect_to_server()
        page_side.on_message(server.send)
        server.on_message(lambda said: held.append((page_side, said)) if is_slow else page_side.send(said))

    tab.route_web_socket(re.compile("/_stcore/stream"), connect)
    tab.goto(f"{address}/learn?lang=en")
    lesson = tab.locator(".st-key-learn .learn")
    lesson.locator(".lessons li:nth-child(3) button").click()
    choices = lesson.locator(".ask .choices")
    expect(choices).to_be_visible()
    tab.reload()
    expect(choices).to_be_visible()
    at_rest(tab)
    is_slow = True
    tab.go_back()
    expect(lesson.locator(".lessons li")).to_have_count(len(LESSONS))
    while not any(_ends_a_run(said) for _, said in held):
        tab.wait_for_timeout(50)
    late = [*held]
    tab.go_forward()
    choices.evaluate("choices => choices.isSame = true")
    for page_side, said in late:
        page_side.send(said)
    tab.wait_for_timeout(500)  # in which it is drawn, if it is
    is_slow = False  # the next visitor has the same tab
    assert choices.evaluate("choices => choices.isSame"), "the lesson was drawn again"


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "th"])
def test_the_file_of_lessons_works_from_a_disk(open_tab: OpenTab, tmp_path: Path, language: str) -> None:
    LANGUAGE.put(language)
    (tmp_path / "lessons.html").write_bytes(offline_page(language))
    LANGUAGE.forget()
    tab = open_tab(reduced_motion="reduce")
    tab.set_viewport_size({"width": 1024, "height": 768})
    tab.goto((tmp_path / "lessons.html").as_uri())
    lesson = tab.locator(".learn")
    expect(lesson.locator(".lessons li")).to_have_count(len(OFFLINE))
    for at, name in enumerate(OFFLINE):
        walk(tab, lesson, name, at)
