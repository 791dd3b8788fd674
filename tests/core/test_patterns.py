"""Split patterns cut without loss, agree with tiktoken's, and hostile ones end in an error that says why."""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.hostile import HOSTILE_PATTERNS, hostile_texts
from tests.helpers.paths import REPOSITORY
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, count_pretokens, openai_tokenizer, pretokenize
from tokenizer_core.analysis.baselines import PretokenTokenizer
from tokenizer_core.errors import PatternError
from tokenizer_core.patterns.split_patterns import (
    MAX_PATTERN_LENGTH,
    MAX_UNROLLED_LENGTH,
    compile_pattern,
    time_budget,
    unrolled_length,
)


def error_of(pattern: str, text: str = "a") -> PatternError:
    with pytest.raises(PatternError) as caught:
        pretokenize(text, pattern)
    return caught.value


# Nothing is lost


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
@given(text=hostile_texts)
@example(text="")
@example(text="\r\n \r\n  x\n ")
def test_named_patterns_match_all_text_without_gaps(name: str, text: str) -> None:
    matches = [match.group() for match in compile_pattern(name).finditer(text)]
    assert pretokenize(text, name) == matches
    assert "".join(matches) == text
    assert "" not in matches


@pytest.mark.parametrize("pattern", HOSTILE_PATTERNS.values(), ids=HOSTILE_PATTERNS)
@given(text=hostile_texts)
@example(text="")
@example(text="aabbcab")
def test_hostile_patterns_lose_nothing(pattern: str, text: str) -> None:
    pretokens = pretokenize(text, pattern)
    assert "".join(pretokens) == text
    assert "" not in pretokens


@given(st.text(alphabet=r"ab.*+?()[]|\^$Kr{}1,:=!<", max_size=12), st.text(alphabet="ab1", max_size=8))
def test_any_pattern_loses_nothing_or_is_refused(pattern: str, text: str) -> None:
    with contextlib.suppress(PatternError, FutureWarning):  # FutureWarning: regex warns of "[[" and the like
        assert "".join(pretokenize(text, pattern)) == text


@given(st.lists(hostile_texts, max_size=4), st.sampled_from([*SPLIT_PATTERNS, "[a-z]+"]))
def test_counts_are_those_of_the_pretokens_in_order_of_first_appearance(texts: list[str], pattern: str) -> None:
    pretokens = [pretoken for text in texts for pretoken in pretokenize(text, pattern)]
    counts = count_pretokens(texts, pattern)
    assert list(counts) == list(dict.fromkeys(pretokens))
    assert counts.total() == len(pretokens)
    assert all(counts[pretoken] == pretokens.count(pretoken) for pretoken in counts)


def test_gaps_stand_between_the_matches() -> None:
    assert pretokenize("--one, two!", "[a-z]+") == ["--", "one", ", ", "two", "!"]


def test_a_pattern_that_searches_backwards_gives_pretokens_in_the_order_of_the_text() -> None:
    assert pretokenize("aab b", "(?r)[ab]{1,2}") == ["a", "ab", " ", "b"]


def test_groups_do_not_replace_what_the_pattern_matches() -> None:
    assert pretokenize("abcb", "(a)|(b)(c)?") == ["a", "bc", "b"]


def test_marks_stay_in_thai_words_with_mark_aware_and_not_with_llama3() -> None:
    assert pretokenize("กำลังเรียน", "mark_aware") == ["กำลังเรียน"]
    assert pretokenize("ที่นี่", "llama3") == ["ท", "ี่", "น", "ี่"]


def test_none_keeps_the_text_in_one_piece() -> None:
    assert pretokenize("one\n two\r\n", "none") == ["one\n two\r\n"]
    assert pretokenize("", "none") == []


# The same as OpenAI's


@pytest.mark.parametrize(
    ("name", "encoding"), [("gpt2", "gpt2"), ("cl100k", "cl100k_base"), ("o200k", "o200k_base")]
)
def test_openai_patterns_are_those_of_tiktoken(name: str, encoding: str) -> None:
    assert SPLIT_PATTERNS[name] == openai_tokenizer(encoding).pattern


# Refused, with the reason


