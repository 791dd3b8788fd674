"""What the lessons compute in the browser agrees with Python: Node runs learn.test.mjs on cases computed here."""

import base64
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.ui.i18n import LANGUAGE, section
from pages.ui.i18n.breaks import JOINER, without_breaks
from pages.ui.learn.lessons import (
    BROWSER,
    CLASSIC,
    CLASSIC_SIZE,
    LESSONS,
    OFFLINE,
    PACKED,
    _css,
    lesson_options,
    packed,
    reference_at_work,
    small_sentencepiece,
)
from pages.ui.widgets.token_view.serve import bundle
from tests.helpers.app import SPOKEN, crossed
from tests.helpers.browser import require
from tests.helpers.drawing import HOSTILE, PARAGRAPH, THAI
from tokenizer_core import openai_tokenizer, train
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.interop.byte_level import as_letters

TEXTS = [THAI, PARAGRAPH, *HOSTILE.values(), "  two  spaces \n\n\t x", "It's 1234567, we'll see!", "กกก้ ๒๕๖๗", ""]
TEXTS += ["I'LL we'Ve x'ſ 12345 \ufeffa \x85b ", "a▁b <s> <0xE0> café 😀", "ชา", "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ"]


def trained(text: str, size: int, *others: str) -> dict[str, Any]:
    tokenizer = train(text, size, pattern="none")
    encoded = [(other, tokenizer.encode(other)) for other in (text, *others)]
    return {"text": text, "merges": [merge[:2] for merge in tokenizer.merges], "encoded": encoded}


