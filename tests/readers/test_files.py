"""Files of many kinds become the text in them; broken rows of tables are skipped and counted."""

import csv
import io
import json
import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.files import (
    BOTH,
    CSV,
    ENGLISH,
    JSONL,
    MB,
    PARQUET,
    ROWS,
    THAI,
    code_of,
    comma_separated,
    error_of,
    parquet,
    read,
    table_of,
)
from tokenizer_core.errors import CorpusError
from tokenizer_core.readers import csv_table, json_lines, tables
from tokenizer_core.readers.csv_table import MAX_CELL
from tokenizer_core.readers.files import is_parquet
from tokenizer_core.readers.labels import LONGEST, clean_name, column_labels, harmless_cell, listed, opening
from tokenizer_core.readers.tables import Table


def test_how_far_the_reading_of_a_table_is_goes_up_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (tables, json_lines):
        monkeypatch.setattr(module, "SAID_ROWS", 1)
    for name, content in (("a.csv", CSV), ("a.jsonl", JSONL), ("a.parquet", PARQUET)):
        shares: list[float] = []
        read(name, content, told=shares.append)
        assert len(shares) >= len(ROWS)
        assert shares == sorted(shares)
        assert shares[0] < 0.7
        assert shares[-1] == pytest.approx(1, abs=1 / len(ROWS))
        steps = [later - earlier for earlier, later in pairwise([0.0, *shares])]
        assert max(steps[1:]) < 1.2 / len(ROWS)  # opening and reading take their parts evenly
    silent: list[float] = []
    read("a.txt", THAI[0], told=silent.append)
    assert silent == []


@pytest.mark.parametrize("opened", [csv_table.open_csv, json_lines.open_json_lines], ids=["csv", "json"])
def test_the_number_of_rows_to_come_is_known_of_one_block_alone(opened: Callable[[list[str]], Table]) -> None:
    block = '"n,m"\n"a cat"\n"a dog"'
    assert opened([block]).lines == 3
    assert opened([block + "\n", block]).lines is None


# ---- every kind


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.csv", CSV, "csv"),
        ("a.tsv", comma_separated(list(csv.reader(io.StringIO(CSV))), delimiter="\t"), "tsv"),
        ("a.jsonl", JSONL, "jsonl"),
        ("a.ndjson", JSONL.replace("\n", "\r\n"), "jsonl"),
        ("a.json", JSONL, "jsonl"),
        ("a.parquet", PARQUET, "parquet"),
        ("no-suffix", PARQUET, "parquet"),
    ],
)
def test_a_table_gives_the_lines_of_its_prose(name: str, content: bytes | str, kind: str) -> None:
    file = read(name, content)
    assert (file.kind, file.text, table_of(file).rows, table_of(file).skipped_rows) == (kind, BOTH, len(ROWS), 0)
    assert (table_of(file).columns, table_of(file).chosen) == (("id", "th", "en"), ("th", "en"))


@pytest.mark.parametrize("name", ["a.txt", "a.md", "README", "ไฟล์.log", "a.json", "csv"])
def test_any_other_file_is_its_text(name: str) -> None:
    file = read(name, f"{THAI}\n{ENGLISH}\n")
    assert (file.kind, file.text, file.table) == ("text", f"{THAI}\n{ENGLISH}\n", None)


# ---- names


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("C:\\ข้อมูล\\ก.txt", "C:/ข้อมูล/ก.txt"),
        ("a\x00\n\t\x1b[31m.txt", "a[31m.txt"),
        ("\u202etxt.exe\u2066.csv", "txt.exe.csv"),
        ("\ud800a.txt", "a.txt"),
        ("/./..//", "?"),
        (".../a/ .. /b", ".../a/b"),
        ("a" * 80, "a" * 80),
        ("b" + "a" * 80, "…" + "a" * 79),
        ("", "?"),
    ],
)
def test_a_name_is_only_a_label(name: str, label: str) -> None:
    assert clean_name(name) == label


@given(st.text(max_size=300))
def test_every_label_is_short_visible_and_leads_nowhere(name: str) -> None:
    label = clean_name(name)
    assert label
    assert len(label) <= LONGEST
    assert label.isprintable()
    assert not {"", ".", ".."} & set(label.split("/"))


@pytest.mark.parametrize("letters", range(6))
def test_a_long_name_keeps_its_end_and_begins_with_a_letter(letters: int) -> None:
    label = clean_name("น้ำ" * 40 + "a" * letters + ".csv")
    assert label.startswith(("…น", "…ำ"))
    assert label.endswith("น้ำ" + "a" * letters + ".csv")


