"""The modules of the browser: without circles, and one module when they come together."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from pages.ui.learn.lessons import BROWSER as LEARN
from pages.ui.vocabulary.browse import BROWSER as VOCABULARY
from pages.ui.widgets.player.serve import BROWSER as STAGE
from pages.ui.widgets.receipt import BROWSER as RECEIPT
from pages.ui.widgets.slides import BROWSER as DECK
from pages.ui.widgets.token_view.serve import BROWSER as TOKEN_VIEW
from pages.ui.widgets.token_view.serve import bundle, imported, modules, page_to_take_away
from tests.helpers.browser import require

NODE = shutil.which("node")
ENTRIES = {
    "token view": [TOKEN_VIEW / "view.js", TOKEN_VIEW / "page.js"],
    "stage": [STAGE / "stage.js", STAGE / "replay.js"],
    "deck": [DECK / "deck.js", DECK / "phone.js"],
    "receipt": [RECEIPT / "receipt.js"],
    "vocabulary": [VOCABULARY / "vocabulary.js"],
    "learn": [LEARN / "learn.js", LEARN / "page.js"],
}


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


# ---- our modules


@pytest.mark.parametrize("name", ENTRIES)
def test_a_component_is_one_module_that_parses(name: str, tmp_path: Path) -> None:
    """In a bundle all modules share one scope, in which a parser refuses two declarations of one name."""
    code = bundle(ENTRIES[name][0])
    assert_parses(code, tmp_path)
    assert not re.search(r"^import\b", code, re.M)
    assert len(re.findall(r"^export default ", code, re.M)) == 1


def test_the_page_to_take_away_holds_one_module_that_parses(tmp_path: Path) -> None:
    page = page_to_take_away()
    assert set(re.findall(r"%[A-Z]+%", page)) == {"%LANGUAGE%", "%TITLE%", "%OPTIONS%", "%PAYLOAD%"}
    _, _, rest = page.partition('<script type="module">')
    code, _, after = rest.partition("</script>")
    assert after.strip() == "</html>"
    assert not re.search(r"^(?:import|export)\b", code, re.M)
    assert_parses(code, tmp_path)


def test_every_module_is_reached() -> None:
    reached = {path for entries in ENTRIES.values() for entry in entries for path in modules(entry)}
    assert reached == {
        path for folder in (TOKEN_VIEW, STAGE, DECK, RECEIPT, VOCABULARY, LEARN) for path in folder.rglob("*.js")
    }


# ---- the bundler


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
