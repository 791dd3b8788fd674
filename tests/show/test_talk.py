"""Presenter mode: what fills the screen, the talks of five and ten minutes, and the visitor's own."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
import streamlit
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.structs import asdict
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled, translations
from pages.ui.i18n.breaks import JOINER, without_breaks
from pages.ui.stories.all_stories import ENGLISH_PER_THAI, STORIES
from pages.ui.stories.talk import TALK
from pages.ui.widgets import slides
from pages.ui.widgets.formatting import ratio
from pages.ui.widgets.slides import Cut, View, squares_of
from pages.ui.widgets.slides.contest import FEWEST_ROUNDS
from pages.ui.widgets.slides.talk import (
    MOST_ENTRIES,
    MOST_MERGES,
    Billed,
    Entry,
    Known,
    Learned,
    Lesson,
    Unfair,
    unfair_slides,
)
from pages.ui.widgets.slides.talk_file import MOST_BYTES, fitted, read, written
from pages.ui.widgets.slides.votes import polls
from pages.ui.widgets.token_view.lanes import Label, Lane
from tests.helpers.app import ENGLISH, deck_on, job_of, open_link, open_page, said, start_training
from tests.helpers.app import wait_until as wait_for_page
from tests.helpers.browser import PATIENCE
from tests.helpers.paths import REPOSITORY
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.patterns.split_patterns import pretokenize

NAMES = list(STORIES)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=600)


def presented(page: str, **query: str) -> AppTest:
    app = AppTest.from_file(str(REPOSITORY / "pages" / "ui" / "frame" / "main.py"), default_timeout=PATIENCE)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    if page != "home":
        app.switch_page(str(REPOSITORY / "pages" / f"{page}.py")).run()
    assert not app.exception
    return app


# ------------------------------------------------------------------------------------------------ what is shown


@pytest.mark.parametrize("language", ["en", "th"])
def test_the_talk_has_words_notes_and_true_counts_in_both_languages(language: str) -> None:
    deck = deck_on(presented("stories", lang=language, present="1"))
    assert deck is not None
    kinds = [slide["kind"] for slide in deck["slides"]]
    assert (kinds.count("stage"), kinds.count("vote"), kinds.count("ask")) == (1, 1, 6)
    for slide in deck["slides"]:
        assert set(slide["notes"]) == {"en", "th"}
        assert all(slide["notes"].values())
        for view in slide["views"]:
            for lane in view["lanes"]:
                assert lane["count"] == len(lane["ends"])
                assert lane["ends"][-1] == len(view["text"].encode())
    stage = next(slide["stage"] for slide in deck["slides"] if slide["kind"] == "stage")
    assert stage["feed"] == ""
    assert stage["steer"] is None
    assert len(stage["saved"]["answer"]["merges"]) == 3 * stage["saved"]["answer"]["learned"] > 0


@pytest.mark.parametrize(
    ("language", "hint"), [("en", "In English: 23 tokens in GPT-2"), ("th", "ภาษาอังกฤษ: GPT-2 ใช้ 23 โทเค็น")]
)
def test_a_question_repeats_the_count_that_its_story_tells_first(language: str, hint: str) -> None:
    deck = deck_on(presented("stories", lang=language, present="1")) or {}
    (asked,) = (
        slide for slide in deck["slides"] if slide["title"].get("en") == ENGLISH["stories.doctor_question"]
    )
    assert asked["kind"] == "ask"
    thai = without_breaks(catalogue(language)["stories.part_thai"])
    assert [view["label"] for view in asked["views"]] == [thai, hint]


def test_settings_stand_above_questions_and_numbers_above_the_tokens_so_that_no_slide_repeats_another() -> None:
    deck = deck_on(presented("stories", lang="en", present="1")) or {}
    asked = [slide["over"]["en"] for slide in deck["slides"] if slide["kind"] == "ask"]
    settings = [ENGLISH[f"talk.{name}_setting"].partition("{")[0] for name in TALK]
    assert [said[: len(setting)] for said, setting in zip(asked, settings, strict=True)] == settings
    titles = [slide["title"]["en"] for slide in deck["slides"] if slide["title"] and slide["kind"] != "stage"]
    assert len(set(titles)) == len(titles)
    (numbers,) = (
        slide for slide in deck["slides"] if slide["title"].get("en", "").startswith("Readable entries with Thai")
    )
    assert numbers["kind"] == "tokens"
    doctor = [
        slide["kind"] for slide in deck["slides"] if slide["over"].get("en") == ENGLISH["stories.doctor_name"]
    ]
    assert doctor == ["tokens", "tokens"]
    (fair,) = (slide for slide in deck["slides"] if slide["kind"] == "bars")
    assert "English = 1" in fair["html"]
    assert [slide.get("showsCode", False) for slide in deck["slides"]] == [False] * 28 + [True]
    (taught,) = (slide for slide in deck["slides"] if "1 Thai" in slide["title"].get("en", ""))
    assert taught["title"]["en"].startswith(f"{ENGLISH_PER_THAI} English sentences")
    torn = {spoken: catalogue(spoken)["talk.notes_torn"] for spoken in ("en", "th")}
    told = [all(torn[spoken] in slide["notes"][spoken] for spoken in torn) for slide in deck["slides"]]
    texts = [[view["text"].isascii() for view in slide["views"]] for slide in deck["slides"]]
    assert not any(is_told for is_told, views in zip(told, texts, strict=True) if all(views))
    assert sum(told) == 6  # น้ำ, six consonants, a mother's Thai, thanks, studying at school, and the tap
    assert fair["html"].count('class="premium ') == 2


def test_no_line_ends_inside_a_word_of_a_text_that_is_read() -> None:
    deck = deck_on(presented("stories", lang="th", present="1")) or {}
    read = [view["text"] for slide in deck["slides"] if slide["kind"] == "ask" for view in slide["views"]]
    assert any(f"โรง{JOINER}พยาบาล" in text for text in read)
    cut = [view["text"] for slide in deck["slides"] if slide["kind"] == "tokens" for view in slide["views"]]
    assert not any(JOINER in text for text in cut)


@pytest.mark.parametrize("language", ["en", "th"])
def test_how_phones_are_let_in_is_told_to_presenters_and_not_to_the_room(language: str) -> None:
    words = catalogue(language)
    assert not [key for key, said in words.items() if key.startswith("deck.") and "--server" in said]
    for told in (words["manual.stories"], (REPOSITORY / "README.md").read_text("utf-8")):
        assert "`--server.address=0.0.0.0`" in told
    assert words["manual.label"].split(",")[0].split(" และ")[0] in without_breaks(words["deck.only_here"])


def test_the_talk_of_five_minutes_has_about_twelve_screens_and_a_reload_presents_it_again() -> None:
    app = open_page("stories")
    app.button(key="present_short").click().run()
    deck = deck_on(app)
    assert deck is not None
    kinds = [slide["kind"] for slide in deck["slides"]]
    word, shown, turned = ["ask", "tokens", "words"], ["words", "stage"], ["ask", "tokens", "tokens", "words"]
    assert kinds == ["words", "tokens", *word, *shown, *turned, "vote", "words"]
    thai, english = deck["slides"][8:10]
    counts = [[lane["count"] for lane in slide["views"][0]["lanes"]] for slide in (thai, english)]
    assert [lane["before"] for lane in english["views"][0]["lanes"]] == counts[0] != counts[1]
    poll = polls().steered(deck["slides"][-2]["vote"]["key"])
    assert poll is not None
    assert poll.rounds == FEWEST_ROUNDS
    reloaded = deck_on(presented("stories", lang="en", present=deck["what"]))
    assert reloaded is not None
    assert reloaded["talk"] == deck["talk"]
    whole = deck_on(presented("stories", lang="en", present="1"))
    assert whole is not None
    assert 25 < len(whole["slides"]) <= 30, "ten minutes, twenty seconds each"


def test_home_presents_its_sentence_and_escape_leaves() -> None:
    app = presented("home", lang="en", present="1")
    deck = deck_on(app)
    assert deck is not None
    (view,) = deck["slides"][0]["views"]
    assert view["text"] == catalogue("en")["examples.thai"]
    assert [lane["count"] for lane in view["lanes"]] == [
        len(openai_tokenizer(name).encode(view["text"])) for name in OPENAI_NAMES
    ]
    assert deck["slides"][0]["title"] == translations("home.stripe")
    assert not deck["showsNotes"]


def test_compare_presents_its_verdict_above_the_rows() -> None:
    (slide,) = (deck_on(presented("compare", lang="en", present="1")) or {})["slides"]
    lanes = slide["views"][0]["lanes"]
    worst, *_, best = sorted(lanes, key=lambda lane: -int(lane["count"]))
    times, others = ratio(int(worst["count"]) / int(best["count"])), worst["name"]
    expected = translations("deck.fewest", names=best["name"], count=best["count"], others=others, times=times)
    assert slide["title"] == expected
    assert len(slide["title"]["en"].split()) <= 15


def test_a_verdict_names_all_that_need_the_fewest_and_says_where_there_is_no_difference() -> None:
    gpt2, gpt4, gpt4o = (Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES)
    thai, word = catalogue("en")["examples.thai"], "the"
    assert slides.verdict(View(word, [gpt2, gpt4])) == translations("deck.even", count=1)
    again = replace(gpt4o, label=Label("o200k: again"))
    named = f"{gpt4o.label.name}, o200k"
    few, many = (len(lane.tokenizer.encode(thai)) for lane in (gpt4o, gpt2))
    others, times = gpt2.label.name, ratio(many / few)
    expected = translations("deck.fewest", names=named, count=few, others=others, times=times)
    assert slides.verdict(View(thai, [gpt2, gpt4o, again])) == expected
    for alone in (View(thai, [gpt2]), View("", [gpt2, gpt4])):
        assert slides.verdict(alone) == translations("home.stripe")


def test_the_button_fills_the_screen_and_leaves_the_address_to_the_deck() -> None:
    """An address of the app would be a step of its own in the browser's history."""
    app = open_page("stories")
    assert deck_on(app) is None
    app.button(key="present").click().run()
    what = (deck_on(app) or {})["what"]
    assert "present" not in app.query_params
    app.query_params["present"] = what  # as the deck does
    app.run()
    assert app.query_params["present"] in (what, [what])


