"""A training in which tokens may cross spaces late: the merges of the definition, whatever happens meanwhile."""

import json
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.jobs import wait_for, wait_until
from tests.helpers.training import corpora, patterns
from tokenizer_core import Tokenizer, Trainer, count_pretokens
from tokenizer_core.analysis.lineage import token_counts
from tokenizer_core.bpe.reference import Pair, train_superwords_by_definition
from tokenizer_core.corpus_counts.counts import Counts
from tokenizer_core.errors import RecipeError, TrainingError
from tokenizer_core.patterns.split_patterns import SUPERWORDS
from tokenizer_core.saved_runs.entry import packed_run, read_entry, read_learned
from tokenizer_core.saved_runs.job import SavedJob, entry_of
from tokenizer_core.saved_runs.recipe import differs, parse_recipe, recipe_of, recipe_text
from tokenizer_core.workers import training_worker
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import CountedCorpus, Goal, StopRules, Training
from tokenizer_core.workers.training_worker import Conductor, count, superword_trainer, trainer_of

TEXT = "by the way 123 456\nby the way, so what\nคนไทย คนไทย ใช้ภาษา คนไทย ใช้\n" * 9
SIZE, FROM = 296, 276
DEFINED = [pair for pair, _ in train_superwords_by_definition(TEXT, SIZE, "mark_aware", FROM)]


def pairs_of(job: Job) -> list[Pair]:
    return [(merge.left, merge.right) for merge in job.merges]


def done(training: Training) -> Job:
    job = Job(training)
    wait_for(job, "done")
    return job


def events_of(training: Training) -> list[dict[str, Any]]:
    """What a worker says of a training, which runs here."""
    events: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_worker, "send", lambda event, **values: events.append({"event": event, **values}))
        contents = [text.encode() for text in training.texts]
        trainer = trainer_of(training, count(training, contents)[0], contents)
        Conductor(trainer, SimpleQueue(), training, superword_trainer(training, contents)).run()
    return events


@settings(max_examples=25)
@given(st.lists(corpora, max_size=4).map("\n".join), patterns, st.integers(256, 300), st.integers(256, 300))
def test_a_worker_learns_the_merges_of_the_definition(text: str, pattern: str, size: int, start: int) -> None:
    training = Training([text], size, pattern, superwords_from=start)
    events = events_of(training)
    learned = [((left, right), n) for event in events for left, right, n in event.get("merges", ())]
    expected = train_superwords_by_definition(text, size, pattern, start)
    assert learned == expected
    told = [event["after"] for event in events if event["event"] == "superwords"]
    names = [event["event"] for event in events]
    before = [names[place - 1] for place, name in enumerate(names) if name == "superwords"]
    assert before == ["recounting"] * names.count("recounting")
    plain = Trainer(count_pretokens([text], pattern), min(start, size)).step(size)
    assert told == ([len(plain)] if 256 + len(plain) < size else [])


def test_a_job_knows_after_which_merge_tokens_cross_and_is_kept_with_it() -> None:
    job = done(Training([TEXT], SIZE, superwords_from=FROM))
    assert pairs_of(job) == DEFINED
    assert job.superwords_after == FROM - 256
    assert job.tokenizer().pattern == SUPERWORDS
    assert [job.pattern_after(merges) for merges in (0, 20, 21)] == ["mark_aware", "mark_aware", SUPERWORDS]
    assert any(b"y t" in token for token in job.tokenizer().vocabulary)
    assert job.curve[-1] == (SIZE - 256, len(job.tokenizer().encode(TEXT)))

    entry, learned = entry_of(job)
    content = packed_run(entry, learned)
    saved = SavedJob(read_entry(content), lambda: read_learned(content, entry))
    assert saved.superwords_after == job.superwords_after
    assert saved.tokenizer().pattern == SUPERWORDS
    assert saved.tokenizer().encode(TEXT) == job.tokenizer().encode(TEXT)


@pytest.mark.parametrize("start", [FROM, 100_000], ids=["a size", "no pair left before"])
def test_a_recipe_gives_the_same_merges(start: int) -> None:
    size = SIZE if start == FROM else 100_001
    job = done(Training([TEXT], size, superwords_from=start))
    recipe = recipe_of(job)
    assert recipe is not None
    assert job.superwords_after is not None
    assert recipe.superwords_from == 256 + job.superwords_after
    assert parse_recipe(recipe_text(recipe)) == recipe
    again = done(Training([TEXT], recipe.vocab_size, superwords_from=recipe.superwords_from))
    assert differs(recipe, again) == []
    assert differs(recipe, done(Training([TEXT], recipe.vocab_size))) != []


