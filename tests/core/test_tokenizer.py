"""A tokenizer encodes as the definition does, decodes exactly, and takes the longest texts."""

import errno
import mmap
import pickle
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.helpers.hostile import hostile_texts
from tests.helpers.paths import REPOSITORY
from tokenizer_core import SPLIT_PATTERNS, Tokenizer, TokenizerError, pretokenize, train
from tokenizer_core.bpe.reference import Pair, merge
from tokenizer_core.bpe.tokenizer import MEMORIES_KEPT, encode_pretoken
from tokenizer_core.bpe.vocabulary import build_vocabulary
from tokenizer_core.errors import PatternError, TextError, TokenIdError, TrainingError
from tokenizer_core.kernels import encode_loop, longest_loop, text_loop
from tokenizer_core.kernels.encode_loop import NO_RANK, SHORT
from tokenizer_core.patterns.cutter import Cutter

CORPUS = (
    "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน ดื่มน้ำเยอะๆ นะคะ เมื่อสังคมมีวิวัฒนาการ 2567 ปี\n"
    "The cat sat on the mat, don't you know? It's 12345 o'clock.\r\n\r\n   aaaaaaaaaa aaaa aa abababab\n"
    "😀😀👨‍👩‍👧 👍🏽 <|endoftext|>\t\t naïve café\n"
) * 3
PATTERNS = [*SPLIT_PATTERNS, "[a-z]+"]
SAMPLES = REPOSITORY / "sample_data"