@pytest.mark.parametrize(
    ("pattern", "position", "why", "said"),
    [
        ("(a", 2, "missing )", "a closing ) is missing"),
        ("a)", 1, "unbalanced parenthesis", "there is a ) without its ("),
        ("[z-a]", 4, "bad character range", "a range in [ ] is the wrong way round"),
        ("a**", 2, "multiple repeat", "there are two repetition signs in a row"),
        (r"\p{Foo}", 7, "unknown property", r"there is no such property in \p{ }"),
        ("a\\", 2, "bad escape (end of pattern)", "the \\ must be followed by something"),
        (r"\L<names>", 9, "undefined named list", "undefined named list"),
        ("a\ud800", 1, "lone surrogate", "there is half of a character"),
    ],
)
def test_a_pattern_that_does_not_compile_says_where_and_why(
    pattern: str, position: int, why: str, said: str
) -> None:
    error = error_of(pattern)
    assert error.code == "pattern_syntax"
    assert error.values == {"why": why, "position": position}
    assert str(error).endswith(f"but at character {position + 1}, {said}.")


JUST_QUICK_ENOUGH = ["a" * 120 + "c"] * 2_000
"""Lines on which the pattern (a+)+$ takes more than a ten-thousandth of a second each, and less than 0.2."""


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "encode_each",
    [
        lambda texts: Tokenizer([], pattern="(a+)+$").encode_each(texts),
        lambda texts: PretokenTokenizer("(a+)+$").encode_each(texts),
        lambda texts: count_pretokens(texts, "(a+)+$"),
    ],
    ids=["tokens", "pretokens", "counts"],
)
def test_all_texts_together_have_one_time_budget(encode_each: Callable[[Sequence[str]], object]) -> None:
    encode_each(JUST_QUICK_ENOUGH[:1])
    with pytest.raises(PatternError) as caught:
        encode_each(JUST_QUICK_ENOUGH)
    assert (caught.value.code, caught.value.values["seconds"]) == ("pattern_slow", 0.2)


@pytest.mark.parametrize(
    "pattern", ["(?R)", "(?0)", "(a|(?1)b)", "(a|(?-1)b)", "(?P<x>a|(?&x)b)", "(?P<x>a|(?P>x)b)"]
)
def test_endless_recursion_is_given_up(pattern: str) -> None:
    """Long before it has filled the memory, which takes a second."""
    assert time_budget(1, pattern) < 0.3
    assert error_of(pattern, "c").code == "pattern_memory"


def test_a_slow_pattern_is_given_up_says_where_and_lets_others_go_on_until_then() -> None:
    """Another thread gets many turns before the pattern is given up; without letting go of the lock, a few."""
    turns = [0]
    done = threading.Event()

    def count_turns() -> None:
        while not done.wait(0.01):
            turns[0] += 1

    other = threading.Thread(target=count_turns)
    other.start()
    error = error_of("(a+)+$", "b" + "a" * 3000 + "b")
    done.set()
    other.join()
    assert turns[0] > 10
    assert error.code == "pattern_slow"
    assert error.values["seconds"] == 2.0
    assert error.values["excerpt"].startswith("aaaa") or error.values["position"] == 0


def test_a_long_pattern_is_refused() -> None:
    compile_pattern("a" * MAX_PATTERN_LENGTH)
    error = error_of("a" * (MAX_PATTERN_LENGTH + 1))
    assert (error.code, error.values["length"]) == ("pattern_long", MAX_PATTERN_LENGTH + 1)


@pytest.mark.parametrize(
    "pattern",
    [
        "a{999999999}",
        "(?:a{9999}){9999}",
        "(?:(?:a{300}b)+){300,}",
        "(?x)a{1 000 000 #)\n 000}",
        "b#{a{1#(?:a{2000}){2000}",
        "(" * 900 + ")" * 900,
    ],
    ids=["count", "nested", "nested_minimum", "verbose", "no_comment", "deep"],
)
def test_a_pattern_that_would_fill_the_memory_is_refused(pattern: str) -> None:
    assert error_of(pattern).code == "pattern_complex"


def test_the_longest_repeat_that_is_allowed_compiles() -> None:
    assert unrolled_length("ab{100000}") == MAX_UNROLLED_LENGTH
    compile_pattern("ab{100000}")
    assert error_of("ab{100001}").code == "pattern_complex"


def test_the_time_budget_grows_with_the_text() -> None:
    assert [time_budget(characters, "a+") for characters in (0, 1_000_000)] == [2.0, 4.0]
    assert time_budget(1_000_000, "(?R)") == 0.4


def test_importing_patterns_compiles_nothing() -> None:
    code = (
        "from tokenizer_core.patterns.split_patterns import compile_pattern as c; print(c.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
