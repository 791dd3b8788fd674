"""Everything has a size that a person can read: functions, files, folders; and says what it is for."""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.helpers.modules import CORE, PAGES, SHARED, TESTS, name_of, roots, tree
from tests.helpers.paths import REPOSITORY

LINES_OF_PYTHON = 400
LINES_OF_JAVASCRIPT = 350
LINES_OF_A_FUNCTION = 40
FILES_OF_A_FOLDER = 25
KERNELS = {"replace_pair"}
"""One walk over the occurrences of a pair cannot be parted without a call for each."""
OURS = [*CORE, *SHARED, *PAGES, REPOSITORY / "app.py"]
SCRIPTS = sorted((REPOSITORY / "pages").rglob("*.js"))


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_file_is_long() -> None:
    assert [name_of(path) for path in [*OURS, *TESTS] if lines_of(path) > LINES_OF_PYTHON] == []
    assert [name_of(path) for path in SCRIPTS if lines_of(path) > LINES_OF_JAVASCRIPT] == []


def test_no_function_is_long() -> None:
    long = [
        f"{name_of(path)}: {node.name}"
        for path in [*OURS, *TESTS]
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef)
        and node.end_lineno
        and node.end_lineno - node.lineno >= LINES_OF_A_FUNCTION
        and node.name not in KERNELS
    ]
    assert long == []


def test_no_folder_is_crowded() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    counted = Counter(str(Path(name.strip('"')).parent) for name in listed.stdout.splitlines())
    assert [folder for folder, files in counted.items() if files > FILES_OF_A_FOLDER] == []


def test_every_file_and_public_name_says_what_it_is_for() -> None:
    silent = [
        name_of(path)
        for path in [*OURS, *TESTS]
        if path.name != "__init__.py" and not ast.get_docstring(tree(path))
    ]
    silent += [
        f"{name_of(path)}: {node.name}"
        for path in OURS
        for node in tree(path).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert silent == []


def test_every_package_that_is_imported_is_named_with_its_version() -> None:
    requirements = (REPOSITORY / "requirements.txt").read_text(encoding="utf-8")
    named = {line.partition("==")[0].replace("-", "_") for line in requirements.splitlines() if "==" in line}
    used = {root for path in OURS for root in roots(path)} - {"app", "pages", "tests", "tokenizer_core"}
    assert used - set(sys.stdlib_module_names) <= named