def test_a_job_knows_while_its_texts_are_counted_anew() -> None:
    job = Job(Training([TEXT], SIZE, superwords_from=FROM), waits=True)
    found = [job.recounts]
    for event in ({"event": "recounting"}, {"event": "superwords", "after": 20}):
        job._take_in(event)
        found.append(job.recounts)
    assert found == [False, True, False]
    assert job.superwords_after == 20


def test_a_recipe_of_the_first_stage_alone_is_plain() -> None:
    job = done(Training([TEXT], FROM, superwords_from=FROM))
    assert pairs_of(job) == DEFINED[: FROM - 256]
    recipe = recipe_of(job)
    assert recipe is not None
    assert (job.superwords_after, recipe.superwords_from) == (None, None)
    assert differs(recipe, done(Training([TEXT], FROM))) == []


@pytest.mark.parametrize(
    "change",
    [
        {"superwords_from": None},
        {"superwords_from": 255},
        {"superwords_from": SIZE},
        {"parity": {"unit": "lines", "languages": ["th"]}},
        {"counts": True},
    ],
    ids=str,
)
def test_a_recipe_that_says_otherwise_is_refused(change: dict[str, Any]) -> None:
    recipe = recipe_of(done(Training([TEXT], SIZE, superwords_from=FROM)))
    assert recipe is not None
    found = json.loads(recipe_text(recipe)) | change
    if "counts" in change:
        found["counts"] = json.loads(json.dumps(CORPUS.described()["recipe"]))
    with pytest.raises(RecipeError):
        parse_recipe(json.dumps(found))


def test_a_pause_where_tokens_begin_to_cross_shows_what_comes_next() -> None:
    job = Job(Training([TEXT], SIZE, superwords_from=FROM, pace=0.5))
    wait_until(job, lambda: job.merges)
    job.step(FROM - 256 - 1)
    wait_until(job, lambda: job.choice is not None and job.choice.after == FROM - 256)
    choice = job.choice
    assert choice is not None
    second = Trainer(count_pretokens([TEXT], SUPERWORDS), SIZE, merges=DEFINED[: FROM - 256])
    assert (list(choice.candidates), choice.ties) == (second.candidates(10), second.ties)
    assert (job.tokenizer().pattern, job.superwords_after) == ("mark_aware", FROM - 256)
    for after in (choice.after - 1, choice.after + 1):  # of a merge before or behind
        job.latest_choice = replace(choice, after=after)
        assert job.choice is None
    job.step()
    wait_until(job, lambda: len(job.merges) > FROM - 256)
    assert pairs_of(job) == DEFINED[: FROM - 256 + 1]
    job.set_pace(None)
    job.resume()
    wait_for(job, "done")
    assert pairs_of(job) == DEFINED


@pytest.mark.parametrize("shared", [8, FROM - 256, FROM - 256 + 10], ids=["before", "at", "after"])
def test_given_merges_may_end_before_and_after_tokens_cross(shared: int) -> None:
    for pairs in (DEFINED[:shared], [*DEFINED[:shared], DEFINED[shared]]):
        assert pairs_of(done(Training([TEXT], SIZE, superwords_from=FROM, given=pairs))) == DEFINED


def test_a_text_is_beaten_by_the_tokens_of_its_stage() -> None:
    plain = token_counts(TEXT, Tokenizer(DEFINED[: FROM - 256]))
    whole = token_counts(TEXT, Tokenizer(DEFINED, pattern=SUPERWORDS))
    for merges, tokens in ((9, int(plain[9])), (FROM - 256 + 5, int(whole[FROM - 256 + 5]))):
        stop = StopRules(beat=Goal(TEXT, tokens + 1))
        job = done(Training([TEXT], SIZE, superwords_from=FROM, stop=stop))
        assert (job.ending, len(job.merges)) == ("beaten", merges)
        assert len(job.tokenizer().encode(TEXT)) == tokens


COUNTS = Counts.of(TEXT, "mark_aware")
CORPUS = CountedCorpus(COUNTS.recipe, COUNTS.sha256, len(TEXT), 9, b"a file")


@pytest.mark.parametrize(
    ("training", "code"),
    [
        (Training((), SIZE, counts=CORPUS, superwords_from=FROM), "superwords_counts"),
        (Training([TEXT], SIZE, parity=True, superwords_from=FROM, unit="bytes"), "superwords_parity"),
    ],
    ids=["counts", "parity"],
)
def test_counts_and_parity_cannot_have_them(training: Training, code: str) -> None:
    with pytest.raises(TrainingError) as caught:
        Job(training, waits=True)
    assert caught.value.code == code