def test_the_button_presents_the_story_that_is_looked_at_and_others_a_whole_talk() -> None:
    for name in ("never", "zero_width"):  # one of the talk, and one that is no part of it
        app = open_page("stories")
        app.selectbox(key="story").set_value(name).run()
        app.button(key="present").click().run()
        deck = deck_on(app) or {}
        assert deck_on(presented("stories", lang="en", present=deck["what"])) == deck, "a reload shows it again"
        slides = deck["slides"]
        called = {spoken: catalogue(spoken)[f"stories.{name}_name"] for spoken in ("en", "th")}
        assert called in (slides[0]["title"], slides[0]["over"])
        assert 3 < len(slides) < 8
    for button in ("present_talk", "present_short"):
        app = open_page("stories")
        app.selectbox(key="story").set_value("never").run()
        app.button(key=button).click().run()
        assert len((deck_on(app) or {})["slides"]) > 8


def test_a_story_from_a_link_is_presented_again_by_a_reload() -> None:
    app = open_link("stories", story="never", lang="en")
    app.button(key="present").click().run()
    deck = deck_on(app) or {}
    assert deck_on(presented("stories", lang="en", present=deck["what"])) == deck


def test_an_address_of_no_story_presents_the_talk() -> None:
    deck = deck_on(presented("stories", lang="en", present="story-<script>"))
    assert len((deck or {})["slides"]) > 8


