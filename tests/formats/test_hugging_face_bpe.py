"""Byte-level BPE from `tokenizer.json` and GPT-2's files as ours: the same ids, or a clear reason."""

import json
from typing import Any

import pytest

from tests.helpers.trained.library_tokenizers import (
    byte_level,
    char_bpe,
    gpt2_files,
    hostile_lines,
    library_of,
    unigram,
    word_piece,
)
from tokenizer_core.errors import TokenizerError, TokenizerFileError
from tokenizer_core.formats.byte_letters import byte_of_letter, from_letters, letter_of_byte
from tokenizer_core.formats.gpt2_files import gpt2_tokenizer, read_merges
from tokenizer_core.formats.hugging_face import HuggingFaceTokenizer
from tokenizer_core.formats.hugging_face_bpe import as_ours
from tokenizer_core.openai import openai_tokenizer
from tokenizer_core.vocabulary import BYTES


@pytest.mark.parametrize("pattern", [None, "cl100k", "llama3", "o200k", "mark_aware", r"\p{L}+|\s|."])
def test_ours_gives_the_librarys_ids(pattern: str | None) -> None:
    content = byte_level(pattern)
    ours, library = as_ours(HuggingFaceTokenizer(content)), library_of(content)
    assert len(ours.merges) > 50
    for text in hostile_lines():
        expected = library.encode(text, add_special_tokens=False).ids
        assert ours.encode(text) == expected, text
        assert ours.decode(expected) == text
    assert ours.encode("<|endoftext|>", allowed_special="all") == [library.token_to_id("<|endoftext|>")]


def test_a_smaller_size_keeps_the_ids_of_the_file() -> None:
    ours = as_ours(HuggingFaceTokenizer(byte_level()))
    smaller = ours.at(BYTES + 2)
    assert smaller.entry_ids == ours.entry_ids[: BYTES + 2]
    assert smaller.special_tokens == ours.special_tokens
    ids = smaller.encode("the cat")
    assert ids == [token_id for token_id in ids if token_id in smaller.entry_ids]
    assert smaller.decode(ids) == "the cat"


def changed(content: bytes, **model: Any) -> bytes:
    """A file with other values in its model."""
    parts = json.loads(content)
    parts["model"] |= model
    return json.dumps(parts).encode()


def without_byte() -> bytes:
    """A file without an entry for one byte."""
    parts = json.loads(byte_level())
    parts["model"]["vocab"].pop(letter_of_byte()[0xF5])
    return json.dumps(parts).encode()


MERGES = json.loads(byte_level())["model"]["merges"]
VOCAB = json.loads(byte_level())["model"]["vocab"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (byte_level(normalizer="nfc"), "ours_normalizer"),
        (byte_level(prefix_space=True), "ours_prefix_space"),
        (byte_level(added=("cat",)), "ours_added"),
        (char_bpe(), "ours_not_byte_level"),
        (word_piece(), "ours_not_byte_level"),
        (unigram(), "ours_not_byte_level"),
        (without_byte(), "ours_byte_missing"),
        (changed(byte_level(), merges=list(reversed(MERGES))), "ours_merge_parts"),
        (changed(byte_level(), merges=[*MERGES, MERGES[0]]), "ours_merge_twice"),
        (changed(byte_level(), vocab={**VOCAB, "ĠtĠt": 900}, ignore_merges=True), "ours_whole_entries"),
        (byte_level(r"\h+|."), "ours_other_ids"),  # hexadecimal digits for Oniguruma, white space for `regex`
    ],
    ids=[
        *("normalizer", "prefix_space", "added", "characters", "word_piece", "unigram", "byte_missing"),
        *("merges_out_of_order", "merge_twice", "whole_entries", "reads_otherwise"),
    ],
)
def test_what_cannot_be_ours_says_why(content: bytes, code: str) -> None:
    with pytest.raises(TokenizerError) as caught:
        as_ours(HuggingFaceTokenizer(content))
    assert caught.value.code == code


def test_merges_that_go_in_a_circle_are_refused() -> None:
    vocab, merges = {**VOCAB, "": 901}, [["", "a"], *MERGES]
    with pytest.raises(TokenizerError) as caught:
        as_ours(HuggingFaceTokenizer(changed(byte_level(), vocab=vocab, merges=merges)))
    assert caught.value.code in ("ours_merge_parts", "tokenizer_json_merges")


def test_the_letters_of_bytes_are_a_pairing() -> None:
    assert len(byte_of_letter()) == len(letter_of_byte()) == BYTES
    assert from_letters("".join(letter_of_byte().values())) == bytes(letter_of_byte())


# ---- GPT-2's two files


def test_gpt2s_two_files_give_the_ids_of_the_same_tokenizer_json() -> None:
    tokenizer, library = gpt2_tokenizer(*gpt2_files()), library_of(byte_level())
    for text in hostile_lines():
        assert tokenizer.encode(text) == library.encode(text, add_special_tokens=False).ids
    assert tokenizer.special_tokens == {"<|endoftext|>": library.token_to_id("<|endoftext|>")}


def test_the_shipped_files_of_gpt2_are_gpt2() -> None:
    from tokenizer_core.openai import _FILES_OF, RANK_FILES

    merges, ids = ((RANK_FILES / name).read_bytes() for name in _FILES_OF["gpt2"])
    if not merges.startswith(b"#version"):
        merges, ids = ids, merges
    tokenizer, reference = gpt2_tokenizer(ids, merges), openai_tokenizer("gpt2")
    assert (tokenizer.vocab_size, tokenizer.special_tokens) == (50_256, {"<|endoftext|>": 50_256})
    for text in hostile_lines():
        assert tokenizer.encode(text) == reference.encode(text)


@pytest.mark.parametrize(
    ("merges", "at"), [(b"#version: 0.2\nab\n", 2), (b"a b c\n", 1), (b"a b\n \xff\n", 2), (b"a  b\n", 1)]
)
def test_a_line_that_is_no_merge_is_named(merges: bytes, at: int) -> None:
    with pytest.raises(TokenizerFileError) as caught:
        read_merges(merges)
    assert (caught.value.code, caught.value.values) == ("merges_line", {"at": at})
