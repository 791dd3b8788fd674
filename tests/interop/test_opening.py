"""One function opens every file by its content; rank files give tiktoken's ids, and damaged files a reason."""

import base64
import json
from pathlib import Path

import pytest
import tiktoken

from tests.helpers.trained import (
    byte_level,
    char_bpe,
    gpt2_files,
    hostile_lines,
    model_of,
    rank_file,
    unigram,
    word_level,
    word_piece,
)
from tokenizer_core.analysis.entries import entries_of
from tokenizer_core.bpe.openai import OpenAITokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.errors import RankFileError, TokenizerError, TokenizerFileError
from tokenizer_core.interop.byte_level import FileTokenizer, file_tokenizer, letter_of_byte
from tokenizer_core.interop.limits import check_ids
from tokenizer_core.interop.opening import in_groups, open_tokenizer, part_of, read_files
from tokenizer_core.interop.rank_file import rank_tokenizer, read_ranks
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS

MINBPE = Tokenizer([(97, 97)], pattern="gpt2", special_tokens=["<|end|>"]).model_text().encode()
COLLIDES = b"minbpe v1\n\n3\n<a> 256\n<b> 257\n<c> 257\n97 97\n"
ENCODER, MERGES = gpt2_files()


@pytest.mark.parametrize(
    ("content", "format_", "model", "has_merges"),
    [
        (MINBPE, "minbpe", "BPE", True),
        (b"\xef\xbb\xbf" + MINBPE, "minbpe", "BPE", True),
        (byte_level(), "tokenizer_json", "BPE", True),
        (b"\xef\xbb\xbf\n " + byte_level(), "tokenizer_json", "BPE", True),
        (char_bpe(), "tokenizer_json", "BPE", False),
        (word_piece(), "tokenizer_json", "WordPiece", False),
        (word_level(), "tokenizer_json", "WordLevel", False),
        (unigram(), "tokenizer_json", "Unigram", False),
        (rank_file(), "ranks", "BPE", True),
        (model_of(), "sentencepiece", "BPE", False),
    ],
    ids=[
        *("minbpe", "bom", "byte_level", "json_bom", "char_bpe", "word_piece", "word_level", "unigram", "ranks"),
        "sentencepiece",
    ],
)
@pytest.mark.parametrize("name", ["a.model", "b.json", "c"])
def test_a_file_is_known_by_its_content(
    content: bytes, format_: str, model: str, has_merges: bool, name: str
) -> None:
    opened = open_tokenizer(name, content)
    assert (opened.format, opened.model, opened.has_merges) == (format_, model, has_merges)
    assert opened.tokenizer.encode("the cat")
    assert opened.files == (name,)


def test_a_byte_level_file_says_that_it_was_held_to_the_library_or_why_it_is_not_ours() -> None:
    assert [remark.code for remark in open_tokenizer("a", byte_level()).remarks] == ["opened_as_ours"]
    normalized = open_tokenizer("a", byte_level(normalizer="nfkd"))
    assert [remark.code for remark in normalized.remarks] == ["ours_normalizer"]
    assert not normalized.has_merges


def test_two_files_are_one_tokenizer_in_any_order_and_under_any_name() -> None:
    for files in ({"encoder.json": ENCODER, "vocab.bpe": MERGES}, {"a": MERGES, "b": ENCODER}):
        opened = open_tokenizer("gpt2", files)
        assert (opened.format, opened.tokenizer.special_tokens) == ("gpt2", {"<|endoftext|>": 0})
    bare = MERGES.split(b"\n", 1)[1]
    assert open_tokenizer("gpt2", {"a": bare, "b": ENCODER}).format == "gpt2"
    other = open_tokenizer("gpt2", {"a": MERGES, "b": ENCODER}, pattern="none")
    assert other.digest != opened.digest


