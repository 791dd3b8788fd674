"""The layers of design.md: pages → pages/ui → tokenizer_core, never back; the core knows no interface."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.paths import REPOSITORY

CORE = sorted((REPOSITORY / "tokenizer_core").rglob("*.py"))
SHARED = sorted((REPOSITORY / "pages" / "ui").rglob("*.py"))
PAGES = sorted((REPOSITORY / "pages").glob("*.py"))
INTERFACE = {"streamlit", "pandas", "altair", "pages", "app"}
LINES_OF_A_PAGE = 80


def imported(path: Path) -> Iterator[str]:
    """The full name of every module that a file imports, wherever in it."""
    package = path.relative_to(REPOSITORY).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def roots(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


def name_of(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def cycle_from(start: str, arrows: dict[str, set[str]]) -> list[str] | None:
    """A way from a module back to itself along its imports."""
    ways = [[start]]
    seen: set[str] = set()
    while ways:
        way = ways.pop()
        for following in arrows[way[-1]]:
            if following == start:
                return [*way, start]
            if following not in seen:
                seen.add(following)
                ways.append([*way, following])
    return None


def arrows_between(paths: list[Path]) -> dict[str, set[str]]:
    """Which of the modules each module imports as it loads; imports inside functions come later."""
    names = {".".join(path.relative_to(REPOSITORY).with_suffix("").parts): path for path in paths}
    found: dict[str, set[str]] = {}
    for name, path in names.items():
        module = ast.parse(path.read_text(encoding="utf-8"))
        loaded = [node for node in module.body if isinstance(node, ast.ImportFrom) and node.module]
        targets = {node.module or "" for node in loaded}
        targets |= {f"{node.module}.{alias.name}" for node in loaded for alias in node.names}
        found[name] = (targets & set(names)) - {name}
    return found


@pytest.mark.parametrize("path", CORE, ids=name_of)
def test_the_core_knows_no_interface(path: Path) -> None:
    assert not roots(path) & INTERFACE


@pytest.mark.parametrize("path", CORE, ids=name_of)
def test_only_openai_knows_tiktoken(path: Path) -> None:
    assert "tiktoken" not in roots(path) or path.name == "openai.py"


@pytest.mark.parametrize("path", SHARED, ids=name_of)
def test_shared_parts_know_no_page(path: Path) -> None:
    pages = {f"pages.{page.stem}" for page in PAGES}
    assert not pages & set(imported(path))
    assert "app" not in roots(path)


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_is_thin(path: Path) -> None:
    """Frame, inputs, one call, show: no table work, no loop over tokens, no helper library of its own."""
    source = path.read_text(encoding="utf-8")
    assert not roots(path) & {"pandas", "numpy", "altair", "regex", "re", "tiktoken", "json"}
    assert not {name for name in imported(path) if name.startswith("pages.") and not name.startswith("pages.ui")}
    assert not [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.ClassDef, ast.While))]
    assert source.count("\n") <= LINES_OF_A_PAGE


@pytest.mark.parametrize("paths", [CORE, SHARED], ids=["core", "shared"])
def test_no_circle_of_imports(paths: list[Path]) -> None:
    arrows = arrows_between(paths)
    assert [cycle for name in arrows if (cycle := cycle_from(name, arrows))] == []


def test_importing_the_core_loads_no_interface() -> None:
    code = "import sys, tokenizer_core, tokenizer_core.jobs.job;"
    code += " print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & INTERFACE


@pytest.mark.parametrize("path", CORE, ids=name_of)
def test_every_file_and_public_function_says_what_it_is_for(path: Path) -> None:
    module = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in module.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    assert ast.get_docstring(module)
    assert [node.name for node in functions if not node.name.startswith("_") and not ast.get_docstring(node)] == []
