"""Do the tests bite? Change the core in one small way at a time, and see whether a test notices.

    nice -n 19 .venv/bin/python -m tests.benchmarks.mutants --seed 1 --count 300

Each mutant is tried in a copy of the repository, by the tests of its module, in a process forked from one that has
imported pytest and numba already. Loops are compiled, as users run them. A mutant that none of the tests notices
survives: it needs a new test, or an entry in `equivalents.toml` that says why nothing can notice it. `--log` keeps
what came of each; a run with the same log tries anew what survived, and leaves out what was killed.
"""

import argparse
import ast
import contextlib
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from numba.core import caching

from tests.benchmarks.mutations import Mutant, mutants_of
from tests.helpers.paths import THAI_CORPUS

CORE = Path("tokenizer_core")
TESTS = {
    "reference": "training",
    "patterns": "patterns branches",
    "measures/branches": "branches",
    "kinds": "cutter",
    "cutter": "cutter own_patterns loops",
    "cut_loop": "cutter loops",
    "count_loop": "cutter loops",
    "match_loop": "own_patterns",
    "own_patterns/parts": "own_patterns",
    "own_patterns/reading": "own_patterns",
    "own_patterns/characters": "own_patterns",
    "own_patterns/program": "own_patterns",
    "pretokens": "patterns cutter",
    "trainer": "training two_stage cutter",
    "merge_loop": "training loops",
    "two_stage": "two_stage",
    "tokenizer": "tokenizer special_tokens minbpe_files cutter",
    "encode_loop": "tokenizer cutter loops",
    "longest_loop": "tokenizer loops",
    "special_tokens": "special_tokens",
    "vocabulary": "tokenizer minbpe_files rank_merges",
    "minbpe_files": "minbpe_files",
    "openai": "openai",
    "rank_merges": "rank_merges openai loops",
    "segments": "segments",
}
"""The tests of each module, by the names of their files in tests/core, those that notice most first."""
PRELOADED = "hypothesis numba numpy numpy.testing pandas playwright.sync_api pytest regex streamlit tiktoken"
HELD_HASHES = "test_code_compiled_into_another_file_is_compiled_anew_when_it_changes"
"""The test that notices any change of some files, even of a comment: it says nothing of what the others notice."""
SURVIVED = "survived"
BYTES_OF_MEMORY = 8 * 2**30
PATIENCE = 3
"""A mutant may take this many times as long as the unchanged code."""
COMPILING = 10
"""Seconds on top, because changed loops are compiled anew."""
UNKNOWN = 5.0
"""Seconds of a test that has not run yet."""
EQUIVALENT = {
    (entry["module"], entry["line"], entry["became"]): entry["why"]
    for entry in tomllib.loads(Path(__file__).with_name("equivalents.toml").read_text("utf-8"))["mutant"]
}
"""What survives because nothing can notice it: its module, the line before and after the change, and why."""


def main() -> None:
    """Try seeded mutants, and print a table of them and each survivor."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="end earlier; the order is random")
    parser.add_argument("--only", nargs="*", choices=TESTS, default=[*TESTS], metavar="MODULE")
    parser.add_argument("--log", type=Path, help="a file of outcomes to go on from, and to add to")
    parser.add_argument("--backwards", action="store_true", help="begin at the end, beside another run")
    parser.add_argument("--baseline", type=Path, help="a folder for what is measured before the first")
    parser.add_argument("--untried", action="store_true", help="do not try what is named as equivalent")
    asked = parser.parse_args()
    log, baseline = Log(asked.log and asked.log.absolute()), asked.baseline and asked.baseline.absolute()
    end = time.monotonic() + 60 * asked.minutes
    every = [mutant for module in asked.only for mutant in mutants_of(CORE, module)]
    chosen = random.Random(asked.seed).sample(every, min(asked.count, len(every)))
    tried: dict[Mutant, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        copy.measure(asked.only, baseline)
        order = chosen[::-1] if asked.backwards else chosen
        for mutant in sorted(order, key=lambda mutant: log.outcome(mutant) != SURVIVED):
            outcome = log.settled(mutant) or (SURVIVED if asked.untried and why(mutant) else None)
            if not outcome and time.monotonic() < end:
                outcome = copy.outcome(mutant)
                log.note(mutant, outcome, copy.seconds)
                print(f"{outcome:9} {copy.seconds:5.1f} s  {mutant}", file=sys.stderr, flush=True)
            if outcome := outcome or log.outcome(mutant):
                tried[mutant] = outcome
    print("\n".join(report(every, tried)))


class Log:
    """What came of mutants in this run, in those before, and in one beside it."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._before = {mutant for mutant, outcome in self._outcomes().items() if outcome == SURVIVED}

    def outcome(self, mutant: Mutant) -> str | None:
        """Return what came of a mutant when it was tried last."""
        return self._outcomes().get(digest(mutant))

    def settled(self, mutant: Mutant) -> str | None:
        """Do the same, but not for one that survived an earlier run, which is to be tried again."""
        outcome = self.outcome(mutant)
        return None if outcome == SURVIVED and digest(mutant) in self._before else outcome

    def note(self, mutant: Mutant, outcome: str, seconds: float) -> None:
        """Add an outcome to the file, with the seconds of a processor that it took."""
        if self._path:
            known = {"mutant": digest(mutant), "outcome": outcome}
            entry = {**known, "seconds": round(seconds, 1), "change": str(mutant)}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def _outcomes(self) -> dict[str, str]:
        if self._path is None or not self._path.is_file():
            return {}
        entries = map(json.loads, self._path.read_text("utf-8").splitlines())
        return {entry["mutant"]: entry["outcome"] for entry in entries}