def test_notes_are_a_window_of_their_own() -> None:
    deck = deck_on(presented("stories", lang="en", present="1", notes="1"))
    assert deck is not None
    assert deck["showsNotes"]


def test_without_a_training_the_train_page_says_so_and_with_one_it_presents_it() -> None:
    (slide,) = (deck_on(presented("train", lang="en", present="1")) or {})["slides"]
    assert slide["title"]["th"] == catalogue("th")["train.present_nothing"]

    app = start_training(corpus="aa ab ba bb " * 50, size=262)
    wait_for_page(app, lambda: job_of(app).ended)
    app.run()
    app.button(key="again").click().run()
    assert app.button(key="start")  # the settings of the next training
    app.button(key="present").click().run()
    slide, outcome = (deck_on(app) or {})["slides"]
    assert slide["stage"]["feed"].split("/")[3] == job_of(app).id
    (view,) = outcome["views"]
    assert outcome["isOutcome"]
    assert [lane["name"] for lane in view["lanes"]][:2] == [ENGLISH["tokenizers.mine"], "GPT-2"]
    assert view["text"] == slide["stage"]["text"]
    assert outcome["title"]["en"].startswith(ENGLISH["deck.fewest"].partition("{")[0])


def test_patterns_present_what_both_make_of_the_text() -> None:
    deck = deck_on(presented("patterns", lang="en", present="1"))
    assert deck is not None
    (view,) = deck["slides"][0]["views"]
    assert [lane["count"] for lane in view["lanes"]] == [
        len(pretokenize(view["text"], pattern)) for pattern in ("llama3", "mark_aware")
    ]
    assert without_breaks(deck["slides"][0]["title"]["en"]) == (
        "Thai letters cut from their marks: **4** by GPT-4 (cl100k), **0** by Thai-aware"
    )
    (whole,) = (deck_on(open_link("patterns", lang="en", present="1", tab="whole")) or {})["slides"]
    assert whole["says"]["en"].startswith("9,218 are 24.8% of all Thai letters and digits · ")
    (cost,) = (deck_on(open_link("patterns", lang="en", present="1", tab="cost")) or {})["slides"]
    assert (cost["kind"], cost["html"].count('class="premium ')) == ("bars", 2)
    assert 'class="even before"' in cost["html"]  # its words are not cut off at the right


