"""Given merges come first, and a time limit or a goal ends a training."""

import pytest

from tests.helpers.jobs import LARGE, SMALL, Start, learned, wait_for
from tokenizer_core import Trainer, count_pretokens
from tokenizer_core.jobs.training import Goal, StopRules


def test_given_merges_come_first_and_training_goes_on_from_them(start: Start) -> None:
    usual = learned(SMALL, 300)
    other = Trainer(count_pretokens(SMALL, "mark_aware"), 300).candidates(5)[4]
    job = start(SMALL, 300, given=[(other.left, other.right)])
    wait_for(job, "done")
    trainer = Trainer(count_pretokens(SMALL, "mark_aware"), 300)
    assert job.merges == [trainer.join(other.left, other.right), *trainer.step(300)]
    assert job.merges[0] != usual[0]
    same = start(SMALL, 300, given=[(merge.left, merge.right) for merge in usual[:10]])
    wait_for(same, "done")
    assert same.merges == usual


def test_a_given_merge_that_is_not_in_the_corpus_is_a_failure(start: Start) -> None:
    job = start(SMALL, 300, given=[(0, 1)])
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "pair_not_found"


def test_a_time_limit_ends_the_training_and_keeps_what_it_learned(start: Start) -> None:
    job = start(LARGE, 100_000, pace=20, stop=StopRules(max_seconds=0.5))
    wait_for(job, "done")
    assert job.ending == "time"
    assert 0 < len(job.merges) < 1000
    assert job.merges == learned(LARGE, 256 + len(job.merges))


@pytest.mark.parametrize("pace", [None, 100], ids=["full speed", "paced"])
def test_a_goal_ends_the_training_with_the_very_merge_that_reaches_it(start: Start, pace: float | None) -> None:
    text = SMALL[:60]
    job = start(SMALL, 500, pace=pace, stop=StopRules(beat=Goal(text, 40)))
    wait_for(job, "done")
    assert job.ending == "beaten"
    tokenizer = job.tokenizer()
    assert len(tokenizer.encode(text)) < 40 <= len(tokenizer.at(tokenizer.vocab_size - 1).encode(text))
    assert job.curve[-1] == (len(job.merges), len(tokenizer.encode(SMALL)))


def test_a_goal_reached_by_bytes_alone_ends_at_once(start: Start) -> None:
    job = start(SMALL, 500, stop=StopRules(beat=Goal("ab", 3)))
    wait_for(job, "done")
    assert (job.ending, job.merges) == ("beaten", [])


def test_a_goal_out_of_reach_leaves_the_training_alone(start: Start) -> None:
    job = start(SMALL, 300, stop=StopRules(beat=Goal("never", 1)))
    wait_for(job, "done")
    assert (job.ending, job.merges) == ("size", learned(SMALL, 300))
