"""The layers: a folder imports only those listed before it, late imports included; the core knows no interface."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.paths import (
    CORE,
    PAGES,
    REPOSITORY,
    SHARED,
    TESTS,
    arrows,
    circle,
    imported,
    name_of,
    roots,
    tree,
)

INTERFACE = {"streamlit", "pandas", "altair", "pages", "app"}
LINES_OF_A_PAGE = 80
CORE_FLOORS = [
    ["."],
    ["kernels"],
    ["patterns"],
    ["bpe", "readers"],
    ["corpus_counts", "analysis"],
    ["interop"],
    ["workers"],
    ["saved_runs", "sources"],
    ["cli"],
]
PAGE_FOLDERS = ["home", "learn", "train", "compare", "languages", "patterns", "stories", "vocabulary", "pieces"]
UI_FLOORS = [
    ["."],
    ["i18n"],
    ["widgets", "run_registry"],
    ["widgets/token_view"],
    ["widgets/player", "widgets/receipt", "frame"],
    ["inputs", "widgets/abreast"],
    ["widgets/slides"],
    PAGE_FOLDERS,
]
ENTRANCES = {"tokenizer_core/__init__.py", "tokenizer_core/__main__.py"}
"""What people import and start may import everything."""


def room(path: Path, house: Path) -> str:
    """The folder of a module; what stands in the house itself is in "."."""
    return path.relative_to(house).parent.as_posix()


@pytest.mark.parametrize(
    ("paths", "house", "floors"),
    [(CORE, REPOSITORY / "tokenizer_core", CORE_FLOORS), (SHARED, REPOSITORY / "pages" / "ui", UI_FLOORS)],
    ids=["core", "pages"],
)
def test_no_room_imports_from_a_floor_above_or_from_its_neighbour(
    paths: list[Path], house: Path, floors: list[list[str]]
) -> None:
    floor = {name: number for number, names in enumerate(floors) for name in names}
    assert {room(path, house) for path in paths} == set(floor)
    wrong = [
        f"{name_of(path)} → {name_of(target)}"
        for path, targets in arrows(paths).items()
        for target in targets
        if name_of(path) not in ENTRANCES
        and room(path, house) != room(target, house)
        and floor[room(target, house)] >= floor[room(path, house)]
    ]
    assert wrong == []


@pytest.mark.parametrize("paths", [CORE, SHARED, TESTS], ids=["core", "pages", "tests"])
def test_no_circle_of_imports(paths: list[Path]) -> None:
    assert circle(arrows(paths)) is None


def test_a_circle_is_found() -> None:
    a, b, c = Path("a"), Path("b"), Path("c")
    assert circle({a: {b}, b: {c}, c: {b}}) in ([b, c, b], [c, b, c])
    assert circle({a: {b, c}, b: {c}, c: set()}) is None


def test_no_test_module_imports_another() -> None:
    wrong = [name_of(path) for path in TESTS if any(".test_" in f".{name}" for name in imported(path))]
    assert wrong == []


def test_the_core_knows_no_interface() -> None:
    assert [name_of(path) for path in CORE if roots(path) & INTERFACE] == []


def test_importing_the_core_loads_no_interface() -> None:
    code = "import sys, tokenizer_core, tokenizer_core.workers.training_job, tokenizer_core.interop.exports;"
    code += " import tokenizer_core.sources.at_hand, tokenizer_core.sources.chats;"
    code += " print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & (
        INTERFACE | {"tokenizers", "sentencepiece", "huggingface_hub", "jinja2"}
    )


def test_only_openai_and_the_formats_know_other_libraries() -> None:
    def knowing(library: str) -> list[str]:
        return [name_of(path).removeprefix("tokenizer_core/") for path in CORE if library in roots(path)]

    assert knowing("tiktoken") == ["bpe/openai.py", "interop/verifying.py"]
    assert {name.partition("/")[0] for name in knowing("tokenizers")} == {"interop"}
    assert (knowing("huggingface_hub"), knowing("jinja2")) == (["sources/hub.py"], ["sources/chats.py"])


def test_shared_parts_know_no_page() -> None:
    pages = {f"pages.{page.stem}" for page in PAGES}
    assert [name_of(path) for path in SHARED if pages & set(imported(path)) or "app" in roots(path)] == []


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_page_is_thin(path: Path) -> None:
    """Frame, inputs, one call, show: no table work, no loop over tokens, no helper library of its own."""
    assert not roots(path) & {"pandas", "numpy", "altair", "regex", "re", "tiktoken", "json"}
    assert not {name for name in imported(path) if name.startswith("pages.") and not name.startswith("pages.ui")}
    assert not [node for node in ast.walk(tree(path)) if isinstance(node, (ast.ClassDef, ast.While))]
    assert path.read_text(encoding="utf-8").count("\n") <= LINES_OF_A_PAGE


def test_only_the_session_touches_streamlits_session_state() -> None:
    def touches(path: Path) -> bool:
        return any(
            isinstance(node, ast.Attribute) and node.attr == "session_state" for node in ast.walk(tree(path))
        )

    assert [name_of(path) for path in [*SHARED, *PAGES] if touches(path)] == ["pages/ui/session.py"]


def test_choices_in_words_survive_a_change_of_language() -> None:
    """The browser knows a choice of a radio or a selectbox by its words alone; `one_of` gives it the new ones."""

    calls = [
        (path, node) for path in [*SHARED, *PAGES] for node in ast.walk(tree(path)) if isinstance(node, ast.Call)
    ]
    forgotten = []
    for path, call in calls:
        named = {each.arg: ast.unparse(each.value) for each in call.keywords}
        is_choice = isinstance(call.func, ast.Attribute) and call.func.attr in ("radio", "selectbox")
        if is_choice and "format_func" in named and "remembered(" in named.get("key", ""):
            forgotten.append(f"{name_of(path)}:{call.lineno}")
    assert forgotten == []


def test_no_two_places_declare_the_same_session_value() -> None:
    declared = [
        call.args[0].value
        for path in [*SHARED, *PAGES]
        for call in ast.walk(tree(path))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("Value", "Maybe")
        and isinstance(call.args[0], ast.Constant)
    ]
    assert len(declared) > 40
    assert [key for key in set(declared) if declared.count(key) > 1] == []
