"""The modules of the browser: small, without circles, and one module when they come together."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from pages.ui.stage import serve as stage
from pages.ui.token_view.bundle import bundle, imported, modules
from pages.ui.token_view.serve import BROWSER, page_to_take_away, view_js
from tests.helpers.browser import require

NODE = shutil.which("node")
FILES = sorted(BROWSER.rglob("*.js"))
ENTRIES = [BROWSER / "view.js", BROWSER / "page.js"]
STAGE = sorted(stage.BROWSER.rglob("*.js"))
STAGE_ENTRIES = [stage.BROWSER / "stage.js", stage.BROWSER / "replay.js"]
LINES_OF_A_MODULE = 250
DECLARED = re.compile(
    r"^(?:export )?(?:default )?(?:async )?(?:function\*?|class|const|let|var) +(\w+|[\[{].*)", re.M
)


def name_of(path: Path) -> str:
    return path.name


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Modules in a folder; the first one is the entry."""
    for name, code in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(code, "utf-8")
    return folder / next(iter(files))


def assert_parses(code: str, folder: Path) -> None:
    require(NODE, "node: apt-get install nodejs")
    assert NODE is not None
    path = folder / "bundle.mjs"
    path.write_text(code, "utf-8")
    done = subprocess.run([NODE, "--check", path], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.returncode == 0


# ------------------------------------------------------------------------------------------------ our modules


def test_the_view_is_one_module_that_parses(tmp_path: Path) -> None:
    code = view_js()
    assert_parses(code, tmp_path)
    assert re.findall(r"^(?:import|export)\b.*", code, re.M) == [
        "export default function showTokenView({ data, parentElement }) {"
    ]


def test_the_stage_is_one_module_that_parses(tmp_path: Path) -> None:
    code = stage.stage_js()
    assert_parses(code, tmp_path)
    exported = re.findall(r"^(?:import|export)\b.*", code, re.M)
    assert exported == [
        "export default function showStage({ data, parentElement, setTriggerValue }) {",
        "export class Stage {",
    ]


def test_the_page_to_take_away_holds_one_module_that_parses(tmp_path: Path) -> None:
    page = page_to_take_away()
    assert set(re.findall(r"%[A-Z]+%", page)) == {"%LANGUAGE%", "%TITLE%", "%OPTIONS%", "%PAYLOAD%"}
    _, _, rest = page.partition('<script type="module">')
    code, _, after = rest.partition("</script>")
    assert after.strip() == "</html>"
    assert not re.search(r"^(?:import|export)\b", code, re.M)
    assert_parses(code, tmp_path)


def test_every_module_is_reached() -> None:
    reached = {path for entry in ENTRIES for path in modules(entry)}
    assert reached == set(FILES)
    reached |= {path for entry in STAGE_ENTRIES for path in modules(entry)}
    assert reached == {*FILES, *STAGE}


@pytest.mark.parametrize("entry", [*ENTRIES, *STAGE_ENTRIES], ids=name_of)
def test_no_two_modules_declare_the_same_name(entry: Path) -> None:
    """In a bundle all modules share one scope."""
    code = "\n".join(path.read_text("utf-8") for path in modules(entry))
    declared = (re.sub(r"^\[([\w, ]+)\] = .*", r"\1", found) for found in DECLARED.findall(code))
    names = Counter(name for found in declared for name in found.split(", "))
    assert len(names) > 100
    assert {name for name, count in names.items() if count > 1} == set()
    assert {name for name in names if not name.isidentifier()} == set()  # this test knows plain names only


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_module_is_short(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= LINES_OF_A_MODULE


@pytest.mark.parametrize("path", [*FILES, *STAGE], ids=name_of)
def test_a_module_is_checked_and_says_what_it_is_for(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    comment = [line for line in lines[: lines.index("")] if line != "// @ts-check"]
    assert comment[0].startswith("// ")
    assert comment[-1].endswith(".")
    assert "// @ts-check" in lines[: lines.index("")]


@pytest.mark.parametrize("path", [*FILES, *STAGE], ids=name_of)
def test_a_module_imports_what_it_names_and_names_what_it_imports(path: Path) -> None:
    code = path.read_text("utf-8")
    for names, file in re.findall(r'^import (.+) from "(.+)";', code, re.M):
        exports = (path.parent / file).read_text("utf-8")
        exported = set(re.findall(r"^export .*?(?:function\*?|class|const) (\w+)", exports, re.M))
        for name in re.findall(r"\w+", names):
            assert name in exported
            assert len(re.findall(rf"\b{name}\b", code)) > 1


# ------------------------------------------------------------------------------------------------ the bundler


def test_a_module_stands_once_and_after_what_it_imports(tmp_path: Path) -> None:
    entry = write(
        tmp_path,
        {
            "view.js": 'import { b } from "./in/b.js";\nimport {\n  c,\n  d,\n} from "./c.js";\n'
            "export default function show() {}\n",
            "in/b.js": 'import { d } from "../c.js";\n\nexport const b = d;\n',
            "c.js": "export class c {}\nexport async function d() {}\n",
        },
    )
    assert [path.name for path in modules(entry)] == ["c.js", "b.js", "view.js"]
    assert (
        bundle(entry)
        == "class c {}\nasync function d() {}\n\n\nconst b = d;\n\nexport default function show() {}\n"
    )


def test_only_the_entry_keeps_its_exports(tmp_path: Path) -> None:
    entry = write(
        tmp_path,
        {"page.js": 'import show from "./view.js";\nshow();\n', "view.js": "export default function show() {}\n"},
    )
    assert bundle(entry) == "function show() {}\n\nshow();\n"


def test_a_circle_of_imports_is_refused_by_its_names(tmp_path: Path) -> None:
    entry = write(
        tmp_path,
        {
            "view.js": 'import { a } from "./a.js";\n',
            "a.js": 'import { b } from "./b.js";\n',
            "b.js": 'import { a } from "./a.js";\n',
        },
    )
    with pytest.raises(ValueError, match=r"a\.js → b\.js → a\.js"):
        modules(entry)


@pytest.mark.parametrize(
    "line",
    [
        'import { a as b } from "./a.js";',
        'import * as a from "./a.js";',
        'import "./a.js";',
        'import { a } from "elsewhere";',
        "export { a };",
        'export * from "./a.js";',
        "export default {};",
    ],
)
def test_what_the_bundler_does_not_know_is_refused(tmp_path: Path, line: str) -> None:
    entry = write(tmp_path, {"view.js": f"{line}\n", "a.js": "export const a = 1;\n"})
    with pytest.raises(ValueError, match=r"must import names from files of ours.*view\.js"):
        bundle(entry)


def test_an_import_in_a_comment_is_none(tmp_path: Path) -> None:
    entry = write(
        tmp_path, {"view.js": '/** @import { A } from "./types.d.ts" */\n// import { a } from "./a.js";\n'}
    )
    assert list(imported(entry)) == []
