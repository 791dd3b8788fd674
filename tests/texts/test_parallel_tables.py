"""Tables as parallel texts: a column is a language, a row is a pair."""

import json

import pytest

from tests.helpers.files import parquet
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES
from tokenizer_core.errors import CorpusError
from tokenizer_core.texts.archives import PackedFile
from tokenizer_core.texts.parallel import (
    EmptyLines,
    Parallel,
    parallel_table,
    read_parallel,
)
from tokenizer_core.texts.tables import TableReading


def table_of(parallel: Parallel) -> TableReading:
    """How the table was read that the lines are from."""
    assert parallel.table is not None
    return parallel.table


def test_quotes_and_line_breaks_in_cells_are_kept() -> None:
    table = 'th,en\n"แมว\nดำ","a ""black"" cat, 1"\nหมา,a dog\n'
    parallel = parallel_table(PackedFile("t.csv", table.encode()), header=True)
    assert parallel.names == ("th", "en")
    assert parallel.lines == (("แมว\nดำ", "หมา"), ('a "black" cat, 1', "a dog"))
    assert parallel.texts[0] == "แมว\nดำ\nหมา"


def test_a_table_may_have_many_languages_and_columns_that_are_none() -> None:
    rows = ["id;th;en;de", *(f"{n};{THAI_LINES[n]};{ENGLISH_LINES[n]};Wort {n} und mehr" for n in range(50))]
    parallel = parallel_table(PackedFile("t.csv", "\n".join(rows).replace(";;", ";").encode()))
    assert table_of(parallel).columns == ("id", "th", "en", "de")
    assert set(parallel.names) >= {"th", "en"}
    assert "id" not in parallel.names
    chosen = parallel_table(PackedFile("t.csv", "\n".join(rows).encode()), columns=["en", "de"])
    assert chosen.names == ("en", "de")


def test_a_broken_row_is_left_out_of_all_languages_and_counted() -> None:
    table = "th\ten\nแมว ดำ\ta black cat\nx\ty\tz\nหมา ขาว\ta white dog\n"
    parallel = parallel_table(PackedFile("t.tsv", table.encode()), header=True)
    assert parallel.pairs == 2
    assert (table_of(parallel).skipped_rows, table_of(parallel).first_skipped) == (1, 3)


def test_empty_cells_stay_pairs() -> None:
    parallel = parallel_table(PackedFile("t.csv", "th,en\nแมว,\nหมา,a dog\n".encode()), header=True)
    assert parallel.lines == (("แมว", "หมา"), ("", "a dog"))
    assert parallel.empty == EmptyLines(0, 1, 1)


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(CorpusError) as caught:
        parallel_table(PackedFile("t.csv", b"a,b\nx y,z w\n"), columns=["c"], header=True)
    assert caught.value.code == "unknown_column"


def test_a_table_of_one_column_is_refused() -> None:
    with pytest.raises(CorpusError) as caught:
        parallel_table(PackedFile("t.csv", b"text\nonly this\nand that\n"))
    assert caught.value.code == "parallel_languages"


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
