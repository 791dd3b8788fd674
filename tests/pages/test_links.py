"""The compare page by its inputs: links that restore a view, pasted token ids, and the hint at look-alikes."""

import json
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.ui.choices import keys as choice_keys
from pages.ui.choices import text as text_picker
from pages.ui.choices.text import parse_ids
from pages.ui.compare import hints
from pages.ui.shell import links
from pages.ui.token_view.payload import Block
from pages.ui.token_view.serve import offers
from pages.ui.words import as_plain_markdown, catalogue
from tests.helpers.app import address, open_page, said, start_training
from tests.helpers.browser import PATIENCE
from tests.helpers.paths import REPOSITORY
from tokenizer_core.errors import TokenIdError
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.patterns import SPLIT_PATTERNS, pretokenize

ENGLISH = catalogue("en")
LANGUAGES = ("en", "th")
ALL = ["GPT-2", "GPT-4 (cl100k)", "GPT-4o (o200k)"]
MODEL = b"minbpe v1\n\n0\n97 97\n256 97\n"


class View(NamedTuple):
    """A token view on the page: how it is to be drawn, and what."""

    options: dict[str, Any]
    block: Block

    @property
    def text(self) -> str:
        return str(self.block.header["text"])

    @property
    def names(self) -> list[str]:
        return [lane["name"] for lane in self.block.header["columns"]]

    @property
    def counts(self) -> list[int]:
        return [lane["count"] for lane in self.block.header["columns"]]

    def ids(self, name: str) -> list[int]:
        """The ids that the lane of this name shows."""
        lane = self.block.header["columns"][self.names.index(name)]
        return [lane["ids"][place] for place in self.block.array(lane["tokens"])]

    def tokens(self, name: str) -> list[bytes]:
        """The tokens that the lane of this name shows."""
        lane = self.block.header["columns"][self.names.index(name)]
        data, at, table = bytes(self.block.array(lane["bytes"]).tolist()), 0, []
        for size in self.block.array(lane["sizes"]).tolist():
            table.append(data[at : at + size])
            at += size
        return [table[place] for place in self.block.array(lane["tokens"])]


def views(app: AppTest) -> list[View]:
    """The token views on the page, long texts whole."""
    found = []
    for element in app.get("bidi_component"):
        if "token_view" in element.proto.component_name:
            data = bytes(element.proto.bytes)
            size = int.from_bytes(data[:4], "little")
            options = json.loads(data[4 : 4 + size])
            offer = offers().find(options["whole"].rpartition("/")[2]) if options["whole"] else None
            found.append(View(options, Block.open(offer.make() if offer else data[4 + size :])))
    return found


def view(app: AppTest) -> View:
    """The one view of the compare page."""
    (only,) = [each for each in views(app) if each.options["key"] == "compare_view"]
    return only


def open_link(page: str = "compare", **parameters: str) -> AppTest:
    """The page as it opens from an address with these parameters; `with_` stands for `with`."""
    app = AppTest.from_file(str(REPOSITORY / "pages" / "ui" / "main.py"), default_timeout=PATIENCE)
    for name, value in parameters.items():
        app.query_params[name.rstrip("_")] = value
    app.switch_page(str(REPOSITORY / "pages" / f"{page}.py")).run()
    assert not app.exception
    return app


# ------------------------------------------------------------------------------------------------------ links


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_restores_text_tokenizers_view_and_language(language: str) -> None:
    app = open_link(with_="gpt2,o200k_base", text="น้ำใจ\nคนไทย", view="chips", colour="bytes", lang=language)
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
    options = view(open_link(text="a", view=kind, colour=colour, white_space="1")).options
    assert (options["view"], options["colour"], options["white_space"]) == (kind, colour, True)


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


def test_of_several_tokenizers_the_known_ones_are_taken_in_their_own_order() -> None:
    assert view(open_link(text="a", with_="o200k_base,nobody,gpt2,gpt2")).names == ["GPT-2", "GPT-4o (o200k)"]


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


