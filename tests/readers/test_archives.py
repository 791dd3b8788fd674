"""Archives give the files in them; bombs, torn files and foreign methods are refused with the reason."""

import bz2
import gzip
import lzma
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import cache, partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.files import BOTH, CSV, JSONL, MB, PARQUET, THAI, code_of, error_of, files_in, zipped
from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.files import read_corpus_file


@cache
def huge_gzip() -> bytes:
    """A gz file of 10 GB: 160 parts of 64 MB end to end."""
    return gzip.compress(bytes(64 * MB)) * 160


# ---- archives


def test_a_zip_gives_its_files_with_folders_and_thai_names() -> None:
    content = zipped(
        {"ชุด/": "", "ชุด/หนึ่ง.csv": CSV, "two.txt": THAI, "b/three.parquet": PARQUET, "four.jsonl": JSONL}
    )
    found = files_in("ชุดข้อมูล.zip", content)
    assert [file.name for file in found] == ["ชุด/หนึ่ง.csv", "two.txt", "b/three.parquet", "four.jsonl"]
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
    assert (file.name, file.content) == ("a", b"one two")


@pytest.mark.parametrize(
    ("name", "shown"), [("A.TXT.GZ", "A.TXT"), (".gz", ".gz"), ("a.gz", "a"), ("packed", "packed")]
)
def test_only_the_ending_of_a_packed_file_is_taken_off_its_name(name: str, shown: str) -> None:
    (file,) = files_in(name, gzip.compress(b"a cat"))
    assert file.name == shown


def test_what_systems_put_beside_files_is_no_file() -> None:
    junk = ["__MACOSX/._a.txt", "__MACOSX/a.txt", "b/.DS_Store", "b/._c.txt", "Thumbs.db", "desktop.ini"]
    junk += ["c\\Thumbs.db", "c\\._d.txt"]  # as packers on Windows write paths
    found = files_in("a.zip", zipped({"a.txt": "a", **dict.fromkeys(junk, "junk")}))
    assert [file.name for file in found] == ["a.txt"]


def test_entries_that_are_no_text_are_named_with_the_reason() -> None:
    members: dict[str, bytes | str] = {
        "a.txt": "a cat",
        "b.png": b"\x89PNG\r\n\x1a\n" + bytes(100),
        "c.zip": zipped({"d.txt": "d"}),
        "e.txt.gz": gzip.compress(b"e"),
        "f.tar": b"f".ljust(257, b"\0") + b"ustar",
        "g/.hidden": "g",
        "g\\.too": "g",
        "h.bin": bytes(range(256)) * 10,
    }
    found = files_in("a.zip", zipped(members))
    refused = {file.name: error_of(partial(read_corpus_file, file)) for file in found[1:]}
    assert (found[0].content, found[0].refusal) == (b"a cat", None)
    assert {file.content for file in found[1:-1]} == {b""}
    assert {name: (error.code, error.values) for name, error in refused.items()} == {
        "b.png": ("binary_file", {"kind": "png"}),
        "c.zip": ("nested_archive", {"kind": "zip"}),
        "e.txt.gz": ("nested_archive", {"kind": "gzip"}),
        "f.tar": ("nested_archive", {"kind": "tar"}),
        "g/.hidden": ("hidden_file", {}),
        "g/.too": ("hidden_file", {}),
        "h.bin": ("binary_file", {"kind": None}),
    }


def test_a_file_of_an_archive_shows_nothing_of_its_bytes_where_it_is_printed() -> None:
    (file,) = files_in("a.zip", zipped({"a.txt": "a secret"}))
    assert "secret" not in repr(file)


