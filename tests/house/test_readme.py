"""What README.md promises: its example runs, its map is true, its commands are those that CI runs."""

import re
import subprocess

import pytest

from tests.helpers.paths import CORE, PAGES, REPOSITORY, SHARED

ROOT = REPOSITORY
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(after: str, language: str = "") -> str:
    """The first code block after a heading or a line."""
    found = re.search(re.escape(after) + r".*?```" + language + r"\n(.*?)```", README, re.DOTALL)
    assert found, after
    return found.group(1)


def test_the_example_runs() -> None:
    exec(compile(block("## The library", "python"), "README.md", "exec"), {})


def folders_of_the_map() -> set[str]:
    """The path of each folder on the map, which indents a folder inside another."""
    found: set[str] = set()
    way: list[str] = []
    for line in block("## The map").splitlines():
        if entry := re.match(r"( *)((?:[a-z0-9_]+/ ?)+)", line):
            names = entry[2].replace("/", " ").split()
            way[len(entry[1]) // 2 :] = names[-1:]
            found |= {"/".join([*way[:-1], name]) for name in names}
    return found


def test_the_map_names_every_folder_of_code() -> None:
    folders = {path.parent.relative_to(ROOT).as_posix() for path in [*CORE, *SHARED, *PAGES]}
    assert folders <= folders_of_the_map()


def test_the_map_names_every_folder_of_tests() -> None:
    named = set(re.findall(r"(\w+)/", block("## The map").partition("\ntests/ ")[2]))
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert named == folders


def test_it_can_be_read_at_a_sitting() -> None:
    assert len(README.split()) <= 1_000


@pytest.mark.parametrize("heading", ["## Run it", "## Test it"])
def test_each_command_is_one_line_that_makes_its_environment(heading: str) -> None:
    (command,) = block(heading, "sh").strip().splitlines()
    packages = "--no-compile -r requirements.txt" if heading == "## Run it" else "-r tests/requirements.txt"
    assert command.startswith(f"python3 -m venv .venv && .venv/bin/pip install -q {packages} && .venv/bin/")


def test_ci_runs_the_test_command() -> None:
    assert "## Test it" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_visible_top_level_is_as_agreed() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    top = {name.split("/")[0].strip('"') for name in listed.stdout.splitlines()}
    agreed = {
        "app.py",
        "pages",
        "tokenizer_core",
        "sample_data",
        "tests",
        "requirements.txt",
        "pyproject.toml",
        "README.md",
    }
    assert {name for name in top if not name.startswith(".")} == agreed


def test_the_sample_data_is_parallel() -> None:
    thai, english = (
        (ROOT / "sample_data" / f"parallel.{language}.txt").read_text(encoding="utf-8").splitlines()
        for language in ("th", "en")
    )
    assert len(thai) == len(english) >= 300
    assert all(line.strip() for line in thai + english)
    assert all(re.search(r"[\u0e00-\u0e7f]", line) for line in thai)
