"""Every file and public name says what it is for, and every package that is imported is pinned."""

import ast
import sys

from tests.helpers.paths import CORE, PAGES, REPOSITORY, SHARED, TESTS, name_of, roots, tree

OURS = [*CORE, *SHARED, *PAGES, REPOSITORY / "app.py"]


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
    files = [REPOSITORY / "requirements.txt", REPOSITORY / "tests" / "requirements.txt"]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    named = {line.partition("==")[0].replace("-", "_") for line in lines if "==" in line}
    used = {root for path in OURS for root in roots(path)} - {"app", "pages", "tests", "tokenizer_core"}
    assert used - set(sys.stdlib_module_names) <= named
