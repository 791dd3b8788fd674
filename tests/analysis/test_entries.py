"""The entries of vocabularies: their scripts, how two differ, and where two that learn diverge."""

from collections.abc import Sequence

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.tokenizers import Fake
from tests.helpers.trained import byte_level
from tokenizer_core import Trainer, count_pretokens
from tokenizer_core.analysis.entries import (
    SCRIPTS,
    Entries,
    difference,
    divergence,
    entries_of,
    most_changed,
    scripts_of,
    thai_entries,
    vocab_size_with_special,
    vocabulary_hash,
)
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.vocabulary import unknown_id
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.interop.opening import open_tokenizer


def script_of(token: bytes) -> str:
    """The twin: one token at a time, by regular expressions over its whole text."""
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        return "broken"
    thai = bool(regex.search(r"\p{Thai}", text))
    latin = bool(regex.search(r"(?V1)[[\p{L}\p{M}]&&\p{Latin}]", text))
    others = bool(regex.search(r"(?V1)[[\p{L}\p{M}]--[\p{Thai}\p{Latin}\p{Common}\p{Inherited}]]", text))
    digits = bool(regex.search(r"(?V1)[\p{N}--\p{Thai}]", text))
    if thai + latin + others > 1 or (thai + latin + others and digits):
        return "mixed"
    signs = bool(regex.search(r"(?V1)[[\p{P}\p{S}]--\p{Thai}]", text))
    white = bool(regex.search(r"\s", text))
    kinds = {
        "thai": thai,
        "latin": latin,
        "other_letters": others,
        "digits": digits,
        "signs": signs,
        "white": white,
    }
    return next((name for name, is_there in kinds.items() if is_there), "other")


CASES = {
    "thai": ["การ", "๒๕๖๗", "ฯลฯ", "่", "ๆ"],
    "latin": ["the", " don't", "é", "(the", "e\u0301"],
    "other_letters": ["日本", " привет", "한국어", "नमस्ते"],
    "digits": ["2567", " 1", "½", "२०"],
    "signs": ["...", " =>", "👍", "฿", "+"],
    "white": [" ", "\n\n", "\t", "\u00a0"],
    "mixed": ["utf8", "qq群", "ไทยa", "ไทย1"],
    "other": ["\x00", "\u200b", "\u0301", ""],
}


@pytest.mark.parametrize(("script", "texts"), CASES.items(), ids=CASES)
def test_the_letters_of_a_token_decide_its_script(script: str, texts: list[str]) -> None:
    tokens = [text.encode() for text in texts]
    assert [SCRIPTS[code] for code in scripts_of(tokens)] == [script] * len(texts)
    assert [script_of(token) for token in tokens] == [script] * len(texts)


@given(st.lists(st.one_of(st.text(max_size=4).map(str.encode), st.binary(max_size=5)), max_size=12))
def test_many_tokens_at_once_have_the_scripts_that_each_has_alone(tokens: list[bytes]) -> None:
    assert [SCRIPTS[code] for code in scripts_of(tokens)] == [script_of(token) for token in tokens]


@pytest.mark.parametrize(("name", "count"), list(zip(OPENAI_NAMES, (0, 58, 1545), strict=True)))
def test_the_references_have_as_many_thai_entries_as_are_counted_elsewhere(name: str, count: int) -> None:
    tokenizer = openai_tokenizer(name)
    entries = entries_of(tokenizer)
    assert entries.count("thai") == thai_entries(tokenizer) == count
    assert entries.count("special") == len(tokenizer.special_tokens)
    assert len(entries.tokens) == tokenizer.vocab_size + len(tokenizer.special_tokens)
    assert sum(entries.count(script) for script in SCRIPTS) == len(entries.ids)


def test_thai_entries_leave_out_parts_of_letters() -> None:
    # E0+B8, then +81 for ก; the baht sign ฿ is of no script
    tokenizer = Tokenizer([(0xE0, 0xB8), (256, 0x81), (256, 0xBF)], pattern="none")
    assert thai_entries(tokenizer) == 1


