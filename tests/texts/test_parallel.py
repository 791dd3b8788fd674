"""Parallel texts: which lines are pairs, and what is refused."""

import gzip
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tests.helpers.parallel import files
from tests.helpers.sample import ENGLISH, ENGLISH_LINES, THAI, THAI_LINES
from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.alignment import first_extra_line, first_shifted
from tokenizer_core.texts.archives import PackedFile, unpack
from tokenizer_core.texts.parallel import (
    EmptyLines,
    Parallel,
    parallel_files,
    parallel_texts,
    read_parallel,
    split_lines,
)


def refusal(*, code: str, **contents: str | bytes) -> CorpusError:
    """Why these files are not compared."""
    with pytest.raises(CorpusError) as caught:
        read_parallel(files(**contents))
    assert caught.value.code == code
    return caught.value


# ---- lines


@given(hostile_texts)
def test_only_line_feeds_end_lines_and_nothing_is_lost(text: str) -> None:
    by_hand = [line.removesuffix("\r") for line in text.split("\n")[:-1]]
    last = text.split("\n")[-1]
    assert split_lines(text) == [*by_hand, *([last] if last else [])]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb", ["a", "b"]),
        ("a\nb\n", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\n\n", ["a", ""]),
        ("\n\n", ["", ""]),
        ("a\rb\n", ["a\rb"]),
        ("a\x85b\u2028c\x0bd\x1ce\n", ["a\x85b\u2028c\x0bd\x1ce"]),
        ("", []),
    ],
    ids=["no end", "end", "crlf", "empty last", "only ends", "lone cr", "other separators", "nothing"],
)
def test_what_a_line_is(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


def test_an_end_at_the_end_makes_no_difference() -> None:
    assert parallel_texts(["a", "b"], ["x\ny\n", "x\ny"]).pairs == 2


def test_empty_lines_stay_pairs_and_are_counted() -> None:
    parallel = parallel_texts(["a", "b"], ["x\n\n \ny\n", "x\n\ny\ny\n"])
    assert parallel.pairs == 4
    assert parallel.empty == EmptyLines(all_sides=1, some_sides=1, first=3)


# ---- what is refused


def test_files_of_different_length_are_refused_with_counts_and_the_line() -> None:
    broken = "\n".join([*ENGLISH_LINES[:100], *ENGLISH_LINES[101:]])
    error = refusal(code="parallel_lines_differ", a_th=THAI, b_en=broken)
    assert error.values["first"] == "a.th"
    assert (error.values["first_lines"], error.values["other_lines"]) == (648, 647)
    assert abs(error.values["line"] - 101) <= 3
    assert "648" in str(error)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("missing", [1, 4])
def test_the_line_where_files_part_is_found(seed: int, missing: int) -> None:
    start = random.Random(seed).randrange(480)
    shorter = ENGLISH_LINES[:start] + ENGLISH_LINES[start + missing :]
    assert abs(first_extra_line(THAI_LINES, shorter) - start - 1) <= 5
    assert abs(first_extra_line(shorter, THAI_LINES) - start - 1) <= 5


def test_a_file_that_is_cut_off_parts_at_its_end() -> None:
    assert first_extra_line(THAI_LINES, ENGLISH_LINES[:-2]) in range(645, 649)


@pytest.mark.parametrize("start", [0, 50, 200, 400, 450])
def test_lines_out_of_step_are_noticed_though_files_have_the_same_length(start: int) -> None:
    late = [*ENGLISH_LINES[:start], "One line that nobody translated.", *ENGLISH_LINES[start:-1]]
    found = first_shifted(THAI_LINES, late)
    assert found is not None
    assert abs(found - start - 1) <= 3


@pytest.mark.parametrize(("late", "again"), [(5, 250), (100, 300), (1, 50), (300, 340)])
def test_lines_that_are_out_of_step_for_a_while_are_noticed(late: int, again: int) -> None:
    thai = [*THAI_LINES[:late], *THAI_LINES[late + 1 :]]
    english = [*ENGLISH_LINES[:again], *ENGLISH_LINES[again + 1 :]]
    found = first_shifted(thai, english)
    assert found is not None
    assert abs(found - late - 1) <= 5


@pytest.mark.parametrize("late", [1, 4, 5, 8, 10])
def test_a_side_that_is_some_lines_late_is_noticed(late: int) -> None:
    assert first_shifted(THAI_LINES[late:], ENGLISH_LINES[:-late]) in range(1, 20)
    assert first_shifted(THAI_LINES[:-late], ENGLISH_LINES[late:]) in range(1, 20)


@given(st.sets(st.integers(0, 647), min_size=40))
def test_lines_in_step_raise_no_alarm(chosen: set[int]) -> None:
    assert first_shifted([THAI_LINES[n] for n in chosen], [ENGLISH_LINES[n] for n in chosen]) is None


def test_a_file_without_content_is_named() -> None:
    assert refusal(code="empty_file", a_th=THAI, b_en=b"").values["file"] == "b.en"


@pytest.mark.parametrize("empty", ["\n" * 648, " \n" * 648], ids=["line ends", "spaces"])
def test_a_side_without_text_is_refused(empty: str) -> None:
    assert refusal(code="parallel_side_empty", a_th=THAI, b_en=empty).values["name"] == "b.en"


def test_one_file_is_not_enough() -> None:
    refusal(code="parallel_languages", a_th=THAI)


def test_a_table_beside_other_files_is_refused() -> None:
    assert refusal(code="parallel_table_and_more", a_th=THAI, b_csv="a,b\n").values["name"] == "b.csv"


def test_bytes_that_are_no_text_are_refused() -> None:
    assert refusal(code="binary_file", a_th=THAI, b_en=b"\x89PNG\r\n\x1a\n" + bytes(99)).values["file"] == "b.en"


def test_a_guessed_encoding_is_said() -> None:
    parallel = parallel_files(files(a_th=THAI.encode("cp874"), b_en=ENGLISH))
    assert [(guess.name, guess.encoding) for guess in parallel.guesses] == [("a.th", "cp874")]
    assert parallel.lines[0] == tuple(THAI_LINES)


def test_two_files_of_the_same_name_are_two_languages() -> None:
    parallel = parallel_files([PackedFile("x.txt", b"a\n"), PackedFile("x.txt", b"b\n")])
    assert parallel.names == ("x.txt", "x.txt (2)")


def test_a_packed_file_is_read() -> None:
    (packed,) = unpack("b.en.gz", gzip.compress(ENGLISH.encode()), max_bytes=10**7, max_files=9)
    assert read_parallel([PackedFile("a.th", THAI.encode()), packed]).pairs == 648


# ---- figures


def test_the_same_lines_have_the_same_digest_and_others_another() -> None:
    def digest(*texts: str) -> str:
        return parallel_texts(["a", "b"], texts).digest

    assert digest("x\ny", "z\nw") == digest("x\ny", "z\nw")
    assert len({digest("x\ny", "z\nw"), digest("x\ny\n", "z\nw"), digest("xy\n.", "z\nw"), digest("x", "z")}) == 4


def test_pairs_are_counted_of_all_languages() -> None:
    parallel: Parallel = parallel_texts(["a", "b", "c"], ["x\ny", "z\nw", "v\nu"])
    assert parallel.pairs == 2
    assert np.array(parallel.lines).shape == (3, 2)