@given(st.lists(st.sampled_from(["a", "a (2)", "a (3)", "", "1", "\u202e", "x" * 99]), max_size=30))
def test_no_two_columns_have_the_same_label(names: list[str]) -> None:
    assert len(set(column_labels(names))) == len(names)


def test_a_column_is_named_in_eighty_visible_characters_or_by_its_number() -> None:
    assert column_labels(["a" * 81, " \u202e\n", "b\tc ", "b" * 80]) == ("a" * 80, "2", "bc", "b" * 80)
    assert column_labels(["x", "x", "x (2)", "x", ""]) == ("x", "x (2)", "x (2) (2)", "x (3)", "5")


def test_ten_columns_are_listed_with_thirty_characters_of_each() -> None:
    assert listed(["a" * 30, "b" * 31]) == f"{'a' * 30}, {'b' * 30}…"
    assert listed(list("abcdefghij")) == "a, b, c, d, e, f, g, h, i, j"
    assert listed(list("abcdefghijk")) == "a, b, c, d, e, f, g, h, i, j, …"
    assert listed([]) == ""


@pytest.mark.parametrize("sign", list("=+-@\t\r"), ids=ascii)
def test_no_spreadsheet_takes_a_cell_for_a_formula(sign: str) -> None:
    assert harmless_cell(f"{sign}1+1") == f"'{sign}1+1"
    assert harmless_cell(f"a{sign}1") == f"a{sign}1"
    assert harmless_cell("") == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  one\ntwo ", "one\ntwo "),
        ("a" * 200, "a" * 200),
        ("a" * 201, "a" * 200),
        ("one\n" + "b" * 200, "one"),
        ("one\n\n" + "b" * 200, "one"),
        ("\n\n" + "a" * 199 + "\nb", "a" * 199),
        ("", ""),
        (" \n", ""),
    ],
    ids=[
        "short",
        "as long as shown",
        "longer",
        "first line",
        "no empty end",
        "line end",
        "nothing",
        "white space",
    ],
)
def test_the_opening_of_a_text_is_its_first_whole_lines(text: str, shown: str) -> None:
    assert opening(text) == shown


# ---- tables


@pytest.mark.parametrize(("name", "content"), [("a.csv", CSV), ("a.jsonl", JSONL), ("a.parquet", PARQUET)])
def test_columns_can_be_chosen(name: str, content: bytes | str) -> None:
    content = content.encode() if isinstance(content, str) else content
    file = read(name, content, columns=["en"])
    assert (table_of(file).chosen, file.text) == (("en",), "".join(f"{row['en']}\n" for row in ROWS))
    both = read(name, content, columns=["en", "id"])
    assert (table_of(both).chosen, both.text.split("\n")[:2]) == (("id", "en"), list(ROWS[0].values())[::2])
    error = error_of(lambda: read(name, content, columns=["en", "fr"]))
    assert (error.code, error.values) == ("unknown_column", {"column": "fr", "columns": "id, th, en"})


def test_a_table_has_an_encoding_too() -> None:
    file = read("a.csv", CSV.encode("cp874"))
    assert (file.text, file.encoding, file.is_guess) == (BOTH, "cp874", True)
    assert not read("a.csv", CSV.encode("cp874"), encoding="cp874").is_guess


def test_a_book_is_preferred_to_numbers_names_and_addresses() -> None:
    rows = [[f"https://example.com/{'x' * 90}/{n}", "sha" + "0" * 64, "a cat sat", str(10**60)] for n in range(5)]
    assert table_of(read("a.csv", comma_separated([["url", "hash", "text", "n"], *rows]))).chosen == ("text",)


def test_columns_that_are_empty_at_first_are_read_to_the_end() -> None:
    content = parquet({"text": [None] * 5_000 + [THAI]})
    assert read("a.parquet", content).text == f"{THAI}\n"
    assert read("a.csv", "n,text\n1,a cat\n", columns=["n"], header=True).text == "1\n"
    assert read("a.csv", "n,text\n,a cat\n", columns=["n"], header=True).text == ""


