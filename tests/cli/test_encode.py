"""`python -m tokenizer_core encode` and `decode`: the ids of the library in every format, and the text back."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import model_of, word_piece
from tokenizer_core import Tokenizer, train
from tokenizer_core.__main__ import main
from tokenizer_core.cli import encode, id_files
from tokenizer_core.cli.corpus import Progress
from tokenizer_core.cli.encode import pattern_of
from tokenizer_core.cli.models import tokenizer_named
from tokenizer_core.patterns import safe_places

THAI = REPOSITORY / "sample_data" / "parallel.th.txt"
TEXT = THAI.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    train(TEXT, 400, special_tokens=["<|end|>", "<|pad|>"]).save(folder / "mine")
    return folder / "mine.model"


@pytest.mark.parametrize("form", id_files.FORMATS)
@pytest.mark.parametrize("boundaries", ["file", "line"])
def test_ids_go_out_and_text_comes_back(
    model: Path,
    tmp_path: Path,
    form: str,
    boundaries: str,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.setattr(safe_places, "CHUNK_BYTES", 1_000)
    monkeypatch.setattr(id_files, "_PIECE_BYTES", 100)
    monkeypatch.setattr(id_files, "_ROWS", 90)
    out = tmp_path / f"ids.{'json' if form == 'json' else form}"
    arguments = ["--tokenizer", str(model), "--boundaries", boundaries]
    assert main(["encode", str(THAI), str(THAI), *arguments, "-o", str(out)]) == 0
    found, tokenizer = _ids(out, form), Tokenizer.load(model)
    texts = [TEXT, TEXT] if boundaries == "file" else [*TEXT.splitlines(), *TEXT.splitlines()]
    expected = [tokenizer.encode(text) for text in texts]
    assert found == ([[token_id for ids in expected for token_id in ids]] if form == "npy" else expected)
    if boundaries == "file" or form != "npy":
        assert main(["decode", str(out), *arguments]) == 0
        assert capfdbinary.readouterr().out.decode() == TEXT + TEXT


def test_how_far_it_is_is_told_in_megabytes(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    class Heard(Progress):
        def add(self, more: int) -> None:
            super().add(more)
            told.append(self.sentence())

    monkeypatch.setattr(encode, "Progress", Heard)
    (tmp_path / "a.txt").write_text("cat\n" * 200_000)
    assert (
        main(["encode", str(tmp_path / "a.txt"), "--tokenizer", str(model), "-o", str(tmp_path / "ids.npy")]) == 0
    )
    assert told[-1].startswith("encode: 1 of 1 MB,")


def _ids(path: Path, form: str) -> list[list[int]]:
    if form == "npy":
        found: list[int] = np.load(path).tolist()
        return [found]
    if form == "parquet":
        table = pq.read_table(path)
        texts: list[list[int]] = [[] for _ in range(table.column("text")[-1].as_py() + 1)]
        for text, token_id in zip(table.column("text").to_pylist(), table.column("id").to_pylist()):
            texts[text].append(token_id)
        return texts
    lines = path.read_text().splitlines()
    return [json.loads(line) if form == "json" else list(map(int, line.split())) for line in lines]


def piped(*arguments: object, given: bytes = b"") -> tuple[int, bytes, str]:
    """A command in a pipe, as people use it."""
    done = subprocess.run(
        [sys.executable, "-m", "tokenizer_core", *map(str, arguments)],
        cwd=REPOSITORY,
        input=given,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode()


def test_the_standard_input_goes_through(model: Path) -> None:
    given = "ดื่มน้ำ <|end|> 🙂\r\n".encode()
    code, ids, said = piped("encode", "--tokenizer", model, given=given)
    assert (code, said) == (0, "")
    assert list(map(int, ids.split())) == Tokenizer.load(model).encode(given.decode())
    assert piped("decode", "--tokenizer", model, given=ids) == (0, given, "")


@pytest.mark.parametrize("name", ["sp.model", "wp.json"])
def test_tokenizers_of_other_kinds_encode_whole_texts(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    (tmp_path / name).write_bytes(model_of() if name == "sp.model" else word_piece())
    (tmp_path / "a.txt").write_text(TEXT[:3_000], encoding="utf-8")
    assert (
        main(["encode", str(tmp_path / "a.txt"), "--tokenizer", str(tmp_path / name), "-o", str(tmp_path / "i")])
        == 0
    )
    found = list(map(int, (tmp_path / "i").read_text().split()))
    tokenizer = tokenizer_named(str(tmp_path / name), None, "encode")
    assert found == tokenizer.encode(TEXT[:3_000])
    assert main(["decode", str(tmp_path / "i"), "--tokenizer", str(tmp_path / name)]) == 0
    assert capfdbinary.readouterr().out.decode() == tokenizer.decode(found)


@pytest.mark.parametrize("boundaries", ["file", "line"])
def test_special_tokens_act_if_they_are_named(model: Path, tmp_path: Path, boundaries: str) -> None:
    text = "น้ำ<|end|> ดื่ม <|pad|> น้ำ\n" * 300
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    tokenizer, out = Tokenizer.load(model), tmp_path / "ids"
    for special in (["<|end|>"], ["<|pad|>"], ["all"]):
        options = [word for token in special for word in ("--special-token", token)]
        arguments = ["--tokenizer", str(model), "--boundaries", boundaries, "-o", str(out), *options]
        assert main(["encode", str(tmp_path / "a.txt"), *arguments]) == 0
        texts = [text] if boundaries == "file" else text.splitlines()
        allowed = list(tokenizer.special_tokens) if special == ["all"] else special
        expected = [token_id for each in texts for token_id in tokenizer.encode(each, allowed_special=allowed)]
        assert list(map(int, out.read_text().split())) == expected


def test_ids_are_decoded_text_by_text_with_a_line_for_each_if_so_asked(
    model: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    tokenizer = Tokenizer.load(model)
    words = tmp_path / "wp.json"
    words.write_bytes(word_piece())
    of_words = tokenizer_named(str(words), None, "decode")
    for name, ids in (
        (model, [tokenizer.encode("ก"), [], tokenizer.encode("ab")]),
        (words, [of_words.encode("the cat"), []]),
    ):
        (tmp_path / "ids").write_text("".join(" ".join(map(str, row)) + "\n" for row in ids))
        texts = [tokenizer_named(str(name), None, "decode").decode(row).encode() if row else b"" for row in ids]
        assert main(["decode", str(tmp_path / "ids"), "--tokenizer", str(name), "--boundaries", "line"]) == 0
        assert capfdbinary.readouterr().out == b"".join(text + b"\n" for text in texts)
        assert main(["decode", str(tmp_path / "ids"), "--tokenizer", str(name)]) == 0
        assert capfdbinary.readouterr().out == b"".join(texts)
    half = tokenizer.encode("ก")[:1] if len(tokenizer.encode("ก")) > 1 else [0xE0]
    (tmp_path / "half.json").write_text(str(half))
    assert main(["decode", str(tmp_path / "half.json"), "--tokenizer", str(model)]) == 0
    assert capfdbinary.readouterr().out == tokenizer.decode_bytes(half)


def test_the_format_is_that_of_the_name_unless_another_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a cat\r\na dog")
    command = ["encode", str(tmp_path / "a.txt"), "--tokenizer", "gpt2", "-o"]
    written = {}
    for name, more in {
        "i.json": [],
        "j.json": ["--format", "text"],
        "k": [],
        "l.npy": ["--boundaries", "line"],
    }.items():
        assert main([*command, str(tmp_path / name), *more]) == 0
        written[name] = (tmp_path / name).read_bytes()
    assert written["i.json"] == b"[64, 3797, 201, 198, 64, 3290]\n"
    assert written["j.json"] == written["k"] == b"64 3797 201 198 64 3290\n"
    assert np.load(tmp_path / "l.npy").tolist() == [64, 3797, 64, 3290]


def test_the_largest_id_is_read(tmp_path: Path) -> None:
    (tmp_path / "ids").write_text(f"0 {2**31 - 1}\n")
    assert list(id_files.pieces_of_ids(str(tmp_path / "ids"))) == [([0, 2**31 - 1], True)]


@pytest.mark.parametrize("given", [b"1 x", b"1.5", b"-1", b"9999999999", b"\xff", b'{"a": 1}', b"1" * 5_000])
def test_what_is_no_id_is_refused_by_its_line(
    given: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ids").write_bytes(b"1 2\n" + given)
    assert main(["decode", str(tmp_path / "ids"), "--tokenizer", "gpt2"]) == 1
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "Line 2 must hold token ids" in said


def test_what_cannot_be_done_is_one_sentence(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: object) -> str:
        assert main([*map(str, arguments)]) == 1
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        return error

    for name, content in {"a.npy": b"text", "a.parquet": b"PAR1text", "b.npy": _npy(np.zeros((2, 2)))}.items():
        (tmp_path / name).write_bytes(content)
        assert said("decode", tmp_path / name, "--tokenizer", model).startswith("decode: ")
    (tmp_path / "ids").write_text("1 400 401 5000")
    assert "5,000" in said("decode", tmp_path / "ids", "--tokenizer", model)
    assert "only once" in said("decode", "-", "-", "--tokenizer", model)
    assert "--out" in said("encode", THAI, "--tokenizer", model, "--format", "npy")
    assert "<|no|>" in said("encode", THAI, "--tokenizer", model, "--special-token", "<|no|>")
    assert "nobody" in said("encode", THAI, "--tokenizer", "nobody")
    before = sorted(tmp_path.iterdir())
    (tmp_path / "bad.txt").write_bytes(b"good text\n" * 200_000 + b"\xff")
    assert "UTF-8" in said("encode", tmp_path / "bad.txt", "--tokenizer", model, "-o", tmp_path / "out.npy")
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "bad.txt"])


def _npy(array: Any) -> bytes:
    written = io.BytesIO()
    np.save(written, array)
    return written.getvalue()


def test_a_text_stays_whole_where_a_special_token_could_be_cut() -> None:
    tokenizer = Tokenizer([], pattern="gpt2", special_tokens=["<|a b|>", "<|c|>"])
    assert pattern_of(tokenizer, ["<|a b|>"]) == "none"
    assert pattern_of(tokenizer, ["<|c|>"]) == pattern_of(tokenizer, []) == "gpt2"