long_pretokens = st.tuples(
    st.text(alphabet="ab", min_size=1, max_size=8), st.integers(SHORT // 2, SHORT), st.text(max_size=3)
).map(lambda parts: parts[0] * parts[1] + parts[2])
texts = st.one_of(hostile_texts, long_pretokens, st.text(alphabet="aาที่น้ำ", max_size=150))


@cache
def trained(pattern: str, vocab_size: int = 400) -> Tokenizer:
    return train(CORPUS, vocab_size, pattern=pattern)


@st.composite
def merge_tables(draw: DrawFn) -> list[Pair]:
    """Any valid merges, also such as no training would learn: two merges may give the same bytes."""
    merges: list[Pair] = []
    for token_id in range(256, 256 + draw(st.integers(0, 12))):
        parts = st.sampled_from([97, 98, *range(256, token_id)])
        pair = draw(st.tuples(parts, parts))
        if pair in merges:
            break
        merges.append(pair)
    return merges


def encode_by_definition(text: str, pattern: str, merges: Sequence[Pair]) -> list[int]:
    """Apply every merge in its order to each pretoken."""
    encoded: list[int] = []
    for pretoken in pretokenize(text, pattern):
        ids = list(pretoken.encode())
        for token_id, pair in enumerate(merges, 256):
            ids = merge(ids, pair, token_id)
        encoded += ids
    return encoded


@cache
def in_tiktoken(tokenizer: Tokenizer) -> tiktoken.Encoding:
    ranks = {token: rank for rank, token in enumerate(tokenizer.vocabulary)}
    return tiktoken.Encoding(
        "own", pat_str=SPLIT_PATTERNS[tokenizer.pattern], mergeable_ranks=ranks, special_tokens={}
    )


# Encoding equals the definition, and tiktoken


@settings(max_examples=100)
@given(texts, st.sampled_from(PATTERNS))
@example("", "none")
@example("ab" * SHORT, "none")
@example("a" * (SHORT + 1), "none")
def test_encoding_agrees_with_the_definition(text: str, pattern: str) -> None:
    tokenizer = trained(pattern)
    assert tokenizer.encode(text) == encode_by_definition(text, pattern, tokenizer.merges)


@settings(max_examples=200)
@given(
    merge_tables(),
    st.one_of(
        st.text(alphabet="ab", max_size=40), st.text(alphabet="ab", min_size=1, max_size=9).map(lambda t: t * 30)
    ),
)
def test_encoding_agrees_with_the_definition_for_merges_no_training_would_learn(
    merges: list[Pair], text: str
) -> None:
    expected = encode_by_definition(text, "none", merges)
    assert Tokenizer(merges, pattern="none").encode(text) == expected
    assert encode_pretoken(text.encode(), {pair: rank for rank, pair in enumerate(merges)}) == expected


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
@given(text=texts)
def test_encoding_agrees_with_tiktoken(name: str, text: str) -> None:
    tokenizer = trained(name)
    assert tokenizer.encode(text) == in_tiktoken(tokenizer).encode_ordinary(text)


@given(st.text(alphabet="ab", min_size=1, max_size=30), st.text(alphabet="ab", max_size=300))
def test_tokenizers_of_tiny_alphabets_agree_with_tiktoken(corpus: str, text: str) -> None:
    tokenizer = train(corpus, 300, pattern="none")
    ranks = {token: rank for rank, token in enumerate(tokenizer.vocabulary)}
    assert len(ranks) == tokenizer.vocab_size  # training learns no token twice
    peer = tiktoken.Encoding("own", pat_str=r"(?s).+", mergeable_ranks=ranks, special_tokens={})
    assert tokenizer.encode(text) == peer.encode_ordinary(text)


@pytest.mark.parametrize("length", [SHORT - 1, SHORT, SHORT + 1, 5 * SHORT])
@pytest.mark.parametrize("unit", ["a", "ab", "aab", "ก", "😀"])
def test_short_and_long_pretokens_are_merged_alike(unit: str, length: int) -> None:
    text = (unit * length)[:length]
    tokenizer = train(unit * 20, 280, pattern="none")
    assert tokenizer.encode(text) == encode_by_definition(text, "none", tokenizer.merges)


def test_thai_text_is_encoded_as_tiktoken_does(thai_corpus: str) -> None:
    tokenizer = train(thai_corpus[:200_000], 1500)
    text = thai_corpus[200_000:400_000]
    assert tokenizer.encode(text) == in_tiktoken(tokenizer).encode_ordinary(text)


# Encoding by longest tokens equals encoding pair by pair


def both_ways(tokenizer: Tokenizer, pretokens: list[bytes]) -> tuple[list[int], list[int]]:
    """Encode pretokens by the plain loop and by longest tokens; where each ends must be the same."""
    text = np.frombuffer(b"".join(pretokens), dtype=np.uint8)
    ends = np.cumsum(np.array(list(map(len, pretokens)), dtype=np.int64))
    plain, plain_stops = encode_loop.encode_pretokens(text, ends, tokenizer._ranks)
    ids, stops = longest_loop.encode_pretokens(text, ends, tokenizer._tree, text_loop.empty_memory(0).pairs)
    assert stops.tolist() == plain_stops.tolist()
    return ids.tolist(), plain.tolist()


@settings(max_examples=150)
@given(merge_tables(), st.lists(st.text(alphabet="abc", min_size=1, max_size=30), min_size=1, max_size=4))
@example([(98, 99), (97, 98), (97, 256)], ["abc", "abab"])  # abc is b + c first, so no text gives a + b
@example([(97, 98), (98, 99), (97, 257), (256, 99)], ["abc"])  # two tokens with the same bytes, one never occurs
@example([(97, 97), (256, 256), (257, 97)], ["a" * n for n in range(1, 12)])
def test_longest_tokens_agree_with_the_definition_for_any_merges(merges: list[Pair], pretokens: list[str]) -> None:
    tokenizer = Tokenizer(merges, pattern="none")
    ids, plain = both_ways(tokenizer, [pretoken.encode() for pretoken in pretokens])
    assert ids == plain
    assert ids == [token for text in pretokens for token in encode_by_definition(text, "none", merges)]


@settings(max_examples=60)
@given(st.text(alphabet="ab", min_size=1, max_size=60), st.text(alphabet="ab", min_size=1, max_size=60))
def test_longest_tokens_agree_where_every_choice_is_close(corpus: str, text: str) -> None:
    ids, plain = both_ways(train(corpus, 300, pattern="none"), [text.encode()])
    assert ids == plain


@given(text=texts.filter(bool), pattern=st.sampled_from(sorted(SPLIT_PATTERNS)))
def test_longest_tokens_agree_on_hostile_texts(text: str, pattern: str) -> None:
    cutter = Cutter(pattern)
    cutter.add([text.encode()])
    content, ends, _ = cutter.pretokens()
    pretokens = [content[start:end].tobytes() for start, end in zip([0, *ends], ends)]
    ids, plain = both_ways(trained(pattern), pretokens)
    assert ids == plain


@given(batch=st.lists(texts, max_size=4), pattern=st.sampled_from(sorted(SPLIT_PATTERNS)))
@example(["the cat", "", "c" * (longest_loop.LONG + 1) + " the cat sat", "ที่นี่ที่นั่น" * 9], "o200k")
def test_whole_texts_are_encoded_as_their_pretokens_are_however_often(batch: list[str], pattern: str) -> None:
    merges = trained(pattern).merges
    expected = Tokenizer(merges, pattern=pattern).encode_each(batch)
    whole = Tokenizer(merges, pattern=pattern)
    assert whole._tree
    for _ in range(3):  # the second time, the memory knows the pretokens of the first
        encoded = whole.encode_each(iter(batch))
        assert (encoded.ids.tolist(), encoded.counts.tolist()) == (expected.ids.tolist(), expected.counts.tolist())


def test_two_threads_share_no_memory() -> None:
    tokenizer = train(CORPUS, 400)
    assert tokenizer._tree
    with tokenizer._memory(0) as first, tokenizer._memory(0) as second:
        assert first.slots is not second.slots
    with tokenizer._memory(0) as again:
        assert again.slots is first.slots or again.slots is second.slots


def test_the_ranks_of_ascii_pairs_are_those_of_all_pairs() -> None:
    tokenizer = train(CORPUS, 400)
    ranks = {pair: rank for rank, pair in enumerate(tokenizer.merges) if max(pair) < 128}
    found = tokenizer._tree.ascii_ranks.reshape(128, 128)
    assert ranks
    assert {(int(left), int(right)): found[left, right] for left, right in np.argwhere(found != NO_RANK)} == ranks


@pytest.mark.parametrize("length", [longest_loop.LONG - 1, longest_loop.LONG, longest_loop.LONG + 1])
@pytest.mark.parametrize("unit", ["a", "aab", "ที่"])
def test_pretokens_around_the_limit_agree(unit: str, length: int) -> None:
    pretoken = (unit.encode() * length)[:length]
    ids, plain = both_ways(trained("none"), [pretoken, b"a", pretoken[::-1]])
    assert ids == plain


def test_a_long_text_is_encoded_by_longest_tokens_and_a_short_one_needs_no_tree() -> None:
    tokenizer = train(CORPUS, 400)
    assert tokenizer.encode("ที่ a cat") == in_tiktoken(tokenizer).encode_ordinary("ที่ a cat")
    assert "_tree" not in vars(tokenizer)
    long = " ".join(f"{chr(0xE01 + n % 40)}{chr(0xE01 + n // 40)}ที่ดื่มน้ำเยอะ a cat" for n in range(1_600))
    assert tokenizer.encode(long) == in_tiktoken(tokenizer).encode_ordinary(long)
    assert tokenizer.count_tokens(long) == len(tokenizer.encode(long))
    assert "_tree" in vars(tokenizer)


@pytest.mark.parametrize("times", [1, 300])
def test_a_list_of_ids_holds_plain_numbers(times: int) -> None:
    ids = trained("none").encode("abc" * times)
    assert all(type(token_id) is int for token_id in ids)


# Decoding


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=texts)
def test_decoding_gives_the_text_back(pattern: str, text: str) -> None:
    tokenizer = trained(pattern)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert tokenizer.decode_bytes(ids) == text.encode()


