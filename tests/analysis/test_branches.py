"""Branches of a split pattern: split where it is safe, the same pretokens as ever, and figures by another way."""

import contextlib
import itertools
import time
import warnings
from collections.abc import Iterator

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.helpers.hostile import HOSTILE_PATTERNS, hostile_texts
from tokenizer_core import SPLIT_PATTERNS, pretokenize
from tokenizer_core.analysis import pattern_figures as figures
from tokenizer_core.analysis.branches import attribute, branches
from tokenizer_core.analysis.pattern_figures import PatternTally, pattern_figures
from tokenizer_core.analysis.segmenters import Segmenter
from tokenizer_core.errors import PatternError, TextError
from tokenizer_core.patterns import cutter
from tokenizer_core.patterns.split_patterns import MAX_PATTERN_LENGTH, batches

COUNTS = {"gpt2": 7, "cl100k": 8, "llama3": 7, "o200k": 7, "mark_aware": 7, "none": 1}


def sources(pattern: str) -> list[str]:
    return [branch.source for branch in branches(pattern)]


# Splitting


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
def test_a_named_pattern_is_its_branches_joined(name: str) -> None:
    assert "|".join(sources(name)) == SPLIT_PATTERNS[name]
    assert len(sources(name)) == COUNTS[name]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a|b", ["a", "b"]),
        ("", [""]),
        ("a|", ["a", ""]),
        ("||", ["", "", ""]),
        (r"a\|b|c", [r"a\|b", "c"]),
        (r"[|]|[]|]|[^]|]|[\]|]", ["[|]", "[]|]", "[^]|]", r"[\]|]"]),
        (r"[[:alpha:]|]|x", ["[[:alpha:]|]", "x"]),
        ("(?V1)[[|]|]|x", ["[[|]|]", "x"]),
        ("(a|b)|c", ["(a|b)", "c"]),
        ("(?:a|b)|(?:c|d)", ["(?:a|b)", "(?:c|d)"]),
        ("(?:a|b)", ["a", "b"]),
        ("(a|b)", ["a", "b"]),
        ("(?i:(?P<all>a|b))", ["a", "b"]),
        ("(?:a|b)+", ["(?:a|b)+"]),
        ("(?=a|b)", ["(?=a|b)"]),
        ("(?i)a|b", ["a", "b"]),
        ("(?x) a # one | two\n | b", [" a # one | two\n ", " b"]),
        ("(?x)a # one|b", ["(?x)a # one|b"]),
        ("(?x)a|b # two", ["a", "b # two"]),
        ("a(?#no | here)|b", ["a(?#no | here)", "b"]),
        ("(?(?=a)b|c)|d", ["(?(?=a)b|c)", "d"]),
    ],
)
def test_a_pattern_is_split_at_its_top_level_only(pattern: str, expected: list[str]) -> None:
    assert sources(pattern) == expected
    assert all(pattern[start:end] == part for part, start, end in branches(pattern))


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"a\K|b", "(?r)a|b", "(?b)a|b", "(?p)a|ab", "a|(?R)b", r"\Ga|b", "a(?i)b|c", "(?x:a # |\n)|b"),
        *("(?V1:a)|b", "(*FAIL)|b"),
    ],
)
def test_a_pattern_that_cannot_be_split_safely_stays_whole(pattern: str) -> None:
    assert sources(pattern) == [pattern]


@pytest.mark.parametrize("pattern", ["(a", "a" * (MAX_PATTERN_LENGTH + 1), "a" * 10_000, "a{999999999}"])
def test_a_pattern_that_cannot_be_compiled_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        branches(pattern)
    with pytest.raises(PatternError):
        attribute("a", pattern)
    with pytest.raises(PatternError):
        pattern_figures("a", pattern)


# Who cut


def check_pieces(text: str, pattern: str) -> None:
    """The same pretokens; and a branch matches by itself, in place, what it is said to have cut."""
    pieces = attribute(text, pattern)
    expected = pretokenize(text, pattern)
    assert [piece.text for piece in pieces] == expected
    assert [piece for batch in batches(text, pattern) for piece in batch] == expected
    count = len(branches(pattern))
    assert all(piece.branch is None or 0 <= piece.branch < count for piece in pieces)


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
@given(text=hostile_texts)
@example(text="")
@example(text="\r\n \r\n  x\n ")
def test_named_patterns_cut_as_ever_and_each_piece_has_the_first_branch_that_matches(name: str, text: str) -> None:
    check_pieces(text, name)
    alone = [regex.compile(source) for source in sources(name)]
    at = 0
    for piece in attribute(text, name):
        matching = [n for n, pattern in enumerate(alone) if (m := pattern.match(text, at)) and m.group()]
        if name != "none":  # whose flag stands outside
            assert piece.branch == matching[0]
            found = alone[matching[0]].match(text, at)
            assert found is not None
            assert found.group() == piece.text
        at += len(piece.text)


