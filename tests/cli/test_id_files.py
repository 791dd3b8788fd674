"""Token ids in files: each format to the byte, texts that are empty or in pieces, and what is no file of ids."""

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tokenizer_core.cli import id_files
from tokenizer_core.cli.id_files import HeldIds, IdWriter, format_of, pieces_of_ids, written_ids
from tokenizer_core.errors import CorpusError


def write_texts(writer: IdWriter) -> None:
    """Texts of no, one and three ids, the last one in pieces; then ids of a text that does not end."""
    writer.add([], is_end=True)
    writer.add([7], is_end=True)
    writer.add([1, 2])
    writer.add([])
    writer.add([3])
    writer.add([], is_end=True)
    writer.add(np.array([4, 2**31 - 1], dtype=np.int32))


def written(path: Path, form: str) -> bytes:
    with written_ids(str(path), form) as writer:
        write_texts(writer)
    return path.read_bytes()


def texts_of(path: Path) -> list[list[int]]:
    texts: list[list[int]] = [[]]
    for ids, is_end in pieces_of_ids(str(path)):
        texts[-1] += ids
        texts += [[]] * is_end
    return texts


def test_the_suffix_of_a_name_tells_the_format() -> None:
    names = ["a.json", "a.JSONL", "a.b/c.npy", "a.parquet", "a.txt", "a", "npy", "", None]
    found = ["json", "json", "npy", "parquet", "text", "text", "text", "text", "text"]
    assert list(map(format_of, names)) == found


def test_lines_of_text_and_json_are_these(tmp_path: Path) -> None:
    assert written(tmp_path / "a", "text") == b"\n7\n1 2 3\n4 2147483647"
    assert written(tmp_path / "a.json", "json") == b"[]\n[7]\n[1, 2, 3]\n[4, 2147483647"


def test_an_array_holds_all_ids_and_a_table_the_text_of_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "a.npy", "npy")
    found = np.load(tmp_path / "a.npy")
    assert (found.dtype, found.tolist()) == (np.dtype("<i4"), [7, 1, 2, 3, 4, 2**31 - 1])
    assert not np.load(tmp_path / "a.npy", mmap_mode="r").flags.writeable
    for rows in (100, 3):
        monkeypatch.setattr(id_files, "_ROWS", rows)
        written(tmp_path / "a.parquet", "parquet")
        table = pq.read_table(tmp_path / "a.parquet")
        assert table.schema.types == [pa.int64(), pa.int32()]
        assert table.to_pydict() == {"text": [1, 2, 2, 2, 3, 3], "id": [7, 1, 2, 3, 4, 2**31 - 1]}
    assert pq.ParquetFile(tmp_path / "a.parquet").num_row_groups == 2


@pytest.mark.parametrize("form", id_files.FORMATS)
def test_no_ids_make_a_file_too(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"a.{form}"
    with written_ids(str(path), form):
        pass
    assert not any(texts_of(path))


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
@pytest.mark.parametrize("form", ["text", "json", "parquet"])
def test_texts_come_back_as_they_were_however_large_the_pieces(
    tmp_path: Path, form: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(id_files, "_ROWS", rows)
    monkeypatch.setattr(id_files, "_PIECE_BYTES", 3 * rows)
    path = tmp_path / f"a.{form}"
    written(path, form)
    texts = texts_of(path)
    assert [text for text in texts if text] == [[7], [1, 2, 3], [4, 2**31 - 1]]
    assert texts[:3] == [[], [7], [1, 2, 3]]


def test_an_array_is_one_text_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(id_files, "_ROWS", 2)
    np.save(tmp_path / "a.npy", np.arange(5, dtype=np.uint16))
    assert list(pieces_of_ids(str(tmp_path / "a.npy"))) == [
        ([0, 1], False),
        ([2, 3], False),
        ([4], False),
        ([], True),
    ]


def test_a_text_without_a_last_line_end_ends_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    for content, texts in {
        b"": [],
        b"1": [[1]],
        b"1\n": [[1]],
        b"1\n\n": [[1], []],
        b"[1,23]\n4 ,5": [[1, 23], [4, 5]],
    }.items():
        for size in (1, 2, 100):
            monkeypatch.setattr(id_files, "_PIECE_BYTES", size)
            path.write_bytes(content)
            assert texts_of(path)[:-1] == texts


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (b"1\n2\nx" + b"y" * 60, 3, "x" + "y" * 39),
        (b"2147483648", 1, "2147483648"),
        (b"\n12345678901", 2, "12345678901"),
    ],
    ids=["word", "beyond", "digits"],
)
def test_a_line_that_is_no_ids_is_quoted_in_part(tmp_path: Path, content: bytes, line: int, found: str) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        list(pieces_of_ids(str(tmp_path / "a")))
    assert (caught.value.code, caught.value.values) == ("ids_line", {"line": line, "found": found})


@pytest.mark.parametrize(
    "array", [np.zeros((2, 2), dtype=np.int32), np.zeros(2), np.array(["a"]), np.array([True])], ids=str
)
def test_an_array_of_anything_else_is_refused(tmp_path: Path, array: Any) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(CorpusError) as caught:
        list(pieces_of_ids(str(tmp_path / "a.npy")))
    assert caught.value.code == "ids_npy"


@pytest.mark.parametrize(
    "columns", [{"id": [1]}, {"text": [0]}, {"text": ["a"], "id": [1]}, {"text": [0], "id": [None]}], ids=str
)
def test_a_table_of_anything_else_is_refused(tmp_path: Path, columns: dict[str, Any]) -> None:
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.raises(CorpusError) as caught:
        list(pieces_of_ids(str(tmp_path / "a.parquet")))
    assert (caught.value.code, caught.value.values) == ("damaged_file", {"kind": "Parquet"})


@pytest.mark.parametrize("form", ["npy", "parquet"])
def test_a_format_with_a_head_is_not_written_to_the_standard_output(form: str) -> None:
    with pytest.raises(CorpusError) as caught, written_ids(None, form):
        pass
    assert (caught.value.code, caught.value.values) == ("ids_need_file", {"format": form})


def test_the_standard_output_gets_lines_and_stays_open(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    for form, lines in (("text", b"1\n2\n"), ("json", b"[1]\n[2]\n")):
        with written_ids(None, form) as writer:
            writer.add([1], is_end=True)
            writer.add([2], is_end=True)
        assert capfdbinary.readouterr().out == lines


def test_ids_held_for_a_while_know_where_each_text_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    held = HeldIds()
    write_texts(held)
    assert held.ends == [0, 1, 4]
    assert held.ids().tolist() == [7, 1, 2, 3, 4, 2**31 - 1]
    assert HeldIds().ids().size == 0
    monkeypatch.setattr(id_files, "MOST_IDS", 3)
    held = HeldIds()
    held.add([1, 2, 3])
    with pytest.raises(CorpusError) as caught:
        held.add([4])
    assert (caught.value.code, caught.value.values) == ("piece_large", {"limit": 3})


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    with contextlib.suppress(ValueError), written_ids(str(tmp_path / "a"), "text") as writer:
        writer.add([1])
        raise ValueError("torn")
    assert list(tmp_path.iterdir()) == []