@pytest.mark.parametrize(
    ("content", "code", "kind"),
    [
        (gzip.compress(gzip.compress(b"a")), "nested_archive", "gzip"),
        (gzip.compress(zipped({"a": "a"})), "nested_archive", "zip"),
        (gzip.compress(b"a.txt".ljust(257, b"\0") + b"ustar"), "nested_archive", "tar"),
        (gzip.compress(b"\x89PNG"), "binary_file", "png"),
        (b"a.txt".ljust(257, b"\0") + b"ustar", "archive_kind", "tar"),
        (b"7z\xbc\xaf\x27\x1c", "archive_kind", "7z"),
        (b"Rar!\x1a\x07\x00", "archive_kind", "rar"),
        (bz2.compress(b"a cat"), "archive_kind", "bzip2"),
        (lzma.compress(b"a cat"), "archive_kind", "xz"),
        (b"\x28\xb5\x2f\xfd\x00", "archive_kind", "zstd"),
        (zipped({}), "archive_empty", None),
        (zipped({"folder/": ""}), "archive_empty", None),
        (zipped({"[Content_Types].xml": "", "word/document.xml": ""}), "binary_file", "docx"),
        (zipped({"[Content_Types].xml": "", "FixedDocSeq.fdseq": ""}), "binary_file", "office"),
        (zipped({"mimetype": "application/epub+zip", "a.xhtml": ""}), "binary_file", "office"),
        (zipped({"a.txt": "a cat"})[:-30], "damaged_file", "zip"),
        (gzip.compress(b"a cat")[:-9], "damaged_file", "gz"),
    ],
    ids=[
        *("gz in gz", "zip in gz", "tar in gz", "picture in gz", "tar", "7z", "rar", "bz2", "xz", "zst"),
        *("empty", "folder", "docx", "xps", "epub", "torn zip", "torn gz"),
    ],
)
def test_an_archive_that_cannot_be_opened_is_refused(content: bytes, code: str, kind: str | None) -> None:
    error = error_of(lambda: [read_corpus_file(file) for file in files_in("a", content)])
    assert (error.code, error.values.get("kind")) == (code, kind)


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
        assert code_of(partial(files_in, "a", content[:end])) == "damaged_file"


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
        assert code_of(partial(files_in, "a", content, max_bytes=1_000)) == "unpacked_too_large"


@pytest.mark.parametrize(("allowed", "said"), [(3 * MB, 3), (3 * MB + MB // 2, 3), (1_000, 1)])
def test_a_file_too_large_is_refused_with_the_megabytes_that_are_allowed(allowed: int, said: int) -> None:
    for content in (gzip.compress(bytes(4 * MB)), bytes(4 * MB)):
        assert error_of(partial(files_in, "a", content, max_bytes=allowed)).values == {"megabytes": said}


def test_500_files_are_taken_and_not_one_more() -> None:
    members: dict[str, bytes | str] = {f"{n}.txt": "a" for n in range(501)}
    error = error_of(lambda: files_in("a.zip", zipped(members)))
    assert (error.code, error.values) == ("too_many_files", {"limit": 500, "files": 501})
    del members["0.txt"]
    assert len(files_in("a.zip", zipped(members))) == 500


def test_an_archive_of_countless_parts_is_refused_before_they_are_listed() -> None:
    error = error_of(lambda: files_in("a.zip", b"PK\x03\x04" + b"PK\x01\x02" * 201, max_files=10))
    assert (error.code, error.values) == ("too_many_files", {"limit": 10, "files": 201})
    error = error_of(lambda: files_in("a.gz", gzip.compress(b"") * 201, max_files=10))
    assert (error.code, error.values) == ("damaged_file", {"kind": "gz"})


def test_as_many_parts_as_the_files_allowed_may_have_are_taken() -> None:
    beside = {f"__MACOSX/{n}": "" for n in range(199)}
    assert [file.name for file in files_in("a.zip", zipped({"a.txt": "a", **beside}), max_files=10)] == ["a.txt"]
    (file,) = files_in("a.gz", gzip.compress(b"a") * 200, max_files=10)
    assert file.content == b"a" * 200


def test_pictures_do_not_count_as_text() -> None:
    content = zipped({"a.txt": "a cat", "b.jpg": b"\xff\xd8\xff" + bytes(10 * MB)})
    assert files_in("a.zip", content, max_bytes=2 * MB)[0].content == b"a cat"