def test_languages_present_the_premium_and_the_most_unfair_pair() -> None:
    deck = deck_on(presented("languages", lang="en", present="1"))
    assert deck is not None
    premium, receipt, *pair = deck["slides"]  # from the mean of all, by an example, to the extreme
    assert (premium["kind"], "6.01" in premium["title"]["en"]) == ("bars", True)
    assert premium["over"] == {"en": "648 built-in sentence pairs"}
    assert re.findall("<b>([0-9.]+) ×</b>", premium["html"]) == ["6.01", "2.93", "1.39"]
    thai, english = (view for slide in pair for view in slide["views"])
    assert "line" not in pair[0]["title"]["en"]  # a room does not know the file
    assert len(pair) == 2  # so that each fills the screen
    assert [thai["label"], english["label"]] == ["Thai", "Thai : English"]
    counts = [[lane["count"] for lane in view["lanes"]] for view in (thai, english)]
    assert counts[0][0] == len(openai_tokenizer("gpt2").encode(thai["text"]))
    assert counts[0][0] / counts[1][0] > 6.01
    assert f"**{counts[0][0]}** tokens in Thai, **{counts[1][0]}** in English (GPT-2)" in pair[0]["title"]["en"]
    assert [lane["before"] for lane in english["lanes"]] == counts[0]
    assert [bill["count"] for bill in receipt["receipt"]["bills"]] == [124, 23]


def test_two_short_texts_of_an_unfair_pair_stand_side_by_side() -> None:
    pair = Unfair("gpt2", ("thai", "english"), 6.0, 1, 6.0, ("น้ำใจ", "kindness"))
    said, shown = unfair_slides(pair, [Lane("gpt2", Label("GPT-2"), openai_tokenizer("gpt2"))])
    assert [view.text for view in shown.views] == list(pair.texts)
    assert said.kind == "words"  # one tokenizer alone needs no bar
    assert not said.over  # the talk was saved before it kept how many were counted
    (counted,) = unfair_slides(structs.replace(pair, pairs=1), [])
    assert counted.over == {"en": "1 pair of lines"}


def test_ones_own_bar_has_a_caution_and_long_texts_have_three_rows() -> None:
    premiums = (("gpt2", 6.0), ("o200k_base", 1.4), ("mine", 0.95))
    pair = Unfair("gpt2", ("th", "en"), 6.0, 1, 6.0, ("น้ำใจคนไทย" * 9, "kindness"), premiums)
    lanes = [Lane(name, Label(name), openai_tokenizer(name)) for name in OPENAI_NAMES]
    lanes = [Lane("mine", Label("mine"), openai_tokenizer("gpt2")), *lanes]
    said, *shown = unfair_slides(pair, lanes)
    assert (said.kind, *said.says.values()) == ("bars", ENGLISH["languages.own_note"])
    assert [[lane.name for lane in slide.views[0].lanes] for slide in shown] == [
        ["mine", "gpt2", "o200k_base"]
    ] * len(shown)
    others, *_ = unfair_slides(structs.replace(pair, premiums=premiums[:2]), lanes)
    assert (others.kind, others.says) == ("bars", {})


