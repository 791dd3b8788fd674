"""Saved runs stay whole: whoever writes at once or is killed, whatever stands in the folder, and full or not."""

import dataclasses
import errno
import io
import json
import multiprocessing
import os
import random
import signal
import stat
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.helpers.jobs import SMALL, wait_for
from tests.saved_runs.shelf import OWNER, ROOMY, error_of, file_of, keep, only, refusal
from tokenizer_core import Tokenizer
from tokenizer_core.errors import SavedRunsError
from tokenizer_core.saved_runs import entry as entries
from tokenizer_core.saved_runs.entry import Entry, Learned, packed_run, read_entry, read_learned
from tokenizer_core.saved_runs.folder import Damaged, Quota, SavedRuns, owner_key
from tokenizer_core.saved_runs.job import SavedJob, entry_of
from tokenizer_core.saved_runs.recipe import recipe_of
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Goal, StopRules, Training

FORKED = multiprocessing.get_context("fork")
MODEL = b"minbpe v1\n\n0\n97 98\n"


@pytest.fixture
def saved(tmp_path: Path) -> SavedRuns:
    return SavedRuns(tmp_path / "library", ROOMY)


@pytest.fixture(scope="module")
def finished() -> Iterator[Job]:
    """A training that has ended."""
    special, stop = {"<|end|>": 400}, StopRules(2, 60.0, Goal("a goal", 1, "gpt2"))
    texts = [SMALL, "another text"]
    job = Job(Training(texts, 300, "llama3", special, stop, corpus_name="` *letters* `", given=[(97, 98)]))
    wait_for(job, "done")
    yield job
    job.close()


@pytest.fixture(scope="module")
def whole(finished: Job) -> bytes:
    return packed_run(*entry_of(finished))


# ---- what is kept comes back


def test_a_run_comes_back_with_its_merges_counts_curve_and_recipe(saved: SavedRuns, finished: Job) -> None:
    keep(saved, finished, name="mine <b>", number=3, expected=recipe_of(finished))
    again = SavedRuns(saved.root, ROOMY)
    entry = only(again)
    assert entry.run is not None
    assert (entry.name, entry.run.number, entry.run.expected) == ("mine <b>", 3, recipe_of(finished))
    kept = SavedJob(entry, lambda: again.learned(OWNER, entry))
    assert kept.learned == len(finished.merges) == 44
    assert (kept.merges, kept.curve) == (finished.merges, finished.curve)
    assert recipe_of(kept) == recipe_of(finished)
    assert kept.training == dataclasses.replace(finished.training, texts=(), given=[(97, 98)])
    assert (kept.state, kept.ending, kept.created) == ("done", "size", finished.created)
    assert (kept.seconds, kept.work_seconds, kept.pretokens) == (
        finished.seconds,
        finished.work_seconds,
        finished.pretokens,
    )
    assert kept.tokenizer().special_tokens == {"<|end|>": 400}
    assert kept.tokenizer().encode("aba <|end|>") == finished.tokenizer().encode("aba <|end|>")


@pytest.mark.parametrize(
    ("state", "ending", "comes_back"),
    [
        ("done", "pairs", ("done", "pairs")),
        ("stopped", "time", ("stopped", "time")),
        ("stopped", None, ("stopped", "stopped")),
        ("interrupted", "interrupted", ("stopped", "interrupted")),
        ("interrupted", None, ("stopped", "interrupted")),
    ],
)
def test_a_run_comes_back_as_it_ended(whole: bytes, state: Any, ending: Any, comes_back: tuple[str, str]) -> None:
    entry = read_entry(whole)
    assert entry.run is not None
    run = replace(entry.run, state=state, ending=ending)
    kept = SavedJob(replace(entry, run=run), lambda: read_learned(whole, entry))
    assert (kept.state, kept.ending) == comes_back
    assert kept.distinct_pretokens == run.distinct_pretokens > 0
    assert (kept.corpus_characters, kept.superwords_after) == (len(SMALL) + len("another text"), None)
    again, _ = entry_of(kept)
    assert again.run is not None
    assert (again.run.state, again.run.ending) == comes_back
    assert (again.name, again.run.number, again.run.expected) == ("", 0, None)
    assert replace(again, saved=entry.saved, run=None) == replace(entry, run=None)


