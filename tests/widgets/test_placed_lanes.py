"""Lanes whose tokens do not spell the text: what each token covers, what none covers, how they are written."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page

from pages.ui.i18n import filled
from pages.ui.widgets.slides import View, _view
from pages.ui.widgets.token_view.drawings import Text, encoded_lane, token_count
from pages.ui.widgets.token_view.lanes import Label, Lane
from tests.helpers.clusters import boundaries
from tests.helpers.drawing import LABELS, bits, draw, in_shadow, lane_over, opened, pretokens_over
from tests.helpers.hostile import hostile_texts
from tests.helpers.payload import Block
from tests.helpers.trained import byte_level, char_bpe, unigram, word_level, word_piece
from tokenizer_core.analysis.cuts import line_cuts, piece_ends
from tokenizer_core.analysis.entries import thai_entries
from tokenizer_core.bpe.openai import openai_tokenizer
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer, as_ours

OPENED = {
    "word_piece": HuggingFaceTokenizer(word_piece()),
    "unigram": HuggingFaceTokenizer(unigram()),
    "word_level": HuggingFaceTokenizer(word_level()),
    "char_bpe": HuggingFaceTokenizer(char_bpe()),
    "drops": HuggingFaceTokenizer(byte_level(normalizer="drops")),
    "nfc": HuggingFaceTokenizer(byte_level(normalizer="nfc")),
}


def placed_over(text: str, name: str) -> Lane:
    """A tokenizer that normalizes, over a text, as pages have it."""
    return encoded_lane(Lane(f"{name} {text!r}", Label(name), OPENED[name]), Text(text))


def pieces_in(block: Block, column: dict[str, Any]) -> list[tuple[int | None, bytes, str | None]]:
    """Each piece of a lane: its id, its text and what it is written as."""
    sizes = block.array(column["sizes"])
    ends, data = np.cumsum(sizes), bytes(block.array(column["bytes"]).tolist())
    return [
        (column["ids"][place], data[ends[place] - sizes[place] : ends[place]], column["writings"][place])
        for place in block.array(column["tokens"]).tolist()
    ]


@settings(max_examples=25)
@given(hostile_texts, st.sampled_from(sorted(OPENED)))
def test_the_payload_has_every_token_with_its_text_and_what_belongs_to_none(text: str, name: str) -> None:
    lane = placed_over(text, name)
    block = opened(text, [lane, lane_over(text, openai_tokenizer("gpt2"))])
    column = block.header["columns"][0]
    found, tokenizer = pieces_in(block, column), OPENED[name]
    assert b"".join(covered for _, covered, _ in found) == text.encode()
    assert [token_id for token_id, _, _ in found if token_id is not None] == tokenizer.encode(text)
    assert column["count"] == len(tokenizer.encode(text)) == token_count(lane, text)
    for token_id, covered, writing in found:
        if token_id is not None and writing is not None:
            assert writing == tokenizer.token_text(token_id)
        elif token_id is not None:
            assert tokenizer.token_text(token_id).encode() == covered or tokenizer.token_bytes(token_id) == covered
    tokens, units = (block.array(column[key]) for key in ("segment_tokens", "segment_units"))
    assert (units > 0).all()
    assert (tokens > 0).all()
    ends = np.cumsum(units).tolist()
    if text:
        assert int(tokens.sum()) == len(found)
        at_unit = np.cumsum([0, *(1 + (character > "\uffff") for character in text)])
        assert set(ends) <= {int(at_unit[place]) for place in boundaries(text)} | {int(at_unit[-1])}
    for pair in block.header["differences"]["pairs"]:
        for index, place in zip(pair["lanes"], pair["agreed"], strict=True):
            pieces = len(block.array(block.header["columns"][index]["tokens"]))
            assert len(bits(block, place, pieces)) == pieces


def test_text_that_no_token_covers_is_counted_in_words() -> None:
    (column,) = opened("the  cat", [placed_over("the  cat", "word_piece")]).header["columns"]
    assert column["truth"].startswith(filled(LABELS["uncovered"], characters=2))
    assert (column["count"], column["ids"][1]) == (2, None)
    assert "unknown" not in column["truth"]
    for name in ("word_piece", "unigram"):
        (column,) = opened("ຂ the ຂ", [placed_over("ຂ the ຂ", name)]).header["columns"]
        assert filled(LABELS["unknown"], tokens=2) in column["truth"]
    (covered,) = opened("cat", [placed_over("cat", "word_piece")]).header["columns"]
    assert "to no token" not in covered["truth"]


def test_a_dummy_prefix_shares_the_first_segment_and_a_written_token_says_so() -> None:
    block = opened("ຂ cat", [placed_over("ຂ cat", "unigram")])
    (column,) = block.header["columns"]
    assert pieces_in(block, column)[:2] == [
        (OPENED["unigram"].encode("ຂ cat")[0], b"", "▁"),
        (0, "ຂ".encode(), "<unk>"),
    ]
    assert block.array(column["segment_tokens"]).tolist()[0] == 2


def test_a_token_of_a_file_says_which_merge_made_it() -> None:
    ours = as_ours(HuggingFaceTokenizer(byte_level()))
    block = opened("the", [lane_over("the", ours)])
    (column,) = block.header["columns"]
    numbers = block.array(column["made"]["merges"]).tolist()
    assert [ours.entry_ids[255 + number] if number else None for number in numbers] == [
        token_id if len(ours.token_bytes(token_id)) > 1 else None for token_id in column["ids"]
    ]
    assert any(numbers)


def test_a_slide_leaves_plain_what_belongs_to_no_token() -> None:
    (lane,) = _view(View("the  cat", [Lane("a", Label("a"), OPENED["word_piece"])]))["lanes"]
    assert lane == {"name": "a", "kind": "tokens", "count": 2, "ends": [3, 5, 8], "plain": [1], "special": []}
    (lane,) = _view(View("ab", [Lane("a", Label("a"), openai_tokenizer("gpt2"))]))["lanes"]
    assert (lane["count"], lane["ends"], lane["plain"]) == (1, [2], [])


@pytest.mark.parametrize("name", OPENED)
def test_lines_are_measured_by_what_tokens_cover(name: str) -> None:
    lines, tokenizer = ["ที่ the  cat", "", "น้ำ😀 don't"], OPENED[name]
    found = line_cuts(lines, tokenizer.encode_each(lines), tokenizer, None)
    assert found.tokens == sum(len(tokenizer.encode(line)) for line in lines)
    inside = sum(
        len({int(end) for end in piece_ends(line, tokenizer)[1] if _is_inside(line, int(end))}) for line in lines
    )
    assert (found.broken_characters == 0) == (inside == 0)


def _is_inside(line: str, byte: int) -> bool:
    """Whether a byte offset lies inside a character."""
    return byte < len(line.encode()) and line.encode()[byte] & 0xC0 == 0x80


def test_thai_entries_are_counted_by_the_ids_of_the_file() -> None:
    opened_file = HuggingFaceTokenizer(byte_level())
    assert thai_entries(opened_file) == thai_entries(as_ours(opened_file)) > 0


def test_one_sentence_says_who_needs_fewest_and_nobody_is_compared_with_none(page: Page) -> None:
    gpt2, gpt4o = ((name, openai_tokenizer(name)) for name in ("gpt2", "o200k_base"))
    pieces = [pretokens_over("กิน 12", pattern) for pattern in ("llama3", "mark_aware")]
    cases = [
        (
            "น้ำ",
            [lane_over("น้ำ", tokenizer, name) for name, tokenizer in (gpt2, gpt4o)],
            "1 by o200k_base. gpt2: 6 times",
        ),
        ("a", [lane_over("a", tokenizer, name) for name, tokenizer in (gpt2, gpt4o)], "1 token each"),
        ("กิน 12", pieces, ""),  # the page of patterns says it
        ("  ", [lane_over("  ", gpt2[1]), placed_over("  ", "word_piece")], ""),
        (
            "ຂຂ a",
            [
                *(lane_over("ຂຂ a", tokenizer, name) for name, tokenizer in (gpt2, gpt4o)),
                placed_over("ຂຂ a", "word_piece"),
            ],
            "gpt2: 1.40 times as many. Not ranked, because text is lost: word_piece.",
        ),
    ]
    for text, lanes, said in cases:
        draw(page, text, lanes, text_first=True)
        found = page.locator(".verdict").all_inner_texts()
        assert len(found) == bool(said)
        assert said in "".join(found)


def test_the_view_draws_plain_text_writings_and_tokens_without_text(page: Page) -> None:
    text = "The  ຂ cat"
    draw(page, text, [placed_over(text, "word_piece"), placed_over("  " + text, "unigram")][:1], view="chips")
    chips = in_shadow(
        page, "[...root.querySelectorAll('.cell .p')].map((chip) => [chip.textContent, chip.className])"
    )
    assert [text for text, _ in chips] == ["the", "␣␣", "[UNK]", "␣", "cat"]
    assert ["gap" in name.split() for _, name in chips] == [False, True, False, True, False]
    draw(page, "hello ຂ", [placed_over("hello ຂ", "unigram")], view="staff")
    page.locator(".lane:not(.ruler) .p").first.click()
    ladder = page.locator(".ladder").inner_text()
    assert "▁" in ladder
    assert "covers no text" in ladder
    page.keyboard.press("Escape")
    page.locator(".lane:not(.ruler) .p").last.hover()
    assert "<unk>" in page.locator(".card").inner_text()
    assert "its text is lost" in page.locator(".card").inner_text()
    assert [each.inner_text() for each in page.locator(".p.lost").all()] == ["ຂ"]