@pytest.mark.parametrize(
    ("listens_at", "host", "opened", "reached"),
    [
        ("127.0.0.1", "192.168.1.5", "http://localhost:8501/stories", ""),
        ("0.0.0.0", "192.168.1.5", "http://localhost:8501/stories", "http://192.168.1.5:8501/stories"),
        (None, "192.168.1.5", "http://127.0.0.1/", "http://192.168.1.5/"),
        ("0.0.0.0", "", "http://127.0.0.1:8501/", ""),
        ("127.0.0.1", "", "https://example.org/stories?lang=th", "https://example.org/stories?lang=th"),
        ("0.0.0.0", "192.168.1.5", "", ""),
    ],
)
def test_phones_get_an_address_at_which_they_reach_the_app_or_none(
    listens_at: str | None, host: str, opened: str, reached: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slides, "_host_in_network", lambda: host)
    monkeypatch.setattr(streamlit, "get_option", lambda name: {"server.address": listens_at}[name])
    assert slides.reachable(opened) == reached


def test_a_code_is_drawn_of_an_address() -> None:
    assert squares_of("") is None
    squares = squares_of("https://example.org/stories?present=1&lang=th")
    assert squares is not None
    assert {len(row) for row in squares} == {len(squares)}


# ------------------------------------------------------------------------------------------------ one's own talk


def test_views_are_added_moved_taken_out_saved_and_opened() -> None:
    app = open_page("home")
    app.button(key="home_add").click().run()
    assert [each.value for each in app.toast] == [filled(ENGLISH["talk.in_it"], count=1)]
    app.switch_page(str(REPOSITORY / "pages" / "stories.py")).run()
    app.button(key="add_story").click().run()
    app.button(key="my_talk_up_1").click().run()
    app.button(key="present_mine").click().run()
    deck = deck_on(app)
    assert deck is not None
    assert [slide["kind"] for slide in deck["slides"]] == [
        *("words", "ask", "tokens", "tokens", "words", "words", "tokens")
    ]

    app = open_page("stories")
    talk = written([Entry(story="water"), Entry(text="<b>ก</b>", lanes=("gpt2",))])
    app.file_uploader(key="talk_file").upload("talk.json", talk.encode()).run()
    assert not app.exception
    app.button(key="my_talk_drop_0").click().run()
    app.button(key="present_mine").click().run()
    deck = deck_on(app)
    assert deck is not None
    assert [view["text"] for view in deck["slides"][0]["views"]] == ["<b>ก</b>"]


def test_markup_in_the_names_and_texts_of_a_talk_file_stays_text() -> None:
    hostile = '<img src=x onerror="alert(1)">'
    unfair = Unfair(hostile, (hostile, hostile), 6.0, 1, 6.0, (hostile, hostile), ((hostile, 6.0), ("gpt2", 2.0)))
    entries = [
        Entry(text=hostile, lanes=("gpt2",)),
        Entry(text="aa", learned=Learned(hostile, "none", ((97, 97, 2),))),
        Entry(lanes=("gpt2",), unfair=unfair),
        Entry(known=Known(hostile, 9, 3)),
        Entry(lanes=("gpt2",), billed=Billed((hostile, hostile), 2.0, "<b>", (hostile, hostile))),
    ]
    app = open_page("stories")
    app.file_uploader(key="talk_file").upload("talk.json", written(entries).encode()).run()
    assert not any(each.allow_html and "<img" in each.value for each in app.markdown)
    app.button(key="present_mine").click().run()
    deck = deck_on(app)
    assert deck is not None
    assert {slide["kind"] for slide in deck["slides"]} >= {"tokens", "stage", "bars", "receipt"}
    drawn = [slide.get("html", "") for slide in deck["slides"]]
    assert any("&lt;img" in each for each in drawn)
    assert not any("<img" in each for each in drawn)


