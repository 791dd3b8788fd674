"""Mixing Thai and English: whole lines in order, weights kept to within a line; shares of scripts."""

import hashlib
import math
from collections import Counter
from collections.abc import Sequence

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue, filled
from tests.helpers.browser import PATIENCE
from tests.helpers.hostile import hostile_texts
from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.mixing import (
    SAMPLE,
    Mix,
    ScriptLines,
    Unit,
    first_lines,
    frontier_size,
    frontier_texts,
    held_out,
    lines_by_script,
    mix,
    script_shares,
    script_sizes,
    shares_of,
    sizes,
)
from tokenizer_core.workers.training_settings import corpus_hash

UNITS: tuple[Unit, ...] = ("bytes", "characters")
lines = st.lists(st.text(alphabet="กขน้ำab é1", max_size=12), min_size=1, max_size=30)
weights = st.one_of(st.integers(1, 9), st.floats(1e-3, 1e3))
units = st.sampled_from(UNITS)


def size(text: str, unit: Unit) -> int:
    return len(text.encode()) if unit == "bytes" else len(text)


def script_by_definition(line: str) -> str:
    """The script with most letters, in plain words: the twin of the table."""
    thai = len(regex.findall(r"[[\p{L}\p{M}]&&\p{Thai}]", line, regex.V1))
    latin = len(regex.findall(r"[\p{L}&&\p{Latin}]", line, regex.V1))
    other = len(regex.findall(r"\p{L}", line)) - len(
        regex.findall(r"[\p{L}&&[\p{Thai}\p{Latin}]]", line, regex.V1)
    )
    if not thai + latin + other:
        return "other"
    return max((thai, 2, "thai"), (latin, 1, "latin"), (other, 0, "other"))[2]


@given(st.lists(hostile_texts, max_size=4))
def test_lines_are_sorted_as_defined_and_none_is_lost(texts: list[str]) -> None:
    sides = lines_by_script(texts)
    all_lines = [line for text in texts for line in (text.removesuffix("\n").split("\n") if text else [])]
    for side, name in zip(sides, ScriptLines._fields, strict=True):
        assert side == [line for line in all_lines if script_by_definition(line) == name]
    for unit, found in script_sizes(texts).items():
        assert found == (*(sizes(side, unit).sum() for side in sides), len(sides.other))


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("ภาษาไทย", "thai"),
        ("Thai language", "latin"),
        ("ใช้ AI", "thai"),
        ("the word ไทย", "latin"),
        ("กab", "latin"),
        ("ก a", "thai"),
        ("a漢", "latin"),
        ("漢字a", "other"),
        ("๒๕๖๗ 2567 ฿", "other"),
        ("Ééß", "latin"),
        ("\r", "other"),
        ("\ud83d ก", "thai"),
    ],
    ids=repr,
)
def test_a_line_belongs_to_the_script_of_most_of_its_letters(line: str, script: str) -> None:
    assert getattr(lines_by_script([line]), script) == [line]


def test_only_a_line_feed_ends_a_line() -> None:
    assert lines_by_script("ก\r\nข\x85ค\u2028ง\n").thai == ["ก\r", "ข\x85ค\u2028ง"]


def test_the_first_and_the_last_characters_of_each_width_have_their_bytes() -> None:
    for letters in ("\x7f\x80\u07ff\u0800", "\ud7ff\ue000\uffff\U00010000", "\x00\U0010ffff"):
        assert script_sizes([letters + "\n"])["bytes"].other == len(letters.encode()) + 1
        assert script_sizes([letters])["bytes"].other == sizes([letters], "bytes").sum()