class Gaps(Fake):
    """A tokenizer with an id that no token has, which writes its tokens in its own way."""

    vocab_size = 3

    def token_bytes(self, token_id: int) -> bytes:
        raise NotImplementedError

    def token_text(self, token_id: int) -> str:
        if token_id == 1:
            raise unknown_id(token_id, self.name, 3)
        return f"▁ไทย{'ก' * token_id}"


def test_ids_that_no_token_has_are_left_out_and_tokens_are_listed_as_they_are_written() -> None:
    entries = entries_of(Gaps())
    assert entries.ids.tolist() == [0, 2]
    assert entries.tokens == ["▁ไทย".encode(), "▁ไทยกก".encode()]


def test_special_tokens_are_entries_wherever_their_ids_are() -> None:
    entries = entries_of(Tokenizer([(97, 98)], special_tokens={"<|a|>": 1000, "<|b|>": 300}))
    assert entries.ids[-3:].tolist() == [256, 300, 1000]
    assert entries.tokens[-3:] == [b"ab", b"<|b|>", b"<|a|>"]


@pytest.mark.parametrize(
    ("special", "size"), [({}, 257), ({"<|a|>": 257}, 258), ({"<|a|>": 1000, "<|b|>": 300}, 259)], ids=str
)
def test_special_tokens_count_once_wherever_their_ids_are(special: dict[str, int], size: int) -> None:
    assert vocab_size_with_special(Tokenizer([(97, 98)], special_tokens=special)) == size
    file = FileTokenizer([(97, 98)], range(257), pattern="none", special_tokens=special)
    assert vocab_size_with_special(file) == size


@pytest.mark.parametrize(("name", "size"), [("gpt2", 50_257), ("cl100k_base", 100_261)])
def test_the_sizes_of_references_count_their_special_tokens(name: str, size: int) -> None:
    assert vocab_size_with_special(openai_tokenizer(name)) == size


def test_tokens_that_were_added_to_a_vocabulary_are_entries_of_it() -> None:
    tokenizer = open_tokenizer("a.json", byte_level(added=("  ", "cat"))).tokenizer
    entries = entries_of(tokenizer)
    assert {b"  ", b"cat"} <= set(entries.tokens)
    assert len(entries.tokens) == vocab_size_with_special(tokenizer)


def test_vocabularies_are_the_same_if_all_ids_and_bytes_are() -> None:
    def hashed(merges: list[tuple[int, int]], ids: Sequence[int] | None = None) -> bytes:
        size = 256 + len(merges)
        return vocabulary_hash(FileTokenizer(merges, range(size) if ids is None else ids, pattern="none"))

    one = hashed([(97, 98), (256, 99)])
    assert one == vocabulary_hash(Tokenizer([(97, 98), (256, 99)])) == hashed([(97, 98), (256, 99)])
    others = [
        *(hashed([(97, 98)]), hashed([(97, 98), (256, 100)]), hashed([(97, 98), (256, 99)], range(1, 259))),
        *(hashed([(97, 98), (99, 97)]), hashed([(97, 98), (256, 99)], [*range(256), 257, 256])),
    ]
    assert len({one, *others}) == 6


# ---- divergence


tokens = st.lists(st.sampled_from([b"ab", b"ba", b"abc", b"cab", b"bb", b"aa"]), max_size=12)


@given(tokens, tokens)
def test_divergence_is_the_difference_of_sets(first: list[bytes], second: list[bytes]) -> None:
    found = divergence(first, second)
    sizes = range(min(len(first), len(second)) + 1)
    assert found.differing.tolist() == [len(set(first[:k]) ^ set(second[:k])) for k in sizes]
    equal = [size == 0 for size in found.differing.tolist()]
    assert found.splits == [k for k in sizes[1:] if equal[k - 1] and not equal[k]]
    assert found.meets == [k for k in sizes[1:] if equal[k] and not equal[k - 1]]
    end = len(sizes) - 1
    assert set(found.only_first) == set(first[:end]) - set(second[:end])
    assert set(found.only_second) == set(second[:end]) - set(first[:end])


def test_a_vocabulary_never_differs_from_itself() -> None:
    assert divergence([b"ab", b"abc"], [b"ab", b"abc", b"x"]).splits == []


