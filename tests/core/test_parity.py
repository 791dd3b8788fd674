"""Parity-aware training gives the merges of its definition, and serves whoever pays most."""

from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.helpers.training import corpora, patterns
from tokenizer_core import Merge, Trainer, count_pretokens
from tokenizer_core.bpe.parity_trainer import Group, ParityTrainer
from tokenizer_core.bpe.reference import Pair, train_with_parity_by_definition
from tokenizer_core.errors import TrainingError
from tokenizer_core.kernels.compiled import stand_in, take_over

Served = tuple[int | None, Pair, int]
texts = st.lists(st.tuples(corpora, corpora, st.integers(1, 60)), min_size=1, max_size=3)


@pytest.fixture(autouse=True)
def ready_again() -> Iterator[None]:
    yield
    take_over(lambda: None)


def trainer_of(
    groups: list[tuple[str, str, int]], pattern: str, size: int, *, together: int = 0, min_count: int = 1
) -> ParityTrainer:
    found = [
        Group(count_pretokens(text, pattern), unit, count_pretokens(measured, pattern))
        for text, measured, unit in groups
    ]
    return ParityTrainer(found, size, min_count, global_merges=together)


def all_served(trainer: ParityTrainer, at_once: int = 7) -> Iterator[Served]:
    while merges := trainer.step(at_once):
        for group, merge in zip(trainer.served, merges, strict=True):
            yield group, (merge.left, merge.right), merge.count


drawn = given(texts, patterns, st.integers(256, 300), st.integers(0, 12), st.booleans())


@settings(max_examples=50)
@drawn
@example([("aaaa", "", 1), ("bb", "", 1)], "none", 300, 0, True)
@example([("ab" * 9, "ab", 1), ("", "cccc", 1)], "none", 300, 1, True)
def test_merges_and_whom_they_serve_are_those_of_the_definition(
    groups: list[tuple[str, str, int]], pattern: str, size: int, together: int, is_ready: bool
) -> None:
    check_definition(groups, pattern, size, together, is_ready)


@pytest.mark.long
@settings(max_examples=2_000)
@drawn
def test_merges_and_whom_they_serve_are_those_of_the_definition_on_many_corpora(
    groups: list[tuple[str, str, int]], pattern: str, size: int, together: int, is_ready: bool
) -> None:
    check_definition(groups, pattern, size, together, is_ready)


def check_definition(
    groups: list[tuple[str, str, int]], pattern: str, size: int, together: int, is_ready: bool
) -> None:
    given_texts, measured, units = (list(each) for each in zip(*groups))
    wanted = train_with_parity_by_definition(given_texts, measured, units, size, pattern, together)
    if not is_ready:
        stand_in()
    trainer = trainer_of(groups, pattern, size, together=together)
    first = [*all_served_of(trainer, 5)]
    take_over(lambda: None)
    assert first + list(all_served(trainer)) == wanted
    assert trainer.done


def all_served_of(trainer: ParityTrainer, merges: int) -> list[Served]:
    learned = trainer.step(merges)
    return [(group, (m.left, m.right), m.count) for group, m in zip(trainer.served, learned, strict=True)]


@given(corpora, patterns, st.integers(1, 3))
def test_one_group_learns_the_merges_of_plain_training(text: str, pattern: str, min_count: int) -> None:
    counts = count_pretokens(text, pattern)
    plain = Trainer(counts, 300, min_count).step(300)
    assert ParityTrainer([Group(counts, 1)], 300, min_count).step(300) == plain
    assert ParityTrainer([Group(counts, 1)], 300, min_count, global_merges=300).step(300) == plain


@given(texts, patterns)
def test_all_together_learn_the_merges_of_plain_training(groups: list[tuple[str, str, int]], pattern: str) -> None:
    plain = Trainer(count_pretokens([text for text, *_ in groups], pattern), 300).step(300)
    assert trainer_of(groups, pattern, 300, together=300).step(300) == plain


def test_counts_of_tokens_are_those_of_the_texts() -> None:
    trainer = trainer_of([("ab ab ab", "ab ab", 5), ("xyz xyz", "xyz", 3)], "mark_aware", 300)
    merges = trainer.step(100)
    assert len(trainer.token_counts) == len(trainer.measured_counts) == len(merges)
    assert trainer.token_counts[-1] == trainer.token_count == 5
    assert trainer.measured_counts[-1] == trainer.measured_count == [2, 1]


def test_another_pair_can_win_and_the_turns_go_on() -> None:
    trainer = trainer_of([("abab", "abab", 4), ("cdcd", "cdcdcdcd", 4)], "none", 300)
    assert trainer.next_served() == 1
    assert [tuple(each) for each in trainer.candidates()] == [(99, 100, 2), (100, 99, 1)]
    assert trainer.join(98, 97) == Merge(98, 97, 256, 1)
    assert trainer.step(1) == [Merge(99, 100, 257, 2)]
    with pytest.raises(TrainingError) as caught:
        trainer.join(97, 99)
    assert caught.value.code == "pair_not_found"


def test_large_measures_are_compared_exactly() -> None:
    huge = {"ab": 2**50}
    trainer = ParityTrainer([Group(huge, 2**51 + 1), Group({"cd": 1}, 2)], 257)
    assert trainer.step(1) == [Merge(99, 100, 256, 1)]  # 2**51 / (2**51 + 1) is less than 1


@pytest.mark.parametrize("groups", [[], [Group({"a": 1}, 0)]])
def test_groups_that_cannot_be_measured_are_refused(groups: list[Group]) -> None:
    with pytest.raises(TrainingError) as caught:
        ParityTrainer(groups, 300)
    assert caught.value.code == "groups_empty"