def test_a_long_text_is_sorted_as_its_parts_are(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "ภาษาไทย\nEnglish\n\n123\n漢字\n" * 50
    whole, measured = lines_by_script(text), script_sizes([text])
    monkeypatch.setattr("tokenizer_core.readers.mixing._BATCH", 7)
    assert lines_by_script(text) == whole
    assert script_sizes([text]) == measured
    assert [len(side) for side in whole] == [50, 50, 150]


@given(lines, lines, weights, weights, units)
def test_a_mix_keeps_the_weights_to_within_a_line_and_uses_one_side_up(
    thai: list[str], latin: list[str], thai_weight: float, latin_weight: float, unit: Unit
) -> None:
    mixed = mix(thai, latin, (thai_weight, latin_weight), unit)
    taken = [text.removesuffix("\n").split("\n") for text in mixed.texts]
    assert [size(text, unit) for text in mixed.texts] == [mixed.thai_size, mixed.latin_size]
    assert taken == [thai[: len(taken[0])], latin[: len(taken[1])]]  # verbatim, in order, from the beginning
    assert len(taken[0]) == len(thai) or len(taken[1]) == len(latin)
    off = abs(mixed.thai_size - mixed.latin_size * thai_weight / latin_weight)
    off_latin = abs(mixed.latin_size - mixed.thai_size * latin_weight / thai_weight)
    longest = [max(size(line + "\n", unit) for line in side) for side in (thai, latin)]
    assert off < longest[0] + 1e-6 or off_latin < longest[1] + 1e-6


@given(lines, lines, weights, weights, units)
def test_no_other_number_of_lines_comes_nearer(
    thai: list[str], latin: list[str], thai_weight: float, latin_weight: float, unit: Unit
) -> None:
    mixed = mix(thai, latin, (thai_weight, latin_weight), unit)
    sides = ((thai, mixed.thai_size, thai_weight), (latin, mixed.latin_size, latin_weight))
    scale = min(size("\n".join([*side, ""]), unit) / weight for side, _, weight in sides)
    for side, taken, weight in sides:
        possible = [size("\n".join([*side[:count], ""]), unit) for count in range(1, len(side) + 1)]
        nearest = min(abs(each - weight * scale) for each in possible)
        assert math.isclose(abs(taken - weight * scale), nearest, abs_tol=1e-6)


@pytest.mark.parametrize(("wanted", "expected"), [((1, 0), ("ก\nข\n",)), ((0, 3), ("a\nb\n",))])
def test_a_side_without_weight_is_left_out(wanted: tuple[int, int], expected: tuple[str, ...]) -> None:
    assert mix(["ก", "ข"], ["a", "b"], wanted, "bytes").texts == expected
    sides: list[Sequence[str]] = [["ก", "ข"], ["a", "b"]]
    sides[wanted.index(0)] = []
    assert mix(sides[0], sides[1], wanted, "bytes").texts == expected


def test_a_first_line_longer_than_its_share_still_comes() -> None:
    assert mix(["ก" * 100], ["a"], (1, 1), "bytes") == Mix(("ก" * 100 + "\n", "a\n"), 301, 2)


@pytest.mark.parametrize("wanted", [(0, 0), (-1, 2), (2, -1), (math.nan, 1), (1, math.inf), (-0.0, 0.0)], ids=str)
def test_weights_must_be_weights(wanted: tuple[float, float]) -> None:
    with pytest.raises(CorpusError) as refused:
        mix(["ก"], ["a"], wanted, "bytes")
    assert refused.value.code == "mix_weights"
    assert refused.value.values == {"thai": str(wanted[0]), "latin": str(wanted[1])}
    for language in ("en", "th"):
        assert filled(catalogue(language)["errors.mix_weights"], **refused.value.values)


@pytest.mark.parametrize(("thai", "latin", "code"), [([], ["a"], "mix_no_thai"), (["ก"], [], "mix_no_latin")])
def test_a_side_with_weight_must_hold_lines(thai: list[str], latin: list[str], code: str) -> None:
    with pytest.raises(CorpusError) as refused:
        mix(thai, latin, (1, 1), "bytes")
    assert refused.value.code == code


# ---- the texts of a frontier


@given(st.lists(st.text("กa", max_size=5), max_size=30))
def test_every_fifth_line_is_held_out_and_none_lost(side: list[str]) -> None:
    training, measured = held_out(side)
    assert len(measured) == len(side) // 5
    for number, line in enumerate(measured, 1):
        training.insert(5 * number - 1, line)
    assert training == side


@given(lines, lines, st.integers(0, 10))
def test_the_texts_of_a_frontier_are_of_one_size_and_the_share_asked_for(
    thai: list[str], latin: list[str], tenths: int
) -> None:
    total = frontier_size(thai, latin, most=60)
    texts = frontier_texts(thai, latin, tenths / 10, total)
    assert len(texts) == (1 if tenths in (0, 10) else 2)
    goals = [goal for goal in (tenths / 10 * total, (1 - tenths / 10) * total) if goal]
    sources = [side for side, share in ((thai, tenths), (latin, 10 - tenths)) if share]
    for text, goal, source in zip(texts, goals, sources, strict=True):
        taken = text.removesuffix("\n").split("\n")
        assert taken == source[: len(taken)]
        longest = max(len(line.encode()) + 1 for line in source)
        assert abs(len(text.encode()) - goal) < longest


def test_all_lines_of_both_sides_can_make_a_frontier() -> None:
    thai, latin = ["กขค"] * 9, ["abc"] * 9
    assert frontier_texts(thai, latin, 0.5, 72) == ("กขค\n" * 4, "abc\n" * 9)
    assert frontier_texts(thai, latin, 1, 90) == ("กขค\n" * 9,)
    assert frontier_texts(thai, latin, 0, 36) == ("abc\n" * 9,)
    assert [frontier_size(thai, latin, most=most) for most in (35, 36, 37)] == [35, 36, 36]
    with pytest.raises(CorpusError) as refused:
        frontier_texts([], latin, 0.5, 10)
    assert refused.value.values == {"wanted": 5, "held": 0}


def test_of_two_numbers_of_lines_as_near_the_smaller_is_taken() -> None:
    assert [len(text) for size in (5, 6, 7) for text in frontier_texts([], ["abc"] * 3, 0, size)] == [4, 4, 8]
    assert frontier_texts([], ["abc"] * 3, 0, 1) == ("abc\n",)


@given(lines, st.integers(1, 200))
def test_the_first_lines_are_enough_and_no_more(side: list[str], least: int) -> None:
    taken = first_lines(side, least)
    assert taken == side[: len(taken)]
    reached = sum(len(line.encode()) + 1 for line in taken)
    assert reached >= least or taken == side
    assert reached - len(taken[-1].encode()) - 1 < least


@pytest.mark.parametrize(
    ("share", "total", "code", "values"),
    [
        (1.5, 10, "mix_weights", {"thai": "1.5", "latin": "-0.5"}),
        (-0.5, 10, "mix_weights", {"thai": "-0.5", "latin": "1.5"}),
        (math.nan, 10, "mix_weights", {"thai": "nan", "latin": "nan"}),
        (0.5, 0, "mix_weights", {"thai": "0.5", "latin": "0.5"}),
        (0.5, 74, "mix_too_small", {"wanted": 37, "held": 36}),
        (0.75, 122, "mix_too_small", {"wanted": 92, "held": 90}),
        (1, 91, "mix_too_small", {"wanted": 91, "held": 90}),
    ],
)
def test_a_frontier_refuses_what_cannot_be_compared(
    share: float, total: int, code: str, values: dict[str, str | int]
) -> None:
    with pytest.raises(CorpusError) as refused:
        frontier_texts(["กขค"] * 9, ["abc"] * 9, share, total)
    assert (refused.value.code, refused.value.values) == (code, values)
    for language in ("en", "th"):
        assert filled(catalogue(language)[f"errors.{code}"], **refused.value.values)


# ---- on the page

TEXTS = ("ภาษาไทยวันนี้\n" * 100, "plain English\n" * 90 + "123\n\n")


def page_with_a_mix() -> None:
    """What a page draws: a corpus, and the controls of its mix."""
    import streamlit as st

    from pages.ui.inputs.corpus import Corpus
    from pages.ui.inputs.corpus_picker import mix_controls

    corpus = mix_controls(Corpus("mine", st.session_state["texts"]))
    st.session_state["out"] = (corpus.name, corpus.texts)


def open_mix(texts: tuple[str, ...] = TEXTS, language: str = "en") -> AppTest:
    app = AppTest.from_function(page_with_a_mix, default_timeout=PATIENCE)
    app.session_state["texts"] = texts
    app.session_state["language"] = language
    app.run()
    assert not app.exception
    return app


def set_mix(app: AppTest, preset: str, unit: str = "bytes") -> AppTest:
    app.toggle(key="mix_set").set_value(True).run()
    app.segmented_control(key="mix_preset").set_value(preset).run()
    app.segmented_control(key="mix_unit").set_value(unit).run()
    assert not app.exception
    return app


def captions(app: AppTest) -> str:
    return " ".join(caption.value for caption in app.caption)


@pytest.mark.parametrize(
    "texts", [("ไทย\n",), ("Thai\n",), ("", "\n"), ("123",)], ids=["th", "en", "empty", "digits"]
)
def test_a_corpus_of_one_script_has_nothing_to_mix(texts: tuple[str, ...]) -> None:
    app = open_mix(texts)
    assert not app.toggle
    assert app.session_state["out"] == ("mine", texts)


def test_the_mix_is_off_at_first_and_changes_nothing() -> None:
    app = open_mix()
    assert app.toggle(key="mix_set").value is False
    assert app.session_state["out"] == ("mine", TEXTS)
    set_mix(app, "as_it_is")
    assert app.session_state["out"] == ("mine", TEXTS)
    assert "Thai 4.0 kB (76%) : English 1.3 kB (24%)." in captions(app)


def test_a_preset_changes_the_corpus_and_says_what_is_left_out() -> None:
    app = set_mix(open_mix(), "1 : 1")
    name, texts = app.session_state["out"]
    assert texts == ("ภาษาไทยวันนี้\n" * 31, "plain English\n" * 90)
    assert name == "mix:1 : 1:bytes:mine"
    assert "Left out: Thai 2.8 kB · 2 lines in neither language (0.0 kB)." in captions(app)
    set_mix(app, "2 : 1", "characters")
    name, texts = app.session_state["out"]
    assert texts == ("ภาษาไทยวันนี้\n" * 100, "plain English\n" * 50)
    assert "characters" in name
    assert "English 560 characters" in captions(app)


# ---- shares of scripts, and the hash of a corpus


@pytest.mark.parametrize(
    ("texts", "shares"),
    [
        (["ก่ ab"], (0.5, 0.5, 0.0)),
        (["กา", "ab", "漢字"], (1 / 3, 1 / 3, 1 / 3)),
        (["ก ๑๒๓ ฿ 123 \u0301"], (0.5, 0.0, 0.5)),
        (["é", "e\u0301"], (0.0, 2 / 3, 1 / 3)),
    ],
    ids=["marks", "three scripts", "digits are no letters", "accents"],
)
def test_shares_of_scripts_count_letters_and_marks(texts: list[str], shares: tuple[float, float, float]) -> None:
    counted = script_shares(texts)
    assert counted is not None
    assert counted[:3] == pytest.approx(shares)
    assert not counted.is_sample


@pytest.mark.parametrize("texts", [[], [""], ["123 !?\n"]])
def test_without_letters_there_are_no_shares(texts: list[str]) -> None:
    assert script_shares(texts) is None


@pytest.mark.parametrize(
    "texts",
    [
        ["ก" * SAMPLE + "a" * 3 * SAMPLE],
        ["ก" * 1_000] * (SAMPLE // 1_000) + ["a" * 3 * SAMPLE],
        ["a" * 3 * SAMPLE, "ก" * SAMPLE],
    ],
    ids=["one text", "short and long texts", "two texts"],
)
def test_a_sample_of_a_large_corpus_is_even_and_said_to_be_one(texts: list[str]) -> None:
    shares = script_shares(texts)
    assert shares is not None
    assert shares.is_sample
    assert shares.thai == pytest.approx(0.25, abs=0.01)
    assert sum(shares[:3]) == pytest.approx(1)


def test_a_corpus_as_large_as_a_sample_is_counted_whole() -> None:
    whole, sample = script_shares(["ก" + "a" * (SAMPLE - 1)]), script_shares(["a" * SAMPLE, "b"])
    assert whole is not None
    assert sample is not None
    assert (whole.is_sample, whole.thai) == (False, 1 / SAMPLE)
    assert (sample.is_sample, sample[:3]) == (True, (0.0, 1.0, 0.0))


def test_shares_of_counted_characters_are_those_of_their_text() -> None:
    text = "ก้ ab é漢 12"
    found = shares_of(Counter(text))
    assert found is not None
    assert found == script_shares([text])
    assert shares_of(Counter(text), is_sample=True) == found._replace(is_sample=True)
    assert shares_of({"1": 5}) is None


def test_the_hash_is_that_of_lengths_and_bytes() -> None:
    by_hand = (6).to_bytes(8, "little") + "กข".encode() + (1).to_bytes(8, "little") + b"a"
    assert corpus_hash(["กข", "a"]) == hashlib.sha256(by_hand).hexdigest()
