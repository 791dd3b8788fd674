"""Compiled code cuts exactly as `regex` does, by every named pattern, and counts what it cuts."""

import random
import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.helpers.app import mostly_long
from tests.helpers.hostile import HOSTILE_PIECES, hostile_texts
from tests.helpers.training import called_from_python
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, Trainer, count_pretokens, train
from tokenizer_core.errors import TextError, TrainingError
from tokenizer_core.kernels import (
    count_loop,
    cut_loop,
    encode_loop,
    longest_loop,
    match_loop,
    merge_loop,
    text_loop,
)
from tokenizer_core.kernels.compiled import stamp_of
from tokenizer_core.kernels.cut_loop import CODE_POINTS, character_kinds
from tokenizer_core.patterns import pretokens
from tokenizer_core.patterns.cutter import WORTH, Cutter, is_compiled
from tokenizer_core.patterns.pretokens import (
    NumberedPretokens,
    PretokenCounts,
    counted_pretokens,
    number_pretokens,
)
from tokenizer_core.patterns.safe_places import parts_of
from tokenizer_core.patterns.split_patterns import compile_pattern
from tokenizer_core.workers.compiling import load_all

SURROGATES = range(0xD800, 0xE000)
EVERY_CHARACTER = [chr(point) for point in range(CODE_POINTS) if point not in SURROGATES]
WHERE_CHARACTERS_DIFFER = [*EVERY_CHARACTER[:0x3F800], *map(chr, range(0xE0000, 0xE1000)), "\U0010ffff"]
"""All planes that hold more than one kind of character: the first four, and the tags and variation selectors."""
EDGES = [
    *"aAbBsStTdDlLvVrReEmMkK'ſKǅʰกำ่\u0301\u0e47\n\r \t\x0b\x1c\x85\u2028\u00a0\u3000/!.-😀\u20e3٣9𝟘½ⅷ漢",
    *(" ", "  ", "\n", "\r\n", "'ll", "'LL", "'ſ", "'s", "'RE", "'ve", "'Ve", "//", "\n/", "123", "1234567"),
    *("\U000e0100", "\u200b", "\u200d", "\ue000", "\U0010ffff", "\u0378", "İ", "Σ", "ς", "ﬆ", "ΑΒก", "ABcD"),
]
"""Where one branch of a pattern gives way to another."""


def cut(texts: Sequence[str], pattern: str) -> list[str]:
    """The pretokens of all texts, cut by compiled code."""
    numbered = number_pretokens(texts, pattern)
    distinct = numbered.distinct.strings()
    return [distinct[place] for place in numbered.places]


def lengths_cut(text: str, pattern: str) -> NDArray[np.int64]:
    """The characters of each pretoken, cut by compiled code."""
    numbered = number_pretokens(text, pattern)
    return np.array([len(pretoken) for pretoken in numbered.distinct.strings()])[numbered.places]


def lengths_cut_by_regex(text: str, pattern: str) -> NDArray[np.int64]:
    return np.fromiter(map(len, compile_pattern(pattern).findall(text)), dtype=np.int64)


def cut_by_regex(texts: Sequence[str], pattern: str) -> list[str]:
    compiled = compile_pattern(pattern)
    return [pretoken for text in texts for pretoken in compiled.findall(text)]


def twin(pattern: str) -> str:
    """The same pattern as one of one's own that is not compiled, so that `regex` cuts."""
    return f"(?#plain)(?:{SPLIT_PATTERNS[pattern]})"


# The same cuts


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
def test_twenty_thousand_seeded_texts_are_cut_as_regex_cuts_them(pattern: str) -> None:
    pieces = [*EDGES, *EDGES, *HOSTILE_PIECES]
    seeded = random.Random(pattern)
    for _ in range(20):
        texts = ["".join(seeded.choices(pieces, k=seeded.randint(0, 12))) for _ in range(1_000)]
        assert cut(texts, pattern) == cut_by_regex(texts, pattern)


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
def test_texts_of_many_words_are_cut_as_regex_cuts_them(pattern: str) -> None:
    """Blocks of 64 bytes are cut at once; few kinds of pieces in a text make long stretches of each."""
    pieces = [
        *" \n\t'/.,!-_aX1éก\u00a0\x0b\x7fſ",
        "  ",
        "   ",
        "\n\n",
        "\n \n",
        ".\n",
        "\r\n",
        "'s",
        "'LL",
        "//",
        "the",
        "aB",
        "22",
        "6789",
        *("่", "ั", "ๆ", "๑", "฿", "น้ำ", "ที่", "ดื่ม", "กB", "้a", "ก่ ", "เด็ก"),
    ]
    seeded = random.Random(pattern)
    for _ in range(1_500):
        few = [*seeded.sample(pieces, k=seeded.choice([2, 3, 5, 9, len(pieces)])), " ", "ab"]
        texts = ["".join(seeded.choices(few, k=seeded.randint(60, 160)))]
        assert cut(texts, pattern) == cut_by_regex(texts, pattern)


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
@given(texts=st.lists(st.one_of(hostile_texts, st.lists(st.sampled_from(EDGES)).map("".join)), max_size=4))
@example(texts=[])
@example(texts=["", "'", "' ", " ", "\n ", ""])
@example(texts=["a\r\n \n  b", "a \u3000b", "\u3000\u3000b", "  '"])
def test_any_texts_are_cut_as_regex_cuts_them(pattern: str, texts: list[str]) -> None:
    assert cut(texts, pattern) == cut_by_regex(texts, pattern)


