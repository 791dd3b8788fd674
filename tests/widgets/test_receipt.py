"""The receipt in a browser: a line for each token, printed one after another, and saved at its full length."""

import base64
import json
import re
import struct
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.ui.i18n import section
from pages.ui.widgets.receipt import BROWSER, receipt_css, receipt_options
from pages.ui.widgets.token_view.lanes import Label, Lane
from pages.ui.widgets.token_view.serve import bundle, view_css
from tests.helpers.drawing import DRAW, HOSTILE, LABELS, THAI, in_shadow
from tokenizer_core.bpe.openai import openai_tokenizer

WORDS = section("receipt", spoken="en")
ENGLISH = "The kindness of Thai people."
GPT2 = Lane("gpt2", Label("GPT-2"), openai_tokenizer("gpt2"))


def options(first: str = THAI, second: str = ENGLISH, price: float | None = 1.0) -> dict[str, Any]:
    return {**receipt_options(GPT2, (first, second), price, "$"), "link": {"first": "a b&c", "lang": "en"}}


def print_bills(page: Page, drawn: dict[str, Any], *, calm: bool = True, width: int = 600) -> None:
    """Draw a receipt as Streamlit would have it drawn."""
    page.emulate_media(reduced_motion="reduce" if calm else "no-preference")
    payload = base64.b64encode(json.dumps(drawn).encode()).decode()
    css = view_css() + receipt_css()
    page.evaluate(DRAW, [bundle(BROWSER / "receipt.js"), css, payload, width])
    if calm:
        expect(page.locator(".receipt")).to_have_attribute("data-printed", "all")
        expect(page.locator(".paper tbody tr").first).to_be_visible()


def lines(page: Page, paper: int) -> list[list[str]]:
    """The cells of the lines that are printed on a paper."""
    rows = page.locator(".paper").nth(paper).locator("tbody tr:visible")
    return [row.locator("td").all_inner_texts() for row in rows.all()]


def test_each_token_has_a_line_with_its_price_and_the_sum_so_far(page: Page) -> None:
    print_bills(page, options())
    for paper, text in enumerate((THAI, ENGLISH)):
        tokens = openai_tokenizer("gpt2").encode(text)
        found = lines(page, paper)
        assert [row[1] for row in found] == ["0.01"] * len(tokens)
        assert [row[2] for row in found] == [f"{0.01 * number:.2f}" for number in range(1, len(tokens) + 1)]
        total = page.locator(".total").nth(paper).locator("b").all_inner_texts()
        assert total == [f"{len(tokens)} tokens", f"${len(tokens) / 100:.2f}"]
    assert [row[0].replace("␣", " ") for row in lines(page, 1)] == [
        openai_tokenizer("gpt2").decode([token]) for token in openai_tokenizer("gpt2").encode(ENGLISH)
    ]


def hidden_lines(roll: Locator) -> int:
    """How many lines are above the head, or more than half behind it."""
    count: int = roll.evaluate(
        """(roll) => {
          const edge = roll.querySelector("th").getBoundingClientRect().bottom;
          const places = [...roll.querySelectorAll("tbody tr")].map((row) => row.getBoundingClientRect());
          return places.filter(({ top, bottom }) => (top + bottom) / 2 < edge).length;
        }"""
    )
    return count


def test_the_head_counts_all_lines_above_the_first_in_sight(page: Page) -> None:
    print_bills(page, options(THAI * 6))
    roll = page.locator(".roll").first
    for share in (1, 0.4):
        roll.evaluate("(roll, share) => { roll.scrollTop = Math.round(share * roll.scrollHeight); }", share)
        hidden = hidden_lines(roll)
        assert hidden > 50
        expect(roll.locator("th").first).to_contain_text(f" {hidden} ")


