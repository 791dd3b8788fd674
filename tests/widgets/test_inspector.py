"""The inspector, colours, chips, and broken bytes."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from pages.ui.i18n import filled
from pages.ui.widgets.token_view.lanes import Label, Lane
from pages.ui.widgets.token_view.payload import token_payload
from tests.helpers.drawing import (
    LABELS,
    PIECES_OF_CELLS,
    THAI,
    draw,
    ids_in,
    in_shadow,
    lane_over,
    pretokens_over,
    redraw,
    references_over,
)
from tokenizer_core.analysis.cuts import cuts
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.bpe.segments import TextMap, token_lengths
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Trainer, train
from tokenizer_core.patterns.pretokens import count_pretokens


@pytest.fixture
def phone(page: Page) -> Iterator[Page]:
    """The page in a window as large as a phone, and room to scroll."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("document.body.style.padding = '400px 0 1200px'")
    yield page
    page.evaluate("document.body.style.padding = ''; scrollTo(0, 0)")
    page.set_viewport_size({"width": 1200, "height": 800})


# ---- the inspector


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


def test_the_inspector_begins_with_the_tokens_of_each_lane_and_that_of_the_box_first(page: Page) -> None:
    draw(page, THAI, references_over(THAI), view="staff")
    page.locator(".lane:not(.ruler) >> nth=2").locator(".p").first.click()
    summary = page.locator(".inspector .summary")
    assert summary.inner_text() == "น้ำ: o200k_base 1 token · gpt2 6 tokens · cl100k_base 3 tokens"
    assert summary.locator("b").inner_text() == "o200k_base 1 token ·"
    (first, second) = (page.locator(part).bounding_box() for part in (".inspector .summary", ".why"))
    assert first
    assert second
    assert first["y"] + first["height"] <= second["y"]


def test_what_is_counted_of_a_letter_is_what_the_ladder_shows_beside_it(page: Page) -> None:
    draw(page, "ลูกมี", references_over("ลูกมี"), view="staff")
    page.locator(".lane:not(.ruler) >> nth=0").locator(".p").first.click()
    said = page.locator(".inspector .summary").inner_text()
    assert said == "ลู: gpt2 4 tokens · cl100k_base 2 tokens · o200k_base 1 token"


def test_of_a_piece_the_inspector_says_which_part_of_the_pattern_took_it(page: Page) -> None:
    draw(page, "ที่ 12", [pretokens_over("ที่ 12", "llama3", with_branches=True)], view="staff")
    page.locator(".lane:not(.ruler) .p").first.click()
    assert page.locator(".why").inner_text().startswith("part 2 · ")  # letters, and the mark after them
    assert page.locator(".inspector .pieces .p").all_inner_texts() == ["ท", "◌ี่"]
    assert page.locator(".ladder").count() == 0  # bytes say nothing of a cut


@pytest.mark.parametrize("lane", [0, 2])
@pytest.mark.parametrize("lines", [1, 6])
def test_on_a_phone_the_inspector_stands_below_its_box_and_is_high(phone: Page, lane: int, lines: int) -> None:
    draw(phone, THAI * lines, references_over(THAI * lines), view="staff", width=370)
    box = phone.locator(f".lane:not(.ruler) >> nth={lane}").locator(".p").first
    box.click()
    phone.wait_for_timeout(100)
    opened, inspector = (each.bounding_box() for each in (box, phone.locator(".inspector")))
    assert opened
    assert inspector
    assert opened["y"] >= 64  # below the header of the page
    assert inspector["y"] >= opened["y"] + opened["height"]
    assert inspector["y"] + inspector["height"] <= 844
    assert inspector["height"] >= 0.45 * 844


