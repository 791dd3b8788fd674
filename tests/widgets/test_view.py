"""The view draws every token of a text, and runs nothing in it."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from pages.ui.widgets.token_view.lanes import Label
from pages.ui.widgets.token_view.payload import token_payload
from tests.helpers.drawing import (
    HOSTILE,
    LABELS,
    PIECES_OF_CELLS,
    THAI,
    draw,
    lane_over,
    pretokens_over,
    redraw,
    references_over,
)
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_reading_shows_the_text_itself_and_runs_nothing(page: Page, text: str) -> None:
    draw(page, text, references_over(text), white_space=True)
    for cell in page.evaluate(PIECES_OF_CELLS):
        assert "".join(piece["text"] for piece in cell) == text
    assert page.evaluate("window.pwned") is None


def test_without_text_no_tokens_are_counted(page: Page) -> None:
    draw(page, "", references_over(""), text_first=True)
    assert (page.locator(".head").count(), page.locator(".head .count").count()) == (3, 0)
    redraw(page, token_payload("a", references_over("a"), labels=LABELS), text_first=True)
    assert page.locator(".head .count").count() == 3


def test_chips_name_bytes_marks_and_spaces(page: Page) -> None:
    draw(page, "ไม่ a\n", [lane_over("ไม่ a\n", openai_tokenizer("cl100k_base"))], view="chips")
    (cell,) = page.evaluate(PIECES_OF_CELLS)
    assert [piece["text"] for piece in cell] == ["ไม", "◌่", "␣a", "⏎"]


def test_a_piece_that_ends_with_its_line_is_closed_there(page: Page) -> None:
    text = "a\nb\n\n"
    draw(page, text, [pretokens_over(text, "cl100k")])
    drawn = page.locator(".cell .p").evaluate_all(
        """(all) => all.map((piece) => {
          const { boxDecorationBreak } = getComputedStyle(piece);
          return [piece.textContent, piece.matches(".s"), piece.matches(".e"), boxDecorationBreak];
        })"""
    )
    assert drawn == [
        ["a", True, True, "slice"],
        ["\n", True, True, "clone"],
        ["b", True, True, "slice"],
        ["\n", True, False, "clone"],  # it goes on in the next line
        ["\n", False, True, "clone"],
    ]


def test_a_token_that_ends_within_a_ligature_ends_with_its_letter(page: Page) -> None:
    text = "office fly draft"
    draw(page, text, [lane_over(text, Tokenizer([]))])
    drawn, alone = page.evaluate(
        """() => {
          const pieces = [...window.shadow.querySelector(".cell").querySelectorAll(".p")];
          const style = getComputedStyle(pieces[0]);
          const width = (text) => {
            const letter = document.body.appendChild(document.createElement("span"));
            letter.style.cssText = `position: absolute; white-space: pre; font-kerning: none;
              font-family: ${style.fontFamily}; font-size: ${style.fontSize}`;
            letter.textContent = text;
            return letter.getBoundingClientRect().width;
          };
          const letters = pieces.filter((piece) => piece.textContent.trim());
          return [
            letters.map((piece) => piece.getBoundingClientRect().width),
            letters.map((piece) => width(piece.textContent)),
          ];
        }"""
    )
    assert len(drawn) == len(text) - 2
    assert drawn == pytest.approx(alone, abs=0.1)


def test_hover_lights_the_same_characters_in_every_column(page: Page) -> None:
    draw(page, THAI, references_over(THAI))
    page.locator(".cell").first.locator(".p").first.hover()
    lit = page.evaluate(
        "() => [...window.shadow.querySelectorAll('.lane:not(.ruler) .cell')].map("
        "(cell) => [...cell.querySelectorAll('.hot')].map((piece) => piece.textContent).join(''))"
    )
    assert lit == ["น้ำ", "น้ำ", "น้ำ"]
    assert "E0 B8 99 E0 B9 89 E0 B8 B3" in page.locator(".card").inner_text()


def test_what_scrolls_below_a_pointer_at_rest_has_no_card(page: Page) -> None:
    draw(page, THAI, references_over(THAI))
    first, other = page.locator(".cell").first.locator(".p").first, page.locator(".cell").last.locator(".p").last
    box = first.bounding_box()
    assert box is not None
    x, y = round(box["x"] + 5), round(box["y"] + 5)
    page.mouse.click(x, y)
    expect(page.locator(".inspector")).to_be_visible()
    other.dispatch_event("pointerover", {"clientX": x, "clientY": y})
    expect(page.locator(".card")).to_be_hidden()
    other.dispatch_event("pointerover", {"clientX": x + 1, "clientY": y})
    expect(page.locator(".card")).to_be_visible()


def test_a_card_lists_of_other_rows_only_the_pieces_that_hold_its_letters(page: Page) -> None:
    text = "กำลังเรียนที่"  # GPT-4's pieces share letters, so they are drawn in one box
    draw(page, text, [pretokens_over(text, "cl100k"), pretokens_over(text, ".")], view="staff")
    page.locator(".cell").last.locator(".p").first.hover()
    said = page.locator(".card .who").all_inner_texts()
    assert said == ["cl100k · 1", ". · 2"]


def test_a_card_frames_the_piece_that_is_pointed_at_among_those_that_share_letters(page: Page) -> None:
    draw(page, "กำลังเรียน", [pretokens_over("กำลังเรียน", "cl100k")])
    page.locator(".cell .p").first.hover()
    assert page.locator(".card .token").all_inner_texts()[0] == page.locator(".card .here").inner_text()
    assert page.locator(".card .token").count() > page.locator(".card .here").count() == 1


def test_arrow_keys_walk_the_pieces_and_each_one_says_what_it_is(page: Page) -> None:
    draw(page, "the cat sat", references_over("the cat sat"))
    page.locator(".save > button, .legend button").last.focus()
    for key in ("Tab", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("window.shadow.activeElement.ariaLabel") == "token 3 of 3, ␣sat, id 3332"
    page.keyboard.press("Escape")
    assert page.evaluate("window.shadow.activeElement.className") == "scroller"
    assert page.locator(".hot").count() == 0


def test_new_tokens_of_the_same_text_use_the_elements_again(page: Page) -> None:
    draw(page, THAI, [lane_over(THAI, openai_tokenizer("gpt2"))], view="staff", ruler=False)
    page.evaluate("window.first = window.shadow.querySelector('.cell').firstChild")
    payload = token_payload(THAI, [lane_over(THAI, openai_tokenizer("o200k_base"))], labels=LABELS)
    redraw(page, payload, view="staff", ruler=False)
    assert page.evaluate("window.first === window.shadow.querySelector('.cell').firstChild")
    assert page.locator(".count").inner_text().split() == ["13", "tokens"]


@pytest.mark.parametrize(
    "text", ["ก" + "่" * 30_000, "👍🏽" * 30_000, "abcdefghij" * 30_000], ids=["marks", "emoji", "one word"]
)
@pytest.mark.parametrize("view", ["staff", "columns", "chips"])
def test_endless_texts_draw_a_bounded_number_of_elements(page: Page, text: str, view: str) -> None:
    draw(page, text, references_over(text)[:1], view=view)
    assert page.evaluate("window.shadow.querySelectorAll('.rows *').length") < 40_000
    assert page.evaluate("window.shadow.querySelectorAll('.cell *').length") < 4_000


def test_what_a_size_is_made_of_opens_with_a_key_and_stands_under_the_mouse(page: Page) -> None:
    lane = lane_over(THAI, openai_tokenizer("gpt2"))
    label = Label("GPT-2", "50,257 token ids", "256 bytes + 50,000 merges + 1 special")
    draw(page, THAI, [replace(lane, label=label)])
    caption = page.locator(".head details")
    assert caption.locator("summary").get_attribute("title") == label.details
    assert not caption.get_by_text(label.details).is_visible()
    caption.locator("summary").press("Enter")
    assert caption.get_by_text(label.details).is_visible()


def test_the_text_may_come_before_what_is_set(page: Page) -> None:
    draw(page, "the cat sat", references_over("the cat sat"), toolbar="full", text_first=True)
    places = page.evaluate("""() => ['.cell .p', '.bar', '.head .name', '.head .count'].map(
      (name) => window.shadow.querySelector(name).getBoundingClientRect())
      .map(({ left, right, bottom, top }) => ({ left, right, bottom, top }))""")
    text, bar, name, count = places
    assert text["bottom"] < bar["top"]
    assert name["right"] <= count["left"]  # a name stands beside its count, not above it
    page.locator(".switch button").first.focus()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("Boolean(window.shadow.activeElement.closest('.frame'))")


@pytest.mark.parametrize("width", [360, 1100])
def test_what_can_be_switched_is_folded_on_a_phone_alone(page: Page, width: int) -> None:
    draw(page, "the cat sat", references_over("the cat sat"), toolbar="full", width=width)
    more, switch, check = (page.locator(f".bar {name}") for name in (".switches", ".switch", ".check >> nth=0"))
    assert page.locator(".bar .save").is_visible()
    is_phone = width == 360
    assert [each.is_visible() for each in (more, switch, check)] == [is_phone, not is_phone, not is_phone]
    if is_phone:
        assert more.text_content() == LABELS["more"]
        more.click()
        assert [each.is_visible() for each in (more, switch, check)] == [True, True, True]
        assert more.get_attribute("aria-expanded") == "true"