def test_after_a_tie_the_other_pair_comes_next_and_the_vocabularies_meet() -> None:
    """ "ab" and "cd" are tied: whichever comes first, the other follows."""
    counts = count_pretokens("ab cd ab cd abcd abcd", "none")
    usual = Trainer(counts, 300)
    first, second = usual.candidates(2)
    assert first.count == second.count
    other = Trainer(counts, 300)
    merges = [usual.step(40), [other.join(second.left, second.right), *other.step(39)]]
    learned = [Tokenizer([(m.left, m.right) for m in each], pattern="none").vocabulary[256:] for each in merges]
    found = divergence(*learned)
    assert found.splits[0] == 1
    assert found.meets[0] == 2


# ---- two vocabularies


@st.composite
def vocabularies(draw: st.DrawFn) -> Entries:
    """Tokens with ids in any order; two may spell the same, and a special one may spell what another does."""
    spelled = draw(st.lists(st.sampled_from([b"a", b"ab", "ก".encode(), b"\xe0", b" ", b"1"]), max_size=9))
    ids = sorted(draw(st.sets(st.integers(0, 40), min_size=len(spelled), max_size=len(spelled))))
    scripts = scripts_of(spelled)
    scripts[draw(st.lists(st.integers(0, 8), max_size=2).map(lambda at: [n for n in at if n < len(spelled)]))] = (
        SCRIPTS.index("special")
    )
    return Entries(np.array(ids, dtype=np.int64), spelled, scripts)


def first_ids(entries: Entries) -> dict[bytes, int]:
    """The lowest id of each token, special ones left out."""
    rows = zip(entries.tokens, entries.ids.tolist(), entries.scripts.tolist())
    ordinary = [(token, token_id) for token, token_id, code in rows if SCRIPTS[code] != "special"]
    return dict(reversed(ordinary))


@given(vocabularies(), vocabularies())
def test_the_difference_is_that_of_sets_and_keeps_ids_and_scripts(first: Entries, second: Entries) -> None:
    found, (before, after) = difference(first, second), map(first_ids, (first, second))
    assert dict(zip(found.gained.tokens, found.gained.ids.tolist())) == {
        token: token_id for token, token_id in after.items() if token not in before
    }
    assert dict(zip(found.lost.tokens, found.lost.ids.tolist())) == {
        token: token_id for token, token_id in before.items() if token not in after
    }
    pairs = {token: (before[token], after[token]) for token in before.keys() & after.keys()}
    assert dict(zip(found.before.tokens, zip(found.before.ids.tolist(), found.after.tolist()))) == pairs
    assert found.renumbered.tolist() == [pairs[token][0] != pairs[token][1] for token in found.before.tokens]
    for entries in (found.gained, found.lost, found.before):
        assert entries.scripts.tolist() == scripts_of(entries.tokens).tolist()
        assert entries.ids.tolist() == sorted(entries.ids.tolist())
    swapped = difference(second, first)
    assert (swapped.gained.tokens, swapped.lost.tokens) == (found.lost.tokens, found.gained.tokens)


SMALL = Tokenizer([], pattern="none")
PAIRED = Tokenizer([(97, 98), (256, 256), (0xE0, 0xB8)], pattern="none")


def test_twenty_changed_texts_are_listed_and_of_equal_ones_the_first() -> None:
    found = most_changed(["c", *["ab"] * 25], SMALL, PAIRED)
    assert [each.place for each in found] == list(range(1, 21))


@given(st.lists(st.text(alphabet="abกข", max_size=6), max_size=8), st.integers(0, 9))
def test_the_texts_that_changed_most_come_first(texts: list[str], most: int) -> None:
    changes = [(len(SMALL.encode(text)), len(PAIRED.encode(text))) for text in texts]
    found = most_changed(texts, SMALL, PAIRED, most=most)
    assert [(each.before, each.after) for each in found] == [changes[each.place] for each in found]
    assert len({each.place for each in found}) == len(found) == min(most, sum(b != a for b, a in changes))
    order = [(abs(each.after - each.before), -max(each.before, each.after)) for each in found]
    assert order == sorted(order, reverse=True)
    left = [abs(a - b) for place, (b, a) in enumerate(changes) if place not in {each.place for each in found}]
    assert max(left, default=0) <= (order[-1][0] if order and len(found) == most else 0) or most == 0
