"""The staff: characters one above the other, differences, and the branches of patterns."""

import itertools

import pytest
from playwright.sync_api import Page

from pages.ui.widgets.token_view.lanes import Label, Lane
from pages.ui.widgets.token_view.payload import token_payload
from tests.helpers.app import crossed
from tests.helpers.drawing import (
    HOSTILE,
    LABELS,
    PARAGRAPH,
    THAI,
    draw,
    in_shadow,
    lane_over,
    pretokens_over,
    redraw,
    references_over,
)
from tests.helpers.tokenizers import Table
from tokenizer_core import train
from tokenizer_core.bpe.openai import openai_tokenizer

ENGLISH = "The kindness of Thai people: drink plenty of water, okay? My son has a fever."
BOXES = """() => [...window.shadow.querySelectorAll(".lane:not(.ruler) .cell")].map(
  (cell) => [...cell.children].map((piece) => {
    const box = piece.getClientRects()[0];
    return [piece.textContent, box.left, box.top];
  }))"""

LINES = """() => [...window.shadow.querySelectorAll(".row:first-child .lane:not(.ruler) .cell")].map((cell) => {
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const lines = [];
  let last = -Infinity;
  while (walker.nextNode()) {
    const { data } = walker.currentNode;
    for (let at = 0; at < data.length; at++) {
      const range = new Range();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + 1);
      const { top } = range.getBoundingClientRect();
      if (top - last > 20) lines.push("");
      lines[lines.length - 1] += data[at];
      last = top;
    }
  }
  return lines;
})"""
"""The lines of each lane in the first row, as they are drawn."""

# ---- alignment


@pytest.mark.parametrize(
    ("white_space", "text", "width"),
    crossed([False, True], itertools.product([PARAGRAPH, *HOSTILE.values()], [360, 700, 1100])),
)
def test_the_same_characters_stand_one_above_the_other(
    page: Page,
    text: str,
    width: int,
    white_space: bool,
) -> None:
    draw(
        page,
        text,
        [*references_over(text), pretokens_over(text, "llama3")],
        view="staff",
        width=width,
        white_space=white_space,
    )
    lanes = page.evaluate(BOXES)
    assert len(lanes) == 4
    for lane in lanes[1:]:
        assert [piece for piece, *_ in lane] == [piece for piece, *_ in lanes[0]]
        assert all(abs(left - other) < 0.1 for (_, left, _), (_, other, _) in zip(lane, lanes[0], strict=True))
        shifts = {round(top - above) for (_, _, top), (_, _, above) in zip(lane, lanes[0], strict=True)}
        assert max(shifts) - min(shifts) <= 1, "a lane breaks its lines elsewhere"


@pytest.mark.parametrize("text", [ENGLISH, " ".join([ENGLISH] * 40)], ids=["short", "long"])
@pytest.mark.parametrize("white_space", [False, True], ids=["plain", "white space shown"])
def test_no_line_ends_with_the_space_of_the_token_after_it(page: Page, text: str, white_space: bool) -> None:
    apart = lane_over(text, train(text, 270, pattern="none"), "spaces apart")
    for width in (360, 500, 640):
        draw(page, text, [*references_over(text), apart], view="staff", width=width, white_space=white_space)
        first, *others = page.evaluate(LINES)
        assert len(first) > 1
        assert not [line for line in first[:-1] if line.endswith(" ")]
        assert all(lines == first for lines in others)


def test_lanes_of_a_line_do_not_touch_those_of_the_next(page: Page) -> None:
    draw(page, PARAGRAPH, references_over(PARAGRAPH), view="staff", width=600)
    tops = [sorted({round(top) for _, _, top in lane}) for lane in page.evaluate(BOXES)]
    lines = len(tops[0])
    assert lines > 2
    order = [tops[lane][line] for line in range(lines) for lane in range(3)]
    assert order == sorted(order)


def test_every_line_of_the_staff_names_its_lanes(page: Page) -> None:
    draw(page, PARAGRAPH, references_over(PARAGRAPH), view="staff", width=600)
    names = in_shadow(
        page,
        "[...root.querySelectorAll('.names .tag')]"
        ".map((tag) => [tag.textContent, tag.getBoundingClientRect().top])",
    )
    lanes = page.evaluate(BOXES)
    tops = {round(top) for lane in lanes for _, _, top in lane}
    assert [name for name, _ in names[:3]] == ["gpt2", "cl100k_base", "o200k_base"]
    bottom = max(tops)
    assert len([top for _, top in names if top <= bottom + 8]) == len(tops)