def digest(mutant: Mutant) -> str:
    """Return a name of a mutant that holds as long as its module stays the same."""
    return hashlib.sha256(f"{mutant.module}\n{mutant.source}".encode()).hexdigest()[:16]


class Copy:
    """A copy of the repository whose core is changed, tested, and changed back."""

    def __init__(self, folder: Path) -> None:
        files = subprocess.run(["git", "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout
        for name in filter(None, files.decode().split("\0")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, folder / name)
        os.environ |= {"NUMBA_CACHE_DIR": str(folder / ".numba")}
        os.environ.setdefault("THAI_CORPUS", str(THAI_CORPUS))
        os.chdir(folder)

        sys.path[0] = str(folder)
        for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
            del sys.modules[name]
        for name in PRELOADED.split():
            import_module(name)
        self._numba = folder / ".numba"
        self._kept = folder / ".numba_of_unchanged_code"
        self.seconds = 0.0
        """What the latest tests took of a processor."""
        self._taken: dict[str, float] = {}
        self._tried = 0
        self._order = Order(folder / ".order")
        self._files = sorted([*CORE.glob("*.py"), *CORE.glob("own_patterns/*.py")])
        for file in self._files:
            os.utime(file, (0, 0))

    def measure(self, modules: Iterable[str], baseline: Path | None) -> None:
        """Note how long the tests of these modules take with unchanged code, which must pass, and compile it."""
        if baseline and baseline.is_dir():
            self._taken = json.loads((baseline / "seconds.json").read_text("ascii"))
            shutil.copytree(baseline / "numba", self._numba / in_cache(CORE))
        for name in sorted({name for module in modules for name in TESTS[module].split()} - set(self._taken)):
            if (outcome := self._test([tests_of(name)], 600)) != SURVIVED:
                raise SystemExit(f"{tests_of(name)} must pass before anything is changed; it {outcome}")
            self._taken[name] = self.seconds
        shutil.copytree(self._numba, self._kept)
        if baseline and not baseline.is_dir():
            shutil.copytree(self._numba / in_cache(CORE), baseline / "numba")
            (baseline / "seconds.json").write_text(json.dumps(self._taken), "ascii")

    def outcome(self, mutant: Mutant) -> str:
        """Test a mutant, and change it back."""
        names = TESTS[mutant.module].split()
        most = COMPILING + PATIENCE * sum(self._taken[name] for name in names)
        path = CORE / f"{mutant.module}.py"
        unchanged = {file: file.read_bytes() for file in self._dependents(mutant.module)}
        for file, content in unchanged.items():  # numba would not see that what they call has changed
            file.write_bytes(content + b"# Something that is called here has changed.\n")
        path.write_text(mutant.source, encoding="utf-8")
        self._tried += 1
        for file in unchanged:  # so that no compiled code of Python is mistaken for that of another mutant
            os.utime(file, (self._tried, self._tried))
        outcome = self._test([str(path), *map(tests_of, names)], most)
        for file, content in unchanged.items():
            file.write_bytes(content)
            os.utime(file, (0, 0))
        shutil.rmtree(self._numba)
        shutil.copytree(self._kept, self._numba)
        return outcome

    def _dependents(self, module: str) -> list[Path]:
        """The files of the core that import a module, also by way of others."""
        found = {CORE / f"{module}.py"}
        while more := {file for file in self._files if imports(file) & {each.stem for each in found}} - found:
            found |= more
        return sorted(found)

    def _test(self, tests: Sequence[str], seconds: float) -> str:
        child = os.fork()
        if not child:
            run_tests(tests, int(seconds), self._order)
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
        signal.alarm(int(60 + 10 * seconds))  # others use the processor too, and a wait is not the mutant's fault
        _, status, used = os.wait4(child, 0)
        signal.alarm(0)
        self.seconds = used.ru_utime + used.ru_stime
        with contextlib.suppress(ProcessLookupError):  # what the tests have started
            os.killpg(child, signal.SIGKILL)
        self._order.read()
        code = os.waitstatus_to_exitcode(status)
        timed_out = {-signal.SIGKILL: "timed out", -signal.SIGXCPU: "timed out"}
        return ({0: SURVIVED, 1: "failed"} | timed_out).get(code, "crashed")


def in_cache(folder: Path) -> str:
    """Return what numba calls the part of its cache for the code in this folder."""
    locator: Any = caching._CacheLocator
    return str(locator.get_suitable_cache_subpath(str(folder.absolute() / "any.py")))


def tests_of(name: str) -> str:
    """The path of a file of tests."""
    return f"tests/core/test_{name}.py"


class Order:
    """A plugin of pytest that runs those tests first that noticed most so far, and then the quickest."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._noticed: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}

    def read(self) -> None:
        """Take in what the process of the tests has written."""
        if self._path.is_file():
            for line in self._path.read_text("utf-8").splitlines():
                outcome, seconds, name = line.split(" ", 2)
                self._noticed[name] += outcome == "failed"
                self._seconds.setdefault(name, float(seconds))
            self._path.unlink()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Sort the tests."""
        items.sort(key=lambda item: (-self._noticed[item.nodeid], self._seconds.get(item.nodeid, 0.0)))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Give each test a time of its own, so that an endless loop need not use up that of all."""
        most = time.process_time() + COMPILING + PATIENCE * self._seconds.get(nodeid, UNKNOWN)
        _, of_all = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (min(int(most) + 1, of_all), of_all))

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note how a test ended."""
        if report.when == "call":
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{report.outcome} {report.duration:.3f} {report.nodeid}\n")


@cache
def imports(file: Path) -> set[str]:
    """The modules of the core that a file imports, as it was at first."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tokenizer_core"):
            names |= {(node.module or "").rpartition(".")[2], *(alias.name for alias in node.names)}
    return names


def run_tests(tests: Sequence[str], seconds: int, order: Order) -> NoReturn:
    """Run tests in this process, which was forked for them, and end with pytest's code."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_OF_MEMORY, BYTES_OF_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silence, stream)
    options = [
        "-q",
        "--import-mode=importlib",
        "--doctest-modules",
        "-x",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    ]
    code = import_module("pytest").main(
        ["-o", "addopts=", *options, "-m", "not long", "-k", f"not {HELD_HASHES}", *tests], [order]
    )
    os._exit(int(code))


def report(every: list[Mutant], tried: dict[Mutant, str]) -> Iterator[str]:
    """Write the table, and the survivors below it."""
    places = Counter(mutant.module for mutant in every)
    survivors = [mutant for mutant, outcome in tried.items() if outcome == SURVIVED]
    alike = [mutant for mutant in survivors if why(mutant)]
    yield "| module | possible | tried | killed | equivalent | survived |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for module in [*places, "all"]:
        counted = [
            sum(module in ("all", mutant.module) for mutant in part)
            for part in (every, tried, set(tried) - set(survivors), alike, set(survivors) - set(alike))
        ]
        yield f"| {module} | {' | '.join(map(str, counted))} |"
    yield ""
    yield ", ".join(f"{outcome}: {count}" for outcome, count in Counter(tried.values()).most_common())
    yield from (f"{mutant} (equivalent: {why(mutant)})" if why(mutant) else str(mutant) for mutant in survivors)


def why(mutant: Mutant) -> str | None:
    """Say why nothing can notice a mutant, if that is known."""
    return EQUIVALENT.get((mutant.module, mutant.text, mutant.became))


if __name__ == "__main__":
    main()
