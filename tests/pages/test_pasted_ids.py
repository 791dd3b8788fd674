"""Pasted token ids: how they are read, what is drawn of them, and what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.i18n import catalogue, filled
from pages.ui.inputs import text as text_picker
from pages.ui.inputs.text import parse_ids
from tests.helpers.app import (
    ALL,
    ENGLISH,
    MODEL,
    SPOKEN,
    move_size,
    open_link,
    open_page,
    opened_key,
    opener_of,
    paste,
    said,
    view,
)
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.errors import TokenIdError


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
def test_what_is_no_id_stays_a_word(word: str) -> None:
    assert parse_ids(f"1, 2, {word}, 3") == [1, 2, word, 3]


def test_too_many_ids_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_picker, "MAX_VIEW_CHARACTERS", 3)
    assert parse_ids("1 2 3") == [1, 2, 3]
    with pytest.raises(TokenIdError) as caught:
        parse_ids("1 2 3 4")
    assert (caught.value.code, caught.value.values) == ("too_many_ids", {"limit": 3, "count": 4})


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize(
    ("ids", "wrong", "count"),
    [
        ("50257", "50257", 1),
        ("31373 x 50257 x", "x, 50257", 2),
        ("a b 50258 c d 50257 e", "a, b, 50258, c, d, …", 7),
    ],
    ids=["one", "two", "many"],
)
def test_the_first_wrong_ids_are_named(ids: str, wrong: str, count: int, language: str) -> None:
    app = paste(ids, language=language)
    (error,) = app.error
    said = filled(catalogue(language)["text.ids_wrong"], name="GPT-2", count=count, ids=f"` {wrong} `")
    assert said in error.value
    assert view(app).text == ""


def test_ids_of_one_tokenizer_are_no_ids_of_another() -> None:
    app = paste("199998", "o200k_base")
    assert "199998" in said(app)
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


@pytest.mark.parametrize("language", SPOKEN)
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
    assert shown.options["link"]["has_text"] is False


def test_ids_that_break_characters_show_no_pieces_of_a_pattern() -> None:
    assert view(paste("19567", app=open_link(with_="pretokens,cl100k_base", pattern="."))).names == ["GPT-2"]


def test_ids_of_ones_own_tokenizer_are_decoded_with_all_of_it() -> None:
    app = open_page("compare")
    opener_of(app).upload("a.model", MODEL).run()
    app.run()
    move_size(app, "a", 256)
    shown = view(paste("257 97 256", opened_key(app), app=app))
    assert (shown.text, shown.ids("a")) == ("aaaaaa", [257, 97, 256])
    assert shown.options["sizes"] == {}
    assert view(paste("258", opened_key(app), app=app)).text == ""
    assert "258" in said(app)


def test_ids_of_a_tokenizer_that_was_closed_are_read_by_another() -> None:
    app = open_page("compare")
    opener_of(app).upload("a.model", MODEL).run()
    app.run()
    paste("97", opened_key(app), app=app)
    next(button for button in app.button if str(button.key).startswith("close_")).click().run()
    assert not app.exception
    assert view(app).ids("GPT-2") == [97]


def test_the_example_of_ids_is_text() -> None:
    app = open_page("compare")
    app.segmented_control(key="text_source").set_value("ids").run()
    assert not said(app)
    assert view(app).ids("GPT-2") == parse_ids(ENGLISH["examples.ids"])


@pytest.mark.parametrize("language", SPOKEN)
def test_ids_decode_to_no_more_than_can_be_shown(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_picker, "MAX_VIEW_CHARACTERS", 14)
    app = paste("31373 31373 31373", language=language)
    assert view(app).text == "hellohello"
    assert filled(catalogue(language)["text.ids_window"], shown=2, ids=3) in said(app)


def test_a_few_ids_of_endless_tokens_end_before_they_fill_the_memory() -> None:
    app = open_page("compare")
    doubled = "".join(f"{number} {number}\n" for number in range(256, 280))
    opener_of(app).upload("a.model", f"minbpe v1\n\n0\n97 97\n{doubled}".encode()).run()
    app.run()
    shown = view(paste("280 " * 9, opened_key(app), app=app))
    assert shown.text == ""


def test_too_many_ids_are_cut_between_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_picker, "MAX_VIEW_CHARACTERS", 5)
    app = paste(str(openai_tokenizer("gpt2").encode("กก")))  # tokens of 2, 1, 2 and 1 bytes
    assert view(app).names == ALL
    assert ENGLISH["text.ids_broken"] not in said(app)


def test_an_endless_id_is_refused_in_short() -> None:
    (error,) = paste("9" * 10_000).error
    assert len(error.value) < 300


def test_ids_cannot_be_pasted_where_no_tokenizer_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.ui.inputs.tokenizers.references", lambda *names, **options: {})
    app = open_page("compare")
    app.segmented_control(key="text_source").set_value("ids").run()
    assert not app.exception
