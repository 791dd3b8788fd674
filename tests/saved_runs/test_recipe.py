"""A recipe gives the same merges from the same corpus, says where it does not, and is refused where damaged."""

import json
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.helpers.browser import PATIENCE
from tokenizer_core.corpus_counts.counts import CountsRecipe
from tokenizer_core.errors import RecipeError
from tokenizer_core.saved_runs.recipe import (
    HASHED,
    PARITY_RULES,
    SUPERWORDS_RULES,
    ParityRule,
    Recipe,
    differs,
    merges_hash,
    parse_recipe,
    recipe_of,
    recipe_text,
)
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import StopRules, Training, corpus_hash

TEXTS = ["น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ " * 3, "Drink plenty of water, okay? " * 3]


def done(job: Job, reached: Callable[[Job], object] = lambda job: job.ended) -> Job:
    """The job when it has come so far."""
    deadline = time.monotonic() + PATIENCE
    while not reached(job):
        assert time.monotonic() < deadline
        job.wait(0.05)
    return job


def training_of(recipe: Recipe, texts: list[str]) -> Training:
    return Training(
        texts,
        recipe.vocab_size,
        recipe.pattern,
        recipe.special_tokens,
        StopRules(recipe.min_count),
        given=recipe.given,
    )


@pytest.fixture(scope="module")
def job() -> Job:
    return done(
        Job(Training(TEXTS, 300, "llama3", ["<|end|>"], StopRules(2), corpus_name="น้ำ", given=[(32, 112)]))
    )


def recipe_from(job: Job) -> Recipe:
    recipe = recipe_of(job)
    assert recipe is not None
    return recipe


def test_a_recipe_says_all_that_decides_the_merges_and_survives_its_json(job: Job) -> None:
    recipe = recipe_from(job)
    assert parse_recipe(recipe_text(recipe)) == recipe
    assert parse_recipe(recipe_text(recipe).encode()) == recipe
    assert (recipe.corpus_sha256, recipe.corpus_characters) == (corpus_hash(TEXTS), sum(map(len, TEXTS)))
    assert recipe.corpus_sha256_of == HASHED
    assert (recipe.given, recipe.min_count, recipe.special_tokens) == (((32, 112),), 2, ("<|end|>",))
    assert recipe.vocab_size == 256 + len(job.merges)
    assert recipe.merges_sha256 == merges_hash([(merge.left, merge.right) for merge in job.merges])
    assert "น้ำ" in recipe_text(recipe)


def test_the_same_corpus_gives_the_same_merges_bit_for_bit(job: Job) -> None:
    recipe = parse_recipe(recipe_text(recipe_from(job)))
    again = done(Job(training_of(recipe, TEXTS)))
    assert (again.merges, differs(recipe, again)) == (job.merges, [])


def test_the_recipe_of_two_stages_gives_the_merges_of_both() -> None:
    two_stages = done(Job(Training(TEXTS, 300, "llama3", first_merges=20)))
    one_stage = done(Job(Training(TEXTS, 300, "llama3")))
    assert two_stages.merges != one_stage.merges
    recipe = parse_recipe(recipe_text(recipe_from(two_stages)))
    again = done(Job(training_of(recipe, TEXTS)))
    pairs = [[(merge.left, merge.right) for merge in job.merges] for job in (two_stages, again)]
    assert pairs[0] == pairs[1]
    assert differs(recipe, again) == []


def test_another_corpus_is_said_to_be_another(job: Job) -> None:
    recipe = recipe_from(job)
    other = done(Job(training_of(recipe, [*TEXTS, "more"])))
    assert "corpus_sha256" in differs(recipe, other)


