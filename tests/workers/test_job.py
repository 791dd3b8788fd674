"""A training in its own process learns the same merges, and obeys every command."""

import random
import time

import pytest

from tests.helpers.jobs import LARGE, SMALL, Start, learned, wait_for, wait_until
from tokenizer_core import Trainer, count_pretokens, train
from tokenizer_core.bpe.reference import train_with_parity_by_definition
from tokenizer_core.saved_runs.recipe import ParityRule, differs, parse_recipe, recipe_of, recipe_text
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Goal, ParityUnit, StopRules, Training, corpus_hash


def wait_for_merges(job: Job, merges: int) -> None:
    wait_until(job, lambda: len(job.merges) >= merges)


def test_a_job_learns_what_training_here_learns(start: Start) -> None:
    job = start(SMALL, 300, pattern="llama3", special_tokens=["<|end|>"])
    wait_for(job, "done")
    assert job.merges == learned(SMALL, 300, "llama3")
    assert [merges for merges, _ in job.curve] == [*range(len(job.merges) + 1)]
    assert job.curve[0] == (0, len(SMALL.encode()))
    assert job.curve[-1] == (len(job.merges), len(job.tokenizer().encode(SMALL)))
    assert job.token_count == job.curve[-1][1]
    assert (job.failure, job.ending, job.ended, job.merge_goal) == (None, "size", True, 44)
    assert len(job.merges) == 44
    assert job.tokenizer().special_tokens == {"<|end|>": 300}
    assert job.corpus_sha256 == corpus_hash([SMALL])


def test_several_texts_share_no_pair(start: Start) -> None:
    texts = ["ab", "", "ภาษาไทย", "abab"]
    job = Job(Training(texts, 300, pattern="none"))
    wait_for(job, "done")
    assert job.tokenizer().merges == train(texts, 300, pattern="none").merges
    assert (job.pretokens, job.distinct_pretokens) == (3, 3)


def test_a_job_by_parity_learns_the_definition_and_its_recipe_gives_the_same_merges() -> None:
    texts, pairs = [SMALL[:400] * 2, "กา กา ตา มา " * 9], ["aba cac\neve", "กา ตา\nมา มา"]
    job = Job(Training(texts, 290, parity=True, measured=pairs))
    wait_for(job, "done")
    definition = train_with_parity_by_definition(texts, pairs, [2, 2], 290, "mark_aware")
    assert [(merge.left, merge.right) for merge in job.merges] == [pair for _, pair, _ in definition]
    assert job.token_count == sum(len(job.tokenizer().encode(text)) for text in texts)
    assert job.corpus_sha256 == corpus_hash(texts)
    recipe = recipe_of(job)
    assert recipe is not None
    again = Job(Training(texts, recipe.vocab_size, given=recipe.given))
    wait_for(again, "done")
    assert again.tokenizer().merges == job.tokenizer().merges


@pytest.mark.parametrize("unit", ["lines", "characters", "bytes"])
def test_a_job_by_parity_says_who_chose_each_merge_and_a_training_by_its_recipe_does_the_same(
    unit: ParityUnit,
) -> None:
    texts, languages = ["กา กา ตา มา\n" * 9, SMALL[:400], "กา นา\n"], ("th", "en", "th")
    job = Job(Training(texts, 290, parity=True, languages=languages, unit=unit))
    wait_for(job, "done")
    recipe = recipe_of(job)
    assert recipe is not None
    assert (recipe.parity, recipe.given) == (ParityRule(unit, languages), ())
    assert parse_recipe(recipe_text(recipe)) == recipe
    again = Job(Training(texts, 290, parity=True, languages=languages, unit=unit))
    wait_for(again, "done")
    assert differs(recipe, again) == []
    assert again.served == job.served
    joined = ["".join(texts[::2]), texts[1]]
    of_joined = {
        "lines": lambda text: len(text.splitlines()),
        "characters": len,
        "bytes": lambda text: len(text.encode()),
    }
    units = [sum(map(of_joined[unit], group)) for group in (texts[::2], texts[1:2])]
    definition = train_with_parity_by_definition(joined, joined, units, 290, r"\S+|\s")
    plain = Job(Training(texts, 290, pattern=r"\S+|\s", parity=True, languages=languages, unit=unit))
    wait_for(plain, "done")
    found = zip(plain.served, [(merge.left, merge.right) for merge in plain.merges], strict=True)
    assert [*found] == [(served, pair) for served, pair, _ in definition]


def test_a_training_at_full_speed_reports_every_merge_once(start: Start) -> None:
    job = start(LARGE, 6000)
    wait_for(job, "done")
    assert job.merges == learned(LARGE, 6000)
    assert [merges for merges, _ in job.curve] == sorted({merges for merges, _ in job.curve})


@pytest.mark.parametrize(("text", "merges"), [("", 0), ("a", 0), ("aaaa", 2)], ids=["empty", "letter", "run"])
def test_a_corpus_with_too_few_pairs_ends_early_and_says_so(start: Start, text: str, merges: int) -> None:
    job = start(text, 1000)
    wait_for(job, "done")
    assert (len(job.merges), job.ending, job.failure) == (merges, "pairs", None)


def test_a_vocabulary_of_bytes_alone_is_done_at_once(start: Start) -> None:
    job = start(SMALL, 256)
    wait_for(job, "done")
    assert (job.merges, job.ending) == ([], "size")


