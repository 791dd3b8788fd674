"""Patterns of one's own run as programs, and cut exactly as `regex` does, or are left to it."""

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.hostile import CLASSES, HOSTILE_PATTERNS, HOSTILE_PIECES, hostile_texts, own_pattern
from tokenizer_core import SPLIT_PATTERNS, pretokenize
from tokenizer_core.errors import PatternError
from tokenizer_core.kernels import match_loop
from tokenizer_core.kernels.cut_loop import CODE_POINTS
from tokenizer_core.kernels.match_loop import Program
from tokenizer_core.patterns import cutter
from tokenizer_core.patterns import program as programs
from tokenizer_core.patterns.cutter import OwnCutter, cutter_of, is_compiled
from tokenizer_core.patterns.pretokens import counted_pretokens, number_pretokens
from tokenizer_core.patterns.program import Characters, kinds_of, parts_of_pattern, program_of
from tokenizer_core.patterns.safe_places import can_be_cut_between
from tokenizer_core.patterns.split_patterns import MAX_UNROLLED_LENGTH, unrolled_length

EDGES = [
    *"aaaabbbAssSStTllLvVrReEmMkK'ſKiIıİßẞσΣςµμǅǆʰกก่่ำ\u0301\n\n\r  \t\x1c\x85\u2028\u00a0/!.😀٣9½ⅷ漢",
    *("  ", "\r\n", "'ll", "'LL", "'ſ", "aab", "12345", "\U0010ffff"),
]
TEXTS = st.one_of(hostile_texts, st.lists(st.sampled_from(EDGES), max_size=12).map("".join))
TWINS = {name: f"(?:{source})" for name, source in SPLIT_PATTERNS.items()}
KNOWN = ("gaps", "groups", "nested_groups", "lookahead", "dot_all")
"""Those of the hostile patterns that have a program."""
WORDS = r"\w+|\s+|[^\w\s]+"