def test_a_few_words_stand_largest_and_keep_the_names_of_their_lanes_on_a_phone(page: Page) -> None:
    seen = (
        "[root.querySelector('.p').computedStyleMap().get('font-size').value,"
        " root.querySelector('.names .tag').computedStyleMap().get('font-size').value]"
    )
    few, more = "น้ำใจ", "น้ำใจคนไทย " * 3
    sizes = {}
    for name, text in (("few", few), ("more", more)):
        draw(page, text, references_over(text), view="staff", width=350, large=True, largest=True)
        sizes[name] = in_shadow(page, seen)
    assert sizes["few"][0] > sizes["more"][0]
    assert sizes["few"][1] > sizes["more"][1] == 0


FORTY = "The quick brown foxes jump over it, nah!"


@pytest.mark.parametrize(
    ("text", "width", "size"),
    [
        (THAI, 1160, 72),
        (THAI, 700, 48),
        (FORTY, 1160, 48),
        (FORTY, 900, 36),
        (FORTY, 700, 30),
        (FORTY + FORTY, 1160, 30),
        (THAI, 350, 30),
        (THAI, 500, 36),
        ("น้ำใจคนไทย", 350, 48),
        (FORTY, 350, 30),
    ],
)
def test_a_short_text_stands_as_large_as_it_fits_on_one_line(page: Page, text: str, width: int, size: int) -> None:
    assert len(FORTY) == 40
    draw(page, text, references_over(text), view="staff", width=width, large=True, largest=True)
    drawn = "root.querySelector('.p').computedStyleMap().get('font-size').value"
    assert in_shadow(page, drawn) == size
    if width > 640 and size > 30:
        tops = in_shadow(
            page, "[...root.querySelectorAll('.cell:not(.ruler *)')].map((cell) => cell.clientHeight)"
        )
        one = in_shadow(page, "root.querySelector('.names').clientHeight")
        assert set(tops) == {one}


def test_a_short_text_grows_and_shrinks_with_the_window(page: Page) -> None:
    draw(page, FORTY, references_over(FORTY), view="staff", width=700, large=True, largest=True)
    for width, size in ((1160, 48), (900, 36), (700, 30)):
        page.evaluate("(width) => (window.shadow.host.style.width = `${width}px`)", width)
        page.wait_for_timeout(100)
        assert in_shadow(page, "root.querySelector('.p').computedStyleMap().get('font-size').value") == size


@pytest.mark.parametrize("view", ["staff", "columns"])
def test_other_lanes_under_the_same_text_bring_their_names(page: Page, view: str) -> None:
    text = "กำลังเรียน"
    draw(page, text, [pretokens_over(text, "llama3"), pretokens_over(text, "gpt2")], view=view)
    columns = [pretokens_over(text, "mark_aware"), pretokens_over(text, "gpt2")]
    payload = token_payload(text, columns, labels=LABELS)
    redraw(page, payload, view=view)
    names = in_shadow(page, "[...root.querySelectorAll('.row .tag')].map((tag) => tag.textContent)")
    assert set(names) == {"mark_aware", "gpt2"}


# ---- differences


def test_each_lane_is_compared_with_the_one_that_is_chosen(page: Page) -> None:
    text = "the cat, the hat"
    lanes = [bytes_over(text, name, ways) for name, ways in WAYS.items()]
    draw(page, text, lanes, view="staff", marks=True)
    assert page.locator(".differ").inner_text().split("\n") == [
        "Cut differently from one:",
        "two: 19% of the text (1 stretch)",
        "three: 25% of the text (1 stretch)",
    ]
    assert marked(page) == {"one": "cat", "two": "cat", "three": " hat"}
    assert page.get_by_label("Differences: 1 (one · two)", exact=True).is_checked()
    assert pressed(page) == ["two: 19% of the text (1 stretch)"]
    page.get_by_role("button", name="three: 25%").click()
    assert marked(page) == {"one": " hat", "two": "cat", "three": " hat"}
    assert in_shadow(page, "root.activeElement.textContent") == "three: 25% of the text (1 stretch)", (
        "the keyboard is lost"
    )
    page.get_by_role("button", name="Next difference").click()
    assert (
        in_shadow(page, "root.activeElement.parentElement.parentElement.style.getPropertyValue('--number')") == "2"
    )
    assert in_shadow(page, "root.activeElement.textContent") == " "
    page.get_by_label("Compare with").select_option("two")
    assert page.locator(".differ").inner_text().split("\n") == [
        "Cut differently from two:",
        "one: 19% of the text (1 stretch)",
        "three: 44% of the text (2 stretches)",
    ]
    assert pressed(page) == ["three: 44% of the text (2 stretches)"]
    assert marked(page) == {"one": "cat", "two": "cat hat", "three": "cat hat"}
    ruler = in_shadow(page, "[...root.querySelectorAll('.r.d')].map((each) => each.textContent).join('|')")
    assert ruler == "cat| hat"