@pytest.mark.parametrize(
    ("files", "groups"),
    [
        (
            [("v", ENCODER), ("m", MINBPE), ("x", b"?"), ("b", MERGES), ("t", byte_level()), ("v2", ENCODER)],
            [["v", "b"], ["m"], ["x"], ["t"], ["v2"]],
        ),
        ([("added", b'{"<|im_start|>": 1197}'), ("m", MERGES), ("v", ENCODER)], [["added"], ["m", "v"]]),
    ],
    ids=["of all formats", "added tokens take no merges"],
)
def test_several_files_are_put_into_groups(files: list[tuple[str, bytes]], groups: list[list[str]]) -> None:
    assert [list(group) for group in in_groups(files)] == groups


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"encoder.json": ENCODER}, "file_needs_both"),
        ({"vocab.bpe": MERGES}, "file_needs_both"),
        ({"a": MINBPE, "b": rank_file()}, "file_needs_both"),
        ({"a": ENCODER, "b": ENCODER}, "file_needs_both"),
        ({"a": b""}, "file_unknown"),
        ({"a.model": b"\x89PNG\r\n"}, "file_unknown"),
        ({"a": b"import os"}, "file_unknown"),
        ({"a": b"\x80\x04\x95\x00pickle"}, "file_unknown"),
        ({"a": b"PK\x03\x04"}, "file_unknown"),
    ],
    ids=["vocab_only", "merges_only", "no_pair", "same_twice", "empty", "picture", "program", "pickle", "zip"],
)
def test_what_is_no_tokenizer_gets_a_clear_sentence(files: dict[str, bytes], code: str) -> None:
    with pytest.raises(TokenizerError) as caught:
        open_tokenizer("a", files)
    assert caught.value.code == code


def test_special_tokens_whose_ids_are_taken_are_repaired_only_on_request() -> None:
    with pytest.raises(TokenizerError) as caught:
        open_tokenizer("a", COLLIDES)
    assert caught.value.code == "special_token_id_taken"
    opened = open_tokenizer("a", COLLIDES, repair=True)
    assert opened.tokenizer.special_tokens == {"<a>": 258, "<b>": 257, "<c>": 259}
    assert [remark.values for remark in opened.remarks] == [
        {"token": "<a>", "before": 256, "after": 258},
        {"token": "<c>", "before": 257, "after": 259},
    ]
    assert open_tokenizer("a", MINBPE, repair=True).remarks == ()


def test_lines_of_two_numbers_are_no_merges_of_tokens() -> None:
    assert part_of(b"1 a\nb 2\n" * 100) == "merges"
    with pytest.raises(TokenizerFileError):
        part_of(b"1 2\n3 4\n" * 100)


def test_a_merge_of_what_is_no_entry_is_refused() -> None:
    ids = {letter: byte for byte, letter in letter_of_byte().items()}
    with pytest.raises(TokenizerFileError) as caught:
        file_tokenizer(ids | {"ab": 256}, [("a", "b"), ("ab", "c")], pattern="gpt2")
    assert (caught.value.code, caught.value.values["value"]) == ("ours_merge_parts", 2)


def test_added_tokens_and_characters_cut_otherwise_are_counted_as_they_are_encoded() -> None:
    tokenizer = FileTokenizer([], range(256), pattern="gpt2", added_tokens={"<think>": 256})
    for text in ("a<think>b", "<think><think>", "a\U000323b0<think>c"):
        assert tokenizer.count_tokens(text) == len(tokenizer.encode(text)) > 1


def test_an_id_of_many_digits_is_quoted_in_part() -> None:
    with pytest.raises(TokenizerFileError) as caught:
        check_ids([10**50])
    assert caught.value.values["token_id"] == "1" + "0" * 39


@pytest.mark.parametrize("token_id", [-1, 2**31, 2**63, -(2**70)])
def test_an_id_that_no_token_can_have_is_refused(token_id: int) -> None:
    vocabulary = json.loads(ENCODER)
    changed = json.dumps({**vocabulary, next(reversed(vocabulary)): token_id}).encode()
    with pytest.raises(TokenizerError) as caught:
        open_tokenizer("gpt2", {"a": changed, "b": MERGES})
    assert caught.value.code == "file_id_range"


# ---- rank files


THAI = [word.encode()[:size] for word in ("ที่", "น้ำ") for size in (2, 3, 6)] + [b" \xe0\xb8"]