@given(st.binary(max_size=40))
def test_decoding_bytes_is_exact_for_bytes_that_are_no_text(content: bytes) -> None:
    tokenizer = trained("none")
    assert tokenizer.decode_bytes(content) == content
    assert tokenizer.decode(content) == content.decode("utf-8", errors="replace")


def test_numpy_ids_are_ids() -> None:
    tokenizer = trained("none")
    ids = np.array(tokenizer.encode("ภาษาไทย and more"))
    assert tokenizer.decode(ids) == "ภาษาไทย and more"


@pytest.mark.parametrize("token_id", [-1, 400, 10**9, -257])
def test_an_unknown_id_is_an_error_that_names_it(token_id: int) -> None:
    tokenizer = trained("none")
    with pytest.raises(TokenIdError, match=f" {token_id:,}") as caught:
        tokenizer.decode([97, token_id])
    assert caught.value.values == {"token_id": token_id, "name": "mine", "vocab_size": 400}


@pytest.mark.parametrize("text", ["\ud800", "abc\udfff", "\udc00\ud800"], ids=["high", "low", "swapped"])
def test_a_lone_surrogate_is_refused(text: str) -> None:
    with pytest.raises(TextError) as caught:
        trained("none").encode(text)
    assert caught.value.code == "lone_surrogate"


