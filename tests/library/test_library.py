"""The library keeps tokenizers whole: whoever writes at once, whatever stands in its folder, and full or not."""

import errno
import multiprocessing
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.jobs import SMALL, wait_for
from tests.library.shelf import OWNER, ROOMY, file_of, keep, only, refusal
from tokenizer_core import Tokenizer
from tokenizer_core.jobs import entry as entries
from tokenizer_core.jobs.entry import Entry, packed_run, read_entry
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.kept import KeptJob, entry_of
from tokenizer_core.jobs.library import Library, Quota, owner_key
from tokenizer_core.jobs.recipe import recipe_of
from tokenizer_core.jobs.training import Training

# ---- what is kept comes back


def test_a_run_comes_back_with_its_merges_counts_curve_and_recipe(library: Library, finished: Job) -> None:
    keep(library, finished, name="mine <b>", number=3, expected=recipe_of(finished))
    again = Library(library.root, ROOMY)
    entry = only(again)
    assert entry.run is not None
    assert (entry.name, entry.run.number, entry.run.expected) == ("mine <b>", 3, recipe_of(finished))
    kept = KeptJob(entry, lambda: again.learned(OWNER, entry))
    assert kept.learned == len(finished.merges) == 44
    assert (kept.merges, kept.curve) == (finished.merges, finished.curve)
    assert recipe_of(kept) == recipe_of(finished)
    assert kept.training == replace(finished.training, texts=(), given=[(97, 98)])
    assert (kept.state, kept.ending, kept.created) == ("done", "size", finished.created)
    assert (kept.seconds, kept.work_seconds, kept.pretokens) == (
        finished.seconds,
        finished.work_seconds,
        finished.pretokens,
    )
    assert kept.tokenizer().special_tokens == {"<|end|>": 400}
    assert kept.tokenizer().encode("aba <|end|>") == finished.tokenizer().encode("aba <|end|>")


def test_no_text_that_was_trained_on_is_kept(library: Library, finished: Job) -> None:
    secret = "zebra crossing 4711"
    private = Job(Training([secret * 20], 270))
    wait_for(private, "done")
    for each in (finished, private):
        path = file_of(library, keep(library, each))
        with zipfile.ZipFile(path) as archive:
            unpacked = b"".join(map(archive.read, archive.namelist()))
        assert secret.encode() not in unpacked
        assert SMALL[:40].encode() not in unpacked


def test_the_merges_are_a_model_file_that_anybody_can_open(library: Library, finished: Job) -> None:
    with zipfile.ZipFile(file_of(library, keep(library, finished))) as archive:
        model = archive.read("tokenizer.model")
    assert model.decode() == finished.tokenizer().model_text()
    assert Tokenizer.from_model(model).encode(SMALL) == finished.tokenizer().encode(SMALL)


@pytest.mark.parametrize(
    ("pattern", "special"), [("a\nb|.", ()), ("none", ["<|a b|>"])], ids=["line break", "white space"]
)
def test_what_a_model_file_cannot_hold_is_kept_all_the_same(
    library: Library, pattern: str, special: list[str]
) -> None:
    hard = Job(Training([SMALL], 262, pattern, special))
    wait_for(hard, "done")
    entry = keep(library, hard)
    kept = KeptJob(only(library), lambda: library.learned(OWNER, entry))
    assert kept.tokenizer().pattern == pattern
    assert (kept.tokenizer().special_tokens, kept.merges) == (hard.tokenizer().special_tokens, hard.merges)


def test_a_run_at_work_is_kept_as_interrupted(library: Library) -> None:
    waiting = Job(Training([SMALL], 300), waits=True)
    kept = KeptJob(keep(library, waiting), lambda: library.learned(OWNER, only(library)))
    assert (kept.state, kept.ending, kept.learned, recipe_of(kept)) == ("stopped", "interrupted", 0, None)
    assert (kept.merges, kept.corpus_sha256) == ([], None)


def test_an_opened_file_is_kept_as_it_came(library: Library) -> None:
    content = b"minbpe v1\n\n0\n97 98\n"
    entry = Entry("0123456789", "", 1.0, 2.0, 257, "none", None, "../../mine.model", {"pattern": "gpt2"})
    library.keep_files(OWNER, entry, [content, b"another"])
    assert only(library) == entry
    assert library.files_of(OWNER, entry) == [content, b"another"]
    library.rename(OWNER, entry.id, "another name")
    assert only(library) == replace(entry, name="another name")
    assert library.files_of(OWNER, entry) == [content, b"another"]


