"""Rows with their number of tokens: letters fill the screen, facts wait until they are asked for."""

import base64
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from pages.ui.widgets.token_view import _with_options
from pages.ui.widgets.token_view.lanes import Label, Lane
from tests.helpers.drawing import HOSTILE, LABELS, PARAGRAPH, THAI, draw, in_shadow, references_over, saved
from tokenizer_core.bpe.openai import openai_tokenizer

DOCTOR = "คุณหมอคะ ลูกชายมีไข้สูงตั้งแต่เมื่อคืน ควรพาไปโรงพยาบาลเลยไหมคะ"
OF_SCREEN = 0.72  # of its height may be rows
SCREENS = {"projector": (1920, 1080, 1760), "laptop": (1280, 900, 1120), "phone": (390, 844, 358)}
PLACES = """() => {
  const root = window.shadow;
  const box = (element) => { const { left, right, top, bottom } = element.getBoundingClientRect(); return { left, right, top, bottom }; };
  return {
    size: parseFloat(getComputedStyle(root.querySelector(".p")).fontSize),
    rows: root.querySelector(".row").offsetHeight,
    totals: [...root.querySelectorAll(".names .total")].map(box),
    lanes: [...root.querySelectorAll(".lane")].map((lane) => [...lane.querySelectorAll(".p")].map(box)),
  };
}"""  # noqa: E501


def draw_rows(page: Page, text: str, screen: str = "laptop", lanes: list[Lane] | None = None, **more: Any) -> Any:
    width, height, room = SCREENS[screen]
    page.set_viewport_size({"width": width, "height": height})
    shown = references_over(text) if lanes is None else lanes
    draw(page, text, shown, width=room, **{"view": "staff", "numbers_first": True, "ruler": False, **more})
    return page.evaluate(PLACES) if text else None


@pytest.mark.parametrize(
    ("text", "screen"),
    [
        pytest.param(
            text, screen, id=f"{name}-{screen}", marks=() if is_usual or screen == "laptop" else pytest.mark.long
        )
        for texts, is_usual in (({"short": THAI, "two lines": DOCTOR}, True), (HOSTILE, False))
        for name, text in texts.items()
        for screen in SCREENS
    ],
)
def test_a_number_stands_beside_its_row_and_on_a_phone_above_it(page: Page, text: str, screen: str) -> None:
    found = draw_rows(page, text, screen)
    assert len(found["totals"]) == len(found["lanes"]) == 3
    for total, boxes in zip(found["totals"], found["lanes"], strict=True):
        assert boxes
        first = [box for box in boxes if box["top"] < boxes[0]["bottom"]]
        if screen == "phone":
            assert total["bottom"] <= min(box["top"] for box in first) + 1
        else:
            assert total["right"] < min(box["left"] for box in boxes)
            middle = (first[0]["top"] + first[0]["bottom"]) / 2
            assert abs((total["top"] + total["bottom"]) / 2 - middle) < 0.1 * found["size"]


@pytest.mark.parametrize("screen", SCREENS)
def test_letters_are_the_largest_of_the_list_that_fit(page: Page, screen: str) -> None:
    height = SCREENS[screen][1]
    sizes = []
    for text in ("น้ำ", THAI, DOCTOR, DOCTOR[:40] * 4):
        found = draw_rows(page, text, screen)
        sizes.append(found["size"])
        assert found["rows"] <= OF_SCREEN * height or found["size"] == 24
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_names_below_numbers_are_whole_where_letters_are_small(page: Page) -> None:
    sentence = "Doctor, my son has had a high fever since last night. Should I take him to a hospital right now?"
    for screen in ("projector", "laptop"):
        draw_rows(page, sentence, screen, text_first=True)
        names = "[...root.querySelectorAll('.names .total .name')].map((name) => name.offsetHeight)"
        assert min(in_shadow(page, names)) >= 1.2 * 13, screen  # pixels of their letters


def test_the_sample_can_be_read_from_the_last_row(page: Page) -> None:
    found = draw_rows(page, THAI, "projector")
    assert found["size"] >= 96
    left, right = found["lanes"][0][0]["left"], found["lanes"][0][-1]["right"]
    assert right - left >= 0.7 * 1920
    number = in_shadow(page, "parseFloat(getComputedStyle(root.querySelector('.total .count')).fontSize)")
    assert number >= 64


def test_nine_rows_get_smaller_letters(page: Page) -> None:
    three = draw_rows(page, THAI)["size"]
    lanes = [lane for number in range(3) for lane in named(f"{number}", THAI)]
    found = draw_rows(page, THAI, lanes=lanes)
    assert len(found["totals"]) == 9
    assert 30 <= found["size"] < three
    assert found["rows"] <= OF_SCREEN * 900


COVERED = """[...root.querySelectorAll('.lane .p.n')].filter((piece) => {
  const style = getComputedStyle(piece, "::after");
  const [size, up] = [parseFloat(style.fontSize), parseFloat(style.translate.split(" ")[1])];
  const { left, right, bottom } = piece.getBoundingClientRect();
  const [middle, low] = [(left + right) / 2, bottom + up + 0.85 * size]; // to the foot of its digits
  return [...root.querySelectorAll('.lane .p')].some((other) => {
    const box = other.getBoundingClientRect();
    return other !== piece && box.left < middle && box.right > middle && box.top < low && box.bottom > bottom + 1;
  });
}).length"""
"""How many of the small counts lie under the row below them."""


