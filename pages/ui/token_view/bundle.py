"""Puts the modules of the browser together: Streamlit takes the code of a component as one string.

The bundler knows only what our modules use: imports of names from files of ours, and exports of declarations.
"""

import re
from collections.abc import Iterator
from pathlib import Path

_IMPORT = re.compile(r'^import (?:\w+|\{\s*\w+(?:,\s*\w+)*,?\s*\}) from "(\.[\w./]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:default )?(?=(?:async )?function\b|class\b|const\b)", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundle(entry: Path) -> str:
    """Return a module and all that it imports as one module, with the exports of the first."""
    return "\n".join(_inlined(path, is_entry=path == entry.resolve()) for path in modules(entry))


def modules(entry: Path) -> list[Path]:
    """List a module and all that it imports, each once and after its own imports.

    Raises ValueError if modules import one another in a circle.
    """
    found: list[Path] = []

    def visit(path: Path, way: tuple[Path, ...]) -> None:
        if path in way:
            circle = " → ".join(each.name for each in (*way[way.index(path) :], path))
            raise ValueError(f"modules must not import one another in a circle; these do: {circle}")
        if path in found:
            return
        for each in imported(path):
            visit(each, (*way, path))
        found.append(path)

    visit(entry.resolve(), ())
    return found


def imported(path: Path) -> Iterator[Path]:
    """Yield the files that a module imports."""
    return ((path.parent / match[1]).resolve() for match in _IMPORT.finditer(path.read_text("utf-8")))


def _inlined(path: Path, *, is_entry: bool) -> str:
    """Return the code of a module without its imports, and without its exports unless it is the entry."""
    code = _IMPORT.sub("", path.read_text("utf-8"))
    plain = _EXPORT.sub("", code)
    if unknown := _UNKNOWN.search(plain):
        raise ValueError(
            "a module must import names from files of ours, and export declarations;"
            f" {path.name} has {unknown[0]!r}"
        )
    return code if is_entry else plain