def test_a_run_is_saved_as_far_as_it_has_come(finished: Job) -> None:
    begun = Job(finished.training, waits=True)
    begun._merges, begun._curve = finished.merges[:3], [(0, 90), (2, 80), (3, 70), (5, 60)]
    begun._served = [0, 1, None, 1, 0]
    entry, learned = entry_of(begun)
    assert learned == Learned(begun.merges, [(0, 90), (2, 80), (3, 70)], [0, 1, None])
    assert (entry.vocab_size, entry.run and entry.run.state, entry.run and entry.run.ending) == (
        259,
        "interrupted",
        "interrupted",
    )
    assert read_learned(packed_run(entry, learned), entry) == learned
    begun.close()


def test_a_tokenizer_from_a_file_is_no_training() -> None:
    entry = Entry("0123456789", "", 1.0, 2.0, 257, "none", None)
    with pytest.raises(ValueError, match="run"):
        SavedJob(entry, lambda: Learned([], []))
    with pytest.raises(ValueError, match="run"):
        packed_run(entry, Learned([], []))


def test_no_text_that_was_trained_on_is_kept(saved: SavedRuns, finished: Job) -> None:
    secret = "zebra crossing 4711"
    private = Job(Training([secret * 20], 270))
    wait_for(private, "done")
    for each in (finished, private):
        path = file_of(saved, keep(saved, each))
        with zipfile.ZipFile(path) as archive:
            unpacked = b"".join(map(archive.read, archive.namelist()))
        assert secret.encode() not in unpacked
        assert SMALL[:40].encode() not in unpacked


def test_the_merges_are_a_model_file_that_anybody_can_open(saved: SavedRuns, finished: Job) -> None:
    with zipfile.ZipFile(file_of(saved, keep(saved, finished))) as archive:
        model = archive.read("tokenizer.model")
    assert model.decode() == finished.tokenizer().model_text()
    assert Tokenizer.from_model(model).encode(SMALL) == finished.tokenizer().encode(SMALL)


@pytest.mark.parametrize(
    ("pattern", "special"), [("a\nb|.", ()), ("none", ["<|a b|>"])], ids=["line break", "white space"]
)
def test_what_a_model_file_cannot_hold_is_kept_all_the_same(
    saved: SavedRuns, pattern: str, special: list[str]
) -> None:
    hard = Job(Training([SMALL], 262, pattern, special))
    wait_for(hard, "done")
    entry = keep(saved, hard)
    with zipfile.ZipFile(file_of(saved, entry)) as archive:
        model = Tokenizer.from_model(archive.read("tokenizer.model"))
    pairs = [(merge.left, merge.right) for merge in hard.merges]
    assert (model.merges, model.pattern, model.special_tokens) == (pairs, "none", {})
    kept = SavedJob(only(saved), lambda: saved.learned(OWNER, entry))
    assert kept.tokenizer().pattern == pattern
    assert (kept.tokenizer().special_tokens, kept.merges) == (hard.tokenizer().special_tokens, hard.merges)


def test_an_opened_file_is_kept_as_it_came(saved: SavedRuns) -> None:
    content = MODEL
    entry = Entry("0123456789", "", 1.0, 2.0, 257, "none", None, "../../mine.model", {"pattern": "gpt2"})
    saved.keep_files(OWNER, entry, [content, b"another"])
    assert only(saved) == entry
    assert saved.files_of(OWNER, entry) == [content, b"another"]
    saved.rename(OWNER, entry.id, "another name")
    assert only(saved) == replace(entry, name="another name")
    assert saved.files_of(OWNER, entry) == [content, b"another"]


def test_renaming_and_deleting_change_one_entry_alone(saved: SavedRuns, finished: Job) -> None:
    entry = keep(saved, finished)
    other = replace(entry, id="another-one", name="other")
    saved.keep_run(OWNER, other, entry_of(finished)[1])
    saved.rename(OWNER, entry.id, "ใหม่")
    assert {each.name for each in saved.entries(OWNER) if isinstance(each, Entry)} == {"ใหม่", "other"}
    saved.delete(OWNER, entry.id)
    saved.delete(OWNER, entry.id)  # another tab was first
    assert only(saved).id == other.id


def test_an_entry_is_found_by_its_id_and_listed_for_its_owner_alone(saved: SavedRuns, finished: Job) -> None:
    entry = keep(saved, finished)
    assert saved.find(entry.id) == (OWNER, only(saved))
    assert saved.find("unknown-entry") is None
    assert saved.entries(owner_key("another secret")) == []
    assert "a secret" not in str(list(saved.root.rglob("*")))


