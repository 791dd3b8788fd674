"""Rank files of tiktoken: its ids, its merges where ranks tell them, and what is refused."""

import base64
from pathlib import Path

import pytest
import tiktoken

from tests.helpers.trained.library_tokenizers import hostile_lines, rank_file
from tokenizer_core.errors import RankFileError, TokenizerFileError
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.formats.opening import open_tokenizer, read_files
from tokenizer_core.formats.rank_file import rank_tokenizer, read_ranks
from tokenizer_core.measures.entries import entries_of
from tokenizer_core.openai import OpenAITokenizer
from tokenizer_core.patterns import SPLIT_PATTERNS

THAI = [word.encode()[:size] for word in ("ที่", "น้ำ") for size in (2, 3, 6)] + [b" \xe0\xb8"]


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k", "o200k", "llama3"])
def test_ids_are_tiktokens(pattern: str) -> None:
    content = rank_file([b"th", b"the", b" the", b"\xe0\xb8", b"\xe0\xb9"])
    tokens = read_ranks(content)
    reference = tiktoken.Encoding(
        "ranks",
        pat_str=SPLIT_PATTERNS[pattern],
        mergeable_ranks={token: rank for rank, token in tokens.items()},
        special_tokens={},
    )
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
    reference = tiktoken.Encoding(
        "ranks",
        pat_str=SPLIT_PATTERNS["gpt2"],
        mergeable_ranks={token: rank for rank, token in tokens.items()},
        special_tokens={},
    )
    for text in ["the", " the then", *hostile_lines()]:
        assert tokenizer.encode(text) == reference.encode_ordinary(text)
    remarks = {remark.code: remark.values for remark in open_tokenizer("a", content, pattern="gpt2").remarks}
    assert remarks["ranks_without_pair"] == {"count": 1}


@pytest.mark.parametrize("extra", [[b"th", b"the", b" the"], [b"the", b"he", b" t"]], ids=["merges", "no_pair"])
def test_ranks_may_leave_ids_out_as_in_tiktoken(extra: list[bytes]) -> None:
    whole = read_ranks(rank_file(extra))
    spread = {rank if rank < 10 else 3 * rank: token for rank, token in whole.items()}
    content = b"".join(_line(token, rank) for rank, token in spread.items())
    reference = tiktoken.Encoding(
        "ranks",
        pat_str=SPLIT_PATTERNS["cl100k"],
        mergeable_ranks={token: rank for rank, token in spread.items()},
        special_tokens={},
    )
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
