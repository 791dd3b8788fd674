"""Files that the first version wrote open today with the same content."""

import io
import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from msgspec.structs import replace

from pages.ui.stories.all_stories import STORIES
from pages.ui.widgets.slides import talk_file
from tokenizer_core.corpus_counts.counts_file import read_counts
from tokenizer_core.saved_runs.entry import Entry, packed_run, read_entry, read_files, read_learned
from tokenizer_core.saved_runs.job import SavedJob
from tokenizer_core.saved_runs.recipe import parse_recipe, recipe_of, recipe_text

OLD = Path(__file__).parent / "version_1"
RUNS = ("finished-run", "interrupted-run", "begun-run-1")


def unpacked(content: bytes) -> Any:
    """The JSON of a saved run."""
    with ZipFile(io.BytesIO(content)) as archive:
        return filled(archive.read("entry.json"))


def filled(content: str | bytes) -> Any:
    """JSON without its empty values, which may be written or left out."""
    return json.loads(content, object_hook=lambda row: {key: value for key, value in row.items() if value})


def opened(name: str) -> tuple[bytes, Entry, SavedJob]:
    content = (OLD / f"{name}.zip").read_bytes()
    entry = read_entry(content)
    return content, entry, SavedJob(entry, lambda: read_learned(content, entry))


@pytest.mark.parametrize("name", RUNS)
def test_an_old_run_is_written_again_with_all_its_values(name: str) -> None:
    content, entry, _ = opened(name)
    assert entry.run is not None
    assert unpacked(packed_run(entry, read_learned(content, entry))) == unpacked(content)


def test_old_runs_say_how_they_ended_and_what_they_learned() -> None:
    jobs = [opened(name)[2] for name in RUNS]
    assert [(job.state, job.ending, len(job.merges)) for job in jobs] == [
        ("done", "size", 44),
        ("stopped", "interrupted", 6),
        ("stopped", "interrupted", 0),
    ]
    finished, interrupted, _ = jobs
    assert (finished.merges[1].token_id, finished.merges[1].count, finished.curve[-1]) == (257, 312, (44, 1077))
    assert finished.training.stop.beat is not None
    assert finished.training.stop.beat.reference == "gpt2"
    assert interrupted.training.counts is not None
    assert interrupted.training.counts.recipe.bytes_read == 1360


def test_an_old_opened_file_is_the_same() -> None:
    content = (OLD / "opened-file.zip").read_bytes()
    entry = read_entry(content)
    assert (entry.id, entry.name, entry.created, entry.file_name) == (
        "opened-file",
        "my model",
        1.0,
        "../my.model",
    )
    assert entry.options == {"pattern": "none", "name0": "my.model"}
    assert read_files(content) == [b"minbpe v1\n\n0\n97 98\n"]


def test_an_old_recipe_is_the_same() -> None:
    content = (OLD / "recipe.json").read_text("utf-8")
    assert recipe_text(parse_recipe(content)) == content
    made = recipe_of(opened("finished-run")[2])
    assert made is not None
    assert parse_recipe(content) == replace(made, corpus_sha256_of="")  # words that recipes have since then


def test_an_old_counts_file_is_the_same() -> None:
    counts = read_counts(OLD / "corpus.counts.parquet")
    texts = [" cat", " sat", " on", " the", " mat", ",", " แมว"]
    assert counts.pretokens.strings() == texts
    assert counts.pretokens.counts.tolist() == [40, 40, 40, 78, 40, 40, 40]
    recipe = counts.recipe
    assert (recipe.texts, recipe.dropped, recipe.short_by, recipe.boundaries) == (2, 4, 2, "line")


def test_an_old_talk_is_the_same() -> None:
    content = (OLD / "talk.json").read_bytes()
    entries = talk_file.read(content, list(STORIES))
    assert filled(talk_file.written(entries)) == filled(content)