@pytest.mark.parametrize(
    ("second", "chosen"), [("a cat sat", ("1", "2")), ("a cat sa", ("1",))], ids=["half as long", "shorter"]
)
def test_a_column_is_prose_if_it_is_half_as_long_as_the_longest(second: str, chosen: tuple[str, ...]) -> None:
    content = f"a cat sat on a mat,{second},12345678901234567890\n" * 3
    file = read("a.csv", content, header=False)
    assert table_of(file).chosen == chosen


def test_empty_cells_and_single_words_count_in_how_long_prose_is_only_as_words() -> None:
    rows = [["a cat sat on a mat", "a b c d e f g h i"], ["", ""], ["a cat sat on a mat", "word"]]
    assert table_of(read("a.csv", comma_separated(rows), header=False)).chosen == ("1",)
    rows = [["a cat sat on a mat", "a b c d e f g h i"], ["", ""], ["a cat sat on a mat", ""]]
    assert table_of(read("a.csv", comma_separated(rows), header=False)).chosen == ("1", "2")


def test_a_list_of_words_gives_its_words() -> None:
    words = "".join(f"{n},{word}\n" for n, word in enumerate(["cat", "dog", "คน"] * 3))
    assert table_of(read("a.csv", f"rank,word\n{words}")).chosen == ("word",)
    assert table_of(read("b.csv", "n,word\n1000000,cat\n2000000,dog\n")).chosen == ("word",)
    assert table_of(read("c.csv", "1,ก,ข\n2,ค,ง\n", header=False)).chosen == ("2", "3")


# ---- CSV


@pytest.mark.parametrize("delimiter", list(",;\t|"), ids=["comma", "semicolon", "tab", "bar"])
@given(
    cells=st.lists(
        st.tuples(*[st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters='\n",;\t|'))] * 3),
        min_size=3,
        max_size=12,
    )
)
def test_every_cell_of_a_csv_file_survives(delimiter: str, cells: list[tuple[str, ...]]) -> None:
    content = comma_separated([["one", "two", "three"], *cells], delimiter=delimiter, quoting=csv.QUOTE_ALL)
    file = read("a.csv", content.encode(), header=True, columns=["one", "two", "three"], encoding="utf-8")
    assert file.text == "".join(f"{cell}\n" for row in cells for cell in row if cell)
    assert (table_of(file).rows, table_of(file).skipped_rows) == (len(cells), 0)


@pytest.mark.parametrize(
    ("first", "has_header"),
    [("id,th,en", True), (f"20,{THAI},{ENGLISH.replace(',', '')}", False), ("x,x,x", False), ("1,2,3", False)],
    ids=["names", "a row", "the same thrice", "numbers"],
)
def test_whether_the_first_line_names_the_columns_is_guessed_and_changeable(first: str, has_header: bool) -> None:
    content = first + "\n" + CSV.partition("\n")[2]
    guessed = table_of(read("a.csv", content))
    assert (guessed.header, guessed.rows) == (has_header, len(ROWS) + (not has_header))
    with_names = table_of(read("a.csv", content, header=True))
    without = table_of(read("a.csv", content, header=False))
    assert (with_names.rows, without.rows) == (len(ROWS), len(ROWS) + 1)
    assert without.columns == ("1", "2", "3")


@pytest.mark.parametrize(
    ("name", "below", "is_header"),
    [(40, 81, True), (41, 200, False), (4, 9, True), (4, 8, False)],
    ids=["longest name", "too long", "cells twice as long", "not twice"],
)
def test_a_name_is_at_most_40_characters_and_less_than_half_as_long_as_its_cells(
    name: int, below: int, is_header: bool
) -> None:
    content = f"{'n' * name},other\n" + f"{'c' * below},cell\n" * 3
    assert table_of(read("a.csv", content)).header == is_header


def test_a_first_line_longer_than_the_beginning_that_is_looked_at_is_read_too() -> None:
    first = "a cat and a dog " * 5_000
    file = read("a.csv", f"{first}\nanother line\n", header=False)
    assert file.text == f"{first}\nanother line\n"


def test_a_first_line_of_too_few_cells_names_no_column() -> None:
    file = read("a.csv", "animals\n" + "1,a cat\n2,a dog\n" * 3, header=True)
    assert table_of(file).columns == ("1", "2")


@pytest.mark.parametrize(("rows", "columns"), [(7, 2), (6, 1)])
def test_a_delimiter_must_part_seven_of_ten_rows_alike(rows: int, columns: int) -> None:
    content = "some;cells\n" * rows + "a sentence\n" * (10 - rows)
    assert len(table_of(read("a.csv", content, header=False)).columns) == columns


