"""Fast training gives the merges of the definition, and its counts, however it is driven."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tests.helpers.training import corpora, patterns, train_in_two_stages
from tokenizer_core import Merge, Tokenizer, Trainer, count_pretokens, pretokenize, train
from tokenizer_core.analysis.cuts import cuts
from tokenizer_core.bpe.reference import Pair, get_stats, merge, train_by_definition
from tokenizer_core.bpe.segments import TextMap, token_lengths
from tokenizer_core.bpe.trainer import cluster_merges
from tokenizer_core.bpe.vocabulary import build_vocabulary
from tokenizer_core.errors import TextError, TokenizerError, TrainingError
from tokenizer_core.kernels.encode_loop import MAX_ENTRIES

# From the notebook published with the article on Thai tokenizers: 512 entries learned from this corpus.
ARTICLE_THAI = "เมื่อสังคมมีวิวัฒนาการขึ้นในดินแดนต่าง"
ARTICLE_THAI_IDS = [
    *(369, 322, 262, 277, 332, 284, 269, 269, 503, 428, 323, 146, 260, 314, 287, 297, 484, 260, 306, 280, 360),
    *(282, 280, 260, 276, 354),
]
ARTICLE_ENGLISH = "When society evolved in different lands"
ARTICLE_ENGLISH_IDS = [
    *(87, 104, 468, 32, 115, 111, 99, 105, 101, 116, 121, 32, 101, 118, 111, 108, 118, 101, 100, 32, 473, 32),
    *(100, 105, 102, 102, 413, 468, 116, 32, 108, 511, 100, 115),
]


def as_pairs(merges: Sequence[Merge]) -> list[tuple[Pair, int]]:
    return [((merge.left, merge.right), merge.count) for merge in merges]


def trainer_for(text: str, vocab_size: int, pattern: str = "none", min_count: int = 1) -> Trainer:
    return Trainer(count_pretokens(text, pattern), vocab_size, min_count)


def count_by_definition(text: str, pattern: str, merges: Sequence[tuple[Pair, int]]) -> int:
    """Tokens of the corpus once the merges have been applied in order."""
    pretokens = [list(pretoken.encode()) for pretoken in pretokenize(text, pattern)]
    for token_id, (pair, _) in enumerate(merges, 256):
        pretokens = [merge(ids, pair, token_id) for ids in pretokens]
    return sum(map(len, pretokens))


# The definition itself


def test_the_definition_learns_the_classic_example() -> None:
    assert train_by_definition("aaabdaaabac", 259, "none") == [((97, 97), 4), ((256, 97), 2), ((257, 98), 2)]


def test_overlapping_pairs_are_counted_and_replaced_left_to_right() -> None:
    assert get_stats([1, 1, 1]) == {(1, 1): 2}
    assert merge([1, 1, 1], (1, 1), 9) == [9, 1]


@given(st.lists(st.integers(0, 3), max_size=20), st.tuples(st.integers(0, 3), st.integers(0, 3)))
def test_a_merge_undone_gives_the_ids_back(ids: list[int], pair: Pair) -> None:
    merged = merge(ids, pair, 9)
    assert [part for token_id in merged for part in (pair if token_id == 9 else (token_id,))] == ids


# Fast training equals it


@settings(max_examples=400)
@given(corpora, patterns, st.integers(256, 300))
@example("", "none", 300)
@example("a", "none", 300)
@example("aaaaa", "none", 300)
@example("abababab", "none", 300)
@example("ab ba ab ba", "mark_aware", 300)
@example("aabaabaa" * 4, "none", 300)
@example("a" * 1_100 + "ab" * 600, "none", 262)  # more places than are read at once
def test_fast_training_agrees_with_the_definition(text: str, pattern: str, vocab_size: int) -> None:
    trainer = trainer_for(text, vocab_size, pattern)
    learned = as_pairs(trainer.step(vocab_size))
    assert learned == train_by_definition(text, vocab_size, pattern)
    assert trainer.token_count == count_by_definition(text, pattern, learned)
    assert trainer.done


@settings(max_examples=150)
@given(corpora, patterns, st.lists(st.integers(0, 7), min_size=1, max_size=40))
def test_steps_of_any_size_give_the_same_merges_and_token_counts(
    text: str, pattern: str, steps: list[int]
) -> None:
    at_once = as_pairs(trainer_for(text, 290, pattern).step(1000))
    trainer = trainer_for(text, 290, pattern)
    learned: list[tuple[Pair, int]] = []
    for n in steps:
        learned += as_pairs(trainer.step(n))
        assert len(learned) == trainer.merge_count
        assert trainer.token_count == count_by_definition(text, pattern, learned)
    assert learned == at_once[: sum(steps)]
    assert trainer.done == (len(learned) == len(at_once))


@settings(max_examples=150)
@given(corpora, patterns, st.integers(1, 5))
def test_a_minimum_count_ends_training_before_the_first_rarer_merge(
    text: str, pattern: str, min_count: int
) -> None:
    everything = train_by_definition(text, 290, pattern)
    common = [count >= min_count for _, count in everything]
    kept = common.index(False) if False in common else len(common)
    trainer = trainer_for(text, 290, pattern, min_count)
    assert as_pairs(trainer.step(1000)) == everything[:kept]
    assert trainer.done


@given(st.dictionaries(st.text(alphabet="abก", min_size=1, max_size=6), st.integers(1, 2**55), max_size=6))
def test_large_counts_weigh_as_that_many_copies(counts: dict[str, int]) -> None:
    trainer = Trainer(counts, 270)
    assert trainer.token_count == sum(len(pretoken.encode()) * count for pretoken, count in counts.items())
    halved = Trainer({pretoken: min(count, 3) for pretoken, count in counts.items()}, 270)
    copies = "|".join(pretoken for pretoken, count in counts.items() for _ in range(min(count, 3)))
    assert as_pairs(halved.step(14)) == train_by_definition(copies, 270, r"[^|]+|\|")
    left = trainer.token_count
    for learned in trainer.step(14):
        assert 1 <= learned.count <= left


@given(st.dictionaries(st.text(alphabet="abก", min_size=1, max_size=6), st.integers(1, 9), max_size=6))
def test_counts_above_31_bits_weigh_as_small_ones_do(counts: dict[str, int]) -> None:
    """Of these some fit in a row of the loop, and some do not."""
    small, large = Trainer(counts, 270), Trainer({pretoken: n * 2**29 for pretoken, n in counts.items()}, 270)
    assert [(*merge[:3], merge.count * 2**29) for merge in small.step(14)] == large.step(14)
    assert small.token_count * 2**29 == large.token_count


@given(st.lists(corpora, max_size=4), patterns)
def test_several_texts_share_no_pair(texts: list[str], pattern: str) -> None:
    trained = train(texts, 280, pattern=pattern)
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(pretokenize(text, pattern))
    assert trained.merges == [(learned.left, learned.right) for learned in Trainer(counts, 280).step(24)]


@given(corpora, patterns)
def test_counts_never_rise_and_ids_count_up(text: str, pattern: str) -> None:
    learned = trainer_for(text, 300, pattern).step(44)
    assert [merge.token_id for merge in learned] == list(range(256, 256 + len(learned)))
    assert all(later.count <= merge.count for merge, later in zip(learned, learned[1:]))


# The Thai corpus


def test_the_published_ids_of_the_article_come_out(thai_corpus: str) -> None:
    tokenizer = train(thai_corpus, 512, pattern="llama3")
    assert tokenizer.encode(ARTICLE_THAI) == ARTICLE_THAI_IDS
    assert tokenizer.encode(ARTICLE_ENGLISH) == ARTICLE_ENGLISH_IDS


@pytest.mark.parametrize("characters", [4_000, pytest.param(20_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("pattern", ["llama3", "mark_aware", "none"])
def test_fast_training_agrees_with_the_definition_on_thai_text(
    thai_corpus: str, pattern: str, characters: int
) -> None:
    part = thai_corpus[:characters]
    assert as_pairs(trainer_for(part, 512, pattern).step(256)) == train_by_definition(part, 512, pattern)


def test_a_long_training_leaves_one_token_per_distinct_word(thai_corpus: str) -> None:
    counts = count_pretokens(thai_corpus[:100_000], "mark_aware")
    trainer = Trainer(counts, MAX_ENTRIES)
    trainer.step(MAX_ENTRIES)
    assert trainer.done
    assert trainer.out_of_pairs
    assert trainer.token_count == counts.total()


# The end of training


def test_running_out_of_pairs_ends_training_without_an_error() -> None:
    trainer = trainer_for("aaaa", 10_000)
    assert as_pairs(trainer.step(10_000)) == [((97, 97), 3), ((256, 256), 1)]
    assert (trainer.done, trainer.out_of_pairs, trainer.token_count) == (True, True, 1)
    assert trainer.step(5) == []


def test_a_full_vocabulary_ends_training_with_pairs_left() -> None:
    trainer = trainer_for("abcd", 257)
    assert len(trainer.step(5)) == 1
    assert (trainer.done, trainer.out_of_pairs) == (True, False)


@pytest.mark.parametrize("text", ["", "a", "\0"], ids=["empty", "letter", "nul"])
def test_a_text_without_a_pair_learns_nothing(text: str) -> None:
    trainer = trainer_for(text, 1000)
    assert (trainer.done, trainer.out_of_pairs, trainer.step(3), trainer.token_count) == (
        True,
        True,
        [],
        len(text),
    )
    assert train(text, 1000).vocab_size == 256


def test_a_vocabulary_of_bytes_alone_is_full_at_once() -> None:
    trainer = trainer_for("abab", 256)
    assert (trainer.done, trainer.step(), trainer.token_count) == (True, [], 4)


@pytest.mark.parametrize("n", [0, -3])
def test_no_steps_learn_nothing(n: int) -> None:
    trainer = trainer_for("abab", 300)
    assert trainer.step(n) == []
    assert trainer.merge_count == 0


# Refused


@pytest.mark.parametrize("size", [255, 0, -1])
def test_a_vocabulary_smaller_than_the_bytes_is_refused(size: int) -> None:
    with pytest.raises(TrainingError) as caught:
        train("text", size)
    assert (caught.value.code, caught.value.values) == ("vocab_size_low", {"size": size})
    with pytest.raises(TrainingError):
        Trainer({}, size)


def test_more_entries_than_a_tokenizer_can_have_are_refused_before_training() -> None:
    with pytest.raises(TrainingError) as caught:
        train("text", MAX_ENTRIES + 1)
    assert (caught.value.code, caught.value.values["entries"]) == ("vocabulary_too_many", MAX_ENTRIES + 1)
    with pytest.raises(TokenizerError, match="at most 2,097,152 entries, got 2,097,153"):
        build_vocabulary([(97, 97)] * (MAX_ENTRIES - 255))


def test_an_empty_pretoken_changes_nothing() -> None:
    assert Trainer({"": 9, "abab": 2, "a": 1}, 300).step(9) == Trainer({"abab": 2, "a": 1}, 300).step(9)


def test_a_minimum_count_below_one_is_refused() -> None:
    with pytest.raises(TrainingError) as caught:
        Trainer({"ab": 1}, 300, 0)
    assert caught.value.code == "min_count_low"


@pytest.mark.parametrize("count", [0, -1, 2**62])
def test_a_count_out_of_range_is_refused_with_its_pretoken(count: int) -> None:
    with pytest.raises(TrainingError) as caught:
        Trainer({"ab": 1, "cd": count}, 300)
    assert caught.value.values == {"pretoken": "cd", "count": count}


def test_a_count_in_range_may_still_be_too_much_in_all() -> None:
    """The sum is a floating-point number, which rounds the largest count up."""
    most = 2**62 - 1
    assert Trainer({"a": most - 1_000}, 300).token_count == most - 1_000
    for counts in ({"a": most}, {"a": 2**61, "bc": 2**61}):
        with pytest.raises(TrainingError) as caught:
            Trainer(counts, 300)
        assert (caught.value.code, caught.value.values) == ("pretokens_total", {"limit": most})


def test_lone_surrogates_are_refused_even_where_two_pretokens_would_join_to_a_pair() -> None:
    with pytest.raises(TextError):
        Trainer(dict.fromkeys(["\ud83d", "\ude00"], 1), 300)
    with pytest.raises(TextError):
        train("\ud83d", 300)


# What comes next


@given(corpora, patterns, st.integers(1, 12))
def test_candidates_are_the_pairs_of_the_definition_best_first(text: str, pattern: str, most: int) -> None:
    trainer = trainer_for(text, 300, pattern)
    pretokens = [list(pretoken.encode()) for pretoken in pretokenize(text, pattern)]
    while True:
        counts: dict[Pair, int] = {}
        for ids in pretokens:
            get_stats(ids, counts)
        best = sorted(counts.items(), key=lambda item: -item[1])  # equals stay in order of first appearance
        found = trainer.candidates(most)
        assert [((each.left, each.right), each.count) for each in found] == best[:most]
        assert trainer.ties == sum(count == best[0][1] for _, count in best[1:]) if best else trainer.ties == 0
        merges = trainer.step()
        if not merges:
            return
        assert (merges[0].left, merges[0].right, merges[0].count) == found[0]
        pair = (merges[0].left, merges[0].right)
        pretokens = [merge(ids, pair, merges[0].token_id) for ids in pretokens]


@pytest.mark.parametrize("most", [1, 2, 10, 100])
def test_a_few_of_many_candidates_are_the_first_of_all(thai_corpus: str, most: int) -> None:
    trainer = trainer_for(thai_corpus[:20_000], 300, "mark_aware")
    for _ in range(5):
        every = trainer.candidates(10**6)
        assert len(every) > 200
        assert trainer.candidates(most) == every[:most]
        trainer.step(9)


@pytest.mark.parametrize("text", ["", "a", "abab"])
def test_who_asks_for_no_candidates_gets_none(text: str) -> None:
    assert trainer_for(text, 300).candidates(0) == []


@given(corpora, patterns, st.integers(1, 12), st.integers(2, 5))
def test_a_pair_too_rare_to_win_is_no_candidate(text: str, pattern: str, most: int, least: int) -> None:
    counts = count_pretokens([text], pattern)
    all_pairs, trainer = Trainer(counts, 300), Trainer(counts, 300, min_count=least)
    while True:
        able = [each for each in all_pairs.candidates(10**6) if each.count >= least]
        assert trainer.candidates(most) == able[:most]
        assert trainer.ties == sum(each.count == able[0].count for each in able[1:]) if able else trainer.ties == 0
        merges = trainer.step()
        if not merges:
            assert not able or trainer.done
            return
        all_pairs.step()


@given(text=hostile_texts, pattern=st.sampled_from(["none", "mark_aware"]), data=st.data())
def test_a_merge_that_is_asked_for_goes_on_as_the_definition_would(
    text: str, pattern: str, data: st.DataObject
) -> None:
    """Any pair may be merged next; after it the most frequent pair of what stands then wins again."""
    pretokens = [list(pretoken.encode("utf-8")) for pretoken in pretokenize(text, pattern)]
    trainer = trainer_for(text, 300, pattern)
    for token_id in range(256, 262):
        counts: dict[Pair, int] = {}
        for ids in pretokens:
            get_stats(ids, counts)
        if not counts:
            assert trainer.done
            break
        asked = data.draw(st.booleans())
        best = max(counts, key=lambda pair: counts[pair])
        pair = data.draw(st.sampled_from(sorted(counts))) if asked else best
        learned = trainer.join(*pair) if asked else trainer.step(1)[0]
        pretokens = [merge(ids, pair, token_id) for ids in pretokens]
        assert learned == Merge(*pair, token_id, counts[pair])
        assert trainer.token_counts == [trainer.token_count] == [sum(map(len, pretokens))]


def test_a_pair_that_does_not_stand_in_the_corpus_cannot_be_asked_for() -> None:
    trainer = trainer_for("abab", 258)
    trainer.join(97, 98)
    for pair in [(97, 98), (1, 2)]:  # merged already; never there
        with pytest.raises(TrainingError) as refusal:
            trainer.join(*pair)
        assert refusal.value.code == "pair_not_found"
    trainer.step(1)
    with pytest.raises(TrainingError):
        trainer.join(256, 256)


@given(text=hostile_texts, n=st.integers(1, 40))
def test_each_merge_of_a_step_says_how_many_tokens_are_left(text: str, n: int) -> None:
    trainer, one_by_one = trainer_for(text, 296), trainer_for(text, 296)
    merges = trainer.step(n)
    expected = [one_by_one.token_count for _ in merges if one_by_one.step(1)]
    assert trainer.token_counts == expected


# Two stages


@given(hostile_texts, st.integers(0, 40), st.sampled_from(["mark_aware", "llama3", "none", "."]))
def test_encoding_gives_the_tokens_of_training_in_two_stages(text: str, first: int, pattern: str) -> None:
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


def test_a_tokenizer_of_two_stages_is_saved_and_loaded_as_any_other(tmp_path: Path) -> None:
    tokenizer = train_in_two_stages("ที่นี่ น้ำใจ " * 20, 320)
    tokenizer.save(tmp_path / "two")
    loaded = Tokenizer.load(tmp_path / "two.model")
    assert (loaded.merges, loaded.pattern) == (tokenizer.merges, "mark_aware")
    assert loaded.encode("ที่นี่") == tokenizer.encode("ที่นี่")


def test_a_pair_that_occurs_once_is_learned_unless_one_asks_for_more() -> None:
    assert train_in_two_stages("ab", 257, pattern="none").merges == [(97, 98)]
    assert train_in_two_stages("ab", 257, pattern="none", min_count=2).merges == []


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
