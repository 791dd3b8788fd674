"""The talks by keyboard alone, in few words that are read from the last row; and phones that vote."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.ui.i18n import LANGUAGES, catalogue
from pages.ui.i18n.breaks import without_breaks
from pages.ui.widgets.slides.contest import FEWER_ROUNDS, FEWEST_ROUNDS, SENTENCE
from tests.helpers.browser import OpenTab

MOST_WORDS = 15
THAI_KEY = """(letter) => document.dispatchEvent(
  new KeyboardEvent("keydown", { key: { h: "็", q: "ๆ" }[letter], code: `Key${letter.toUpperCase()}` }))"""
"""A letter pressed in a Thai layout."""
SMALLEST = """() => {
  const deck = [...document.querySelectorAll(".st-key-deck *")].find((each) => each.shadowRoot).shadowRoot;
  const slide = deck.querySelector(".deck-slide");
  const sizes = [];
  const labels = new Set();
  const walk = document.createTreeWalker(deck.querySelector(".deck"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { parentElement, data } = walk.currentNode;
    const isSeen = parentElement.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!data.trim() || parentElement.closest("[hidden], option") || !isSeen) continue;
    sizes.push([parseFloat(getComputedStyle(parentElement).fontSize), data.slice(0, 40)]);
    // Texts that are shown, the letters of choices, and what the speaker is to press are no words about them.
    const isText = parentElement.closest(".plain, .line, .stage, .choices-row, .vote-card, .chip, .vote-hands");
    if (parentElement.closest(".is-vote .title")) continue; // a question
    if (isText || !slide.contains(parentElement)) continue;
    const label = parentElement.closest("p, h2")?.textContent ?? data;
    labels.add(label.replace(/[\\u200b\\u2060]/g, ""));
  }
  const thai = new Intl.Segmenter("th", { granularity: "word" });
  const words = [...labels].flatMap((label) => label.split(/\\s+/)).flatMap((part) => {
    if (!/[ก-๛]/.test(part)) return /\\p{L}/u.test(part) ? [part] : [];
    return [...thai.segment(part)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  });
  const isWhole = slide.scrollHeight <= slide.clientHeight + 1 && slide.scrollWidth <= slide.clientWidth + 1;
  const sentences = [...slide.querySelectorAll(".views .line:not(.probe)")];
  const lines = sentences.map((line) => parseFloat(getComputedStyle(line).fontSize));
  return { lines, words, smallest: sizes.sort((one, other) => one[0] - other[0])[0], isWhole };
}"""


def deck_of(tab: Page) -> Locator:
    deck = tab.locator(".st-key-deck .deck")
    expect(deck).to_be_visible()
    return deck


def assert_is_read_from_afar(tab: Page, kind: str, width: int) -> None:
    """Fifteen words at most, but for questions; no label below 40 pixels of 1,920, no sentence below 54."""
    found = tab.evaluate(SMALLEST)
    least, words = found["smallest"]
    assert least >= 40 * width / 1920 - 0.1, words
    assert found["isWhole"] or kind == "stage"
    assert kind == "ask" or len(found["words"]) <= MOST_WORDS, " ".join(found["words"])
    assert all(size >= 54 * width / 1920 for size in found["lines"]), found["lines"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_premium_is_read_from_the_last_row_with_what_was_counted(
    tab: Page, address: str, language: str
) -> None:
    tab.set_viewport_size({"width": 1920, "height": 1080})
    tab.goto(f"{address}/languages?lang={language}&present=1")
    expect(deck_of(tab).locator(".over")).to_contain_text("648")
    assert_is_read_from_afar(tab, "bars", 1920)


PALE = """() => [...document.querySelectorAll("[data-stale]:has(.st-key-deck), .st-key-deck")].map((each) => {
  each.dataset.stale = "true";
  each.style.opacity = .3;
  return getComputedStyle(each).opacity;
})"""
"""As Streamlit does while the page is drawn anew."""


def test_what_fills_the_screen_is_not_seen_through_while_the_page_is_drawn_anew(tab: Page, address: str) -> None:
    tab.goto(f"{address}/languages?lang=en&present=1")
    deck_of(tab)
    opacities = tab.evaluate(PALE)
    assert opacities
    assert set(opacities) == {"1"}


def begin_the_vote(deck: Locator) -> None:
    """Another talk may have left a vote a moment ago."""
    again = deck.locator(".vote-again")
    expect(deck.locator(".vote-card").or_(again).first).to_be_visible()
    if again.count():
        again.click()
    expect(deck.locator(".vote-card")).to_have_count(4)


def play_the_vote(tab: Page, deck: Locator, width: int, rounds: int) -> None:
    """A round without votes, the end, and a round after that."""
    begin_the_vote(deck)
    assert_is_read_from_afar(tab, "vote", width)
    cards, figures = (deck.locator(name).bounding_box() for name in (".vote-cards", ".vote-figures"))
    assert cards
    assert figures
    assert cards["width"] > 0.85 * width  # without a code, they have the whole slide
    assert figures["y"] >= cards["y"] + cards["height"]
    numbers = deck.locator(".vote-lines text").all_text_contents()
    assert numbers[-rounds:] == [str(number + 1) for number in range(rounds)]
    before = deck.locator(".vote-round").inner_text()
    assert before.endswith(f" {rounds}")
    tab.keyboard.press("Space")
    expect(deck.locator(".vote-round")).not_to_have_text(before)
    expect(deck.locator(".vote-hands")).to_be_visible()
    assert_is_read_from_afar(tab, "vote", width)
    tab.keyboard.press("e")
    expect(deck.locator(".vote-result")).to_be_visible()
    assert_is_read_from_afar(tab, "vote", width)  # nobody has voted
    tab.keyboard.press("Backspace")  # the round is open again, so the same key joins a pair again
    before = deck.locator(".vote-round").inner_text()
    tab.keyboard.press("ArrowRight")
    expect(deck.locator(".vote-round")).not_to_have_text(before)
    tab.keyboard.press("e")
    expect(deck.locator(".vote-result")).to_be_visible()


@pytest.mark.parametrize(
    ("talk", "language", "width", "height"),
    [
        ("short", "th", 1280, 720),
        pytest.param("short", "en", 1920, 1080, marks=pytest.mark.long),
        pytest.param("1", "th", 1280, 720, marks=pytest.mark.long),
        pytest.param("1", "en", 1920, 1080, marks=pytest.mark.long),
    ],
)
def test_a_talk_is_walked_by_keyboard_and_read_from_the_last_row(
    tab: Page, address: str, talk: str, language: str, width: int, height: int
) -> None:
    tab.set_viewport_size({"width": width, "height": height})
    tab.goto(f"{address}/stories?lang={language}&present={talk}")
    deck = deck_of(tab)
    slides = int(deck.locator(".deck-where").inner_text().split("/")[1])
    assert slides == 29 if talk == "1" else 11 < slides < 14
    for place in range(slides):
        expect(deck).to_have_attribute("data-at", str(place))
        kind = deck.get_attribute("data-kind") or ""
        if kind == "vote":
            play_the_vote(tab, deck, width, FEWEST_ROUNDS if talk == "short" else FEWER_ROUNDS)
        assert_is_read_from_afar(tab, kind, width)
        places = [box.bounding_box() for box in deck.locator(".choice").all()]
        tab.keyboard.press("ArrowRight")
        if kind == "stage":  # merge 0 stands still until somebody starts the show
            expect(deck.locator(".stage")).to_have_attribute("data-position", re.compile("[1-9]"))
            expect(deck).to_have_attribute("data-at", str(place))
            tab.keyboard.press("ArrowRight")
            expect(deck.locator(".stage")).to_have_attribute("data-position", "744")
            tab.keyboard.press("ArrowRight")
        if kind == "ask":
            expect(deck.locator(".choice.right")).to_have_count(1)
            assert [box.bounding_box() for box in deck.locator(".choice").all()] == places
            tab.keyboard.press("PageDown")
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    tab.reload()
    deck = deck_of(tab)
    expect(deck).to_have_attribute("data-at", "1")  # a reload keeps the place
    for key in ("h", "q"):  # Escape closes what lies over a slide, and only then leaves
        tab.evaluate(THAI_KEY, key)
        expect(deck.locator(".deck-keys, .deck-code").locator("visible=true")).to_have_count(1)
        tab.keyboard.press("Escape")
        expect(deck.locator(".deck-keys, .deck-code").locator("visible=true")).to_have_count(0)
    expect(deck).to_be_visible()
    if language == "th":  # a phone, and a board that is touched, have no keys
        for what, at in (("back", 0), ("next", 1)):
            deck.get_by_role("button", name=catalogue("th")[f"deck.{what}"], exact=True).click()
            expect(deck).to_have_attribute("data-at", str(at))
        deck.get_by_role("button", name=catalogue("th")["deck.leave"]).click()
    else:
        tab.keyboard.press("Escape")
    expect(deck).to_have_count(0)
    assert "present" not in tab.url


def test_a_film_goes_on_when_its_training_ends_and_leads_to_what_became_of_the_sentence(
    tab: Page, address: str
) -> None:
    words = catalogue("en")
    tab.goto(f"{address}/train?lang=en")
    tab.get_by_role("button", name=words["train.start"], exact=True).click()
    expect(tab.locator(".stage .total")).to_be_visible()
    tab.locator(".st-key-present").get_by_role("button").first.click()
    deck = deck_of(tab)
    tab.keyboard.press(" ")
    place = deck.locator(".stage input[type=range]")
    expect(place).not_to_have_value("0")
    tab.keyboard.press("End")  # the training ends, and the deck has one more slide
    expect(deck.locator(".deck-where")).to_have_text("1 / 2")
    expect(place).to_have_value("744")
    end = deck.locator(".stage .says")
    expect(end).to_contain_text("From 74 to 16 tokens")
    tab.keyboard.press("ArrowRight")
    expect(deck.locator(".lane-head b")).to_have_text(["16", "50", "26", "13"])
    tab.keyboard.press("ArrowLeft")
    expect(end).to_contain_text("From 74 to 16 tokens")
    assert deck.locator(".stage .banner.on").count() == 0  # the room was told of its milestones


def test_a_film_that_is_presented_before_any_training_starts_one_and_begins(tab: Page, address: str) -> None:
    tab.goto(f"{address}/train?lang=en&present=1")
    deck = deck_of(tab)
    expect(deck).to_contain_text(catalogue("en")["train.present_nothing"])
    tab.keyboard.press("ArrowRight")
    expect(deck.locator(".stage .starter")).to_be_hidden()
    expect(deck.locator(".stage")).to_have_attribute("data-position", re.compile("[1-9]"))


def test_the_way_back_leads_to_the_page_before_and_not_into_what_was_presented(tab: Page, address: str) -> None:
    tab.goto(f"{address}/?lang=en")
    tab.locator(".st-key-navigation").get_by_role("link", name=catalogue("en")["nav.compare"]).click()
    expect(tab).to_have_url(re.compile("/compare"))
    expect(tab.locator(".st-key-compare_view .lane").first).to_be_visible()  # the button is drawn anew before that
    tab.locator(".st-key-present").get_by_role("button").first.click()
    deck = deck_of(tab)
    expect(tab).to_have_url(re.compile("present=1"))
    tab.keyboard.press("Escape")
    expect(deck).to_have_count(0)
    assert "present" not in tab.url
    tab.go_back()
    expect(tab).to_have_url(re.compile(r"/\?lang=en$"))
    expect(deck).to_have_count(0)


def test_a_talk_leads_back_to_the_page_on_which_it_was_opened(tab: Page, address: str) -> None:
    words = catalogue("en")
    tab.goto(f"{address}/?lang=en")
    tab.locator(".st-key-present").get_by_role("button").first.click()
    tab.get_by_role("menuitem", name=words["talk.short"]).click()
    deck = deck_of(tab)
    tab.keyboard.press("Escape")
    expect(tab.locator(".st-key-home_text")).to_be_visible()
    expect(deck).to_have_count(0)
    assert "present" not in tab.url
    for name in ("learn.title", "stories.title"):  # another visit of Stories has nowhere to go back to
        link = "nav.learn" if name == "learn.title" else "learn.stories"
        tab.get_by_role("link", name=words[link], exact=True).first.click()
        expect(tab.get_by_role("heading", name=words[name])).to_be_visible()
    tab.locator(".st-key-present").get_by_role("button").first.click()
    deck_of(tab)
    tab.keyboard.press("Escape")
    expect(deck).to_have_count(0)
    expect(tab).to_have_url(re.compile("/stories"))


def test_a_phone_votes_round_after_round_until_the_slide_is_left(open_tab: OpenTab, address: str) -> None:
    words = {key: without_breaks(said) for key, said in catalogue("en").items()}
    tab, phone = open_tab(), open_tab()
    tab.goto(f"{address}/stories?lang=en&present=vote")
    deck = deck_of(tab)
    expect(deck.locator(".vote-card")).to_have_count(4)
    for place, number in enumerate("1234"):  # as the keys are
        expect(deck.locator(".vote-card").nth(place).get_by_text(number, exact=True)).to_be_visible()
    hands = deck.get_by_text(catalogue("en")["deck.vote_hands"], exact=True)
    expect(hands).to_be_visible()
    phone.set_viewport_size({"width": 390, "height": 844})
    phone.goto(address + str(deck.locator(".vote").get_attribute("data-page")))
    phone.bring_to_front()
    question = deck.locator(".title").inner_text()
    expect(phone.get_by_role("heading")).to_have_text(question)
    expect(phone.get_by_text(SENTENCE)).to_be_visible()
    expect(phone.get_by_text("Round 1 of 8")).to_be_visible()
    pair = phone.get_by_role("button").nth(1)
    said = re.sub(r"\W", "", str(pair.text_content()))
    drawn = deck.locator(".vote-card").nth(1)
    assert said.startswith("2" + re.sub(r"\W", "", drawn.locator(".vote-pair").inner_text()))
    phone.get_by_role("button").first.click()
    expect(phone.get_by_role("button").first).to_have_attribute("aria-pressed", "true")
    pair.click()  # the first was a slip of the thumb
    expect(pair).to_have_attribute("aria-pressed", "true")
    expect(phone.get_by_role("button", pressed=True)).to_have_count(1)
    expect(phone.get_by_role("status")).to_have_text(words["vote.thanks"])
    tab.bring_to_front()
    expect(drawn.locator(".votes")).to_have_text("1")
    expect(hands).to_be_hidden()
    before = deck.locator(".vote-round").inner_text()
    tab.keyboard.press("ArrowRight")
    expect(deck.locator(".vote-round")).not_to_have_text(before)
    phone.bring_to_front()
    expect(phone.get_by_role("button", pressed=False)).to_have_count(4)
    expect(phone.get_by_role("button").first).to_be_enabled()
    tab.bring_to_front()
    shown = deck.locator(".vote-card").nth(1).locator(".vote-pair").inner_text()
    tab.keyboard.press("2")  # the pair for which most hands were raised
    expect(deck.locator(".vote-said .chip").first).to_have_text(re.sub(r"[\n+]", "", shown))
    tab.keyboard.press("Escape")
    expect(deck).to_have_count(0)
    phone.bring_to_front()
    expect(phone.get_by_role("heading")).to_have_text(words["vote.closed"])  # in place of the question
    expect(phone.get_by_text(SENTENCE)).to_be_hidden()
    expect(phone.get_by_role("button").first).to_be_disabled()


def test_what_a_vote_says_of_each_round_is_in_the_lists_at_its_end(tab: Page, address: str) -> None:
    tab.goto(f"{address}/stories?lang=th&present=vote")
    deck = deck_of(tab)
    begin_the_vote(deck)
    tab.keyboard.press("e")
    expect(deck.locator(".vote-result")).to_be_visible()
    begin_the_vote(deck)
    said = deck.locator(".vote-said .chip")
    moves = []
    for place, choice in enumerate("1333"):
        tab.keyboard.press(choice)
        expect(deck.locator(".vote-round")).to_contain_text(f"{place + 2} ")
        moves.append(said.all_inner_texts())
    assert any(room != bpe for room, bpe in moves)
    tab.keyboard.press("e")
    for runner in (0, 1):
        expect(deck.locator(".vote-chosen").nth(runner).locator(".chip")).to_have_text(
            [move[runner] for move in moves]
        )


def test_the_way_back_takes_the_last_round_back_and_only_then_leaves_the_vote(tab: Page, address: str) -> None:
    tab.goto(f"{address}/stories?lang=en&present=short")
    deck = deck_of(tab)
    tab.keyboard.press("End")
    tab.keyboard.press("ArrowLeft")
    begin_the_vote(deck)
    at = str(deck.get_attribute("data-at"))
    place = deck.locator(".vote-round")
    while deck.locator(".vote-said .chip").count():  # another talk may have played some
        before = place.inner_text()
        tab.keyboard.press("ArrowLeft")
        expect(place).not_to_have_text(before)
    first = place.inner_text()
    with tab.expect_response(lambda answer: answer.url.endswith("/back")):
        tab.keyboard.press("3")
        tab.keyboard.press("ArrowLeft")  # a slip, noticed at once
    expect(deck.locator(".vote-said .chip")).to_have_count(0)
    expect(place).to_have_text(first)
    tab.keyboard.press("3")
    expect(place).not_to_have_text(first)
    tab.keyboard.press("h")
    expect(deck.locator(".deck-keys")).to_contain_text(catalogue("en")["deck.key_undo_back"])
    tab.keyboard.press("ArrowLeft")  # closes the list, and takes nothing back
    expect(deck.locator(".deck-keys")).to_be_hidden()
    expect(place).not_to_have_text(first)
    tab.keyboard.press("ArrowLeft")
    expect(place).to_have_text(first)
    expect(deck).to_have_attribute("data-at", at)
    tab.keyboard.press("ArrowLeft")
    expect(deck).to_have_attribute("data-at", str(int(at) - 1))


def test_a_receipt_on_a_slide_begins_with_a_whole_row(tab: Page, address: str) -> None:
    tab.set_viewport_size({"width": 1920, "height": 1080})
    tab.goto(f"{address}/languages?lang=en&present=1")
    deck = deck_of(tab)
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")  # to the end of the printing
    expect(deck.locator(".receipt")).to_have_attribute("data-printed", "all")
    for roll in deck.locator(".roll").all():
        head, rows, is_scrolled = roll.evaluate("""(roll) => {
          const rows = [...roll.querySelectorAll("tbody tr")].map((row) => row.getBoundingClientRect().top);
          return [roll.querySelector("th").getBoundingClientRect().bottom, rows, roll.scrollTop > 0];
        }""")
        assert is_scrolled
        assert min(abs(row - head) for row in rows) < 3


def test_counts_under_letters_on_a_slide_are_large_or_not_there(tab: Page, address: str) -> None:
    tab.set_viewport_size({"width": 1920, "height": 1080})
    for times, are_there in ((1, True), (3, True), (9, False)):
        tab.goto(f"{address}/compare?lang=en&present=1&text={'น้ำใจคนไทย ดื่มน้ำเยอะๆ ' * times}")
        expect(deck_of(tab).locator(".letters[data-n]").first).to_be_attached()
        sizes = deck_of(tab).evaluate("""(deck) => [...deck.querySelectorAll(".letters[data-n]")]
          .map((each) => getComputedStyle(each, "::after"))
          .filter(({ content }) => content !== "none")
          .map(({ fontSize }) => parseFloat(fontSize))""")
        assert bool(sizes) == are_there
        assert min(sizes, default=40) >= 39.5