@pytest.mark.parametrize("pattern", HOSTILE_PATTERNS.values(), ids=HOSTILE_PATTERNS)
@given(text=hostile_texts)
@example(text="aabbcab")
def test_hostile_patterns_cut_as_ever(pattern: str, text: str) -> None:
    check_pieces(text, pattern)


@given(st.text(alphabet=r"ab.*+?()[]|\^$#x1,:=!<", max_size=14), st.text(alphabet="ab1 ", max_size=8))
@example(r"(a)|\1b|(b)", "abab")
@example("a??|a", "aa")
@example("(?x)a#|\n|b", "ab")
def test_any_pattern_cuts_as_ever_or_is_refused(pattern: str, text: str) -> None:
    with contextlib.suppress(PatternError), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # regex warns of "[[" and the like
        check_pieces(text, pattern)


@st.composite
def alternatives(draw: st.DrawFn) -> list[str]:
    """Small alternatives, some with groups and references of their own."""
    parts = [
        "a+",
        "b",
        r"\s+",
        "(?:ab|ba)",
        "(a)b",
        "[|a]",
        r"\|",
        "(?=b)b",
        "a(?!b)",
        "(?i:A)",
        "",
        ".",
        "(b|a)1",
    ]
    return draw(st.lists(st.sampled_from(parts), min_size=1, max_size=5))


@given(alternatives(), st.text(alphabet="ab1 |", max_size=12))
def test_joined_alternatives_are_found_again_and_told_apart(parts: list[str], text: str) -> None:
    pattern = "|".join(parts)
    check_pieces(text, pattern)
    if len(parts) > 1:
        assert sources(pattern) == parts
    at = 0
    for piece in attribute(text, pattern):
        if piece.branch is not None and "" not in parts:
            first = next(n for n, part in enumerate(parts) if regex.compile(part).match(text, at))
            assert piece.branch == first
        at += len(piece.text)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"(a)\1|(b)\2|(?<x>c)(?P=x)", "aabbcca", [("aa", 0), ("bb", 1), ("cc", 2), ("a", None)]),
        ("|".join([r"(a)\1", *["c"] * 38, "b"]), "aab", [("aa", 0), ("b", 39)]),
        ("|".join([r"(a)\1", *["c"] * 39, "b"]), "aab", [("aa", 0), ("b", 0)]),  # too many to try: it stays whole
        ("(?P<branch_0>a)|(?P<branch_1>b)", "ab", [("a", 0), ("b", 1)]),
        ("(?P<n>a)|(?P<n>b)", "ab", [("a", 0), ("b", 1)]),
        ("(?P<n>a)a|(?P<n>a)", "aa", [("aa", 0)]),
        ("(?x)a|b # two", "bax", [("b", 1), ("a", 0), ("x", None)]),
        (r"(?x)(a)\1|b # two", "baax", [("b", 1), ("aa", 0), ("x", None)]),
        ("a|b", "--a", [("--", None), ("a", 0)]),
        ("(?!)", "xyz", [("xyz", None)]),
        ("|".join(["b"] * 900 + ["a"]), "ab" * 99, [("a", 900), ("b", 0)] * 99),
    ],
    ids=[
        "references",
        "forty",
        "too many",
        "group names",
        "same name",
        "same name at once",
        "comment",
        "tried comment",
        "gaps",
        "only gaps",
        "thousand",
    ],
)
def test_the_branch_of_each_pretoken_is_known(
    pattern: str, text: str, expected: list[tuple[str, int | None]]
) -> None:
    assert attribute(text, pattern) == expected


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a+)+$|b", r"(a+)+\1$|b"], ids=["one", "grouped", "tried"])
def test_a_slow_pattern_is_given_up_and_says_where(pattern: str) -> None:
    for cut in (attribute, pattern_figures):
        with pytest.raises(PatternError) as caught:
            cut("c" + "a" * 3000 + "c", pattern)
        assert caught.value.code == "pattern_slow"
        assert "aaaa" in caught.value.values["excerpt"]


def test_endless_recursion_is_given_up() -> None:
    for cut in (attribute, pattern_figures):
        with pytest.raises(PatternError) as caught:
            cut("a", "(?R)")
        assert caught.value.code == "pattern_memory"


# Figures


@given(st.lists(hostile_texts, max_size=3), st.sampled_from([*SPLIT_PATTERNS, "[a-z]+", "a*", "(?r)a+", "(?!)"]))
def test_figures_are_those_of_the_pretokens(texts: list[str], pattern: str) -> None:
    cut = [pretokenize(text, pattern) for text in texts]
    everything = list(itertools.chain.from_iterable(cut))
    found = pattern_figures(texts, pattern)
    assert (found.pretokens, found.distinct) == (len(everything), len(set(everything)))
    assert found.longest == max(everything, key=len, default="")
    assert found.characters == len("".join(texts))
    assert found.characters_per_pretoken == (found.characters / len(everything) if everything else None)
    torn = clusters = torn_thai = thai = 0
    for text, pretokens in zip(texts, cut, strict=True):
        ends = set(itertools.accumulate(map(len, pretokens)))
        for match in regex.finditer(r"\X", text):
            is_torn = any(match.start() < end < match.end() for end in ends)
            is_thai = bool(regex.search("[\u0e00-\u0e7f]", match.group()))
            torn, clusters = torn + is_torn, clusters + 1
            torn_thai, thai = torn_thai + (is_torn and is_thai), thai + is_thai
    assert found.clusters_cut == (torn / clusters if clusters else None)
    assert found.thai_clusters_cut == (torn_thai / thai if thai else None)
    assert found.words_cut is None
    assert found.lossless


