"""Special tokens act where the switch lets them, are drawn as badges, and get the ids that the visitor chooses."""

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.compare.sections import CHAT_MARKERS
from pages.ui.i18n import catalogue
from pages.ui.inputs.tokenizers import MARKER, NEAR_MISS
from tests.helpers.app import counts, drawn, job_of, open_page, opener_of, said, tables, wait_until
from tests.helpers.trained import model_of, word_piece
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer


def specials(app: AppTest) -> list[list[int]]:
    """The ids of the special tokens that each lane of the last view draws as badges."""
    return [[column["ids"][place] for place in column["specials"]] for column in drawn(app)[-1]["columns"]]


def words(app: AppTest) -> str:
    return " ".join(each.value for each in app.markdown)


def switch(app: AppTest) -> Any:
    return app.toggle(key="special_act")


@pytest.mark.parametrize("language", ["en", "th"])
def test_the_switch_on_home_makes_one_token_of_the_marker(language: str) -> None:
    app = open_page("home", language)
    app.text_input(key="home_text").set_value(MARKER).run()
    assert (counts(app)["GPT-2"], specials(app)) == (7, [[], [], []])
    switch(app).set_value(True).run()
    assert list(counts(app).values()) == [1, 1, 1]
    assert specials(app) == [[50_256], [100_257], [199_999]]
    app.text_input(key="home_text").set_value(NEAR_MISS).run()
    assert specials(app) == [[], [], []]
    assert counts(app)["GPT-2"] == 5
    app.session_state["special_lesson"] = True
    app.run()
    assert all(figure in words(app) for figure in ("7", "1", "5"))


def test_files_let_their_special_tokens_act_or_say_that_they_never_do() -> None:
    app = open_page("compare")
    files = [("wp.json", word_piece(), ""), ("sp.model", model_of(), "")]
    opener_of(app).set_value(files).run()
    app.run()
    app.text_area(key="compare_text").set_value("the [CLS] <s>").run()
    cls = HuggingFaceTokenizer(word_piece()).special_tokens["[CLS]"]
    assert cls not in specials(app)[3]  # where [UNK] may stand, which is special in this file too
    switch(app).set_value(True).run()
    assert not app.exception
    assert cls in specials(app)[3]
    assert specials(app)[4] == []
    captions = [column["caption"] for column in drawn(app)[-1]["columns"]]
    assert [catalogue("en")["special.never"] in caption for caption in captions] == [False] * 4 + [True]


def test_compare_has_the_same_switch_and_a_conversation_with_markers() -> None:
    app = open_page("compare")
    app.text_area(key="compare_text").set_value(f"a{MARKER}b").run()
    switch(app).set_value(True).run()
    assert [ids[:1] for ids in specials(app)] == [[50_256], [100_257], [199_999]]
    app.session_state["compare_chat_open"] = True
    app.run()
    assert not app.exception
    plain, marked = drawn(app)[-1]["columns"]
    assert plain["specials"] == []
    assert [marked["ids"][place] for place in marked["specials"]] == [100_264, 100_265]
    assert plain["count"] > marked["count"]
    (table,) = tables(app)
    assert [row[0] for row in table[1:]] == [token for token, _ in CHAT_MARKERS]
    assert [row[1] for row in table[1:]] == ["100,264", "100,265"]
    assert "8,192" in words(app)  # 2 rows of 4,096 numbers
    app.number_input(key="compare_chat_width").set_value(100).run()
    assert "400" in words(app)


def test_the_five_are_trained_with_their_ids_and_act_on_compare() -> None:
    app = open_page("train")
    app.number_input(key="train_size").set_value(300).run()
    app.segmented_control(key="train_pace").set_value("full").run()
    app.button(key="special_five").click().run()
    assert "405" in words(app)
    app.button(key="start").click().run()
    wait_until(app, lambda: job_of(app).ended)
    tokenizer = job_of(app).tokenizer()
    assert list(tokenizer.special_tokens.values()) == [401, 402, 403, 404, 405]
    assert tokenizer.encode("<|endofprompt|>", allowed_special="all") == [405]
    wait_until(app, lambda: any(re.match("Special tokens: .*→ 405", each.value) for each in app.caption))


@pytest.mark.parametrize(
    ("entered", "reason"),
    [("<|a|>=700", "taken"), ("<|a|>=1101 <|b|>=1101", "different ids"), ("<|a|> <|a|>", "twice")],
)
def test_an_id_that_collides_is_said_while_it_is_typed(entered: str, reason: str) -> None:
    app = open_page("train")
    app.text_input(key="train_special_tokens").set_value(entered).run()
    assert reason in said(app)
    assert app.button(key="start").disabled
    app.text_input(key="train_special_tokens").set_value("").run()
    for size in (1_000, 4_096):
        app.number_input(key="train_size").set_value(size).run()
        app.button(key="special_five").click().run()
        assert f"{size + 105:,}" in words(app)
        assert not app.button(key="start").disabled
