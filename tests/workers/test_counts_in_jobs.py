"""Counts files as corpora of trainings: read apart, trained in the worker, kept, and written into recipes."""

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as replace_in

from tests.helpers.browser import PATIENCE
from tests.helpers.files import lying_parquet
from tests.helpers.jobs import wait_until
from tokenizer_core import train
from tokenizer_core.corpus_counts.counts import Counts
from tokenizer_core.corpus_counts.counts_file import write_counts
from tokenizer_core.errors import CountsError, RecipeError
from tokenizer_core.patterns.pretokens import counted_pretokens
from tokenizer_core.readers.mixing import shares_of
from tokenizer_core.saved_runs.entry import packed_run, read_entry, read_learned
from tokenizer_core.saved_runs.job import SavedJob, entry_of
from tokenizer_core.saved_runs.recipe import differs, parse_recipe, recipe_of, recipe_text
from tokenizer_core.workers import counts_reader
from tokenizer_core.workers.counts_reader import CountsReading, ReadCounts, is_counts, read_to_train
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Training
from tokenizer_core.workers.training_worker import counted_corpus

TEXT = "the cat sat on the mat, ที่นี่มีแมว แมวกินปลา " * 40


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("counts") / "a.counts.parquet"
    write_counts(Counts.of(TEXT, "mark_aware"), path)
    return path.read_bytes()


def reading_of(content: bytes, memory_bytes: int = 2**30) -> CountsReading:
    reading = CountsReading(content, memory_bytes=memory_bytes)
    deadline = time.monotonic() + PATIENCE
    while not reading.ended:
        assert time.monotonic() < deadline
        reading.wait(0.5)
    return reading


@pytest.fixture(scope="module")
def read(content: bytes) -> ReadCounts:
    found = reading_of(content).read
    assert found is not None
    return found


def ended(job: Job) -> Job:
    wait_until(job, lambda: job.ended)
    return job


def test_a_file_is_read_apart_with_what_it_says(read: ReadCounts, content: bytes) -> None:
    counts = Counts.of(TEXT, "mark_aware")
    assert read.corpus.recipe == counts.recipe
    assert (read.corpus.sha256, read.corpus.distinct) == (counts.sha256, counts.pretokens.ends.size)
    assert read.corpus.characters == len(TEXT)
    assert read.corpus.content == content
    assert read.shares is not None
    assert 0 < read.shares.thai < read.shares.latin < 1 or 0 < read.shares.latin < read.shares.thai < 1
    strings, times = counts.pretokens.strings(), counts.pretokens.counts.tolist()
    assert dict(read.commonest).items() <= dict(zip(strings, times, strict=True)).items()
    assert read.commonest[0][1] == max(times)


@pytest.mark.parametrize("at_once", [1, 2, 10**6])
def test_what_is_told_of_counts_is_weighed_by_how_often_each_pretoken_comes(
    at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(counts_reader, "_AT_ONCE", at_once)
    monkeypatch.setattr(counts_reader, "send", lambda event, **values: sent.append({"event": event, **values}))
    text = "ก" * 13 + " cat cat cat ที่ ที่" + "".join(f" {letter}" for letter in "bcdefghijkl") + " 12 12345678901"
    write_counts(Counts.of(text, "mark_aware"), tmp_path / "c")
    counts_reader.read_counts_file({"most": 10**6}, [(tmp_path / "c").read_bytes()])
    (found,) = sent
    assert found["event"] == "read"
    assert found["corpus"]["characters"] == len(text)
    assert found["corpus"]["distinct"] == len(set(counted_pretokens(text, "mark_aware").strings()))
    assert tuple(found["shares"]) == tuple(shares_of(Counter(text)) or ())
    assert len(found["commonest"]) == 12
    assert found["commonest"][:2] == [(" cat", 3), (" ที่", 2)]
    assert ("ก" * 12 + "…", 1) in found["commonest"]
    write_counts(Counts.of("12 34", "gpt2"), tmp_path / "d")
    counts_reader.read_counts_file({"most": 10**6}, [(tmp_path / "d").read_bytes()])
    assert sent[1]["shares"] is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda content: content[:-30] + content[-8:], "counts_damaged"),
        (lambda content: b"", "counts_damaged"),
        (lambda content: lying_parquet(), "counts_none"),
    ],
    ids=["damaged", "empty", "another table"],
)
def test_a_hostile_file_is_refused(content: bytes, change: Callable[[bytes], bytes], code: str) -> None:
    reading = reading_of(change(content), memory_bytes=2**29)
    assert reading.read is None
    assert reading.failure is not None
    assert reading.failure.code == code


def test_counts_too_large_to_train_on_are_refused_and_empty_ones(content: bytes, tmp_path: Path) -> None:
    size = Counts.of(TEXT, "mark_aware").pretokens.text.size
    assert read_to_train(content, size).pretokens.text.size == size
    with pytest.raises(CountsError) as caught:
        read_to_train(content, size - 1)
    assert (caught.value.code, caught.value.values) == ("counts_large", {"megabytes": 0})
    with pytest.raises(CountsError) as caught:
        read_to_train(content, 40)
    assert caught.value.code == "counts_large"
    write_counts(Counts.of("", "gpt2"), tmp_path / "empty")
    with pytest.raises(CountsError) as caught:
        read_to_train((tmp_path / "empty").read_bytes(), 40)
    assert caught.value.code == "counts_empty"