@pytest.mark.parametrize("screen", ["laptop", "projector"])
def test_small_counts_are_whole_where_letters_are_small(page: Page, screen: str) -> None:
    text = "Deploy to prod 🚀 สวัสดีครับ ระบบล่มแล้ว unbelievable café for i in range(10): print(i)"
    lanes = [lane for number in range(2) for lane in named(f"{number}", text)]
    draw_rows(page, text, screen, lanes=lanes, text_first=True)
    assert in_shadow(page, "root.querySelectorAll('.lane .p.n').length") > 20
    assert in_shadow(page, COVERED) == 0


NEIGHBOURS = """[...root.querySelectorAll('.lane .p.n + .p.n')].map((piece) => {
  const [one, other] = [piece.previousElementSibling, piece].map((each) => each.getBoundingClientRect());
  if (one.top !== other.top) return 99;
  const digit = 0.54 * parseFloat(getComputedStyle(piece, "::after").fontSize);
  return (other.left + other.right - one.left - one.right) / 2 - digit;
})"""
"""The pixels between two counts of one digit."""


def test_on_a_phone_two_counts_below_narrow_letters_are_two_numbers(page: Page) -> None:
    draw_rows(page, "พรุ่งนี้ไปกินหมูกระทะกันไหม 555 เลิกเรียนแล้วเจอกันหน้ามหาลัยนะเพื่อนๆ", "phone")
    assert min(in_shadow(page, NEIGHBOURS)) >= 1.5


def named(prefix: str, text: str) -> list[Lane]:
    return [Lane(prefix + lane.key, Label(prefix + lane.name), lane.tokenizer, lane.encoding) for lane in
            references_over(text)]  # fmt: skip


def test_facts_are_shown_on_pointing_and_to_the_keyboard(page: Page) -> None:
    tokenizer = openai_tokenizer("gpt2")
    lane = Lane("gpt2", Label("GPT-2", "50,257 token ids", "256 and more"), tokenizer, tokenizer.encode(THAI))
    draw_rows(page, THAI, lanes=[lane])
    total, card = page.get_by_role("button", name="50 tokens GPT-2"), page.locator(".card")
    expect(card).to_be_hidden()
    for fact in ("50,257 token ids", "characters per token"):
        assert fact not in page.locator(".token-view").inner_text()
    total.hover()
    for fact in (
        "GPT-2",
        "50,257 token ids",
        "256 and more",
        "0.52 characters per token",
        "48 tokens with part of",
    ):
        expect(card).to_contain_text(fact)
    page.mouse.move(0, 0)
    expect(card).to_be_hidden()
    total.focus()
    expect(card).to_be_visible()
    assert total.get_attribute("aria-describedby") == card.get_attribute("id")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    total.click()
    expect(card).to_be_visible()
    page.locator(".cell .p").first.click()
    expect(card).not_to_contain_text("50,257 token ids")


@pytest.mark.parametrize("view", ["staff", "columns", "chips"])
def test_where_rows_have_no_room_for_numbers_these_stand_above(page: Page, view: str) -> None:
    text = PARAGRAPH if view == "staff" else THAI
    draw_rows(page, text, view=view)
    heads = page.locator(".heads .total")
    expect(heads).to_have_count(1 if view == "chips" else 3)
    heads.first.hover()
    expect(page.locator(".card")).to_contain_text("bytes per token")
    assert page.locator(".names .total").count() == 0


def test_an_empty_text_keeps_the_places_of_the_rows(page: Page) -> None:
    draw_rows(page, "")
    expect(page.locator(".names .count")).to_have_text(["0 tokens"] * 3)


def test_a_picture_has_the_numbers_beside_the_rows(page: Page) -> None:
    draw_rows(page, THAI)
    drawn = saved(page, "svg").read_text()
    assert all(f">{count}</text>" in drawn for count in (50, 26, 13))


PLACE = """(data) => {
  const host = document.body.appendChild(document.createElement("div"));
  const place = host.attachShadow({ mode: "open" });
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  window.leave = window.draw({ data: bytes, parentElement: place });
}"""


def test_a_bar_that_stands_apart_switches_its_view(page: Page) -> None:
    draw_rows(page, THAI, toolbar="apart")
    columns = page.get_by_role("button", name=LABELS["columns"])
    assert columns.count() == 0
    place_bar(page, "k")
    columns.click()
    assert not in_shadow(page, "root.querySelector('.token-view').classList.contains('staff')")
    expect(columns).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name=LABELS["chips"])).to_have_count(0)  # they show one lane of several
    page.evaluate("window.leave()")
    place_bar(page, "k")  # a menu that is opened again draws it in another place
    expect(columns).to_have_count(1)
    has_sign = "getComputedStyle(each, '::before').content.includes('·')"
    signs = f"[...root.querySelectorAll('.lane *')].filter((each) => {has_sign}).length"
    assert in_shadow(page, signs) == 0
    page.get_by_label(LABELS["white_space"]).check()
    assert in_shadow(page, signs) > 0


def place_bar(page: Page, key: str) -> None:
    """Be the place of a bar, as `toolbar_of` is."""
    data = base64.b64encode(_with_options(b"", {"bar_of": key})).decode()
    page.evaluate(PLACE, data)