def in_tiktoken(tokens: dict[int, bytes], pattern: str) -> tiktoken.Encoding:
    ranks = {token: rank for rank, token in tokens.items()}
    return tiktoken.Encoding("ranks", pat_str=SPLIT_PATTERNS[pattern], mergeable_ranks=ranks, special_tokens={})


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k", "llama3"])
def test_ids_are_tiktokens(pattern: str) -> None:
    content = rank_file([b"th", b"the", b" the", b"\xe0\xb8", b"\xe0\xb9"])
    tokens = read_ranks(content)
    reference = in_tiktoken(tokens, pattern)
    tokenizer, without_pair, _ = rank_tokenizer(content, pattern=pattern)
    assert without_pair == 0
    assert isinstance(tokenizer, FileTokenizer)
    for text in hostile_lines():
        assert tokenizer.encode(text) == reference.encode_ordinary(text)
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_token_whose_merge_cannot_be_recovered_leaves_encoding_to_tiktoken() -> None:
    content = rank_file([b"the", b"he", b" t"])  # "the" comes before any two parts of it
    tokenizer, without_pair, _ = rank_tokenizer(content, pattern="gpt2")
    assert without_pair == 1
    assert isinstance(tokenizer, OpenAITokenizer)
    tokens = read_ranks(content)
    reference = in_tiktoken(tokens, "gpt2")
    for text in ["the", " the then", *hostile_lines()]:
        assert tokenizer.encode(text) == reference.encode_ordinary(text)
    remarks = {remark.code: remark.values for remark in open_tokenizer("a", content, pattern="gpt2").remarks}
    assert remarks["ranks_without_pair"] == {"count": 1}


@pytest.mark.parametrize("extra", [[b"th", b"the", b" the"], [b"the", b"he", b" t"]], ids=["merges", "no_pair"])
def test_ranks_may_leave_ids_out_as_in_tiktoken(extra: list[bytes]) -> None:
    whole = read_ranks(rank_file(extra))
    spread = {rank if rank < 10 else 3 * rank: token for rank, token in whole.items()}
    content = b"".join(_line(token, rank) for rank, token in spread.items())
    reference = in_tiktoken(spread, "cl100k")
    opened = open_tokenizer("gaps", content)
    for text in ["the then", *hostile_lines()]:
        assert opened.tokenizer.encode(text) == reference.encode_ordinary(text)
    remarks = {remark.code: remark.values for remark in opened.remarks}
    assert remarks["ranks_empty"]["count"] == max(spread) + 1 - len(spread)
    assert remarks["ranks_empty"]["ids"].startswith("10–29, 31–32, 34–35")
    assert entries_of(opened.tokenizer).ids.tolist() == sorted(spread)


def _line(token: bytes, rank: object) -> bytes:
    return base64.b64encode(token) + b" " + str(rank).encode() + b"\n"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (rank_file() + _line(b"zz", 257), "rank_line_rank_twice"),
        (rank_file() + _line(b"the", 260), "rank_line_token_twice"),
        (rank_file() + _line(b"zz", 2**31), "rank_line_beyond"),
        (rank_file() + _line(b"zz", -1), "rank_line"),
        (rank_file() + b"not base64! 260\n", "rank_line"),
        (rank_file() + b"enp6\n", "rank_line"),
        (rank_file() + b" 260\n", "rank_line"),
        (_line(b"a", 0), "rank_byte_missing"),
        (b"", "rank_byte_missing"),
        (rank_file()[: len(rank_file()) // 2], "rank_line"),
    ],
    ids=[
        *("rank_twice", "token_twice", "beyond_2_31", "negative", "no_base64", "no_rank", "no_token"),
        *("bytes_missing", "empty", "cut_off"),
    ],
)
def test_a_damaged_rank_file_gets_a_clear_sentence(content: bytes, code: str) -> None:
    with pytest.raises(RankFileError) as caught:
        read_ranks(content)
    assert caught.value.code == code


def test_ten_gigabytes_by_name_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.tiktoken"
    with path.open("wb") as file:
        file.truncate(10 * 2**30)
    with pytest.raises(TokenizerFileError) as caught:
        open_tokenizer("huge", read_files([path]))
    assert caught.value.code == "file_large"
