"""The staff, the inspector and all that the bar offers, drawn in a browser."""

import base64
import re

import pytest
from playwright.sync_api import Page

from pages.ui.token_view.lanes import History, Label, Lane
from pages.ui.token_view.payload import tint, token_payload
from tests.helpers.browser import PATIENCE
from tests.helpers.drawing import (
    HOSTILE,
    LABELS,
    PIECES_OF_CELLS,
    THAI,
    draw,
    ids_in,
    in_shadow,
    lane_over,
    pretokens_over,
    references_over,
    with_options,
)
from tokenizer_core import train
from tokenizer_core.measures.cuts import cuts
from tokenizer_core.measures.history import joining_merges
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.segments import TextMap, token_lengths
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Trainer

PARAGRAPH = "กำลังเรียนที่โรงเรียน They're learning 2,567 words; น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ 👨‍👩‍👧 e\u0301 " * 4
BOXES = """() => [...window.shadow.querySelectorAll(".lane:not(.ruler) .cell")].map(
  (cell) => [...cell.children].map((piece) => {
    const box = piece.getClientRects()[0];
    return [piece.textContent, box.left, box.top];
  }))"""


# ------------------------------------------------------------------------------------------------ alignment


@pytest.mark.parametrize("width", [360, 700, 1100])
@pytest.mark.parametrize("text", [PARAGRAPH, *HOSTILE.values()], ids=["paragraph", *HOSTILE])
@pytest.mark.parametrize("white_space", [False, True], ids=["plain", "white space shown"])
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


def test_lanes_of_a_line_do_not_touch_those_of_the_next(page: Page) -> None:
    draw(page, PARAGRAPH, references_over(PARAGRAPH), view="staff", width=600)
    tops = [sorted({round(top) for _, _, top in lane}) for lane in page.evaluate(BOXES)]
    lines = len(tops[0])
    assert lines > 2
    order = [tops[lane][line] for line in range(lines) for lane in range(3)]
    assert order == sorted(order)


def test_the_ruler_counts_characters_as_people_do(page: Page) -> None:
    text = "👍" * 9 + "X" + "ก" * 9 + "Y" + "z" * 5
    draw(page, text, references_over(text), view="staff")
    marks = in_shadow(
        page, "[...root.querySelectorAll('.r[data-n]')].map((mark) => [mark.dataset.n, mark.textContent[0]])"
    )
    assert marks == [["10", "X"], ["20", "Y"]]


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


@pytest.mark.parametrize("view", ["staff", "columns"])
def test_other_lanes_under_the_same_text_bring_their_names(page: Page, view: str) -> None:
    text = "กำลังเรียน"
    draw(page, text, [pretokens_over(text, "llama3"), pretokens_over(text, "gpt2")], view=view)
    columns = [pretokens_over(text, "mark_aware"), pretokens_over(text, "gpt2")]
    payload = token_payload(text, columns, labels=LABELS)
    page.evaluate(
        "(payload) => window.draw({ parentElement: window.shadow,"
        " data: Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0)) })",
        base64.b64encode(with_options(payload, view=view)).decode(),
    )
    names = in_shadow(page, "[...root.querySelectorAll('.row .tag')].map((tag) => tag.textContent)")
    assert set(names) == {"mark_aware", "gpt2"}


# ------------------------------------------------------------------------------------------------ differences


def test_differences_are_marked_counted_and_walked(page: Page) -> None:
    text = "same words น้ำ same"
    draw(page, text, references_over(text), view="staff", marks=True)
    legend = in_shadow(page, "root.querySelector('.legend .differ').textContent")
    assert legend == LABELS["differ"].format(share="21%", count=1)
    marked = in_shadow(
        page,
        "[...root.querySelectorAll('.cell')].map((cell) => [...cell.querySelectorAll('.p.d')]"
        ".map((piece) => piece.textContent).join(''))",
    )
    assert marked == ["", " น้ำ", " น้ำ", " น้ำ"]
    page.get_by_role("button", name="Next difference").click()
    assert in_shadow(page, "root.querySelector('.place').textContent") == "1 of 1"
    assert in_shadow(page, "root.activeElement.textContent") == " "