def test_broken_rows_of_a_csv_file_are_skipped_and_counted() -> None:
    lines = CSV.splitlines()
    lines[3] += ",one cell too many"
    lines[7] = "too few"
    lines[9] = lines[9].replace("อ", "\0")
    lines[11] = '11,"never closed,' + "ข้อความ"
    file = read("a.csv", "\n".join(lines))
    good = [row for number, row in enumerate(ROWS, 2) if number not in (4, 8, 10, 12)]
    assert file.text == "".join(f"{row['th']}\n{row['en']}\n" for row in good)
    assert (table_of(file).rows, table_of(file).skipped_rows, table_of(file).first_skipped) == (len(good), 4, 4)


def test_quotation_marks_in_a_tsv_file_without_quoting_are_text() -> None:
    content = "n\ttext\n" + "".join(f'{n}\t"Yes, he said {n}\n' for n in range(9))
    file = read("a.tsv", content)
    assert (table_of(file).rows, table_of(file).skipped_rows) == (9, 0)
    assert file.text.startswith('"Yes, he said 0\n')


@pytest.mark.parametrize(
    ("name", "content", "columns"),
    [
        ("a.csv", "one\ta,b\ntwo\tc,d\n", ["one\ta", "b"]),
        ("a.tsv", "one\ta,b\ntwo\tc,d\n", ["one", "a,b"]),
        ("a.csv", "one;a,b,c\ntwo;d,e,f\n", ["one;a", "b", "c"]),
        ("a.csv", "one;a\ntwo;b,c\n", ["one", "a"]),
    ],
    ids=["comma in a draw", "tab in a draw", "more columns", "more rows alike"],
)
def test_the_delimiter_is_the_one_that_parts_most_rows_alike(name: str, content: str, columns: list[str]) -> None:
    assert read(name, content, header=False, columns=["1"]).text.split("\n")[0] == columns[0]
    assert len(table_of(read(name, content, header=False)).columns) == len(columns)


def test_a_column_of_prose_alone_is_not_cut_at_its_commas() -> None:
    prose = ["text", "a, b and c", "plain", "one; two", "x, y, z, and so on", "none at all", "end, of, it"]
    assert read("a.csv", "\n".join(prose), header=True).text == "\n".join(prose[1:]) + "\n"


def test_a_stray_quotation_mark_costs_its_line_wherever_it_is() -> None:
    lines = ["n,text", *(f"{n},a cat and {n} dogs" for n in range(2, 1_001))]
    lines[1] = '2,"never closed'
    lines[949] = '950,"never closed either'
    file = read("a.csv", "\n".join(lines))
    assert (table_of(file).rows, table_of(file).skipped_rows, table_of(file).first_skipped) == (997, 2, 2)
    assert file.text.count("\n") == 997


def test_a_cell_of_several_lines_counts_in_the_numbers_of_later_lines() -> None:
    content = 'n,text\n1,"a cat\nsat"\n2,a dog\nbroken\n3,a cow\n'
    assert table_of(read("a.csv", content, header=True)).first_skipped == 5


def test_many_stray_quotation_marks_take_no_endless_time() -> None:
    file = read("a.csv", "n,text\n" + '1,"a cat\n' * 20_000)
    assert table_of(file).rows + table_of(file).skipped_rows >= 20_000


def test_columns_of_the_same_name_are_told_apart() -> None:
    file = read("a.csv", "text,text,\na cat,a dog,a cow\na man,a girl,a boy\n", header=True)
    assert table_of(file).columns == ("text", "text (2)", "3")
    assert file.text == "a cat\na dog\na cow\na man\na girl\na boy\n"


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.csv", "a" * (MAX_CELL + 1), "no_rows"),
        ("a.csv", "," * 1_000, "too_many_columns"),
        ("a.csv", "\n\n\n", "no_rows"),
        ("a.csv", ",,\n,,\n", "no_rows"),
        ("a.csv", "", "empty_file"),
        ("a.csv", b"\x89PNG\r\n\x1a\n" + bytes(100), "binary_file"),
        ("a.jsonl", "no json\n[1]\n3\nnull\n", "no_rows"),
        ("a.jsonl", '{"n": 1}\n', "no_rows"),
        ("a.jsonl", json.dumps({f"k{n}": "v" for n in range(1_000)}), "too_many_columns"),
        ("a.parquet", PARQUET[:-7], "damaged_file"),
        ("a.parquet", PARQUET[: len(PARQUET) // 2] + PARQUET[-8:], "damaged_file"),
        ("a.parquet", "no parquet", "damaged_file"),
        ("a.parquet", parquet({"n": [1, 2], "list": [["a"], ["b"]], "bytes": [b"a", b"b"]}), "no_text_column"),
        ("a.parquet", parquet({"text": pa.array([], pa.string())}), "no_rows"),
        ("a.parquet", parquet({"text": pa.nulls(9, pa.string())}), "no_rows"),
        ("a.parquet", parquet({f"c{n}": ["a"] for n in range(201)}), "too_many_columns"),
    ],
    ids=str,
)
def test_a_table_without_text_is_refused(name: str, content: bytes | str, code: str) -> None:
    assert code_of(lambda: read(name, content)) == code