@pytest.mark.parametrize(
    ("name", "head", "tail", "found"),
    [
        ("a.counts.parquet", b"", b"", True),
        ("A.COUNTS.PARQUET", b"torn", b"", True),
        ("a.parquet", b"PAR1", b'"pretoken counts"PAR1', True),
        ("a.parquet", b"PAR1", b"PAR1", False),
        ("a.txt", b"", b'"pretoken counts"', False),
    ],
)
def test_counts_are_told_from_other_files(name: str, head: bytes, tail: bytes, found: bool) -> None:
    assert is_counts(name, head + tail) is found


def test_training_from_counts_learns_the_merges_of_the_texts(read: ReadCounts) -> None:
    job = ended(Job(Training((), 300, counts=read.corpus)))
    assert (job.state, job.failure) == ("done", None)
    assert [(merge.left, merge.right) for merge in job.merges] == train(TEXT, 300).merges
    assert job.corpus_sha256 == read.corpus.sha256
    assert job.corpus_characters == len(TEXT)


def test_another_pattern_than_that_of_the_counts_is_refused(read: ReadCounts) -> None:
    job = ended(Job(Training((), 300, "gpt2", counts=read.corpus)))
    assert job.failure is not None
    assert job.failure.code == "counts_pattern"


def test_a_run_from_counts_is_kept_without_the_file(read: ReadCounts) -> None:
    job = ended(Job(Training((), 280, counts=read.corpus)))
    entry, learned = entry_of(job)
    packed = packed_run(entry, learned)
    found = read_entry(packed)
    assert found.run is not None
    assert found.run.training.counts == read.corpus  # all but the file
    assert not found.run.training.has_corpus
    kept = SavedJob(found, lambda: read_learned(packed, found))
    assert kept.corpus_characters == len(TEXT)
    assert kept.merges == job.merges


def test_a_recipe_says_what_was_counted(read: ReadCounts) -> None:
    large = replace(read.corpus, characters=10**11)  # 100 GB
    job = ended(Job(Training((), 280, counts=large)))
    recipe = recipe_of(job)
    assert recipe is not None
    again = parse_recipe(recipe_text(recipe))
    assert again == recipe
    assert again.corpus_characters == 10**11
    assert again.counts is not None
    assert again.counts.bytes_read == len(TEXT.encode())
    assert differs(again, job) == []
    of_text = replace_in(recipe, counts=None)
    assert "counts" not in json.loads(recipe_text(of_text))
    assert parse_recipe(recipe_text(of_text)) == of_text
    with pytest.raises(RecipeError):
        parse_recipe(recipe_text(recipe).replace('"boundaries": "file"', '"boundaries": "page"'))


@pytest.mark.parametrize("pattern", ["mark_aware", "none", "[a-z]+", r"(.)\1|."])
@pytest.mark.parametrize("texts", [[TEXT], [TEXT, "", "a cat"], []], ids=["one", "several", "none"])
def test_counting_with_progress_counts_the_same(texts: list[str], pattern: str) -> None:
    told: list[tuple[int, int]] = []
    found = counted_corpus(
        [text.encode() for text in texts], pattern, lambda done, size, _: told.append((done, size))
    )
    expected = counted_pretokens(texts, pattern)
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]
    assert told[0] == (0, sum(len(text.encode()) for text in texts))


def test_progress_grows_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizer_core.workers.training_worker.COUNTING_SECONDS", 0.0)
    monkeypatch.setattr("tokenizer_core.workers.training_worker.PART_BYTES", 100)
    told: list[int] = []
    text = (" a cat sat \n" * 100).encode()
    found = counted_corpus([text, text], "gpt2", lambda done, size, _: told.append(done))
    expected = counted_pretokens([text.decode()] * 2, "gpt2")
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]
    assert len(told) > 10
    assert told == sorted(told)
    assert told[-1] == 2 * len(text)
    monkeypatch.setattr("tokenizer_core.workers.training_worker.COUNTING_SECONDS", 60.0)
    told.clear()
    counted_corpus([text, text], "gpt2", lambda done, size, _: told.append(done))
    assert told == [0]


def test_a_reading_can_be_stopped(content: bytes) -> None:
    reading = CountsReading(content)
    reading.stop()
    reading.wait(PATIENCE)
    assert reading.ended
    assert (reading.failure, reading.read is None or reading.read.corpus.content == content) == (None, True)


def test_no_content_goes_into_a_description(read: ReadCounts) -> None:
    training = Training((), 300, counts=read.corpus)
    described = training.described()
    json.dumps(described)
    assert "content" not in described["counts"]
    assert Training.from_description(described) == training
    assert not Training.from_description(described).has_corpus
    assert "counts" not in Training([TEXT], 300).described()
    for name in ("sha256", "characters", "distinct", "recipe"):
        with pytest.raises(CountsError):
            Training.from_description(described | {"counts": described["counts"] | {name: -1}})
