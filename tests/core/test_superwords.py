"""Tokens that cross pretokens are learned and made as their definition says, and travel only where they fit."""

from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES
from tests.helpers.training import corpora, patterns
from tokenizer_core import Tokenizer, Trainer, count_pretokens, pretokenize, train
from tokenizer_core.bpe import trainer
from tokenizer_core.bpe.reference import Pair, merge, train_superwords_by_definition
from tokenizer_core.errors import TokenizerError
from tokenizer_core.interop.exports import LOADED_BY, export
from tokenizer_core.interop.verifying import reload
from tokenizer_core.kernels.compiled import stand_in, take_over
from tokenizer_core.patterns.cutter import is_compiled
from tokenizer_core.patterns.split_patterns import SUPERWORDS

lines = st.lists(corpora, max_size=4).map("\n".join)
SAMPLE = [line for pair in zip(THAI_LINES[:60], ENGLISH_LINES[:60], strict=True) for line in pair]


@pytest.fixture(autouse=True)
def ready_again() -> Iterator[None]:
    yield
    take_over(lambda: None)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few merges, too, are made by encoding here; the tests of the worker make them one by one."""
    monkeypatch.setattr(trainer, "MOST_REPLAYED", 0)


def learned(text: str, size: int, pattern: str, start: int, *, is_ready: bool) -> list[tuple[Pair, int]]:
    """The merges of both stages; the second begins before the loops are ready, or after."""
    first = Trainer(count_pretokens(text, pattern), min(start, size)).step(size)
    if not is_ready:
        stand_in()
    second = Trainer(count_pretokens(text, SUPERWORDS), size, merges=[(m.left, m.right) for m in first])
    few = second.step(3)
    take_over(lambda: None)
    return [((m.left, m.right), m.count) for m in (*first, *few, *second.step(size))]


def check_definition(text: str, pattern: str, size: int, start: int, is_ready: bool) -> None:
    expected = train_superwords_by_definition(text, size, pattern, start)
    assert learned(text, size, pattern, start, is_ready=is_ready) == expected


drawn = given(lines, patterns, st.integers(256, 300), st.integers(256, 300), st.booleans())


@settings(max_examples=40)
@drawn
@example("so so so", "mark_aware", 300, 257, False)
@example("ab cab cab cab", "[ab]+", 300, 300, False)
@example("xab ab aab aab xx", "ab|x", 300, 256, True)
def test_both_stages_learn_the_merges_of_the_definition(
    text: str, pattern: str, size: int, start: int, is_ready: bool
) -> None:
    check_definition(text, pattern, size, start, is_ready)


@pytest.mark.long
@settings(max_examples=2_000)
@drawn
def test_both_stages_learn_the_merges_of_the_definition_on_many_corpora(
    text: str, pattern: str, size: int, start: int, is_ready: bool
) -> None:
    check_definition(text, pattern, size, start, is_ready)


@given(lines, st.lists(st.integers(1, 2**40), min_size=1), st.integers(256, 290), st.integers(1, 3))
@example("aa aa\naab", [2**31, 2**40], 259, 1)
def test_merges_made_at_once_leave_what_merges_made_one_by_one_leave(
    text: str, counts: list[int], start: int, min_count: int
) -> None:
    """Counts of more than 31 bits, too; the pairs, their order and the tokens are the same from there on."""
    counted = {line: counts[n % len(counts)] for n, line in enumerate(count_pretokens(text, SUPERWORDS))}
    one_by_one = Trainer(counted, 300, min_count)
    first = [(m.left, m.right) for m in one_by_one.step(start - 256)]
    encoded = Trainer(counted, 300, min_count, merges=first)
    assert (encoded.token_count, encoded.merge_count) == (one_by_one.token_count, one_by_one.merge_count)
    for _ in range(5):
        assert (encoded.candidates(20), encoded.ties) == (one_by_one.candidates(20), one_by_one.ties)
        if chosen := encoded.candidates(3):
            pair = chosen[-1][:2]
            if not encoded.done:
                assert encoded.join(*pair) == one_by_one.join(*pair)
    assert encoded.step(300) == one_by_one.step(300)
    assert encoded.token_counts == one_by_one.token_counts


@given(lines, hostile_texts, patterns, st.integers(256, 300))
def test_encoding_makes_the_merges_in_order_and_loses_no_byte(
    corpus: str, text: str, pattern: str, start: int
) -> None:
    tokenizer = train([corpus], 300, pattern=pattern, superwords_from=start)
    for each in (corpus, text):
        pieces = [list(piece.encode()) for piece in pretokenize(each, SUPERWORDS)]
        for token_id, pair in enumerate(tokenizer.merges, 256):
            pieces = [merge(ids, pair, token_id) for ids in pieces]
        assert tokenizer.encode(each) == [token_id for ids in pieces for token_id in ids]
        assert tokenizer.decode_bytes(tokenizer.encode(each)) == each.encode()


def test_a_first_merge_without_a_place_in_whole_lines_keeps_its_id() -> None:
    """Inside pretokens "b" meets "c" twice; in whole lines "a" takes each "b" before."""
    text, pattern = "ab ab ab abc abc", "a(?=bc)|bc|ab| "
    tokenizer = train(text, 260, pattern=pattern, superwords_from=258)
    assert tokenizer.merges == [pair for pair, _ in train_superwords_by_definition(text, 260, pattern, 258)]
    assert tokenizer.vocabulary[256:] == [b"ab", b"bc", b" ab", b" ab ab"]
    assert tokenizer.encode("bc") == [257]
    assert 257 not in tokenizer.encode(text)


def test_the_first_stage_is_plain_and_the_second_crosses_spaces_and_never_lines_or_digits() -> None:
    text = "by the way 123 456\n" * 9
    tokenizer = train(text, 290, superwords_from=262)
    assert tokenizer.merges[:6] == train(text, 262).merges
    tokens = [tokenizer.token_bytes(token_id).decode() for token_id in tokenizer.encode(text)]
    assert tokens[:6] == ["by the way ", "123", " ", "456", "\n", "by the way "]


def test_all_before_the_end_is_plain_and_a_size_without_bytes_is_refused() -> None:
    assert train("so so so", 258, superwords_from=300).merges == train("so so so", 258).merges
    with pytest.raises(TokenizerError) as caught:
        train("so so so", 258, superwords_from=255)
    assert caught.value.code == "vocab_size_low"


def test_whole_lines_are_cut_by_compiled_code() -> None:
    assert is_compiled(SUPERWORDS)


@pytest.mark.parametrize("to", [to for to in LOADED_BY if to != "gpt2"])
def test_exports_that_hold_them_give_the_same_ids(to: str) -> None:
    tokenizer = train(SAMPLE, 700, superwords_from=500)
    library = reload(to, export(tokenizer, to).files, tokenizer.pattern, {})
    for text in (*THAI_LINES[60:90], *ENGLISH_LINES[60:90], "\n".join(SAMPLE[:20]), "a  b\r\n\n 1234567 x"):
        assert library.encode(text) == tokenizer.encode(text)


def test_files_whose_loader_cuts_at_spaces_are_refused() -> None:
    with pytest.raises(TokenizerError, match="cut at spaces") as caught:
        export(train(SAMPLE, 300, superwords_from=280), "gpt2")
    assert caught.value.code == "export_superwords"


def test_the_model_file_holds_all_of_it() -> None:
    tokenizer = train(SAMPLE, 500, superwords_from=400, special_tokens=["<|end|>"])
    opened = Tokenizer.from_model(tokenizer.model_text().encode())
    assert (opened.pattern, opened.merges) == (SUPERWORDS, tokenizer.merges)
    assert opened.special_tokens == {"<|end|>": 500}
    assert opened.encode("\n".join(SAMPLE)) == tokenizer.encode("\n".join(SAMPLE))