def test_a_table_with_too_many_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in (("a.csv", CSV), ("a.jsonl", JSONL), ("a.parquet", PARQUET)):
        monkeypatch.setattr(tables, "MAX_ROWS", len(ROWS) - 1)
        assert code_of(partial(read, name, content)) == "too_many_rows"
        monkeypatch.setattr(tables, "MAX_ROWS", len(ROWS))
        assert table_of(read(name, content)).rows == len(ROWS)


# ---- JSON lines


def test_broken_lines_of_json_are_skipped_and_counted() -> None:
    lines = [
        '{"text": "a cat sat"}',
        "",
        '{"text": "cut off',
        '"a bare string"',
        '{"text": ["nested"], "other": {"text": "nested"}, "n": 1, "none": null}',
        "[" * 100_000,
        '{"text": "half a character: \\ud83d"}',
        '{"text": "a whole one: \\ud83d\\ude00"}',
        '["a list"]',
        '{"text": "line\\nbreak and \u2028"}',
    ]
    file = read("a.jsonl", "\n".join(lines))
    assert file.text == "a cat sat\na bare string\na whole one: 😀\nline\nbreak and \u2028\n"
    assert (table_of(file).columns, table_of(file).chosen) == (("text", "other.text"), ("text",))
    assert (table_of(file).rows, table_of(file).skipped_rows, table_of(file).first_skipped) == (5, 4, 3)


def test_a_line_of_json_too_long_to_be_read_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE", 100)
    file = read("a.jsonl", '{"text": "short"}\n' + json.dumps({"text": "long " * 100}))
    assert (file.text, table_of(file).skipped_rows, table_of(file).first_skipped) == ("short\n", 1, 2)


@pytest.mark.parametrize(
    ("content", "is_table"),
    [
        ('{"a": "b c"}\n{"a": "d e"}\n', True),
        ('"a b"\n\n"c d"', True),
        ('{"a": "b c"}\n', False),
        ('{"a": "b c"}\n[1]\n{"a": "b c"}\n', False),
        ('[1]\n{"a": "b c"}\n', False),
        ("{}\n{}\n", True),
    ],
    ids=["objects", "strings", "one line", "second is no object", "first is none", "empty objects"],
)
def test_a_json_file_is_a_table_if_its_first_two_lines_are(content: str, is_table: bool) -> None:
    assert json_lines.looks_like_json_lines(content) == is_table


def test_a_line_of_json_may_be_as_long_as_the_limit_in_any_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE", 50)
    longest = json.dumps({"text": "a " * 18 + "b"}) + "\n"
    assert len(longest) == 50
    longer = json.dumps({"text": "a " * 18 + "bb"}) + "\n"
    content = (longest + longer + longest) * 2
    for size in (1, 7, 49, 50, 51, 101, 400):
        blocks = [content[start : start + size] for start in range(0, len(content), size)]
        rows = list(json_lines.open_json_lines(blocks, columns=["text"]).rows([0]))
        assert [(line, cells is None) for line, cells in rows] == [
            *((1, False), (2, True), (3, False), (4, False), (5, True), (6, False)),
        ]


def test_a_column_that_comes_in_no_line_is_named_beside_those_of_the_beginning() -> None:
    blocks = ['{"a": "one"}\n', '{"b": "two"}\n', '{"a": "three"}\n']
    table = json_lines.open_json_lines(blocks, columns=["b", "d", "c"])
    assert table.labels == ("a", "b", "d", "c")
    assert (table.lines, json_lines.open_json_lines(blocks[:1]).lines) == (None, 2)
    rows = table.rows([1])
    assert [next(rows) for _ in blocks] == [(1, [""]), (2, ["two"]), (3, [""])]
    error = error_of(lambda: next(rows))
    assert (error.code, error.values) == ("unknown_column", {"column": "c", "columns": "a"})


