"""A pattern checked on a whole corpus in its own process: the same figures, progress, and always a clear end."""

import threading
from typing import Any

import pytest

from tests.helpers.browser import PATIENCE
from tokenizer_core.analysis.pattern_figures import pattern_figures
from tokenizer_core.workers import pattern_check
from tokenizer_core.workers.pattern_check import LONGEST_SHOWN, PatternCheck

TEXTS = ["ที่นี่ the cat sat\n" * 9_000, "", "don't 123"]


def ended(check: PatternCheck) -> PatternCheck:
    check.wait(PATIENCE)
    assert check.ended
    return check


@pytest.mark.parametrize("pattern", ["llama3", "mark_aware", "[a-z]+", "(?!)"])
def test_the_figures_are_those_of_the_library(pattern: str) -> None:
    check = ended(PatternCheck(TEXTS, pattern))
    expected = pattern_figures(TEXTS, pattern)
    assert check.figures is not None
    assert check.figures[:2] == expected[:2]
    assert check.figures[3:7] == expected[3:7]
    assert check.longest == len(expected.longest)
    assert check.figures.longest == expected.longest[:LONGEST_SHOWN]
    assert check.done == check.characters == len("".join(TEXTS))
    assert (check.failure, check.stopped) == (None, False)


@pytest.mark.parametrize("segments", [True, False])
def test_progress_is_told_while_texts_are_cut(segments: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(pattern_check, "PROGRESS_SECONDS", -1.0)
    monkeypatch.setattr(pattern_check, "send", lambda event, **values: sent.append({"event": event, **values}))
    if not segments:
        monkeypatch.setattr(pattern_check, "newmm", lambda: None)
    texts = ["a cat " * 20_000, "b" * 201 + " ab"]
    pattern_check.check({"pattern": "gpt2"}, [text.encode() for text in texts])
    *progress, figures = sent
    told = [each["characters"] for each in progress]
    assert told == sorted(told)
    assert {each["event"] for each in progress} == {"progress"}
    assert 0 < told[-1] <= sum(map(len, texts))
    if not segments:
        assert {each["searched"] for each in progress} == {None}
    assert figures["event"] == "figures"
    assert (figures["longest_characters"], figures["figures"]["longest"]) == (201, "b" * 200)
    assert figures["figures"]["characters"] == sum(map(len, texts))
    check = PatternCheck([], "gpt2")
    assert not check.take_in(progress[-1])
    assert (check.done, check.searched) == (told[-1], progress[-1]["searched"])
    assert check.take_in(figures)
    assert (check.longest, check.done) == (201, check.characters)


@pytest.mark.long
def test_a_corpus_of_very_many_texts_comes_to_an_end() -> None:
    texts = [f"text number {number} of many, each with its own progress" for number in range(10_000)]
    figures = ended(PatternCheck(texts, "llama3")).figures
    assert figures is not None
    assert figures.characters == len("".join(texts))


def test_a_corpus_without_text_has_no_shares() -> None:
    figures = ended(PatternCheck([], "llama3")).figures
    assert figures is not None
    assert (figures.pretokens, figures.longest, figures.clusters_cut) == (0, "", None)


@pytest.mark.parametrize(
    ("texts", "pattern", "code"),
    [
        (["b" + "a" * 3000 + "b"], "(a+)+$", "pattern_slow"),
        (["a"], "(?R)", "pattern_memory"),
        (["a"], "(a", "pattern_syntax"),
        (["a"], "a" * 10_000, "pattern_long"),
        (["a\ud83d"], "llama3", "lone_surrogate"),
    ],
)
def test_what_cannot_be_done_says_why(texts: list[str], pattern: str, code: str) -> None:
    check = ended(PatternCheck(texts, pattern))
    assert check.figures is None
    assert check.failure is not None
    assert check.failure.code == code


def test_a_check_that_needs_more_memory_than_it_may_have_says_so() -> None:
    check = ended(PatternCheck(["".join(map(chr, range(0xE000, 0xF000))) * 2000], "(?s).", memory_bytes=2**24))
    assert check.failure is not None
    assert check.failure.code in ("out_of_memory", "check_died")


def test_a_check_can_be_stopped_at_work_and_while_it_waits() -> None:
    turns = threading.Semaphore(1)
    slow = PatternCheck(["a" * 10_000_000 + "b"], "(a+)+$", turns=turns)
    waiting = PatternCheck(["a"], "llama3", turns=turns)
    waiting.wait(0.2)
    assert not waiting.ended
    waiting.stop()
    slow.stop()
    for check in (slow, waiting):
        ended(check)
        assert check.stopped
        assert (check.figures, check.failure) == (None, None)
    assert ended(PatternCheck(["a"], "llama3", turns=turns)).figures is not None
