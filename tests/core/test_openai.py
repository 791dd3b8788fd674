"""The reference tokenizers give tiktoken's ids, offline, and say so when their files are damaged."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tests.helpers.paths import REPOSITORY
from tokenizer_core import openai_tokenizer
from tokenizer_core.bpe.openai import _FILES_OF, OPENAI_NAMES, RANK_FILES, OpenAITokenizer, with_special_tokens
from tokenizer_core.errors import RankFileError, SpecialTokenError, TextError, TokenIdError

SIZES = {"gpt2": 50_256, "cl100k_base": 100_256, "o200k_base": 199_998}
texts = st.one_of(hostile_texts, st.text(alphabet="กาที่น้ำ aA1\n", max_size=60))
every_name = pytest.mark.parametrize("name", OPENAI_NAMES)
one_name = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "cl100k_base" else pytest.mark.long) for name in OPENAI_NAMES]
)


def peer(name: str) -> tiktoken.Encoding:
    openai_tokenizer(name)  # tiktoken keeps what it has read from the shipped files
    return tiktoken.get_encoding(name)


@pytest.fixture
def copied_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's own tiktoken cache, with whole rank files; nothing read from it is remembered."""
    directory = Path(shutil.copytree(RANK_FILES, tmp_path / "cache"))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(directory))
    openai_tokenizer.cache_clear()
    yield directory
    openai_tokenizer.cache_clear()


# The same ids


@every_name
@given(text=texts)
@example(text="")
@example(text="<|endoftext|>")
def test_ids_are_those_of_tiktoken(name: str, text: str) -> None:
    ids = openai_tokenizer(name).encode(text)
    assert ids == peer(name).encode(text, disallowed_special=())
    assert openai_tokenizer(name).decode(ids) == text
    assert openai_tokenizer(name).decode_bytes(ids) == text.encode()


@every_name
@given(text=texts)
def test_cutting_with_the_pattern_first_gives_the_same_ids(name: str, text: str) -> None:
    tokenizer = openai_tokenizer(name)
    allowed = set(tokenizer.special_tokens)
    assert tokenizer._encode_by_pretokens(text, set()) == tokenizer.encode(text)
    assert tokenizer._encode_by_pretokens(text, allowed) == tokenizer.encode(text, allowed_special="all")


@every_name
def test_every_token_has_its_bytes(name: str) -> None:
    tokenizer = openai_tokenizer(name)
    assert tokenizer.vocab_size == SIZES[name]
    assert tokenizer.name == name
    known = [*range(0, tokenizer.vocab_size, 997), *tokenizer.special_tokens.values()]
    assert [tokenizer.token_bytes(token_id) for token_id in known] == [
        peer(name).decode_single_token_bytes(token_id) for token_id in known
    ]


@every_name
@pytest.mark.parametrize("token_id", [-1, 10**9])
def test_an_unknown_id_is_an_error_that_names_it(name: str, token_id: int) -> None:
    with pytest.raises(TokenIdError) as caught:
        openai_tokenizer(name).decode([0, token_id])
    assert caught.value.values == {"token_id": token_id, "name": name, "vocab_size": SIZES[name]}


@every_name
def test_the_number_of_ids_is_that_of_tiktoken_and_its_parts_are_counted(name: str) -> None:
    tokenizer, encoding = openai_tokenizer(name), peer(name)
    counts = tokenizer.id_counts
    assert counts.total == {"gpt2": 50_257, "cl100k_base": 100_277, "o200k_base": 200_019}[name]
    assert counts.total == encoding.n_vocab == 256 + counts.merges + counts.special_tokens + counts.unused
    used = set(encoding._mergeable_ranks.values()) | set(encoding._special_tokens.values())
    assert counts.unused == len(set(range(counts.total)) - used)
    assert counts.special_tokens == len(encoding.special_tokens_set)


@every_name
def test_numpy_ids_are_ids(name: str) -> None:
    tokenizer = openai_tokenizer(name)
    assert tokenizer.decode(np.array(tokenizer.encode("ภาษาไทย"))) == "ภาษาไทย"


# Special tokens


@every_name
def test_special_tokens_are_those_of_tiktoken_and_act_only_where_allowed(name: str) -> None:
    tokenizer = openai_tokenizer(name)
    assert tokenizer.special_tokens == peer(name)._special_tokens
    end = tokenizer.special_tokens["<|endoftext|>"]
    assert tokenizer.encode("a<|endoftext|>", allowed_special=["<|endoftext|>"])[-1] == end
    assert tokenizer.encode("a<|endoftext|>", allowed_special="all")[-1] == end
    assert end not in tokenizer.encode("a<|endoftext|>")
    assert tokenizer.decode([end]) == "<|endoftext|>"