def test_a_ladder_that_is_cut_on_a_phone_fades_at_its_foot(phone: Page) -> None:
    text = "สวัสดี" * 8
    draw(phone, text, [lane_over(text, train(text * 20, 300), "own")], view="staff", width=370)
    phone.locator(".lane:not(.ruler) .p").first.click()
    faded = "getComputedStyle(window.shadow.querySelector('.inspector .scroll')).maskImage !== 'none'"
    phone.wait_for_function(faded)
    phone.evaluate("window.shadow.querySelector('.inspector .scroll').scrollTop = 9999")
    phone.wait_for_function(f"!({faded})")


def test_enter_pins_and_escape_gives_the_keyboard_back(page: Page) -> None:
    draw(page, "the cat sat", references_over("the cat sat"))
    page.locator(".save > button, .legend button").last.focus()
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
    assert filled(LABELS["seen"], count=last.count) in page.locator(".ladder").inner_text()


def lanes_of_four(text: str) -> list[Lane]:
    own = train("น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ " * 20, 300)
    return [*references_over(text), lane_over(text, own, "ของคุณ น้ำใจ", is_own=True)]


def open_box(page: Page, number: int) -> None:
    """Click on a box of the first lane."""
    page.locator(".lane:not(.ruler) .p").nth(number).click()
    assert page.locator(".inspector").is_visible()


FOCUSED = "root.activeElement?.classList.contains('p') && root.activeElement.textContent"


@pytest.mark.parametrize("place", ["where it was clicked", ".inspector .scroll", ".inspector button", "the page"])
def test_escape_closes_the_inspector_and_goes_back_to_its_box(page: Page, place: str) -> None:
    text = "the cat sat"
    draw(page, text, references_over(text), view="staff")
    open_box(page, 4)
    if place == "the page":
        page.evaluate("document.body.focus(); window.shadow.activeElement?.blur()")
    elif place.startswith("."):
        page.locator(place).focus()
    page.keyboard.press("Escape")
    assert page.locator(".inspector").is_hidden()
    assert in_shadow(page, FOCUSED) == " "
    assert in_shadow(page, "root.activeElement.ariaLabel") == "token 2 of 3, ␣cat, id 3797"


def test_escape_in_a_menu_or_a_field_elsewhere_leaves_the_inspector_open(page: Page) -> None:
    draw(page, THAI, references_over(THAI), view="staff")
    open_box(page, 0)
    page.locator(".save > button").click()
    page.keyboard.press("Escape")
    assert page.locator(".save .choices").is_hidden()
    page.evaluate("document.body.append(document.createElement('textarea'))")
    page.locator("textarea").press("Escape")
    assert page.locator(".inspector").is_visible()
    page.evaluate("document.querySelector('textarea').remove()")


def test_what_is_opened_of_a_short_text_stands_below_its_rows_and_not_over_what_is_above(page: Page) -> None:
    page.evaluate("document.body.style.paddingBlock = '520px 2000px'")
    draw(page, THAI, references_over(THAI), view="staff")
    page.locator(".lane:not(.ruler) .p").first.click()
    pieces = in_shadow(page, "[...root.querySelectorAll('.cell .p')].map((p) => p.getBoundingClientRect().bottom)")
    opened = page.locator(".inspector").bounding_box()
    page.evaluate("document.body.style.padding = ''; scrollTo(0, 0)")
    assert opened
    assert opened["y"] >= max(pieces)


@pytest.mark.parametrize(
    ("number", "above"),
    [(0, 0), (900, 420), *(pytest.param(*each, marks=pytest.mark.long) for each in ((0, 420), (900, 0)))],
)
def test_a_letter_that_is_clicked_stays_where_it_was_and_in_sight(page: Page, above: int, number: int) -> None:
    text = (THAI + " The quick brown fox. ") * 30
    draw(page, text, lanes_of_four(text), view="staff", max_height=640)
    page.evaluate("(height) => (document.body.style.paddingBlock = `${height}px 2000px`)", above)
    box = page.locator(".lane:not(.ruler) .p").nth(number)
    box.evaluate("(node) => { node.scrollIntoView({ block: 'center' }); window.clicked = node }")
    page.wait_for_timeout(100)
    place = "() => { const { top, left } = window.clicked.getClientRects()[0]; return { top, left } }"
    before = page.evaluate(place)
    page.mouse.click(before["left"] + 3, before["top"] + 10)
    page.wait_for_timeout(100)
    assert page.evaluate(place) == before
    inspector = page.locator(".inspector").bounding_box()
    assert inspector
    assert inspector["y"] > before["top"] + 20 or inspector["y"] + inspector["height"] < before["top"]
    assert 0 <= inspector["y"] < 700
    page.get_by_role("button", name="Chips").click()
    page.evaluate("document.body.style.padding = ''; scrollTo(0, 0)")