def test_every_character_has_the_kind_that_regex_gives_it() -> None:
    text = "".join(EVERY_CHARACTER)
    found = np.delete(character_kinds(), SURROGATES)
    classes = {
        r"[\p{Lu}\p{Lt}]": cut_loop.UPPER,
        r"\p{Ll}": cut_loop.LOWER,
        r"[\p{Lm}\p{Lo}]": cut_loop.CASELESS,
        r"\p{L}": cut_loop.LETTER,
        r"\p{M}": cut_loop.MARK,
        r"\p{N}": cut_loop.DIGIT,
        r"[\r\n]": cut_loop.LINE_END,
        r"\s": cut_loop.BLANK,
        r"[^\s\p{L}\p{M}\p{N}]": cut_loop.OTHER,
    }
    for source, kind in classes.items():
        matched = np.zeros(len(text), dtype=np.bool_)
        for run in compile_pattern(f"{source}+").finditer(text):
            matched[run.start() : run.end()] = True
        assert np.array_equal(matched, found & kind != 0), source


@pytest.mark.parametrize("pattern", mostly_long(sorted({*SPLIT_PATTERNS} - {"none"}), "mark_aware", "gpt2"))
def test_every_character_is_cut_as_regex_cuts_it_wherever_it_stands(pattern: str) -> None:
    text = "".join(f"a{c}b {c}\n{c}' {c}1" for c in WHERE_CHARACTERS_DIFFER)
    assert np.array_equal(lengths_cut(text, pattern), lengths_cut_by_regex(text, pattern))


@pytest.mark.parametrize("loop", [cut_loop.letters_at, cut_loop.small_letters_at])
def test_letters_are_counted_up_to_the_first_other_byte(loop: Any) -> None:
    letters = string.ascii_lowercase if loop is cut_loop.small_letters_at else string.ascii_letters
    count = numba.njit(lambda text, i: loop(text, i))
    for byte in range(256):
        for place in range(17):
            text = np.frombuffer(b"." + b"q" * place + bytes([byte]) + b"x" * 16, dtype=np.uint8)
            expected = place if chr(byte) not in letters else 16
            assert count(text, 1) == min(expected, 16)


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k"])
def test_every_character_after_an_apostrophe_is_part_of_a_contraction_or_not(pattern: str) -> None:
    text = "".join(f"'{c}e'l{c}" for c in WHERE_CHARACTERS_DIFFER)
    assert np.array_equal(lengths_cut(text, pattern), lengths_cut_by_regex(text, pattern))


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
@pytest.mark.parametrize("run", [" ", "\n", "a", "A", "กA", "'s", "1", "\u0301", "!\n/", "\u3000"])
def test_long_runs_take_linear_time_and_are_cut_alike(pattern: str, run: str) -> None:
    texts = [run * 20_000, f"{run * 5_000}x"]
    assert cut(texts, pattern) == cut_by_regex(texts, pattern)


# The same counts


def test_pretokens_of_zeros_are_told_apart_by_their_lengths() -> None:
    texts = ["\0" * length for length in [*range(1, 30), *range(1, 30)]]
    counted = counted_pretokens(texts, "none")
    assert counted.strings() == texts[:29]
    assert counted.counts.tolist() == [2] * 29


def test_more_pretokens_than_there_was_room_for_are_counted() -> None:
    seeded = random.Random(1)
    words = ["".join(seeded.choices("abกข", k=seeded.randint(1, 9))) for _ in range(20_000)]
    expected = {word: words.count(word) for word in dict.fromkeys(words[:200])}
    counts = count_pretokens(words, "mark_aware")
    assert list(counts) == list(dict.fromkeys(words))
    assert {word: counts[word] for word in expected} == expected