def test_n_and_p_walk_the_differences(page: Page) -> None:
    text = "ก the ข the ค"
    draw(page, text, references_over(text), view="staff")
    page.locator(".save > button").focus()
    page.keyboard.press("Tab")
    places = []
    for key in ("n", "n", "p", "p", "p"):
        page.keyboard.press(key)
        places.append(in_shadow(page, "root.querySelector('.place').textContent"))
    assert places[0] != places[1]
    assert places[2] == places[0]
    assert len(set(places)) >= 2


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


# ------------------------------------------------------------------------------------------------ the branches

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
    page.locator(".save > button").focus()
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


def test_without_branches_nobody_can_colour_by_them(page: Page) -> None:
    draw(page, "ab", [pretokens_over("ab", "llama3")], colour="branch")
    offered = in_shadow(page, "[...root.querySelectorAll('.menu')][1].querySelectorAll('option').length")
    assert offered == 3
    assert page.locator(".branches").is_hidden()


# ------------------------------------------------------------------------------------------------ the inspector


def test_a_click_pins_the_ladder_of_bytes(page: Page) -> None:
    draw(page, THAI, references_over(THAI), view="staff")
    page.locator(".lane:not(.ruler) .p").first.click()
    rows = in_shadow(
        page, "[...root.querySelectorAll('.ladder tbody tr')].map((row) => row.innerText.split(/\\s+/))"
    )
    assert len(rows) == 9
    said = page.locator(".ladder").inner_text()
    for words in ("U+0E19", "Thai character no nu", "Thai character mai tho", "Thai character sara am"):
        assert words in said
    ids = openai_tokenizer("gpt2").encode("น้ำ")
    assert all(f"id {token_id}" in said for token_id in ids)
    assert "E0 B8" in page.locator(".why").inner_text()
    page.get_by_role("button", name="Close").click()
    assert page.locator(".inspector").is_hidden()