def test_a_menu_of_files_opens_in_the_window(page: Page) -> None:
    draw(page, THAI, references_over(THAI), view="staff")
    opener = page.locator(".save > button")
    page.evaluate("document.body.style.paddingBlock = '2000px'")
    opener.evaluate("(node) => scrollBy(0, node.getBoundingClientRect().bottom - innerHeight + 4)")
    opener.evaluate("(node) => node.click()")
    menu, height = page.locator(".save .choices").bounding_box(), page.evaluate("innerHeight")
    page.keyboard.press("Escape")
    page.evaluate("document.body.style.padding = ''; scrollTo(0, 0)")
    assert menu
    assert menu["y"] + menu["height"] <= height


def test_over_a_short_text_the_inspector_covers_no_lane(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    text = "ลูกมีไข้สูง"
    draw(page, text, references_over(text), view="staff", ruler=False, large=True)
    page.evaluate("document.body.style.paddingBlock = '330px 600px'; scrollTo(0, 0)")
    open_box(page, 0)
    rows, inspector = (page.locator(part).bounding_box() for part in (".rows", ".inspector"))
    page.evaluate("document.body.style.padding = ''; scrollTo(0, 0)")
    assert rows
    assert inspector
    assert rows["y"] >= 0
    assert rows["y"] + rows["height"] <= inspector["y"]
    assert inspector["y"] + inspector["height"] <= 800


def test_on_a_phone_on_its_side_all_of_the_inspector_but_its_button_scrolls(page: Page) -> None:
    page.set_viewport_size({"width": 844, "height": 390})
    text = "ลูกมีไข้สูง"
    draw(page, text, references_over(text), view="staff", ruler=False)
    open_box(page, 0)
    page.evaluate("window.shadow.querySelector('.inspector').scrollTop = 9999")
    button, ladder = (page.locator(f".inspector {part}").bounding_box() for part in (".title button", ".ladder"))
    page.set_viewport_size({"width": 1200, "height": 800})
    assert button
    assert ladder
    assert 0 <= button["y"] < 390
    assert ladder["y"] + ladder["height"] <= 390


@pytest.mark.parametrize("width", [350, 600, 1000])
def test_the_inspector_has_room_for_every_lane(page: Page, width: int) -> None:
    text = "น้ำใจคนไทย"
    draw(page, text, lanes_of_four(text), view="staff", width=width)
    open_box(page, 0)
    right = in_shadow(page, "root.querySelector('.ladder').getBoundingClientRect().right")
    assert right <= in_shadow(page, "root.querySelector('.inspector').getBoundingClientRect().right")
    assert in_shadow(page, "root.querySelectorAll('.ladder thead th').length") == 6


def hidden_at(page: Page, height: int) -> int:
    """How many pixels of the ladder the inspector hides in a window of this height."""
    page.set_viewport_size({"width": 1200, "height": height})
    text = "น้ำ" + " and more" * 20  # a short text goes up to make room
    draw(page, text, references_over(text), view="staff", ruler=False)
    page.locator(".lane:not(.ruler) .p").first.click()
    hidden = "((each) => each.scrollHeight - each.clientHeight)(root.querySelector('.scroll'))"
    return int(in_shadow(page, hidden))


def test_the_inspector_never_hides_just_the_foot_of_a_row(page: Page) -> None:
    page.evaluate("document.body.style.padding = ''; scrollTo(0, 0)")
    much = hidden_at(page, 500)
    little = hidden_at(page, 500 + much - 6)
    page.set_viewport_size({"width": 1200, "height": 800})
    assert much > 20
    assert little == 0


@pytest.mark.parametrize("lane", [0, 1, 2])
def test_between_rows_that_fill_the_window_the_inspector_shows_the_ladder_of_a_letter_whole(
    page: Page, lane: int
) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    draw(page, "กา My son.", references_over("กา My son."), view="staff", large=True, largest=True, ruler=False)
    page.evaluate("document.body.style.paddingTop = '250px'")
    box = page.locator(f".lane:not(.ruler) >> nth={lane}").locator(".p").first
    box.click()
    opened, ladder, inspector = (
        each.bounding_box() for each in (box, page.locator(".ladder"), page.locator(".inspector"))
    )
    assert opened
    assert ladder
    assert inspector
    assert inspector["y"] <= ladder["y"]
    assert ladder["y"] + ladder["height"] <= inspector["y"] + inspector["height"]
    assert inspector["y"] >= opened["y"] + opened["height"] or inspector["y"] + inspector["height"] <= opened["y"]


def test_a_finger_that_scrolls_opens_no_card_and_a_tap_opens_the_inspector(page: Page) -> None:
    draw(page, THAI, references_over(THAI), view="staff")
    box = page.locator(".lane:not(.ruler) .p").first
    box.dispatch_event("pointerover", {"pointerType": "touch"})
    assert page.locator(".card").is_hidden()
    assert page.locator(".hot").count() == 0
    box.click()
    assert page.locator(".inspector").is_visible()
    assert page.locator(".hot").count() > 0


def test_nothing_opens_where_the_inspector_was_closed(page: Page) -> None:
    draw(page, THAI, references_over(THAI), view="staff")
    page.locator(".lane:not(.ruler) .p").first.click()
    page.locator(".inspector .title button").click()
    assert page.locator(".inspector").is_hidden()
    assert page.locator(".card").is_hidden()


def test_the_card_of_another_letter_leaves_the_inspector_free(page: Page) -> None:
    text = (THAI + " The quick brown fox. ") * 30
    draw(page, text, lanes_of_four(text), view="staff", max_height=640)
    open_box(page, 0)
    boxes = page.locator(".lane:not(.ruler) .p")
    number = in_shadow(
        page,
        "[...root.querySelectorAll('.lane:not(.ruler) .p')].findLastIndex((each) => each.getBoundingClientRect()"
        ".bottom < root.querySelector('.scroller').getBoundingClientRect().bottom)",
    )
    boxes.nth(number).hover()
    card, inspector = (page.locator(part).bounding_box() for part in (".card", ".inspector"))
    assert inspector
    is_over = card and card["y"] + card["height"] <= inspector["y"]
    assert card is None or is_over or inspector["y"] + inspector["height"] <= card["y"]


# ---- heat, chips, bytes


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
    redraw(page, payload)
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
    page.evaluate("window.shadow.querySelector('.scroller').scrollTop = 20000")
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


def test_a_special_token_is_a_badge_that_is_named_in_words(page: Page) -> None:
    text = "end <|endoftext|> น้ำ"
    gpt2 = openai_tokenizer("gpt2")
    acting = Lane("acting", Label("acting"), gpt2, gpt2.encode(text, allowed_special="all"))
    draw(page, text, [acting, lane_over(text, gpt2, "plain")], view="staff")
    badges = page.locator(".lane .p.special")
    assert "".join(badges.all_inner_texts()) == "<|endoftext|>"
    assert {badge.get_attribute("class") for badge in badges.all()} >= {"p s special", "p e special"}
    badges.first.click()
    assert page.locator(".inspector .title .control").inner_text() == LABELS["special"]
    assert page.locator(".ladder .control").first.inner_text() == LABELS["special"]
    page.keyboard.press("Escape")
    draw(page, text, [acting], view="chips")
    assert page.locator(".p.special").count() == 1
