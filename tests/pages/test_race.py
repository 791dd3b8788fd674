"""The race to parity: each merge that is named is the first with fewer tokens, and every count is exact."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.ui.choices.parallel_texts import NamedTexts, named, sample_parallel
from pages.ui.home.premiums import sample_premiums
from pages.ui.train import race
from pages.ui.train.race import Moment, moments
from pages.ui.train.race_texts import MOST_BYTES, MOST_CHARACTERS, MOST_LINES, lines_that_fit
from pages.ui.words import catalogue
from tests.helpers.browser import PATIENCE
from tests.helpers.charts import layers, named_levels
from tests.helpers.race import own
from tokenizer_core import openai
from tokenizer_core.errors import RankFileError
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.texts.parallel import Parallel
from tokenizer_core.tokenizer import Tokenizer

ENGLISH = catalogue("en")
HOSTILE_NAME = "<script>*b*.txt"


def pair(first: Sequence[str], second: Sequence[str]) -> Parallel:
    return Parallel(("th", "en"), (tuple(first), tuple(second)), ("\n".join(first), "\n".join(second)))


def sample() -> NamedTexts:
    return named(sample_parallel(), is_sample=True)


# ------------------------------------------------------------------------------------------------ the moments


@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=30),
    st.lists(st.integers(0, 60), min_size=1, max_size=30),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_a_moment_is_the_first_merge_with_fewer_tokens(
    first: list[int], second: list[int], level: int, other_level: int
) -> None:
    counts = [np.array(sorted(side, reverse=True), dtype=np.int32) for side in (first, second)]
    for moment in moments(counts, {"gpt2": (level, other_level)}):
        side, wanted = counts[moment.side].tolist(), (level, other_level)[moment.side]
        fewer = [merge for merge, tokens in enumerate(side) if tokens < wanted]
        assert moment.merge == (fewer[0] if fewer else None)
        assert moment.behind == side[-1] - wanted


def test_what_was_reached_last_stands_first_and_what_is_nearest_before_what_is_far() -> None:
    counts = [np.array([90, 70, 50, 30]), np.array([80, 79, 78, 77])]
    found = moments(counts, {"a": (60, 10), "b": (80, 70), "c": (40, 77)})
    assert [(moment.merge, moment.behind) for moment in found] == [
        (3, -10),
        (2, -30),
        (1, -50),
        (None, 0),
        (None, 7),
        (None, 67),
    ]


def test_an_empty_side_has_no_moments() -> None:
    assert moments([np.array([0, 0]), np.array([5, 4])], {"a": (0, 5)}) == [Moment(1, "a", 1, -1)]


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (Moment(0, "gpt2", 1_143, -5), "Merge 1,143: fewer tokens than GPT-2 on Thai."),
        (Moment(1, "o200k_base", None, 1_204), "Not yet fewer than GPT-4o (o200k) on English: 1,204 more tokens."),
        (Moment(0, "gpt2", None, 0), "As many tokens as GPT-2 on Thai."),
    ],
    ids=["reached", "not yet", "equal"],
)
def test_moments_are_said_in_words(moment: Moment, words: str) -> None:
    assert race.sentences([moment], sample()) == [words]


def test_there_are_never_more_than_six_sentences() -> None:
    counts = race.own_counts("six", own(), sample_parallel())
    assert len(moments(counts, race.reference_counts(sample_parallel()))) == 6


# ------------------------------------------------------------------------------------------------ what is counted


def test_own_counts_are_those_of_encoding_line_by_line() -> None:
    texts, tokenizer = pair(("น้ำ น้ำใจ", "", "ดื่มน้ำ"), ("the cat", "sat", "on  ")), own()
    counts = race.own_counts("exact", tokenizer, texts)
    for side, lines in zip(counts, texts.lines, strict=True):
        for merges in (0, 1, 10, len(tokenizer.merges)):
            at = tokenizer.at(256 + merges)
            assert side[merges] == sum(len(at.encode(line)) for line in lines)


def test_counts_grow_with_the_merges_and_another_pair_has_its_own() -> None:
    tokenizer, texts = own(), pair(("น้ำใจ",), ("the",))
    assert len(race.own_counts("growing", tokenizer.at(260), texts)[0]) == 5
    assert len(race.own_counts("growing", tokenizer.at(270), texts)[0]) == 15
    assert race.own_counts("growing", tokenizer.at(270), pair(("น้ำ",), ("the",)))[0][0] == 9


def test_references_count_the_sample_as_the_home_page_does() -> None:
    counts = race.reference_counts(sample_parallel())
    assert [(name, thai / english) for name, (thai, english) in counts.items()] == sample_premiums()


def test_line_ends_are_not_counted() -> None:
    assert race.reference_counts(pair(("a", "b"), ("", "c")))["gpt2"] == (2, 1)


def test_a_reference_that_cannot_be_read_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:

    def refuse(name: str) -> Any:
        if name == "gpt2":
            raise RankFileError("the rank file must be whole", "rank_file_damaged", path="x")
        return openai_tokenizer(name)

    monkeypatch.setattr(openai, "openai_tokenizer", refuse)
    assert set(race.reference_counts(pair(("left out",), ("left out",)))) == {"cl100k_base", "o200k_base"}


def test_the_premium_stands_beside_those_of_the_references() -> None:
    counts = [np.array([30, 30]), np.array([30, 20])]
    words = race.premium_sentence(counts, {"gpt2": (60, 10), "o200k_base": (14, 10)}, sample())
    assert words == (
        "With yours, Thai now takes 1.50 × the tokens of English; with GPT-2 6.00 ×, GPT-4o (o200k) 1.40 ×."
    )
    assert "1.50" in race.premium_sentence(counts, {}, sample())


# ------------------------------------------------------------------------------------------------ what is drawn


def test_a_dot_stands_on_the_curve_at_each_merge_that_overtook_somebody() -> None:
    counts = np.array(sorted(range(5_000), reverse=True), dtype=np.int32)
    found = [Moment(0, "gpt2", 1_237, -1), Moment(1, "gpt2", 9, -1), Moment(0, "o200k_base", None, 5)]
    levels = {"gpt2": (3_763, 0), "o200k_base": (1, 0)}
    rows, spec = race.side_curve(counts, 6_000, levels, found, sample(), 0)
    assert len(rows) <= 301
    assert [(row["size"], row["value"]) for row in rows if row["moment"]] == [(256 + 1_237, counts[1_237])]
    assert spec["encoding"]["x"]["scale"]["domain"] == [256, 6_256]
    assert named_levels(spec) == {"GPT-2": 3_763, "GPT-4o (o200k)": 1}
    assert any("datum.moment" in str(layer.get("transform")) for layer in layers(spec))


def test_two_overtaken_at_the_same_merge_are_both_named() -> None:
    counts = np.array([9, 3], dtype=np.int32)
    found = moments([counts, counts], {"gpt2": (5, 5), "cl100k_base": (6, 6)})
    rows, _ = race.side_curve(counts, 1, {"gpt2": (5, 5)}, found, sample(), 0)
    assert "GPT-2" in rows[1]["moment"]
    assert "GPT-4" in rows[1]["moment"]


def test_before_the_first_merge_there_is_a_curve_of_one_point() -> None:
    (thai, _) = counts = race.own_counts("none yet", Tokenizer([]), sample_parallel())
    rows, _ = race.side_curve(thai, 100, {}, moments(counts, {}), sample(), 0)
    assert [(row["size"], row["value"]) for row in rows] == [
        (256, sum(len(each.encode()) for each in sample_parallel().lines[0]))
    ]


# ------------------------------------------------------------------------------------------------ another pair


def test_both_sides_are_cut_at_the_same_line() -> None:
    assert lines_that_fit(pair(("ก" * 60,) * 5_000, ("a" * 30,) * 5_000)) == MOST_CHARACTERS // 60
    assert lines_that_fit(pair(("a",) * 9_000, ("b",) * 9_000)) == MOST_LINES


def test_the_name_of_a_file_is_no_markdown_in_a_sentence() -> None:
    texts = named(replace(pair(("a",), ("b",)), names=(HOSTILE_NAME, "b.txt")), is_sample=False)
    assert f"` {HOSTILE_NAME} `" in race.sentences([Moment(0, "gpt2", 1, -1)], texts)[0]


# ------------------------------------------------------------------------------------------------ on the page


def run_race() -> None:
    """A page that has only the race of a small training."""
    from pages.ui.train.race import race
    from tests.helpers.race import own, page_job

    race(page_job(), own())


@pytest.fixture
def page_of_race() -> Callable[..., AppTest]:
    def open_page(language: str = "en") -> AppTest:
        app = AppTest.from_function(run_race, default_timeout=PATIENCE)
        app.session_state["language"] = language
        app.run()
        assert not app.exception
        return app

    return open_page


def charts(app: AppTest) -> list[dict[str, Any]]:

    return [json.loads(chart.proto.spec) for chart in app.get("vega_lite_chart")]


@pytest.mark.parametrize("language", ["en", "th"])
def test_the_page_shows_two_charts_and_six_moments(page_of_race: Callable[..., AppTest], language: str) -> None:
    app = page_of_race(language)
    words = catalogue(language)
    assert len(charts(app)) == 2
    assert app.markdown[-1].value.count("\n") == 5
    assert words["race.what_sample"].format(lines=648) in [caption.value for caption in app.caption]


def upload(app: AppTest, first: bytes, second: bytes) -> AppTest:
    app.file_uploader[0].upload(HOSTILE_NAME, first)
    app.file_uploader[1].upload("b.txt", second)
    app.run()
    assert not app.exception
    return app


def test_an_uploaded_pair_takes_the_place_of_the_sample_until_it_is_sent_back(
    page_of_race: Callable[..., AppTest],
) -> None:
    app = upload(page_of_race(), "น้ำ\nใจ".encode(), b"water\nheart")
    named = ENGLISH["race.what_files"].format(lines=2, first=f"` {HOSTILE_NAME} `", second="b.txt")
    assert named in [caption.value for caption in app.caption]
    assert named_levels(charts(app)[0])["GPT-2"] == sum(
        len(openai_tokenizer("gpt2").encode(line)) for line in ("น้ำ", "ใจ")
    )
    app.button(key="race_back").click().run()
    assert ENGLISH["race.what_sample"].format(lines=648) in [caption.value for caption in app.caption]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (b"a\nb", b"a", "must have the same number of lines"),
        (b"", b"", "empty"),
        (b"a" * (MOST_CHARACTERS + 1), b"a", "too long"),
        (b"\n\n", b"a\nb", "must have text"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9, b"a", "not a text file"),
        (b"a" * MOST_BYTES, b"a", "At most 4 MB"),
    ],
    ids=["other lines", "empty", "endless line", "one side empty", "a picture", "too large"],
)
def test_a_bad_upload_is_refused_and_the_sample_stays(
    page_of_race: Callable[..., AppTest], first: bytes, second: bytes, said: str
) -> None:
    app = upload(page_of_race(), first, second)
    assert said in " ".join(error.value for error in app.error)
    assert ENGLISH["race.what_sample"].format(lines=648) in [caption.value for caption in app.caption]


def test_one_file_alone_asks_for_the_other(page_of_race: Callable[..., AppTest]) -> None:
    app = page_of_race()
    app.file_uploader[0].upload("a.txt", b"a").run()
    assert ENGLISH["race.one_more"] in [info.value for info in app.info]


def test_a_long_pair_says_how_much_of_it_is_counted(page_of_race: Callable[..., AppTest]) -> None:
    app = upload(page_of_race(), b"a\n" * 3_000, b"b\n" * 3_000)
    said = ENGLISH["race.cut"].format(lines=f"{MOST_LINES:,}", all="3,000")
    assert said in [caption.value for caption in app.caption]


def test_other_ends_of_lines_than_line_feeds_end_no_line(page_of_race: Callable[..., AppTest]) -> None:
    """The same two files make as many pairs here as on the Languages page."""
    app = upload(page_of_race(), "น้ำ\u2028ใจ\nดี".encode(), b"heart\ngood")
    assert not app.error
    named = ENGLISH["race.what_files"].format(lines=2, first=f"` {HOSTILE_NAME} `", second="b.txt")
    assert named in [caption.value for caption in app.caption]
