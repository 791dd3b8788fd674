"""Links restore a view, and nonsense in one is ignored."""

import pytest

from pages.ui.frame import links
from pages.ui.i18n import catalogue, filled
from pages.ui.inputs import text as text_picker
from tests.helpers.app import (
    ALL,
    ENGLISH,
    MODEL,
    SPOKEN,
    address,
    open_link,
    open_page,
    opener_of,
    said,
    start_training,
    view,
    views,
)
from tests.helpers.paths import REPOSITORY
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, pretokenize

# ---- links


@pytest.mark.parametrize("language", SPOKEN)
def test_a_link_restores_text_tokenizers_view_and_language(language: str) -> None:
    app = open_link(
        with_="o200k_base,nobody,gpt2,gpt2", text="น้ำใจ\nคนไทย", view="chips", colour="bytes", lang=language
    )
    assert app.title[0].value == catalogue(language)["compare.title"]
    shown = view(app)
    assert app.text_area(key="compare_text").value == shown.text == "น้ำใจ\nคนไทย"
    assert shown.names == ["GPT-2", "GPT-4o (o200k)"]
    assert (shown.options["view"], shown.options["colour"], shown.options["white_space"]) == (
        "chips",
        "bytes",
        False,
    )


@pytest.mark.parametrize("colour", ["piece", "bytes", "broken"])
@pytest.mark.parametrize("kind", ["staff", "columns", "chips"])
def test_every_view_and_colour_can_be_linked_to(kind: str, colour: str) -> None:
    options = view(open_link(text="ก", view=kind, colour=colour, white_space="1", looped="1")).options
    assert (options["view"], options["colour"], options["white_space"]) == (kind, colour, True)
    assert options["looped"]


@pytest.mark.parametrize(
    "nonsense",
    [
        {},
        {"with_": ""},
        {"with_": "mine,nobody,,../etc,<script>"},
        {"view": "", "colour": "", "white_space": ""},
        {"view": "reading", "colour": "<script>", "white_space": "yes"},
        {"view": "Chips", "colour": "piece,bytes", "white_space": "0"},
        {"lang": "xx"},
        {"lang": ""},
        {"pattern": "(", "text_source": "upload", "home_text": "x", "key": "value"},
        {"job": "nobody"},
    ],
    ids=[
        "nothing",
        "no tokenizer",
        "unknown tokenizers",
        "empty choices",
        "unknown choices",
        "almost choices",
        "unknown language",
        "no language",
        "unknown names",
        "unknown training",
    ],
)
def test_nonsense_in_a_link_is_ignored(nonsense: dict[str, str]) -> None:
    app = open_link(**{"text": "น้ำ", **nonsense})
    shown, plain = view(app), view(open_link(text="น้ำ"))
    assert not app.error
    assert app.query_params.keys() == {"lang"}
    assert address(app, "lang") == "en"
    assert (shown.text, shown.names, shown.counts) == ("น้ำ", ALL, [6, 3, 1])
    assert shown.options == plain.options


@pytest.mark.parametrize(
    "text",
    [
        "",
        "่",
        "a\0b\x1b",
        "\u202eabc",
        "<script>alert(1)</script>",
        "a&with=gpt2#b+c%20d",
        "👨‍👩‍👧🇹🇭",
        "e\u0301\u200b",
    ],
    ids=["empty", "one mark", "controls", "bidi", "script", "signs of addresses", "emoji", "unseen"],
)
def test_any_text_comes_through_a_link_as_it_is(text: str) -> None:
    assert view(open_link(text=text)).text == text


@pytest.mark.parametrize("page", ["home", "train", "compare"])
def test_the_address_keeps_the_language_only(page: str) -> None:
    app = open_link(page, with_="gpt2", text="น้ำ", view="chips", colour="bytes", lang="th", pattern="a", other="x")
    assert app.query_params.keys() == {"lang"}
    assert address(app, "lang") == "th"


def test_the_address_keeps_the_language_and_the_training() -> None:
    job = address(start_training(), "job")
    app = open_link(job=job, with_="gpt2", text="น้ำ", lang="th")
    assert app.query_params.keys() == {"lang", "job"}
    assert (address(app, "lang"), address(app, "job")) == ("th", job)
    assert view(app).text == "น้ำ"


def test_a_link_that_was_taken_over_is_not_taken_over_again() -> None:
    app = open_link(text="from the link", with_="gpt2", view="chips")
    app.text_area(key="compare_text").set_value("typed").run()
    assert (view(app).text, view(app).options["view"]) == ("typed", "chips")
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    assert (view(app).text, view(app).names) == ("typed", ["GPT-2"])


def test_a_link_to_the_home_page_puts_the_text_on_one_line() -> None:
    app = open_link("home", text="น้ำใจ\nคนไทย")
    assert app.text_input(key="home_text").value == views(app)[0].text == "น้ำใจ คนไทย"


@pytest.mark.parametrize("language", SPOKEN)
def test_a_long_text_is_cut_and_the_page_says_so(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_picker, "MAX_VIEW_CHARACTERS", 100)
    app = open_link(text="น้ำ " * 30, lang=language)
    assert view(app).text == "น้ำ " * 25
    assert filled(catalogue(language)["text.window"], shown="100", characters="120") in said(app)


# ---- links to patterns