def test_a_long_text_of_a_link_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice_keys, "MAX_VIEW_CHARACTERS", 100)
    app = open_link(text="น้ำ " * 100)
    assert app.text_area(key="compare_text").value == view(app).text == ("น้ำ " * 25)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_text_is_cut_and_the_page_says_so(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_picker, "MAX_VIEW_CHARACTERS", 100)
    app = open_link(text="น้ำ " * 30, lang=language)
    assert view(app).text == "น้ำ " * 25
    assert catalogue(language)["text.window"].format(shown="100", characters="120") in said(app)


# ------------------------------------------------------------------------------------------- links to patterns


@pytest.mark.parametrize("pattern", ["[a-z]", "(?i)CAT| ", "\\p{L}+|,", "custom"])
def test_a_link_restores_a_pattern_of_ones_own(pattern: str) -> None:
    app = open_link(with_="pretokens,gpt2", text="the cat, น้ำ custom", pattern=pattern)
    assert app.selectbox(key="compare_pattern_choice").value == "custom"
    assert app.text_input(key="compare_pattern_custom").value == pattern
    shown = view(app)
    assert shown.names == ["GPT-2", ENGLISH["tokenizers.pretokens"]]
    assert [token.decode() for token in shown.tokens(shown.names[1])] == pretokenize(shown.text, pattern)


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
def test_a_link_restores_a_pattern_by_name(pattern: str) -> None:
    app = open_link(with_="pretokens", text="the cat, น้ำ", pattern=pattern)
    assert app.selectbox(key="compare_pattern_choice").value == pattern
    shown = view(app)
    assert [token.decode() for token in shown.tokens(shown.names[0])] == pretokenize(shown.text, pattern)


@pytest.mark.parametrize("language", LANGUAGES)
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
    app.text_input(key="lab_second_custom").set_value("[a-z]+").run()
    (shown,) = views(app)
    again = open_link(
        "patterns", text=shown.text, colour="piece", view="chips", **shown.options["link"]["parameters"]
    )
    (restored,) = views(again)
    assert (restored.text, restored.names) == (shown.text, shown.names)
    assert [restored.ids(name) for name in restored.names] == [shown.ids(name) for name in shown.names]
    assert (restored.options["view"], restored.options["colour"]) == ("chips", "piece")
    assert again.text_input(key="lab_second_custom").value == "[a-z]+"


def test_a_pattern_too_long_for_a_link_has_none() -> None:
    app = open_link("patterns", first="a" * links.MAX_PATTERN, second="llama3")
    assert views(app)[0].options["link"]
    app.text_input(key="lab_first_custom").set_value("a" * (links.MAX_PATTERN + 1)).run()
    assert views(app)[0].options["link"] is None


# -------------------------------------------------------------------------------------------- links to stories


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_link_of_a_story_tells_it_again(language: str) -> None:
    app = open_link("languages", story="digits", lang=language)
    (shown,) = views(app)
    assert "๒๕๖๗" in shown.text
    assert catalogue(language)["stories.digits_says"].split("{")[0] in app.markdown[1].value
    assert shown.options["link"]["parameters"] == {"lang": language, "story": "digits"}
    app.pills(key="languages_story").set_value("water").run()
    assert views(app)[0].options["link"]["parameters"]["story"] == "water"


def test_a_story_that_there_is_not_is_another_one() -> None:
    app = open_link("languages", story="../etc")
    assert not app.error
    assert app.pills(key="languages_story").value == "doctor"


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
    assert view(app).options["link"]["mine"] is False
    app.file_uploader(key="model_file").upload("a.model", MODEL).run()
    app.run()
    link = view(app).options["link"]
    assert (link["mine"], link["text"]) == (True, True)
    assert link["parameters"] == {"lang": "en", "with": "gpt2,cl100k_base,o200k_base"}


# ------------------------------------------------------------------------------------------------- pasted ids


def paste(ids: str, whose: str = "gpt2", *, language: str = "en", app: AppTest | None = None) -> AppTest:
    """The compare page after token ids were pasted."""
    app = app or open_page("compare", language)
    app.segmented_control(key="text_source").set_value("ids").run()
    app.selectbox(key="text_ids_of").set_value(whose).run()
    app.text_area(key="text_ids").set_value(ids).run()
    assert not app.exception
    return app


