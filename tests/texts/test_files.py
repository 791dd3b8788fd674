"""Files of many kinds become the text in them; what cannot be read is refused, skipped and counted, or named."""

import csv
import gzip
import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.files import parquet
from tokenizer_core.errors import CorpusError
from tokenizer_core.jobs.fingerprint import corpus_hash
from tokenizer_core.texts import json_lines, tables
from tokenizer_core.texts.archives import PackedFile, unpack
from tokenizer_core.texts.csv_table import MAX_CELL
from tokenizer_core.texts.files import CorpusFile, read_corpus_file
from tokenizer_core.texts.labels import LONGEST, clean_name, column_labels
from tokenizer_core.texts.scripts import SAMPLE, script_shares
from tokenizer_core.texts.tables import TableReading

MB = 2**20
THAI = "วันนี้อากาศดีมาก ไปเที่ยวกันเถอะ"
ENGLISH = "The weather is nice today, so let us go out."
ROWS = [{"id": str(n), "th": f"{THAI} {n}", "en": f"{ENGLISH} {n}"} for n in range(20)]


def packed(name: str, content: bytes | str) -> PackedFile:
    return PackedFile(name, content.encode() if isinstance(content, str) else content)


def read(name: str, content: bytes | str, **choices: Any) -> CorpusFile:
    return read_corpus_file(packed(name, content), **choices)


def table_of(file: CorpusFile) -> TableReading:
    """How a file was read that is a table."""
    assert file.table is not None
    return file.table


def files_in(name: str, content: bytes, *, max_bytes: int = 50 * MB, max_files: int = 500) -> list[PackedFile]:
    return unpack(name, content, max_bytes=max_bytes, max_files=max_files)


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(CorpusError) as caught:
        call()
    return caught.value.code


