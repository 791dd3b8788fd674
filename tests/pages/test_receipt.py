"""The receipt on the Languages page: whose texts it bills, what it counts, and what a link restores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import with_breaks, without_breaks
from pages.ui.widgets.receipt import MESSAGES, MOST_CHARACTERS, receipt_options
from pages.ui.widgets.token_view.lanes import Label, Lane
from tests.helpers.app import (
    DRAWN_WHEN_OPEN,
    ENGLISH,
    HOSTILE_HTML,
    LANGUAGES,
    SPOKEN,
    deck_on,
    open_link,
    open_page,
    said,
)
from tests.helpers.languages_page import bills, receipt_of, receipt_on, unfolded
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer

THAI, SAME = ENGLISH["examples.sample"].split("\n")


def counted(name: str, *texts: str) -> list[int]:
    return [len(openai_tokenizer(name).encode(text)) for text in texts]


@pytest.mark.parametrize("language", SPOKEN)
def test_the_question_at_the_doctor_is_124_tokens_against_23(language: str) -> None:
    drawn, words = receipt_of(open_page("languages", language)), catalogue(language)
    assert [bill["count"] for bill in drawn["bills"]] == counted("gpt2", THAI, SAME) == [124, 23]
    assert [bill["name"] for bill in drawn["bills"]] == [
        without_breaks(words[f"languages.{spoken}"]) for spoken in ("th", "en")
    ]
    assert drawn["title"] == with_breaks(filled(words["receipt.title"], first=124, second=23))
    assert "โทเค็น" not in drawn["title"]  # a mark keeps it on one line
    assert (drawn["each"], MESSAGES) == ({"en": 0.01, "th": 1.0}[language], 10_000)
    assert drawn["money"] == {"en": "${amount}", "th": "{amount} บาท"}[language]


def test_the_example_price_follows_the_language_and_a_price_of_ones_own_stays() -> None:
    app = open_page("languages")
    app.session_state["language"] = "th"
    assert receipt_of(app.run())["money"] == "{amount} บาท"
    app.text_input(key="languages_price").set_value("$2.00").run()
    app.session_state["language"] = "en"
    assert (receipt_of(app.run())["money"], receipt_of(app)["each"]) == ("${amount}", 0.02)


def test_boxes_that_are_closed_are_not_drawn_and_what_they_hold_counts() -> None:
    app = open_page("languages")
    app.text_area(key="receipt_first").set_value("น้ำ").run()
    app.text_input(key="languages_price").set_value("$2.00").run()
    app.number_input(key="languages_window").set_value(20_000).run()
    app.segmented_control(key="languages_joining").set_value("whole").run()
    opened = receipt_of(unfolded(app, "table")), bills(app), app.caption.values
    for box in DRAWN_WHEN_OPEN["languages"]:
        app.session_state[box] = False
    app.run()
    assert (receipt_of(app), bills(app)) == opened[:2]
    assert app.caption.values == opened[2]
    assert not app.text_area
    assert not app.text_input
    assert not app.number_input
    assert [box.key for box in app.selectbox] == ["receipt_with"]
    app.session_state["languages_terms"] = True
    assert app.run().text_input(key="languages_price").value == "$2.00"


@pytest.mark.parametrize("name", OPENAI_NAMES)
def test_each_tokenizer_prints_its_own_bill_and_is_named(name: str) -> None:
    app = open_page("languages")
    app.selectbox(key="receipt_with").set_value(name).run()
    drawn = receipt_of(app)
    assert [bill["count"] for bill in drawn["bills"]] == counted(name, THAI, SAME)
    assert ENGLISH[f"tokenizers.{name}"] in without_breaks(drawn["says"])
    assert ("has the widest gap" in drawn["says"]) == (name == "gpt2")  # why the page begins with an old one


def test_a_tokenizer_that_is_no_longer_chosen_prints_nothing() -> None:
    app = open_page("languages")
    app.selectbox(key="receipt_with").set_value("cl100k_base").run()
    app.pills(key="languages_names_False").set_value(["o200k_base"]).run()
    assert [bill["count"] for bill in receipt_of(app)["bills"]] == counted("o200k_base", THAI, SAME)
    app.pills(key="languages_names_False").set_value([]).run()
    assert receipt_on(app) is None


def test_a_price_is_written_as_it_is_meant_and_without_one_only_tokens_are_counted() -> None:
    app = open_page("languages")
    app.text_input(key="languages_price").set_value("0.15 €").run()
    drawn = receipt_of(app)
    assert (drawn["each"], drawn["decimals"], drawn["money"]) == (0.0015, 4, "€{amount}")
    app.text_input(key="languages_price").set_value("").run()
    drawn = receipt_of(app)
    counted_by = filled(ENGLISH["receipt.free"], tokenizer="GPT-2")
    assert drawn["each"] is None
    assert without_breaks(drawn["says"]).split(" · ")[0] == counted_by


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_receipt_says_that_the_first_price_is_an_example_and_of_no_other(language: str) -> None:
    app, word = open_page("languages", language), {"en": "example", "th": "สมมติ"}[language]
    assert word in receipt_of(app)["says"]
    app.text_input(key="languages_price").set_value("$2.50").run()
    assert "$2.50" in receipt_of(app)["says"]
    assert word not in receipt_of(app)["says"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_of_ones_own_are_billed_and_nobody_says_that_they_say_the_same(language: str) -> None:
    app = open_page("languages", language)
    app.text_area(key="receipt_first").set_value("น้ำ").run()
    app.text_area(key="receipt_second").set_value(HOSTILE_HTML).run()
    drawn, words = receipt_of(app), catalogue(language)
    assert [bill["text"] for bill in drawn["bills"]] == ["น้ำ", HOSTILE_HTML]
    first, second = counted("gpt2", "น้ำ", HOSTILE_HTML)
    assert drawn["title"] == with_breaks(
        filled(words["receipt.title_own"], tokenizer="GPT-2", first=first, second=second)
    )
    assert [bill["name"] for bill in drawn["bills"]] == [
        without_breaks(words[f"receipt.{name}"]) for name in ("first", "second")
    ]
    app.text_area(key="receipt_first").set_value("").run()
    assert receipt_on(app) is None
    assert words["receipt.empty"] in said(app)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_restores_texts_tokenizer_price_and_language(language: str) -> None:
    app = open_page("languages", language)
    app.selectbox(key="receipt_with").set_value("o200k_base").run()
    app.text_area(key="receipt_first").set_value("a&b=<i>\nส้มตำ").run()
    app.text_input(key="languages_price").set_value("๘๐ บาท").run()
    drawn = receipt_of(app)
    link = {name.replace("with", "with_"): value for name, value in drawn["link"].items()}
    assert receipt_of(open_link("languages", **link)) == drawn


@pytest.mark.parametrize(
    "nonsense", [{"with_": "mine"}, {"with_": "../etc"}, {"third": "x"}, {"price": ""}], ids=str
)
def test_nonsense_in_a_link_is_ignored(nonsense: dict[str, str]) -> None:
    drawn = receipt_of(open_link("languages", **nonsense))
    assert [bill["count"] for bill in drawn["bills"]] == [124, 23]


def test_a_long_text_in_a_link_is_cut() -> None:
    (first, _) = receipt_of(open_link("languages", first="ก" * 5_000))["bills"]
    assert first["text"] == "ก" * MOST_CHARACTERS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_receipt_is_the_second_slide_of_the_page(language: str) -> None:
    app = open_link("languages", present="1", lang=language)
    _, slide, *_ = (deck_on(app) or {})["slides"]
    assert slide["kind"] == "receipt"
    drawn = receipt_of(app)
    del drawn["link"]
    says = slide["receipt"].pop("says")  # nothing can be chosen on a slide
    assert drawn.pop("says").startswith(says)
    assert slide["receipt"] == drawn


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), st.sampled_from(OPENAI_NAMES))
def test_every_token_is_billed_once_and_the_letters_are_those_of_the_text(text: str, name: str) -> None:
    lane = Lane(name, Label(name), openai_tokenizer(name))
    bill = receipt_options(lane, (text, ""), 1.0, "$")["bills"][0]
    tokens = openai_tokenizer(name).encode(text)
    assert (bill["count"], len(bill["ends"]), bill["plain"]) == (len(tokens), len(tokens), [])
    assert [0, *bill["ends"]][-1] == len(text.encode())
    assert bill["clusters"][:1] == [0][: len(text)]


def test_a_box_that_is_full_is_said_beside_it_and_above_the_bill() -> None:
    app = open_page("languages")
    app.text_area(key="receipt_first").set_value("ก" * 600).run()
    full = filled(ENGLISH["receipt.full"], most=600)
    assert [each.value for each in app.warning].count(full) == 2