def test_as_many_columns_and_rows_as_the_limit_are_read() -> None:
    tables.check_columns(200)
    tables.check_rows(3_000_000)
    assert error_of(lambda: tables.check_columns(201)).values == {"limit": 200}
    assert error_of(lambda: tables.check_rows(3_000_001)).values == {"limit": 3_000_000}
    header = ",".join(f"c{n}" for n in range(200))
    assert len(table_of(read("a.csv", f"{header}\n{'a b,' * 199}a b\n", header=True)).columns) == 200
    assert code_of(lambda: read("a.csv", f"{header},\n{'a b,' * 200}a b\n")) == "too_many_columns"


def test_what_is_no_file_is_not_opened_to_find_out_its_format(tmp_path: Path) -> None:
    assert not is_parquet(str(tmp_path))
    assert is_parquet(str(tmp_path / "there_is_none.parquet"))


def test_a_broken_line_is_found_by_its_number_in_every_block() -> None:
    blocks = ['{"text": "a cat"}\n{"text": "a dog"}\n', '{"text": "a cow"}\nbroken\n', "broken\n"]
    told = json_lines.open_json_lines(blocks).rows([0])
    assert [line for line, values in told if values is None] == [4, 5]


def test_keys_that_come_late_are_columns_too() -> None:
    lines = ['{"a": "one cat"}'] * 2_000 + ['{"b": "two dogs"}']
    assert table_of(read("a.jsonl", "\n".join(lines))).columns == ("a", "b")
    assert read("a.jsonl", "\n".join(lines), columns=["b"]).text == "two dogs\n"


# ---- Parquet


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)
def test_every_kind_of_string_in_parquet_is_read(kind: pa.DataType) -> None:
    values = [THAI, None, "", ENGLISH, THAI]
    content = parquet({"n": list(range(5)), "a.b": pa.array(values, pa.string()).cast(kind)}, row_group_size=2)
    file = read("a.parquet", content)
    assert (file.text, table_of(file).columns, table_of(file).rows) == (
        f"{THAI}\n{ENGLISH}\n{THAI}\n",
        ("a.b",),
        5,
    )


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_an_encoding_of_parquet_that_cannot_be_read_is_named(encoding: str) -> None:
    content = parquet({"text": ["a cat sat", "a dog"]}, use_dictionary=False, column_encoding={"text": encoding})
    with pytest.raises(CorpusError) as caught:
        read("a.parquet", content)
    assert (caught.value.code, caught.value.values["encoding"]) == ("parquet_encoding", encoding)


def test_a_value_repeated_in_parquet_takes_its_size_each_time() -> None:
    value = "a cat " * 20_000
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), pa.array([value]))
    content = parquet({"text": repeated})
    assert len(content) < 100_000
    tracemalloc.start()
    try:
        assert code_of(lambda: read("a.parquet", content, max_bytes=MB)) == "unpacked_too_large"
        assert tracemalloc.get_traced_memory()[1] < 16 * MB
    finally:
        tracemalloc.stop()


def test_as_many_bytes_of_parquet_as_allowed_are_read_and_not_one_more() -> None:
    content = parquet({"text": ["a cat " * 100] * 50 + [None], "id": ["x"] * 51})
    size = 50 * 601  # a byte for the end of each cell
    assert table_of(read("a.parquet", content, max_bytes=size, columns=["text"])).rows == 51
    refused = error_of(lambda: read("a.parquet", content, max_bytes=size - 1, columns=["text"]))
    assert (refused.code, refused.values) == ("unpacked_too_large", {"megabytes": 1})


def test_packed_parquet_is_measured_before_it_is_unpacked() -> None:
    content = parquet(
        {"text": ["a cat " * 10_000 + str(n) for n in range(50)]}, use_dictionary=False, compression="zstd"
    )
    assert code_of(lambda: read("a.parquet", content, max_bytes=MB)) == "unpacked_too_large"
    assert table_of(read("a.parquet", content, max_bytes=4 * MB)).rows == 50


def test_parquet_columns_of_the_same_name_are_refused() -> None:
    written = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"]), written)
    assert code_of(lambda: read("a.parquet", written.getvalue())) == "same_columns"