def zipped(members: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return archive.getvalue()


def comma_separated(rows: Sequence[Sequence[str]], **style: Any) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n", **style).writerows(rows)
    return written.getvalue()


@cache
def huge_gzip() -> bytes:
    """A gz file of 10 GB: 160 parts of 64 MB end to end."""
    return gzip.compress(bytes(64 * MB)) * 160


CSV = comma_separated([list(ROWS[0]), *[list(row.values()) for row in ROWS]])
JSONL = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
PARQUET = parquet({key: [row[key] for row in ROWS] for key in ROWS[0]})
BOTH = "".join(f"{row['th']}\n{row['en']}\n" for row in ROWS)


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


@pytest.mark.parametrize(("name", "content"), [("a.csv", CSV), ("a.jsonl", JSONL), ("a.parquet", PARQUET)])
def test_columns_can_be_chosen(name: str, content: bytes | str) -> None:
    content = content.encode() if isinstance(content, str) else content
    file = read(name, content, columns=["en"])
    assert (table_of(file).chosen, file.text) == (("en",), "".join(f"{row['en']}\n" for row in ROWS))
    assert code_of(lambda: read(name, content, columns=["fr"])) == "unknown_column"


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


def test_a_list_of_words_gives_its_words() -> None:
    file = read(
        "a.csv", "rank,word\n" + "".join(f"{n},{word}\n" for n, word in enumerate(["cat", "dog", "คน"] * 3))
    )
    assert table_of(file).chosen == ("word",)
    assert table_of(read("b.csv", "n,word\n1000000,cat\n2000000,dog\n")).chosen == ("word",)


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


def test_a_cell_with_line_breaks_keeps_them() -> None:
    file = read("a.csv", 'n,text\n1,"one\ntwo\r\nthree"\n2,"four ""five"""\n')
    assert (file.text, table_of(file).rows) == ('one\ntwo\r\nthree\nfour "five"\n', 2)


def test_quotation_marks_in_a_tsv_file_without_quoting_are_text() -> None:
    content = "n\ttext\n" + "".join(f'{n}\t"Yes, he said {n}\n' for n in range(9))
    file = read("a.tsv", content)
    assert (table_of(file).rows, table_of(file).skipped_rows) == (9, 0)
    assert file.text.startswith('"Yes, he said 0\n')


def test_a_column_of_prose_alone_is_not_cut_at_its_commas() -> None:
    prose = ["text", "a, b and c", "plain", "one; two", "x, y, z, and so on", "none at all", "end, of, it"]
    assert read("a.csv", "\n".join(prose), header=True).text == "\n".join(prose[1:]) + "\n"


def test_many_stray_quotation_marks_take_no_endless_time() -> None:
    content = "n,text\n" + '1,"a cat\n' * 20_000
    file = read("a.csv", content)
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
    monkeypatch.setattr(tables, "MAX_ROWS", len(ROWS) - 1)
    for name, content in (("a.csv", CSV), ("a.jsonl", JSONL), ("a.parquet", PARQUET)):
        with pytest.raises(CorpusError) as caught:
            read(name, content)
        assert caught.value.code == "too_many_rows"
    monkeypatch.setattr(tables, "MAX_ROWS", len(ROWS))
    for name, content in (("a.csv", CSV), ("a.jsonl", JSONL), ("a.parquet", PARQUET)):
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


# ---- archives


def test_a_zip_gives_its_files_with_folders_and_thai_names() -> None:
    content = zipped(
        {"ชุด/": "", "ชุด/หนึ่ง.csv": CSV, "two.txt": THAI, "b/three.parquet": PARQUET, "four.jsonl": JSONL}
    )
    found = files_in("ชุดข้อมูล.zip", content)
    assert [file.name for file in found] == [
        "ชุด/หนึ่ง.csv",
        "two.txt",
        "b/three.parquet",
        "four.jsonl",
    ]
    assert [read_corpus_file(file).text for file in found] == [BOTH, THAI, BOTH, BOTH]


@pytest.mark.parametrize("encoding", ["utf-8", "cp874"])
def test_a_thai_name_from_an_old_packer_is_repaired(encoding: str) -> None:
    stored = "ภาษาไทย.txt".encode(encoding)
    content = zipped({"x" * len(stored): "a"}).replace(b"x" * len(stored), stored)
    assert files_in("a.zip", content)[0].name == "ภาษาไทย.txt"


def test_gz_gives_its_file_under_its_own_name() -> None:
    (file,) = files_in("a.csv.gz", gzip.compress(CSV.encode()))
    assert (file.name, read_corpus_file(file).text) == ("a.csv", BOTH)
    (file,) = files_in("a.gz", gzip.compress(b"one ") + gzip.compress(b"two"))
    assert file.content == b"one two"


def test_what_systems_put_beside_files_is_no_file() -> None:
    junk = ["__MACOSX/._a.txt", "__MACOSX/a.txt", "b/.DS_Store", "b/._c.txt", "Thumbs.db", "desktop.ini"]
    found = files_in("a.zip", zipped({"a.txt": "a", **dict.fromkeys(junk, "junk")}))
    assert [file.name for file in found] == ["a.txt"]


def test_entries_that_are_no_text_are_named_with_the_reason() -> None:
    members = {
        "a.txt": "a cat",
        "b.png": b"\x89PNG\r\n\x1a\n" + bytes(100),
        "c.zip": zipped({"d.txt": "d"}),
        "e.txt.gz": gzip.compress(b"e"),
        "f.tar": b"f".ljust(257, b"\0") + b"ustar",
        "g/.hidden": "g",
        "h.bin": bytes(range(256)) * 10,
    }
    found = files_in("a.zip", zipped(members))
    refused = {file.name: code_of(lambda file=file: read_corpus_file(file)) for file in found[1:]}
    assert found[0].content == b"a cat"
    assert refused == {
        "b.png": "binary_file",
        "c.zip": "nested_archive",
        "e.txt.gz": "nested_archive",
        "f.tar": "nested_archive",
        "g/.hidden": "hidden_file",
        "h.bin": "binary_file",
    }


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (gzip.compress(gzip.compress(b"a")), "nested_archive"),
        (gzip.compress(zipped({"a": "a"})), "nested_archive"),
        (gzip.compress(b"a.txt".ljust(257, b"\0") + b"ustar"), "nested_archive"),
        (b"a.txt".ljust(257, b"\0") + b"ustar", "archive_kind"),
        (b"7z\xbc\xaf\x27\x1c", "archive_kind"),
        (b"Rar!\x1a\x07\x00", "archive_kind"),
        (zipped({}), "archive_empty"),
        (zipped({"folder/": ""}), "archive_empty"),
        (zipped({"[Content_Types].xml": "", "word/document.xml": ""}), "binary_file"),
        (zipped({"mimetype": "application/epub+zip", "a.xhtml": ""}), "binary_file"),
    ],
    ids=["gz in gz", "zip in gz", "tar in gz", "tar", "7z", "rar", "empty", "folder", "docx", "epub"],
)
def test_an_archive_that_cannot_be_opened_is_refused(content: bytes, code: str) -> None:
    assert code_of(lambda: [read_corpus_file(file) for file in files_in("a", content)]) == code


def test_a_locked_file_in_a_zip_is_refused_by_name() -> None:
    content = bytearray(zipped({"a.txt": "open", "b.txt": "locked"}, zipfile.ZIP_STORED))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.rindex(signature) + place] |= 1
    opened, locked = files_in("a.zip", bytes(content))
    assert opened.content == b"open"
    assert code_of(lambda: read_corpus_file(locked)) == "archive_encrypted"


def test_other_methods_of_packing_are_refused_by_name() -> None:
    (file,) = files_in("a.zip", zipped({"a.txt": "a" * 100}, zipfile.ZIP_LZMA))
    assert code_of(lambda: read_corpus_file(file)) == "archive_method"


