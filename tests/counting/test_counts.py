"""Counts of chunks add up to those of one pass, in any order, and train the same merges."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tokenizer_core import SPLIT_PATTERNS, Trainer, train
from tokenizer_core.counting.counts import Counts
from tokenizer_core.counting.parts import MAX_CHUNKS, PartCounts
from tokenizer_core.errors import CountsError
from tokenizer_core.pretokens import PretokenCounts, parts_of

WORDS = ["the", "cat", "sat", "ที่นี่", "น้ำ", "a1", "...", "\n", "/", "🙂"]


def listed(counts: Counts) -> tuple[list[str], list[int], list[int]]:
    """Everything that training looks at."""
    text, ends, times = counts.pretokens
    return counts.pretokens.strings() if text.size else [], ends.tolist(), times.tolist()


def text_of_lines(seed: int, lines: int = 60) -> str:
    seeded = random.Random(seed)
    return "\n".join(" ".join(seeded.choices(WORDS, k=6)) for _ in range(lines))


@pytest.mark.parametrize("pattern", SPLIT_PATTERNS)
@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(0, 200), st.randoms(use_true_random=False))
def test_chunks_count_what_one_pass_counts_in_any_order(
    pattern: str, seed: int, size: int, order: random.Random
) -> None:
    text = text_of_lines(seed, 30)
    whole = Counts.of(text, pattern)
    chunks = [Counts.of(part.decode(), pattern, texts_read=0) for part in parts_of(text.encode(), pattern, size)]
    in_order = chunks[0]
    for chunk in chunks[1:]:
        in_order = Counts.merged(in_order, chunk)
    assert listed(in_order) == listed(whole)
    parts = [PartCounts.of(chunk, number) for number, chunk in enumerate(chunks)]
    order.shuffle(parts)
    while len(parts) > 1:  # a tree of any shape
        count = order.randint(2, 3)
        parts = [*parts[count:], PartCounts.merged(*parts[:count])]
    found = parts[0].in_order()
    assert listed(found) == listed(whole)
    assert (found.recipe.bytes_read, found.recipe.pretokens) == (len(text.encode()), whole.recipe.pretokens)
    assert found.sha256 == in_order.sha256 == whole.sha256


@settings(max_examples=30)
@given(st.lists(hostile_texts, min_size=1, max_size=5), st.sampled_from([*SPLIT_PATTERNS, "[a-z]+"]))
def test_merged_counts_of_texts_train_the_merges_of_the_texts(texts: list[str], pattern: str) -> None:
    counts = Counts.of(texts[:1], pattern)
    for text in texts[1:]:
        counts = Counts.merged(counts, Counts.of([text], pattern))
    learned = [(merge.left, merge.right) for merge in Trainer(counts.pretokens, 280).step(24)]
    assert learned == train(texts, 280, pattern=pattern).merges
    assert counts.recipe.texts == len(texts)


def test_rare_pretokens_are_dropped_and_the_recipe_says_what_is_missing() -> None:
    counts = Counts.of("a a a bb bb c", "gpt2")
    kept = counts.without_rare(2)
    assert listed(kept) == ([" a", " bb"], [2, 5], [2, 2])
    recipe = kept.recipe
    assert (recipe.pretokens, recipe.dropped, recipe.dropped_bytes, recipe.short_by) == (6, 2, 3, 1)
    both = Counts.merged(kept, kept).recipe
    assert (both.dropped, both.short_by) == (4, 2)
    assert counts.without_rare(1) is counts


@pytest.mark.parametrize("seed", range(5))
def test_no_count_is_short_by_more_than_the_recipe_says(seed: int) -> None:
    chunks = [Counts.of(part.decode(), "gpt2") for part in parts_of(text_of_lines(seed).encode(), "gpt2", 40)]
    whole, short = chunks[0], chunks[0].without_rare(2)
    for chunk in chunks[1:]:
        whole, short = Counts.merged(whole, chunk), Counts.merged(short, chunk.without_rare(2)).without_rare(3)
    found = dict(zip(short.pretokens.strings(), short.pretokens.counts.tolist()))
    pairs = zip(whole.pretokens.strings(), whole.pretokens.counts.tolist())
    missing = [count - found.get(word, 0) for word, count in pairs]
    assert 0 < max(missing) <= short.recipe.short_by
    assert min(missing) >= 0
    assert sum(missing) == short.recipe.dropped
    assert short.recipe.pretokens == whole.recipe.pretokens


def test_counts_that_do_not_belong_together_are_not_added_up() -> None:
    counts = Counts.of("a", "gpt2")
    for other in (Counts.of("a", "cl100k"), Counts.of("a", "gpt2", boundaries="line")):
        with pytest.raises(CountsError) as caught:
            Counts.merged(counts, other)
        assert caught.value.code == "counts_differ"
        with pytest.raises(CountsError):
            PartCounts.merged(PartCounts.of(counts, 0), PartCounts.of(other, 1))


def test_sums_that_do_not_fit_are_refused() -> None:
    huge = Counts.counted(PretokenCounts.of({"a": 2**61}), "gpt2")
    with pytest.raises(CountsError) as caught:
        Counts.merged(huge, huge)
    assert caught.value.code == "counts_total"


@pytest.mark.parametrize("chunk", [-1, MAX_CHUNKS])
def test_a_chunk_has_a_number_in_range(chunk: int) -> None:
    with pytest.raises(ValueError, match="chunk"):
        PartCounts.of(Counts.of("a", "gpt2"), chunk)


def test_first_places_of_late_chunks_stay_in_order() -> None:
    numbers = [0, 1, 2**20, MAX_CHUNKS - 1]
    parts = [PartCounts.of(Counts.of(f"{n} x", "none"), n) for n in numbers]
    firsts = PartCounts.merged(*parts[::-1]).in_order().pretokens.strings()
    assert firsts == [f"{n} x" for n in numbers]
    assert all(int(a.firsts[0]) < int(b.firsts[0]) for a, b in pairwise(parts))