def test_texts_in_several_batches_are_counted_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{n % 7} and {n}" for n in range(300)]
    at_once = number_pretokens(texts, "cl100k")
    monkeypatch.setattr(pretokens, "AT_ONCE", 20)
    assert _listed(number_pretokens(texts, "cl100k")) == _listed(at_once)


def test_no_more_texts_are_held_than_make_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a corpus larger than the memory can be counted."""
    monkeypatch.setattr(pretokens, "AT_ONCE", 20)
    held: list[int] = []
    add = Cutter.add

    def note(cutter: Cutter, texts: Sequence[bytes]) -> None:
        held.append(len(texts))
        add(cutter, texts)

    monkeypatch.setattr(Cutter, "add", note)
    assert counted_pretokens(("a cat " for _ in range(10)), "gpt2").counts.tolist() == [10, 10, 10]
    assert held == [4, 4, 2]


def _listed(numbered: NumberedPretokens) -> list[list[int]]:
    return [array.tolist() for array in (*numbered.distinct, *numbered[1:])]


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
def test_no_pretoken_spans_the_place_where_a_text_is_parted(pattern: str) -> None:
    seeded = random.Random(pattern)
    neighbours = [*EDGES, *HOSTILE_PIECES, "\n", "\n", "\n", "/", "/\n", "'"]
    parted = 0
    for _ in range(1_000):
        text = "".join(seeded.choices(neighbours, k=12))
        parts = [part.decode() for part in parts_of(text.encode(), pattern, size=1)]
        parted += len(parts) > 1
        assert "".join(parts) == text
        assert cut_by_regex(parts, pattern) == cut_by_regex([text], pattern)
    assert parted > 100 or pattern == "none"


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
def test_no_pretoken_spans_the_place_where_a_text_is_parted_beside_white_space(pattern: str) -> None:
    for c in filter(str.isspace, EVERY_CHARACTER):
        for text in (f"a{c}\nb", f"a\n{c}b", f"a{c}\n{c}b", f"! {c}1", f"ก{c} {c}ก"):
            parts = [part.decode() for part in parts_of(text.encode(), pattern, size=1)]
            assert cut_by_regex(parts, pattern) == cut_by_regex([text], pattern)


@pytest.mark.parametrize("threads", [2, 3, 9])
@pytest.mark.parametrize("pattern", [*SPLIT_PATTERNS, "[a-z]+", r"\w+|\s+|[^\w\s]+"])
def test_several_threads_count_what_one_counts(
    pattern: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded = random.Random(threads)
    monkeypatch.setattr(pretokens, "AT_ONCE", 50)
    for size in (0, 1, 2, 40):
        texts = ["".join(seeded.choices([*EDGES, "\n", "word", "ที่นี่"], k=60)) for _ in range(size)]
        alone, together = (counted_pretokens(texts, pattern, threads=n) for n in (1, threads))
        assert [array.tolist() for array in together] == [array.tolist() for array in alone]


@settings(max_examples=40)
@given(st.lists(hostile_texts, max_size=4), st.sampled_from([*SPLIT_PATTERNS]))
def test_compiled_code_and_regex_give_the_same_numbers_ids_and_merges(texts: list[str], pattern: str) -> None:
    assert not is_compiled(twin(pattern))
    compiled, plain = number_pretokens(texts, pattern), number_pretokens(texts, twin(pattern))
    assert _listed(compiled) == _listed(plain)
    assert list(count_pretokens(texts, pattern).items()) == list(count_pretokens(texts, twin(pattern)).items())
    tokenizer = train(texts, 270, pattern=pattern)
    own = train(texts, 270, pattern=twin(pattern))
    assert tokenizer.merges == own.merges
    ids, counts = tokenizer.encode_each(texts)
    assert (ids.tolist(), counts.tolist()) == tuple(array.tolist() for array in own.encode_each(texts))
    assert tokenizer.count_tokens(texts) == own.count_tokens(texts) == len(own.encode_each(texts).ids)


def test_a_trainer_takes_counted_arrays_as_well_as_strings() -> None:
    texts = ["the cat sat on the mat", "ที่นี่ที่นั่น"]
    from_arrays = Trainer(counted_pretokens(texts, "mark_aware"), 300).step(44)
    assert from_arrays == Trainer(count_pretokens(texts, "mark_aware"), 300).step(44)


@pytest.mark.parametrize("count", [0, -1, 2**62])
def test_a_count_out_of_range_in_arrays_is_refused_with_its_pretoken(count: int) -> None:
    counted = PretokenCounts.of({"ab": 1, "ก": 2})
    counted.counts[1] = count
    with pytest.raises(TrainingError) as caught:
        Trainer(counted, 300)
    assert caught.value.values == {"pretoken": "ก", "count": count}


def test_arrays_that_do_not_fit_together_are_refused() -> None:
    text, ends, counts = PretokenCounts.of({"ab": 1, "ก": 2})
    for broken in [(text, ends[:1], counts), (text[:3], ends, counts), (text, ends[::-1], counts)]:
        with pytest.raises(ValueError, match="pretokens"):
            Trainer(PretokenCounts(*broken), 300)


def test_special_tokens_stand_between_what_is_encoded_together() -> None:
    tokenizer = Tokenizer([(97, 97)], pattern="mark_aware", special_tokens=["<|end|>", "<|pad|>"])
    text = "<|end|>aa<|pad|><|end|>aa b<|end|>"
    assert tokenizer.encode(text, allowed_special="all") == [257, 256, 258, 257, 256, 32, 98, 257]
    assert tokenizer.decode(tokenizer.encode(text, allowed_special="all")) == text


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
def test_a_lone_surrogate_is_refused_before_anything_is_cut(pattern: str) -> None:
    for work in (counted_pretokens, number_pretokens, train):
        with pytest.raises(TextError) as caught:
            work(["fine", "ab\udc00"], *([300] if work is train else [pattern]))
        assert caught.value.values == {"position": 2, "surrogate": "U+DC00"}


@given(st.binary(min_size=17, max_size=40), st.integers(0, 9), st.integers(0, 39))
def test_only_the_same_bytes_are_the_same(content: bytes, before: int, change: int) -> None:
    """Hashes that meet are rare, so what tells such pretokens apart is asked directly."""
    known = np.frombuffer(b"." * before + content + b"more", dtype=np.uint8)
    place = 8 + change % (len(content) - 16)
    for changed in (content, bytes([*content[:place], content[place] ^ 64, *content[place + 1 :]])):
        text = np.frombuffer(changed, dtype=np.uint8)
        found = called_from_python(count_loop.same_middle)(known, before + len(content), text, 0, text.size)
        assert found == (changed == content)


@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 15, 16, 17, 24, 25, 33])
def test_pretokens_that_differ_in_one_byte_are_counted_apart(length: int) -> None:
    """One is at the end of all texts, where no eight bytes can be read at once."""
    same = "x" * length
    others = [same[:place] + sign + same[place + 1 :] for place in range(length) for sign in "yz\0"]
    counted = counted_pretokens([same, *others, *others, same], "none")
    assert counted.strings() == [same, *others]
    assert counted.counts.tolist() == [2] * len(counted.counts)


@pytest.mark.parametrize("size", [1, 7, 8, 9])
def test_a_word_is_read_only_where_the_text_has_so_many_bytes(size: int) -> None:
    text = np.frombuffer(b"abcdefghi"[:size], dtype=np.uint8)
    for start in range(size):
        word = text[start : start + 8].tobytes()
        assert called_from_python(count_loop.first_word)(text, start, start + len(word)) == int.from_bytes(
            word, "little"
        )


def test_after_the_warm_up_nothing_is_compiled(thai_corpus: str) -> None:
    load_all()
    counted_pretokens("a b " * (WORTH // 4), r"[a-z]+|\s")
    for pattern in [*SPLIT_PATTERNS, "[a-z]+", "(?<=a)b"]:
        tokenizer = train([thai_corpus[:2_000], "a cat"], 300, pattern=pattern)
        tokenizer.encode(thai_corpus[:3_000])
        tokenizer.count_tokens(["", "a" * 1_000])
    for entrance in (
        count_loop.number_pretokens,
        encode_loop.encode_pretokens,
        encode_loop.in_order,
        longest_loop.encode_pretokens,
        match_loop.cut,
        merge_loop.lay_out,
        merge_loop.merge_best,
        text_loop.encode_texts,
    ):
        assert len(entrance.signatures) == 1


def test_a_change_in_any_file_of_loops_compiles_all_anew(tmp_path: Path) -> None:
    """A loop holds what it calls in other files, but numba looks only at its own."""
    stamps = {each._cache._cache_file._source_stamp for each in (count_loop.add_counts, merge_loop.merge_best)}
    assert stamps == {stamp_of(Path(str(count_loop.__file__)).parent)}
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("1")
    before = stamp_of.__wrapped__(tmp_path)
    (tmp_path / "b.py").write_text("2")
    assert stamp_of.__wrapped__(tmp_path) != before