@pytest.mark.parametrize(
    "change",
    [
        *({"corpus_sha256": "0" * 64}, {"pattern_source": "a"}, {"min_count": 3}, {"given": ()}),
        *({"vocab_size": 301}, {"merges_sha256": "0" * 64}),
        {"parity": ParityRule("lines", ("th", "en")), "rules": PARITY_RULES},
        {"superwords_from": 280, "rules": SUPERWORDS_RULES},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_decides_the_merges_is_compared_and_names_are_not(job: Job, change: dict[str, Any]) -> None:
    recipe = recipe_from(job)
    assert differs(replace(recipe, **change), job) == [next(iter(change))]
    assert differs(replace(recipe, corpus="another name", pattern="another", versions={}), job) == []
    untrained = Job(Training(TEXTS, 300), waits=True)
    assert {*change} - {"rules"} <= {*differs(recipe, untrained)}
    untrained.close()


@pytest.mark.parametrize(
    "change",
    [
        {"rules": {"count": "twice"}},
        {"rules": PARITY_RULES},
        {"rules": SUPERWORDS_RULES},
        {"parity": ParityRule("lines", ("th", "en"))},
        {"superwords_from": 280},
        {"superwords_from": 300, "rules": SUPERWORDS_RULES},
        {"superwords_from": 280, "parity": ParityRule("lines", ("th", "en")), "rules": PARITY_RULES},
        {"superwords_from": 280, "counts": CountsRecipe("a"), "rules": SUPERWORDS_RULES},
    ],
    ids=lambda change: " ".join(change),
)
def test_a_recipe_with_rules_that_no_training_has_is_refused(job: Job, change: dict[str, Any]) -> None:
    recipe = recipe_from(job)
    assert recipe.vocab_size == 300
    with pytest.raises(ValueError, match=r"rules|token"):
        replace(recipe, **change)
    written = json.loads(recipe_text(recipe)) | json.loads(msgspec.json.encode(change))
    with pytest.raises(RecipeError):
        parse_recipe(json.dumps(written))


def test_a_recipe_is_never_changed(job: Job) -> None:
    recipe = recipe_from(job)
    with pytest.raises(AttributeError):
        recipe.corpus = "another"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        ParityRule("lines", ("th",)).unit = "bytes"  # type: ignore[misc]


def test_a_recipe_of_some_of_the_merges_asks_for_these(job: Job) -> None:
    recipe = recipe_of(job, job.merges[:5])
    assert recipe is not None
    assert recipe.vocab_size == 261
    assert recipe.merges_sha256 == merges_hash([(merge.left, merge.right) for merge in job.merges[:5]])
    assert recipe.versions == job.versions


@pytest.mark.parametrize(("learned", "crosses"), [(4, None), (5, None), (6, 261)])
def test_tokens_cross_pretokens_only_after_the_merges_that_may_not(
    job: Job, learned: int, crosses: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "superwords_after", 5)
    recipe = recipe_of(job, job.merges[:learned])
    assert recipe is not None
    assert recipe.superwords_from == crosses
    assert ("superwords" in recipe.rules) == (crosses is not None)
    assert parse_recipe(recipe_text(recipe)) == recipe


def test_the_recipe_of_a_stopped_training_asks_for_what_was_learned() -> None:
    stopped = Job(Training(TEXTS, 5000, pace=20))
    done(stopped, lambda job: len(job.merges) >= 3).stop()
    recipe = recipe_from(done(stopped))
    again = done(Job(training_of(recipe, TEXTS)))
    assert (again.merges, differs(recipe, again)) == (stopped.merges, [])


def test_a_training_that_has_read_nothing_has_no_recipe() -> None:
    job = Job(Training(TEXTS, 300), waits=True)
    assert recipe_of(job) is None
    job.close()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "recipe_none"),
        ("{", "recipe_none"),
        ("[" * 100_000, "recipe_none"),
        ("[1]", "recipe_none"),
        (b"\xff\xfe\x00", "recipe_none"),
        ('{"format": "minbpe v1"}', "recipe_none"),
        ('{"format": "tokenizer recipe v9"}', "recipe_none"),
        (" " * 8 * 2**20, "recipe_none"),
        (" " * (8 * 2**20 + 1), "recipe_large"),
    ],
    ids=["empty", "cut off", "deep", "list", "binary", "another file", "later version", "large", "too large"],
)
def test_what_is_no_recipe_is_refused(content: str | bytes, code: str) -> None:
    with pytest.raises(RecipeError) as refusal:
        parse_recipe(content)
    assert (refusal.value.code, refusal.value.values) == (
        code,
        {"limit": 8 * 2**20} if code == "recipe_large" else {},
    )


@given(data=st.data())
def test_a_recipe_with_a_wrong_field_is_refused_by_its_name(job: Job, data: st.DataObject) -> None:
    found = json.loads(recipe_text(recipe_from(job)))
    field = data.draw(st.sampled_from(sorted(found.keys() - {"format", "rules"})))
    found[field] = data.draw(st.sampled_from([None, -1, 1.5, True, [None], [[1]], {"a": -1}, "x" * 20_000]))
    with pytest.raises(RecipeError) as refusal:
        parse_recipe(json.dumps(found))
    assert refusal.value.code == "recipe_field"
    assert refusal.value.values["field"].startswith(field)
