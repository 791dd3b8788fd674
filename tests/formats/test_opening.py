"""One function opens every file: by its content, not only by its name."""

import json

import pytest

from tests.helpers.sentencepiece import model_of
from tests.helpers.trained.library_tokenizers import (
    byte_level,
    char_bpe,
    gpt2_files,
    rank_file,
    unigram,
    word_level,
    word_piece,
)
from tokenizer_core.errors import TokenizerError
from tokenizer_core.formats.opening import in_groups, open_tokenizer
from tokenizer_core.tokenizer import Tokenizer

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
    normalized = open_tokenizer("a", byte_level(normalizer="nfc"))
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


def test_several_files_are_put_into_groups() -> None:
    files = [("v", ENCODER), ("m", MINBPE), ("x", b"?"), ("b", MERGES), ("t", byte_level()), ("v2", ENCODER)]
    assert [list(group) for group in in_groups(files)] == [["v", "b"], ["m"], ["x"], ["t"], ["v2"]]


def test_added_tokens_beside_a_vocabulary_do_not_take_its_merges() -> None:
    files = [("added_tokens.json", b'{"<|im_start|>": 1197}'), ("merges.txt", MERGES), ("vocab.json", ENCODER)]
    assert [list(group) for group in in_groups(files)] == [["added_tokens.json"], ["merges.txt", "vocab.json"]]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"encoder.json": ENCODER}, "file_needs_both"),
        ({"vocab.bpe": MERGES}, "file_needs_both"),
        ({"a": MINBPE, "b": rank_file()}, "file_needs_both"),
        ({"a": ENCODER, "b": ENCODER}, "file_needs_both"),
        ({"a": b""}, "file_unknown"),
        ({"a.model": b"\x89PNG\r\n"}, "file_unknown"),
        ({"a": b"import os"}, "merges_or_unknown"),
        ({"a": b"\x80\x04\x95\x00pickle"}, "file_unknown"),
        ({"a": b"PK\x03\x04"}, "file_unknown"),
    ],
    ids=["vocab_only", "merges_only", "no_pair", "same_twice", "empty", "picture", "program", "pickle", "zip"],
)
def test_what_is_no_tokenizer_gets_a_clear_sentence(files: dict[str, bytes], code: str) -> None:
    with pytest.raises(TokenizerError) as caught:
        open_tokenizer("a", files)
    expected = {"file_needs_both", "file_unknown"} if code == "merges_or_unknown" else {code}
    assert caught.value.code in expected


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


@pytest.mark.parametrize("token_id", [-1, 2**31, 2**63, -(2**70)])
def test_an_id_that_no_token_can_have_is_refused(token_id: int) -> None:
    vocabulary = json.loads(ENCODER)
    changed = json.dumps({**vocabulary, next(reversed(vocabulary)): token_id}).encode()
    with pytest.raises(TokenizerError) as caught:
        open_tokenizer("gpt2", {"a": changed, "b": MERGES})
    assert caught.value.code == "file_id_range"
