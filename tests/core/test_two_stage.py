"""Training in two stages: whole letters first, and in the end an ordinary tokenizer."""

from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tokenizer_core import Tokenizer, Trainer, count_pretokens, train
from tokenizer_core.errors import TrainingError
from tokenizer_core.measures.cuts import cuts
from tokenizer_core.segments import TextMap, token_lengths
from tokenizer_core.two_stage import cluster_merges, train_in_two_stages


@given(hostile_texts, st.integers(0, 40), st.sampled_from(["mark_aware", "llama3", "none", "."]))
def test_encoding_gives_the_tokens_of_training(text: str, first: int, pattern: str) -> None:
    text *= 3
    tokenizer = train_in_two_stages(text, 256 + 60, first_merges=first, pattern=pattern)
    trainer = Trainer(count_pretokens(text, pattern), 256 + 60)
    for pair in tokenizer.merges:
        trainer.join(*pair)
    assert len(tokenizer.encode(text)) == trainer.token_count
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(hostile_texts)
def test_the_first_merges_stay_inside_clusters(text: str) -> None:
    clusters = {match.encode() for match in regex.findall(r"\X", text)}
    for token in Tokenizer(cluster_merges(text, 50)).vocabulary[256:]:
        assert any(token in cluster for cluster in clusters)


def test_the_first_stage_learns_the_256_merges_that_were_measured(thai_corpus: str) -> None:
    part = thai_corpus[:40_000]
    assert len(cluster_merges(part)) == 256
    whole = train_in_two_stages(part, 1_000).merges
    assert whole == train_in_two_stages(part, 1_000, first_merges=256).merges
    assert whole != train_in_two_stages(part, 1_000, first_merges=257).merges


def test_without_a_first_stage_it_is_ordinary_training() -> None:
    text = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ the cat sat on the mat " * 5
    assert train_in_two_stages(text, 330, first_merges=0).merges == train(text, 330).merges


def test_a_pair_that_the_pattern_always_cuts_apart_ends_the_first_stage() -> None:
    text = "ที่นี่ " * 9
    tokenizer = train_in_two_stages(text, 300, pattern=r"\p{L}|\p{M}| ")
    assert tokenizer.merges
    assert all(len(token.decode()) <= 1 for token in tokenizer.vocabulary[256:] if token.decode(errors="ignore"))


def test_the_result_is_saved_and_loaded_as_any_other(tmp_path: Path) -> None:
    tokenizer = train_in_two_stages("ที่นี่ น้ำใจ " * 20, 320)
    tokenizer.save(tmp_path / "two")
    loaded = Tokenizer.load(tmp_path / "two.model")
    assert (loaded.merges, loaded.pattern) == (tokenizer.merges, "mark_aware")
    assert loaded.encode("ที่นี่") == tokenizer.encode("ที่นี่")


def test_a_pair_that_occurs_once_is_learned_unless_one_asks_for_more() -> None:
    assert train_in_two_stages("ab", 257, pattern="none").merges == [(97, 98)]
    assert train_in_two_stages("ab", 257, pattern="none", min_count=2).merges == []


def test_a_vocabulary_below_the_bytes_is_refused() -> None:
    with pytest.raises(TrainingError):
        train_in_two_stages("a", 12)


def test_cuts_inside_letters_fall_at_the_same_number_of_tokens(thai_corpus: str) -> None:
    lines = thai_corpus.split("\n")
    learned = "\n".join(line for number, line in enumerate(lines, 1) if number % 5)
    measured = "\n".join(lines[4::5])
    text_map = TextMap(measured)

    def measure(tokenizer: Tokenizer) -> tuple[int, float]:
        found = cuts(text_map, token_lengths(tokenizer.encode(measured), tokenizer))
        return found.tokens, found.inside_clusters / found.boundaries

    tokens, inside = measure(train(learned, 8_192))
    tokens_in_stages, inside_in_stages = measure(train_in_two_stages(learned, 8_192))
    assert 0.03 < inside < 0.05
    assert inside_in_stages < 0.015
    assert tokens_in_stages < 1.01 * tokens
