"""Numbers, sizes and tables on the command line: what they mean, and what is refused."""

import argparse
from pathlib import Path

import pytest

from tokenizer_core.cli.corpus import lasting
from tokenizer_core.cli.options import check_out, in_columns, memory_size, one_line, positive
from tokenizer_core.errors import TokenizerError


@pytest.mark.parametrize(
    ("said", "size"),
    [
        ("64MB", 2**26),
        ("64 mib", 2**26),
        ("67108864", 2**26),
        ("67108864B", 2**26),
        ("65536k", 2**26),
        (" 1.5GB ", 3 * 2**29),
        ("2T", 2**41),
        ("1048575TB", (2**20 - 1) * 2**40),
    ],
)
def test_a_size_of_memory_is_read_as_people_write_it(said: str, size: int) -> None:
    assert memory_size(said) == size


@pytest.mark.parametrize(
    "said", ["63.9MB", "67108863", "1048576TB", "GB", "", "4 GB free", "-4GB", "4PB", "1e9", "4.GB"]
)
def test_a_size_that_is_none_or_too_small_or_endless_is_refused(said: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="such as 4GB, at least 64MB, got"):
        memory_size(said)


def test_numbers_are_whole_and_from_1_up() -> None:
    assert [positive(said) for said in ("1", "007", "2147483647")] == [1, 7, 2**31 - 1]
    for said in ("0", "-1", "1.5", "2147483648", "", "๑", "²", "1 "):
        with pytest.raises(argparse.ArgumentTypeError, match="a whole number from 1 up"):
            positive(said)


def test_a_table_aligns_numbers_at_the_right_and_leaves_no_spaces_at_the_ends() -> None:
    rows = [("name", "MB", "place"), ("a", "1,000.0", "here"), ("long name", "2", "")]
    assert in_columns(rows, right=(1,)).splitlines() == [
        "name            MB  place",
        "a          1,000.0  here",
        "long name        2",
    ]


def test_an_error_is_one_line() -> None:
    assert one_line(FileNotFoundError(2, "No such file", "a.txt")) == "a.txt: No such file"
    assert one_line(OSError("torn")) == "None: torn"
    assert one_line(ValueError("one\n  two")) == "one two"
    assert "\n" not in one_line(TokenizerError("worker_died"))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "0 s"), (0.4, "0 s"), (59.4, "59 s"), (60, "1 min 0 s"), (3_599, "59 min 59 s"), (3_600, "1 h 0 min")],
)
def test_a_time_is_said_in_its_two_largest_units(seconds: float, words: str) -> None:
    assert lasting(seconds) == words
    assert lasting(86_399) == "23 h 59 min"


def test_an_output_is_refused_before_the_work_and_its_folder_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_out(str(tmp_path / "a" / "b" / "out"))
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "there").touch()
    check_out(str(tmp_path / "there"))
    for name, shown in (("", "--out"), (f"{tmp_path}/", f"{tmp_path}/"), (str(tmp_path), str(tmp_path))):
        with pytest.raises(IsADirectoryError) as caught:
            check_out(name)
        assert caught.value.filename == shown
    asked: list[tuple[Path, int]] = []

    def refuse(path: Path, mode: int) -> bool:
        asked.append((path, mode))
        return False

    monkeypatch.setattr("os.access", refuse)
    with pytest.raises(PermissionError) as refused:
        check_out(str(tmp_path / "there"))
    assert refused.value.filename == str(tmp_path)  # a file is written beside and moved
    (tmp_path / "link").symlink_to(tmp_path / "there")
    with pytest.raises(PermissionError):
        check_out(str(tmp_path / "link"))
    assert {mode for _, mode in asked} == {2}