def test_renaming_and_deleting_change_one_entry_alone(library: Library, finished: Job) -> None:
    entry = keep(library, finished)
    other = replace(entry, id="another-one", name="other")
    library.keep_run(OWNER, other, entry_of(finished)[1])
    library.rename(OWNER, entry.id, "ใหม่")
    assert {each.name for each in library.entries(OWNER) if isinstance(each, Entry)} == {"ใหม่", "other"}
    library.delete(OWNER, entry.id)
    library.delete(OWNER, entry.id)  # another tab was first
    assert only(library).id == other.id


def test_an_entry_is_found_by_its_id_whoever_owns_it(library: Library, finished: Job) -> None:
    entry = keep(library, finished)
    assert library.find(entry.id) == (OWNER, only(library))
    assert library.find("unknown-entry") is None


def test_owners_see_nothing_of_one_another(library: Library, finished: Job) -> None:
    keep(library, finished)
    assert library.entries(owner_key("another secret")) == []
    assert "a secret" not in str(list(library.root.rglob("*")))


# ---- many writers


def keep_often(root: Path, name: str, times: int) -> None:
    """Keep an entry under the same id again and again, as another process of the app does."""
    library = Library(root, ROOMY)
    job = Job(Training([SMALL], 300), waits=True)
    for _ in range(times):
        entry, learned = entry_of(job, name=name)
        library.keep_run(OWNER, replace(entry, id="the-same-id"), learned)


def test_processes_that_save_the_same_entry_at_once_leave_one_whole(library: Library) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=keep_often, args=(library.root, name * 150, 30)) for name in "ab"]
    for writer in writers:
        writer.start()
    names = set()
    while any(writer.is_alive() for writer in writers):
        for found in Library(library.root, ROOMY).entries(OWNER):
            assert isinstance(found, Entry)
            names.add(found.name)
    for writer in writers:
        writer.join()
    assert names | {only(library).name} <= {"a" * 150, "b" * 150}
    assert [each.name for each in (library.root / OWNER).iterdir()] == ["the-same-id.zip"]


# ---- full, or not writable


def test_a_quota_of_entries_and_one_of_bytes_are_kept(tmp_path: Path, finished: Job) -> None:
    entry, learned = entry_of(finished)
    size = len(packed_run(entry, learned))
    two = Library(tmp_path / "two", Quota(2, 2**20))
    for name in ("first-entry", "second-entry", "second-entry"):
        two.keep_run(OWNER, replace(entry, id=name), learned)
    assert refusal(lambda: two.keep_run(OWNER, replace(entry, id="third-entry"), learned)) == "library_entries"
    two.keep_run(owner_key("another"), replace(entry, id="third-entry"), learned)
    small = Library(tmp_path / "small", Quota(100, size + size // 2))
    small.keep_run(OWNER, entry, learned)
    assert (
        refusal(lambda: small.keep_run(OWNER, replace(entry, id="second-entry"), learned)) == "library_megabytes"
    )
    assert only(small) == read_entry(file_of(small, entry).read_bytes())


def test_a_large_entry_is_refused_whole(library: Library, finished: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MAX_ENTRY_BYTES", 1_000)
    assert refusal(lambda: keep(library, finished)) == "entry_large"
    assert library.entries(OWNER) == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errno.ENOSPC, "library_disk_full"),
        (errno.EACCES, "library_not_writable"),
        (errno.EROFS, "library_not_writable"),
        (errno.EIO, "library_unusable"),
    ],
    ids=["full disk", "no permission", "read-only", "broken disk"],
)
def test_a_failed_write_keeps_what_was_there_and_leaves_nothing_behind(
    library: Library, finished: Job, monkeypatch: pytest.MonkeyPatch, error: int, code: str
) -> None:
    entry = keep(library, finished, name="before")

    def fail(handle: int) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "fsync", fail)
    assert refusal(lambda: keep(library, finished, name="after")) == code
    assert refusal(lambda: library.rename(OWNER, entry.id, "after")) == code
    assert only(library).name == "before"
    assert len(list((library.root / OWNER).iterdir())) == 1


def test_a_disk_with_little_room_is_left_alone(
    library: Library, finished: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenizer_core.jobs.library.MIN_FREE_BYTES", 2**62)
    assert refusal(lambda: keep(library, finished)) == "library_disk_full"
    assert library.entries(OWNER) == []


def test_a_library_that_cannot_be_a_folder_is_empty_and_says_why(tmp_path: Path, finished: Job) -> None:
    (tmp_path / "a file").write_text("in the way")
    library = Library(tmp_path / "a file" / "library", ROOMY)
    assert library.entries(OWNER) == []
    assert library.find("some-entry-id") is None
    assert refusal(lambda: keep(library, finished)) == "library_unusable"
