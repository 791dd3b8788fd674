"""The curves of a training: what is drawn is what was counted, and a chart that stands is not drawn anew."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.train import curves
from pages.ui.train.curves import (
    Counted,
    beginning,
    bytes_per_token_curve,
    count_references,
    readable,
    token_curve,
)
from pages.ui.widgets.charts import Axis, Level, curve_spec, spread, thinned
from pages.ui.words import catalogue
from tests.helpers.charts import Finished, layers, named_levels
from tokenizer_core import openai
from tokenizer_core.errors import RankFileError
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Merge, Trainer

ENGLISH = catalogue("en")
NOTHING = Counted(0, True, {})
POINTS = [(0, 1_000), (10, 600), (20, 500)]


# ---------------------------------------------------------------------------------------------- points and places


@pytest.mark.parametrize("length", [1, 2, 300, 301, 5_000])
def test_a_curve_is_thinned_but_keeps_its_ends(length: int) -> None:
    points = [(n, length - n) for n in range(length)]
    kept = thinned(points)
    assert len(kept) <= 300
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert len(set(kept)) == len(kept)


@given(st.lists(st.floats(0, 100), max_size=6))
def test_names_beside_level_lines_never_lie_over_one_another(places: list[float]) -> None:
    moved = spread(places, gap=15, most=100)
    ordered = sorted(moved)
    assert all(above - below >= 15 - 1e-9 for below, above in zip(ordered, ordered[1:], strict=False))
    assert all(-1e-9 <= place <= 100 + 1e-9 for place in moved)
    by_place = sorted(range(len(places)), key=places.__getitem__)
    assert [moved[index] for index in by_place] == ordered


def test_names_with_room_stay_where_their_lines_are() -> None:
    assert spread([80, 10, 40], gap=15, most=100) == [80, 10, 40]


def test_the_chart_spans_the_sizes_and_has_no_title_that_could_be_clipped() -> None:
    spec = curve_spec((256, 300), "size", Axis("tokens", most=100))
    assert spec["encoding"]["x"]["scale"]["domain"] == [256, 300]
    assert "title" not in spec
    assert spec["encoding"]["y"]["axis"]["title"] is None  # Thai set upright is hard to read


def test_a_scale_of_powers_of_ten_has_its_lines_at_powers_of_ten() -> None:
    y = curve_spec((256, 300), "size", Axis("count", most=5_000, is_log=True))["encoding"]["y"]
    assert y["scale"]["type"] == "log"
    assert y["axis"]["values"] == [1, 10, 100, 1_000]


def test_what_changes_while_a_training_runs_stands_in_the_rows_alone() -> None:
    """Streamlit keeps the chart that stands there only as long as its specification is the same."""
    counted = Counted(1_000, True, {"gpt2": 700})
    for curve in (token_curve, bytes_per_token_curve):
        before, after = (curve(POINTS[:length], (256, 356), counted) for length in (2, 3))
        assert before[0] != after[0]
        assert json.dumps(before[1]) == json.dumps(after[1])


# ------------------------------------------------------------------------------------------------ the three curves


def test_tokens_stand_against_the_vocabulary_size() -> None:
    rows, spec, sentence = token_curve(POINTS, (256, 276), NOTHING)
    assert rows == [{"size": 256 + merges, "value": tokens} for merges, tokens in POINTS]
    assert spec["encoding"]["y"]["scale"]["domainMax"] == 1_000
    assert sentence == ENGLISH["curves.tokens_says"].format(merges=20, first="1,000", last=500)


def test_bytes_per_token_are_the_bytes_of_the_corpus_by_its_tokens() -> None:
    rows, _, sentence = bytes_per_token_curve(POINTS, (256, 276), NOTHING)
    assert [row["value"] for row in rows] == [1, pytest.approx(1_000 / 600), 2]
    assert "2.00" in sentence


def test_level_lines_are_drawn_of_the_whole_corpus_where_all_of_it_was_counted() -> None:
    counted = Counted(1_000, True, {"gpt2": 700, "o200k_base": 250})
    _, spec, sentence = token_curve(POINTS, (256, 276), counted)
    assert named_levels(spec) == {"GPT-2": 700, "GPT-4o (o200k)": 250}
    assert ENGLISH["curves.levels_whole"] in sentence
    _, spec, sentence = bytes_per_token_curve(POINTS, (256, 276), counted)
    assert named_levels(spec) == {"GPT-2": pytest.approx(1_000 / 700), "GPT-4o (o200k)": 4}
    assert ENGLISH["curves.levels_whole"] in sentence


def test_a_part_of_the_corpus_gives_level_lines_of_bytes_per_token_only_and_says_so() -> None:
    counted = Counted(200_000, False, {"gpt2": 100_000})
    _, spec, sentence = token_curve([(0, 900_000), (1, 800_000)], (256, 276), counted)
    assert named_levels(spec) == {}
    assert ENGLISH["curves.levels_too_long"] in sentence
    _, spec, sentence = bytes_per_token_curve([(0, 900_000), (1, 800_000)], (256, 276), counted)
    assert named_levels(spec) == {"GPT-2": 2}
    assert ENGLISH["curves.levels_part"].format(kilobytes=200) in sentence


def test_a_reference_above_the_curve_is_within_the_chart() -> None:
    _, spec, _ = token_curve(POINTS, (256, 276), Counted(1_000, True, {"gpt2": 1_200}))
    assert spec["encoding"]["y"]["scale"]["domainMax"] == 1_200


def trained(text: str, size: int = 280) -> tuple[list[Merge], Tokenizer]:
    merges = Trainer(count_pretokens([text], "mark_aware"), size, min_count=1).step(size)
    return merges, Tokenizer([(merge.left, merge.right) for merge in merges])


def test_the_pair_of_each_merge_comes_with_its_count_and_its_token() -> None:
    merges, tokenizer = trained("ที่น้ำ " * 9)
    rows, spec, sentence = curves.pair_count_curve(Finished(merges), tokenizer)  # type: ignore[arg-type]
    assert [row["value"] for row in rows] == [merge.count for merge in merges]
    assert rows[0]["size"] == 257
    assert {"token"} <= {said["field"] for layer in layers(spec) for said in tooltips(layer)}
    assert str(merges[0].count) in sentence


def tooltips(layer: dict[str, Any]) -> list[dict[str, Any]]:
    said = layer.get("encoding", {}).get("tooltip") or []
    return said if isinstance(said, list) else [said]


def test_pairs_that_were_given_and_never_found_are_left_out_of_a_scale_without_zero() -> None:
    merges = [Merge(120, 121, 256, 0), Merge(97, 98, 257, 5)]
    tokenizer = Tokenizer([(120, 121), (97, 98)])
    rows, *_ = curves.pair_count_curve(Finished(merges), tokenizer)  # type: ignore[arg-type]
    assert [(row["size"], row["value"]) for row in rows] == [(258, 5)]
    rows, *_ = curves.pair_count_curve(Finished(merges[:1]), tokenizer)  # type: ignore[arg-type]
    assert rows == []


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("ที่".encode(), "ที่"),
        ("่".encode(), "◌่"),
        (b"\xe0\xb8", "E0 B8"),
        ("า".encode() + b"\xe0\xb8", "า E0 B8"),
        (b" \n\x00", "␣⏎U+0000"),
        ("ที่".encode() * 30, "…" + "ที่" * 24),
        ("\u202e".encode(), "U+202E"),
    ],
    ids=["cluster", "bare mark", "half a letter", "letter and a half", "white space", "long", "bidi"],
)
def test_a_token_in_a_tooltip_can_be_read(token: bytes, shown: str) -> None:
    assert readable(token) == shown


# ------------------------------------------------------------------------------------------------ what is counted


@given(st.lists(st.text(alphabet="aก \n😀", max_size=12), max_size=5), st.integers(0, 40))
def test_the_beginning_of_a_corpus_is_the_beginning_and_no_longer_than_allowed(
    texts: list[str], most: int
) -> None:
    pieces, is_whole = beginning(texts, most)
    assert sum(len(piece.encode()) for piece in pieces) <= most
    assert "".join(texts).startswith("".join(pieces))
    assert is_whole == ("".join(pieces) == "".join(texts))


def test_the_beginning_ends_between_words() -> None:
    assert beginning(["กา กาก กากา"], 20) == (["กา กาก "], False)


def test_a_short_corpus_is_counted_whole_text_by_text() -> None:
    texts = ["น้ำใจคนไทย ", "ดื่มน้ำเยอะๆ"]
    counted = count_references(texts)
    assert counted.is_whole
    assert counted.bytes == sum(len(text.encode()) for text in texts)
    assert counted.tokens == {
        name: sum(len(openai_tokenizer(name).encode(text)) for text in texts) for name in OPENAI_NAMES
    }


def test_a_long_corpus_is_counted_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginning, "__defaults__", (10,))
    counted = count_references(["a b c d e f g h"])
    assert not counted.is_whole
    assert counted.bytes == 10
    assert counted.tokens["gpt2"] == len(openai_tokenizer("gpt2").encode("a b c d e "))


@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_nothing_gives_no_level_lines(texts: list[str]) -> None:
    assert count_references(texts).tokens == {}


def test_a_reference_that_cannot_be_read_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        if name == "gpt2":
            raise RankFileError("the rank file must be whole", "rank_file_damaged", path="x")
        return openai_tokenizer(name)

    monkeypatch.setattr(openai, "openai_tokenizer", refuse)
    assert set(count_references(["a text"]).tokens) == {"cl100k_base", "o200k_base"}


def test_a_training_whose_texts_are_gone_has_level_lines_only_if_they_were_counted_before() -> None:
    assert counted_of(Finished([], name="never counted")).tokens == {}
    before = counted_of(Finished([], ["a text"], name="counted"))
    assert before.tokens
    assert counted_of(Finished([], name="counted")) == before


def counted_of(job: Any) -> Counted:
    return curves.references_counted(job)


def test_level_lines_keep_their_names() -> None:
    spec = curve_spec((256, 300), "size", Axis("tokens", most=100), levels=[Level("GPT-2", 60), Level("x", 61)])
    assert named_levels(spec) == {"GPT-2": 60, "x": 61}
