"""Where things are: the project's own modules, and which of them imports which."""

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
THAI_CORPUS = Path(os.environ.get("THAI_CORPUS", REPOSITORY.parent / "shared" / "corpora" / "thai_wiki_small.txt"))
CORE = sorted((REPOSITORY / "tokenizer_core").rglob("*.py"))
SHARED = sorted((REPOSITORY / "pages" / "ui").rglob("*.py"))
PAGES = sorted((REPOSITORY / "pages").glob("*.py"))
TESTS = sorted((REPOSITORY / "tests").rglob("*.py"))


def name_of(path: Path) -> str:
    """The path as people write it, such as "pages/home.py"."""
    return path.relative_to(REPOSITORY).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    """The parsed file, which nobody may change."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """The full name of every module that a file imports, also inside functions."""
    package = path.relative_to(REPOSITORY).parent.parts
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def roots(path: Path) -> set[str]:
    """The packages that a file imports from."""
    return {name.partition(".")[0] for name in imported(path)}


def arrows(paths: list[Path]) -> dict[Path, set[Path]]:
    """Which of the files each file imports; the packages around a module are not counted."""
    by_name = {".".join(path.relative_to(REPOSITORY).with_suffix("").parts): path for path in paths}
    by_name |= {name.removesuffix(".__init__"): path for name, path in by_name.items()}
    found: dict[Path, set[Path]] = {}
    for path in paths:
        names = set(imported(path))
        # `from a import b` names a as well, which is meant only where b is no module.
        modules = {name.rpartition(".")[0] for name in names if name in by_name and by_name[name] != path}
        found[path] = {by_name[name] for name in names - modules if name in by_name} - {path}
    return found


def circle(arrows: dict[Path, set[Path]]) -> list[Path] | None:
    """A way along imports from a file back to itself."""
    for start in arrows:
        ways, seen = [[start]], set[Path]()
        while ways:
            way = ways.pop()
            for following in arrows[way[-1]]:
                if following == start:
                    return [*way, start]
                if following not in seen:
                    seen.add(following)
                    ways.append([*way, following])
    return None
