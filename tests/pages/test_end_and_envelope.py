"""Below the tokens of Compare: how the end of a text moves boundaries, and the envelope of a chat."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.ui.compare.endings import Row, rows_html, rows_of
from tests.helpers.app import ENGLISH, open_link, opener_of, said, views
from tests.helpers.hub import config
from tests.helpers.trained import byte_level, unigram, word_piece
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.interop.opening import open_tokenizer
from tokenizer_core.sources.chats import Message, chat_tokens, gpt_tokenizer, gpt_wrapped
from tokenizer_core.sources.model import ModelAtHand


@cache
def tokenizers() -> list[AnyTokenizer]:
    """References, and one of each kind that a file can hold."""
    opened = (open_tokenizer("a.json", content).tokenizer for content in (byte_level(), unigram(), word_piece()))
    return [*map(openai_tokenizer, OPENAI_NAMES), *opened]


def opened(app: AppTest, fold: str) -> AppTest:
    app.session_state[fold] = True
    return app.run()


# ---- the end of a text


def texts_of(row: Row) -> list[bytes]:
    return [row.content[slice(*span)] for span, _ in row.tokens]


def shown(row: Row) -> bytes:
    return b"".join(texts_of(row))


@settings(max_examples=60)
@given(
    st.text(alphabet=st.sampled_from("abก ที่\n1😀"), max_size=30).map(lambda text: text.rstrip(" ")),
    st.text(alphabet=st.sampled_from("nextกำ"), max_size=6),
    st.deferred(lambda: st.sampled_from(tokenizers())),
)
def test_each_row_is_the_end_of_its_text_and_frames_what_is_new(
    base: str, following: str, tokenizer: AnyTokenizer
) -> None:
    rows = rows_of(base, following, tokenizer)
    assert [row.added for row in rows][:2] == ["", " "]
    assert rows[-1].added == " " + following
    hidden = (base + rows[0].added).encode()[: -len(shown(rows[0])) or None] if shown(rows[0]) else base.encode()
    for before, row in zip([rows[0], *rows], rows):
        assert row.size == len(tokenizer.encode(base + row.added))
        assert hidden + shown(row) == (base + row.added).encode()
        kept = dict(spans(before, hidden))
        for span, is_new in spans(row, hidden):
            assert is_new == (row is not rows[0] and span not in kept)
    assert all(not is_new for _, is_new in rows[0].tokens)


def spans(row: Row, hidden: bytes) -> list[tuple[tuple[int, int], bool]]:
    """Where each shown token lies, and whether it is framed."""
    found, at = [], len(hidden)
    for (start, end), is_new in row.tokens:
        token = row.content[start:end]
        found.append(((at, at + len(token)), is_new))
        at += len(token)
    return found


@pytest.mark.parametrize("name", OPENAI_NAMES)
def test_a_space_at_the_end_belongs_to_the_word_that_follows(name: str) -> None:
    rows = rows_of("The cat sat", "next", openai_tokenizer(name))
    assert texts_of(rows[1])[-1] == b" "
    assert (texts_of(rows[2])[-1], rows[2].tokens[-1][1]) == (b" n", True)
    assert (texts_of(rows[-1])[-1], rows[-1].tokens[-1][1]) == (b" next", True)


def test_the_page_says_so_and_warns_of_a_space_that_is_there() -> None:
    app = opened(open_link(text="The cat sat ", lang="en"), "compare_endings_open")
    assert any("is there only until a letter follows" in each.value for each in app.markdown)
    assert [each.value for each in app.warning] == [ENGLISH["endings.has_space"]]
    app.text_input(key="compare_next").set_value("").run()
    assert not any("is there only until" in each.value for each in app.markdown)
    assert not app.exception


def test_a_text_of_strangers_is_escaped() -> None:
    html = rows_html(rows_of("<script>", "<b>", openai_tokenizer("gpt2")))
    assert "<script" not in html
    assert "<b>" not in html


# ---- the envelope of a chat


def figures(app: AppTest) -> list[int]:
    return [int(each.value.replace(",", "")) for each in app.metric][-3:]


def branches(app: AppTest) -> dict[str, int]:
    """How many tokens each part has."""
    block = views(app)[-1].block
    (column,) = block.header["columns"]
    taken = block.array(column["taken_by"]).tolist()
    return {each["words"]: taken.count(number) for number, each in enumerate(column["branches"], 1)}


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_what_is_billed_is_what_was_typed_and_its_envelope(name: str) -> None:
    app = opened(open_link(lang="en"), "compare_envelope_open")
    app.segmented_control(key="envelope_model_2").set_value(name).run()
    app.text_input(key="envelope_assistant").set_value("ได้ครับ").run()
    messages = [
        Message("system", ENGLISH["envelope.example_system"]),
        Message("user", ENGLISH["envelope.example_user"]),
        Message("assistant", "ได้ครับ"),
    ]
    tokens = chat_tokens(gpt_tokenizer(name), gpt_wrapped(messages), typed_acts=False)
    billed, typed, around = figures(app)
    assert (billed, typed + around) == (len(tokens), len(tokens))
    encode = gpt_tokenizer(name).encode
    assert typed == sum(len(encode(message.content)) for message in messages)
    found = branches(app)
    assert found[ENGLISH["envelope.part_assistant"]] == len(encode("ได้ครับ"))
    assert (sum(found.values()), found[ENGLISH["envelope.part_envelope"]]) == (billed, around)


def test_examples_in_thai_hold_no_places_for_line_breaks() -> None:
    app = open_link(lang="th")
    for fold in ("compare_envelope_open", "compare_end_open"):
        app = opened(app, fold)
    examples = [str(each.value) for each in app.text_input]
    assert any("โทเค็น" in example for example in examples)
    assert not re.search("[\u200b\u2060]", "".join(examples))


def test_a_marker_that_somebody_types_is_text_until_it_may_act() -> None:
    app = opened(open_link(lang="en"), "compare_envelope_open")
    app.text_input(key="envelope_user").set_value("a<|im_end|>b").run()
    before = figures(app)[0]
    (words,) = (each.value for each in app.markdown if "Someone typed" in each.value)
    app.toggle(key="envelope_acts").set_value(True).run()
    after = figures(app)[0]
    assert after < before
    assert f"the chat is {before} tokens; if the marker acts, it is {after}," in words
    assert words in [each.value for each in app.markdown]
    assert "<|im_end|>" in words
    assert not app.exception


def test_a_file_without_a_template_says_so_and_one_with_a_template_is_wrapped_by_it(tmp_path: Path) -> None:
    app = open_link(lang="en")
    opener_of(app).set_value([("mine.json", byte_level(), "")]).run()
    app.run()
    (file,) = app.session_state["opened_files"]
    opened(app, "compare_envelope_open")
    app.segmented_control(key="envelope_model_3").set_value(file.key).run()
    assert "comes without a chat template" in said(app)
    (tmp_path / "tokenizer_config.json").write_bytes(config())
    model = ModelAtHand("mine", "file", (), chat_files=(tmp_path / "tokenizer_config.json",))
    app.session_state["opened_files"] = [replace(file, model=model)]
    app.run()
    assert "comes without a chat template" not in said(app)
    drawn = views(app)[-1]
    assert ENGLISH["envelope.example_user"] in drawn.text
    assert re.search(r"\S", drawn.text.replace(ENGLISH["envelope.example_user"], ""))
    assert not app.exception
