"""Whatever stands in the library's folder is a whole entry, or is listed as damaged and harms no other."""

import io
import json
import os
import time
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.library.shelf import OWNER, file_of, keep, only, refusal
from tokenizer_core.errors import LibraryError
from tokenizer_core.jobs import entry as entries
from tokenizer_core.jobs.entry import Entry, packed_run, read_entry, read_learned
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.kept import KeptJob, entry_of
from tokenizer_core.jobs.library import Damaged, Library


@pytest.fixture(scope="module")
def whole(finished: Job) -> bytes:
    return packed_run(*entry_of(finished))


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
    with suppress(LibraryError):
        entry = read_entry(other)
        assert read_learned(other, entry).merges == read_learned(whole, read_entry(whole)).merges


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
    with suppress(LibraryError):
        entry = read_entry(other)
        if entry.run is not None:
            job = KeptJob(entry, lambda: read_learned(other, entry))
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
        ("tokenizer.model", b"minbpe v1\n\n0\n97 98\n"),
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


def test_a_damaged_entry_is_listed_can_be_deleted_and_harms_no_other(library: Library, finished: Job) -> None:
    entry = keep(library, finished)
    folder = library.root / OWNER
    (folder / "damaged-entry.zip").write_bytes(b"PK\x03\x04 cut off")
    (folder / "renamed-entry.zip").write_bytes(file_of(library, entry).read_bytes())  # says another id
    (folder / "a-link-outside.zip").symlink_to("/etc/passwd")
    os.mkfifo(folder / "a-pipe-of-ours.zip")
    (folder / "notes.txt").write_text("somebody's own")
    with (folder / "huge-entry.zip").open("wb") as huge:
        huge.truncate(entries.MAX_ENTRY_BYTES + 1)
    found = library.entries(OWNER)
    assert [each for each in found if isinstance(each, Entry)] == [entry]
    broken = {each.id for each in found if isinstance(each, Damaged)}
    assert broken == {"damaged-entry", "renamed-entry", "a-link-outside", "a-pipe-of-ours", "huge-entry"}
    for each in broken:
        library.delete(OWNER, each)
    assert only(library) == entry
    assert Path("/etc/passwd").is_file()
    assert (folder / "notes.txt").is_file()


def test_merges_that_are_not_those_of_the_recipe_are_damage(library: Library, whole: bytes, finished: Job) -> None:
    entry = keep(library, finished)
    file_of(library, entry).write_bytes(rewritten(whole, "tokenizer.model", b"minbpe v1\n\n0\n97 98\n"))
    assert isinstance(library.entries(OWNER)[0], Damaged)


def test_an_entry_found_damaged_when_it_is_opened_is_listed_so_from_then_on(
    library: Library, whole: bytes, finished: Job
) -> None:
    entry = keep(library, finished)
    listed = only(library)
    file_of(library, entry).write_bytes(rewritten(whole, "tokenizer.model", b"minbpe v1\n\n0\n97 98\n"))
    assert refusal(lambda: library.learned(OWNER, listed)) == "entry_damaged"
    assert isinstance(library.entries(OWNER)[0], Damaged)
    assert library.find(entry.id) is None


@pytest.mark.parametrize(
    "name", ["../climbs", "/etc/passwd", "..", "", "a/b", "a\\b", "C:evil", "x" * 65, "a\0bcdefgh"]
)
def test_no_name_leads_out_of_the_library(library: Library, finished: Job, name: str) -> None:
    entry, learned = entry_of(finished)
    refused = "entry_damaged"
    assert refusal(lambda: library.keep_run(OWNER, replace(entry, id=name), learned)) == refused
    assert refusal(lambda: library.delete(OWNER, name)) == refused
    assert refusal(lambda: library.rename(OWNER, name, "x")) == refused
    assert library.find(name) is None
    assert refusal(lambda: library.keep_run(name, entry, learned)) == "library_owner"
    assert not library.root.exists()


def test_what_a_visitor_calls_it_is_no_part_of_a_path(library: Library, finished: Job) -> None:
    keep(library, finished, name="../../../escaped\0/" * 50)
    assert [each.parent.name for each in library.root.rglob("*") if each.is_file()] == [OWNER]
    assert len(only(library).name) == entries.MAX_NAME


def test_a_temporary_file_left_behind_is_removed_when_it_is_old(library: Library, finished: Job) -> None:
    keep(library, finished)
    old, new = (library.root / OWNER / name for name in ("old.tmp", "new.tmp"))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    assert only(library)
    assert (old.exists(), new.exists()) == (False, True)
