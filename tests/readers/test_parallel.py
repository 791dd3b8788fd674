"""Parallel texts, from files or a table: which lines are pairs, and what is refused."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.files import parquet
from tests.helpers.hostile import hostile_texts
from tests.helpers.sample import ENGLISH, ENGLISH_LINES, THAI, THAI_LINES, files
from tokenizer_core.errors import CorpusError
from tokenizer_core.readers import parallel as parallel_readers
from tokenizer_core.readers.archives import PackedFile
from tokenizer_core.readers.parallel import (
    EmptyLines,
    Parallel,
    first_extra_line,
    first_shifted,
    parallel_texts,
    read_each,
    read_fitting,
    read_parallel,
    split_lines,
)
from tokenizer_core.readers.tables import TableReading


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
    broken = "\n".join([*ENGLISH_LINES[:102], *ENGLISH_LINES[103:]])
    error = refusal(code="parallel_lines_differ", a_th=THAI, b_en=broken)
    assert (error.values["first"], error.values["other"]) == ("a.th", "b.en")
    assert (error.values["first_lines"], error.values["other_lines"]) == (648, 647)
    assert abs(error.values["line"] - 103) <= 3
    assert "648" in str(error)


def test_where_files_part_is_not_guessed_from_lines_of_like_lengths() -> None:
    even = [f"item {n:02} costs a lot" for n in range(40)]
    code = "parallel_lengths_differ"
    assert "line" not in refusal(code=code, a="\n".join(even), b="\n".join(even[:37])).values


def test_a_few_lines_are_too_few_to_tell_where_files_part() -> None:
    error = refusal(
        code="parallel_lengths_differ", a_th="\n".join(THAI_LINES[:5]), b_en="\n".join(ENGLISH_LINES[:3])
    )
    assert (error.values["first_lines"], error.values["other_lines"]) == (5, 3)
    assert "line" not in error.values


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("missing", [1, 4])
def test_the_line_where_files_part_is_found(seed: int, missing: int) -> None:
    start = random.Random(seed).randrange(480)
    shorter = ENGLISH_LINES[:start] + ENGLISH_LINES[start + missing :]
    for found in (first_extra_line(THAI_LINES, shorter), first_extra_line(shorter, THAI_LINES)):
        assert found is None or abs(found - start - 1) <= 5


def test_the_line_where_files_part_is_mostly_clear() -> None:
    shorter = [ENGLISH_LINES[:start] + ENGLISH_LINES[start + 1 :] for start in range(0, 640, 20)]
    assert sum(first_extra_line(THAI_LINES, each) is not None for each in shorter) > len(shorter) / 2


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


LENGTHS = random.Random(1)
ANY_LENGTHS = ["x" * LENGTHS.randrange(1, 300) for _ in range(200)]


@pytest.mark.parametrize(("count", "found"), [(40, (None, None)), (41, (2, 1))])
def test_twenty_lines_must_be_left_on_both_sides_of_a_shift(
    count: int, found: tuple[int | None, int | None]
) -> None:
    behind, ahead = ANY_LENGTHS[:count], ANY_LENGTHS[1 : count + 1]
    assert (first_shifted(ahead, behind), first_shifted(behind, ahead)) == found


@pytest.mark.parametrize(("late", "found"), [(10, (11, 1)), (11, (None, None))])
def test_a_side_is_looked_for_up_to_ten_lines_late(late: int, found: tuple[int | None, int | None]) -> None:
    behind, ahead = ANY_LENGTHS[:150], ANY_LENGTHS[late : 150 + late]
    assert (first_shifted(ahead, behind), first_shifted(behind, ahead)) == found


def test_twenty_lines_out_of_step_are_noticed_and_nineteen_are_not() -> None:
    for moved, found in ((20, 62), (19, None)):
        others = [*ANY_LENGTHS[:60], "one line more", *ANY_LENGTHS[60 : 60 + moved], *ANY_LENGTHS[61 + moved :]]
        assert first_shifted(ANY_LENGTHS, others) == found


def test_of_several_languages_the_first_pair_out_of_step_is_named() -> None:
    def late_from(place: int) -> str:
        return "\n".join([*ANY_LENGTHS[:place], "one line more", *ANY_LENGTHS[place:-1]])

    sides = ["\n".join(ANY_LENGTHS), late_from(120), late_from(60), "\n".join(ANY_LENGTHS)]
    alone = [parallel_texts(["a", "b"], [sides[0], side]).first_shifted for side in sides]
    assert alone == [None, 123, 62, None]
    assert parallel_texts(["a", "b", "c", "d"], sides).first_shifted == 62


@given(st.sets(st.integers(0, 647), min_size=40))
def test_lines_in_step_raise_no_alarm(chosen: set[int]) -> None:
    assert first_shifted([THAI_LINES[n] for n in chosen], [ENGLISH_LINES[n] for n in chosen]) is None


@pytest.mark.parametrize(
    ("code", "contents", "named"),
    [
        ("empty_file", {"b_en": b""}, {"file": "b.en"}),
        ("parallel_side_empty", {"b_en": "\n" * 648}, {"name": "b.en"}),
        ("parallel_side_empty", {"b_en": " \n" * 648}, {"name": "b.en"}),
        ("parallel_languages", {}, {"languages": 1, "limit": 20}),
        ("parallel_languages", {f"b{n}_en": "a\n" for n in range(20)}, {"languages": 21, "limit": 20}),
        ("parallel_table_and_more", {"b_csv": "a,b\n"}, {"name": "b.csv", "files": 2}),
        ("binary_file", {"b_en": b"\x89PNG\r\n\x1a\n" + bytes(99)}, {"file": "b.en"}),
    ],
    ids=["nothing", "line ends", "spaces", "one file", "21 files", "table and more", "binary"],
)
def test_what_is_no_pair_of_texts_is_refused_by_name(
    code: str, contents: dict[str, str | bytes], named: dict[str, str | int]
) -> None:
    assert refusal(code=code, a_th=THAI, **contents).values.items() >= named.items()


def test_twenty_languages_are_compared() -> None:
    names = [f"{n}" for n in range(20)]
    assert parallel_texts(names, ["a\n"] * 20).names == tuple(names)


def test_as_many_pairs_as_the_limit_are_compared_and_not_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_readers, "MAX_PAIRS", 3)
    assert parallel_texts(["a", "b"], ["x\n" * 3] * 2).pairs == 3
    with pytest.raises(CorpusError) as caught:
        parallel_texts(["a", "b"], ["x\n" * 4] * 2)
    assert (caught.value.code, caught.value.values) == ("parallel_too_long", {"pairs": 4, "limit": 3})


def test_a_guessed_encoding_is_said_and_a_chosen_one_is_no_guess() -> None:
    thai = THAI.encode("cp874")
    parallel = read_parallel(files(a_th=thai, b_en=ENGLISH))
    assert [(guess.name, guess.encoding) for guess in parallel.guesses] == [("a.th", "cp874")]
    assert parallel.lines[0] == tuple(THAI_LINES)
    for chosen in ("cp874", ["cp874", None], ["cp874", "utf-8"]):
        assert read_parallel(files(a_th=thai, b_en=ENGLISH.replace("’", "'")), encoding=chosen).guesses == ()
    table = "th,en\n" + "".join(f"{thai},{english}\n" for thai, english in [("แมวดำตัวใหญ่", "a cat")] * 9)
    packed = PackedFile("t.csv", table.encode("cp874"))
    assert [(guess.name, guess.encoding) for guess in read_parallel([packed]).guesses] == [("t.csv", "cp874")]
    assert read_parallel([packed], encoding="cp874").guesses == ()


def test_each_text_alone_has_its_lines_and_its_encoding() -> None:
    thai, english = files(a_th=THAI.encode("cp874"), b_en="one\r\n\ntwo")
    sides = read_each([thai, english], [None, None])
    assert [side.names for side in sides] == [("a.th",), ("b.en",)]
    assert [side.pairs for side in sides] == [648, 3]
    assert [[guess.encoding for guess in side.guesses] for side in sides] == [["cp874"], []]
    assert (sides[1].lines, sides[1].texts) == ((("one", "", "two"),), ("one\r\n\ntwo",))
    with pytest.raises(ValueError, match="zip"):
        read_each([thai, english], [None])


@pytest.mark.parametrize(
    ("lengths", "left_out"),
    [((2, 2, 1), [2]), ((1, 2, 2, 3), [0, 3]), ((2, 1), []), ((1, 2, 3), []), ((2, 2, 3, 3), [])],
)
def test_files_with_other_lines_than_most_are_left_out(lengths: tuple[int, ...], left_out: list[int]) -> None:
    read = [PackedFile(f"{place}", b"a\n" * lines) for place, lines in enumerate(lengths)]
    sides, others = read_fitting(read, [None] * len(read))
    assert [each.place for each in others] == left_out
    assert [side.names[0] for side in sides] == [
        str(place) for place in range(len(lengths)) if place not in left_out
    ]


def test_each_file_that_is_left_out_has_its_reason() -> None:
    names = {"a": b"1\n", "b": b"2\n", "empty": b"", "blank": b" \n", "long": b"1\n2\n", "t.csv": b"a,b\n1,2\n"}
    read = [*map(PackedFile, names, names.values()), PackedFile("locked", b"", CorpusError("archive_encrypted"))]
    _, left_out = read_fitting(read, [None] * len(read))
    assert [(each.place, each.why.code) for each in left_out] == [
        (2, "empty_file"),
        (3, "parallel_side_empty"),
        (4, "parallel_other_lines"),
        (5, "parallel_table_and_more"),
        (6, "archive_encrypted"),
    ]


@pytest.mark.parametrize("name", ["a.csv", "a.txt"])
def test_a_file_that_stays_packed_is_refused_with_its_reason(name: str) -> None:
    locked = PackedFile(name, b"", CorpusError("archive_encrypted"))
    with pytest.raises(CorpusError) as caught:
        read_parallel([locked])
    assert caught.value.code == "archive_encrypted"
    assert caught.value.values == ({"file": "a.txt"} if name == "a.txt" else {})


def test_no_line_is_shown_where_parallel_texts_are_printed() -> None:
    assert "secret" not in repr(parallel_texts(["a", "b"], ["a secret\n", "ein secret\n"]))


def test_two_files_of_the_same_name_are_two_languages() -> None:
    parallel = read_parallel([PackedFile("x.txt", b"a\n"), PackedFile("x.txt", b"b\n")])
    assert parallel.names == ("x.txt", "x.txt (2)")


# ---- figures


def test_the_same_lines_have_the_same_digest_and_others_another() -> None:
    def digest(*texts: str) -> str:
        return parallel_texts(["a", "b"], texts).digest

    assert digest("x\ny", "z\nw") == digest("x\ny", "z\nw")
    assert len({digest("x\ny", "z\nw"), digest("x\ny\n", "z\nw"), digest("xy\n.", "z\nw"), digest("x", "z")}) == 4
    assert parallel_texts(["a", "c"], ["x", "z"]).digest != digest("x", "z")
    assert len({digest("x\ny", "z\nw"), digest("x\nz", "y\nw"), digest("x\ny", "z\nv")}) == 3


def test_lines_are_joined_with_spaces_or_stay_as_they_were() -> None:
    parallel = parallel_texts(["a", "b"], ["x\r\n\ny\n", "1\n2\n3"])
    assert [parallel.joined(language, "space") for language in (0, 1)] == ["x  y", "1 2 3"]
    assert [parallel.joined(language, "whole") for language in (0, 1)] == ["x\r\n\ny\n", "1\n2\n3"]


# ---- tables: a column is a language, a row is a pair


def table_of(parallel: Parallel) -> TableReading:
    """How the table was read that the lines are from."""
    assert parallel.table is not None
    return parallel.table


def test_quotes_and_line_breaks_in_cells_are_kept() -> None:
    table = 'th,en\n"แมว\nดำ","a ""black"" cat, 1"\nหมา,a dog\n'
    parallel = read_parallel([PackedFile("t.csv", table.encode())], header=True)
    assert parallel.names == ("th", "en")
    assert parallel.lines == (("แมว\nดำ", "หมา"), ('a "black" cat, 1', "a dog"))
    assert parallel.texts[0] == "แมว\nดำ\nหมา"


def test_a_table_may_have_many_languages_and_columns_that_are_none() -> None:
    rows = ["id;th;en;de", *(f"{n};{THAI_LINES[n]};{ENGLISH_LINES[n]};Wort {n} und mehr" for n in range(50))]
    parallel = read_parallel([PackedFile("t.csv", "\n".join(rows).replace(";;", ";").encode())])
    assert table_of(parallel).columns == ("id", "th", "en", "de")
    assert set(parallel.names) >= {"th", "en"}
    assert "id" not in parallel.names
    chosen = read_parallel([PackedFile("t.csv", "\n".join(rows).encode())], columns=["en", "de"])
    assert chosen.names == ("en", "de")


def test_a_broken_row_is_left_out_of_all_languages_and_counted() -> None:
    table = "th\ten\nแมว ดำ\ta black cat\nx\ty\tz\nหมา ขาว\ta white dog\n"
    parallel = read_parallel([PackedFile("t.tsv", table.encode())], header=True)
    assert parallel.pairs == 2
    assert (table_of(parallel).skipped_rows, table_of(parallel).first_skipped) == (1, 3)


def test_empty_cells_stay_pairs() -> None:
    parallel = read_parallel([PackedFile("t.csv", "th,en\nแมว,\nหมา,a dog\n".encode())], header=True)
    assert parallel.lines == (("แมว", "หมา"), ("", "a dog"))
    assert parallel.empty == EmptyLines(0, 1, 1)


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(CorpusError) as caught:
        read_parallel([PackedFile("t.csv", b"a,b\nx y,z w\n")], columns=["c"], header=True)
    assert caught.value.code == "unknown_column"


PAIRS = [{"en": en, "th": th} for th, en in zip(THAI_LINES[:40], ENGLISH_LINES[:40])]


KINDS = {
    "flat.jsonl": "\n".join(json.dumps({"id": str(n), **pair}) for n, pair in enumerate(PAIRS)).encode(),
    "nested.ndjson": "\n".join(json.dumps({"translation": pair}) for pair in PAIRS).encode(),
    "flat.parquet": parquet({"n": list(range(40)), **{name: [pair[name] for pair in PAIRS] for name in PAIRS[0]}}),
    "nested.parquet": parquet({"translation": PAIRS}),
    "nested in groups.parquet": parquet({"translation": PAIRS}, row_group_size=7),
}


@pytest.mark.parametrize("name", KINDS)
def test_tables_of_each_kind_have_the_same_pairs(name: str) -> None:
    parallel = read_parallel([PackedFile(name, KINDS[name])])
    prefix = "translation." if "nested" in name else ""
    assert parallel.names == (f"{prefix}en", f"{prefix}th")
    assert parallel.lines == (tuple(ENGLISH_LINES[:40]), tuple(THAI_LINES[:40]))
    assert table_of(parallel).header is None
    chosen = read_parallel([PackedFile(name, KINDS[name])], columns=[f"{prefix}th", f"{prefix}en"])
    assert chosen.lines == parallel.lines


def test_what_is_missing_is_an_empty_line_and_what_is_broken_is_left_out() -> None:
    rows = '{"a": "one cat", "b": "ein Hund"}\n{"a": "a bird"}\nbroken\n{"b": "die Maus", "a": null}\n'
    table = parquet({"t": [{"a": "one cat", "b": "ein Hund"}, {"a": "a bird", "b": None}, None]})
    read = read_parallel([PackedFile("t.jsonl", rows.encode())])
    assert read.lines == (("one cat", "a bird", ""), ("ein Hund", "", "die Maus"))
    assert (table_of(read).skipped_rows, table_of(read).first_skipped) == (1, 3)
    assert read_parallel([PackedFile("t.parquet", table)]).lines == (
        ("one cat", "a bird", ""),
        ("ein Hund", "", ""),
    )


def test_a_packed_table_that_becomes_too_large_is_refused() -> None:
    table = parquet({"a": ["x" * 1_000] * 1_000, "b": ["y z"] * 1_000})
    assert len(table) < 10_000
    with pytest.raises(CorpusError) as caught:
        read_parallel([PackedFile("t.parquet", table)], max_bytes=500_000)
    assert caught.value.code == "unpacked_too_large"