WAYS = {
    "one": ["the ", "cat", ",", " the", " hat"],
    "two": ["the ", "c", "at", ",", " the", " hat"],
    "three": ["the ", "cat", ",", " the", " ", "hat"],
}


def bytes_over(text: str, name: str, pieces: list[str]) -> Lane:
    """A lane that cuts a text into these pieces."""
    assert "".join(pieces) == text
    table = {number: piece.encode() for number, piece in enumerate(pieces)}
    return Lane(name, Label(name), Table(table), list(table))


def pressed(page: Page) -> list[str]:
    return page.locator(".differ button[aria-pressed=true]").all_inner_texts()


def marked(page: Page) -> dict[str, str]:
    """What is underlined in each lane."""
    found = in_shadow(
        page,
        "[...root.querySelectorAll('.lane:not(.ruler)')].map((lane) =>"
        " [...lane.querySelectorAll('.p.d')].map((piece) => piece.textContent).join(''))",
    )
    return dict(zip(WAYS, found, strict=True))


def test_n_and_p_walk_the_differences(page: Page) -> None:
    text = "ก the ข the ค"
    draw(page, text, references_over(text), view="staff")
    page.locator(".save > button, .legend button").last.focus()
    page.keyboard.press("Tab")
    places = []
    for key in ("n", "n", "p", "p", "p"):
        page.keyboard.press(key)
        places.append(page.get_by_text("Differences: ").inner_text())
    # The keyboard stands on the first one when it comes in.
    assert places == [f"Differences: {place} of 3 (gpt2 · cl100k_base)" for place in (2, 3, 2, 1, 3)]


def test_differences_are_marked_only_when_asked_for_and_the_first_one_is_named(page: Page) -> None:
    text = "ก the ข the ค\n" * 40
    draw(page, text, references_over(text), view="staff")
    marks = page.locator(".p.d, .r.d, .differ, .rail:visible, .steps:visible")
    box = page.get_by_role("checkbox", name="Differences: ")
    count, pair = page.get_by_text("Differences: ").inner_text().removeprefix("Differences: ").split(" ", 1)
    assert pair == "(gpt2 · cl100k_base)"  # of three lanes, those two that are meant
    assert (marks.count(), box.is_checked()) == (0, False)
    box.check()
    assert page.get_by_text("Differences: ").inner_text() == f"Differences: 1 of {count} {pair}"
    assert in_shadow(page, "root.activeElement.type") == "checkbox", "the keyboard is lost"
    for kind in (".p.d", ".r.d", ".r.now", ".differ", ".rail:visible", ".steps:visible"):
        assert page.locator(kind).count() > 0
    page.get_by_role("button", name="Next difference").click()
    assert page.get_by_text("Differences: ").inner_text() == f"Differences: 2 of {count} {pair}"
    box.uncheck()
    assert page.get_by_text("Differences: ").inner_text() == f"Differences: {count} {pair}"
    assert marks.count() == 0


def test_two_that_differ_are_compared_before_two_that_do_not(page: Page) -> None:
    text = "the cat sat"
    draw(
        page,
        text,
        [*references_over(text), lane_over(text, train(text, 257, pattern="none"), "mine")],
        view="staff",
    )
    said = page.get_by_text("Differences: ").inner_text()
    assert said.endswith(" (gpt2 · mine)")
    assert not said.startswith("Differences: 0")


def test_one_tokenizer_has_nothing_to_differ_from(page: Page) -> None:
    draw(
        page,
        THAI,
        [lane_over(THAI, openai_tokenizer("gpt2")), pretokens_over(THAI, "llama3")],
        view="staff",
        marks=True,
    )
    assert page.locator(".p.d, .r.d").count() == 0
    assert page.locator(".steps").is_hidden()