@pytest.fixture(autouse=True, scope="module")
def always_worth() -> Iterator[None]:
    """Short texts are cut by the program, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutter, "WORTH", 0)
        yield


def cut(texts: Sequence[str], pattern: str) -> list[str]:
    """The pretokens of all texts, by the program of the pattern."""
    numbered = number_pretokens(texts, pattern)
    distinct = numbered.distinct.strings()
    assert numbered.text_ends.tolist()[-1:] == [numbered.places.size][: len(texts)]
    return [distinct[place] for place in numbered.places]


def cut_by_regex(texts: Sequence[str], pattern: str) -> list[str]:
    return [pretoken for text in texts for pretoken in pretokenize(text, pattern)]


# The same cuts


@pytest.mark.parametrize("name", TWINS)
def test_seeded_texts_are_cut_by_named_patterns_as_regex_cuts_them(name: str) -> None:
    seeded = random.Random(name)
    assert is_compiled(TWINS[name])
    assert program_of(TWINS[name])
    texts = ["".join(seeded.choices([*EDGES, *HOSTILE_PIECES], k=seeded.randint(0, 12))) for _ in range(1_000)]
    assert cut(texts, TWINS[name]) == cut_by_regex(texts, SPLIT_PATTERNS[name])


def test_seeded_patterns_cut_seeded_texts_as_regex_cuts_them() -> None:
    seeded = random.Random(14)
    compared = 0
    while compared < 150:
        pattern = own_pattern(seeded)
        if is_compiled(pattern):
            texts = ["".join(seeded.choices(EDGES, k=seeded.randint(0, 14))) for _ in range(5)]
            assert cut(texts, pattern) == cut_by_regex(texts, pattern), pattern
            compared += 1


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"a{2,3}?b|a+?(?=b)|(?>a|ab)c|(?!aa)\w|\s+$|\s", ["aab", "aaab aac ab\n", "abc\n", " \n\n"]),
        (r"(?:a|ab)(?:c|bcd)(?:d*)|(?:ab?){2,3}+b", ["abcd", "abcbcdd", "ababab", "abab"]),
        (r"(?=ab)\w|(?=b.)\w\w|(?=(?=.a)b|a)\w", ["abba", "bab", "aab", "bb"]),
        (r"(?!ab|b.)\w|(?!(?!bb).)b\w?|\w\w", ["abba", "bab", "aab", "bb"]),
        (r"(?>a|ab)b|(?>b*)b|(?:(?>ab?)a|b)+", ["abba", "bab", "aabab", "bb", "ababab"]),
        (r"(?!(?!a)\w)a|(?:(?=.b)\w|(?>b+))+c", ["abbc", "aab", "abababbc"]),
        (r"a+$|(?m:b+$)|\s", ["aa\n", "aa\n\n", "bb\nb\nbb", "a\nb"]),
        (r"a+\Z|a|\n", ["aa\n", "aa"]),
        (r"aa$|(?m:bb$)|a|b|\n|\t", ["aa\n", "aa\t", "bb\nb", "bb\tb"]),
        (r"b(?=[ab](?!(?=.|[ab]b+|.a)a|ab))|(?=b(?>[ab](?!aa?|b+|[ab])))ab|.", ["baba", "abab"]),
        (r"(?i)a(?-i:b)|(?s:b(?-s:.))|(?-i:(?i:x|y)y)", ["AbaBAB", "b\nbb", "XyXYyY"]),
        (r"(?:ก|ab)+?b|(?:ก|a){2,4}?b|(?:b|ก)??a", ["กกab", "กaab", "aกกab", "bba"]),
    ],
)
def test_each_step_does_what_regex_does(pattern: str, texts: list[str]) -> None:
    assert program_of(pattern)
    assert cut(texts, pattern) == cut_by_regex(texts, pattern)


OWN = st.randoms(use_true_random=False).map(own_pattern)
SIMPLE = OWN.filter(lambda pattern: unrolled_length(pattern) <= MAX_UNROLLED_LENGTH)  # the others are refused


@settings(max_examples=60)
@given(SIMPLE, st.lists(TEXTS, min_size=1, max_size=4))
def test_any_pattern_cuts_any_texts_as_regex_cuts_them(pattern: str, texts: list[str]) -> None:
    assert cut(texts, pattern) == cut_by_regex(texts, pattern)


@given(
    TEXTS,
    st.sampled_from([*TWINS.values(), WORDS, "(?:a|ab)+b|[^a]", "[a-z]+"]),
    st.integers(0, 60),
    st.integers(1, 9),
)
def test_whenever_a_program_gives_up_regex_goes_on_where_it_was(
    text: str, pattern: str, steps: int, room: int
) -> None:
    texts = [text, "", f"{text} {text}", "ab"]
    for limit, most in (("_STEPS", steps), ("_NOTES", steps % 8 + 1)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cutter, limit, most)
            patch.setattr(cutter, "_STEPS_PER_BYTE", 0)
            patch.setattr(cutter, "_AT_ONCE", room + 1)
            patch.setattr(cutter, "HELD_CHARACTERS", 20)
            assert cut(texts, pattern) == cut_by_regex(texts, pattern)


@pytest.mark.parametrize("source", [each for each in CLASSES if len(each) > 1])
def test_a_class_holds_the_characters_that_regex_finds_one_by_one(source: str) -> None:
    """The table is made of runs of characters; a machine asks for one after the other."""
    text = "".join(chr(point) for point in range(0x3000) if not 0xD800 <= point < 0xE000)
    kinds, holds = kinds_of([Characters(source, "")]) or pytest.fail("there must be a table")
    found = {match.start() for match in regex.compile(source).finditer(text)}
    assert {n for n, character in enumerate(text) if holds[0, kinds[ord(character)]]} == found


@pytest.mark.parametrize("letter", "aAsSſkKKiIİıßẞσΣςµμΜǅǆÅÅθϑꭰᏸ")
def test_a_letter_without_regard_to_case_is_what_regex_takes_for_it(letter: str) -> None:
    text = "".join(chr(point) for point in range(0x10000) if not 0xD800 <= point < 0xE000)
    for pattern in (f"(?i:x|{letter})y?", f"(?i)'{letter}", f"(?i:[{letter}_]+)"):
        assert cut([text + "'" + "'".join("sSſkKKiIİıßẞ")], pattern) == pretokenize(
            text + "'" + "'".join("sSſkKKiIİıßẞ"), pattern
        )


# What is not known


@pytest.mark.parametrize(
    "pattern",
    [
        *(source for name, source in HOSTILE_PATTERNS.items() if name not in KNOWN),
        *(
            r"\bword\b",
            r"(a)\1",
            "(?<=a)b",
            r"a\Z|^b",
            r"[[a-z]--[aeiou]]+(?V1)",
            "(?x) a b",
            "(?#words)a",
            "(?w).",
        ),
        *(r"[[:alpha:]]+", r"[]a]", r"[^]a]", r"\p{L}+|(?i:\p{Lu})", r"\N{DIGIT ONE}", r"\07", "a{1}{2}", "a{ 1}"),
        *("(?:a*)+b", "a|", "(?=a)", "(?:a?){2}b", "(?:a|b?)*c", "$", "(?:(?:a))?", "a{0}b", "(?i-i:a)", "(?f)a"),
        *("a}", "a{,}", "a]"),
        "(?:" * 60 + "a" + ")" * 60,
    ],
)
def test_what_a_program_might_do_otherwise_regex_does(pattern: str) -> None:
    try:
        assert not is_compiled(pattern)
    except PatternError:
        with pytest.raises(regex.error):
            regex.compile(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "|".join(f"[{chr(0x1000 + n)}a]" for n in range(65)),
        "|".join(f"[{chr(0x1001 + n)}{chr(0x1000 + n)}a]" for n in range(4)),
        "(?:abcde){900}|ad",
    ],
    ids=["classes", "kinds", "steps"],
)
def test_a_pattern_that_is_too_large_for_a_program_is_cut_by_regex(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "MAX_KINDS", 5)
    assert is_compiled(pattern)
    assert program_of(pattern) is None
    texts = ["".join(chr(0x1000 + n) for n in range(70)), "adadad", "abcde" * 2_000]
    assert cut(texts, pattern) == cut_by_regex(texts, pattern)


def test_another_default_version_of_regex_is_not_taken_for_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regex.DEFAULT_VERSION", regex.V1)
    assert parts_of_pattern("[a-x][m-z]") is None


# Time


@pytest.mark.usefixtures("impatient")
def test_a_pattern_that_is_slow_is_given_up_as_before_and_says_where() -> None:
    pattern, text = r"(?:(?:a|b|ab)+)+c|\s", " " + "ab" * 3_000
    assert is_compiled(pattern)
    with pytest.raises(PatternError) as expected:
        pretokenize(text, pattern)
    with pytest.raises(PatternError) as caught:
        counted_pretokens(["fine", text], pattern)
    assert caught.value.code == expected.value.code == "pattern_slow"
    assert caught.value.values == expected.value.values
    assert caught.value.values["position"] == 1


def test_a_text_longer_than_the_stack_is_cut_by_regex_in_the_end() -> None:
    texts = ["a b", "ab" * 100_000, "b"]
    assert cut(texts, "(?:a|b)+") == ["a", " ", "b", "ab" * 100_000, "b"]


@pytest.mark.parametrize("name", sorted({*TWINS} - {"none"}))
@pytest.mark.parametrize("run", [" ", "\n", "a", "กA", "'s", "1", "\u0301", "!\n/", "\u3000"])
def test_long_runs_take_steps_in_proportion(name: str, run: str) -> None:
    text = np.frombuffer(f"{run * 20_000}x".encode(), dtype=np.uint8)
    program = program_of(TWINS[name])
    assert program is not None
    edges, state = np.array([0, text.size]), np.array([0, 0, 0, 10 * text.size])
    ends = np.empty(text.size + 2, dtype=np.int64)
    match_loop.cut(text, edges, program, np.empty((9, 3), dtype=np.int64), state, edges.copy(), ends)
    assert state[match_loop.LEFT] > 0
    assert state[match_loop.PLACE] == text.size


# Places to cut


def test_no_pretoken_spans_a_place_that_is_proved() -> None:
    seeded = random.Random(5)
    parted = 0
    while parted < 300:
        pattern = "|".join(
            seeded.sample([own_pattern(seeded), r"\s+(?!\S)", r"\s", "b+", "[^ab]", "a(?!b)", "."], 3)
        )
        before, after = seeded.choice(
            [("a", "b"), ("[^\\s]", r"\s"), ("[ab]", " "), (r"\w", "[b\n]"), ("b", "[^b]")]
        )
        if is_compiled(pattern) and can_be_cut_between(pattern, before, after):
            texts = ["".join(seeded.choices("aabb \n'ก", k=10)) for _ in range(5)]
            parts = [regex.split(f"(?V1)(?<={before})(?={after})", text) for text in texts]
            parted += sum(len(some) > 1 for some in parts)
            whole = cut_by_regex(texts, pattern)
            assert cut_by_regex([part for some in parts for part in some], pattern) == whole, (
                pattern,
                before,
                after,
            )


@pytest.mark.parametrize(
    ("pattern", "is_proved"),
    [
        (r"\w+|\s+", True),
        (r"\w+ ?|\s", False),
        (r"\w+'?\s|\s|.", False),
        (r"\w+'\s|\s|.", True),
        (r"\w+(?= )|\s|\w", False),
        (r"\w+(?!\s)|\s|\w", False),
        (r"\w+(?!\d)|\s|\w", True),
        (r"\w+$|\s|\w", False),
        (r"\s+$|\s|\w", True),
        (r"\w(?=(?:\w|ก )*)\w|\s", True),
        (r"\w(?=(?:\w|z )*)\w|\s", False),
        (r"\w+|\n", False),
        (r"\w+|\s{2,}", False),
        (r"\w+|(?:(?: |x)|y)", True),
        (r"(?:\w|\s)+", False),
        (r"(?<=a)\w|\s", False),
    ],
)
def test_a_place_is_proved_or_not(pattern: str, is_proved: bool) -> None:
    assert can_be_cut_between(pattern, "[a-z]", " ") == is_proved


# Where it is used


def test_short_texts_are_cut_by_regex_until_they_are_worth_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def noted(source: str) -> Program | None:
        made.append(source)
        return program_of(source)

    text, pattern = "a word or two, y", "[a-x]+"
    monkeypatch.setattr(cutter, "WORTH", 4 * (len(text) + cutter.TEXT_COST))
    monkeypatch.setattr(cutter, "program_of", noted)
    for expected in ([], [], [], [pattern], [pattern]):
        assert counted_pretokens(text, pattern).strings() == ["a", " ", "word", "or", "two", ", y"]
        assert made == expected


@pytest.mark.parametrize("pattern", [*SPLIT_PATTERNS, WORDS, "[a-z]+", "(?:ก|a)+"])
def test_a_cutter_says_how_far_it_is(pattern: str) -> None:
    texts = [text.encode() for text in ("a word", "", "ไป a\n", "กa" * 40_000)]
    counting = cutter_of(pattern)
    said = list(counting.adding(texts))
    assert sum(said) == sum(map(len, texts))
    assert isinstance(counting, OwnCutter) == (pattern not in SPLIT_PATTERNS)
    assert counting.pretokens()[2].sum() == len(cut_by_regex([text.decode() for text in texts], pattern))


def test_every_code_point_has_a_kind() -> None:
    kinds, holds = kinds_of([Characters(r"\s", ""), Characters(r"\S", "")]) or pytest.fail("there must be a table")
    assert kinds.size == CODE_POINTS
    assert holds[:, kinds].sum(axis=0).tolist() == [1] * CODE_POINTS
