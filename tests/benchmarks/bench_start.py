"""How soon the app answers, what it loads before and after, and how large it is: prints Markdown tables.

    apt-get install chromium
    pip install -r requirements.txt -r tests/benchmarks/requirements.txt
    python -m tests.benchmarks.bench_start

- start: from `streamlit run` until the server answers, and until a fresh browser shows the counts on Home. Cold is
  a copy of the project without byte code and compiled loops, as after a clone; warm is the same copy again.
- loads: in the order of the app, in a process of their own.
- size: of what `requirements.txt` installs, and of the byte code that is there.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import cache_from_source
from pathlib import Path

from playwright.sync_api import Browser

from tests.benchmarks.bench_pages import fresh_tab
from tests.benchmarks.tables import Row, machine, show
from tests.benchmarks.visits import chromium, free_port, wait_healthy
from tests.helpers.paths import REPOSITORY

WARM_STARTS, COLD_STARTS = 5, 3
LARGE_MB = 5
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "tests")
LOADS = {
    "Streamlit and its server": "import streamlit, streamlit.starlette",
    "the loops' compiler, numba, with numpy": "import numba",
    "the app and the core; now the server answers": "import app",
    "the three reference tokenizers, for Home": """
from tokenizer_core.bpe.openai import references
for tokenizer in references().values(): tokenizer.token_bytes(0)""",
    "what else Home shows, and is drawn with; now it can be drawn": "app.load_first_page()",
    "the compiled loops, from their cache": "from tokenizer_core.workers.compiling import load_all; load_all()",
    "altair, pandas and pyarrow, for charts and tables": "import altair, pandas, pyarrow",
}


def main() -> None:
    """All tables."""
    print(f"{machine()}\n")
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        show("Start, s", ["start", "the server answers", "Home shows its counts"], starts(browser, Path(folder)))
    show("What is loaded", ["what", "s"], loads())
    show("Installed size", ["package", "MB"], sizes())


def starts(browser: Browser, folder: Path) -> list[Row]:
    """Start copies of the project that nobody has started before, and the last of them again."""
    rows: list[Row] = []
    for n in range(COLD_STARTS):
        copy = folder / str(n)
        shutil.copytree(REPOSITORY, copy, ignore=NOT_COPIED)
        rows.append(["cold", *started(browser, copy)])
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    for part in ("cutting", "merging"):
        command = [sys.executable, "-m", "tokenizer_core.workers.compiling", part]
        subprocess.run(command, cwd=copy, env=environment, check=True)
    return rows + [["warm", *started(browser, copy)] for _ in range(WARM_STARTS)]


def started(browser: Browser, copy: Path) -> list[str]:
    """Seconds of one start, to the first answer of the server and to that of Home."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "TOKENIZER_EXPLORER_LIBRARY": "off"}
    quiet = subprocess.DEVNULL
    with fresh_tab(browser) as tab:
        tab.goto("about:blank")
        begun = time.perf_counter()
        with subprocess.Popen(command, cwd=copy, env=environment, stdout=quiet, stderr=quiet) as server:
            try:
                wait_healthy(address)
                healthy = time.perf_counter()
                tab.goto(f"{address}/?lang=en")
                tab.locator(".st-key-home_view .count").first.wait_for()
                answered = time.perf_counter()
                tab.wait_for_timeout(3_000)  # what it loads afterwards
            finally:
                server.terminate()
    return [f"{healthy - begun:.1f}", f"{answered - begun:.1f}"]


def loads() -> list[Row]:
    """Seconds of each load, one after the other."""
    code = ["import sys, time", "sys.path.insert(0, '.')", "start = time.perf_counter()"]
    for load in LOADS.values():
        code += [load, "print(time.perf_counter() - start)", "start = time.perf_counter()"]
    command = [sys.executable, "-c", "\n".join(code)]
    subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)  # warms the disk
    said = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True, text=True).stdout
    return [[what, f"{float(seconds):.2f}"] for what, seconds in zip(LOADS, said.splitlines(), strict=True)]


def sizes() -> list[Row]:
    """The largest packages in MB, and all together."""
    found = {name: size_of(name) / 1e6 for name in installed()}
    largest = sorted((name for name in found if found[name] >= LARGE_MB), key=found.__getitem__, reverse=True)
    rows: list[Row] = [[name, f"{found[name]:.0f}"] for name in largest]
    others = sum(found.values()) - sum(found[name] for name in largest)
    rows += [[f"{len(found) - len(largest)} others", f"{others:.0f}"]]
    return [*rows, ["**all**", f"**{sum(found.values()):.0f}**"]]


def installed() -> set[str]:
    """The packages that `requirements.txt` names, and those that they need."""
    needed: set[str] = set()
    asked = list(required((REPOSITORY / "requirements.txt").read_text(encoding="utf-8").splitlines()))
    while asked:
        name = asked.pop()
        with contextlib.suppress(PackageNotFoundError):
            if name not in needed:
                asked += required(distribution(name).requires or [])
                needed.add(name)
    return needed


def required(lines: list[str]) -> Iterator[str]:
    """The names in lines of requirements, without those that only an extra asks for."""
    for line in lines:
        if (name := re.match(r"[\w.-]+", line)) and "extra ==" not in line:
            yield re.sub(r"[-_.]+", "-", name[0]).lower()


def size_of(name: str) -> int:
    """The bytes of a package's files, and of the byte code that pip or Python has written for them."""
    files = {Path(str(file.locate())) for file in distribution(name).files or []}
    files |= {Path(cache_from_source(str(file))) for file in files if file.suffix == ".py"}
    return sum(file.stat().st_size for file in files if file.is_file())


if __name__ == "__main__":
    main()