@given(st.lists(st.integers(0, 10**10 - 1), max_size=8))
def test_ids_are_read_as_programs_write_them(ids: list[int]) -> None:
    written = [str(ids), str(tuple(ids)), json.dumps(ids, indent=1), json.dumps({"ids": ids})[8:-1]]
    written += [
        between.join(map(str, ids)) for between in (" ", ",", ", ", "\n", "\t", ";", " | ", "\u00a0", "\r\n")
    ]
    written += [str(set(ids[:1]) or "{}"), f"\ufeff{ids}"[1:], f"  {ids}  "]
    assert [parse_ids(text) for text in written[:-3]] == [ids] * (len(written) - 3)
    assert [parse_ids(text) for text in written[-3:]] == [ids[:1], ids, ids]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("[]", []),
        ("[[1, 2], [3]]", [1, 2, 3]),
        ("007", [7]),
        ("1,,2", [1, 2]),
        ("1\u30002", [1, 2]),
    ],
    ids=["empty", "blank", "no ids", "nested", "zeros", "gap", "wide space"],
)
def test_lists_of_ids_are_known(text: str, expected: list[int]) -> None:
    assert parse_ids(text) == expected


@pytest.mark.parametrize(
    "word", ["x", "-1", "1.0", "1e3", "0x1F", "1_000", "๑๒", "²", "１", "+1", "None", "'1'", "1\u200b", "<b>"]
)
def test_a_word_that_is_no_id_is_named(word: str) -> None:
    with pytest.raises(TokenIdError, match="whole numbers") as caught:
        parse_ids(f"1, 2, {word}, 3")
    assert caught.value.values["word"] == word


def test_too_many_ids_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_picker, "MAX_VIEW_CHARACTERS", 3)
    assert parse_ids("1 2 3") == [1, 2, 3]
    with pytest.raises(TokenIdError, match="at most 3 token ids can be shown; 4 came"):
        parse_ids("1 2 3 4")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("ids", "code", "value"),
    [("50257", "token_id_unknown", "50,257"), ("31373 x", "token_id_no_number", "x")],
    ids=["unknown", "no number"],
)
def test_ids_that_cannot_be_decoded_are_said(ids: str, code: str, value: str, language: str) -> None:
    app = paste(ids, language=language)
    (error,) = app.error
    words = catalogue(language)[f"errors.{code}"]
    assert max(words.replace("{", "}").split("}")[::2], key=len) in error.value
    assert value in error.value
    assert view(app).text == ""


def test_ids_of_one_tokenizer_are_no_ids_of_another() -> None:
    app = paste("199998", "o200k_base")
    assert "199,998" in said(app)
    assert view(paste("199999", "o200k_base", app=app)).text == "<|endoftext|>"


def test_ids_are_shown_as_they_were_pasted_and_the_others_encode_the_text() -> None:
    gpt2 = openai_tokenizer("gpt2")
    ids = [token_id for letter in "the cat" for token_id in gpt2.encode(letter)]
    assert ids != gpt2.encode("the cat")
    shown = view(paste(str(ids)))
    assert (shown.text, shown.names) == ("the cat", ALL)
    assert shown.ids("GPT-2") == ids
    assert shown.ids("GPT-4o (o200k)") == openai_tokenizer("o200k_base").encode("the cat")


def test_typed_again_the_same_text_is_encoded() -> None:
    app = paste(str(openai_tokenizer("gpt2").encode("t") + openai_tokenizer("gpt2").encode("he")))
    assert view(app).counts[0] == 2
    app.segmented_control(key="text_source").set_value("type").run()
    app.text_area(key="compare_text").set_value("the").run()
    assert view(app).counts[0] == 1


def test_a_special_token_is_shown_as_one() -> None:
    shown = view(paste("31373 50256"))
    assert (shown.text, shown.ids("GPT-2")) == ("hello<|endoftext|>", [31373, 50256])
    assert shown.counts[1] > 2  # elsewhere it is ordinary text


def test_the_tokenizer_of_the_ids_is_shown_although_it_was_not_chosen() -> None:
    shown = view(paste("31373", app=open_link(with_="o200k_base")))
    assert shown.names == ["GPT-2", "GPT-4o (o200k)"]
    assert shown.ids("GPT-2") == [31373]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ids", [[19567], [31373, 19567], [19567, 31373]], ids=["alone", "at the end", "inside"])
