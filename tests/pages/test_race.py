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

from pages.ui.choices.first_training import sample_to_train_on
from pages.ui.choices.parallel_texts import NamedTexts, named, sample_parallel
from pages.ui.home.premiums import sample_premiums
from pages.ui.train import race
from pages.ui.train.race import Moment, moments
from pages.ui.train.race_texts import (
    MOST_BYTES,
    MOST_CHARACTERS,
    MOST_LINES,
    held_out_pairs,
    lines_that_fit,
)
from pages.ui.words import catalogue
from tests.helpers.browser import PATIENCE
from tests.helpers.race import learned, own
from tokenizer_core import openai
from tokenizer_core.errors import RankFileError
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.texts.parallel import Parallel
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import train

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


def test_what_was_reached_stands_in_its_order_and_what_is_nearest_before_what_is_far() -> None:
    counts = [np.array([90, 70, 50, 30]), np.array([80, 79, 78, 77])]
    found = moments(counts, {"a": (60, 10), "b": (80, 70), "c": (40, 77)})
    assert [(moment.merge, moment.behind) for moment in found] == [
        (1, -50),
        (2, -30),
        (3, -10),
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
        (
            Moment(1, "o200k_base", None, 1_204),
            "Not yet fewer than GPT-4o (o200k) on English. Difference in tokens: 1,204.",
        ),
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


# ------------------------------------------------------------------------------------------ what the stage is told


def answer(texts: NamedTexts, tokenizer: Tokenizer, name: str, *, seen: Sequence[str] = ()) -> dict[str, Any]:
    """What the stage is told of a training on texts that the app may have kept."""
    found: dict[str, Any] = json.loads(race.race_answer(learned(tokenizer, seen, name), texts, "en"))
    return found


def test_the_stage_gets_the_count_of_both_sides_after_each_merge_that_changed_it() -> None:
    texts, tokenizer = named(pair(("น้ำใจ", "ดื่มน้ำ"), ("the cat", "sat")), is_sample=True), own()
    size = len(tokenizer.merges) + 1
    for runner, lines in zip(answer(texts, tokenizer, "told")["runners"], texts.parallel.lines, strict=True):
        counts = [sum(len(tokenizer.at(256 + n).encode(line)) for line in lines) for n in range(size)]
        changed = [n for n in range(size) if n == 0 or counts[n] < counts[n - 1]]
        assert runner["learned"] == len(tokenizer.merges)
        assert runner["steps"] == [number for n in changed for number in (n, counts[n])]
        assert [level["name"] for level in runner["levels"]] == ["GPT-2", "GPT-4 (cl100k)", "GPT-4o (o200k)"]
        assert [level["count"] for level in runner["levels"]] == [
            sum(len(openai_tokenizer(name).encode(line)) for line in lines) for name in OPENAI_NAMES
        ]


def test_the_race_has_the_count_after_every_merge() -> None:
    letters = [chr(0xE01 + a) + chr(0xE01 + b) for a in range(20) for b in range(20)]
    tokenizer = Tokenizer(train(" ".join(letters * 2), 256 + 440, pattern="none").merges, pattern="none")
    texts = named(pair((" ".join(letters),), ("",)), is_sample=True)
    counts = race.own_counts("long", tokenizer, texts.parallel)[0]
    steps = answer(texts, tokenizer, "long")["runners"][0]["steps"]
    known = dict(zip(steps[::2], steps[1::2], strict=True))
    said: list[int | None] = []
    for merge in range(len(counts)):
        said.append(known.get(merge, said[-1] if said else None))
    assert said == counts.tolist()


def test_before_the_first_merge_every_byte_is_a_token() -> None:
    (thai, english) = answer(sample(), Tokenizer([]), "none yet")["runners"]
    for runner, side in ((thai, 0), (english, 1)):
        tokens = sum(len(line.encode()) for line in sample_parallel().lines[side])
        assert (runner["learned"], runner["steps"]) == (0, [0, tokens])


@pytest.mark.parametrize(
    ("seen", "note"),
    [
        (("น้ำใจ\nother",), ENGLISH["stage.race_trained_on"].format(seen=1, lines=2)),
        (("other", " the cat "), ENGLISH["stage.race_trained_on"].format(seen=1, lines=2)),
        (("น้ำใจ other",), ENGLISH["stage.race_held_out"].format(lines=2)),
        ((), ""),
    ],
    ids=["a line", "the other side", "not a line", "no longer kept"],
)
def test_the_race_says_which_lines_were_learned_from(seen: Sequence[str], note: str) -> None:
    texts = named(pair(("น้ำใจ", "ดี"), ("the cat", "sat")), is_sample=True)
    assert answer(texts, own(), f"seen {seen}", seen=seen)["note"] == note


def test_the_race_is_run_on_lines_that_no_bundled_training_has_seen() -> None:
    held = held_out_pairs()
    assert 100 < held.pairs < sample_parallel().pairs / 4
    for card in ("th", "both"):
        job = learned(own(), sample_to_train_on(card).texts, f"held out {card}")
        assert race.lines_seen(job, held) == 0


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
    from pages.ui.train.race_texts import choose_race_texts
    from tests.helpers.race import learned, own

    race(learned(own()), own(), *choose_race_texts())


@pytest.fixture
def page_of_race() -> Callable[..., AppTest]:
    def open_page(language: str = "en") -> AppTest:
        app = AppTest.from_function(run_race, default_timeout=PATIENCE)
        app.session_state["language"] = language
        app.run()
        assert not app.exception
        return app

    return open_page


@pytest.mark.parametrize("language", ["en", "th"])
def test_the_page_says_six_moments(page_of_race: Callable[..., AppTest], language: str) -> None:
    app = page_of_race(language)
    words = catalogue(language)
    assert app.markdown[-1].value.count("\n") == 5
    assert words["race.what_sample"].format(lines=held_out_pairs().pairs) in [
        caption.value for caption in app.caption
    ]


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
    needed = sum(len(openai_tokenizer("gpt2").encode(line)) for line in ("น้ำ", "ใจ"))
    mine = sum(len(own().encode(line)) for line in ("น้ำ", "ใจ"))
    assert mine < needed
    assert f"fewer tokens than GPT-2 on ` {HOSTILE_NAME} `" in app.markdown[-1].value
    app.button(key="race_back").click().run()
    assert ENGLISH["race.what_sample"].format(lines=held_out_pairs().pairs) in [
        caption.value for caption in app.caption
    ]


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
    assert ENGLISH["race.what_sample"].format(lines=held_out_pairs().pairs) in [
        caption.value for caption in app.caption
    ]


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