def test_parts_of_a_letter_show_the_letter_and_which_part_they_are(page: Page) -> None:
    print_bills(page, options("น้ำ", "a"))
    assert [row[0] for row in lines(page, 0)] == [f"น้ำ part {part} of 6" for part in range(1, 7)]
    sizes = in_shadow(
        page,
        "[...[...root.querySelectorAll('.paper')][0].querySelectorAll('.p')]"
        ".map((box) => box.box.stripes.map(([tint, size]) => [tint === 'gap', size]))",
    )
    assert [sum(size for is_bare, size in each if not is_bare) for each in sizes] == [2, 1, 2, 1, 2, 1]
    assert all(sum(size for _, size in each) == len("น้ำ".encode()) for each in sizes)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_runs_and_no_part_of_a_letter_is_a_question_mark(page: Page, text: str) -> None:
    print_bills(page, options(text, text))
    assert page.evaluate("window.pwned") is None
    assert "�" not in in_shadow(page, "root.querySelector('.papers').textContent")
    assert len(lines(page, 0)) == len(openai_tokenizer("gpt2").encode(text))
    assert page.locator(".receipt script, .receipt img").count() == 0


def test_without_a_price_the_lines_are_numbered(page: Page) -> None:
    print_bills(page, options(price=None))
    assert [row[1:] for row in lines(page, 1)][:3] == [["1"], ["2"], ["3"]]
    assert page.locator(".total b").nth(1).inner_text() == ""


SKIP = """(() => {
  const [receipt, button] = [".receipt", ".receipt-again"].map((each) => root.querySelector(each));
  if (receipt.dataset.printed === "all") button.click(); // a slow machine has printed it whole
  const words = button.textContent;
  button.click();
  return words;
})()"""


def show_the_total(page: Page) -> None:
    assert in_shadow(page, SKIP) == WORDS["skip"]


def test_lines_come_one_after_another_and_the_total_can_be_asked_for(page: Page) -> None:
    print_bills(page, options(), calm=False)
    receipt = page.locator(".receipt")
    expect(receipt).to_have_attribute("data-printed", re.compile(r"[1-9]"))
    printed = len(lines(page, 0))
    assert 0 < printed <= 50
    show_the_total(page)
    assert (len(lines(page, 0)), receipt.get_attribute("data-printed")) == (50, "all")
    page.get_by_role("button", name=WORDS["again"]).click()
    assert receipt.get_attribute("data-printed") != "all"
    expect(receipt).to_have_attribute("data-printed", "all")
    assert len(lines(page, 0)) == 50


@pytest.mark.parametrize(
    ("price", "totals"),
    [(5.25, ["$8.51", "$4.20"]), (0.35, ["$0.5670", "$0.2800"]), (0.0035, ["$0.005670", "$0.002800"])],
    ids=["a half is rounded up", "small", "smaller"],
)
def test_both_totals_have_as_many_decimals(page: Page, price: float, totals: list[str]) -> None:
    print_bills(page, options(" a" * 162, " a" * 80, price=price))
    assert page.locator(".total b").all_inner_texts()[1::2] == totals


def test_another_price_is_written_at_once_and_other_texts_are_printed(page: Page) -> None:
    print_bills(page, options(), calm=False)
    show_the_total(page)
    again = "(drawn) => window.draw({ parentElement: window.shadow, data: new TextEncoder().encode(drawn) })"
    page.evaluate(again, json.dumps(options(price=2.0)))
    assert page.locator(".total b").nth(1).inner_text() == "$1.00"
    page.evaluate(again, json.dumps(options(ENGLISH, THAI)))
    assert page.locator(".receipt").get_attribute("data-printed") != "all"
    assert page.locator(".receipt").count() == 1


