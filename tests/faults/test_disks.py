"""Full and read-only disks: the app trains, and says why nothing new is kept; what was kept stays whole."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pages.ui.i18n import error_sentence
from pages.ui.i18n.breaks import without_breaks
from pages.ui.run_registry import keeping
from pages.ui.run_registry.keeping import open_saved_runs
from pages.ui.run_registry.registry import Registry
from pages.ui.widgets.export_panel import WrittenExport
from tests.helpers.app import LANGUAGES, said, start_training
from tests.helpers.app import wait_until as wait_for_page
from tests.helpers.jobs import SMALL, wait_for
from tests.helpers.paths import REPOSITORY
from tokenizer_core import train
from tokenizer_core.errors import ExportError
from tokenizer_core.interop.exports import export
from tokenizer_core.interop.verifying import reload
from tokenizer_core.saved_runs import folder as libraries
from tokenizer_core.saved_runs.folder import Quota, SavedRuns
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs mounts and limits of Linux")
QUOTA = Quota(100, 2**30)


def mount(*options: str) -> None:
    """Mount a disk of our own; skip where only an administrator may."""
    if subprocess.run(["mount", *options], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a disk here")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 32 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "size=32k", "tmpfs", str(place))
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], Registry]]:
    """Opens the registry of an app whose library is in this folder, however little room its disk has."""
    monkeypatch.setattr(libraries, "MIN_FREE_BYTES", 0)
    found: list[Registry] = []

    def open_registry(folder: Path) -> Registry:
        found.append(Registry(SavedRuns(folder, QUOTA)))
        return found[-1]

    yield open_registry
    for each in found:
        each.close()


def trained(registry: Registry, name: str = "") -> Job:
    job = registry.start(Training([SMALL], 300), owner="me", name=name)
    wait_for(job, "done")
    registry._keeper.keep_all()
    return job


def is_told(registry: Registry, code: str) -> bool:
    """Whether the page says in both languages why nothing is kept."""
    trouble = registry.trouble("me")
    assert trouble is not None
    assert len({error_sentence(trouble, spoken=spoken) for spoken in LANGUAGES}) == 2
    return trouble.code == code


def left_behind(folder: Path) -> list[Path]:
    return list(folder.rglob("*.tmp"))


def test_a_full_disk_is_told_and_what_was_kept_stays(disk: Path, opened: Callable[[Path], Registry]) -> None:
    registry = opened(disk)
    kept = trained(registry, "kept")
    assert registry.trouble("me") is None
    filler = disk / "filler"
    with pytest.raises(OSError, match="No space"):
        filler.write_bytes(bytes(64 * 1024))
    job = trained(registry)
    assert is_told(registry, "saved_disk_full")
    assert (job.state, job.learned, left_behind(disk)) == ("done", 44, [])
    registry.rename(kept.id, "another name")
    registry._keeper.keep_all()
    assert [entry.id for entry in SavedRuns(disk, QUOTA).entries("me")] == [kept.id]
    filler.unlink()
    registry._keeper.keep_all()
    assert registry.trouble("me") is None
    assert {entry.id for entry in SavedRuns(disk, QUOTA).entries("me")} == {kept.id, job.id}


@pytest.mark.long
def test_a_read_only_disk_is_told_and_is_read(disk: Path, opened: Callable[[Path], Registry]) -> None:
    first = trained(opened(disk), "kept")
    mount("-o", "remount,ro", str(disk))
    registry = opened(disk)
    assert [run.job.id for run in registry.runs("me")] == [first.id]
    trained(registry)
    assert is_told(registry, "saved_not_writable")
    again = registry.get(first.id)
    assert again is not None
    assert again.merges == first.merges


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """Within this context, the system refuses to write longer files, as with a full quota."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_may_not_grow_is_told_and_leaves_nothing_behind(
    tmp_path: Path, opened: Callable[[Path], Registry]
) -> None:
    registry = opened(tmp_path)
    with no_file_longer_than(100):
        job = trained(registry)
        assert is_told(registry, "saved_unusable")
        assert left_behind(tmp_path) == []
    registry._keeper.keep_all()
    assert registry.trouble("me") is None
    assert [entry.id for entry in SavedRuns(tmp_path, QUOTA).entries("me")] == [job.id]


def test_a_user_without_a_home_has_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr(keeping, "SAVED_RUNS_FOLDER", None)
    assert open_saved_runs() is None


# ---- files to take along


def test_a_full_disk_is_told_by_what_tries_files_out(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    tokenizer = train(SMALL, 300)
    files = export(tokenizer, "gpt2").files
    assert len(reload("gpt2", files, tokenizer.pattern, {}).encode("aba")) > 0
    filler = disk / "filler"
    filler.write_bytes(bytes(28 * 1024))
    with pytest.raises(ExportError) as caught:
        reload("gpt2", files, tokenizer.pattern, {})
    assert caught.value.code == "proof_no_room"
    assert list(disk.iterdir()) == [filler]


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_that_files_could_not_be_tried_out_and_tries_again(
    disk: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(disk))
    filler = disk / "filler"
    filler.write_bytes(bytes(28 * 1024))
    app = start_training(language)
    wait_for_page(app, lambda: bool(app.success))
    app.session_state["train_exports"] = True
    app.run()
    taken: dict[tuple[str, str], WrittenExport] = app.session_state["exports"]
    wait_for_page(app, lambda: not any(each.is_pending for each in taken.values()))
    app.run()
    sentence = without_breaks(error_sentence(ExportError("proof_no_room"), spoken=language))
    assert sentence in without_breaks(said(app))
    assert {"vocab.json", "merges.txt"} <= {button.proto.label for button in app.get("download_button")}
    filler.unlink()
    (key,) = {key for key, _ in taken}
    app.button(key=f"exports_take_gpt2_{key}").click().run()
    wait_for_page(app, lambda: not any(each.is_pending for each in taken.values()))
    app.run()
    assert sentence not in without_breaks(said(app))
    proof = taken[key, "gpt2"].proof
    assert proof is not None
    assert proof.proof is not None
    assert proof.proof.difference is None
    assert list(disk.iterdir()) == []


# ---- compiled code


COMPILED = """
import resource, sys
from pathlib import Path
limit = int(sys.argv[1])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from doubling import double
print(double(21))
"""
DOUBLING = """
from tokenizer_core.kernels.compiled import compiled

@compiled
def double(number):
    return number + number
"""


def doubled(folder: Path, limit: int = 0) -> str:
    """What a compiled function says in a process of its own, whose cache is in this folder."""
    (folder / "doubling.py").write_text(DOUBLING, encoding="utf-8")
    env = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": f"{folder}:{REPOSITORY}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-c", COMPILED, str(limit)]
    found = subprocess.run(command, env=env, capture_output=True, check=False, text=True)
    return found.stdout.strip() or found.stderr


@pytest.mark.long
def test_what_is_compiled_works_without_room_for_its_cache_and_with_a_damaged_one(tmp_path: Path) -> None:
    assert doubled(tmp_path, limit=100) == "42"
    assert doubled(tmp_path) == "42"
    files = [path for path in (tmp_path / "cache").rglob("*.nb*") if path.is_file()]
    assert len(files) == 2
    for path in files:
        path.write_bytes(b"")  # as a crash leaves them
    assert doubled(tmp_path) == "42"
    assert all(path.stat().st_size for path in files)  # and made whole again