def test_a_file_is_read_once_until_it_changes(
    saved: SavedRuns, finished: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[bytes] = []

    def noted(content: bytes) -> Entry:
        read.append(content)
        return read_entry(content)

    entry = keep(saved, finished)
    (saved.root / OWNER / "damaged-entry.zip").write_bytes(b"PK")
    monkeypatch.setattr(entries, "read_entry", noted)
    assert saved.entries(OWNER) == saved.entries(OWNER)
    assert saved.find(entry.id) is not None
    assert len(read) == 2
    (saved.root / OWNER / "damaged-entry.zip").write_bytes(b"PK\x03")
    os.utime(file_of(saved, entry), (1, 1))
    assert [each.id for each in saved.entries(OWNER) if isinstance(each, Damaged)] == ["damaged-entry"]
    assert len(read) == 4


def test_entries_are_listed_oldest_first_damaged_ones_by_the_date_of_their_file(
    saved: SavedRuns, finished: Job
) -> None:
    entry, learned = entry_of(finished)
    for name, created in (("b-entry-of-two", 20.0), ("a-entry-of-two", 20.0), ("first-entry", 10.0)):
        saved.keep_run(OWNER, replace(entry, id=name, created=created), learned)
    damaged = saved.root / OWNER / "damaged-entry.zip"
    damaged.write_bytes(b"PK")
    os.utime(damaged, (15, 15))
    found = saved.entries(OWNER)
    assert [each.id for each in found] == ["first-entry", "damaged-entry", "a-entry-of-two", "b-entry-of-two"]
    assert found[1] == Damaged("damaged-entry", 15.0, 2)


# ---- owners who stay away


def test_the_folders_of_owners_who_stay_away_are_deleted_and_no_other(saved: SavedRuns, finished: Job) -> None:
    for owner in ("away", "here", "local", "never"):
        keep(saved, finished, owner)
        saved.visit(owner)
    foreign, elsewhere, link = (
        saved.root / "A foreign folder",
        saved.root.parent / "elsewhere",
        saved.root / "link",
    )
    foreign.mkdir()
    elsewhere.mkdir()
    link.symlink_to(elsewhere)
    days = {saved.root / "away": 31, saved.root / "local": 31, saved.root / "here": 29, foreign: 31, elsewhere: 31}
    for folder, unseen in days.items():
        (folder / ".seen").touch()
        os.utime(folder / ".seen", (time.time() - unseen * 86_400,) * 2)
    (saved.root / "never" / ".seen").unlink()  # its first reading counts as a visit
    saved.visit("nobody")
    saved.forget_owners(30 * 86_400, but="local")
    assert {folder.name for folder in saved.root.iterdir()} == {"here", "local", "never", foreign.name, link.name}
    assert elsewhere.is_dir()
    assert (saved.root / "never" / ".seen").is_file()
    saved.visit("here")
    saved.forget_owners(28 * 86_400, but="local")
    assert (saved.root / "here").is_dir()


# ---- many writers


def keep_often(root: Path, name: str, times: int) -> None:
    """Keep an entry under the same id again and again, as another process of the app does."""
    saved = SavedRuns(root, ROOMY)
    job = Job(Training([SMALL], 300), waits=True)
    for _ in range(times):
        entry, learned = entry_of(job, name=name)
        saved.keep_run(OWNER, replace(entry, id="the-same-id"), learned)


def test_processes_that_save_the_same_entry_at_once_leave_one_whole(saved: SavedRuns) -> None:
    writers = [FORKED.Process(target=keep_often, args=(saved.root, name * 150, 30)) for name in "ab"]
    for writer in writers:
        writer.start()
    names = set()
    while any(writer.is_alive() for writer in writers):
        for found in SavedRuns(saved.root, ROOMY).entries(OWNER):
            assert isinstance(found, Entry)
            names.add(found.name)
    for writer in writers:
        writer.join()
    assert names | {only(saved).name} <= {"a" * 150, "b" * 150}
    assert [each.name for each in (saved.root / OWNER).iterdir()] == ["the-same-id.zip"]


# ---- killed while saving


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def write_half(handle: int, mode: str) -> None:
    os.write(handle, b"PK\x03\x04")
    die()


def rename(path: Path, to: Path) -> None:
    os.replace(path, to)  # noqa: PTH105 - the method is this function now
    die()


MOMENTS: dict[str, tuple[str, Callable[..., None]]] = {
    "begun": ("os.fdopen", die),
    "half written": ("os.fdopen", write_half),
    "written": ("os.fsync", die),
    "about to be renamed": ("pathlib.Path.replace", die),
    "renamed": ("pathlib.Path.replace", rename),
}


def save_and_die(saved: SavedRuns, entry: Entry, moment: str) -> None:
    with patch(*MOMENTS[moment]):
        saved.keep_files(OWNER, replace(entry, name="new"), [b"new" * 50_000])


@pytest.mark.skipif(sys.platform != "linux", reason="needs SIGKILL and fork")
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_process_killed_while_it_saves_keeps_the_old_or_the_new(saved: SavedRuns, moment: str) -> None:
    old = Entry("the-same-id", "old", 1.0, 2.0, 257, "none", None)
    saved.keep_files(OWNER, old, [b"old" * 50_000])
    child = FORKED.Process(target=save_and_die, args=(saved, old, moment))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    entry, kept = only(saved), "new" if moment == "renamed" else "old"
    assert (entry.name, saved.files_of(OWNER, entry)) == (kept, [kept.encode() * 50_000])
    left = list(saved.root.rglob("*.tmp"))
    assert len(left) == (moment != "renamed")
    for file in left:
        os.utime(file, (1, 1))
    saved.keep_files(OWNER, entry, [b"newer"])
    assert saved.files_of(OWNER, entry) == [b"newer"]
    assert list(saved.root.rglob("*.tmp")) == []  # what was left behind takes no room for ever


# ---- full, or not writable


def test_a_quota_of_entries_and_one_of_bytes_are_kept(tmp_path: Path, finished: Job) -> None:
    entry, learned = entry_of(finished)
    size = len(packed_run(entry, learned))
    two = SavedRuns(tmp_path / "two", Quota(2, 2**20))
    for name in ("first-entry", "second-entry", "second-entry"):
        two.keep_run(OWNER, replace(entry, id=name), learned)
    third = error_of(lambda: two.keep_run(OWNER, replace(entry, id="third-entry"), learned))
    assert (third.code, third.values) == ("saved_entries", {"limit": 2})
    two.keep_run(owner_key("another"), replace(entry, id="third-entry"), learned)
    small = SavedRuns(tmp_path / "small", Quota(100, size + size // 2))
    small.keep_run(OWNER, entry, learned)
    assert refusal(lambda: small.keep_run(OWNER, replace(entry, id="second-entry"), learned)) == "saved_megabytes"
    assert only(small) == read_entry(file_of(small, entry).read_bytes())
    others = [replace(entry, id=name) for name in ("first-entry", "second-entry")]
    whole = sum(len(packed_run(each, learned)) for each in others)
    for limit, kept in ((whole, 2), (whole - 1, 1)):
        full = SavedRuns(tmp_path / str(limit), Quota(100, limit))
        full.keep_run(OWNER, others[0], learned)
        with suppress(SavedRunsError):
            full.keep_run(OWNER, others[1], learned)
        assert len(full.entries(OWNER)) == kept


@pytest.mark.parametrize(("allowed", "said"), [(3 * 2**20, 3), (3 * 2**20 + 2**19 + 1, 4), (2**18, 0)])
def test_the_megabytes_that_an_owner_may_keep_are_named(tmp_path: Path, allowed: int, said: int) -> None:
    saved = SavedRuns(tmp_path, Quota(10, allowed))
    (tmp_path / OWNER).mkdir()
    with (tmp_path / OWNER / "another-entry.zip").open("wb") as large:
        large.truncate(4 * 2**20)
    entry = Entry("0123456789", "", 1.0, 2.0, 256, "none", None)
    error = error_of(lambda: saved.keep_files(OWNER, entry, []))
    assert (error.code, error.values) == ("saved_megabytes", {"limit": said})


def test_a_large_entry_is_refused_whole(saved: SavedRuns, finished: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MAX_ENTRY_BYTES", 1_000)
    error = error_of(lambda: keep(saved, finished))
    assert (error.code, error.values) == ("entry_large", {"limit": 1_000})
    assert saved.entries(OWNER) == []


@pytest.mark.parametrize(
    "content", [b"a" * 9_000, random.Random(1).randbytes(9_000)], ids=["packs well", "packs not at all"]
)
def test_an_entry_may_have_64_megabytes_packed_and_unpacked(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert entries.MAX_ENTRY_BYTES == 64 * 2**20
    packed = entries.packed_files(Entry("0123456789", "", 1.0, 2.0, 256, "none", None), [content])
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
    largest = max(len(packed), unpacked)
    monkeypatch.setattr(entries, "MAX_ENTRY_BYTES", largest)
    assert entries.read_files(packed) == [content]
    monkeypatch.setattr(entries, "MAX_ENTRY_BYTES", largest - 1)
    assert refusal(lambda: entries.read_files(packed)) == "entry_damaged"
    monkeypatch.setattr(entries, "MAX_ENTRY_BYTES", max(len(packed), len(content)) - 1)
    entry = Entry("0123456789", "", 1.0, 2.0, 256, "none", None)
    assert refusal(lambda: entries.packed_files(entry, [content])) == "entry_large"


def test_an_opened_tokenizer_may_have_many_files_in_their_order() -> None:
    entry = Entry("0123456789", "", 1.0, 2.0, 256, "none", None)
    contents = [f"{n}".encode() for n in range(entries.MOST_MEMBERS - 1)]
    assert entries.read_files(entries.packed_files(entry, contents)) == contents
    assert refusal(lambda: entries.packed_files(entry, [*contents, b"one too many"])) == "entry_large"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errno.ENOSPC, "saved_disk_full"),
        (errno.EDQUOT, "saved_disk_full"),
        (errno.EACCES, "saved_not_writable"),
        (errno.EPERM, "saved_not_writable"),
        (errno.EROFS, "saved_not_writable"),
        (errno.EIO, "saved_unusable"),
    ],
    ids=["full disk", "quota of the disk", "no permission", "not permitted", "read-only", "broken disk"],
)
def test_a_failed_write_keeps_what_was_there_and_leaves_nothing_behind(
    saved: SavedRuns, finished: Job, monkeypatch: pytest.MonkeyPatch, error: int, code: str
) -> None:
    entry = keep(saved, finished, name="before")

    def fail(handle: int) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "fsync", fail)
    refused = error_of(lambda: keep(saved, finished, name="after"))
    assert (refused.code, refused.values) == (
        code,
        {"why": "Input/output error"} if code == "saved_unusable" else {},
    )
    assert refusal(lambda: saved.rename(OWNER, entry.id, "after")) == code
    assert only(saved).name == "before"
    assert len(list((saved.root / OWNER).iterdir())) == 1


def test_a_hundred_megabytes_of_the_disk_are_left_free(saved: SavedRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = Entry("0123456789", "", 1.0, 2.0, 256, "none", None)
    needed = len(entries.packed_files(entry, [MODEL])) + 100 * 2**20
    for free, kept in ((needed - 1, []), (needed, [entry])):
        monkeypatch.setattr("shutil.disk_usage", lambda path, free=free: SimpleNamespace(free=free))
        if kept:
            saved.keep_files(OWNER, entry, [MODEL])
        else:
            assert refusal(lambda: saved.keep_files(OWNER, entry, [MODEL])) == "saved_disk_full"
        assert saved.entries(OWNER) == kept


def test_nobody_else_on_the_machine_may_look_into_a_folder(saved: SavedRuns, finished: Job) -> None:
    keep(saved, finished)
    assert stat.S_IMODE((saved.root / OWNER).stat().st_mode) == 0o700


def test_a_library_that_cannot_be_a_folder_is_empty_and_says_why(tmp_path: Path, finished: Job) -> None:
    (tmp_path / "a file").write_text("in the way")
    saved = SavedRuns(tmp_path / "a file" / "library", ROOMY)
    assert saved.entries(OWNER) == []
    assert saved.find("some-entry-id") is None
    assert refusal(lambda: keep(saved, finished)) == "saved_unusable"


# ---- damaged and hostile entries


def rewritten(whole: bytes, name: str, content: bytes) -> bytes:
    """An entry with another content in one of its members."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as archive, zipfile.ZipFile(written, "w") as copy:
        for each in archive.namelist():
            copy.writestr(each, content if each == name else archive.read(each))
    return written.getvalue()


@given(data=st.data())
def test_a_truncated_or_altered_entry_is_damaged_or_the_same(whole: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(whole) - 1))
    other = data.draw(st.sampled_from([whole[:cut], whole[:cut] + bytes([whole[cut] ^ 255]) + whole[cut + 1 :]]))
    with suppress(SavedRunsError):
        entry = read_entry(other)
        assert read_learned(other, entry).merges == read_learned(whole, read_entry(whole)).merges


@pytest.mark.parametrize(
    ("changes", "is_allowed"),
    [
        ({"first_merges": 0, "given": [(0, 2**31 - 1)], "vocab_size": 2**31 - 1}, True),
        ({"first_merges": 2**31 - 1, "special_tokens": {"<|end|>": 2**31 - 1}, "vocab_size": 256}, True),
        ({"first_merges": -1}, False),
        ({"first_merges": 2**31}, False),
        ({"given": [(0, 2**31)]}, False),
        ({"special_tokens": {"<|end|>": 2**31}}, False),
        ({"vocab_size": 255}, False),
        ({"vocab_size": 2**31}, False),
        ({"stop": {"min_count": 1}}, True),
        ({"stop": {"min_count": 2**31 - 1}}, True),
        ({"stop": {"min_count": 0}}, False),
        ({"stop": {"min_count": 2**31}}, False),
    ],
    ids=str,
)
def test_a_setting_out_of_range_is_refused(changes: dict[str, Any], is_allowed: bool) -> None:
    described = Training((), 300).described() | changes
    if is_allowed:
        msgspec.convert(described, Training)
    else:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(described, Training)


JUNK = st.sampled_from([None, -1, 1.5, True, "x", "../x", [], [None], [[1]], {"a": 1}, 2**70, "x" * 200_000])


@given(data=st.data())
def test_any_field_may_be_anything_and_is_refused_or_harmless(whole: bytes, data: st.DataObject) -> None:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        described = json.loads(archive.read("entry.json"))
    place: Any = described
    while True:
        key = data.draw(st.sampled_from(sorted(place)))
        if isinstance(place[key], dict) and place[key] and data.draw(st.booleans()):
            place = place[key]
            continue
        place[key] = data.draw(JUNK)
        break
    other = rewritten(whole, "entry.json", json.dumps(described).encode())
    with suppress(SavedRunsError):
        entry = read_entry(other)
        if entry.run is not None:
            job = SavedJob(entry, lambda: read_learned(other, entry))
            assert job.tokenizer().vocab_size == 256 + len(job.merges)
            assert entry_of(job)[0].vocab_size == entry.vocab_size


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("entry.json", b"[" * 100_000),
        ("entry.json", b'{"created": NaN}'),
        ("entry.json", b"\xff"),
        ("learned.json", b'{"counts": [1], "curve": []}'),
        ("learned.json", b'{"counts": ["a", 2], "curve": 5}'),
        ("tokenizer.model", MODEL),
        ("tokenizer.model", b"minbpe v1\n\n0\n300 300\n"),
    ],
)
def test_a_hostile_member_is_refused(whole: bytes, name: str, content: bytes) -> None:
    other = rewritten(whole, name, content)
    assert refusal(lambda: read_learned(other, read_entry(other))) == "entry_damaged"


def bomb() -> bytes:
    """A small file that unpacks to much more than an entry may have."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("entry.json", "w") as member:
        for _ in range(65):
            member.write(bytes(2**20))
    return written.getvalue()


def crowded() -> bytes:
    """A file of very many members."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for number in range(5_000):
            archive.writestr(str(number), b"")
    return written.getvalue()


@pytest.mark.parametrize("content", [b"", b"PK", bomb(), crowded()], ids=["empty", "no zip", "bomb", "crowded"])
def test_what_is_no_entry_is_refused(content: bytes) -> None:
    assert refusal(lambda: read_entry(content)) == "entry_damaged"


def test_a_damaged_entry_is_listed_can_be_deleted_and_harms_no_other(saved: SavedRuns, finished: Job) -> None:
    entry = keep(saved, finished)
    folder = saved.root / OWNER
    (folder / "damaged-entry.zip").write_bytes(b"PK\x03\x04 cut off")
    (folder / "renamed-entry.zip").write_bytes(file_of(saved, entry).read_bytes())  # says another id
    (folder / "a-link-outside.zip").symlink_to("/etc/passwd")
    os.mkfifo(folder / "a-pipe-of-ours.zip")
    (folder / "notes.txt").write_text("somebody's own")
    with (folder / "huge-entry.zip").open("wb") as huge:
        huge.truncate(entries.MAX_ENTRY_BYTES + 1)
    found = saved.entries(OWNER)
    assert [each for each in found if isinstance(each, Entry)] == [entry]
    broken = {each.id for each in found if isinstance(each, Damaged)}
    assert broken == {"damaged-entry", "renamed-entry", "a-link-outside", "a-pipe-of-ours", "huge-entry"}
    for each in broken:
        saved.delete(OWNER, each)
    assert only(saved) == entry
    assert Path("/etc/passwd").is_file()
    assert (folder / "notes.txt").is_file()


def test_an_entry_found_damaged_when_it_is_opened_is_listed_so_from_then_on(
    saved: SavedRuns, whole: bytes, finished: Job
) -> None:
    entry = keep(saved, finished)
    listed = only(saved)
    file_of(saved, entry).write_bytes(rewritten(whole, "tokenizer.model", MODEL))
    assert refusal(lambda: saved.learned(OWNER, listed)) == "entry_damaged"
    assert isinstance(saved.entries(OWNER)[0], Damaged)
    assert saved.find(entry.id) is None


@pytest.mark.parametrize(
    "name", ["../climbs", "/etc/passwd", "..", "", "a/b", "a\\b", "C:evil", "x" * 65, "a\0bcdefgh"]
)
def test_no_name_leads_out_of_the_library(saved: SavedRuns, finished: Job, name: str) -> None:
    entry, learned = entry_of(finished)
    refused = "entry_damaged"
    assert refusal(lambda: saved.keep_run(OWNER, replace(entry, id=name), learned)) == refused
    assert refusal(lambda: saved.delete(OWNER, name)) == refused
    assert refusal(lambda: saved.rename(OWNER, name, "x")) == refused
    assert saved.find(name) is None
    assert refusal(lambda: saved.keep_run(name, entry, learned)) == "saved_owner"
    assert not saved.root.exists()


def test_what_a_visitor_calls_it_is_no_part_of_a_path(saved: SavedRuns, finished: Job) -> None:
    keep(saved, finished, name="../../../escaped\0/" * 50)
    assert [each.parent.name for each in saved.root.rglob("*") if each.is_file()] == [OWNER]
    assert only(saved).name == ("../../../escaped\0/" * 50)[:200]


def test_names_are_cut_to_200_characters() -> None:
    entry = Entry("0123456789", "n" * 201, 1.0, 2.0, 256, "none", None, "f" * 201)
    found = read_entry(entries.packed_files(entry, []))
    assert (found.name, found.file_name) == ("n" * 200, "f" * 200)


@pytest.mark.parametrize(
    ("second", "is_allowed"), [(0.0, True), (253_370_764_799.0, True), (253_370_764_800.0, False)]
)
def test_a_date_of_an_entry_is_before_the_year_9999(second: float, is_allowed: bool) -> None:
    packed = entries.packed_files(Entry("0123456789", "", second, 2.0, 256, "none", None), [])
    if is_allowed:
        assert read_entry(packed).created == second
    else:
        assert refusal(lambda: read_entry(packed)) == "entry_damaged"


@pytest.mark.parametrize(
    "changes",
    [
        {"pattern": "(a"},
        {"special_tokens": [""]},
        {"stop": {"min_count": 2, "beat": {"text": "a", "tokens": 1, "reference": "nobody"}}},
    ],
    ids=["pattern", "special token", "reference"],
)
def test_a_run_with_settings_that_no_training_has_is_damaged(whole: bytes, changes: dict[str, Any]) -> None:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        described = json.loads(archive.read("entry.json"))
    described["run"]["training"] |= changes
    other = rewritten(whole, "entry.json", json.dumps(described).encode())
    assert refusal(lambda: read_entry(other)) == "entry_damaged"


def test_merges_that_are_not_those_of_the_entry_are_damaged(whole: bytes, finished: Job) -> None:
    entry = read_entry(whole)
    assert entry.run is not None
    assert entry.run.recipe is not None
    assert read_learned(whole, entry).merges == finished.merges
    others = [
        replace(entry, vocab_size=entry.vocab_size + 1),
        replace(entry, run=replace(entry.run, recipe=replace(entry.run.recipe, merges_sha256="0" * 64))),
    ]
    for other in others:
        assert refusal(partial(read_learned, whole, other)) == "entry_damaged"
    assert read_learned(whole, replace(entry, run=replace(entry.run, recipe=None))).merges == finished.merges