def test_enter_pins_and_escape_gives_the_keyboard_back(page: Page) -> None:
    draw(page, "the cat sat", references_over("the cat sat"))
    page.locator(".save > button").focus()
    for key in ("Tab", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert page.locator(".inspector").is_visible()
    page.locator(".inspector button").focus()
    page.keyboard.press("Escape")
    assert page.locator(".inspector").is_hidden()
    assert in_shadow(page, "root.activeElement.ariaLabel") == "token 2 of 3, ␣cat, id 3797"


def test_a_token_of_ones_own_says_how_it_was_made(page: Page) -> None:
    text = "aaab aaab aaab "
    trainer = Trainer(count_pretokens([text], "mark_aware"), 260, min_count=1)
    merges = trainer.step(4)
    own = Tokenizer([(merge.left, merge.right) for merge in merges])
    lane = lane_over(text, own, counts=[merge.count for merge in merges])
    draw(page, text, [lane])
    page.locator(".lane .p").first.click()
    assert (
        f"merge {len(merges)}" in page.locator(".ladder").inner_text()
        or "merge" in page.locator(".ladder").inner_text()
    )
    last = merges[own.encode(text)[0] - 256]
    assert f"{last.count} times in its corpus" in page.locator(".ladder").inner_text()


# ---------------------------------------------------------------------------------------- heat, chips, bytes


def test_broken_letters_are_tinted_and_measured(page: Page) -> None:
    draw(page, THAI, references_over(THAI), colour="broken")
    words = in_shadow(page, "[...root.querySelectorAll('.meter .words')].map((each) => each.textContent)")
    for lane, said in zip(references_over(THAI), words, strict=True):
        found = cuts(TextMap(THAI), token_lengths(ids_in(lane), lane.tokenizer))
        shares = [found.inside_characters / found.boundaries, found.inside_clusters / found.boundaries]
        numbers = [float(number) for number in re.findall(r"([\d.]+)%", said)]
        assert numbers == [pytest.approx(100 * share, abs=0.51) for share in shares]
    cut = in_shadow(
        page, "[...root.querySelectorAll('.cell')].map((cell) => cell.querySelectorAll('.cut2').length)"
    )
    assert cut[0] > 10
    assert cut[2] == 0


def test_colour_by_bytes_follows_the_bytes_of_each_token(page: Page) -> None:
    draw(page, "a the", [lane_over("a the", openai_tokenizer("gpt2"))], colour="bytes")
    (cell,) = page.evaluate(PIECES_OF_CELLS)
    assert [piece["tint"] for piece in cell][:4] == ["var(--h0)", *["var(--h2)"] * 3]  # "a", and of " the"


def test_chips_are_of_the_tokenizer_that_is_chosen(page: Page) -> None:
    columns = references_over(THAI)
    draw(page, THAI, columns, view="chips")
    for index, lane in enumerate(columns):
        page.locator(".menu select").first.select_option(index=index)
        (cell,) = page.evaluate(PIECES_OF_CELLS)
        assert len(cell) == len(ids_in(lane))
        assert page.locator(".heads .name").inner_text() == lane.name


def test_bytes_that_are_no_character_are_drawn_as_bytes(page: Page) -> None:
    tokenizer = openai_tokenizer("gpt2")
    ids = tokenizer.encode("น้")[:3] + tokenizer.encode(" ok")
    lane = Lane("gpt2", Label("gpt2"), tokenizer, ids)
    payload = token_payload(tokenizer.decode_bytes(ids), [lane], labels=LABELS)
    draw(page, "", [])
    page.evaluate(
        "(payload) => window.draw({ parentElement: window.shadow,"
        " data: Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0)) })",
        base64.b64encode(with_options(payload)).decode(),
    )
    names = in_shadow(page, "[...root.querySelectorAll('.cell .g')].map((each) => each.dataset.g)")
    assert names == ["E0", "B9"]
    assert "�" not in in_shadow(page, "root.textContent")


@pytest.mark.parametrize("view", ["staff", "columns", "chips"])
def test_every_view_of_an_empty_text_says_so(page: Page, view: str) -> None:
    draw(page, "", references_over(""), view=view)
    assert LABELS["empty"] in in_shadow(page, "root.querySelector('.rows').textContent")


def test_switching_views_keeps_the_place_in_a_long_text(page: Page) -> None:
    text = "".join(f"line {number} of a long text\n" for number in range(2000))
    draw(page, text, references_over(text), view="staff")
    page.evaluate("window.shadow.querySelector('.box').scrollTop = 20000")
    page.wait_for_timeout(300)
    top = """Number(/line (\\d+)/.exec([...root.querySelectorAll('.row')].find((row) =>
      row.getBoundingClientRect().bottom > root.querySelector('.heads').getBoundingClientRect().bottom + 10)
      .querySelector('.lane:not(.ruler)').textContent)[1])"""
    before = in_shadow(page, top)
    page.get_by_role("button", name="Columns").click()
    page.wait_for_timeout(300)
    assert before > 100
    assert abs(in_shadow(page, top) - before) < 20


def test_motion_is_reduced_where_people_ask_for_it(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    try:
        draw(page, THAI, references_over(THAI))
        assert in_shadow(page, "getComputedStyle(root.querySelector('.p')).transitionDuration") == "0s"
    finally:
        page.emulate_media(reduced_motion="no-preference")


# ------------------------------------------------------------------------------------------------ the time machine


def test_the_time_machine_shows_the_tokens_of_every_size(page: Page) -> None:
    """What the browser derives from one number per byte is what the tokenizer of that size would say."""
    own = train(PARAGRAPH * 3, 340)
    ids = own.encode(PARAGRAPH)
    joined = joining_merges(ids, own)
    lane = lane_over(PARAGRAPH, own, history=History(joined, levels=[("gpt2", 300)]))
    draw(page, PARAGRAPH, [lane], view="chips")
    slider = page.locator(".time input")
    for merges in (0, 1, 2, 7, 40, len(own.merges)):
        slider.fill(str(merges))
        then = own.at(256 + merges)
        ids_then = then.encode(PARAGRAPH)
        (cell,) = page.evaluate(PIECES_OF_CELLS)
        assert page.locator(".count").inner_text().split()[0] == f"{len(ids_then):,}"
        assert len(cell) == len(ids_then)
        first = in_shadow(page, "root.querySelector('.cell .p').style.backgroundColor")
        assert first == f"var(--t{tint(then.token_bytes(ids_then[0]))})"
    assert "Fewer than gpt2 from merge" in page.locator(".time .note").inner_text()


def test_play_runs_to_the_newest_merge(page: Page) -> None:
    own = train(THAI * 3, 270)
    ids = own.encode(THAI)
    draw(page, THAI, [lane_over(THAI, own, history=History(joining_merges(ids, own)))])
    page.locator(".time input").fill(str(len(own.merges) - 1))
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        f"window.shadow.querySelector('.time .where').textContent.startsWith('{len(own.merges)} of')",
        timeout=1_000 * PATIENCE,
    )
