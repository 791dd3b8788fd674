"""The race to parity: each merge that is named is the first with fewer tokens, and every count is exact."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled
from pages.ui.inputs.corpus import sample_premiums, sample_to_train_on
from pages.ui.inputs.parallel_texts import NamedTexts, named, sample_parallel
from pages.ui.train import race
from pages.ui.train.race import (
    MOST_BYTES,
    MOST_CHARACTERS,
    MOST_LINES,
    Moment,
    held_out_pairs,
    lines_that_fit,
    moments,
)
from tests.helpers.browser import PATIENCE
from tests.helpers.training import learned, own
from tokenizer_core.analysis.bootstrap import premium_intervals
from tokenizer_core.bpe import openai
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.errors import RankFileError
from tokenizer_core.readers.parallel import Parallel

ENGLISH = catalogue("en")
HOSTILE_NAME = "<script>*b*.txt"


def pair(first: Sequence[str], second: Sequence[str]) -> Parallel:
    return Parallel(("th", "en"), (tuple(first), tuple(second)), ("\n".join(first), "\n".join(second)))


def sample() -> NamedTexts:
    return named(sample_parallel(), is_sample=True)


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
    assert [moment.merge for moment in found] == [1, 2, 3, None, None, None]
    assert [moment.behind for moment in found] == [-50, -30, -10, 0, 7, 67]


def test_an_empty_side_has_no_moments() -> None:
    assert moments([np.array([0, 0]), np.array([5, 4])], {"a": (0, 5)}) == [Moment(1, "a", 1, -1)]


@pytest.mark.parametrize(
    ("moment", "key", "values"),
    [
        (Moment(0, "gpt2", 1_143, -5), "reached", {"merge": 1_143, "reference": "GPT-2", "name": "Thai"}),
        (Moment(1, "gpt2", None, 1_204), "not_yet", {"behind": 1_204, "reference": "GPT-2", "name": "English"}),
        (Moment(0, "gpt2", None, 0), "equal", {"reference": "GPT-2", "name": "Thai"}),
    ],
    ids=["reached", "not yet", "equal"],
)
def test_moments_are_said_in_words(moment: Moment, key: str, values: dict[str, Any]) -> None:
    assert race.sentences([moment], sample()) == [filled(ENGLISH[f"race.{key}"], **values)]


def test_own_counts_are_those_of_encoding_line_by_line() -> None:
    texts, tokenizer = pair(("น้ำ น้ำใจ", "", "ดื่มน้ำ"), ("the cat", "sat", "on  ")), own()
    counts = race.own_counts("exact", tokenizer, texts)
    for side, lines in zip(counts, texts.lines, strict=True):
        for merges in (0, 1, 10, len(tokenizer.merges)):
            at = tokenizer.at(256 + merges)
            assert side[merges] == sum(len(at.encode(line)) for line in lines)


def test_references_count_the_sample_as_the_home_page_does() -> None:
    counts = race.reference_counts(sample_parallel())
    assert [(name, thai / english) for name, (thai, english) in counts.items()] == sample_premiums()


def test_line_ends_are_not_counted() -> None:
    assert race.reference_counts(pair(("a", "b"), ("", "c")))["gpt2"] == (2, 1)


def test_a_reference_that_cannot_be_read_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:

    def refuse(name: str) -> Any:
        if name == "gpt2":
            raise RankFileError("rank_file_damaged", path="x")
        return openai_tokenizer(name)

    monkeypatch.setattr(openai, "openai_tokenizer", refuse)
    assert set(race.reference_counts(pair(("left out",), ("left out",)))) == {"cl100k_base", "o200k_base"}


def test_the_premium_stands_beside_those_of_the_references() -> None:
    counts = [np.array([30, 30]), np.array([30, 20])]
    words = race.premium_sentence(counts, {"gpt2": (60, 10), "o200k_base": (14, 10)}, sample())
    others = "GPT-2 6.00 ×, GPT-4o (o200k) 1.40 ×"
    assert words == filled(ENGLISH["race.premium"], first="Thai", second="English", premium="1.50", others=others)
    assert "1.50" in race.premium_sentence(counts, {}, sample())


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


@pytest.mark.parametrize(
    ("seen", "note"),
    [
        (("น้ำใจ\nother",), filled(ENGLISH["stage.race_trained_on"], seen=1, lines=2)),
        (("other", " the cat "), filled(ENGLISH["stage.race_trained_on"], seen=1, lines=2)),
        (("น้ำใจ other",), filled(ENGLISH["stage.race_held_out"], lines=2)),
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


def test_both_sides_are_cut_at_the_same_line() -> None:
    assert lines_that_fit(pair(("ก" * 60,) * 5_000, ("a" * 30,) * 5_000)) == MOST_CHARACTERS // 60
    assert lines_that_fit(pair(("a",) * 9_000, ("b",) * 9_000)) == MOST_LINES


def run_race() -> None:
    """A page that has only the race of a small training."""
    from pages.ui.train.race import choose_race_texts, race
    from tests.helpers.training import learned, own

    race(learned(own()), own(), *choose_race_texts())


def page_of_race(language: str = "en") -> AppTest:
    app = AppTest.from_function(run_race, default_timeout=PATIENCE)
    app.session_state["language"] = language
    app.run()
    assert not app.exception
    return app


def captions(app: AppTest) -> list[str]:
    return [caption.value for caption in app.caption]


@pytest.mark.parametrize("language", ["en", "th"])
def test_the_page_says_six_moments(language: str) -> None:
    app = page_of_race(language)
    words = catalogue(language)
    assert app.markdown[-1].value.count("\n") == 5
    assert filled(words["race.what_sample"], lines=held_out_pairs().pairs) in captions(app)
    sides = [own().encode_each(side).counts for side in held_out_pairs().lines]
    (low, high), *_ = [each or (0.0, 0.0) for each in premium_intervals(sides[:1], sides[1:])]
    sure = {"tokenizer": words["race.yours"], "low": f"{low:.2f}", "high": f"{high:.2f}"}
    assert any(filled(words["interval.of"], **sure) in each for each in captions(app))


def upload(app: AppTest, first: bytes, second: bytes) -> AppTest:
    app.file_uploader[0].upload(HOSTILE_NAME, first)
    app.file_uploader[1].upload("b.txt", second)
    app.run()
    assert not app.exception
    return app


def test_an_uploaded_pair_takes_the_place_of_the_sample_until_it_is_sent_back() -> None:
    app = upload(page_of_race(), "ရေ\nနှလုံး".encode(), b"water\nheart")
    name = HOSTILE_NAME.removesuffix(".txt")
    assert filled(ENGLISH["race.what_files"], lines=2, first=f"` {name} `", second="b") in captions(app)
    assert f"As many tokens as GPT-2 on ` {name} `" in app.markdown[-1].value
    app.button(key="race_back").click().run()
    assert filled(ENGLISH["race.what_sample"], lines=held_out_pairs().pairs) in captions(app)


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
def test_a_bad_upload_is_refused_and_the_sample_stays(first: bytes, second: bytes, said: str) -> None:
    app = upload(page_of_race(), first, second)
    assert said in " ".join(error.value for error in app.error)
    assert filled(ENGLISH["race.what_sample"], lines=held_out_pairs().pairs) in captions(app)


def test_one_file_alone_asks_for_the_other() -> None:
    app = page_of_race()
    app.file_uploader[0].upload("a.txt", b"a").run()
    assert ENGLISH["race.one_more"] in [info.value for info in app.info]


def test_a_long_pair_says_how_much_of_it_is_counted() -> None:
    app = upload(page_of_race(), b"a\n" * 3_000, b"b\n" * 3_000)
    said = filled(ENGLISH["race.cut"], lines=f"{MOST_LINES:,}", all="3,000")
    assert said in captions(app)


def test_other_ends_of_lines_than_line_feeds_end_no_line() -> None:
    """The same two files make as many pairs here as on the Languages page."""
    app = upload(page_of_race(), "น้ำ\u2028ใจ\nดี".encode(), b"heart\ngood")
    assert not app.error
    named = filled(ENGLISH["race.what_files"], lines=2, first=ENGLISH["languages.th"], second="b")
    assert named in captions(app)