# The vocabulary


@given(texts, st.integers(256, 400))
def test_a_smaller_vocabulary_is_what_training_to_it_gives(text: str, vocab_size: int) -> None:
    tokenizer = trained("mark_aware").at(vocab_size)
    assert tokenizer.merges == train(CORPUS, vocab_size, pattern="mark_aware").merges
    assert tokenizer.vocab_size == vocab_size == len(tokenizer.vocabulary)
    assert tokenizer.encode(text) == encode_by_definition(text, "mark_aware", tokenizer.merges)


@pytest.mark.parametrize("vocab_size", [255, 401, -1])
def test_a_vocabulary_size_that_was_not_trained_is_refused(vocab_size: int) -> None:
    with pytest.raises(TrainingError) as caught:
        trained("none").at(vocab_size)
    assert caught.value.values == {"size": vocab_size, "most": 400}


def test_each_token_is_its_two_parts_joined() -> None:
    tokenizer = trained("none")
    for token_id, (left, right) in enumerate(tokenizer.merges, 256):
        assert tokenizer.token_bytes(token_id) == tokenizer.token_bytes(left) + tokenizer.token_bytes(right)


@pytest.mark.parametrize(
    ("merges", "code", "rank"),
    [
        ([(97, 256)], "merge_before_parts", 0),
        ([(97, 98), (258, 97)], "merge_before_parts", 1),
        ([(-1, 97)], "merge_before_parts", 0),
        ([(97, 98), (98, 97), (97, 98)], "merge_duplicate", 2),
        ([(97, 97), *((n, n) for n in range(256, 290))], "vocabulary_too_large", 26),
    ],
    ids=["own_part", "later_part", "negative", "duplicate", "doubling"],
)
def test_impossible_merges_are_refused_with_their_rank(merges: list[Pair], code: str, rank: int) -> None:
    with pytest.raises(TokenizerError) as caught:
        build_vocabulary(merges)
    assert (caught.value.code, caught.value.values["rank"]) == (code, rank)


def test_tokens_may_have_exactly_the_most_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizer_core.bpe.vocabulary.MAX_TOKEN_BYTES", 258)
    assert len(build_vocabulary([(97, 97)])) == 257
    with pytest.raises(TokenizerError):
        build_vocabulary([(97, 97), (97, 98)])


def test_a_tokenizer_without_merges_gives_the_bytes() -> None:
    assert Tokenizer([]).encode("aก") == list("aก".encode())


def test_a_pattern_that_does_not_compile_is_refused_at_once() -> None:
    with pytest.raises(PatternError):
        Tokenizer([], pattern="(a")


# Long texts. No clock here: a quadratic loop would hold the suite for hours.


@pytest.mark.parametrize("pattern", ["none", "mark_aware", "o200k"])
@pytest.mark.parametrize(
    "text",
    ["a" * 1_000_000, " " * 1_000_000 + "x", "ที่นี่มีน้ำใจ" * 23_000, "😀" * 100_000, "ab" * 500_000, "\n" * 500_000],
    ids=["letters", "spaces", "thai", "emoji", "pairs", "line_breaks"],
)
def test_a_text_of_one_endless_line_is_encoded_and_decoded(text: str, pattern: str) -> None:
    tokenizer = trained(pattern)
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert len(ids) <= len(text.encode())