def test_the_lessons_agree_with_python(tmp_path: Path) -> None:
    node = shutil.which("node")
    require(node, "node: apt-get install nodejs")
    assert node is not None
    gpt2 = openai_tokenizer("gpt2")
    tokenizers: dict[str, AnyTokenizer] = {"gpt2": gpt2, "cl100k": openai_tokenizer("cl100k_base")}
    tokenizers["pieces"] = small_sentencepiece()
    merges = gpt2.merges[::997]
    cases = {
        "packed": {name: base64.b64encode(packed(name)).decode() for name in PACKED},
        "encoded": {name: [(text, each.encode(text)) for text in TEXTS] for name, each in tokenizers.items()},
        "merges": [(place * 997 + 256, list(pair)) for place, pair in enumerate(merges)],
        "letters": [as_letters(bytes([byte])) for byte in range(256)],
        "trained": [trained(CLASSIC, 259, "aaaab", "ab"), trained(THAI * 3, 300, "น้ำเย็น"), trained("a" * 99, 262)],
        "characters": [(character, list(character.encode())) for character in "aéก😀\x7f߿￿\U0010ffff"],
    }
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases), "utf-8")
    command = [node, "--test", str(Path(__file__).parent / "learn.test.mjs")]
    done = subprocess.run(command, env={**os.environ, "CASES": str(path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_definition_is_shown_at_work_line_by_line() -> None:
    code, steps = reference_at_work()
    assert CLASSIC_SIZE == 259
    assert "    for pair in zip(ids, ids[1:]):" in code
    assert not any('"""' in line or ">>>" in line for line in code)
    assert {code[step.line].strip() for step in steps} >= {"i += 2", "return merged", "return merges"}
    assert dict(steps[-1].values)["pretokens"] == "[[258, 100, 258, 97, 99]]"
    assert dict(steps[-1].values)["merges"] == "[((97, 97), 4), ((256, 97), 2), ((257, 98), 2)]"


PRESENT = """async ([code, css, options]) => {
  document.body.innerHTML = "";
  const style = document.head.appendChild(document.createElement("style"));
  style.textContent = css;
  const parts = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  window.told = [];
  window.remove?.(); // lessons of an earlier test, which listen to the same keys
  const data = new TextEncoder().encode(JSON.stringify(options));
  const setTriggerValue = (name) => told.push(name);
  window.remove = parts.default({ data, parentElement: document.body, setTriggerValue });
}"""
KEPT = """(done) => {
  const kept = JSON.stringify({ done });
  const storage = { getItem: () => kept, setItem: () => {} };
  Object.defineProperty(window, "localStorage", { value: storage, configurable: true });
}"""
"""Let the browser say which lessons are done."""
BROKEN = """(words) => {
  const list = document.querySelector(".lessons");
  const found = new Set();
  for (let width = 50; width <= 100; width++) {
    list.style.width = `${width}%`;
    for (const { firstChild: text } of list.querySelectorAll("span, strong")) {
      for (const { 0: word, index, input } of (text?.data ?? "").matchAll(new RegExp(words, "g"))) {
        const range = new Range();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const parts = [...range.getClientRects()].filter(({ width }) => width > 0.5);
        if (new Set(parts.map(({ top }) => Math.round(top))).size > 1) found.add(input);
      }
    }
  }
  list.style.width = "";
  return [...found];
}"""
"""The words of cards, of whatever width, in which one of these stands on two lines."""
THAI_H = """document.dispatchEvent(new KeyboardEvent("keydown", { key: "็", code: "KeyH" }))"""
"""H in a Thai layout."""
PARTS = ".lessons button, .lessons button > *, .leave"
OUTSIDE = """(parts) => [...document.querySelectorAll(parts)].filter((each) => {
  const { left, right, top, bottom } = each.getBoundingClientRect();
  const isCut = each.scrollWidth > each.clientWidth + 1;
  return isCut || left < 0 || right > innerWidth + 1 || top < 0 || bottom > innerHeight + 1;
}).map((each) => each.textContent)"""


@pytest.mark.parametrize(
    ("language", "width", "height", "least"), crossed(["en", "th"], [(1920, 1080, 28), (1280, 720, 16)])
)
def test_before_a_room_all_lessons_are_on_the_screen_with_a_way_out_and_the_keys(
    page: Page, language: str, width: int, height: int, least: int
) -> None:
    LANGUAGE.put(language)
    options = lesson_options() | {"presents": True, "deck": section("deck")}
    LANGUAGE.forget()
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    assert page.locator(".lessons button").count() == len(LESSONS)
    assert page.evaluate(OUTSIDE, PARTS) == []
    words = page.locator(".lessons button > span:last-child").first
    assert page.evaluate(BROKEN, f"ตัว{JOINER}?แบ่ง|ผู้{JOINER}?ใช้") == []
    zoom = page.locator(".learn").evaluate("(learn) => Number(getComputedStyle(learn).zoom)")
    assert zoom * words.evaluate("(each) => parseFloat(getComputedStyle(each).fontSize)") >= least
    page.keyboard.press("h")
    said = page.locator(".deck-keys").inner_text()
    assert options["deck"]["key_leave"] in said
    assert options["deck"]["key_move"] not in said  # there is no screen before or after the cards
    assert options["deck"]["key_lesson"] in said
    for key in (
        "Escape",
        "h",
        "ArrowRight",
        "ArrowLeft",
        "Enter",
        " ",
        "b",
    ):  # close the list, and do nothing else
        page.keyboard.press(key)
        assert page.locator(".deck-keys").is_hidden()
        assert page.locator(".lessons").is_visible()
        assert page.locator(".deck-black").is_hidden()
        page.keyboard.press("h")
        assert page.locator(".deck-keys").is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate("told") == []
    page.evaluate(THAI_H)
    assert page.locator(".deck-keys").is_visible()
    page.evaluate(THAI_H)
    assert options["deck"]["key_black"] in said
    for key in ("b", ".", "Escape"):
        page.keyboard.press("b")
        expect(page.locator(".deck-black")).to_be_visible()
        page.keyboard.press(key)
        expect(page.locator(".deck-black")).to_be_hidden()
    assert page.evaluate("told") == []
    page.locator(".leave").click()
    page.keyboard.press("Escape")
    assert page.evaluate("told") == ["left", "left"]


WALK = """async (keys) => {
  const learn = document.querySelector(".learn");
  const seen = () => {
    const at = learn.querySelector("progress")?.value ?? 0;
    const ask = learn.querySelector(".foot .wait")?.textContent ? "asks" : "tells";
    const where = learn.querySelector(".top .where")?.textContent.match(/\\d+/)?.[0];
    const merged = learn.querySelectorAll(".work .learned li").length;
    const done = merged || learn.querySelector("input[type=range]")?.value;
    const walked = learn.querySelector(".asked > .below :is(.ways, .switch + .below)")?.textContent;
    return at ? `${where} ${at} ${ask} ${(learn.querySelector(".ask") ? walked : done) || ""}`.trim() : "cards";
  };
  const found = [seen()];
  for (let at = 0; at < 200 && !(found.length > 1 && seen() === "cards"); at++) {
    const { activeElement } = document;
    activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: keys[at % keys.length], bubbles: true }));
    const isLoaded = () => learn.querySelector(".screen, .lessons");
    while (!isLoaded()) await new Promise((done) => setTimeout(done, 5));
    found.push(seen());
  }
  return found;
}"""


@pytest.mark.parametrize("done", [[], ["see", "letter"]], ids=["new", "later"])
def test_before_a_room_a_clicker_walks_through_all_lessons_and_shows_each_answer_first(
    page: Page, done: list[str]
) -> None:
    options = lesson_options() | {"presents": True, "deck": section("deck"), "isAlone": True}
    options["tokens"] = {name: base64.b64encode(packed(name)).decode() for name in PACKED}
    page.evaluate(KEPT, done)
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    seen = page.evaluate(WALK, ["ArrowRight", " ", "PageDown", "Enter"])
    page.evaluate(KEPT, [])
    assert seen[1].split()[0] == str(1 + len(done))
    assert seen[-1] == "cards"
    assert len(seen) == len(set(seen)) + 1  # each press shows something new, until all cards are there again
    asked = [place for place in seen if place.endswith("asks")]
    assert len(asked) > 20 - 8 * bool(done)
    assert all(any(each.startswith(place.replace("asks", "tells")) for each in seen) for place in asked)
    assert {place.split()[0] for place in seen if place != "cards"} == {
        str(number) for number in range(1 + len(done), 1 + len(LESSONS))
    }


def test_before_a_room_nothing_behind_the_lessons_can_be_reached_until_they_are_left(page: Page) -> None:
    options = lesson_options(is_alone=True) | {"presents": True, "deck": section("deck")}
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    page.evaluate("document.body.append(Object.assign(document.createElement('button'), { id: 'behind' }))")
    expect(page.locator("#behind[inert]")).to_have_count(1)  # what comes later, too
    assert page.evaluate("document.activeElement.className").startswith("token-view learn")
    for _ in range(2 + len(OFFLINE)):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") != "behind"
    page.evaluate("remove()")
    expect(page.locator("#behind[inert]")).to_have_count(0)
    page.locator("#behind").evaluate("(button) => button.remove()")


OUT_OF_SIGHT = """(lesson) => {
  const foot = lesson.querySelector(".foot").getBoundingClientRect().top;
  return [...lesson.querySelectorAll(".screen :is(h2, button, input)")].filter((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return top < 0 || bottom > foot + 1;
  }).map((each) => each.textContent);
}"""
TOGETHER = """(lesson) => {
  const [question, answer] = lesson.querySelectorAll(".ask, .ask + .below");
  const foot = lesson.querySelector(".foot").getBoundingClientRect().top;
  const { top } = question.getBoundingClientRect();
  const { bottom } = answer.getBoundingClientRect();
  return top >= 0 && (bottom <= foot + 1 || bottom - top > foot);
}"""


@pytest.mark.parametrize(("language", "width", "height"), crossed(["th", "en"], [(1920, 1080), (1280, 900)]))
def test_before_a_room_what_is_pressed_is_in_sight_and_a_question_stays_beside_its_answer(
    page: Page, language: str, width: int, height: int
) -> None:
    LANGUAGE.put(language)
    options = lesson_options(is_alone=True) | {"presents": True, "deck": section("deck")}
    LANGUAGE.forget()
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    learn = page.locator(".learn")
    for lesson in range(len(OFFLINE)):
        learn.locator(".lessons button").nth(lesson).click()
        steps = int(learn.locator("progress").get_attribute("max") or 0)
        for step in range(1, steps + 1):
            where = f"step {step} of {OFFLINE[lesson]}"
            assert learn.evaluate(OUT_OF_SIGHT) == [], where
            if learn.locator(".ask").count():
                learn.locator(".ask button").first.click()
                assert learn.evaluate(TOGETHER), where
            if step < steps:
                learn.locator(".foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
        learn.locator(".top button").click()


def screen_before_a_room(page: Page, language: str, lesson: str, step: int) -> Locator:
    """A lesson at a step, as a projector shows it, before its answer."""
    LANGUAGE.put(language)
    options = lesson_options(lesson) | {"presents": True, "deck": section("deck")}
    LANGUAGE.forget()
    options["tokens"] = {name: base64.b64encode(packed(name)).decode() for name in PACKED}
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options | {"isAlone": True}])
    learn = page.locator(".learn")
    for _ in range(step - 1):
        learn.locator(".foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    return learn


@pytest.mark.parametrize(
    ("language", "lesson", "step"),
    crossed(["en", "th"], [("encode", 1), ("same", 1), ("same", 2), ("same", 4)]),
)
def test_before_a_room_an_answer_is_no_higher_than_the_screen(
    page: Page, language: str, lesson: str, step: int
) -> None:
    learn = screen_before_a_room(page, language, lesson, step)
    learn.locator(".ask button").first.click()
    assert learn.evaluate("(learn) => learn.scrollHeight - learn.clientHeight") == 0


LONG_TEXTS = (
    "My cat sat on the mat and that cat had a hat on that mat!!",
    "The quick brown fox jumps over the lazy dog, and then the dog sleeps all day lon",
)


@pytest.mark.parametrize(
    ("text", "width", "height"), crossed(LONG_TEXTS, [(1920, 1080), (1280, 800), (1280, 720)])
)
def test_before_a_room_a_long_text_is_merged_to_its_end_with_all_in_sight(
    page: Page, text: str, width: int, height: int
) -> None:
    options = lesson_options("hand", is_alone=True) | {"presents": True, "deck": section("deck"), "text": text}
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    learn = page.locator(".learn")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    pairs, merged = learn.locator(".pair:visible"), learn.locator(".learned li")
    learn.locator(".switch button").last.click()
    while pairs.count():
        expect(learn.get_by_role("button", name=options["labels"]["undo"])).to_be_visible()
        assert learn.evaluate(OUT_OF_SIGHT) == []
        page.keyboard.press("ArrowRight")
    assert merged.count() > 5
    assert learn.evaluate("(learn) => learn.scrollHeight - learn.clientHeight") == 0


STEPPED = """(lesson) => {
  const find = (part) => lesson.querySelector(part);
  const done = find(".learned")?.children.length ?? find("input[type=range]").value;
  return [find("progress").value, Number(done), find(".deck-help").textContent];
}"""


def test_before_a_room_keys_merge_by_hand_and_go_through_the_program_before_they_move_on(page: Page) -> None:
    options = lesson_options("hand", is_alone=True) | {"presents": True, "deck": section("deck")}
    labels, deck = options["labels"], options["deck"]
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    learn = page.locator(".learn")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    for step, key, count in ((2, "hand_2_key", CLASSIC_SIZE - 256), (4, "hand_4_key", CLASSIC_SIZE - 256)):
        seen = [learn.evaluate(STEPPED)]
        page.keyboard.press("h")
        said = page.locator(".deck-keys").inner_text()
        assert labels[key] in said
        assert deck["key_move"] not in said
        assert deck["key_reach"] in said
        page.keyboard.press("h")
        for at in range(count):
            assert seen[-1][2] == f"{deck['help']} · {labels[key]}"
            page.keyboard.press(["ArrowRight", " "][at % 2])
            seen.append(learn.evaluate(STEPPED))
        assert seen[-1][2] == deck["help"]
        assert [each[0] for each in seen] == [step] * (count + 1)
        assert len({each[1] for each in seen}) == count + 1
        if step == 2:
            assert seen[-1][1] == count
            for _ in range(3):  # on to the game, to its end, and on
                page.keyboard.press("ArrowRight")
    assert page.locator(".values").inner_text().count("258") > 0  # what the last merge made
    page.keyboard.press("ArrowRight")
    expect(page.locator(".keep")).to_be_visible()


def test_before_a_room_a_field_gives_the_keys_back_with_enter_and_escape(page: Page) -> None:
    options = lesson_options("hand", is_alone=True) | {"presents": True, "deck": section("deck")}
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    learn = page.locator(".learn")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    learn.locator(".switch button").last.click()
    field, merged = learn.locator(".write input"), learn.locator(".learned li")
    field.fill("ab ab ab")
    for merges, leave in enumerate(("Enter", "Escape")):
        field.press("ArrowLeft")
        field.press(leave)
        expect(learn).to_be_focused()
        expect(merged).to_have_count(merges)  # the key has left the field, and nothing else
        page.keyboard.press(" ")
        expect(merged).to_have_count(merges + 1)
    expect(field).to_have_value("ab ab ab")
    assert page.evaluate("told") == []
    field.press("b")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert page.evaluate("told") == ["left"]


ROWS = "(lesson) => [...lesson.querySelectorAll('.ways .cell')].map((row) => row.innerText)"


def test_before_a_room_keys_walk_to_where_three_ways_part_and_to_the_other_pair(page: Page) -> None:
    options = lesson_options("encode", is_alone=True) | {"presents": True, "deck": section("deck")}
    labels, deck = options["labels"], options["deck"]
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    learn = page.locator(".learn")
    at, said = learn.locator("progress"), learn.locator(".deck-help")
    expect(said).to_have_text(deck["help"])  # what comes after the answer is not said before it
    page.keyboard.press("ArrowRight")
    rows = learn.evaluate(ROWS)
    assert len(rows) == 3
    assert len(set(rows)) == 1
    while said.inner_text() == f"{deck['help']} · {labels['encode_1_key']}":
        page.keyboard.press("ArrowRight")
    rows = [re.findall("[ab]+", row) for row in learn.evaluate(ROWS)]
    assert rows == [["aa", "aa", "b"], ["aaa", "a", "b"], ["aaa", "a", "b"]]
    expect(said).to_have_text(deck["help"])
    expect(at).to_have_attribute("value", "1")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    other = learn.locator(".switch button").last
    expect(other).to_have_attribute("aria-pressed", "false")
    page.keyboard.press(" ")
    expect(other).to_have_attribute("aria-pressed", "true")
    expect(said).to_have_text(deck["help"])
    page.keyboard.press(" ")
    expect(learn.locator(".keep")).to_be_visible()


ANSWERED = """(lesson) => {
  const placeOf = (part) => {
    const { left, top, height } = lesson.querySelector(part)?.getBoundingClientRect() ?? {};
    return [left, top, height].map(Math.round);
  };
  const zoom = () => ({
    type: ["--share", "--strip"].map((each) => lesson.style.getPropertyValue(each)),
    saved: ["tight", "beside", "aside"].map((each) => lesson.classList.contains(each)),
    places: [".says", ".question"].map(placeOf),
  });
  const found = [];
  const frames = [];
  const on = () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown" }));
  while (!lesson.querySelector(".keep")) {
    const [step, said] = [lesson.querySelector("progress").value, lesson.querySelector(".wait").textContent];
    const before = zoom();
    frames.push([".top", "progress", "h2", ".foot"].map(placeOf).join());
    on();
    if (!said) continue;
    found.push([step, said, before, zoom()]);
    on();
  }
  return [found, [...new Set(frames)]];
}"""


@pytest.mark.parametrize(("language", "width", "height"), crossed(["th", "en"], [(1920, 1080), (1280, 720)]))
def test_before_a_room_nothing_moves_as_an_answer_comes_and_the_frame_stands_still(
    page: Page, language: str, width: int, height: int
) -> None:
    LANGUAGE.put(language)
    page.set_viewport_size({"width": width, "height": height})
    for lesson in OFFLINE:
        options = lesson_options(lesson, is_alone=True) | {"presents": True, "deck": section("deck")}
        page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
        answers, frames = page.locator(".learn").evaluate(ANSWERED)
        assert len(frames) == 1, lesson
        for step, said, before, after in answers:
            assert before == after, f"step {step} of {lesson}"
            assert said == options["labels"]["wait_keys"]  # what a clicker does there
    LANGUAGE.forget()


STRIP = """(strip) => {
  const places = [...strip.querySelectorAll(".p")].map((each) => each.getBoundingClientRect());
  const width = Math.max(...places.map(({ right }) => right)) - Math.min(...places.map(({ left }) => left));
  const counted = [...strip.querySelectorAll(".p.n")];
  const middles = counted.map((each) => each.getBoundingClientRect()).map(({ left, right }) => (left + right) / 2);
  const letter = parseFloat(getComputedStyle(counted[0], "::after").fontSize) * strip.currentCSSZoom;
  const apart = Math.min(...middles.slice(1).map((each, at) => each - middles[at]));
  const lines = new Set(places.map(({ top }) => top)).size;
  return { part: width / innerWidth, letter, apart: apart / letter, lines };
}"""
"""How wide a strip of tokens is, how large the counts below it are, and how far apart."""


@pytest.mark.parametrize(
    ("presents", "width", "height"), [(True, 1920, 1080), (True, 1280, 720), (False, 1280, 900)], ids=str
)
def test_a_strip_of_tokens_is_as_wide_as_the_screen_allows_with_counts_apart(
    page: Page, presents: bool, width: int, height: int
) -> None:
    LANGUAGE.put("th")
    options = lesson_options("see", is_alone=True) | {"presents": presents, "deck": section("deck")}
    LANGUAGE.forget()
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    page.locator(".learn .foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    strip = page.locator(".learn .reading").evaluate(STRIP)
    assert strip["lines"] == 1
    assert 0.35 < strip["part"] <= 0.72
    assert strip["letter"] >= 18
    assert strip["apart"] > 0.75  # a digit is 0.55 wide


def test_the_last_letter_has_as_much_of_its_token_as_the_others(page: Page) -> None:
    options = lesson_options("see", is_alone=True) | {"text": "นะ นะ"}
    page.set_viewport_size({"width": 1200, "height": 800})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    page.locator(".learn .choices .strong").click()
    expect(page.locator(".cuttable .joint")).to_have_count(len("นะ นะ"))
    joints = page.locator(".cuttable .joint").evaluate_all("(all) => all.map((each) => each.offsetWidth)")
    assert joints[1] == joints[-1] > 0


def test_on_a_phone_no_heading_is_cut_by_the_header_as_an_answer_comes(page: Page) -> None:
    LANGUAGE.put("th")
    options = lesson_options("see", is_alone=True)
    LANGUAGE.forget()
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    page.evaluate("document.body.style.paddingBottom = '800px'")
    for _ in range(3):
        page.locator(".learn .foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    heading, header = page.locator(".learn h2"), 44
    for height in range(844, 700, -12):  # of phones, so that the answer ends elsewhere
        page.set_viewport_size({"width": 390, "height": height})
        page.evaluate("scrollTo(0, 0)")
        page.locator(".ask [data-choice]").first.evaluate("(choice) => choice.click()")
        place = heading.bounding_box()
        assert place
        assert place["y"] >= header or place["y"] + place["height"] <= header, height
    page.evaluate("document.body.style.paddingBottom = ''")


def test_no_number_is_cut_in_two_where_its_list_ends(page: Page) -> None:
    options = lesson_options("see", is_alone=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    page.locator(".learn .foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    numbers = page.locator(".few-lines .id")
    assert " · ".join(numbers.all_text_contents()) in page.locator(".few-lines").inner_text()
    atomic = "(all) => all.map((each) => getComputedStyle(each).display)"
    assert set(numbers.evaluate_all(atomic)) == {"inline-block"}  # an ellipsis takes the place of a whole one


def test_on_a_phone_what_stands_above_a_lesson_goes_under_the_header(page: Page) -> None:
    options = lesson_options(is_alone=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    page.evaluate("document.body.style.padding = '300px 0 900px'")
    page.locator(".learn .lessons button").first.click()
    place = page.locator(".learn .top").bounding_box()
    page.evaluate("document.body.style.padding = ''")
    assert place
    header, gap = 44, 12  # pixels of the header of the page, and below the tabs of the page
    assert header <= place["y"] < header + gap


@pytest.mark.parametrize("language", SPOKEN)
def test_on_a_phone_a_step_is_one_screen_without_a_dead_way_on_and_the_first_says_what_a_token_is(
    page: Page, language: str
) -> None:
    LANGUAGE.put(language)
    options = lesson_options(is_alone=True)
    LANGUAGE.forget()
    page.set_viewport_size({"width": 390, "height": 844 - 64})  # the app has a bar above
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    style = page.add_style_tag(content=".learn { scroll-margin-top: 0 !important; margin-bottom: 800px }")
    learn = page.locator(".learn")
    for lesson, name in enumerate(OFFLINE):
        learn.locator(".lessons button").nth(lesson).click()
        if not lesson:
            assert {"en": "A token is", "th": "โทเค็น คือ"}[language] in without_breaks(learn.inner_text())
        for step in range(int(learn.locator("progress").get_attribute("max") or 0)):
            where = f"step {step + 1} of {name}"
            if (name, step) != ("hand", 1):  # the list of pairs may go on below
                assert learn.evaluate(OUT_OF_SIGHT) == [], where
            assert learn.locator(".foot button:disabled:visible").count() == 0, where
            on = learn.locator(".foot .strong")
            assert on.is_visible() or learn.locator(".foot .wait").inner_text(), where
            on.evaluate("(on) => { on.disabled = false; on.click(); }")
            if learn.locator(".lessons").count():
                break
        if not learn.locator(".lessons").count():
            learn.locator(".top button").click()
    style.evaluate("(style) => style.remove()")


def test_a_tap_on_a_letter_cuts_at_the_nearest_place_and_a_space_is_explained(page: Page) -> None:
    options = lesson_options("see", is_alone=True) | {"text": "cut it"}
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    assert options["labels"]["see_1_space"] in page.locator(".choices").inner_text()
    boxes: list[Any] = [each.bounding_box() for each in page.locator(".cuttable .uncut").all()]
    x, y = boxes[1]["x"], boxes[1]["y"] + 10
    pressed = page.locator('.gap-cut[aria-pressed="true"]')
    page.mouse.click(x + boxes[1]["width"] - 1, y)
    expect(pressed).to_have_count(1)
    expect(page.locator(".gap-cut").nth(1)).to_have_attribute("aria-pressed", "true")
    page.mouse.click(x + 1, y)
    expect(page.locator(".gap-cut").nth(0)).to_have_attribute("aria-pressed", "true")
    page.mouse.click(boxes[-1]["x"] + 150, y)
    page.locator(".cuttable .uncut").first.dispatch_event("click")  # a screen reader's, without a place
    expect(pressed).to_have_count(2)
    page.locator(".gap-cut").first.click()
    expect(pressed).to_have_count(1)


def test_another_answer_shows_the_text_without_the_lost_number_again(page: Page) -> None:
    options = lesson_options("see", is_alone=True)
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    page.locator(".learn .foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    for choice in ("see_2_gone", "see_2_broken", "see_2_broken"):
        page.locator(".ask .choices").get_by_text(options["labels"][choice]).click()
        expect(page.locator('.numbers [aria-pressed="true"]')).to_have_count(1)
        expect(page.locator(".numbers button").first).to_have_attribute("aria-pressed", "true")
        assert page.locator(".again").inner_text() != options["text"]


@pytest.mark.parametrize("text", ["น้ำใจคนไทย", "The kindness of Thai people"])
def test_the_marked_bar_is_that_of_the_right_answer(page: Page, text: str) -> None:
    options = lesson_options("naive") | {"text": text, "isAlone": True}
    options["tokens"] = {"gpt2": base64.b64encode(packed("gpt2")).decode()}
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    page.locator(".ask .choices button").first.click()
    right = page.locator(".ask .right").inner_text().removeprefix("✓ ")
    bar = page.locator(".bars li", has_text=right)
    colour = "(bar) => getComputedStyle(bar).backgroundColor"
    colours = [each.evaluate(colour) for each in page.locator(".bars i").all()]
    assert colours.count(bar.locator("i").evaluate(colour)) == 1
    assert sorted(map(colours.count, colours)) == [1, 2, 2]


def test_an_answer_that_nobody_guessed_stands_apart_from_the_words_before_it(page: Page) -> None:
    options = lesson_options("see", is_alone=True)
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    page.locator(".learn .foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    page.locator(".ask .quiet").click()
    said = without_breaks(page.locator(".ask .verdict").inner_text())
    assert said == f"The answer: {without_breaks(options['labels']['see_2_gone'])}."


@pytest.mark.parametrize(
    ("words", "key"), [(["ตากลม"], "naive_3_browser_one"), (["ตา", "กลม"], "naive_3_browser")], ids=["one", "two"]
)
def test_a_dictionary_that_finds_one_word_is_said_to_leave_it_so(page: Page, words: list[str], key: str) -> None:
    found = json.dumps([{"segment": word, "isWordLike": True} for word in words])
    page.evaluate("() => { window.segment = Intl.Segmenter.prototype.segment; }")
    page.evaluate(f"Intl.Segmenter.prototype.segment = () => {found}")
    options = lesson_options("naive") | {"isAlone": True}
    options["tokens"] = {"gpt2": base64.b64encode(packed("gpt2")).decode()}
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    for _ in range(2):
        page.locator(".learn .foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    page.locator(".ask .quiet").click()
    said = without_breaks(page.locator(".ask + .below > p").inner_text())
    page.evaluate("() => { Intl.Segmenter.prototype.segment = window.segment; }")
    assert said == without_breaks(options["labels"][key]).replace("{words}", " | ".join(words))


@pytest.mark.parametrize(("language", "own"), crossed(["en", "th"], [(0,), (1,), (4,), (20,)]))
def test_before_a_room_the_end_of_the_game_fits_and_is_bpes_where_nobody_merged(
    page: Page, language: str, own: int
) -> None:
    LANGUAGE.put(language)
    options = lesson_options("hand", is_alone=True) | {"presents": True, "deck": section("deck")}
    LANGUAGE.forget()
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    learn = page.locator(".learn")
    for _ in range(2):
        learn.locator(".foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    for _ in range(own):
        for place in range(2):
            learn.locator(".board button").nth(place).click()
    if learn.locator(".score").count():
        page.keyboard.press("ArrowRight")
    assert learn.locator(".board").count() == 1 + bool(own)
    assert learn.evaluate("(learn) => learn.scrollHeight - learn.clientHeight") == 0
    if not own:
        counts = [int(each) for each in learn.locator(".bars b").all_inner_texts()]
        assert counts[0] == len(options["text"])
        assert counts[1] == learn.locator(".board .token").count() < counts[0]
        assert learn.locator(".bars li").nth(1).get_attribute("class") == "marked"
        tops = learn.locator(".bars i").evaluate_all(
            "(bars) => bars.map((bar) => bar.getBoundingClientRect().top)"
        )
        is_tight = learn.evaluate("(learn) => learn.classList.contains('tight')")
        assert len(set(map(round, tops))) == (1 if is_tight else 3)  # under labels of one line and of two
        said = [learn.locator(".verdict").inner_text(), *learn.locator(".bars span").all_inner_texts()[:2]]
        assert all("BPE" in each for each in said[::2])
        assert said[1] == without_breaks(options["labels"]["hand_3_before"])


@pytest.mark.parametrize(("language", "step"), crossed(["en", "th"], [(1,), (2,)]))
def test_before_a_room_what_is_said_has_the_width_of_the_slide_where_the_answer_leaves_room(
    page: Page, language: str, step: int
) -> None:
    learn = screen_before_a_room(page, language, "encode", step)
    said = learn.locator(".says").bounding_box()
    assert said is not None
    assert said["width"] > 0.9 * 1920
    while learn.locator(".wait:not(:empty)").count() or " · " in learn.locator(".deck-help").inner_text():
        page.keyboard.press("ArrowRight")
    assert learn.locator(".says").bounding_box() == said
    assert learn.evaluate("(learn) => learn.scrollHeight - learn.clientHeight") == 0


SAID = """(learn) => [".says", ".question", ".asked > .below"].map((part) => {
  const each = learn.querySelector(part);
  return parseFloat(getComputedStyle(each).fontSize) * each.currentCSSZoom;
})"""
"""Pixels of what is said, of what is asked, and of the answer."""


@pytest.mark.parametrize(
    ("language", "lesson", "step"),
    crossed(
        ["en", "th"],
        [("see", 3), ("letter", 1), ("letter", 2), ("encode", 1), ("same", 1), ("same", 4)],
    ),
)
def test_before_a_room_a_question_is_large_whatever_its_answer_needs(
    page: Page, language: str, lesson: str, step: int
) -> None:
    learn = screen_before_a_room(page, language, lesson, step)
    before = learn.evaluate(SAID)
    page.keyboard.press("ArrowRight")
    said, asked, answer = learn.evaluate(SAID)
    assert before == [said, asked, answer]
    assert said >= 27 - 0.5
    assert asked >= 33 - 0.5
    assert answer >= 25
    assert learn.evaluate("(learn) => learn.scrollHeight - learn.clientHeight") == 0


def screen_alone(page: Page, lesson: str, step: int, **more: Any) -> Locator:
    """A lesson of the file at a step, before its answer."""
    options = lesson_options(lesson, is_alone=True) | more
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    for _ in range(step - 1):
        page.locator(".learn .foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    return page.locator(".learn")


def test_the_way_on_stays_open_for_another_word_but_a_room_is_shown_the_answer_first(page: Page) -> None:
    learn = screen_alone(page, "letter", 1)
    way_on = learn.locator(".foot .strong")
    expect(way_on).to_be_hidden()
    learn.locator(".ask [data-choice]").first.click()
    expect(way_on).to_be_visible()
    learn.get_by_role("button", name="น้ำ").click()
    expect(learn.locator(".ask .verdict")).to_be_empty()
    expect(way_on).to_be_visible()
    room = screen_before_a_room(page, "en", "letter", 1)
    room.locator(".ask [data-choice]").first.click()
    room.get_by_role("button", name="น้ำ").click()
    expect(room.locator(".foot .strong")).to_be_hidden()


OVERLAP = "a + a was counted 4 times, but some of these places share a token: only 2 could be merged."
INSTEAD = "With a + a instead, only 2 of 4 places could have been merged: some share a token."


@pytest.mark.parametrize(
    ("text", "pair", "said"),
    [
        (CLASSIC, 0, OVERLAP),
        (CLASSIC, 1, INSTEAD),
        ("ababab cdcd", 0, ""),
        ("ababab cdcd", 2, "c + d stood there 2 times, a + b 3."),
    ],
)
def test_a_pair_is_not_held_to_places_that_could_not_be_merged(
    page: Page, text: str, pair: int, said: str
) -> None:
    learn = screen_alone(page, "hand", 2, text=text)
    if text != CLASSIC:
        learn.locator(".switch button").last.click()
    learn.locator(".pair").nth(pair).click()
    status = without_breaks(learn.locator(".verdict").inner_text())
    assert status.partition("saved.")[2].strip() == said


def kept_text(page: Page) -> str:
    """What the screens that show no field use as the visitor's text."""
    page.locator(".learn .top button").click()
    page.locator(".learn .lessons button").first.click()
    return page.locator(".learn .write input").input_value()


def test_an_example_never_takes_the_place_of_a_text_of_ones_own(page: Page) -> None:
    learn = screen_alone(page, "encode", 2)
    field, example = learn.locator(".write input"), learn.locator(".write button")
    words = example.inner_text()
    example.click()
    assert kept_text(page) == words  # nobody has written anything yet
    screen_alone(page, "encode", 2)
    field.fill("my own words")
    example.click()
    expect(field).to_have_value(words)
    expect(example).to_have_attribute("aria-pressed", "true")
    example.click()
    expect(field).to_have_value("my own words")
    expect(example).to_have_attribute("aria-pressed", "false")
    example.click()
    assert kept_text(page) == "my own words"


def test_a_text_without_a_pair_can_be_changed_where_it_is_merged(page: Page) -> None:
    learn = screen_alone(page, "hand", 2, text="abc")
    learn.locator(".switch button").last.click()
    said = lesson_options(is_alone=True)["labels"]
    expect(learn.locator(".columns p").first).to_have_text(said["hand_2_none"])
    learn.locator(".write input").fill("abab")
    learn.locator(".pair").click()
    expect(learn.locator(".columns p")).to_have_text(said["hand_2_done"])


@pytest.mark.parametrize(("step", "line"), [(2, ".verdict"), (3, ".score")])
def test_a_text_that_begins_as_characters_says_so_until_the_first_merge(page: Page, step: int, line: str) -> None:
    learn = screen_alone(page, "hand", step, text="กากา")
    if step == 2:
        learn.locator(".switch button").last.click()
    characters = re.compile(re.escape(lesson_options(is_alone=True)["labels"]["hand_2_characters"]))
    expect(learn.locator(line)).to_have_text(characters)
    for at in range(2):
        learn.locator(".board button").nth(at).click()
    expect(learn.locator(line)).not_to_have_text(characters)
    learn.locator(".write input").fill("abab")  # the numbers below it are its bytes
    expect(learn.locator(line)).not_to_have_text(characters)


def test_digits_of_a_byte_above_an_id_are_explained_where_they_stand(page: Page) -> None:
    learn = screen_alone(page, "encode", 1)
    learn.locator(".ask button").first.click()
    said = learn.get_by_text(without_breaks(lesson_options(is_alone=True)["labels"]["hex_tiles"]))
    expect(said).to_have_count(0)
    learn.locator(".write input").fill("aab ก")
    expect(said).to_have_count(1)
    expect(learn.locator(".ways .x").first).to_be_visible()


def test_a_text_without_any_learned_pair_is_said_to_have_none_and_offers_no_step(page: Page) -> None:
    learn = screen_alone(page, "encode", 1)
    learn.locator(".ask button").first.click()
    said = learn.get_by_text(lesson_options(is_alone=True)["labels"]["encode_1_none"])
    steps = learn.locator(".write .choices button:enabled")
    expect(steps).to_have_count(2)
    expect(said).to_have_count(0)
    learn.locator(".write input").fill("กขค")
    expect(said).to_be_visible()
    expect(steps).to_have_count(0)


@pytest.mark.parametrize("way", ["click", "press"])
@pytest.mark.parametrize(("step", "line"), [(2, ".verdict"), (3, ".score")])
def test_two_tokens_that_are_no_neighbours_are_said_to_be_so_until_the_next_is_pressed(
    page: Page, step: int, line: str, way: str
) -> None:
    apart = without_breaks(lesson_options(is_alone=True)["labels"]["hand_2_apart"])
    learn = screen_alone(page, "hand", step)
    said, tokens = learn.locator(line), learn.locator(".board button")
    usual = said.inner_text()
    for at, words in ((0, usual), (3, apart), (3, usual)):
        tokens.nth(at).click() if way == "click" else tokens.nth(at).press("Enter")
        expect(said).to_have_text(words)
    tokens.nth(0).drag_to(tokens.nth(4))
    expect(said).to_have_text(apart)
    tokens.nth(1).click()
    tokens.nth(0).click()
    expect(said).not_to_have_text(re.compile(f"{apart}|{usual}"))  # they have been merged


BELOW_EDGE = """(learn) => {
  const foot = learn.querySelector(".foot").getBoundingClientRect().top;
  const seen = [...learn.querySelectorAll(".verdict, .bars, .scored .board, .ways section")];
  return seen.map((each) => each.getBoundingClientRect()).filter(({ top, bottom }) => top < 0 || bottom > foot);
}"""
"""What came of a screen and cannot be seen."""


def below_other_parts_of_the_page(page: Page, language: str, lesson: str, step: int) -> Locator:
    """A lesson at a step in a window of 1280 × 800, where the app has a header and a title above it."""
    LANGUAGE.put(language)
    options = lesson_options(lesson, is_alone=True)
    LANGUAGE.forget()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    learn = page.locator(".learn")
    learn.evaluate("(learn) => (learn.style.marginBlock = '135px 400px')")
    for _ in range(step - 1):
        learn.locator(".foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    return learn


@pytest.mark.parametrize("language", SPOKEN)
def test_after_the_game_both_texts_are_in_sight(page: Page, language: str) -> None:
    learn = below_other_parts_of_the_page(page, language, "hand", 3)
    while learn.locator(".score").count():
        for place in range(2):
            learn.locator(".board button").nth(place).click()
    assert learn.locator(".scored .board").count() == 2
    assert learn.evaluate(BELOW_EDGE) == []


@pytest.mark.parametrize("language", ["en", "th"])
def test_three_ways_of_encoding_are_in_sight_together(page: Page, language: str) -> None:
    learn = below_other_parts_of_the_page(page, language, "encode", 1)
    learn.locator(".ask .quiet").click()
    assert learn.locator(".ways section").count() == 3
    assert learn.evaluate(BELOW_EDGE) == []


def test_pairs_of_a_text_of_ones_own_are_in_sight_once_it_is_chosen(page: Page) -> None:
    learn = below_other_parts_of_the_page(page, "th", "hand", 2)
    page.set_viewport_size({"width": 1280, "height": 720})
    learn.locator(".switch button").last.click()
    foot = learn.locator(".foot").bounding_box()
    learn.locator(".write input").fill("กขกขกคกคขคขค")
    third = learn.locator(".pair").nth(2).bounding_box(timeout=5000)
    assert foot
    assert third
    assert third["y"] + third["height"] <= foot["y"]
    expect(learn.locator(".write input")).to_be_in_viewport(ratio=1)


def test_before_a_room_a_text_that_is_cut_in_many_other_ways_fits(page: Page) -> None:
    text = "It rained in Chiang Mai. Supercalifragilistic Songkhla Ayutthaya 2567 Phuket!"
    options = lesson_options("encode", is_alone=True) | {"presents": True, "deck": section("deck"), "text": text}
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    learn = page.locator(".learn")
    learn.locator(".foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    page.keyboard.press("ArrowRight")
    expect(learn.locator(".apart-pair").first).to_be_visible()
    assert learn.evaluate("(learn) => learn.scrollHeight - learn.clientHeight") == 0


def test_equal_pairs_are_chosen_by_their_names(page: Page) -> None:
    learn = screen_alone(page, "encode", 3)
    assert learn.locator(".ask [data-choice]").all_inner_texts()[:2] == ["aa + a", "a + b"]
    learn.locator(".ask [data-choice]").first.click()
    expect(learn.locator(".switch button").last).to_contain_text("a + b")


COLOURS = """(learn) => Object.fromEntries([...learn.querySelectorAll(".token")].map((token) => {
  const { backgroundColor } = getComputedStyle(token.querySelector(".p"));
  return [token.innerText, backgroundColor];
}))"""
"""The colour of each token with its id, the last one that it has."""
SHADES = "(learn) => new Set([...learn.querySelectorAll('.token .p')].map((each) => each.style.cssText)).size"


def test_by_hand_a_token_has_one_colour_wherever_it_stands_and_no_other_token_has_it(page: Page) -> None:
    learn = screen_alone(page, "hand", 2)
    colours: dict[str, str] = {}
    for merges in range(4):
        found = learn.evaluate(COLOURS)
        assert learn.evaluate(SHADES) == len(found) == len(set(found.values()))
        assert found == {token: colours.get(token, colour) for token, colour in found.items()}
        colours |= found
        if merges < 3:
            learn.locator(".pair").first.click()
    assert len(colours) == len(set(colours.values())) == len(set(CLASSIC)) + 3
    learn = screen_alone(page, "encode", 3)
    learn.locator(".ask button").first.click()
    found = learn.evaluate(COLOURS)
    assert found == {token: colours[token] for token in found}
    assert len(found) > 4


def test_on_a_phone_the_controls_of_the_program_stay_where_they_are(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    learn = screen_alone(page, "hand", 4)
    slider = learn.locator("input[type=range]")
    heights = set()
    for step in range(0, int(slider.get_attribute("max") or 0), 7):
        slider.fill(str(step))
        heights.add(slider.evaluate("(slider) => slider.getBoundingClientRect().y"))
    assert len(heights) == 1


def test_the_card_of_a_lesson_that_is_done_is_not_the_next_to_do(page: Page) -> None:
    here = page.locator(".lessons .here")
    for done, shown in (["see"], 1), (list(OFFLINE), 0):
        page.evaluate(KEPT, done)
        page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), lesson_options(is_alone=True)])
        expect(here).to_have_count(shown)
    page.evaluate(KEPT, [])


@pytest.mark.parametrize("size", [(390, 844), (1920, 1080)])
def test_the_words_that_are_counted_stand_below_the_bars_on_one_line(page: Page, size: tuple[int, int]) -> None:
    learn = screen_before_a_room(page, "en", "naive", 1)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    heights = set()
    for text in ("one two", "never again " * 6 + "gone"):
        learn.locator(".write input").fill(text)
        learn.locator(".ask [data-choice]").first.click()
        line = learn.locator(".one-line")
        expect(line).to_have_text(" | ".join(text.split()))
        assert learn.locator(".bars b").nth(1).inner_text() == str(len(text.split()))
        heights.add(line.evaluate("(line) => line.clientHeight / parseFloat(getComputedStyle(line).lineHeight)"))
    assert max(heights) < 1.5


def test_a_lost_word_or_emoji_stands_under_its_mark(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    options = lesson_options("naive") | {"isAlone": True}
    options["tokens"] = {"gpt2": base64.b64encode(packed("gpt2")).decode()}
    page.evaluate(PRESENT, [bundle(BROWSER / "learn.js"), _css(), options])
    learn = page.locator(".learn")
    learn.locator(".foot .strong").evaluate("(on) => { on.disabled = false; on.click(); }")
    learn.locator(".ask [data-choice]").first.click()
    long = "x" * 45
    learn.locator(".write input").fill(f"We 555, 😀 {long}")
    assert learn.locator(".token").all_inner_texts() == ["We", "<unk>\n555", "<unk>\n😀", f"<unk>\n{long}"]
    said = without_breaks(learn.locator(".write + .below .verdict").inner_text())
    assert said.startswith("Lost: 3 of 4.")
    assert learn.evaluate("(learn) => learn.scrollWidth <= learn.clientWidth")


def test_bytes_that_utf_8_never_uses_are_not_called_parts_of_a_character(page: Page) -> None:
    learn = screen_alone(page, "letter", 3)
    learn.locator(".ask [data-choice]").first.click()
    learn.locator(".write input").fill("E0 B8 FF C0 80 41")
    said = lesson_options(is_alone=True)["labels"]
    half, unused = (without_breaks(said[key]) for key in ("letter_3_half", "letter_3_unused"))
    found = [without_breaks(each) for each in learn.locator(".result small").all_inner_texts()]
    assert found == ["E0 B8", half, "FF", unused, "C0", unused, "80", half, "41"]
