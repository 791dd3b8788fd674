"""The curves of a training: what is drawn is what was counted, and a chart that stands is not drawn anew."""

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page

from pages.ui.token_view.lanes import History, Lane
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
from tests.helpers.drawing import draw, lane_over
from tokenizer_core import openai
from tokenizer_core.errors import RankFileError
from tokenizer_core.measures.history import joining_merges
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


# ------------------------------------------------------------------------------------------------ the time machine

AT_EVERY_SIZE = """() => {
  const { shadow } = window;
  const slider = shadow.querySelector(".time input");
  const said = [];
  for (let merges = 0; merges <= +slider.max; merges++) {
    slider.value = merges;
    slider.dispatchEvent(new Event("input"));
    said.push(shadow.querySelector(".corpus-says").textContent);
  }
  return said;
}"""
PARAGRAPH = "กากากา อาอาอา aaaa aaaa bababa น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ " * 3


def learned(seed: int) -> tuple[str, list[Merge], Tokenizer, list[int]]:
    """A corpus in which pairs overlap, its merges, and its tokens after each of them."""
    chance = random.Random(seed)
    corpus = PARAGRAPH + " ".join("".join(chance.choices("aกา", k=chance.randint(1, 12))) for _ in range(200))
    trainer = Trainer(count_pretokens([corpus], "mark_aware"), 330, min_count=2)
    merges: list[Merge] = []
    counts = [trainer.token_count]
    while step := trainer.step(1):
        merges += step
        counts.append(trainer.token_count)
    return corpus, merges, Tokenizer([(merge.left, merge.right) for merge in merges]), counts


def lane_in_time(merges: Sequence[Merge], tokenizer: Tokenizer, corpus: Sequence[tuple[int, int]]) -> Lane:
    joined = joining_merges(tokenizer.encode(PARAGRAPH), tokenizer)
    counts = [merge.count for merge in merges]
    return lane_over(PARAGRAPH, tokenizer, counts=counts, history=History(joined, corpus=corpus))


@pytest.mark.parametrize("every", [1, 7, 1_000], ids=["all points", "some points", "two points"])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_corpus_moves_with_the_text_and_no_inexact_count_is_called_exact(
    page: Page,
    seed: int,
    every: int,
) -> None:
    _, merges, tokenizer, counts = learned(seed)
    kept = sorted({*range(0, len(counts), every), len(counts) - 1})
    draw(page, PARAGRAPH, [lane_in_time(merges, tokenizer, [(merge, counts[merge]) for merge in kept])])
    said = page.evaluate(AT_EVERY_SIZE)
    exact = 0
    for merge, sentence in enumerate(said):
        if "about" in sentence:
            assert merge not in kept
        else:
            exact += 1
            assert ENGLISH["token_view.corpus_says"].format(count=f"{counts[merge]:,}") in sentence
    assert exact >= {1: len(said), 7: 0.8 * len(said), 1_000: 2}[every]


def test_both_lines_have_their_markers_at_the_merge_of_the_slider(page: Page) -> None:
    _, merges, tokenizer, counts = learned(1)
    draw(page, PARAGRAPH, [lane_in_time(merges, tokenizer, list(enumerate(counts)))])
    assert page.locator(".curve polyline").count() == 2
    page.locator(".time input").fill("20")
    places = page.evaluate(
        "() => [...window.shadow.querySelectorAll('.dot')].map(({ style }) => [style.left, style.top])"
    )
    (left, own), (also_left, corpus) = ([float(place[:-1]) for place in dot] for dot in places)
    assert left == also_left == pytest.approx(100 * 20 / len(merges), rel=1e-4)
    text_tokens = len(tokenizer.at(276).encode(PARAGRAPH))
    share = text_tokens / len(PARAGRAPH.encode())
    assert (100 - own) / (100 - corpus) == pytest.approx(share / (counts[20] / counts[0]), rel=1e-2)
    names = page.locator(".dot .riding").all_inner_texts()
    assert names == [f"This text · {text_tokens:,}", f"The whole training text · {counts[20]:,}"]


@pytest.mark.parametrize("corpus", [(), ((5, 90),), ((0, 0),)], ids=["none", "no beginning", "no bytes"])
def test_without_a_corpus_the_time_machine_draws_the_text_alone(page: Page, corpus: Any) -> None:
    _, merges, tokenizer, _ = learned(1)
    draw(page, PARAGRAPH, [lane_in_time(merges, tokenizer, corpus)])
    assert page.locator(".curve polyline").count() == 1
    assert page.locator(".corpus-says").is_hidden()
    assert page.locator(".dot.corpus").is_hidden()


def test_points_beyond_the_merges_of_the_moment_are_not_drawn(page: Page) -> None:
    """The curve of a running training may be ahead of the tokenizer that is drawn."""
    _, merges, tokenizer, counts = learned(1)
    column = lane_in_time(merges, tokenizer, [*enumerate(counts), (len(counts) + 5, 1)])
    draw(page, PARAGRAPH, [column])
    assert f"{counts[-1]:,} tokens" in page.locator(".corpus-says").inner_text()


def test_level_lines_keep_their_names() -> None:
    spec = curve_spec((256, 300), "size", Axis("tokens", most=100), levels=[Level("GPT-2", 60), Level("x", 61)])
    assert named_levels(spec) == {"GPT-2": 60, "x": 61}
