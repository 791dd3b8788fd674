"""Every benchmark starts without the peers it does not need, and says which one it lacks."""

import subprocess
import sys

import pytest

from tests.helpers.paths import REPOSITORY

PEERS = ("bpeasy", "rustbpe", "ffbpe", "quicktok", "riptoken", "gigatoken")
NEED_PEERS = ("bench_core", "bench_fastest")
OTHERS = {path.stem for path in (REPOSITORY / "tests" / "benchmarks").glob("bench_*.py")} - {*NEED_PEERS}


def said_without_peers(*names: str) -> tuple[int, str]:
    """The exit code of a process that imports these benchmarks where no peer is installed, and what it says."""
    absent = f"import sys; sys.modules.update(dict.fromkeys({PEERS}))\n"
    code = absent + "".join(f"import tests.benchmarks.{name}\n" for name in names)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_most_benchmarks_need_no_peer() -> None:
    assert said_without_peers(*OTHERS) == (0, "")


@pytest.mark.parametrize("name", NEED_PEERS)
def test_the_others_say_what_to_install(name: str) -> None:
    code, said = said_without_peers(name)
    assert code == 1
    assert said.partition(" ")[2] == "is not installed: pip install -r tests/benchmarks/requirements.txt\n"
