"""`python -m tokenizer_core learn`: the assignments fail as they are written, and pass once they are solved."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.app import mostly_long
from tests.helpers.paths import REPOSITORY
from tokenizer_core.__main__ import main

SOLVED = {
    "1_train/bpe.py": """
from tokenizer_core.bpe.reference import get_stats, merge, train_by_definition
def train(text, vocab_size):
    return train_by_definition(text, vocab_size, "none")
""",
    "2_pattern/pattern.py": """
from tokenizer_core import SPLIT_PATTERNS
PATTERN = SPLIT_PATTERNS["mark_aware"]
""",
    "3_export/export_it.py": """
from tokenizers import Tokenizer
from tokenizer_core.interop.exports import export
def exported(tokenizer, folder):
    for name, content in export(tokenizer, "tokenizer.json").files.items():
        (folder / name).write_bytes(content)
    return folder / name
def ids_elsewhere(path, text):
    return Tokenizer.from_file(str(path)).encode(text, add_special_tokens=False).ids
""",
}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    assert main(["learn", "--out", str(tmp_path / "course")]) == 0
    return tmp_path / "course"


@pytest.mark.parametrize("name", mostly_long(SOLVED, "1_train/bpe.py"))
def test_an_assignment_fails_until_it_is_solved(written: Path, name: str) -> None:
    file = written / name
    assert not passes(file.parent)
    file.write_text(SOLVED[name], "utf-8")
    assert passes(file.parent)


def passes(folder: Path) -> bool:
    command = [sys.executable, "-m", "unittest"]
    environment = {"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True).returncode == 0


def test_what_somebody_has_written_is_not_replaced(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (written / "1_train" / "bpe.py").write_text("mine", "utf-8")
    assert main(["learn", "--out", str(written)]) == 1
    assert "--force" in capsys.readouterr().err
    assert (written / "1_train" / "bpe.py").read_text("utf-8") == "mine"
    assert main(["learn", "--out", str(written), "--force"]) == 0
    assert (written / "1_train" / "bpe.py").read_text("utf-8") != "mine"


def test_files_beside_the_assignments_stay_and_the_one_in_the_way_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "2_pattern").mkdir()
    (tmp_path / "2_pattern" / "notes").touch()
    assert main(["learn", "--out", str(tmp_path)]) == 0
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    said = f"wrote {len(files) - 1} files into {tmp_path}; begin with {tmp_path / 'README.md'}\n"
    assert capsys.readouterr().out == said
    for path in files:
        path.unlink()
    (tmp_path / "README.md").touch()
    assert main(["learn", "--out", str(tmp_path)]) == 1
    assert f"learn: {tmp_path / 'README.md'}: the file is there; --force replaces it\n" == capsys.readouterr().err
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["README.md"]
    with pytest.raises(SystemExit):
        main(["learn"])