def test_both_totals_are_in_sight_however_long_a_bill_is(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    print_bills(page, options("ก" * 60, "a"))
    assert len(lines(page, 0)) == 120
    places = [page.locator(".total").nth(paper).bounding_box() for paper in (0, 1)]
    assert all(place is not None and place["y"] + place["height"] <= 700 for place in places)


def test_the_last_line_stays_above_the_total_as_the_window_changes(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    print_bills(page, options())
    for height in (1400, 900):
        page.set_viewport_size({"width": 1280, "height": height})
        roll = page.locator(".roll").first
        page.wait_for_function(
            "roll => roll.clientHeight + roll.scrollTop >= roll.scrollHeight - 1", arg=roll.element_handle()
        )
        expect(roll.locator("tbody tr").last).to_be_in_viewport()


def test_on_a_phone_the_place_of_a_part_is_written_in_full(page: Page) -> None:
    print_bills(page, options("ที่นี่", price=100.0), width=358)
    assert [row[0].split()[0] for row in lines(page, 0)][:2] == ["1/6", "2/6"]
    cut = "[...root.querySelectorAll('td.token')].filter((cell) => cell.scrollWidth > cell.clientWidth).length"
    assert in_shadow(page, cut) == 0


def test_short_bills_are_no_longer_than_their_lines_and_messages_no_taller_than_the_longer_one(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    print_bills(page, options("น้ำ", "The water is cold today"))
    for paper in page.locator(".paper").all():
        roll, rows = paper.locator(".roll"), paper.locator("tbody tr")
        inside = roll.evaluate("(roll) => roll.clientHeight - roll.querySelector('table').clientHeight")
        assert abs(inside) <= 2, f"{rows.count()} lines"
    heights = [place.evaluate("(place) => place.clientHeight") for place in page.locator(".message-place").all()]
    assert heights[0] == heights[1] < 2 * 13 * 1.6


def test_on_a_projector_no_line_of_a_bill_is_smaller_than_16_pixels(page: Page) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    print_bills(page, options(), width=890)
    sizes = "[...root.querySelectorAll('.papers *')].map((each) => parseFloat(getComputedStyle(each).fontSize))"
    assert min(in_shadow(page, sizes)) >= 16


def test_a_picture_has_every_line_of_both_bills(page: Page) -> None:
    print_bills(page, options() | {"title": "**50** โท\u2060เค็น"}, calm=False)
    page.locator(".save > button").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="All lines (SVG)").click()
    root = ElementTree.fromstring(download.value.path().read_text("utf-8"))
    words = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    tokens = [len(openai_tokenizer("gpt2").encode(text)) for text in (THAI, ENGLISH)]
    assert words.count("0.01") == sum(tokens) + 2  # the first sums are as much
    assert {f"{tokens[0]} tokens", f"{tokens[1]} tokens", "$0.50"} <= set(words)
    height = float(root.attrib["height"])
    assert height > 50 * 20
    assert all(0 <= float(each.attrib["y"]) <= height for each in root.iter("{http://www.w3.org/2000/svg}text"))
    assert page.locator(".receipt.whole").count() == 0
    assert not {"\u2060", "\u200b"} & set("".join(words))


def test_a_picture_for_a_page_has_the_last_lines_and_how_many_more(page: Page) -> None:
    print_bills(page, options())
    page.locator(".save > button").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture (PNG)").click()
    width, height = struct.unpack(">II", download.value.path().read_bytes()[16:24])
    assert height < 1.5 * width
    tokens = len(openai_tokenizer("gpt2").encode(THAI))
    assert len(lines(page, 0)) == tokens  # they are back on the page
    roll = page.locator(".roll").first
    assert f"{hidden_lines(roll)} more" in roll.locator("th").first.inner_text()


def test_a_token_that_covers_no_text_is_billed_and_text_without_a_token_is_not(page: Page) -> None:
    drawn = options()
    drawn["bills"][0] |= {"text": "ab?", "clusters": [0, 1, 2], "ends": [0, 2, 3], "plain": [2], "count": 2}
    print_bills(page, drawn)
    assert [row[0] for row in lines(page, 0)] == [LABELS["no_text"], "ab"]
    assert page.locator(".total b").first.inner_text() == "2 tokens"


def test_on_a_phone_the_lines_above_are_counted_and_no_sum_is_cut(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    print_bills(page, options("ก" * 60, "a"), width=358)
    roll = page.locator(".roll").first
    hidden = int(re.findall(r"\d+", roll.locator("th").first.inner_text())[0])
    assert hidden == hidden_lines(roll)
    assert 100 < hidden < 120
    assert roll.evaluate("(roll) => roll.scrollWidth - roll.clientWidth") == 0