def test_pretokens_of_two_patterns_are_compared(page: Page) -> None:
    text = "same น้ำ same"
    draw(
        page, text, [pretokens_over(text, "llama3"), pretokens_over(text, "mark_aware")], view="staff", marks=True
    )
    marked = in_shadow(
        page,
        "[...root.querySelectorAll('.cell')].map((cell) => [...cell.querySelectorAll('.p.d')]"
        ".map((piece) => piece.textContent).join(''))",
    )
    assert marked == ["", " น้ำ", " น้ำ"]


def test_pieces_are_paler_than_tokens_and_stand_in_frames(page: Page) -> None:
    lanes = [pretokens_over("a", "llama3"), lane_over("a", openai_tokenizer("gpt2"), "gpt2")]
    draw(page, "a", lanes, view="staff")
    looks = in_shadow(
        page,
        "[...root.querySelectorAll('.cell .p')].map((box) => [box.style.backgroundColor.slice(0, 7),"
        " /0px -[1-9.]+px 0px 0px inset/.test(getComputedStyle(box).boxShadow)])",
    )
    assert looks == [["var(--u", True], ["var(--t", False]]


# ---- the branches


TINTS = "[...root.querySelectorAll('.lane:not(.ruler) .cell')].map((cell) => [...cell.children].map((piece) => [piece.textContent, piece.style.backgroundColor]))"  # noqa: E501


def test_every_piece_has_the_colour_of_the_branch_that_cut_it(page: Page) -> None:
    text = "it's ab12 !"
    lane = pretokens_over(text, r"'s|[a-z]+|\p{N}|!", with_branches=True)
    draw(page, text, [lane], view="staff", colour="branch")
    (cell,) = in_shadow(page, TINTS)
    colours = dict(cell)
    assert (colours["i"], colours["'"], colours["1"], colours["!"]) == tuple(f"var(--t{n})" for n in (1, 0, 2, 3))
    assert colours[" "] == "var(--b0)"
    listed = in_shadow(
        page,
        "[...root.querySelectorAll('.branch')].filter((each) => !each.parentElement.hidden).map((each) =>"
        " [each.querySelector('b').textContent, each.querySelector('.sample').style.backgroundColor,"
        " each.querySelector('code')?.textContent])",
    )
    assert listed[:4] == [
        ["1", "var(--t0)", "'s"],
        ["2", "var(--t1)", "[a-z]+"],
        ["2", "var(--t2)", r"\p{N}"],
        ["1", "var(--t3)", "!"],
    ]
    assert listed[4][:2] == ["2", "var(--b0)"]


def test_a_branch_that_is_pointed_at_or_pressed_stands_alone(page: Page) -> None:
    text = "ab 12 ab"
    lanes = [pretokens_over(text, pattern, with_branches=True) for pattern in ("[a-z]+|[0-9]+", "[a-z]|[0-9 ]+")]
    draw(page, text, lanes, view="staff", colour="branch")
    taken = "[...root.querySelectorAll('.p.taken')].map((piece) => piece.textContent).join('')"
    numbers = page.locator(".branch").nth(1)
    numbers.hover()
    assert in_shadow(page, taken) == "12"
    page.mouse.move(0, 0)
    assert in_shadow(page, taken) == ""
    page.locator(".branch").first.focus()
    page.keyboard.press("Tab")
    assert in_shadow(page, taken) == "12"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.locator(".save > button, .legend button").last.focus()
    assert in_shadow(page, taken) == "12"
    assert numbers.get_attribute("aria-pressed") == "true"
    numbers.click()
    assert in_shadow(page, taken) == ""


def test_a_piece_that_is_pointed_at_shows_its_branch(page: Page) -> None:
    text = "ab 12"
    draw(page, text, [pretokens_over(text, "[a-z]+|[0-9]+", with_branches=True)], view="columns", colour="branch")
    page.locator(".p", has_text="1").first.hover()
    assert in_shadow(page, "[...root.querySelectorAll('.branch.hot code')].map((each) => each.textContent)") == [
        "[0-9]+"
    ]
    assert in_shadow(page, "root.querySelector('.card .p').style.backgroundColor") == "var(--t1)"