def test_ids_that_break_characters_show_only_their_own_lane(ids: list[int], language: str) -> None:
    app = paste(str(ids), language=language)
    assert catalogue(language)["text.ids_broken"] in said(app)
    shown = view(app)
    assert shown.names == ["GPT-2"]
    assert shown.ids("GPT-2") == ids
    data = openai_tokenizer("gpt2").decode_bytes(ids)
    assert shown.text.encode("utf-8", "surrogateescape") == data
    assert "�" not in shown.text
    assert shown.options["link"]["text"] is False


def test_broken_ids_of_the_second_tokenizer_show_the_second_lane() -> None:
    ids = openai_tokenizer("cl100k_base").encode("a 🏴")[:2]
    shown = view(paste(str(ids), "cl100k_base"))
    assert (shown.names, shown.ids("GPT-4 (cl100k)")) == (["GPT-4 (cl100k)"], ids)


def test_ids_that_break_characters_show_no_pieces_of_a_pattern() -> None:
    assert view(paste("19567", app=open_link(with_="pretokens,cl100k_base", pattern="."))).names == ["GPT-2"]


def test_ids_of_ones_own_tokenizer_are_decoded_with_all_of_it() -> None:
    app = open_page("compare")
    app.file_uploader(key="model_file").upload("a.model", MODEL).run()
    app.run()
    app.slider[0].set_value(256).run()
    shown = view(paste("257 97 256", "mine", app=app))
    assert (shown.text, shown.ids(ENGLISH["tokenizers.mine"])) == ("aaaaaa", [257, 97, 256])
    assert len(app.slider) == 0
    assert view(paste("258", "mine", app=app)).text == ""
    assert "258" in said(app)


def test_ids_of_a_tokenizer_that_was_closed_are_read_by_another() -> None:
    app = open_page("compare")
    app.file_uploader(key="model_file").upload("a.model", MODEL).run()
    app.run()
    paste("97", "mine", app=app)
    app.button[-1].click().run()
    assert not app.exception
    assert view(app).ids("GPT-2") == [97]


def test_the_example_of_ids_is_text() -> None:
    app = open_page("compare")
    app.segmented_control(key="text_source").set_value("ids").run()
    assert not said(app)
    assert view(app).ids("GPT-2") == parse_ids(ENGLISH["examples.ids"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_ids_decode_to_no_more_than_can_be_shown(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_picker, "MAX_VIEW_CHARACTERS", 14)
    app = paste("31373 31373 31373", language=language)
    assert view(app).text == "hellohello"
    assert catalogue(language)["text.ids_window"].format(shown=2, ids=3) in said(app)


def test_a_few_ids_of_endless_tokens_end_before_they_fill_the_memory() -> None:
    app = open_page("compare")
    doubled = "".join(f"{number} {number}\n" for number in range(256, 280))
    app.file_uploader(key="model_file").upload("a.model", f"minbpe v1\n\n0\n97 97\n{doubled}".encode()).run()
    app.run()
    shown = view(paste("280 " * 9, "mine", app=app))
    assert shown.text == ""


def test_too_many_ids_are_cut_between_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_picker, "MAX_VIEW_CHARACTERS", 5)
    app = paste(str(openai_tokenizer("gpt2").encode("กก")))  # tokens of 2, 1, 2 and 1 bytes
    assert view(app).names == ALL
    assert ENGLISH["text.ids_broken"] not in said(app)


@pytest.mark.parametrize("digits", [11, 19, 20, 40])
def test_an_id_with_many_digits_is_unknown(digits: int) -> None:
    assert f"{int('9' * digits):,}" in said(paste("9" * digits))


def test_an_endless_id_is_refused_in_short() -> None:
    (error,) = paste("9" * 10_000).error
    assert len(error.value) < 300


def test_ids_cannot_be_pasted_where_no_tokenizer_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.ui.compare.lanes.OPENAI_NAMES", ())
    app = open_page("compare")
    app.segmented_control(key="text_source").set_value("ids").run()
    assert not app.exception


# ------------------------------------------------------------------------------------------------- look-alikes

LOOK_ALIKES = {
    "zero width": ("ภาษา\u200bไทย", "ภาษาไทย", "zero_width"),
    "direction": ("a\u202eb", "ab", "direction"),
    "space": ("a\u00a0b", "a b", "white_space"),
    "double e": ("เเม่", "แม่", "double_e"),
    "sara am": ("น\u0e49\u0e4d\u0e32", "น้ำ", "sara_am"),
    "order": ("ท\u0e48\u0e35", "ท\u0e35\u0e48", "mark_order"),
    "twice": ("ท\u0e35\u0e48\u0e48", "ท\u0e35\u0e48", "mark_twice"),
    "decomposed": ("e\u0301", "é", "decomposed"),
}


def markdown(app: AppTest) -> str:
    """All text on the page that may be a hint."""
    return "\n".join(each.value for each in app.markdown)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("text", "clean", "kind"), LOOK_ALIKES.values(), ids=LOOK_ALIKES)