@every_name
def test_only_its_own_special_tokens_can_be_allowed(name: str) -> None:
    with pytest.raises(SpecialTokenError):
        openai_tokenizer(name).encode("text", allowed_special=["<|none|>"])


def test_ids_that_no_token_has_are_no_entries() -> None:
    ranks = {bytes([n]): n for n in range(256)} | {b"ab": 300}
    gaps = OpenAITokenizer(
        tiktoken.Encoding("gaps", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={"<|end|>": 400})
    )
    assert list(gaps.entry_ids) == [*range(256), 300]
    assert openai_tokenizer("gpt2").entry_ids == range(50_256)


@pytest.mark.parametrize("much", [0, 10**9])
@every_name
def test_tokens_are_counted_as_they_are_encoded(name: str, much: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizer_core.bpe.openai.MUCH", much)
    texts = ["ab ab cd", "", "ที่นี่ 123 ที่นี่", " cd"]
    assert openai_tokenizer(name).count_tokens(texts) == sum(map(len, map(openai_tokenizer(name).encode, texts)))


def test_a_special_token_is_added_once() -> None:
    for added in ([("<|a|>", 100_300), ("<|a|>", 100_301)], [("<|endoftext|>", 100_300)]):
        with pytest.raises(SpecialTokenError):
            with_special_tokens("cl100k_base", tuple(added))


# Hostile texts


ENDLESS = {
    "letters": "a" * 1_000_000,
    "spaces": " " * 1_000_000,
    "spaces_x": " " * 1_000_000 + "x",
    "tabs": "\t" * 1_000_000 + "\n\n x",
    "lines": " \n" * 500_000 + "x",
    "thai": "ที่นี่มีน้ำใจ" * 23_000,
    "emoji": "😀" * 100_000,
    "marks": "!" * 1_000_000,
    "nul": "\0" * 100_000,
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param(
            *(name, text),
            id=f"{name}-{kind}",
            marks=() if (place - number) % len(OPENAI_NAMES) == 0 else pytest.mark.long,
        )
        for number, name in enumerate(OPENAI_NAMES)
        for place, (kind, text) in enumerate(ENDLESS.items())
    ],
)
def test_a_text_of_one_endless_line_is_encoded(name: str, text: str) -> None:
    tokenizer = openai_tokenizer(name)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@one_name
def test_white_space_too_long_for_tiktoken_is_cut_as_shorter_white_space_is(name: str) -> None:
    tokenizer = openai_tokenizer(name)
    text = "<|endoftext|>x" + " " * 1_000_000 + "x"
    pieces = ["<|endoftext|>x", " " * 999_999, " x"]
    assert tokenizer.encode(text) == [i for piece in pieces for i in tokenizer._encode_by_pretokens(piece, ())]
    end = tokenizer.special_tokens["<|endoftext|>"]
    assert tokenizer.encode(text, allowed_special="all").count(end) == 1


@every_name
def test_a_lone_surrogate_is_refused(name: str) -> None:
    with pytest.raises(TextError):
        openai_tokenizer(name).encode("a\ud800")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(RankFileError) as caught:
        openai_tokenizer("p50k_base")
    assert caught.value.values == {"name": "p50k_base"}


# The rank files


@pytest.mark.parametrize(("name", "file"), [(name, file) for name in OPENAI_NAMES for file in _FILES_OF[name]])
def test_a_damaged_rank_file_is_named_and_not_deleted(copied_ranks: Path, name: str, file: str) -> None:
    path = copied_ranks / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(RankFileError) as caught:
        openai_tokenizer(name)
    assert caught.value.code == "rank_file_damaged"
    assert caught.value.values == {"path": str(path)}
    assert str(path) in str(caught.value)
    assert path.read_bytes() == content


def test_a_missing_shipped_rank_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenizer_core.bpe.openai.RANK_FILES", tmp_path)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    openai_tokenizer.cache_clear()
    with pytest.raises(RankFileError) as caught:
        openai_tokenizer("gpt2")
    openai_tokenizer.cache_clear()
    assert caught.value.code == "rank_file_missing"
    assert list(tmp_path.iterdir()) == []


def test_a_cache_without_the_files_falls_back_on_the_shipped_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    openai_tokenizer.cache_clear()
    assert openai_tokenizer("gpt2").encode("hello") == [31373]
    openai_tokenizer.cache_clear()
    assert list(tmp_path.iterdir()) == []


def test_the_environment_is_left_as_it_was(copied_ranks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    openai_tokenizer("gpt2")
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(copied_ranks)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    openai_tokenizer("cl100k_base")
    assert "TIKTOKEN_CACHE_DIR" not in os.environ


def test_no_network_is_used() -> None:
    code = (
        "import socket\n"
        "def refuse(*arguments, **more): raise AssertionError('network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer\n"
        "print([len(openai_tokenizer(name).encode('hello world')) for name in OPENAI_NAMES])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[2, 2, 2]"
