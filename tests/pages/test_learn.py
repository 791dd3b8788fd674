"""The page Learn: which lessons it gives to the browser, in which words, and where they lead."""

import base64
import html
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import LANGUAGE, catalogue, section
from pages.ui.i18n.breaks import without_breaks
from pages.ui.learn.for_a_class import MINUTES, ROUNDS, STRIPS, plan, rounds_of
from pages.ui.learn.lessons import LESSONS, OFFLINE, offline_page, packed, routes
from pages.ui.stories.all_stories import STORIES
from tests.helpers.app import LANGUAGES, open_link, open_page
from tests.helpers.paths import REPOSITORY
from tests.helpers.routes import Answer
from tokenizer_core.sources.chats import gpt_tokenizer

MOST_WORDS = 60
MOST_THAI_LETTERS = 300
"""About 60 words of four to five letters and marks."""


def given(app: AppTest) -> dict[str, Any]:
    """What the lessons on the page got."""
    (found,) = (each for each in app.get("bidi_component") if each.proto.component_name.endswith("learn"))
    options: dict[str, Any] = json.loads(bytes(found.proto.bytes))
    return options


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Outside a page, the language that the visitor has chosen."""
    LANGUAGE.put(language)
    yield
    LANGUAGE.forget()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_lesson_has_its_story_a_page_that_goes_further_and_few_words(language: str) -> None:
    options = given(open_page("learn", language))
    assert list(options["lessons"]) == list(LESSONS)
    for name, lesson in options["lessons"].items():
        story, further = lesson["further"]
        assert story["query"]["story"] in STORIES
        assert (REPOSITORY / "pages" / f"{further['page']}.py").is_file()
        screens = [words for key, words in options["labels"].items() if re.fullmatch(rf"{name}_\d_says", key)]
        assert 2 <= len(screens) <= 5
        for words in screens:
            assert len(words.split()) <= MOST_WORDS if language == "en" else len(words) <= MOST_THAI_LETTERS


def test_every_lesson_has_screens_in_the_browser_and_no_other_has() -> None:
    code = (REPOSITORY / "pages" / "ui" / "learn" / "browser" / "learn.js").read_text("utf-8")
    (screens,) = re.findall(r"SCREENS = \{ (.*) \};", code)
    assert [each.partition(":")[0] for each in screens.split(", ")] == list(LESSONS)


def test_a_link_opens_a_lesson_which_stays_open() -> None:
    app = open_link("learn", lesson="hand", lang="th")
    assert given(app)["open"] == "hand"
    app.run()
    assert given(app)["open"] == "hand"
    assert given(open_page("learn"))["open"] == ""


def test_a_lesson_leads_to_its_story_and_nowhere_else() -> None:
    app = open_page("learn")
    app.session_state["learn"] = {"go": {"page": "../../etc", "query": {}}}
    app.run()
    assert not app.exception
    assert given(app)
    app.session_state["learn"] = {"go": {"page": "stories", "query": {"lang": "en", "story": "classic"}}}
    app.run()
    assert not app.exception
    assert app.selectbox(key="story").value == "classic"


def test_stories_are_the_other_half_of_the_page() -> None:
    for page in ("learn", "stories"):
        links = [link.proto.page for link in open_page(page).get("page_link")]
        assert {"learn", "stories"} <= {link.rpartition("/")[2].removesuffix(".py") for link in links}


def test_tokens_are_fetched_once_and_kept() -> None:
    for name, path in given(open_page("learn"))["tokens"].items():
        answer = Answer(routes(), path)
        assert (answer.status, answer.body) == (200, packed(name))
        assert "max-age" in answer.headers["cache-control"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_envelope_of_a_chat_is_what_openai_has_published(language: str) -> None:
    envelope = given(open_page("learn", language))["envelope"]
    instruction = without_breaks(catalogue(language)["envelope.example_system"])
    before, after = (gpt_tokenizer("cl100k_base").decode(envelope[side]) for side in ("before", "after"))
    assert before == f"<|im_start|>system<|im_sep|>{instruction}<|im_end|><|im_start|>user<|im_sep|>"
    assert after == "<|im_end|><|im_start|>assistant<|im_sep|>"
    assert {"<|im_start|>", "<|im_sep|>", "<|im_end|>", "<|endoftext|>"} <= set(envelope["markers"].values())


def test_presenting_fills_the_screen_with_the_lesson() -> None:
    assert given(open_link("learn", present="1"))["presents"] is True
    assert given(open_page("learn"))["presents"] is False


def test_words_of_screens_stand_in_the_catalogue_for_both_languages() -> None:
    keys = {spoken: set(section("lesson", spoken=spoken)) for spoken in LANGUAGES}
    for name in LESSONS:
        assert {f"{name}_name", f"{name}_can", f"{name}_keep", f"{name}_1_title"} <= keys["en"] & keys["th"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_plan_has_every_sheet_and_its_answers_are_those_of_the_definition(language: str) -> None:
    with speaking(language):
        page = plan(language).decode()
    words = {key: without_breaks(said) for key, said in catalogue(language).items()}
    for sheet in ("title", "key", "strips", "worksheet", "ticket"):
        assert html.escape(words[f"plan.{sheet}"]) in page
    assert sum(MINUTES.values()) == 50
    rounds = rounds_of(STRIPS)
    assert [(*each.pair, each.found) for each in rounds] == [("ก", "า", 3), ("ต", "า", 2), ("ตา", "กา", 2)]
    assert all("".join(each.tokens) == STRIPS and " | ".join(each.tokens) in page for each in rounds)
    assert len(rounds) < ROUNDS  # the key says why lines of the worksheet stay empty
    for answer in ("key_rounds", "key_stop", "key_back"):
        assert html.escape(words[f"plan.{answer}"].format(rounds=len(rounds))) in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_file_of_lessons_is_small_and_needs_nothing_else(language: str) -> None:
    with speaking(language):
        page = offline_page(language)
    assert len(page) < 3_000_000
    (options,) = re.findall(rb'<script type="application/json" id="options">(.*?)</script>', page)
    given_alone = json.loads(options)
    assert list(given_alone["lessons"]) == list(OFFLINE)
    assert [each["number"] for each in given_alone["lessons"].values()] == [1, 2, 4, 5]  # as on the page
    assert {name: base64.b64decode(each) for name, each in given_alone["tokens"].items()} == {
        "gpt2": packed("gpt2")
    }
    assert not re.search(rb"%(BODY|MORE|CSS|CODE|OPTIONS|TITLE|LANGUAGE)%", page)