@pytest.mark.parametrize("pattern", [*SPLIT_PATTERNS, "[a-z]", "(?i)CAT| ", "\\p{L}+|,", "custom"])
def test_a_link_restores_a_pattern_by_name_or_of_ones_own(pattern: str) -> None:
    app = open_link(with_="pretokens,gpt2", text="the cat, น้ำ custom", pattern=pattern)
    assert app.selectbox(key="compare_pattern_choice").value == (
        pattern if pattern in SPLIT_PATTERNS else "custom"
    )
    assert pattern in SPLIT_PATTERNS or app.text_input(key="compare_pattern_custom").value == pattern
    shown = view(app)
    assert shown.names == ["GPT-2", ENGLISH["tokenizers.pretokens"]]
    assert [token.decode() for token in shown.tokens(shown.names[1])] == pretokenize(shown.text, pattern)


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize(
    ("pattern", "code"),
    [("(", "syntax"), ("x" * 2001, "long"), ("(" * 1000, "complex")],
    ids=["broken", "long", "nested"],
)
def test_a_pattern_of_a_link_that_cannot_be_used_is_said(pattern: str, code: str, language: str) -> None:
    app = open_link(with_="pretokens,gpt2", text="the cat", pattern=pattern, lang=language)
    assert catalogue(language)[f"errors.pattern_{code}"].split("{")[0] in said(app)
    assert view(app).names == ["GPT-2"]


def test_a_pattern_without_its_lane_is_ignored() -> None:
    app = open_link(with_="gpt2", text="the cat", pattern="[a-z]")
    assert view(app).names == ["GPT-2"]
    assert "compare_pattern_custom" not in app.session_state


def test_the_link_of_the_pattern_lab_restores_text_patterns_and_view() -> None:
    app = open_link("patterns")
    app.text_area(key="lab_text").set_value("the cat, น้ำ").run()
    app.selectbox(key="lab_first_choice").set_value("gpt2").run()
    app.selectbox(key="lab_second_choice").set_value("custom").run()
    app.text_area(key="lab_second_custom").set_value("[a-z]+").run()
    (shown,) = views(app)
    again = open_link(
        "patterns", text=shown.text, colour="piece", view="chips", **shown.options["link"]["parameters"]
    )
    (restored,) = views(again)
    assert (restored.text, restored.names) == (shown.text, shown.names)
    assert [restored.ids(name) for name in restored.names] == [shown.ids(name) for name in shown.names]
    assert (restored.options["view"], restored.options["colour"]) == ("chips", "piece")
    assert again.text_area(key="lab_second_custom").value == "[a-z]+"


def test_a_pattern_too_long_for_a_link_has_none() -> None:
    app = open_link("patterns", first="a" * links.MAX_PATTERN, second="llama3")
    assert views(app)[0].options["link"]
    app.text_area(key="lab_first_custom").set_value("a" * (links.MAX_PATTERN + 1)).run()
    assert views(app)[0].options["link"] is None


# ---- links to stories


@pytest.mark.parametrize("language", SPOKEN)
def test_the_link_of_a_story_tells_it_again(language: str) -> None:
    app = open_link("stories", story="water", lang=language)
    assert views(app) == []  # it starts with its question
    assert catalogue(language)["stories.water_question"].split("{")[0] in app.header[0].value
    app.button(key="story_show").click().run()
    (shown,) = views(app)
    assert shown.text == "น้ำ"
    assert shown.options["link"]["parameters"] == {"lang": language, "story": "water"}
    app.selectbox(key="story").set_value("digits").run()
    app.button(key="story_show").click().run()
    assert {each.options["link"]["parameters"]["story"] for each in views(app)} == {"digits"}


def test_a_story_that_there_is_not_is_another_one() -> None:
    app = open_link("stories", story="../etc")
    assert not app.error
    assert app.selectbox(key="story").value == "doctor"


def test_the_link_of_a_story_asks_it_again_and_keeps_other_guesses() -> None:
    app = open_link("stories", story="water")
    app.button(key="story_choice_0").click().run()
    app.button(key="story_next").click().run()
    app.button(key="story_choice_0").click().run()
    app.query_params["story"] = "water"
    app.run()
    assert app.selectbox(key="story").value == "water"
    assert views(app) == []
    app.button(key="story_next").click().run()
    assert views(app) != []


@pytest.mark.parametrize("language", SPOKEN)
def test_an_old_link_to_a_story_leads_to_its_new_page(language: str) -> None:
    app = open_link("languages", story="digits", lang=language)
    assert app.title[0].value == catalogue(language)["stories.title"]
    assert app.selectbox(key="story").value == "digits"
    assert app.query_params.keys() == {"lang"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"with_": "gpt2"},
        {"with_": "cl100k_base,o200k_base", "lang": "th"},
        {"with_": "gpt2,pretokens", "pattern": "llama3"},
        {"with_": "pretokens", "pattern": "[a-z]+|\\s"},
    ],
    ids=["one", "two in Thai", "named pattern", "own pattern"],
)
def test_the_link_of_a_page_opens_the_same_page(parameters: dict[str, str]) -> None:
    first = view(open_link(text="the cat", **parameters))
    linked = {name.replace("with", "with_"): value for name, value in first.options["link"]["parameters"].items()}
    again = view(open_link(text="the cat", **linked))
    assert (again.options, again.block) == (first.options, first.block)


def test_the_link_leaves_out_what_is_the_visitors_alone() -> None:
    app = open_page("compare")
    assert view(app).options["link"]["leaves_out_mine"] is False
    opener_of(app).upload("a.model", MODEL).run()
    app.run()
    link = view(app).options["link"]
    assert (link["leaves_out_mine"], link["has_text"]) == (True, True)
    assert link["parameters"] == {"lang": "en", "with": "gpt2,cl100k_base,o200k_base"}