def test_a_training_is_put_into_the_talk_saved_and_played_again() -> None:
    app = start_training(corpus="aa ab ba bb " * 50, size=262)
    wait_for_page(app, lambda: job_of(app).ended)
    app.run()
    merges = [tuple(merge)[:2] for merge in job_of(app).merges]
    app.button(key="add_stage").click().run()
    (entry,) = app.session_state["my_talk"]
    assert read(written([entry]), NAMES) == [entry]
    app.switch_page(str(REPOSITORY / "pages" / "stories.py")).run()
    app.button(key="present_mine").click().run()
    deck = deck_on(app)
    assert deck is not None
    (slide,) = deck["slides"]
    played = slide["stage"]["saved"]["answer"]["merges"]
    assert list(zip(played[::3], played[1::3], strict=True)) == merges


def test_two_buttons_of_one_page_say_what_each_adds() -> None:
    app = open_page("languages")
    assert len({app.button(key=key).label for key in ("receipt_add", "languages_add")}) == 2


@pytest.mark.parametrize(
    ("page", "key"),
    [
        ("patterns", "lab_add"),
        ("languages", "languages_add"),
        ("languages", "receipt_add"),
        ("vocabulary", "vocabulary_add"),
        ("pieces", "pieces_add"),
    ],
)
def test_a_view_of_a_page_is_put_into_the_talk_saved_and_shown_as_the_page_presents_it(
    page: str, key: str
) -> None:
    app = presented(page, lang="en", present="1")
    wait_for_page(app, lambda: deck_on(app) is not None)
    presents = (deck_on(app) or {})["slides"]
    app = open_page(page)
    wait_for_page(app, lambda: any(button.key == key for button in app.button))
    app.button(key=key).click().run()
    (entry,) = app.session_state["my_talk"]
    app = open_page("stories")
    app.file_uploader(key="talk_file").upload("talk.json", written([entry]).encode()).run()
    assert app.session_state["my_talk"] == [entry]
    app.button(key="present_mine").click().run()
    shown = (deck_on(app) or {})["slides"]
    billed = [slide for slide in presents if slide["kind"] == "receipt"]
    others = [slide for slide in presents if slide["kind"] != "receipt"]
    assert shown in (presents[: len(shown)], billed, others)  # Languages presents both of its parts


def test_a_comparison_in_the_talk_follows_the_language_of_the_page() -> None:
    app = open_page("languages")
    app.button(key="languages_add").click().run()
    app.switch_page(str(REPOSITORY / "pages" / "stories.py")).run()
    assert name_of_first(app).startswith("1. For the same message, GPT-2 uses 6.01")
    app.segmented_control(key="lang").set_value("th").run()
    assert "ภาษาไทย" in name_of_first(app)


def test_a_vocabulary_and_a_lesson_in_the_talk_follow_the_language_of_the_page() -> None:
    cuts = (Cut("pieces.ours", 5, (1, 2, 1, 2)), Cut("own", 1, (6,), (0,)))
    app = with_talk(
        [
            Entry(text=" hospital", known=Known("mine", 300, 7), lanes=("gpt2",)),
            Entry(known=Known("**b** <i>", 300, 7)),
            Entry(text="ก Ω", lesson=Lesson("ids", cuts)),
        ]
    )
    app.button(key="my_talk_up_2").click().run()
    assert names_in_talk(app) == [
        "1. Vocabulary of Yours: the token ` ␣hospital `",
        "2. SentencePiece, “Byte ids”: ` ก Ω `",
        "3. Vocabulary of ` **b** <i> `",
    ]
    app.segmented_control(key="lang").set_value("th").run()
    assert names_in_talk(app) == [
        "1. คลังโทเค็นของตัวแบ่งของคุณ: โทเค็น ` ␣hospital `",
        "2. SentencePiece หัวข้อ “รหัสไบต์”: ` ก Ω `",
        "3. คลังโทเค็นของ ` **b** <i> `",
    ]
    app.button(key="present_mine").click().run()
    words, token, lesson, _ = (deck_on(app) or {})["slides"]
    assert words["title"]["en"] == "Yours knows 300 tokens, 7 of them Thai."
    assert without_breaks(words["title"]["th"]).startswith("ตัวแบ่งของคุณรู้จัก 300 โทเค็น")
    (lane,) = token["views"][0]["lanes"]
    assert (lane["name"], lane["count"]) == ("GPT-2", len(openai_tokenizer("gpt2").encode(" hospital")))
    ours, own = lesson["views"][0]["lanes"]
    drawn = {"kind": "tokens", "special": []}
    assert ours == {**drawn, "name": "BPE ของแอปนี้", "count": 5, "ends": [1, 3, 4, 6], "plain": []}
    assert own == {**drawn, "name": "own", "count": 1, "ends": [6], "plain": [0]}