@settings(max_examples=25)
@given(
    st.lists(hostile_texts, max_size=4),
    st.integers(1, 60),
    st.sampled_from([*SPLIT_PATTERNS, "[a-z]+", r"\p{L}+|\s", "(?<=a)b", "(?!)"]),
)
def test_figures_in_compiled_code_are_those_of_regex(texts: list[str], size: int, pattern: str) -> None:
    found = []
    for worth in (2**60, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(figures, "WORTH", worth)
            patch.setattr(cutter, "WORTH", 0)
            patch.setattr(figures, "CHUNK_BYTES", size)
            patch.setattr(figures, "BATCH", 7)
            tally = PatternTally(pattern)
            for text in texts:
                list(tally.add(text))
            found.append((tally.counts, list(tally.counts), tally.figures()._replace(seconds=0)))
            assert tally.characters == len("".join(texts))
    assert found[0] == found[1]


@pytest.mark.usefixtures("impatient")
def test_where_a_pattern_is_slow_is_a_place_in_the_whole_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "WORTH", 0)
    monkeypatch.setattr(figures, "CHUNK_BYTES", 100)
    monkeypatch.setattr(cutter, "WORTH", 0)
    with pytest.raises(PatternError) as caught:
        pattern_figures("c b " * 200 + "a" * 3000 + "c", r"b|(a+)+$")
    assert caught.value.values["position"] == 799


def test_words_are_cut_where_a_pretoken_ends_inside() -> None:
    words = Segmenter("by hand", lambda text: regex.findall(r"กิน|น้ำ|.", text))
    assert pattern_figures("กิน น้ำ!", "llama3", segmenter=words).words_cut == 1.0
    assert pattern_figures("กิน น้ำกิน!", "mark_aware", segmenter=words).words_cut == 0.0
    assert pattern_figures("น้ำ!", "none", segmenter=words).words_cut == 0.0
    assert pattern_figures("!", "none", segmenter=words).words_cut is None


def test_only_the_time_of_cutting_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def slow(text: str, pattern: str) -> Iterator[list[str]]:
        nonlocal now
        for batch in batches(text, pattern):
            now += 2.0
            yield batch

    monkeypatch.setattr(figures, "batches", slow)
    monkeypatch.setattr(time, "perf_counter", lambda: now)
    tally = PatternTally("gpt2")
    for _ in range(3):
        for _ in tally.add("a cat"):
            now += 100.0  # whoever asks takes as long as they like
    assert tally.figures().seconds == 6.0


def test_progress_counts_the_characters_that_were_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "CHUNK_BYTES", 2**16)
    monkeypatch.setattr(cutter, "WORTH", 0)
    for worth in (2**60, 0):
        monkeypatch.setattr(figures, "WORTH", worth)
        for pattern in ("mark_aware", "[a-z]+"):
            tally = PatternTally(pattern)
            steps = [tally.characters for _ in tally.add("a " * 120_000)]
            assert steps == sorted(steps)
            assert steps[-1] == 240_000
            assert steps[0] < 240_000


def test_progress_counts_the_characters_that_were_searched_for_words() -> None:
    text = f"{'a ' * 1_500}\n\n{'b' * 5_000} {'c' * 40_000}"
    seen: list[str] = []

    def note(part: str) -> list[str]:
        seen.append(part)
        return [part]

    tally = PatternTally("mark_aware", Segmenter("spaces", note))
    steps = [tally.searched for _ in tally.add(text)]
    assert "".join(seen) == text
    assert max(map(len, seen)) <= 10_001
    assert steps == sorted(steps)
    assert steps[-1] == len(text)
    assert "b" * 5_000 in [part.strip() for part in seen]


@pytest.mark.parametrize("wrong", [[["a cat"]], [["a cat", " set"]]], ids=["lost", "changed"])
def test_figures_say_if_pretokens_do_not_join_to_the_text(
    wrong: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pattern_figures("a cat sat", "llama3").lossless
    monkeypatch.setattr(figures, "batches", lambda text, pattern: iter(wrong))
    assert not pattern_figures("a cat sat", "llama3").lossless


def test_half_a_character_is_refused() -> None:
    with pytest.raises(TextError):
        pattern_figures("a\ud83d", "llama3")


def test_thai_clusters_are_healed_by_marks(thai_corpus: str) -> None:
    text = thai_corpus[:200_000]
    broken, healed = (pattern_figures(text, name).thai_clusters_cut or 0.0 for name in ("llama3", "mark_aware"))
    assert broken > 0.2
    assert healed < 0.0001