@pytest.mark.parametrize("letter", ["a", "ก"])
def test_one_letter_a_million_times_ends_when_no_pair_is_left(start: Start, letter: str) -> None:
    text = letter * 1_000_000
    job = start(text, 1000, stop=StopRules(2))
    wait_for(job, "done")
    assert (job.ending, job.failure) == ("pairs", None)
    assert job.curve[-1][1] == len(job.tokenizer().encode(text)) < 10


@pytest.mark.parametrize("megabytes", [2, pytest.param(20, marks=pytest.mark.long)])
def test_a_single_line_of_many_megabytes_is_learned_from(start: Start, megabytes: int) -> None:
    line = "".join(random.Random(1).choices("กขคงจช", k=35_000 * megabytes)) * 10
    assert len(line.encode()) > megabytes * 2**20
    job = start(line, 260)
    wait_for(job, "done")
    assert (job.pretokens, len(job.merges)) == (1, 4)


def test_a_paused_job_learns_nothing_until_it_is_resumed(start: Start) -> None:
    job = start(LARGE, 100_000, pace=20)
    wait_until(job, lambda: job.merges)
    job.pause()
    wait_for(job, "paused")
    held, seconds = list(job.merges), job.seconds
    time.sleep(0.4)
    assert (job.merges, job.seconds) == (held, seconds)
    job.resume()
    wait_until(job, lambda: len(job.merges) > len(held))
    assert job.state == "running"


def test_steps_are_exact_and_pause(start: Start) -> None:
    job = start(LARGE, 100_000, pace=20)
    wait_until(job, lambda: job.merges)
    job.pause()
    wait_for(job, "paused")
    for merges in (1, 1, 7, 100):
        goal = len(job.merges) + merges
        job.step(merges)
        wait_for_merges(job, goal)
        assert (len(job.merges), job.state, job.curve[-1][0]) == (goal, "paused", goal)
    assert job.merges == learned(LARGE, 256 + len(job.merges))


def test_a_step_while_running_pauses(start: Start) -> None:
    job = start(LARGE, 100_000, pace=20)
    wait_until(job, lambda: job.merges)
    job.step()
    wait_for(job, "paused")


def test_steps_to_the_end_finish_the_training(start: Start) -> None:
    job = start(SMALL, 300, pace=1)
    wait_until(job, lambda: job.merges)
    job.step(1000)
    wait_for(job, "done")
    assert job.merges == learned(SMALL, 300)


@pytest.mark.parametrize("paused", [False, True], ids=["running", "paused"])
def test_a_stopped_job_keeps_its_merges(start: Start, paused: bool) -> None:
    job = start(LARGE, 100_000, pace=50)
    wait_until(job, lambda: job.merges)
    if paused:
        job.pause()
        wait_for(job, "paused")
    job.stop()
    wait_for(job, "stopped")
    assert job.merges
    assert job.merges == learned(LARGE, 256 + len(job.merges))
    assert job.tokenizer().decode(job.tokenizer().encode(SMALL)) == SMALL
    assert job.failure is None


def test_a_job_stopped_before_it_starts_is_stopped_and_stays_so(start: Start) -> None:
    job = start(LARGE * 10, 100_000)
    job.stop()
    assert job.state == "stopped"
    was_on_its_way = {"token_count": 9, "pretokens": 3, "distinct": 3, "corpus_sha256": ""}
    job._take_in({"event": "started", **was_on_its_way})
    time.sleep(0.3)
    assert (job.state, job.merges, job.failure) == ("stopped", [], None)


def test_commands_given_before_the_worker_is_ready_wait_for_it(start: Start) -> None:
    corpus = LARGE * 20  # larger than a pipe holds
    job = start(corpus, 100_000, pace=10)
    job.set_pace(20)
    job.pause()
    wait_for(job, "paused")
    job.step(3)
    held = len(job.merges)
    wait_until(job, lambda: len(job.merges) == held + 3)
    assert job.merges == learned(corpus, 256 + len(job.merges))


def test_a_pace_holds_a_training_back_and_full_speed_lets_it_go(start: Start) -> None:
    job = start(SMALL, 300, pace=0.01)  # the second merge would come after 100 seconds
    wait_until(job, lambda: job.merges)
    time.sleep(0.3)
    assert len(job.merges) == 1
    job.set_pace(None)
    wait_for(job, "done")
    assert job.merges == learned(SMALL, 300)


def test_commands_after_the_end_do_nothing(start: Start) -> None:
    job = start(SMALL, 260)
    wait_for(job, "done")
    for command in (job.pause, job.resume, job.step, job.stop, job.close):
        command()
    assert (job.state, len(job.merges)) == ("done", 4)


def test_a_paused_training_says_what_it_would_merge_next(start: Start) -> None:
    job = start(SMALL, 300, pace=2.0)
    wait_until(job, lambda: job.choice)
    job.pause()
    wait_for(job, "paused")
    wait_until(job, lambda: job.choice)
    choice = job.choice
    assert choice is not None
    job.step()
    wait_for_merges(job, choice.after + 1)
    newest = job.merges[choice.after]
    assert choice.candidates[0] == (newest.left, newest.right, newest.count)
    assert 1 < len(choice.candidates) <= 10


def test_a_fast_training_does_not_stop_to_say_what_comes_next(start: Start) -> None:
    job = start(SMALL, 300)
    wait_for(job, "done")
    assert job.latest_choice is None


# ---- given merges and stop rules


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
