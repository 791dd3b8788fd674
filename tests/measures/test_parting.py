"""Where two vocabularies part and meet again: against the definition by sets, and on true trainings."""

from hypothesis import given
from hypothesis import strategies as st

from tokenizer_core import Trainer, count_pretokens
from tokenizer_core.measures.parting import parting
from tokenizer_core.tokenizer import Tokenizer

tokens = st.lists(st.sampled_from([b"ab", b"ba", b"abc", b"cab", b"bb", b"aa"]), max_size=12)


@given(tokens, tokens)
def test_parting_is_the_difference_of_sets(first: list[bytes], second: list[bytes]) -> None:
    found = parting(first, second)
    sizes = range(min(len(first), len(second)) + 1)
    assert found.apart.tolist() == [len(set(first[:k]) ^ set(second[:k])) for k in sizes]
    end = len(sizes) - 1
    assert set(found.only_first) == set(first[:end]) - set(second[:end])
    assert set(found.only_second) == set(second[:end]) - set(first[:end])


@given(tokens, tokens)
def test_partings_and_meetings_alternate(first: list[bytes], second: list[bytes]) -> None:
    found = parting(first, second)
    assert found.parts == [k for k in range(1, len(found.apart)) if found.apart[k] and not found.apart[k - 1]]
    assert found.meets == [k for k in range(1, len(found.apart)) if found.apart[k - 1] and not found.apart[k]]
    assert len(found.parts) - len(found.meets) in (0, 1)


def test_a_vocabulary_never_parts_from_itself() -> None:
    assert parting([b"ab", b"abc"], [b"ab", b"abc", b"x"]).parts == []


def test_after_a_tie_the_other_pair_comes_next_and_the_vocabularies_meet() -> None:
    """ "ab" and "cd" are tied: whichever comes first, the other follows."""
    counts = count_pretokens("ab cd ab cd abcd abcd", "none")
    usual = Trainer(counts, 300)
    first, second = usual.candidates(2)
    assert first.count == second.count
    other = Trainer(counts, 300)
    merges = [usual.step(40), [other.join(second.left, second.right), *other.step(39)]]
    learned = [Tokenizer([(m.left, m.right) for m in each], pattern="none").vocabulary[256:] for each in merges]
    found = parting(*learned)
    assert found.parts[0] == 1
    assert found.meets[0] == 2
