"""Files of many kinds become the text in them, under a name that is only a label."""

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.tables import (
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
    files_in,
    read,
    table_of,
)
from tokenizer_core.texts import json_lines, tables
from tokenizer_core.texts.files import read_corpus_file
from tokenizer_core.texts.labels import LONGEST, clean_name, column_labels


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
    silent: list[float] = []
    read("a.txt", THAI[0], told=silent.append)
    assert silent == []


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


# ---- texts that are large or strange


def test_a_text_cut_off_within_a_character_is_refused() -> None:
    assert code_of(lambda: read("a.txt", THAI.encode()[:-1])) == "cut_off_utf8"
    assert code_of(lambda: read("a.csv", f"n,text\n1,{THAI}".encode()[:-1])) == "cut_off_utf8"


@pytest.mark.parametrize(
    "text", ["ก" * 1_000_000, "one endless line " * (8 * MB // 17)], ids=["one character", "one line"]
)
def test_a_large_text_of_one_line_is_read_as_it_is(text: str) -> None:
    (file,) = files_in("a.txt.gz", gzip.compress(text.encode()))
    assert read_corpus_file(file).text == text