def with_talk(entries: list[Entry]) -> AppTest:
    """The Stories page after a talk was opened."""
    app = open_page("stories")
    app.file_uploader(key="talk_file").upload("talk.json", written(entries).encode()).run()
    assert app.session_state["my_talk"] == entries
    return app


def names_in_talk(app: AppTest) -> list[str]:
    """What the list of the talk calls its parts."""
    return [without_breaks(each.value) for each in app.markdown if each.value[:3] in ("1. ", "2. ", "3. ")]


def name_of_first(app: AppTest) -> str:
    """What the list of the talk calls its first part."""
    return without_breaks(next(each.value for each in app.markdown if each.value.startswith("1. ")))


def test_a_text_that_only_an_own_tokenizer_cuts_is_not_offered_for_the_talk() -> None:
    app = open_page("compare")
    app.pills(key="compare_names_False").set_value(["pretokens"]).run()
    assert app.button(key="compare_add").disabled
    assert app.button(key="compare_add").help == catalogue("en")["talk.needs_reference"]
    assert "GPT" not in catalogue("en")["talk.needs_reference"]  # a talk keeps runs and opened files, too


@pytest.mark.parametrize(
    "entry",
    [
        {"text": "ab", "patterns": []},
        {"text": "ab", "patterns": ["("]},
        {"comparison": {**asdict(Unfair("gpt2", ("th", "en"), 6.0)), "premium": float("inf")}},
        {"comparison": asdict(Unfair("gpt2", ("th", "\ud800"), 6.0))},
        {"comparison": {**asdict(Unfair("gpt2", ("th", "en"), 6.0)), "texts": ["a"]}},
        {"text": "ab", "with": ["file:\ud800"]},
        {"receipt": {**asdict(Billed(("a", "b"))), "texts": ["a", ""]}},
        {"receipt": {**asdict(Billed(("a", "b"))), "price": -1}},
        {"receipt": {**asdict(Billed(("a", "b"))), "currency": "$" * 99}},
        {"receipt": asdict(Billed(("a", "b"))), "vocabulary": asdict(Known("gpt2", 300, 7))},
        {"text": "", "vocabulary": asdict(Known("", 300, 7))},
        {"text": "", "vocabulary": asdict(Known("gpt2", 7, 300))},
        {"text": "ab", "lesson": {"name": "none", "cuts": [asdict(Cut("a", 1, (2,)))]}},
        {"text": "ab", "lesson": {"name": "small", "cuts": []}},
        {"text": "ab", "lesson": {"name": "small", "cuts": [asdict(Cut("a", 1, (2,)))] * 9}},
        *(
            {"text": "ab", "lesson": {"name": "small", "cuts": [asdict(cut)]}}
            for cut in (
                Cut("", 1, (2,)),
                Cut("a", 1, (1,)),
                Cut("a", 1, (3,)),
                Cut("a", 2, (2, 0)),
                Cut("a", 1, (1, 1)),
                Cut("a", 2, (3, -1)),
                Cut("a", 10**10, (2,)),
                Cut("a", 2, (1, 1), (2,)),
                Cut("a", 2, (1, 1), (1, 0)),
                Cut("a", 2, (1, 1), special=(2,)),
                Cut("a", 2, (1, 1), (0, 0)),
            )
        ),
    ],
)
def test_a_view_that_cannot_be_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not a talk"):
        read(json.dumps({"tokenizer_explorer_talk": 1, "entries": [entry]}), NAMES)


