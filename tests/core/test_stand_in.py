"""Until the loops are compiled, plain Python does their work exactly, and hands over at any moment."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tests.helpers.training import corpora, patterns
from tokenizer_core import Trainer, count_pretokens, train
from tokenizer_core.bpe import tokenizer as tokenizers
from tokenizer_core.bpe.tokenizer import encode_until_ready
from tokenizer_core.bpe.vocabulary import recover_merges
from tokenizer_core.errors import TrainingError
from tokenizer_core.kernels.compiled import are_ready, stand_in, take_over
from tokenizer_core.patterns.pretokens import count_pretokens as counted_by_loops
from tokenizer_core.patterns.pretokens import number_pretokens
from tokenizer_core.workers.compiling import load_all

LOOP = """
from tokenizer_core.kernels.compiled import compiled


@compiled
def successor(number):
    return number + 1
"""


@pytest.fixture(autouse=True)
def ready_again() -> Iterator[None]:
    yield
    take_over(load_all)


@given(corpora, patterns, st.integers(1, 3), st.integers(0, 40), st.lists(st.integers(0, 9), max_size=4))
@example("aaaa aaa aa" * 3, "none", 1, 3, [0, 2])
@example("a" * 400 + "ab" * 30, "none", 1, 100, [])
def test_training_moves_into_the_loops_after_any_merge(
    text: str, pattern: str, min_count: int, plain_merges: int, asked_for: list[int]
) -> None:
    counts = count_pretokens(text, pattern)
    fast = Trainer(counts, 300, min_count)
    stand_in()
    plain = Trainer(counts, 300, min_count)
    for choice in asked_for:  # what if another pair had won?
        assert plain.candidates() == fast.candidates()
        if candidates := fast.candidates():
            pair = candidates[choice % len(candidates)][:2]
            assert plain.join(*pair) == fast.join(*pair)
    for trainer in (plain, fast):
        with pytest.raises(TrainingError) as caught:
            trainer.join(301, 301)
        assert caught.value.code == "pair_not_found"
    assert plain.step(plain_merges) == fast.step(plain_merges)
    assert (plain.candidates(3), plain.ties) == (fast.candidates(3), fast.ties)
    take_over(load_all)
    assert (plain.step(300), plain.token_counts) == (fast.step(300), fast.token_counts)
    assert (plain.token_count, plain.done) == (fast.token_count, fast.done)


def test_counts_that_floating_point_numbers_cannot_hold_go_to_the_loops() -> None:
    stand_in()
    merges = Trainer({"aab": 2**53 + 1, "ab": 2**53 + 1}, 258).step(2)
    assert [merge.count for merge in merges] == [2**54 + 2, 2**53 + 1]


@given(st.lists(hostile_texts, max_size=4), patterns, st.integers(0, 9))
def test_encoding_moves_into_the_loops_after_any_pretoken(texts: list[str], pattern: str, plain: int) -> None:
    tokenizer = train(["".join(texts), "the cat กำลังเรียน"], 300, pattern=pattern)
    expected = tokenizer.encode_each(texts)

    def until_ready(content: Any, ends: Any, ranks: Any) -> Any:
        encoded = encode_until_ready(content, ends[:plain], ranks)
        take_over(load_all)
        return encoded

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenizers, "encode_until_ready", until_ready)
        stand_in()
        encoded = tokenizer.encode_each(texts)
    assert encoded.ids.tolist() == expected.ids.tolist()
    assert encoded.counts.tolist() == expected.counts.tolist()
    stand_in()
    assert tokenizer.count_tokens(texts) == expected.ids.size
    numbered = number_pretokens(texts, pattern)
    assert numbered.distinct.strings() == list(counted_by_loops(texts, pattern))


def test_a_pretoken_too_long_for_plain_python_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = train("ab" * 50, 300, pattern="none")
    text = "ab" * tokenizers._LONG
    expected = tokenizer.encode(text)
    stand_in()
    monkeypatch.setattr(tokenizers, "wait_until_ready", lambda: take_over(load_all))
    assert tokenizer.encode(text) == expected
    assert are_ready()


def test_ranks_tell_the_same_merges() -> None:
    vocabulary = train("the cat กำลังเรียน the catalogue", 300).vocabulary
    expected = recover_merges(vocabulary)
    stand_in()
    found = recover_merges(vocabulary)
    assert np.array_equal(found.pairs, expected.pairs)
    assert found.without_pair == expected.without_pair


def test_a_thread_that_must_not_compile_loads_what_the_cache_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "loop_of_a_test.py"
    file.write_text(LOOP, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    loop = importlib.import_module(file.stem)
    stand_in()
    assert not take_over(lambda: loop.successor(1), compiles=False)
    assert not are_ready()
    assert take_over(lambda: loop.successor(1))  # writes the cache
    stand_in()
    loop = importlib.reload(loop)
    assert take_over(lambda: loop.successor(1), compiles=False)
    assert are_ready()
    assert not loop.successor.nopython_signatures or loop.successor.stats.cache_hits