@pytest.mark.parametrize(
    "content", [zipped({"a.txt": CSV, "b.txt": CSV}), gzip.compress(CSV.encode())], ids=["zip", "gz"]
)
def test_a_torn_archive_is_refused_wherever_it_was_torn(content: bytes) -> None:
    for end in (len(content) // 4, len(content) // 2, len(content) - 30, len(content) - 4):
        assert code_of(lambda end=end: files_in("a", content[:end])) == "damaged_file"


def test_an_archive_with_a_changed_byte_is_refused() -> None:
    stored = zipped({"a.txt": "a cat sat"}, zipfile.ZIP_STORED)
    assert code_of(lambda: files_in("a.zip", stored.replace(b"a cat sat", b"a dog sat"))) == "damaged_file"
    packed_gz = bytearray(gzip.compress(b"a cat sat"))
    packed_gz[-8] ^= 1  # the checksum
    assert code_of(lambda: files_in("a.gz", bytes(packed_gz))) == "damaged_file"


@given(
    st.binary(max_size=200), st.integers(0, 400), st.sampled_from([b"PK\x03\x04", b"\x1f\x8b\x08", b"PAR1", b""])
)
def test_damage_of_every_kind_is_refused_and_nothing_else_is_raised(
    noise: bytes, place: int, start: bytes
) -> None:
    whole = {
        b"PK\x03\x04": zipped({"a.csv": CSV}),
        b"\x1f\x8b\x08": gzip.compress(b"a cat"),
        b"PAR1": PARQUET,
    }.get(start, b"")
    for content in (start + noise, whole[:place] + noise + whole[place + len(noise) :]):
        try:
            for file in files_in("a.parquet" if start == b"PAR1" else "a", content):
                read_corpus_file(file)
        except CorpusError:
            pass


# ---- bombs


@pytest.mark.parametrize(
    "bomb",
    [huge_gzip, lambda: zipped({f"{n}.txt": bytes(8 * MB) for n in range(16)})],
    ids=["gz of 10 GB", "zip"],
)
def test_a_bomb_takes_little_more_memory_than_is_allowed(bomb: Callable[[], bytes]) -> None:
    content = bomb()
    limit = 8 * MB
    tracemalloc.start()
    try:
        assert code_of(lambda: files_in("a", content, max_bytes=limit)) == "unpacked_too_large"
        assert tracemalloc.get_traced_memory()[1] < 2 * limit + 8 * MB
    finally:
        tracemalloc.stop()


def test_a_bomb_that_lies_about_its_size_is_refused() -> None:
    content = zipped({"a.txt": bytes(MB)})
    lying = content.replace(struct.pack("<L", MB), struct.pack("<L", 10))
    assert lying != content
    assert code_of(lambda: files_in("a.zip", lying, max_bytes=1_000)) == "damaged_file"


def test_as_many_bytes_as_allowed_are_taken_and_not_one_more() -> None:
    for content in (zipped({"a": bytes(600) + b"a", "b": b"b" * 400}), gzip.compress(b"a" * 1_001), b"a" * 1_001):
        assert sum(len(file.content) for file in files_in("a", content, max_bytes=1_001)) == 1_001
        assert code_of(lambda content=content: files_in("a", content, max_bytes=1_000)) == "unpacked_too_large"


def test_pictures_do_not_count_as_text() -> None:
    content = zipped({"a.txt": "a cat", "b.jpg": b"\xff\xd8\xff" + bytes(10 * MB)})
    assert files_in("a.zip", content, max_bytes=2 * MB)[0].content == b"a cat"


@pytest.mark.parametrize(("files", "refused"), [(500, False), (501, True)])
def test_so_many_files_are_taken_and_not_one_more(files: int, refused: bool) -> None:
    content = zipped({f"{n}.txt": "a" for n in range(files)})
    if refused:
        assert code_of(lambda: files_in("a.zip", content)) == "too_many_files"
    else:
        assert len(files_in("a.zip", content)) == files


def test_an_archive_of_countless_parts_is_refused_before_they_are_listed() -> None:
    assert (
        code_of(lambda: files_in("a.zip", b"PK\x03\x04" + b"PK\x01\x02" * 1_000, max_files=10)) == "too_many_files"
    )
    assert code_of(lambda: files_in("a.gz", gzip.compress(b"") * 1_000, max_files=10)) == "damaged_file"


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


# ---- what is said of texts


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


@given(st.lists(st.text(max_size=5), max_size=4), st.lists(st.text(max_size=5), max_size=4))
def test_only_the_same_texts_have_the_same_hash(texts: list[str], others: list[str]) -> None:
    assert (corpus_hash(texts) == corpus_hash(others)) == (texts == others)
    assert corpus_hash(tuple(texts)) == corpus_hash(texts)


def test_the_hash_is_that_of_lengths_and_bytes() -> None:
    import hashlib

    by_hand = (6).to_bytes(8, "little") + "กข".encode() + (1).to_bytes(8, "little") + b"a"
    assert corpus_hash(["กข", "a"]) == hashlib.sha256(by_hand).hexdigest()