def test_a_look_alike_is_hinted_at(text: str, clean: str, kind: str, language: str) -> None:
    words = catalogue(language)
    app = open_link(text=f"กข {text}", lang=language)
    assert words["hints.found"] in markdown(app)
    start = words[f"hints.{kind}"].split("{")[0]
    (line,) = [line for line in markdown(app).splitlines() if line.startswith("- ")]
    assert start in line
    assert f"U+{next(ord(a) for a, b in zip(text, [*clean, None]) if a != b):04X}" in line
    assert [each.text for each in views(app)] == [f"กข {text}"]


@pytest.mark.parametrize(
    "text", ["", "แม่ซื้อน้ำ", "plain text", "👨‍👩‍👧", "é"], ids=["empty", "Thai", "ascii", "emoji", "NFC"]
)
def test_clean_text_has_no_hint(text: str) -> None:
    app = open_link(text=text)
    assert ENGLISH["hints.found"] not in markdown(app)
    assert not app.toggle


def test_the_cleaned_text_is_drawn_beside_the_text_which_stays() -> None:
    app = open_link(text="เเม่", with_="o200k_base")
    before = view(app)
    app.toggle(key="show_cleaned").set_value(True).run()
    first, second = views(app)
    assert first == before
    assert (first.text, first.counts, second.text, second.counts) == ("เเม่", [3], "แม่", [1])
    assert second.names == first.names
    assert app.text_area(key="compare_text").value == "เเม่"
    app.toggle(key="show_cleaned").set_value(False).run()
    assert views(app) == [before]


def test_the_hint_goes_with_the_look_alike() -> None:
    app = open_link(text="เเม่")
    app.toggle(key="show_cleaned").set_value(True).run()
    app.text_area(key="compare_text").set_value("แม่").run()
    assert [each.text for each in views(app)] == ["แม่"]
    assert ENGLISH["hints.found"] not in markdown(app)


def test_look_alikes_in_pasted_ids_are_cleaned_as_text() -> None:
    ids = openai_tokenizer("gpt2").encode("เเม่")
    app = paste(str(ids))
    app.toggle(key="show_cleaned").set_value(True).run()
    first, second = views(app)
    assert (first.ids("GPT-2"), second.text) == (ids, "แม่")
    assert second.ids("GPT-2") == openai_tokenizer("gpt2").encode("แม่")


def test_the_cleaned_text_goes_on_where_nothing_was_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "MAX_CHECKED", 6)
    app = open_link(text="เเม่ กาเเม่")
    app.toggle(key="show_cleaned").set_value(True).run()
    assert views(app)[1].text == "แม่ กาเเม่"


def test_broken_bytes_have_no_hint() -> None:
    ids = [*openai_tokenizer("gpt2").encode("เเ"), 19567]
    assert ENGLISH["hints.found"] not in markdown(paste(str(ids)))


def test_what_a_hint_shows_of_the_text_is_no_markdown() -> None:
    app = open_link(text="[x](y)e\u0301**\u200b`<b>` :material/home:")
    (place,) = [each.value for each in app.markdown if ENGLISH["hints.found"] in each.value]
    assert as_plain_markdown("é") in place
    assert "[x](y)" not in place
    assert "<b>" not in place
