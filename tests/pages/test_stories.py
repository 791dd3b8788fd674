"""Stories: one click away, with numbers that are counted when they are told."""

import re

import pytest

from pages.ui.stories.stories import STORIES
from tests.helpers.app import (
    ENGLISH,
    LANGUAGES,
    counts,
    drawn,
    open_page,
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", STORIES)
def test_a_story_is_one_click_away(name: str, language: str) -> None:
    app = open_page("stories", language)
    app.pills(key="story").set_value(name).run()
    assert not app.exception
    assert not app.error
    told = app.markdown[0].value
    assert not re.search(r"[{}]", told)
    assert re.search(r"\*\*[\d,]+\*\*", told)
    assert drawn(app)


def story(name: str) -> dict[str, int]:
    """The figures of a story."""
    return dict(STORIES[name]().figures)


def test_stories_hold_what_their_names_promise() -> None:
    assert len(STORIES) >= 8
    home = story("home_made")
    assert home["own"] < home["other"]
    turned = story("tables_turned")
    assert turned["english"] > 2 * turned["thai"]
    assert story("no_letter")["gpt2_entries"] == 0
    assert story("never")["gpt2"] > story("never")["llama3"] > story("never")["mark_aware"]
    twins = story("twins")
    assert twins["o200k_base_right"] < twins["o200k_base_twin"]
    chat = story("chat")
    assert chat["o200k_base_sir"] <= chat["o200k_base_sir_typed"]
    assert chat["o200k_base_much"] < chat["o200k_base_much_drawn"]
    loanword = story("loanword")
    assert loanword["gpt2_english"] < loanword["o200k_base_thai"] < loanword["gpt2_thai"]
    signs = story("two_signs")
    assert signs["o200k_base_one"] < signs["o200k_base_two"]
    indented = story("indented")
    price = {name: indented[f"{name}_line"] - indented[f"{name}_bare"] for name in ("gpt2", "cl100k_base")}
    assert price["gpt2"] > price["cl100k_base"]
    doctor = story("doctor")
    assert (doctor["gpt2_thai"], doctor["cl100k_base_thai"], doctor["o200k_base_thai"]) == (124, 63, 29)


def test_the_numbers_of_a_story_are_counted_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [text for key, text in ENGLISH.items() if key.startswith("stories.") and key.endswith("_says")]
    plain = re.compile(r"(?<!GPT-)(?<![\w.-])[0-9]+(?![\w-])")
    told = [re.sub(r"\{\w+\}|Llama 3|2567|555", "", text) for text in words]
    assert [found for text in told for found in plain.findall(text)] == []


def test_the_drawing_of_a_story_has_the_counts_of_its_sentence() -> None:
    app = open_page("stories")
    app.pills(key="story").set_value("never").run()
    assert list(counts(app).values()) == list(story("never").values())
