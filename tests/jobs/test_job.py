"""A training in its own process learns the same merges, obeys every command, and never outlives the app."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.helpers.browser import PATIENCE
from tests.helpers.paths import REPOSITORY
from tokenizer_core import Merge, Trainer, count_pretokens, train
from tokenizer_core.errors import SpecialTokenError, TextError
from tokenizer_core.jobs.fingerprint import corpus_hash
from tokenizer_core.jobs.job import ENDED, Job, State, start_worker
from tokenizer_core.jobs.process import end_process
from tokenizer_core.jobs.training import Goal, StopRules, Training

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SMALL = " ".join(f"{a}{b}{a} ที่{b}{a}" for a in LETTERS for b in "aeiouy")
LARGE = " ".join(a + b + c + a for a in LETTERS for b in LETTERS for c in LETTERS)
"""Seconds until a test gives up; nothing here takes longer than a few unless it hangs."""

Start = Callable[..., Job]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts jobs, and ends their workers after the test."""
    jobs: list[Job] = []

    def start_job(text: str, vocab_size: int, **more: Any) -> Job:
        jobs.append(Job(Training([text], vocab_size, **more)))
        return jobs[-1]

    yield start_job
    for job in jobs:
        job.close()
        wait_for(job, *ENDED)


def wait_until(job: Job, reached: Callable[[], object]) -> None:
    """Wait for what the worker's events bring about."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, f"still {job.state} with {len(job.merges)} merges"
        job.wait(0.05)


def wait_for(job: Job, *states: State) -> None:
    wait_until(job, lambda: job.state in states)


def wait_for_merges(job: Job, merges: int) -> None:
    wait_until(job, lambda: len(job.merges) >= merges)


def learned(text: str, vocab_size: int, pattern: str = "mark_aware") -> list[Merge]:
    return Trainer(count_pretokens(text, pattern), vocab_size).step(vocab_size)


def is_running(pid: int) -> bool:
    """Whether a process runs; one that ended and waits to be collected does not."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(done.stdout.strip()) and not done.stdout.strip().startswith("Z")


# To the end


def test_a_job_learns_what_training_here_learns(start: Start) -> None:
    job = start(SMALL, 300, pattern="llama3", special_tokens=["<|end|>"])
    wait_for(job, "done")
    assert job.merges == learned(SMALL, 300, "llama3")
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


def test_a_job_takes_over_a_warm_worker() -> None:
    worker = start_worker()
    job = Job(Training([SMALL], 280), worker)
    wait_for(job, "done")
    assert job.merges == learned(SMALL, 280)
    assert worker.wait(PATIENCE) == 0


@pytest.mark.parametrize("letter", ["a", "ก"])
def test_one_letter_a_million_times_ends_when_no_pair_is_left(start: Start, letter: str) -> None:
    text = letter * 1_000_000
    job = start(text, 1000, stop=StopRules(2))
    wait_for(job, "done")
    assert (job.ending, job.failure) == ("pairs", None)
    assert job.curve[-1][1] == len(job.tokenizer().encode(text)) < 10


def test_a_single_line_of_50_megabytes_is_learned_from(start: Start) -> None:
    line = "".join(random.Random(1).choices("กขคงจช", k=1_750_000)) * 10
    assert len(line.encode()) > 50 * 2**20
    job = start(line, 260)
    wait_for(job, "done")
    assert (job.pretokens, len(job.merges)) == (1, 4)


# Commands


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


# Rules to begin and to stop by


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


# Failures


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and RLIMIT_AS")
def test_a_worker_that_may_not_take_the_memory_it_needs_says_so() -> None:
    job = Job(Training(["ab" * 2_000_000], 300, pattern="none"), memory_bytes=32 * 2**20)
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "out_of_memory"


def test_a_killed_worker_is_a_failure_that_keeps_the_merges(start: Start) -> None:
    job = start(LARGE, 100_000, pace=50)
    wait_until(job, lambda: job.merges)
    job._worker.kill()
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "worker_died"
    assert job.merges
    assert job.merges == learned(LARGE, 256 + len(job.merges))
    assert job.tokenizer().vocab_size == 256 + len(job.merges)


def test_a_worker_killed_in_the_middle_of_a_line_is_a_failure_like_any_other() -> None:
    talks = 'import sys; sys.stdout.write(\'{"event": "counting"}\\n{"event": "mer\'); sys.stdout.flush()'
    worker = subprocess.Popen([sys.executable, "-c", talks], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    job = Job(Training([SMALL], 300), worker)
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "worker_died"


def test_a_worker_that_died_before_its_job_is_a_failure() -> None:
    worker = start_worker()
    worker.kill()
    worker.wait()
    job = Job(Training([LARGE], 300), worker)
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == "worker_died"


@pytest.mark.parametrize(
    ("training", "code"),
    [
        (Training([SMALL], 300, pattern="(a"), "pattern_syntax"),
        (Training([SMALL], 300, pattern="a{999999999}"), "pattern_complex"),
        (Training(["a" * 3000 + "b"], 300, pattern="(a+)+$"), "pattern_slow"),
        (Training([SMALL], 12), "vocab_size_low"),
        (Training([SMALL], 300, stop=StopRules(0)), "min_count_low"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_training_refuses_is_a_failure_with_its_reason(training: Training, code: str) -> None:
    job = Job(training)
    wait_for(job, "failed")
    assert job.failure is not None
    assert job.failure.code == code
    assert job.failure.message


def test_lone_surrogates_and_unfit_special_tokens_are_refused_before_a_worker_starts() -> None:
    with pytest.raises(TextError):
        Job(Training(["a\ud800"], 300))
    with pytest.raises(SpecialTokenError):
        Job(Training([SMALL], 300, special_tokens=["<a>", "<a>"]))


# No orphans


def test_an_ended_job_leaves_no_process(start: Start) -> None:
    job = start(SMALL, 280)
    wait_for(job, "done")
    job.close()
    assert not is_running(job._worker.pid)


def test_an_idle_worker_can_be_ended() -> None:
    worker = start_worker()
    end_process(worker)
    assert not is_running(worker.pid)


@pytest.mark.parametrize("moment", ["idle", "running", "paused"])
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and ps")
def test_no_worker_outlives_an_app_that_was_killed(moment: str) -> None:
    app = (
        "import time\n"
        "from tokenizer_core.jobs.job import Job, start_worker\n"
        "from tokenizer_core.jobs.training import Training\n"
        "worker = start_worker()\n"
        f"job = Job(Training([{LARGE[:2000]!r}], 100_000, pace=1), worker) if {moment!r} != 'idle' else None\n"
        "while job and not job.merges: job.wait(0.1)\n"
        f"if {moment!r} == 'paused': job.pause(); job.wait(5)\n"
        "print(worker.pid, flush=True)\n"
        "time.sleep(100)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", app], cwd=REPOSITORY, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert is_running(worker)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + PATIENCE
    while is_running(worker):
        assert time.monotonic() < deadline
        time.sleep(0.05)


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
