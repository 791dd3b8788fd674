"""What README.md promises: its example runs, its map is true, its commands are those that CI runs."""

import re
import subprocess

import pytest

from tests.helpers.modules import CORE, PAGES, SHARED, name_of
from tests.helpers.paths import REPOSITORY

ROOT = REPOSITORY
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(after: str, language: str = "") -> str:
    """The first code block after a heading or a line."""
    found = re.search(re.escape(after) + r".*?```" + language + r"\n(.*?)```", README, re.DOTALL)
    assert found, after
    return found.group(1)


def test_the_example_runs() -> None:
    exec(compile(block("## The library", "python"), "README.md", "exec"), {})


def rooms_of_the_map() -> dict[str, str]:
    """What the map says of each folder, by its path."""
    found: dict[str, str] = {}
    way: list[str] = []
    for line in block("## The map").splitlines():
        if entry := re.match(r"( *)([a-z_]+)/  +(.*)", line):
            way[len(entry[1]) // 2 :] = [entry[2]]
            found["/".join(way)] = entry[3]
        else:
            found["/".join(way)] += " " + line.strip()
    return found


def files_of_the_folder(folder: str) -> str:
    """What a folder says of its files itself, where README has no room for them."""
    path = ROOT / folder / "__init__.py"
    return path.read_text("utf-8").partition("Its files:")[2].partition('"""')[0] if path.is_file() else ""


def test_the_map_names_every_module_and_no_other() -> None:
    named = {
        f"{folder}/{name}"
        for folder, words in rooms_of_the_map().items()
        for name in re.findall(r"\w+", words.partition(":")[2] or files_of_the_folder(folder))
    }
    modules = {
        name_of(path).removesuffix(".py") for path in [*CORE, *SHARED, *PAGES] if not path.stem.startswith("__")
    }
    assert named == modules


def test_the_map_names_every_folder_of_tests() -> None:
    named = set(re.findall(r"(\w+)/", rooms_of_the_map()["tests"]))
    assert named == {
        path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"
    }


def test_it_can_be_read_at_a_sitting() -> None:
    assert len(README.split()) <= 1_000


@pytest.mark.parametrize("heading", ["## Run it", "## Test it"])
def test_each_command_is_one_line_that_makes_its_environment(heading: str) -> None:
    (command,) = block(heading, "sh").strip().splitlines()
    assert command.startswith(
        "python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt && .venv/bin/"
    )


def test_ci_runs_the_test_command() -> None:
    assert "## Test it" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_visible_top_level_is_as_agreed() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    top = {name.split("/")[0].strip('"') for name in listed.stdout.splitlines()}
    agreed = {"app.py", "pages", "tokenizer_core", "sample_data", "tests", "requirements.txt", "README.md"}
    assert {name for name in top if not name.startswith(".")} == agreed


def test_the_sample_data_is_parallel() -> None:
    thai, english = (
        (ROOT / "sample_data" / f"parallel.{language}.txt").read_text(encoding="utf-8").splitlines()
        for language in ("th", "en")
    )
    assert len(thai) == len(english) >= 300
    assert all(line.strip() for line in thai + english)
    assert all(re.search(r"[\u0e00-\u0e7f]", line) for line in thai)