def test_an_endless_run_takes_the_largest_tokens_first() -> None:
    tokenizer = train("a" * 64, 262, pattern="none")
    assert tokenizer.encode("a" * 1_000_000) == [261] * (1_000_000 // 64)


def test_many_threads_at_once_leave_few_memories_behind() -> None:
    tokenizer = Tokenizer([(97, 98)])
    with ExitStack() as threads:
        lent = [threads.enter_context(tokenizer._memory(0)) for _ in range(9)]
    assert len({id(memory) for memory in lent}) == 9
    assert len(tokenizer._memories) == MEMORIES_KEPT
    assert tokenizer.encode_each(["abab"]).ids.tolist() == [256, 256]
    assert len(tokenizer._memories) == MEMORIES_KEPT


def words(count: int) -> str:
    return "".join(f" {chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(count))


def held(tokenizer: Tokenizer) -> int:
    """Bytes of what a tokenizer remembers."""
    return sum(array.nbytes for array in tokenizer._memories[0])


def test_few_tokens_and_short_texts_take_little_memory_and_long_texts_more() -> None:
    few, many = train(CORPUS, 300), Tokenizer([(n % 256, n // 256) for n in range(4_096)])
    long = words(9_000) * 16
    expected = Tokenizer(few.merges).encode(long)
    assert few._tree
    assert many._tree
    assert held(few) < 2 * 2**20 < 14 * 2**20 < held(many)
    assert few.encode(long) == expected
    assert held(few) == held(many)
    assert few.encode("cat") == Tokenizer(few.merges).encode("cat")


def test_a_system_without_large_pages_encodes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    class WithoutLargePages(mmap.mmap):
        def madvise(self, *args: int) -> None:
            raise OSError(errno.EINVAL, "no large pages")

    text = words(9_000) * 16
    expected = train(CORPUS, 300).encode(text)
    monkeypatch.setattr(mmap, "mmap", WithoutLargePages)
    assert train(CORPUS, 300).encode(text) == expected
    monkeypatch.setattr(text_loop, "mmap", SimpleNamespace())  # as on Windows
    assert train(CORPUS, 300).encode(text) == expected


def test_many_short_texts_let_what_is_remembered_grow_and_lose_nothing() -> None:
    texts = [words(n + 40)[-160:] for n in range(0, 12_000, 40)]
    tokenizer, plain = train(CORPUS, 260), Tokenizer(train(CORPUS, 260).merges)
    assert tokenizer._tree
    sizes = []
    for text in texts:
        assert tokenizer.encode(text) == plain.encode(text)
        sizes.append(len(tokenizer._memories[0].slots))
    assert sizes == sorted(sizes)
    assert sizes[-1] == 2 * sizes[0]


def test_a_larger_memory_knows_the_short_pretokens_of_the_one_before() -> None:
    tokenizer = train(CORPUS, 260)
    text = words(400) + " aaaaaaaa" + " internationalization" * 2
    assert tokenizer._tree
    expected = tokenizer.encode_each([text])
    (before,) = tokenizer._memories
    larger = text_loop.enough_memory(before, 2**20, tokenizer.vocab_size)
    filled = [np.count_nonzero(memory.slots.reshape(-1, 4)[:, 1]) for memory in (before, larger)]
    assert len(larger.slots) > len(before.slots)
    assert 600 < filled[1] < filled[0]  # those with too many ids are learned anew
    assert not larger.used.any()
    tokenizer._memories[:] = [larger]
    again = tokenizer.encode_each([text])
    assert again.ids.tolist() == expected.ids.tolist()
    assert 0 < larger.used[-1] < 5
    assert text_loop.enough_memory(larger, 2**20, tokenizer.vocab_size) is larger


def test_a_copy_that_is_made_while_a_thread_encodes_writes_the_same_ids() -> None:
    """A cluster serializes small arrays at once, and large ones when the network takes them."""
    thai, english = ((SAMPLES / f"parallel.{of}.txt").read_text(encoding="utf-8") for of in ("th", "en"))
    lines = thai.splitlines() + english.splitlines()
    tokenizer = train(thai, 300)
    assert tokenizer._tree  # grown, so texts of any size are encoded by it
    expected = [tokenizer.encode(line) for line in lines]
    sent = Tokenizer(tokenizer.merges)
    assert sent._tree
    sent.encode_each(lines[:5])
    arrays: list[pickle.PickleBuffer] = []
    content = pickle.dumps(sent, protocol=5, buffer_callback=arrays.append)
    sizes = [array.raw().nbytes for array in arrays]
    at_once = {i: bytes(array.raw()) for i, array in enumerate(arrays) if sizes[i] < 2_000}
    sent.encode_each(lines[:900])
    copied = [bytearray(at_once.get(i, array.raw())) for i, array in enumerate(arrays)]
    copy: Tokenizer = pickle.loads(content, buffers=copied)
    assert [copy.encode(line) for line in lines[900:] + lines[:900]] == expected[900:] + expected[:900]