@pytest.mark.parametrize(
    "training",
    [
        {"corpus": "a", "pattern": "gpt2", "merges": []},
        {"corpus": "a", "pattern": "(", "merges": [[97, 98, 1]]},
        {"corpus": "a", "pattern": "gpt2", "merges": [[97, 300, 1]]},
        {"corpus": "a", "pattern": "gpt2", "merges": [[97, 98, "1"]]},
        {"corpus": "a", "pattern": "gpt2", "merges": [[97, 98, 1]] * 5_000},
    ],
)
def test_a_training_that_cannot_be_is_refused(training: dict[str, Any]) -> None:
    talk = {"tokenizer_explorer_talk": 1, "entries": [{"text": "x" * 40, "training": training}]}
    with pytest.raises(ValueError, match="not a talk"):
        read(json.dumps(talk), NAMES)


@pytest.mark.parametrize("content", [b"", b"\xff", b"[" * 100_000, b'{"entries": []}', b"x" * (MOST_BYTES + 9)])
def test_a_file_without_a_talk_is_refused_and_the_talk_stays(content: bytes) -> None:
    app = open_page("stories")
    app.button(key="add_story").click().run()
    app.file_uploader(key="talk_file").upload("talk.json", content or b" ").run()
    assert not app.exception
    assert catalogue("en")["talk.bad_file"] in said(app)
    assert app.button(key="my_talk_drop_0")


@given(st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda each: st.lists(each, max_size=3)))
def test_no_file_raises_anything_but_a_refusal(rows: Any) -> None:
    for value in (rows, {"tokenizer_explorer_talk": 1, "entries": rows}, {"entries": [rows]}):
        try:
            entries = read(json.dumps(value), NAMES)
        except ValueError:
            continue
        assert entries == []


def whole(text: str) -> Cut:
    """A text that belongs to no token."""
    return Cut(text[:200], 0, (len(text.encode()),), (0,))


@given(
    st.lists(
        st.sampled_from(NAMES).map(lambda name: Entry(story=name))
        | TEXTS.map(lambda text: Entry(text=text, lanes=OPENAI_NAMES))
        | TEXTS.map(lambda text: Entry(text=text, patterns=("gpt2", r"\w+")))
        | TEXTS.map(
            lambda text: Entry(unfair=Unfair("a", ("th", text[:9]), 6.2, 3, 7.5, (text, ""), ((text[:9], 6.2),)))
        )
        | TEXTS.map(lambda text: Entry(text=text, known=Known(text[:200], 300, 7), lanes=("gpt2", "file:0")))
        | TEXTS.map(lambda text: Entry(text=text, lesson=Lesson("own", (whole(text),))))
        | TEXTS.map(lambda text: Entry(billed=Billed((text, "a"), 2.5, "บาท"), lanes=("gpt2",))),
        max_size=MOST_ENTRIES,
    )
)
def test_a_saved_talk_opens_as_it_was(entries: list[Entry]) -> None:
    assert read(written(entries), NAMES) == entries


def long_training(merges: int) -> Entry:
    """A training of merges that each join the token before with a byte."""
    joined = ((255 + made if made else 97, 97, 1_000_000) for made in range(merges))
    return Entry(text="ก", learned=Learned("ข", "none", tuple(joined)))


def test_a_talk_of_many_long_trainings_is_saved_so_that_it_opens() -> None:
    entries = [long_training(MOST_MERGES)] * 16 + [long_training(9), Entry(story="water")]
    assert fitted(entries[-2:]) == (entries[-2:], MOST_MERGES)
    saved, most = fitted(entries)
    assert 3_000 < most < MOST_MERGES
    assert 0.99 * MOST_BYTES < len(written(saved).encode()) <= MOST_BYTES
    assert read(written(saved), NAMES) == [long_training(most)] * 16 + entries[-2:]
    with pytest.raises(ValueError, match="too large"):
        fitted([Entry(text="ก", patterns=("ก" * MOST_BYTES,))])


def test_what_a_file_cannot_hold_is_said() -> None:
    app = open_page("stories")
    app.session_state["my_talk"] = entries = [long_training(MOST_MERGES)] * 16
    app.run()
    kept = f"{fitted(entries)[1]:,}"
    assert filled(ENGLISH["talk.shortened"], merges=kept) in [each.value for each in app.caption]
    app.session_state["my_talk"] = [Entry(text="ก", patterns=("ก" * MOST_BYTES,))]
    app.run()
    assert ENGLISH["talk.too_large"] in [each.value for each in app.caption]
    assert not app.exception
